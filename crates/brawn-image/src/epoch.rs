use std::time::{Duration, UNIX_EPOCH};

use crate::Error;

/// The time that an image says it was made at: `SOURCE_DATE_EPOCH`, or the beginning of 1970, so that the same input
/// gives the same digest whenever it is put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Epoch {
    /// Seconds since the beginning of 1970, UTC.
    pub seconds: u64,
}

/// The last second of the year 9999, after which RFC 3339 has no more digits.
const LAST: u64 = 253_402_300_799;

impl Epoch {
    /// The value of `SOURCE_DATE_EPOCH`, or 0 if there is none.
    pub fn from_variable(value: Option<&str>) -> Result<Epoch, Error> {
        let Some(text) = value else { return Ok(Epoch::default()) };
        match text.parse() {
            Ok(seconds) if seconds <= LAST => Ok(Epoch { seconds }),
            _ => Err(Error::setting(
                format!("SOURCE_DATE_EPOCH is '{text}', which is no number of seconds since 1970"),
                "set it to what `git log -1 --format=%ct` prints, or unset it",
            )),
        }
    }

    /// As RFC 3339 has it: `1970-01-01T00:00:00Z`.
    pub fn rfc3339(self) -> String {
        const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
        // `Thu, 01 Jan 1970 00:00:00 GMT`: every part has its place.
        let date = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(self.seconds.min(LAST)));
        let month = MONTHS.find(&date[8..11]).expect("months have these names") / 3 + 1;
        format!("{}-{month:02}-{}T{}Z", &date[12..16], &date[5..7], &date[17..25])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_date_writes_them() {
        // `date -u -d @N +%FT%TZ`
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_164_799, "2024-02-28T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (LAST, "9999-12-31T23:59:59Z"),
        ] {
            assert_eq!(Epoch { seconds }.rfc3339(), text);
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        assert_eq!(Epoch::from_variable(None).unwrap().seconds, 0);
        assert_eq!(Epoch::from_variable(Some("1700000000")).unwrap().seconds, 1_700_000_000);
        for wrong in ["", "-1", "yesterday", "253402300800"] {
            assert!(Epoch::from_variable(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
