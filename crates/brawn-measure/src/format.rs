//! Figures with three significant digits and the unit that suits them.

/// A time, in seconds, as `1.23 s`, `45.6 ms` or `789 us`.
pub fn seconds(value: f64) -> String {
    match value {
        value if value >= 1.0 => format!("{} s", digits(value)),
        value if value >= 1e-3 => format!("{} ms", digits(value * 1e3)),
        value => format!("{} us", digits(value * 1e6)),
    }
}

/// A size in bytes as `1.23 MiB`, `45.6 KiB` or `789 B`.
pub fn bytes(value: f64) -> String {
    const UNITS: [(&str, f64); 3] = [("GiB", 1073741824.0), ("MiB", 1048576.0), ("KiB", 1024.0)];
    for (unit, size) in UNITS {
        if value.abs() >= size {
            return format!("{} {unit}", digits(value / size));
        }
    }
    format!("{value:.0} B")
}

/// A rate, per second, as `12.3 M/s`.
pub fn rate(value: f64) -> String {
    match value {
        value if value >= 1e6 => format!("{} M/s", digits(value / 1e6)),
        value if value >= 1e3 => format!("{} k/s", digits(value / 1e3)),
        value => format!("{}/s", digits(value)),
    }
}

/// A ratio, as `12.3x`.
pub fn ratio(value: f64) -> String {
    format!("{}x", digits(value))
}

/// A figure in the unit of its row: `s`, `ns`, `bytes`, `/s`, `MB/s`, `count` or any other word.
pub fn figure(value: f64, unit: &str) -> String {
    match unit {
        "s" => seconds(value),
        "ns" if value.abs() >= 1e3 => seconds(value / 1e9),
        "bytes" => bytes(value),
        "/s" => rate(value),
        "" | "count" if value.fract() == 0.0 => format!("{value:.0}"),
        "" | "count" => digits(value),
        unit => format!("{} {unit}", digits(value)),
    }
}

/// Three significant digits, never in exponent form.
pub fn digits(value: f64) -> String {
    match value.abs() {
        size if size >= 99.95 => format!("{value:.0}"),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_change_where_they_should() {
        assert_eq!(
            [seconds(83.25), seconds(1.0), seconds(0.0456), seconds(0.000_112)],
            ["83.2 s", "1.00 s", "45.6 ms", "112 us"]
        );
        assert_eq!(
            [bytes(12.0), bytes(1536.0), bytes(3.5e6), bytes(-2048.0)],
            ["12 B", "1.50 KiB", "3.34 MiB", "-2.00 KiB"]
        );
        assert_eq!([rate(65.4e6), rate(1234.0), rate(9.0)], ["65.4 M/s", "1.23 k/s", "9.00/s"]);
        assert_eq!(
            [figure(36.04, "ns"), figure(2217.0, "ns"), figure(9000.0, "MB/s"), figure(3.0, "count")],
            ["36.0 ns", "2.22 us", "9000 MB/s", "3"]
        );
        assert_eq!([digits(99.96), digits(9.996), digits(0.004)], ["100", "10.0", "0.00"]);
    }
}
