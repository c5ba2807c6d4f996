//! Timestamps (2.1) as instants that can be compared.

/// Seconds since year 0, and the fraction's digits without trailing zeros.
pub(super) type Instant = (i64, String);

/// The instant a timestamp names; `None` if it is neither of the two forms.
pub(super) fn instant(text: &str) -> Option<Instant> {
    let (clock, rest) = (text.get(..19)?, text.get(19..)?);
    let shape: String = clock
        .chars()
        .map(|c| if c.is_ascii_digit() { '0' } else { c })
        .collect();
    let space = shape == "0000-00-00 00:00:00";
    if !space && !["0000-00-00T00:00:00", "0000-00-00t00:00:00"].contains(&&*shape) {
        return None;
    }
    let field = |at: usize, width: usize| clock[at..at + width].parse::<i64>().ok();
    let (year, month, day) = (field(0, 4)?, field(5, 2)?, field(8, 2)?);
    let (hour, minute, second) = (field(11, 2)?, field(14, 2)?, field(17, 2)?);
    if !(1..=12).contains(&month) || !(1..=longest(month)).contains(&day) {
        return None;
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let (fraction, offset) = match rest.strip_prefix('.') {
        None => ("", rest),
        Some(rest) => {
            let end = rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
            if end == 0 {
                return None;
            }
            rest.split_at(end)
        }
    };
    let east = match offset {
        "" if space && fraction.len() <= 9 => 0,
        "" => return None,
        "Z" | "z" => 0,
        _ => offset_seconds(offset)?,
    };
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    Some((seconds - east, fraction.trim_end_matches('0').to_owned()))
}

fn offset_seconds(text: &str) -> Option<i64> {
    let sign = match text.get(..1)? {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    if text.len() != 6 || text.get(3..4)? != ":" {
        return None;
    }
    let number = |part: &str| {
        let digits = part.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| part.parse::<i64>().ok()).flatten()
    };
    let (hours, minutes) = (number(text.get(1..3)?)?, number(text.get(4..6)?)?);
    (hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes) * 60)
}

fn longest(month: i64) -> i64 {
    match month {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days from the first day of year 0, counted year by year and month by month.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let years: i64 = (0..year).map(|y| if leap(y) { 366 } else { 365 }).sum();
    let months: i64 = (1..month)
        .map(|m| {
            if m == 2 && !leap(year) {
                28
            } else {
                longest(m)
            }
        })
        .sum();
    years + months + day - 1
}
