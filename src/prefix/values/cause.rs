//! Why a text changed, as far as the text tells.
//!
//! A guess by form, not by meaning: the word at the place where two texts part is
//! looked at on both sides. A time of day or a date is a clock, two numbers close
//! to each other a counter, a run of hexadecimal digits, or of letters and digits
//! mixed, behind `=` or `:` an id made anew.

use super::differ::{Change, Difference};
use super::digest::{self, Manner};
use super::file;
use super::text::{Masks, common_prefix};
use super::zone::Zone;
use crate::json::{Kind, Raw};
use crate::prefix::report::Cause;

/// Why the value at a difference changed.
pub(crate) fn of(found: &Difference<'_>) -> Cause {
    match found.change {
        Change::Added => return Cause::Added,
        Change::Removed if is_reasoning(&found.path) => return Cause::ReasoningLeftOut,
        Change::Removed => return Cause::Removed,
        Change::KeyOrder => return Cause::KeyOrder,
        Change::Edited => {}
    }
    let (Some(a), Some(b)) = (found.a, found.b) else {
        return Cause::Edited;
    };
    match (a.as_str(), b.as_str()) {
        (Some(a), Some(b)) if file::is(&found.path, &a, &b) => file::cause(&a, &b),
        (Some(a), Some(b)) => of_texts(&a, &b),
        _ if a.kind() == Kind::Number && b.kind() == Kind::Number => Cause::Edited,
        _ => Cause::Edited,
    }
}

/// Whether a path ends at a member that holds reasoning, beside the answer's text.
fn is_reasoning(path: &str) -> bool {
    const KEYS: [&str; 6] = [
        "/reasoning_content",
        "/reasoning",
        "/reasoning_details",
        "/thinking",
        "/thoughtSignature",
        "/encrypted_content",
    ];
    KEYS.iter().any(|key| path.ends_with(key))
}

/// Why one text became another.
pub(crate) fn of_texts(a: &str, b: &str) -> Cause {
    if embedded(a, b) {
        return match squeezed(a).eq(squeezed(b)) {
            true => Cause::Whitespace,
            false => Cause::KeyOrder,
        };
    }
    if squeezed(a).eq(squeezed(b)) {
        return Cause::Whitespace;
    }
    let common = common_prefix(a, b);
    if truncated(a, b, common) {
        return Cause::Truncated;
    }
    if holds_json(a) && holds_json(b) {
        return Cause::Edited;
    }
    let (word_a, word_b) = (word(a, common), word(b, common));
    let (ends_a, ends_b) = (a.len(), b.len());
    if common == ends_a || common == ends_b {
        // One text goes on where the other ends, unless both end in a word.
        if word_a.is_empty() || word_b.is_empty() {
            return Cause::Edited;
        }
    }
    if is_clock(word_a) && is_clock(word_b) {
        return Cause::Clock;
    }
    if is_age(a, common) && is_age(b, common) {
        return Cause::Clock;
    }
    if glued_id(a, b, common) {
        return Cause::RandomId;
    }
    of_words(a, common, core(word_a), core(word_b))
}

fn of_words(a: &str, common: usize, word_a: &str, word_b: &str) -> Cause {
    let digits =
        |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    if digits(word_a) && digits(word_b) {
        let epoch =
            |word: &str| matches!(word.len(), 10 | 13 | 16) && word.starts_with('1');
        if epoch(word_a) && epoch(word_b) {
            return Cause::Clock;
        }
        if let (Ok(one), Ok(other)) = (word_a.parse::<u64>(), word_b.parse::<u64>())
            && one.abs_diff(other) <= 1000
        {
            return Cause::Counter;
        }
    }
    let start = a[..common].len()
        - a[..common]
            .bytes()
            .rev()
            .take_while(|byte| is_id(*byte))
            .count();
    let before = a[..start].trim_end_matches(['"', '\'', ' ', '/', '\\']);
    let keyed = before.ends_with(['=', ':']);
    let named = word_a.split_once(['_', '-']).is_some_and(|(name, id)| {
        name.len() >= 2 && id.len() >= 8 && !id.contains(['-', '_']) && made(id)
    });
    let anew = |word: &str| made(word) && (keyed || named || is_uuid(word));
    match anew(word_a) && made(word_b) && word_a != word_b {
        true => Cause::RandomId,
        false => Cause::Edited,
    }
}

/// Whether the number at `at` is an age: one with a unit, as `4m` or `3 minutes ago`.
fn is_age(text: &str, at: usize) -> bool {
    const UNITS: [&str; 25] = [
        "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "minute",
        "minutes", "h", "hr", "hrs", "hour", "hours", "d", "day", "days", "w", "week",
        "weeks", "month", "months", "year", "years",
    ];
    let bytes = text.as_bytes();
    let digits = |part: &[u8]| part.iter().take_while(|b| b.is_ascii_digit()).count();
    let before = bytes[..at].iter().rev();
    let before = before.take_while(|b| b.is_ascii_digit()).count();
    let end = at + digits(&bytes[at..]);
    let start = at - before;
    let glued = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    if end == start || start > 0 && glued(bytes.get(start - 1)) {
        return false;
    }
    let rest = &text[end..];
    let apart = rest.starts_with(' ');
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let unit = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (unit, behind) = rest.split_at(unit);
    let behind = behind.trim_start().to_ascii_lowercase();
    let past = ["ago", "old", "earlier"]
        .iter()
        .any(|word| behind.starts_with(word));
    UNITS.contains(&unit.to_ascii_lowercase().as_str())
        && (past || !apart && unit.len() < 4)
}

/// Whether both texts have an id at the place where they part that is glued to
/// other words, as in a file's name.
fn glued_id(a: &str, b: &str, common: usize) -> bool {
    let (one, other) = (run(a, common), run(b, common));
    let uuid = |text: &str| {
        let ends = text.len().checked_sub(36).map_or(0, |last| last + 1);
        (0..ends).any(|at| text.get(at..at + 36).is_some_and(is_uuid))
    };
    if uuid(one) && uuid(other) {
        return true;
    }
    let from = common - one_start(a, common);
    let part = |run: &'_ str| -> String {
        let from = from.min(run.len());
        let start = run[..from].rfind(['_', '-']).map_or(0, |at| at + 1);
        let end = run[from..]
            .find(['_', '-'])
            .map_or(run.len(), |at| from + at);
        run[start.min(end)..end].to_owned()
    };
    let long = |part: &str| {
        part.len() >= 8 && made(part) && part.bytes().any(|byte| byte.is_ascii_digit())
    };
    let (one_part, other_part) = (part(one), part(other));
    let glued = |run: &str, part: &str| run.len() > part.len();
    long(&one_part)
        && long(&other_part)
        && one_part != other_part
        && one_part.bytes().any(|byte| byte.is_ascii_alphabetic())
        && glued(one, &one_part)
        && glued(other, &other_part)
}

/// Where the run of an id's bytes around `at` begins.
fn one_start(text: &str, at: usize) -> usize {
    let before = text.as_bytes()[..at].iter().rev();
    at - before.take_while(|byte| is_id(**byte)).count()
}

/// The run of an id's bytes around `at`.
fn run(text: &str, at: usize) -> &str {
    let behind = text.as_bytes()[at..].iter();
    let behind = behind.take_while(|byte| is_id(**byte)).count();
    text.get(one_start(text, at)..at + behind)
        .unwrap_or_default()
}

/// Whether a word looks made, not written.
fn made(word: &str) -> bool {
    let plain: Vec<u8> = word.bytes().filter(|b| !matches!(b, b'-' | b'_')).collect();
    let hex = plain.iter().all(u8::is_ascii_hexdigit);
    let letters = plain.iter().any(u8::is_ascii_alphabetic);
    let digits = plain.iter().any(u8::is_ascii_digit);
    plain.len() >= 4
        && plain.iter().all(u8::is_ascii_alphanumeric)
        && (hex || letters && digits)
}

fn is_uuid(word: &str) -> bool {
    let parts: Vec<usize> = word.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && made(word)
}

fn is_id(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// A word of an id, without what only times hold.
fn core(word: &str) -> &str {
    let kept = |c: char| c.is_ascii() && is_id(c as u8);
    let from = word.rfind([':', '.', '+']).map_or(0, |at| at + 1);
    match word[from..].is_empty() {
        true => word.trim_end_matches(|c| !kept(c)),
        false => &word[from..],
    }
}

/// The word that holds the byte at `at`, or ends there.
fn word(text: &str, at: usize) -> &str {
    let holds = |byte: &u8| is_id(*byte) || matches!(byte, b':' | b'.' | b'+');
    let bytes = text.as_bytes();
    let before = bytes[..at]
        .iter()
        .rev()
        .take_while(|byte| holds(byte))
        .count();
    let behind = bytes[at..].iter().take_while(|byte| holds(byte)).count();
    // Only ASCII was counted, so both ends are characters' ends.
    text.get(at - before..at + behind).unwrap_or_default()
}

const NAMES: [&str; 19] = [
    "mon", "tue", "wed", "thu", "fri", "sat", "sun", "jan", "feb", "mar", "apr", "may",
    "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

const LONG: [&str; 19] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// Whether a word is a time of day, a date, or the name of a day or month.
fn is_clock(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ':', '-', '+']);
    let bytes = word.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let time = bytes.iter().enumerate().any(|(at, byte)| {
        *byte == b':' && at > 0 && digit(at - 1) && digit(at + 1) && digit(at + 2)
    });
    let date = bytes.windows(10).any(|part| {
        part.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
    });
    let lower = word.to_ascii_lowercase();
    time || date || NAMES.contains(&lower.as_str()) || LONG.contains(&lower.as_str())
}

/// Whether the end of a text was cut off, with or without a word about it.
fn truncated(a: &str, b: &str, common: usize) -> bool {
    if common == b.len() {
        return common < a.len() && common > 0;
    }
    let said = &b[common..];
    let told = ["truncat", "…", "...", "omitted", "cut off"];
    b.len() < a.len()
        && said.len() <= 200
        && common > said.len()
        && told
            .iter()
            .any(|word| said.to_ascii_lowercase().contains(word))
}

fn squeezed(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|c| !c.is_whitespace())
}

/// Whether a text looks like a JSON object or array.
fn holds_json(text: &str) -> bool {
    let text = text.trim().as_bytes();
    matches!(
        (text.first(), text.last()),
        (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']'))
    )
}

/// Whether two texts hold the same JSON value.
fn embedded(a: &str, b: &str) -> bool {
    if !(holds_json(a) && holds_json(b)) {
        return false;
    }
    let masks = Masks::default();
    let manner = Manner {
        ordered: false,
        loose: false,
        masks: &masks,
    };
    let digest = |text: &str| {
        let raw = Raw::parse(text.as_bytes()).ok()?;
        Some(digest::digest(raw, Zone::Inside, manner))
    };
    digest(a).is_some_and(|one| digest(b) == Some(one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_tell_why_they_changed() {
        use Cause::*;
        for (a, b, cause) in [
            (
                "Now: 2026-03-09 18:00:31",
                "Now: 2026-03-09 18:00:32",
                Clock,
            ),
            ("is 15:09:20.\nYou", "is 15:09:34.\nYou", Clock),
            ("Today is 2026-10-01.", "Today is 2026-10-02.", Clock),
            ("It is Tuesday.", "It is Wednesday.", Clock),
            ("ts 1767225600", "ts 1767225661", Clock),
            ("v=2.1; cch=36ee5;", "v=2.1; cch=0aaa9;", RandomId),
            ("id: 8f14e45fceea", "id: c9f0f895fb98", RandomId),
            (
                "session 123e4567-e89b-12d3-a456-426614174000",
                "session 923e4567-e89b-12d3-a456-426614174000",
                RandomId,
            ),
            ("req_011CabcDEF12 x", "req_011CabcDEF99 x", RandomId),
            ("(snapshot 4m old)", "(snapshot 5m old)", Clock),
            ("(snapshot 9m old)", "(snapshot 10m old)", Clock),
            ("seen 3 minutes ago", "seen 4 minutes ago", Clock),
            ("wait 3 days", "wait 4 days", Counter),
            (
                "see /tmp/cfg-3f1c2a88-90ab-4d11-8e77-0c1d2e3f4a5b.json",
                "see /tmp/cfg-7b22d0c4-1f00-4a9e-b3c5-55aa66bb77cc.json",
                RandomId,
            ),
            (
                "in result_3f9a1c27bd.txt",
                "in result_77ab01c9de.txt",
                RandomId,
            ),
            (
                "the claude-opus-4-6 model",
                "the claude-opus-4-7 model",
                Edited,
            ),
            ("(3 left)", "(2 left)", Counter),
            ("step 9 of", "step 10 of", Counter),
            ("do it\n", "do it", Whitespace),
            ("a b", "a\n b", Whitespace),
            (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, KeyOrder),
            (r#"{"a":1}"#, r#"{"a": 1}"#, Whitespace),
            ("a long result of some kind", "a long result", Truncated),
            (
                "a long result of some kind or other",
                "a long result… [truncated]",
                Edited,
            ),
            ("Reads a file", "Reads a file (3 left)", Edited),
            ("Mode: fast", "Mode: slow", Edited),
            ("S", "S. Today is Tuesday", Edited),
            ("", "x", Edited),
            ("m1", "m3", Edited),
            ("é", "è", Edited),
        ] {
            assert_eq!(of_texts(a, b), cause, "{a:?} {b:?}");
        }
        let long = "x".repeat(500);
        let cut = format!("{}... [truncated]", &long[..100]);
        assert_eq!(of_texts(&long, &cut), Truncated);
    }
}
