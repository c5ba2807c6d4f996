//! The two spellings of time in stored entries (`docs/formats.md#timestamps`).

/// A moment, comparable; consulted for compaction precedence and display only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Seconds since the Unix epoch, UTC.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
}

impl Timestamp {
    /// Reads `YYYY-MM-DD HH:MM:SS[.f]` (UTC) or RFC 3339 with an offset.
    ///
    /// The calendar is checked (29 February in any year); leap seconds are not
    /// known to JP and refused.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let number = |from: usize, to: usize| -> Option<i64> {
            let digits = bytes.get(from..to)?;
            digits
                .iter()
                .all(u8::is_ascii_digit)
                .then(|| digits.iter().fold(0, |n, d| n * 10 + i64::from(d - b'0')))
        };
        let punctuation = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
        if punctuation
            .iter()
            .any(|&(at, want)| bytes.get(at) != Some(&want))
        {
            return None;
        }
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) =
            (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        let month_days = match month {
            2 => 29,
            4 | 6 | 9 | 11 => 30,
            1..=12 => 31,
            _ => return None,
        };
        if !(1..=month_days).contains(&day) || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let mut rest = &bytes[19..];
        let mut nanos = 0;
        if let [b'.', fraction @ ..] = rest {
            let digits = fraction.iter().take_while(|b| b.is_ascii_digit()).count();
            // Only RFC 3339 has no limit; what is finer than a nanosecond is cut.
            if digits == 0 || (digits > 9 && digits == fraction.len()) {
                return None;
            }
            nanos = fraction[..digits]
                .iter()
                .chain([b'0'; 9].iter())
                .take(9)
                .fold(0, |n, digit| n * 10 + u32::from(digit - b'0'));
            rest = &fraction[digits..];
        }
        let offset = match (bytes[10], rest) {
            (b' ', []) | (b' ' | b'T' | b't', [b'Z' | b'z']) => 0,
            (b' ' | b'T' | b't', [sign @ (b'+' | b'-'), zone @ ..]) => {
                minutes(zone)? * 60 * if *sign == b'-' { -1 } else { 1 }
            }
            _ => return None,
        };
        let seconds = days_from_civil(year, month, day) * 86_400
            + hour * 3600
            + minute * 60
            + second
            - offset;
        Some(Self { seconds, nanos })
    }

    /// The moment `deciseconds` tenths of a second after the Unix epoch: the
    /// time that a conversation's id names.
    pub fn from_deciseconds(deciseconds: u64) -> Option<Self> {
        Some(Self {
            seconds: i64::try_from(deciseconds / 10).ok()?,
            nanos: u32::try_from(deciseconds % 10).ok()? * 100_000_000,
        })
    }

    /// RFC 3339 in UTC, with as many digits of a second as needed.
    pub fn to_rfc3339(self) -> String {
        let days = self.seconds.div_euclid(86_400);
        let time = self.seconds.rem_euclid(86_400);
        let (year, month, day) = civil_from_days(days);
        let mut text = format!(
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}",
            time / 3600,
            time / 60 % 60,
            time % 60
        );
        if self.nanos != 0 {
            let digits = format!("{:09}", self.nanos);
            text.push('.');
            text.push_str(digits.trim_end_matches('0'));
        }
        text.push('Z');
        text
    }
}

/// `HH:MM` as minutes.
fn minutes(zone: &[u8]) -> Option<i64> {
    let &[h1, h2, b':', m1, m2] = zone else {
        return None;
    };
    let digit = |b: u8| b.is_ascii_digit().then(|| i64::from(b - b'0'));
    let hours = digit(h1)? * 10 + digit(h2)?;
    let minutes = digit(m1)? * 10 + digit(m2)?;
    (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)
}

/// Days since 1970-01-01 of a proleptic Gregorian date.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day since 1970-01-01.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = (shifted_month + 2) % 12 + 1;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_name_the_same_moment() {
        let stored = Timestamp::parse("2026-05-29 19:42:36.46732").expect("stored");
        let rfc = Timestamp::parse("2026-05-29T21:42:36.467320+02:00").expect("rfc");
        assert_eq!(stored, rfc);
        assert_eq!(stored.to_rfc3339(), "2026-05-29T19:42:36.46732Z");
        assert_eq!(
            Timestamp::from_deciseconds(17_800_836_875).map(Timestamp::to_rfc3339),
            Some("2026-05-29T19:41:27.5Z".to_owned())
        );
        let epoch = Timestamp::parse("1969-12-31 23:59:59").expect("before the epoch");
        assert_eq!(
            (epoch.seconds, epoch.to_rfc3339().as_str()),
            (-1, "1969-12-31T23:59:59Z")
        );
    }

    #[test]
    fn what_no_clock_shows_is_refused() {
        for text in [
            "",
            "2026-05-29",
            "2026-13-01 00:00:00",
            "2026-02-30 00:00:00",
            "2026-04-31 00:00:00",
            "2026-01-01 24:00:00",
            "2026-01-01 00:00:60",
            "2026-01-01 00:00:00.",
            "2026-01-01 00:00:00.1234567890",
            "2026-01-01T00:00:00",
            "2026-01-01T00:00:00+0200",
            "2026-01-01 00:00:00 ",
            "2026-01-01T00:00:00+24:00",
            "2026-1-01 00:00:00",
        ] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }
}
