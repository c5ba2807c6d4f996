//! The lines of a session file, each one JSON object or broken.
//!
//! Lines are the unit, for writers append whole lines and nothing is flushed: the
//! last one may be cut. A line that holds several values is split by nesting.

use crate::json::raw::Fields;
use crate::json::{Kind, Progress, Raw, Scanner, Text};

/// One value of a session file.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    /// The line, counted from 1.
    pub(super) number: usize,
    /// Byte of the file where it starts.
    pub(super) offset: usize,
    /// The value, or the bytes that are none.
    pub(super) value: Value<'a>,
}

/// What a line holds.
#[derive(Debug, Clone)]
pub(super) enum Value<'a> {
    /// One object: whole, and by member.
    Object(Raw<'a>, Fields<'a>),
    /// Anything else, with whether the file ends in the middle of it.
    Broken { bytes: &'a [u8], cut: bool },
}

impl<'a> Line<'a> {
    /// The last member of that name.
    pub(super) fn get(&self, key: &str) -> Option<Raw<'a>> {
        match &self.value {
            Value::Object(_, fields) => field(fields, key),
            Value::Broken { .. } => None,
        }
    }

    /// The string under that name, as written.
    pub(super) fn text(&self, key: &str) -> Option<Text<'a>> {
        self.get(key).and_then(Raw::as_text)
    }

    /// The whole object.
    pub(super) fn raw(&self) -> Option<Raw<'a>> {
        match &self.value {
            Value::Object(raw, _) => Some(*raw),
            Value::Broken { .. } => None,
        }
    }

    /// Its members.
    pub(super) fn fields(&self) -> &[(Text<'a>, Raw<'a>)] {
        match &self.value {
            Value::Object(_, fields) => fields,
            Value::Broken { .. } => &[],
        }
    }
}

/// The last member named `key`.
pub(super) fn field<'a>(fields: &Fields<'a>, key: &str) -> Option<Raw<'a>> {
    let mut members = fields.iter().rev();
    members.find(|(name, _)| name.is(key)).map(|&(_, raw)| raw)
}

/// The lines of `bytes`; blank ones are passed over.
pub(super) fn lines(bytes: &[u8]) -> Lines<'_> {
    Lines {
        bytes,
        pos: bytes.strip_prefix(b"\xef\xbb\xbf").map_or(0, |_| 3),
        end: 0,
        number: 0,
    }
}

/// The iterator of [`lines`].
#[derive(Debug)]
pub(super) struct Lines<'a> {
    bytes: &'a [u8],
    pos: usize,
    /// The end of the line that `pos` is in.
    end: usize,
    number: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        loop {
            if self.pos >= self.end {
                if self.pos >= self.bytes.len() {
                    return None;
                }
                self.end = memchr::memchr(b'\n', &self.bytes[self.pos..])
                    .map_or(self.bytes.len(), |at| self.pos + at + 1);
                self.number += 1;
            }
            let rest = &self.bytes[self.pos..self.end];
            let blank = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
            self.pos += blank;
            let rest = &rest[blank..];
            if rest.is_empty() {
                continue;
            }
            let (offset, number) = (self.pos, self.number);
            let value = match Scanner::new().resume(rest, true) {
                Ok(Progress::Complete { end }) => {
                    let raw = Raw::checked(&rest[..end]);
                    self.pos += end;
                    match raw.kind() {
                        Kind::Object => Value::Object(
                            raw,
                            raw.as_object().into_iter().flatten().collect(),
                        ),
                        _ => Value::Broken {
                            bytes: &rest[..end],
                            cut: false,
                        },
                    }
                }
                Ok(Progress::More) | Err(_) => {
                    self.pos = self.end;
                    let ends = self.end == self.bytes.len();
                    Value::Broken {
                        bytes: rest.trim_ascii_end(),
                        cut: ends && rest.last() != Some(&b'\n'),
                    }
                }
            };
            return Some(Line {
                number,
                offset,
                value,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_costs_nothing_but_itself() {
        let text =
            b"\xef\xbb\xbf{\"a\":1}\r\n\n{\"b\":2} {\"c\":3}\n[1]\n{oops\n{\"d\":4";
        let found: Vec<_> = lines(text)
            .map(|line| {
                let what = match line.value {
                    Value::Object(raw, _) => format!("{raw:?}"),
                    Value::Broken { bytes, cut } => {
                        format!("{} {cut}", String::from_utf8_lossy(bytes))
                    }
                };
                (line.number, line.offset, what)
            })
            .collect();
        let expected = [
            (1, 3, "{\"a\":1}"),
            (3, 13, "{\"b\":2}"),
            (3, 21, "{\"c\":3}"),
            (4, 29, "[1] false"),
            (5, 33, "{oops false"),
            (6, 39, "{\"d\":4 true"),
        ];
        let expected: Vec<_> = expected
            .iter()
            .map(|&(n, o, w)| (n, o, w.to_owned()))
            .collect();
        assert_eq!(found, expected);
    }
}
