//! Requests as recorders store them: the body, and the headers around it.
//!
//! [`records`] cuts an input into JSON values, one a line or pretty-printed;
//! [`captures`] finds the request or requests in one value: a bare body, an
//! object with `body` or `request.body` (`docs/prefix.md`), or a HAR file, whose
//! bodies are strings inside `log.entries`. A body that stands in a string is
//! decoded, and [`Capture::byte`] still gives positions in the input as it was.

use super::{Body, Fields, Provider};
use crate::error::{Error, ErrorKind};
use crate::json::{Kind, Progress, Raw, Scanner, Text, pointer};
use std::borrow::Cow;

/// The values of an input, with the start of each; a broken one is an error.
///
/// After an error reading goes on at the next line that opens an object in its
/// first column, where neither a pretty-printed value nor a record continues.
pub fn records(input: &[u8]) -> Records<'_> {
    Records {
        input,
        pos: input.strip_prefix(b"\xef\xbb\xbf").map_or(0, |_| 3),
        any: false,
    }
}

/// The iterator of [`records`].
#[derive(Debug, Clone)]
pub struct Records<'a> {
    input: &'a [u8],
    pos: usize,
    any: bool,
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<Raw<'a>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let space = |byte: &u8| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        let rest = &self.input[self.pos..];
        let Some(skipped) = rest.iter().position(space) else {
            self.pos = self.input.len();
            let empty = !std::mem::replace(&mut self.any, true);
            return empty
                .then(|| Err(input_error("empty-input", "the input is empty", 0)));
        };
        self.any = true;
        let start = self.pos + skipped;
        let bytes = &self.input[start..];
        if let Some(error) = foreign(bytes) {
            self.pos = self.input.len();
            return Some(Err(error.byte(start)));
        }
        match Scanner::new().resume(bytes, true) {
            Ok(Progress::Complete { end }) => {
                self.pos = start + end;
                Some(Ok(Raw::checked(&bytes[..end])))
            }
            Ok(Progress::More) => {
                self.pos = self.input.len();
                None
            }
            Err(error) => {
                let at = start + error.offset;
                let cut = at >= self.input.len();
                self.pos = next_record(self.input, at.max(start + 1));
                let what = if cut { "cut-short" } else { "json-syntax" };
                let text = if cut {
                    format!("the body is cut short: {error}")
                } else {
                    error.to_string()
                };
                let path = pointer::at(bytes, error.offset);
                Some(Err(input_error(what, text, at).path(path)))
            }
        }
    }
}

/// What an input is that is no JSON at all, by how it begins.
pub fn foreign(bytes: &[u8]) -> Option<Error> {
    if let Some((what, hint)) = other_file(bytes) {
        let text = format!("the input is {what}, not JSON");
        return Some(input_error("not-json", text, 0).hint(hint));
    }
    bytes.starts_with(b"\x1f\x8b").then(|| {
        let error = input_error("not-json", "the input is gzip, not JSON", 0);
        error.hint("decompress it first: `gzip -dc FILE |`")
    })
}

/// Files that are given by mistake, by how they begin, and what to do.
fn other_file(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const BODY: &str = "give the request body that was sent, as JSON";
    let known: [(&[u8], &str, &str); 7] = [
        (b"\x89PNG", "a PNG picture", BODY),
        (b"\xff\xd8\xff", "a JPEG picture", BODY),
        (b"GIF8", "a GIF picture", BODY),
        (b"%PDF", "a PDF", BODY),
        (b"PK\x03\x04", "a ZIP archive", "unpack it first"),
        (
            b"\x28\xb5\x2f\xfd",
            "packed with zstd",
            "unpack it first: `zstd -dc FILE |`",
        ),
        (
            b"SQLite format 3",
            "an SQLite database",
            "export the requests as JSON lines first",
        ),
    ];
    let found = known.iter().find(|(start, ..)| bytes.starts_with(start));
    if let Some((_, what, hint)) = found {
        return Some((what, hint));
    }
    let head = bytes[..bytes.len().min(15)].to_ascii_lowercase();
    if head.starts_with(b"<!doctype html") || head.starts_with(b"<html") {
        let hint = "give the request that was sent; an error page is an answer";
        return Some(("an HTML page", hint));
    }
    head.starts_with(b"<").then_some(("XML", BODY))
}

fn input_error(code: &'static str, text: impl Into<String>, at: usize) -> Error {
    Error::new(ErrorKind::Input, code, text).byte(at)
}

fn next_record(input: &[u8], from: usize) -> usize {
    let from = from.min(input.len());
    memchr::memmem::find(&input[from..], b"\n{").map_or(input.len(), |at| from + at + 1)
}

/// One request: its body, and what stood around it.
#[derive(Debug, Clone)]
pub struct Capture<'a> {
    bytes: Cow<'a, [u8]>,
    start: usize,
    escaped: Option<Text<'a>>,
    /// JSON Pointer from the record to the body; empty for a bare body.
    pub path: String,
    /// The headers of the request, if it came with any.
    pub headers: Option<Headers>,
    /// The path or address it was sent to, if recorded.
    pub target: Option<String>,
}

impl<'a> Capture<'a> {
    fn read(input: &[u8], value: Raw<'a>, path: &str) -> Result<Self, Error> {
        let (bytes, start, escaped) = match value.as_text() {
            None => (Cow::Borrowed(value.bytes()), value.offset_in(input), None),
            Some(text) => {
                let start = value.offset_in(input) + 1;
                let decoded = match text.plain() {
                    Some(bytes) => Cow::Borrowed(bytes),
                    None => Cow::Owned(text.decode().into_owned().into_bytes()),
                };
                (decoded, start, Some(text))
            }
        };
        let capture = Self {
            bytes,
            start,
            escaped,
            path: path.to_owned(),
            headers: None,
            target: None,
        };
        if escaped.is_some()
            && let Err(error) = Raw::parse(&capture.bytes)
        {
            let at = capture.byte(error.offset.min(capture.bytes.len()));
            let text = format!("the string does not hold a body: {error}");
            return Err(input_error("json-syntax", text, at).path(path));
        }
        Ok(capture)
    }

    /// The same request where its record starts at a byte of a longer input.
    #[must_use]
    pub fn moved(mut self, base: usize) -> Self {
        self.start += base;
        self
    }

    /// The body's own value.
    pub fn raw(&self) -> Raw<'_> {
        Raw::checked(&self.bytes)
    }

    /// The bytes that [`raw`](Self::raw) and its parts are cut from.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where in the input the byte at `offset` of [`bytes`](Self::bytes) stands.
    pub fn byte(&self, offset: usize) -> usize {
        self.positions().byte(offset)
    }

    /// The way from offsets in [`bytes`](Self::bytes) to bytes of the input.
    pub fn positions(&self) -> Positions<'a> {
        Positions {
            start: self.start,
            escaped: self.escaped.map_or(&[], Text::escaped),
            in_string: self.escaped.is_some(),
            pos: 0,
            meant: 0,
        }
    }

    /// The body: for the provider said, else for the one the address names, else
    /// as its fields tell.
    ///
    /// # Errors
    ///
    /// As [`Body::read`].
    pub fn body(
        &self,
        said: Option<Provider>,
        model: Option<&str>,
    ) -> Result<Body<'_>, Error> {
        if said.is_none()
            && let Some(named) = self.provider()
            && let Ok(body) = Body::read(self.raw(), Some(named), model)
        {
            return Ok(body);
        }
        Body::read(self.raw(), said, model)
    }

    /// The provider whose address or headers it was sent with, if they tell.
    pub fn provider(&self) -> Option<Provider> {
        super::address::provider(self.target.as_deref(), self.headers.as_ref())
    }

    /// The model named in the address, as Gemini has it.
    pub fn model(&self) -> Option<&str> {
        let (_, rest) = self.target.as_deref()?.split_once("/models/")?;
        let end = rest.find([':', '/', '?']).unwrap_or(rest.len());
        (end > 0).then_some(&rest[..end])
    }
}

/// Turns offsets in a capture's bytes into bytes of the input. Where the body
/// stands in a string this goes along the string: growing offsets cost one pass
/// over it together, a smaller one starts it again.
#[derive(Debug, Clone)]
pub struct Positions<'a> {
    start: usize,
    escaped: &'a [u8],
    in_string: bool,
    pos: usize,
    meant: usize,
}

impl Positions<'_> {
    /// Where in the input the byte at `offset` stands.
    pub fn byte(&mut self, offset: usize) -> usize {
        if !self.in_string {
            return self.start + offset;
        }
        if offset < self.meant {
            (self.pos, self.meant) = (0, 0);
        }
        let bytes = self.escaped;
        while self.pos < bytes.len() {
            let rest = &bytes[self.pos..];
            let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
            if self.meant + plain > offset || plain == rest.len() {
                let ahead = (offset - self.meant).min(plain);
                return self.start + self.pos + ahead;
            }
            let (used, held) = escape(&rest[plain..]);
            if self.meant + plain + held > offset {
                return self.start + self.pos + plain;
            }
            self.pos += plain + used;
            self.meant += plain + held;
        }
        self.start + bytes.len()
    }
}

/// How many bytes an escape takes, and how many it stands for.
fn escape(bytes: &[u8]) -> (usize, usize) {
    let surrogate = |at: usize, low: u8, high: u8| {
        matches!(bytes.get(at), Some(b'u'))
            && matches!(bytes.get(at + 1), Some(b'd' | b'D'))
            && bytes
                .get(at + 2)
                .is_some_and(|b| (low..=high).contains(&b.to_ascii_lowercase()))
    };
    let high = surrogate(1, b'8', b'9') || surrogate(1, b'a', b'b');
    let low = bytes.get(6) == Some(&b'\\') && surrogate(7, b'c', b'f');
    let used = match bytes.get(1) {
        Some(b'u') if high && low => 12,
        Some(b'u') => 6,
        _ => 2,
    };
    let used = used.min(bytes.len());
    let quoted = [b"\"", &bytes[..used], b"\""].concat();
    let held = Raw::checked(&quoted).as_str().map_or(1, |text| text.len());
    (used, held)
}

/// The headers of a request, names in lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

impl Headers {
    /// Reads an object of strings or lists, or a list of pairs.
    pub fn read(raw: Raw<'_>) -> Option<Self> {
        let mut headers = Vec::new();
        let mut push = |name: &str, value: Raw<'_>| match value.as_array() {
            Some(list) => headers.extend(
                list.filter_map(Raw::as_str)
                    .map(|value| (name.to_ascii_lowercase(), value.into_owned())),
            ),
            None => headers.extend(
                value
                    .as_str()
                    .map(|value| (name.to_ascii_lowercase(), value.into_owned())),
            ),
        };
        match raw.kind() {
            Kind::Object => {
                for (name, value) in raw.as_object().into_iter().flatten() {
                    push(&name.decode(), value);
                }
            }
            Kind::Array => {
                for entry in raw.as_array().into_iter().flatten() {
                    let mut pair = entry.as_array().into_iter().flatten();
                    let (name, value) = match entry.kind() {
                        Kind::Object => (entry.get("name"), entry.get("value")),
                        _ => (pair.next(), pair.next()),
                    };
                    if let (Some(name), Some(value)) =
                        (name.and_then(Raw::as_str), value)
                    {
                        push(&name, value);
                    }
                }
            }
            _ => return None,
        }
        Some(Self(headers))
    }

    /// All values of a header, by its name in lower case.
    pub fn all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h str> {
        let values = self.0.iter().filter(move |(one, _)| one == name);
        values.map(|(_, value)| value.as_str())
    }

    /// The names listed in a header, over all its lines, split at commas.
    pub fn list(&self, name: &str) -> Vec<String> {
        self.all(name)
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .filter(|one| !one.is_empty())
            .map(str::to_owned)
            .collect()
    }
}

/// The requests in one record: one, or as many as a HAR file has entries.
pub fn captures<'a>(input: &[u8], record: Raw<'a>) -> Vec<Result<Capture<'a>, Error>> {
    let fields = Fields::read(record);
    let entries = fields
        .get("log")
        .and_then(|log| log.get("entries"))
        .and_then(Raw::as_array);
    match entries {
        Some(entries) => entries
            .enumerate()
            .filter(|(_, entry)| entry.at(&["request", "postData", "text"]).is_some())
            .map(|(index, entry)| {
                let fields = Fields::read(entry);
                one(input, entry, &fields, &format!("/log/entries/{index}"))
            })
            .collect(),
        None => vec![one(input, record, &fields, "")],
    }
}

/// The request in one record, which stands at `path` in its value.
///
/// # Errors
///
/// The record holds no request.
pub fn capture<'a>(
    input: &[u8],
    record: Raw<'a>,
    path: &str,
) -> Result<Capture<'a>, Error> {
    one(input, record, &Fields::read(record), path)
}

fn one<'a>(
    input: &[u8],
    record: Raw<'a>,
    fields: &Fields<'a>,
    prefix: &str,
) -> Result<Capture<'a>, Error> {
    let bare = ["messages", "input", "contents"]
        .iter()
        .any(|key| fields.get(key).is_some());
    let request = fields.get("request").filter(|_| !bare);
    let inner = request.map(Fields::read).unwrap_or_default();
    let data = inner.get("postData").and_then(|data| data.get("text"));
    let found = [
        ("/body", fields.get("body")),
        ("/request/body", inner.get("body")),
        ("/request/postData/text", data),
    ]
    .into_iter()
    .find_map(|(path, body)| {
        body.filter(|body| matches!(body.kind(), Kind::Object | Kind::String))
            .map(|body| (path, body))
    });
    let Some((path, body)) = found.filter(|_| !bare) else {
        return Capture::read(input, record, prefix);
    };
    let mut capture = Capture::read(input, body, &format!("{prefix}{path}"))?;
    let around = |key: &str| inner.get(key).or_else(|| fields.get(key));
    capture.headers = around("headers").and_then(Headers::read);
    capture.target = around("path")
        .or_else(|| around("url"))
        .and_then(Raw::as_str)
        .map(Cow::into_owned);
    Ok(capture)
}
