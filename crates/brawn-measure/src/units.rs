//! Sizes, times and numbers as people write them.

use std::time::Duration;

/// A size in bytes: `384MiB`, `1.5G`, `500kB`, or a plain number of bytes.
///
/// # Errors
/// What a size looks like.
pub fn size(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 11] = [
        ("", 1),
        ("b", 1),
        ("k", 1 << 10),
        ("kib", 1 << 10),
        ("kb", 1_000),
        ("m", 1 << 20),
        ("mib", 1 << 20),
        ("mb", 1_000_000),
        ("g", 1 << 30),
        ("gib", 1 << 30),
        ("gb", 1_000_000_000),
    ];
    let (number, unit) = split(text);
    let scale = UNITS.iter().find(|(name, _)| *name == unit.to_lowercase()).map(|(_, scale)| *scale as f64);
    match (number.parse::<f64>(), scale) {
        (Ok(number), Some(scale)) if number > 0.0 && number.is_finite() => Ok((number * scale) as u64),
        _ => Err("a size such as 384MiB or 1G".into()),
    }
}

/// A time: `90s`, `5m`, `1.5h`, `250ms`, or a plain number of seconds.
///
/// # Errors
/// What a time looks like.
pub fn time(text: &str) -> Result<Duration, String> {
    const UNITS: [(&str, f64); 5] = [("", 1.0), ("s", 1.0), ("ms", 1e-3), ("m", 60.0), ("h", 3600.0)];
    let (number, unit) = split(text);
    let scale = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale);
    match (number.parse::<f64>(), scale) {
        (Ok(number), Some(scale)) if number > 0.0 && number * scale < 1e9 => {
            Ok(Duration::from_secs_f64(number * scale))
        }
        _ => Err("a time such as 90s or 5m".into()),
    }
}

/// A number above 0.
///
/// # Errors
/// That it is none.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("a number above 0".into()),
    }
}

fn split(text: &str) -> (&str, &str) {
    let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    (number.trim(), unit.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_as_people_write_them() {
        assert_eq!(size("384MiB"), Ok(384 << 20));
        assert_eq!((size("1.5g"), size("4096"), size("10 kB")), (Ok(3 << 29), Ok(4096), Ok(10_000)));
        assert_eq!(time("5m"), Ok(Duration::from_secs(300)));
        assert_eq!((time("250ms"), time("2")), (Ok(Duration::from_millis(250)), Ok(Duration::from_secs(2))));
        for wrong in ["", "0", "-1M", "5x", "M", "inf"] {
            assert!(size(wrong).is_err() && time(wrong).is_err(), "{wrong}");
        }
    }
}
