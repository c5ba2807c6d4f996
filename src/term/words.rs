//! Counts, sizes and quotations in messages.

use super::printable;
use std::borrow::Cow;
use std::fmt::Display;

/// `1 image`, `2 images`, `2 entries`.
pub fn counted(count: impl Count, noun: &str) -> String {
    format!("{count} {}", noun_for(count, noun))
}

/// `1 tool is`, `2 tools are`.
pub fn counted_are(count: impl Count, noun: &str) -> String {
    let verb = if is_one(count) { "is" } else { "are" };
    format!("{} {verb}", counted(count, noun))
}

/// A noun as its number wants it, where the number stands elsewhere.
pub fn noun_for(count: impl Count, noun: &str) -> Cow<'_, str> {
    match is_one(count) {
        true => Cow::Borrowed(noun),
        false => Cow::Owned(plural(noun)),
    }
}

/// A whole number of any width.
pub trait Count: Copy + Display + TryInto<u64> {}

impl<T: Copy + Display + TryInto<u64>> Count for T {}

fn is_one(count: impl Count) -> bool {
    count.try_into().is_ok_and(|count| count == 1)
}

/// A number with its thousands apart: `216,153`.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// A number of bytes: `929 B`, `1.2 kB`, `3.4 MB`.
pub fn size(bytes: u64) -> String {
    #[allow(clippy::cast_precision_loss)] // one digit is shown
    let count = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", count / 1e3),
        _ => format!("{:.1} MB", count / 1e6),
    }
}

/// The plural of a noun.
fn plural(noun: &str) -> String {
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
        _ if noun.ends_with(['s', 'x']) || noun.ends_with("ch") => format!("{noun}es"),
        _ => format!("{noun}s"),
    }
}

/// Characters of a value that a message quotes.
const QUOTED: usize = 60;

/// A string of the input as messages quote it: short, and safe to show.
pub fn quoted(text: &str) -> String {
    let (start, more) = start_of(text, QUOTED);
    let dots = if more { "…" } else { "" };
    format!("`{}{dots}`", printable(start))
}

/// The first characters of a text, with `…` behind them if there are more.
pub fn shortened(text: &str, characters: usize) -> Cow<'_, str> {
    match start_of(text, characters) {
        (start, true) => Cow::Owned(format!("{start}…")),
        (start, false) => Cow::Borrowed(start),
    }
}

/// The first characters of a text, and whether there are more.
fn start_of(text: &str, characters: usize) -> (&str, bool) {
    match text.char_indices().nth(characters) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

/// The name among `names` that `wanted` was most likely meant to be.
///
/// Two slips in a short name, one more for every eight letters of a longer one;
/// or a name that begins with what was given.
pub fn nearest<'n>(
    wanted: &str,
    names: impl IntoIterator<Item = &'n str>,
) -> Option<&'n str> {
    let most = 2 + wanted.len() / 8;
    names
        .into_iter()
        .map(|name| {
            let far = distance(wanted, name);
            let part = wanted.len() > 3 && name.contains(wanted);
            (if part { far.min(most) } else { far }, name)
        })
        .filter(|(far, _)| *far <= most)
        .min_by_key(|(far, _)| *far)
        .map(|(_, name)| name)
}

/// How many letters to put in, take out, change or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let change = last[j] + usize::from(x != y);
            let mut least = change.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i - 1] == *y && b[j - 1] == *x {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!(counted(1, "entry"), "1 entry");
        assert_eq!(counted(0, "entry"), "0 entries");
        assert_eq!(counted(2, "key"), "2 keys");
        assert_eq!(counted(3, "box"), "3 boxes");
        assert_eq!(counted(2, "branch"), "2 branches");
        assert_eq!(counted_are(1, "tool"), "1 tool is");
        assert_eq!(counted_are(0, "tool"), "0 tools are");
        assert_eq!(noun_for(1, "text"), "text");
        assert_eq!(noun_for(2, "text"), "texts");
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("äöü", 3), "äöü");
        assert_eq!(shortened("äöüß", 3), "äöü…");
    }

    #[test]
    fn thousands_stand_apart() {
        let shown = [0, 999, 1000, 216_153, 1_000_000].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "216,153", "1,000,000"]);
    }

    #[test]
    fn quotations_are_short_and_safe() {
        assert_eq!(quoted("a\n\u{202e}"), "`a\\n\\u{202e}`");
        assert_eq!(quoted(&"x".repeat(61)), format!("`{}…`", "x".repeat(60)));
        assert_eq!(quoted(&"x".repeat(60)), format!("`{}`", "x".repeat(60)));
    }

    #[test]
    fn a_slip_finds_its_name() {
        let names = ["ttl-order", "text-empty", "diff-system"];
        assert_eq!(nearest("ttl-oder", names), Some("ttl-order"));
        assert_eq!(nearest("text-epmty", names), Some("text-empty"));
        assert_eq!(nearest("system", names), Some("diff-system"));
        assert_eq!(nearest("quite-other", names), None);
    }
}
