//! Where two JSON strings part, in characters and in bytes of the input.
//!
//! Strings are compared by their meaning: `\u00e9` and `é` are one text. What a
//! mask matches ([`Masks`]) is set aside in both, however long it is. Offsets
//! count Unicode scalar values of the decoded string (`docs/commands.md`); bytes
//! count from the opening quote of the string as written.

use crate::error::{Error, ErrorKind};
use crate::json::Text;
use regex::Regex;
use std::ops::Range;

/// Patterns whose matches are set aside (`--mask`).
#[derive(Debug, Clone, Default)]
pub(crate) struct Masks(Vec<Regex>);

impl Masks {
    /// Compiles the patterns.
    ///
    /// # Errors
    ///
    /// A pattern is no regular expression.
    pub(crate) fn new(patterns: &[impl AsRef<str>]) -> Result<Self, Error> {
        let compile = |pattern: &str| {
            Regex::new(pattern).map_err(|error| {
                let text = error.to_string();
                let line = text.lines().last().unwrap_or_default();
                let text = format!("`{pattern}` is no regular expression: {line}");
                Error::new(ErrorKind::Usage, "mask", text)
            })
        };
        patterns
            .iter()
            .map(|pattern| compile(pattern.as_ref()))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether nothing is masked.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The parts of a text that are set aside, in order, none touching another.
    fn find(&self, text: &str) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = self
            .0
            .iter()
            .flat_map(|mask| mask.find_iter(text).map(|hit| hit.range()))
            .filter(|hit| !hit.is_empty())
            .collect();
        found.sort_by_key(|hit| hit.start);
        found.dedup_by(|next, last| {
            let touches = next.start <= last.end;
            if touches {
                last.end = last.end.max(next.end);
            }
            touches
        });
        found
    }

    /// The parts of a text that are kept.
    pub(crate) fn kept<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let mut parts = Vec::new();
        let mut from = 0;
        for hit in self.find(text) {
            parts.push(&text[from..hit.start]);
            from = hit.end;
        }
        parts.push(&text[from..]);
        parts
    }
}

/// What comparing two strings gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compared {
    /// They are written alike.
    Same,
    /// They mean the same, and are spelled with other escapes.
    Spelled,
    /// They are the same but for what is masked.
    Masked,
    /// They differ.
    Differs(Part),
}

/// The place where two strings part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// Characters before it in the first string.
    pub(crate) offset: usize,
    /// Bytes before it in the first string as written, from its opening quote.
    pub(crate) at_a: usize,
    /// The same in the second string.
    pub(crate) at_b: usize,
}

/// Compares two strings.
pub(crate) fn compare(a: Text<'_>, b: Text<'_>, masks: &Masks) -> Compared {
    if a.escaped() == b.escaped() {
        return Compared::Same;
    }
    let (left, right) = (a.decode(), b.decode());
    let (mut from_a, mut from_b) = (0, 0);
    if !masks.is_empty() {
        let (kept_a, kept_b) = (masks.kept(&left), masks.kept(&right));
        if kept_a == kept_b {
            return match left == right {
                true => Compared::Spelled,
                false => Compared::Masked,
            };
        }
        // The first kept parts that differ tell where to look.
        let parts = kept_a.iter().zip(&kept_b);
        let same = parts.take_while(|(one, other)| one == other).count();
        let start = |kept: &[&str], text: &str| {
            kept.get(same).map_or(text.len(), |part| {
                (part.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize)
            })
        };
        (from_a, from_b) = (start(&kept_a, &left), start(&kept_b, &right));
    }
    let (rest_a, rest_b) = (&left[from_a..], &right[from_b..]);
    let common = common_prefix(rest_a, rest_b);
    if common == rest_a.len() && common == rest_b.len() && masks.is_empty() {
        return Compared::Spelled;
    }
    let (end_a, end_b) = (from_a + common, from_b + common);
    Compared::Differs(Part {
        offset: left[..end_a].chars().count(),
        at_a: 1 + written(a, end_a),
        at_b: 1 + written(b, end_b),
    })
}

/// The length in bytes of what two texts begin with alike, in whole characters.
pub(crate) fn common_prefix(a: &str, b: &str) -> usize {
    let mut common = common_bytes(a.as_bytes(), b.as_bytes());
    while !(a.is_char_boundary(common) && b.is_char_boundary(common)) {
        common -= 1;
    }
    common
}

/// Whether two slices hold the same; at once where they are one.
pub(crate) fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && (std::ptr::eq(a, b) || a == b)
}

/// The length of what two slices begin with alike.
pub(crate) fn common_bytes(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 256;
    let most = a.len().min(b.len());
    let mut at = 0;
    while at + BLOCK <= most && a[at..at + BLOCK] == b[at..at + BLOCK] {
        at += BLOCK;
    }
    let rest = a[at..most].iter().zip(&b[at..most]);
    at + rest.take_while(|(one, other)| one == other).count()
}

/// The bytes, as written, that the first `meant` bytes of the meaning take.
fn written(text: Text<'_>, meant: usize) -> usize {
    places(text, &[meant])[0]
}

/// Where, in a string as written, each of the sorted `places` of its meaning
/// stands; one pass for all of them.
fn places(text: Text<'_>, places: &[usize]) -> Vec<usize> {
    let bytes = text.escaped();
    let (mut pos, mut have) = (0, 0);
    let mut out = Vec::with_capacity(places.len());
    for &place in places {
        while have < place && pos < bytes.len() {
            let rest = &bytes[pos..];
            let (long, held) = match memchr::memchr(b'\\', rest) {
                Some(0) => escape(rest),
                found => {
                    let plain = found.unwrap_or(rest.len());
                    let step = plain.min(place - have);
                    (step, step)
                }
            };
            pos += long;
            have += held;
        }
        out.push(pos.min(bytes.len()));
    }
    out
}

/// The length of the escape at the start of `bytes`, and of what it means.
fn escape(bytes: &[u8]) -> (usize, usize) {
    let code = |at: usize| {
        let digits = bytes.get(at..at + 4)?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    match bytes.get(1) {
        Some(b'u') => match (code(2), bytes.get(6..8), code(8)) {
            (Some(0xd800..0xdc00), Some(b"\\u"), Some(0xdc00..0xe000)) => (12, 4),
            (Some(code), ..) => {
                (6, char::from_u32(code).unwrap_or('\u{fffd}').len_utf8())
            }
            (None, ..) => (6, 3),
        },
        _ => (2, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Raw;

    fn text(source: &str) -> Text<'_> {
        Raw::checked(source.as_bytes()).as_text().expect("a string")
    }

    fn with(a: &str, b: &str, masks: &[&str]) -> Compared {
        let masks: Vec<String> = masks.iter().map(|&mask| mask.to_owned()).collect();
        compare(text(a), text(b), &Masks::new(&masks).expect("patterns"))
    }

    #[test]
    fn strings_part_at_a_character_and_at_a_byte() {
        let part = |offset, at_a, at_b| Compared::Differs(Part { offset, at_a, at_b });
        assert_eq!(with(r#""abc""#, r#""abd""#, &[]), part(2, 3, 3));
        assert_eq!(with(r#""abc""#, r#""ab""#, &[]), part(2, 3, 3));
        assert_eq!(with(r#""é\nx""#, r#""\u00e9\ny""#, &[]), part(2, 5, 9));
        assert_eq!(with(r#""\ud83d\ude00x""#, r#""😀y""#, &[]), part(1, 13, 5));
        assert_eq!(with(r#""\u00e9""#, r#""é""#, &[]), Compared::Spelled);
        // Two characters that share their first byte.
        assert_eq!(with(r#""é""#, r#""è""#, &[]), part(0, 1, 1));
    }

    #[test]
    fn what_is_masked_is_set_aside_whatever_its_length() {
        let mask = ["cch=[0-9a-f]+"];
        assert_eq!(
            with(r#""a cch=12; b""#, r#""a cch=345; b""#, &mask),
            Compared::Masked
        );
        assert_eq!(
            with(r#""a cch=12; b""#, r#""a cch=345; c""#, &mask),
            Compared::Differs(Part {
                offset: 10,
                at_a: 11,
                at_b: 12
            })
        );
        assert!(Masks::new(&["(".to_owned()]).is_err());
    }
}
