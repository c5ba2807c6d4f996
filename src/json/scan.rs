//! One pass over JSON bytes: is the value well formed, and where does it end?
//!
//! [`Scanner`] is the complete RFC 8259 grammar over UTF-8, resumable wherever
//! the bytes at hand stop, so that a reader with a bounded buffer can cut a
//! value out of an endless input. It keeps one bit per open bracket and never
//! recurses: nesting costs memory, not stack. Escapes that name a lone surrogate
//! are well formed here (RFC 8259 section 8.2); what they mean is for
//! [`Text::decode`](super::Text::decode) to say.

use super::token::{
    check_utf8, cut_short, escape_end, extremes, scalar_end, unexpected,
};
use memchr::memchr2;
use std::fmt;

/// How far a scan came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The value is whole; `end` is the offset just past its last byte.
    Complete {
        /// Offset just past the value.
        end: usize,
    },
    /// The bytes end inside the value; call again with more of them.
    More,
}

/// What was found where the grammar asks for something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Offset of the offending byte from the start of the scanned bytes.
    pub offset: usize,
    /// What stands there, in words.
    pub found: String,
    /// What the grammar allows there, in words.
    pub expected: &'static str,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, found {}", self.expected, self.found)
    }
}

impl std::error::Error for SyntaxError {}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Value,
    ValueOrEnd,
    KeyOrEnd,
    Key,
    Colon,
    CommaOrEnd,
}

/// The open brackets, one bit each: set for an object.
#[derive(Debug, Default)]
struct Nesting {
    words: Vec<u64>,
    depth: usize,
}

impl Nesting {
    fn push(&mut self, object: bool) {
        let (word, bit) = (self.depth / 64, self.depth % 64);
        if word == self.words.len() {
            self.words.push(0);
        }
        self.words[word] = self.words[word] & !(1 << bit) | u64::from(object) << bit;
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.depth -= 1;
    }

    fn in_object(&self) -> bool {
        self.depth > 0 && {
            let top = self.depth - 1;
            self.words[top / 64] >> (top % 64) & 1 == 1
        }
    }
}

/// A string whose end has not been seen yet.
#[derive(Debug, Clone, Copy)]
struct OpenString {
    start: usize,
    next: usize,
    ascii: bool,
}

/// The resumable scanner for one value.
///
/// Every call of [`Scanner::resume`] gets the bytes from the start of the value
/// on, at least as many as the call before.
#[derive(Debug)]
pub struct Scanner {
    nesting: Nesting,
    state: State,
    string: Option<OpenString>,
    /// Where the digits of a number seen so far end, while more may follow.
    digits: Option<usize>,
    pos: usize,
}

impl Default for Scanner {
    fn default() -> Self {
        Self::new()
    }
}

impl Scanner {
    /// A scanner at the start of a value; leading white space is skipped.
    pub fn new() -> Self {
        Self {
            nesting: Nesting::default(),
            state: State::Value,
            string: None,
            digits: None,
            pos: 0,
        }
    }

    /// Forgets the value scanned so far, keeping the memory.
    pub fn reset(&mut self) {
        self.nesting.depth = 0;
        self.state = State::Value;
        self.string = None;
        self.digits = None;
        self.pos = 0;
    }

    /// Goes on until the value is whole or `buf` ends.
    ///
    /// `last` says that no more bytes will come: what is incomplete then is an
    /// error.
    ///
    /// # Errors
    ///
    /// The first place where the bytes leave the JSON grammar.
    pub fn resume(&mut self, buf: &[u8], last: bool) -> Result<Progress, SyntaxError> {
        loop {
            if let Some(open) = self.string {
                match self.close_string(buf, open)? {
                    Some(end) => self.pos = end,
                    None if last => return Err(cut_short(buf, "the closing quote")),
                    None => return Ok(Progress::More),
                }
                self.string = None;
                self.state = match self.state {
                    State::Key => State::Colon,
                    _ => State::CommaOrEnd,
                };
                if self.nesting.depth == 0 {
                    return Ok(Progress::Complete { end: self.pos });
                }
            }
            while matches!(buf.get(self.pos), Some(b' ' | b'\n' | b'\r' | b'\t')) {
                self.pos += 1;
            }
            let Some(&byte) = buf.get(self.pos) else {
                if last {
                    return Err(cut_short(buf, self.expected()));
                }
                return Ok(Progress::More);
            };
            match (self.state, byte) {
                (State::Value | State::ValueOrEnd, b'"') => {
                    self.state = State::Value;
                    self.open_string();
                }
                (State::Key | State::KeyOrEnd, b'"') => {
                    self.state = State::Key;
                    self.open_string();
                }
                (State::Colon, b':') => {
                    self.pos += 1;
                    self.state = State::Value;
                }
                (State::CommaOrEnd, b',') => {
                    self.pos += 1;
                    self.state = if self.nesting.in_object() {
                        State::Key
                    } else {
                        State::Value
                    };
                }
                (State::Value | State::ValueOrEnd, b'{') => {
                    self.pos += 1;
                    self.nesting.push(true);
                    self.state = State::KeyOrEnd;
                }
                (State::Value | State::ValueOrEnd, b'[') => {
                    self.pos += 1;
                    self.nesting.push(false);
                    self.state = State::ValueOrEnd;
                }
                (State::KeyOrEnd, b'}') | (State::ValueOrEnd, b']') => {
                    if let Some(end) = self.close() {
                        return Ok(Progress::Complete { end });
                    }
                }
                (State::CommaOrEnd, b'}' | b']')
                    if self.nesting.in_object() == (byte == b'}') =>
                {
                    if let Some(end) = self.close() {
                        return Ok(Progress::Complete { end });
                    }
                }
                (State::Value | State::ValueOrEnd, _) => {
                    let Some(end) = self.scalar_end(buf, last)? else {
                        return Ok(Progress::More);
                    };
                    self.pos = end;
                    self.state = State::CommaOrEnd;
                    if self.nesting.depth == 0 {
                        return Ok(Progress::Complete { end });
                    }
                }
                _ => return Err(unexpected(buf, self.pos, self.expected())),
            }
        }
    }

    /// How many brackets are open.
    pub fn depth(&self) -> usize {
        self.nesting.depth
    }

    /// The end of the number or literal at hand, or `None` when `buf` ends first.
    ///
    /// A number that goes on is not looked at again until something else than a
    /// digit comes, so that a long one in small pieces costs linear time.
    fn scalar_end(
        &mut self,
        buf: &[u8],
        last: bool,
    ) -> Result<Option<usize>, SyntaxError> {
        let goes_on = |from: usize| buf[from..].iter().all(u8::is_ascii_digit);
        if self.digits.is_some_and(|from| !last && goes_on(from)) {
            self.digits = Some(buf.len());
            return Ok(None);
        }
        let end = scalar_end(buf, self.pos, last, self.expected())?;
        self.digits = end.is_none().then_some(buf.len());
        Ok(end)
    }

    fn open_string(&mut self) {
        let start = self.pos + 1;
        self.string = Some(OpenString {
            start,
            next: start,
            ascii: true,
        });
    }

    fn close(&mut self) -> Option<usize> {
        self.pos += 1;
        self.nesting.pop();
        self.state = State::CommaOrEnd;
        (self.nesting.depth == 0).then_some(self.pos)
    }

    /// The offset past the closing quote, or `None` when `buf` ends first.
    fn close_string(
        &mut self,
        buf: &[u8],
        mut open: OpenString,
    ) -> Result<Option<usize>, SyntaxError> {
        loop {
            let rest = &buf[open.next..];
            let hit = memchr2(b'"', b'\\', rest);
            let plain = &rest[..hit.unwrap_or(rest.len())];
            let (low, high) = extremes(plain);
            if low < 0x20 {
                let at = plain.iter().position(|&b| b < 0x20).unwrap_or(0);
                return Err(unexpected(
                    buf,
                    open.next + at,
                    "an escape sequence instead of a raw control character",
                ));
            }
            open.ascii &= high < 0x80;
            open.next += plain.len();
            match hit {
                None => {
                    self.string = Some(open);
                    return Ok(None);
                }
                Some(_) if buf[open.next] == b'"' => {
                    if !open.ascii {
                        check_utf8(buf, open.start, open.next)?;
                    }
                    return Ok(Some(open.next + 1));
                }
                Some(_) => match escape_end(buf, open.next)? {
                    Some(next) => open.next = next,
                    None => {
                        self.string = Some(open);
                        return Ok(None);
                    }
                },
            }
        }
    }

    fn expected(&self) -> &'static str {
        match self.state {
            State::Value => "a JSON value",
            State::ValueOrEnd => "a JSON value or `]`",
            State::KeyOrEnd => "a key in quotes or `}`",
            State::Key => "a key in quotes",
            State::Colon => "`:` after the key",
            State::CommaOrEnd if self.nesting.in_object() => "`,` or `}`",
            State::CommaOrEnd => "`,` or `]`",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &[u8]) -> Result<usize, SyntaxError> {
        match Scanner::new().resume(text, true)? {
            Progress::Complete { end } => Ok(end),
            Progress::More => unreachable!("the last bytes are never `More`"),
        }
    }

    #[test]
    fn ends_are_found_for_every_kind() {
        for text in [
            "{}",
            "[]",
            "\"a\\\"b\"",
            "12",
            "-0.5e+3",
            "true",
            "null",
            "[1,{\"a\":[]}]",
            " [ 1 , 2 ] ",
            "\"\\ud800\"",
            "{\"a\":1,\"a\":2}",
            "1e999",
        ] {
            let trimmed = text.trim_end().len();
            assert_eq!(scan(text.as_bytes()), Ok(trimmed), "{text}");
        }
    }

    #[test]
    fn leaves_of_the_grammar_are_errors_with_their_offset() {
        for (text, offset) in [
            ("", 0),
            ("[1,]", 3),
            ("{\"a\" 1}", 5),
            ("[1}", 2),
            ("{\"a\":1]", 6),
            ("01", 1),
            ("-", 1),
            ("1.", 2),
            ("1.x", 2),
            ("2e", 2),
            ("tru", 3),
            ("trux", 3),
            ("\"\\x\"", 2),
            ("\"\\u12g4\"", 5),
            ("\"a\nb\"", 2),
            ("\"abc", 4),
            ("[\0]", 1),
            ("{,}", 1),
            ("[", 1),
        ] {
            let error = scan(text.as_bytes()).expect_err(text);
            assert_eq!(error.offset, offset, "{text}: {error}");
        }
        assert_eq!(scan(b"\"\xff\"").expect_err("utf-8").offset, 1);
        assert_eq!(scan(b"\"ab\xc3\"").expect_err("utf-8").offset, 3);
    }

    #[test]
    fn resuming_at_every_byte_equals_one_pass() {
        let text = "{\"k\\u00e9y\":[1.5e3,true,null,\"\u{e9}\\n\"],\"b\":{\"c\":-12}}";
        for step in 1..text.len() {
            let mut scanner = Scanner::new();
            let mut have = 0;
            let end = loop {
                have = (have + step).min(text.len());
                let last = have == text.len();
                match scanner.resume(&text.as_bytes()[..have], last) {
                    Ok(Progress::Complete { end }) => break end,
                    Ok(Progress::More) => {}
                    Err(error) => panic!("step {step}: {error:?}"),
                }
            };
            assert_eq!(end, text.len(), "step {step}");
        }
    }

    #[test]
    fn a_long_number_in_small_pieces_costs_linear_time() {
        let text = format!("[{}.5]", "1".repeat(8_000_000));
        let mut scanner = Scanner::new();
        for have in (64..text.len()).step_by(64) {
            let more = scanner.resume(&text.as_bytes()[..have], false);
            assert_eq!(more, Ok(Progress::More), "{have}");
        }
        let end = text.len();
        let whole = scanner.resume(text.as_bytes(), true);
        assert_eq!(whole, Ok(Progress::Complete { end }));
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let text = [vec![b'['; 1_000_000], vec![b']'; 1_000_000]].concat();
        assert_eq!(scan(&text), Ok(2_000_000));
    }
}
