//! What can be read of a conversation whose bytes leave the JSON grammar.
//!
//! A write that broke off, a run of zero bytes, a line cut in two: the entries on
//! both sides are whole (`docs/formats.md#salvage`). [`salvage`] keeps each entry that
//! can be read, in a value of the container's own form, and says of each gap which
//! entry would have stood there, its first byte and its length.

use crate::error::{Diagnostic, Error, ErrorKind, Severity};
use crate::event::EventKind;
use crate::json::raw::{Raw, skip_space, string_end};
use crate::json::{Progress, Scanner, SyntaxError, pointer};
use crate::term::counted_are;
use memchr::memchr;

/// Bytes that may be scanned again for each byte of the region, beside a megabyte.
const AGAIN: usize = 4;

/// Bytes of an input that no entry could be read from.
#[derive(Debug, Clone)]
pub struct Gap {
    /// What is wrong; the position has the entry that would have been, path and byte.
    pub error: Error,
    /// First byte left out.
    pub from: u64,
    /// How many bytes are left out.
    pub length: u64,
    /// Whether nothing is read behind them.
    pub last: bool,
}

impl Gap {
    /// The diagnostic for the gap; `next` says where reading goes on.
    pub fn told(self, next: &str) -> Diagnostic {
        let next = match self.last {
            true => "nothing behind it can be read",
            false => next,
        };
        let hint = match self.length {
            0 => format!("nothing is left out; {next}"),
            length => format!(
                "{} left out from byte {} on; {next}",
                counted_are(length, "byte"),
                self.from
            ),
        };
        let mut told = Diagnostic::from(self.error.hint(hint));
        // What is lost is an error, though there is a result.
        told.severity = Severity::Error;
        told
    }
}

/// A conversation made whole.
#[derive(Debug, Default)]
pub struct Salvaged {
    /// The value, entries as they are written.
    pub bytes: Vec<u8>,
    /// Where each entry starts in `bytes`, and in the region.
    pub starts: Vec<(usize, u64)>,
    /// What could not be read, in order; bytes count from the region.
    pub gaps: Vec<Gap>,
    /// Where the conversation ends in the region.
    pub end: usize,
}

/// Reads what can be read of the conversation that `region` begins with and that may
/// fill it; `None` where not one entry can.
///
/// Behind bytes that are no JSON it goes on at the next object that is an entry of a
/// known type. One that opens an array of its own belongs to another conversation.
pub fn salvage(region: &[u8]) -> Option<Salvaged> {
    let (array, path) = entries_of(region)?;
    let mut reader = Reader {
        region,
        array,
        path,
        furthest: 0,
        credit: 1024 * 1024 + region.len().saturating_mul(AGAIN),
        whole: Salvaged {
            bytes: region[..=array].to_vec(),
            ..Salvaged::default()
        },
    };
    reader.entries();
    (!reader.whole.starts.is_empty()).then_some(reader.whole)
}

/// Where the array of entries opens, and its JSON Pointer: the value itself, or a
/// member of an envelope or a bundle behind members that can be read.
fn entries_of(region: &[u8]) -> Option<(usize, &'static str)> {
    match region.first() {
        Some(b'[') => return Some((0, "")),
        Some(b'{') => {}
        _ => return None,
    }
    let mut at = 1;
    loop {
        let key = skip_space(region, at);
        if region.get(key) != Some(&b'"') {
            return None;
        }
        let key_end = string_end(region, key);
        let colon = skip_space(region, key_end);
        let value = skip_space(region, colon + 1);
        if region.get(colon) != Some(&b':') {
            return None;
        }
        let path = match region.get(key..key_end)? {
            b"\"events\"" => Some("/events"),
            b"\"data\"" => Some("/data"),
            _ => None,
        };
        if let Some(path) = path
            && region.get(value) == Some(&b'[')
        {
            return Some((value, path));
        }
        let comma = skip_space(region, value + scan(region.get(value..)?).ok()?);
        if region.get(comma) != Some(&b',') {
            return None;
        }
        at = comma + 1;
    }
}

/// The end of the value that `bytes` begin with.
fn scan(bytes: &[u8]) -> Result<usize, SyntaxError> {
    match Scanner::new().resume(bytes, true)? {
        Progress::Complete { end } => Ok(end),
        // The last bytes are never `More`; an end that is none ends nothing.
        Progress::More => Ok(bytes.len()),
    }
}

struct Reader<'r> {
    region: &'r [u8],
    array: usize,
    /// JSON Pointer of the array.
    path: &'static str,
    /// Bytes up to here have been scanned once.
    furthest: usize,
    /// Bytes that may still be scanned a second time, so that no region costs more
    /// than a constant factor of its length.
    credit: usize,
    whole: Salvaged,
}

impl Reader<'_> {
    fn entries(&mut self) {
        let mut at = self.array + 1;
        // What the grammar wants: an entry, or what stands between two.
        let mut between = false;
        loop {
            let next = skip_space(self.region, at);
            let byte = self.region.get(next);
            let empty = self.whole.starts.is_empty() && self.whole.gaps.is_empty();
            match byte {
                Some(b',') if between => {
                    (at, between) = (next + 1, false);
                    continue;
                }
                Some(b']') if between || empty => {
                    self.whole.bytes.push(b']');
                    return self.behind(next + 1);
                }
                _ => {}
            }
            let found = match between {
                false => scan(&self.region[next..]).map(|end| next + end),
                true => Err(SyntaxError {
                    offset: 0,
                    found: match byte {
                        Some(byte) if byte.is_ascii_graphic() => {
                            format!("`{}`", char::from(*byte))
                        }
                        Some(byte) => format!("byte 0x{byte:02x}"),
                        None => "the end of the input".to_owned(),
                    },
                    expected: "`,` or `]`",
                }),
            };
            match found {
                Ok(end) => {
                    self.keep(next, end);
                    (at, between) = (end, true);
                }
                Err(error) => {
                    let Some((entry, end)) = self.gap(next, &error) else {
                        return;
                    };
                    self.keep(entry, end);
                    (at, between) = (end, true);
                }
            }
        }
    }

    fn keep(&mut self, from: usize, to: usize) {
        self.furthest = self.furthest.max(to);
        let whole = &mut self.whole;
        if !whole.starts.is_empty() {
            whole.bytes.push(b',');
        }
        whole.starts.push((whole.bytes.len(), from as u64));
        whole.bytes.extend_from_slice(&self.region[from..to]);
    }

    /// Books what cannot be read from `from` on, and gives the next entry that can;
    /// without one the conversation is closed.
    fn gap(&mut self, from: usize, error: &SyntaxError) -> Option<(usize, usize)> {
        let broken = from + error.offset;
        self.furthest = self.furthest.max(broken);
        let entry = self.whole.starts.len();
        let sight = self.region.len().min(broken + 1);
        let inner = pointer::at(&self.region[from..sight], error.offset);
        let mut told = Error::new(ErrorKind::Input, "json-syntax", error.to_string())
            .path(format!("{}/{entry}{inner}", self.path))
            .byte(broken);
        told.position.event = Some(entry);
        let next = self.next_entry(from);
        let to = match next {
            Next::Entry(at, _) | Next::Other(at) => at,
            Next::None => self.region.len(),
        };
        self.whole.gaps.push(Gap {
            error: told,
            from: from as u64,
            length: (to - from) as u64,
            last: !matches!(next, Next::Entry(..)),
        });
        match next {
            Next::Entry(at, end) => Some((at, end)),
            Next::Other(_) | Next::None => {
                self.whole.bytes.push(b']');
                if self.array > 0 {
                    self.whole.bytes.push(b'}');
                }
                self.whole.end = to;
                None
            }
        }
    }

    /// The next object from `from` on that is an entry.
    fn next_entry(&mut self, from: usize) -> Next {
        let mut at = from;
        while let Some(brace) = memchr(b'{', self.region.get(at..).unwrap_or_default())
        {
            let brace = at + brace;
            at = brace + 1;
            let key = skip_space(self.region, at);
            if self.region.get(key) != Some(&b'"') {
                continue;
            }
            let again = self.furthest.saturating_sub(brace);
            if again > self.credit {
                continue;
            }
            self.credit -= again;
            match scan(&self.region[brace..]) {
                Ok(length) => {
                    let end = brace + length;
                    self.furthest = self.furthest.max(end);
                    let kind = Raw::checked(&self.region[brace..end]).get("type");
                    let kind = kind.and_then(Raw::as_text).map(EventKind::of);
                    if kind.is_none_or(|kind| kind == EventKind::Unknown) {
                        continue;
                    }
                    let before = self.region[..brace].trim_ascii_end();
                    let opens = before.len().saturating_sub(1);
                    if before.last() == Some(&b'[') && opens > self.array {
                        return Next::Other(opens);
                    }
                    return Next::Entry(brace, end);
                }
                Err(error) => {
                    self.furthest = self.furthest.max(brace + error.offset);
                }
            }
        }
        Next::None
    }

    /// Members behind the entries, or what stands where they should.
    fn behind(&mut self, at: usize) {
        self.whole.end = at;
        if self.array == 0 {
            return;
        }
        let rest = skip_space(self.region, at);
        let found = match self.region.get(rest) {
            Some(b'}') => Ok(1),
            Some(b',') => {
                // Read as an object of their own.
                let mut members = b"{".to_vec();
                members.extend_from_slice(&self.region[rest + 1..]);
                scan(&members).inspect(|end| {
                    self.whole.bytes.push(b',');
                    self.whole.bytes.extend_from_slice(&members[1..*end - 1]);
                })
            }
            _ => Err(SyntaxError {
                offset: 0,
                found: "something else".to_owned(),
                expected: "`,` or `}`",
            }),
        };
        self.whole.bytes.push(b'}');
        match found {
            Ok(length) => self.whole.end = rest + length,
            Err(error) => {
                let told =
                    Error::new(ErrorKind::Input, "json-syntax", error.to_string());
                self.whole.gaps.push(Gap {
                    error: told.byte(rest + error.offset),
                    from: rest as u64,
                    length: (self.region.len() - rest) as u64,
                    last: true,
                });
                self.whole.end = self.region.len();
            }
        }
    }
}

/// Where reading goes on behind a gap.
enum Next {
    /// An entry, from its first byte to behind its last.
    Entry(usize, usize),
    /// An array that is no part of this conversation.
    Other(usize),
    None,
}
