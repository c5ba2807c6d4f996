//! What is to be masked in one string, and what it is replaced with.

use super::base64;
use super::find::Found;
use super::rules::Rules;
use super::{mask, walk};
use crate::json::Raw;
use std::ops::Range;

/// Base64 in base64, JSON in strings of JSON: looked into this often.
const DEPTH: usize = 3;

/// Characters of a key that are looked at together with its value.
const KEY: usize = 128;

/// A place in a string, and what goes there.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) with: String,
    /// The rules that found something there, with how often each did; behind base64
    /// there may be several.
    pub(super) rules: Vec<(String, bool)>,
}

/// What is to be masked in `text`, which stands under `key`. Many rules know a
/// secret by the name it is given; so the two are looked at together.
pub(super) fn edits(rules: &Rules, key: &[u8], text: &[u8], depth: usize) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    // Arguments are often JSON in a string: escaped once more, which no rule expects.
    if depth < DEPTH && looks_like_json(text) && Raw::parse(text).is_ok() {
        edits = walk::inside(rules, text, depth + 1);
    }
    for found in in_context(rules, key, text) {
        let range = whole_characters(text, escapes_kept(text, found.range));
        if range.is_empty() || meets(&edits, &range) {
            continue;
        }
        edits.push(Edit {
            range,
            with: mask(found.rule),
            rules: vec![(found.rule.to_owned(), false)],
        });
    }
    if depth == DEPTH {
        return edits;
    }
    let mut encoded = Vec::new();
    for run in base64::runs(text) {
        if meets(&edits, &run.range) {
            continue;
        }
        // What a key says of its value holds where the value is base64 as a whole.
        let key = if run.range == (0..text.len()) {
            key
        } else {
            b""
        };
        let inner = self::edits(rules, key, run.text.as_bytes(), depth + 1);
        if inner.is_empty() {
            continue;
        }
        encoded.push(Edit {
            with: run.encode(&applied(&run.text, &inner)),
            rules: inner
                .into_iter()
                .flat_map(|edit| edit.rules)
                .map(|(rule, _)| (rule, true))
                .collect(),
            range: run.range,
        });
    }
    edits.append(&mut encoded);
    edits.sort_by_key(|edit| edit.range.start);
    edits
}

fn meets(edits: &[Edit], range: &Range<usize>) -> bool {
    let meets =
        |edit: &Edit| edit.range.start < range.end && range.start < edit.range.end;
    edits.iter().any(meets)
}

fn looks_like_json(text: &[u8]) -> bool {
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
}

fn in_context<'r>(rules: &'r Rules, key: &[u8], text: &[u8]) -> Vec<Found<'r>> {
    if key.is_empty() || key.len() > KEY {
        return rules.find(text);
    }
    let mut line = Vec::with_capacity(key.len() + text.len() + 6);
    line.push(b'"');
    line.extend_from_slice(key);
    line.extend_from_slice(b"\":\"");
    let shift = line.len();
    line.extend_from_slice(text);
    line.push(b'"');
    let end = shift + text.len();
    let inside = |mut found: Found<'r>| {
        let range = found.range.start.max(shift)..found.range.end.min(end);
        found.range = range.start.checked_sub(shift)?..range.end.checked_sub(shift)?;
        (!found.range.is_empty()).then_some(found)
    };
    rules.find(&line).into_iter().filter_map(inside).collect()
}

/// A secret in JSON that stands in a string neither begins nor ends inside an
/// escape, or the JSON would be none any more.
fn escapes_kept(text: &[u8], mut range: Range<usize>) -> Range<usize> {
    if !looks_like_json(text) {
        return range;
    }
    let slashes =
        |before: &[u8]| before.iter().rev().take_while(|b| **b == b'\\').count();
    if slashes(&text[..range.start]) % 2 == 1 {
        range.start += 1;
    }
    if range.end < text.len()
        && slashes(&text[range.start.min(range.end)..range.end]) % 2 == 1
    {
        range.end -= 1;
    }
    range.start.min(range.end)..range.end
}

/// The patterns look at bytes; a character is masked whole.
fn whole_characters(text: &[u8], mut range: Range<usize>) -> Range<usize> {
    let inside = |at: usize| text.get(at).is_some_and(|byte| byte & 0xc0 == 0x80);
    while range.start > 0 && inside(range.start) {
        range.start -= 1;
    }
    while inside(range.end) {
        range.end += 1;
    }
    range
}

/// A text with its secrets masked.
pub(super) fn masked(rules: &Rules, text: &str) -> String {
    applied(text, &edits(rules, b"", text.as_bytes(), 0))
}

fn applied(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.range.start).unwrap_or_default());
        out.push_str(&edit.with);
        at = edit.range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// Where places of a decoded string stand in the string as written, in order. `at`
/// has to be in order, too.
pub(super) fn written(raw: &[u8], at: &[usize]) -> Vec<usize> {
    let mut places = Vec::with_capacity(at.len());
    let (mut from, mut to) = (0, 0);
    for &wanted in at {
        while to < wanted && from < raw.len() {
            let (used, meant) = step(&raw[from..]);
            from += used;
            to += meant;
        }
        places.push(from.min(raw.len()));
    }
    places
}

/// How many bytes the first character takes as written, and decoded.
fn step(raw: &[u8]) -> (usize, usize) {
    if raw[0] != b'\\' {
        return (1, 1);
    }
    if raw.get(1) != Some(&b'u') {
        return (2, 1);
    }
    let unit = |at: usize| {
        let digits = std::str::from_utf8(raw.get(at..at + 4)?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    let first = unit(2).unwrap_or(0xfffd);
    let pair = (0xd800..0xdc00).contains(&first)
        && raw.get(6..8) == Some(b"\\u")
        && unit(8).is_some_and(|second| (0xdc00..0xe000).contains(&second));
    match pair {
        true => (12, 4),
        // Half a pair is decoded as U+FFFD, which takes three bytes.
        false => (6, char::from_u32(first).map_or(3, char::len_utf8)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_behind_escapes() {
        let raw = br"a\n\u00e9\ud83d\ude00\ud800z";
        assert_eq!(
            written(raw, &[0, 1, 2, 4, 8, 11, 12]),
            [0, 1, 3, 9, 21, 27, 28]
        );
    }

    #[test]
    fn json_in_a_string_stays_json() {
        let text = br#"{"a":"x\""}"#;
        assert_eq!(escapes_kept(text, 6..8), 6..7);
        assert_eq!(escapes_kept(text, 8..9), 9..9);
        assert_eq!(escapes_kept(br"C:\x", 3..4), 3..4);
    }
}
