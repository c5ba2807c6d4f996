//! Cutting an endless input into whole JSON values, in bounded memory.
//!
//! [`Splitter`] reads a value to its last byte by nesting depth, not by lines,
//! so pretty-printed and one-a-line archives both work (`docs/formats.md#forms`). It holds
//! one value and one read ahead. Where the bytes leave the JSON grammar, the
//! value is reported broken and reading goes on at the next line that opens a
//! conversation, so that a bad record never costs the good ones beside it.

use super::salvage::{Gap, Salvaged, salvage};
use super::{Container, Conversation, FOREIGN_LOG};
use crate::error::{Error, ErrorKind};
use crate::event::EventKind;
use crate::json::raw::{Raw, skip_space, string_end};
use crate::json::{Progress, Scanner, SyntaxError, pointer};
use std::io::{self, Read};

/// How much is asked of the reader at once.
const READ: usize = 256 * 1024;

/// Bytes that may be scanned a second time before fresh ones have earned it.
const CREDIT: u64 = 1024 * 1024;

/// How many bytes tell whether a line opens a conversation.
const LOOK_AHEAD: usize = 256;

/// What [`Splitter::next`] found.
#[derive(Debug)]
pub enum Piece<'b> {
    /// A whole, well-formed value.
    Value {
        /// The value, from its first to its last byte.
        bytes: &'b [u8],
        /// Byte of the input where it starts.
        offset: u64,
    },
    /// Bytes that are no JSON value; reading can go on behind them.
    Broken {
        /// What is wrong, with path and byte.
        error: Error,
        /// The first bytes of what was read, for telling what it may be.
        head: &'b [u8],
        /// Byte of the input where the broken value starts.
        offset: u64,
    },
    /// A conversation made whole again from what can be read of it: see
    /// [`Splitter::salvage`].
    Salvaged {
        /// The value; its entries are those of the input.
        bytes: &'b [u8],
        /// Byte of the input where the broken value starts.
        offset: u64,
        /// Where each entry starts in `bytes`, and in the input.
        starts: &'b [(usize, u64)],
        /// What could not be read, in order.
        gaps: &'b [Gap],
    },
}

/// What an input turns out to be by its first value.
#[derive(Debug)]
pub enum First {
    /// It is empty.
    Nothing,
    /// Bare entries: form F.
    Entry,
    /// Conversations, or something to be refused value by value.
    Conversation,
    /// The log of another program, to be refused once for all its lines.
    ForeignLog(Error),
}

/// Reads values one after the other.
#[derive(Debug)]
pub struct Splitter<R> {
    /// Whether any line that opens an object may be gone on at.
    entries: bool,
    /// Whether what can be read of a broken conversation is given.
    salvage: bool,
    whole: Salvaged,
    reader: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    /// Byte of the input at `buffer[0]`.
    base: u64,
    last: bool,
    opened: bool,
    scanner: Scanner,
    broken_at: Option<usize>,
    /// Length of a whole value at `start` that has been scanned already.
    peeked: Option<usize>,
    credit: u64,
    scanned: u64,
}

impl<R: Read> Splitter<R> {
    /// A splitter at the start of an input; a byte order mark there is skipped.
    pub fn new(reader: R) -> Self {
        Self {
            entries: false,
            salvage: false,
            whole: Salvaged::default(),
            reader,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            base: 0,
            last: false,
            opened: false,
            scanner: Scanner::new(),
            broken_at: None,
            peeked: None,
            credit: CREDIT,
            scanned: 0,
        }
    }

    /// Bytes of the input handed out or skipped so far.
    pub fn position(&self) -> u64 {
        self.base + self.start as u64
    }

    /// What the first value says of the whole input; nothing is consumed.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub fn peek(&mut self) -> io::Result<First> {
        if !self.open()? {
            return Ok(First::Nothing);
        }
        let Ok(end) = self.scan()? else {
            return Ok(match self.entry_follows()? {
                true => First::Entry,
                false => First::Conversation,
            });
        };
        self.peeked = Some(end);
        let value = Raw::checked(&self.buffer[self.start..self.start + end]);
        Ok(match Conversation::read(value) {
            Ok(Container::Entry(_)) => First::Entry,
            Err(error) if error.code == FOREIGN_LOG => First::ForeignLog(error),
            Ok(Container::Conversation(_)) | Err(_) => First::Conversation,
        })
    }

    /// Whether the first whole line within sight that is a value is a bare entry: a
    /// stream of entries whose first line is broken is one all the same.
    fn entry_follows(&mut self) -> io::Result<bool> {
        loop {
            let sight = &self.buffer[self.start..self.end.min(self.start + READ)];
            if sight.first() == Some(&b'[') {
                return Ok(false);
            }
            let whole = match self.last {
                true => sight.len(),
                false => memchr::memrchr(b'\n', sight).unwrap_or(0),
            };
            let lines = sight[..whole].split(|&byte| byte == b'\n').skip(1);
            let mut values = lines.filter_map(|line| Raw::parse(line).ok());
            if let Some(value) = values.next() {
                let read = Conversation::read(value);
                return Ok(matches!(read, Ok(Container::Entry(_))));
            }
            if self.last || sight.len() == READ {
                return Ok(false);
            }
            self.fill()?;
        }
    }

    /// What is at hand from the next value on, after reading until it is `enough`
    /// or the input ends; and whether it ends there.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub fn head(
        &mut self,
        enough: impl Fn(&[u8], bool) -> bool,
    ) -> io::Result<(&[u8], bool)> {
        while !self.last && !enough(&self.buffer[self.start..self.end], self.last) {
            self.fill()?;
        }
        Ok((&self.buffer[self.start..self.end], self.last))
    }

    /// The input again, from its first byte if no value was taken, else from the
    /// next one on.
    pub fn into_reader(mut self) -> impl Read + use<R> {
        self.buffer.truncate(self.end);
        if self.base > 0 {
            self.buffer.drain(..self.start);
        }
        io::Cursor::new(self.buffer).chain(self.reader)
    }

    /// Whether anything but white space is left. Errors count as something.
    pub fn more(&mut self) -> bool {
        self.peeked.is_some() || self.open().unwrap_or(true)
    }

    /// The next value, or `None` at the end of the input.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    // Not an iterator: what it hands out borrows from its buffer.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> io::Result<Option<Piece<'_>>> {
        let scanned = match self.peeked.take() {
            Some(end) => Ok(end),
            None if !self.open()? => return Ok(None),
            None => self.scan()?,
        };
        let offset = self.position();
        match scanned {
            Ok(end) => {
                let from = self.start;
                self.earn(offset + end as u64);
                self.start += end;
                let bytes = &self.buffer[from..from + end];
                Ok(Some(Piece::Value { bytes, offset }))
            }
            Err(error) if self.salvage && self.made_whole(&error)? => {
                Ok(Some(Piece::Salvaged {
                    bytes: &self.whole.bytes,
                    offset,
                    starts: &self.whole.starts,
                    gaps: &self.whole.gaps,
                }))
            }
            Err(error) => {
                self.broken_at = Some(error.offset);
                let bytes = &self.buffer[self.start..self.end];
                Ok(Some(Piece::Broken {
                    error: syntax_error(bytes, offset, &error),
                    head: &bytes[..bytes.len().min(LOOK_AHEAD)],
                    offset,
                }))
            }
        }
    }

    /// Moves to the first byte of the next value; false at the end of the input.
    fn open(&mut self) -> io::Result<bool> {
        if !self.opened {
            self.opened = true;
            self.want(3)?;
            if self.buffer[..self.end].starts_with(b"\xef\xbb\xbf") {
                self.start = 3;
            }
        }
        if let Some(offset) = self.broken_at.take() {
            self.recover(offset)?;
        }
        self.skip_space()
    }

    /// Scans the value at `start` to its end.
    fn scan(&mut self) -> io::Result<Result<usize, SyntaxError>> {
        self.scanner.reset();
        loop {
            let bytes = &self.buffer[self.start..self.end];
            match self.scanner.resume(bytes, self.last) {
                Ok(Progress::Complete { end }) => return Ok(Ok(end)),
                Ok(Progress::More) => self.fill()?,
                Err(error) => return Ok(Err(error)),
            }
        }
    }

    /// Counts what was scanned for the first time.
    fn earn(&mut self, scanned: u64) {
        self.credit += scanned.saturating_sub(self.scanned);
        self.scanned = self.scanned.max(scanned);
    }

    /// From here on, a broken conversation is given as far as its entries can be
    /// read ([`salvage()`](super::salvage::salvage)), up to the next line that opens a
    /// conversation; all of it is held.
    pub fn salvage(&mut self) {
        self.salvage = true;
    }

    /// Reads what can be read of the broken conversation at `start`; false where that
    /// is nothing, or it is none.
    fn made_whole(&mut self, error: &SyntaxError) -> io::Result<bool> {
        if !matches!(self.buffer.get(self.start), Some(b'[' | b'{')) {
            return Ok(false);
        }
        let offset = self.position();
        let length = self.region()?;
        self.earn(offset + (error.offset.max(length)) as u64);
        let region = &self.buffer[self.start..self.start + length];
        let Some(mut whole) = salvage(region) else {
            return Ok(false);
        };
        for (_, start) in &mut whole.starts {
            *start += offset;
        }
        for gap in &mut whole.gaps {
            gap.from += offset;
            gap.error.position.byte = gap.error.position.byte.map(|byte| byte + offset);
        }
        self.start += whole.end;
        self.whole = whole;
        Ok(true)
    }

    /// How far the broken conversation at `start` can go: to the next line that opens
    /// another one, or the end of the input.
    fn region(&mut self) -> io::Result<usize> {
        let mut from = 0;
        loop {
            let at = self.start + from;
            let Some(line) = memchr::memchr(b'\n', &self.buffer[at..self.end]) else {
                if self.last {
                    return Ok(self.end - self.start);
                }
                from = self.end - self.start;
                self.fill()?;
                continue;
            };
            from += line + 1;
            self.want(from + LOOK_AHEAD)?;
            let at = self.start + from;
            let sight = self.end.min(at + LOOK_AHEAD);
            if opens_conversation(&self.buffer[at..sight]) {
                return Ok(from);
            }
        }
    }

    /// From here on, behind broken bytes, goes on at the next line that opens an
    /// object: the values are entries of one stream.
    pub fn expect_entries(&mut self) {
        self.entries = true;
    }

    /// Moves on to the next line that opens a conversation, or an entry where those
    /// are expected.
    ///
    /// The lines of the broken value itself are looked at first, for a record
    /// cut short swallows those behind it. Scanning them again is paid for by
    /// bytes scanned once, so that no input costs more than a constant factor.
    fn recover(&mut self, broken: usize) -> io::Result<()> {
        let error_at = self.position() + broken as u64;
        self.earn(error_at);
        let mut from = self.start;
        loop {
            let Some(line) = memchr::memchr(b'\n', &self.buffer[from..self.end]) else {
                self.start = self.end;
                self.fill()?;
                if self.start == self.end {
                    return Ok(());
                }
                // A line break may be the last byte dropped: `fill` keeps none,
                // so the search goes on with what has come.
                from = self.start;
                continue;
            };
            let candidate = from + line + 1;
            self.start = candidate;
            // An entry shows by its first byte: a live stream is not waited for.
            self.want(if self.entries { 1 } else { LOOK_AHEAD })?;
            from = self.start;
            // No more than that, or the answer would depend on how the bytes arrive.
            let sight = self.end.min(self.start + LOOK_AHEAD);
            let line = &self.buffer[self.start..sight];
            let opens = match self.entries {
                true => line.first() == Some(&b'{'),
                false => opens_conversation(line),
            };
            if opens {
                let again = error_at.saturating_sub(self.position());
                if again <= self.credit {
                    self.credit -= again;
                    return Ok(());
                }
            }
        }
    }

    /// Skips white space; false at the end of the input.
    fn skip_space(&mut self) -> io::Result<bool> {
        loop {
            self.start = skip_space(&self.buffer[..self.end], self.start);
            if self.start < self.end {
                return Ok(true);
            }
            if self.last {
                return Ok(false);
            }
            self.fill()?;
        }
    }

    /// Reads until `count` bytes are at hand or the input ends.
    fn want(&mut self, count: usize) -> io::Result<()> {
        while self.end - self.start < count && !self.last {
            self.fill()?;
        }
        Ok(())
    }

    /// Reads once, making room first: behind what is at hand if there is enough,
    /// else by moving it to the front, else by growing the buffer.
    fn fill(&mut self) -> io::Result<()> {
        if self.buffer.len() - self.end < READ / 4 && self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.base += self.start as u64;
            self.end -= self.start;
            self.start = 0;
        }
        if self.buffer.is_empty() {
            // Fresh zeroed memory costs nothing until it is read into.
            self.buffer = vec![0; READ];
        }
        if self.buffer.len() - self.end < READ / 4 {
            let grown = self.end + READ.max(self.end / 16);
            // A value that no memory holds is an error to be told, like a bad disk.
            self.buffer.try_reserve_exact(grown - self.buffer.len())?;
            self.buffer.resize(grown, 0);
        }
        loop {
            match self.reader.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.last = true,
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            return Ok(());
        }
    }
}

/// Whether a line opens a conversation: an array of objects or an empty one, or
/// an object that does not begin as a bare entry does, with a known type or a time.
fn opens_conversation(line: &[u8]) -> bool {
    let inner = skip_space(line, 1.min(line.len()));
    match (line.first(), line.get(inner)) {
        (Some(b'['), Some(b'{' | b']')) => true,
        (Some(b'{'), Some(b'"')) => {
            let key_end = string_end(line, inner);
            let value = skip_space(line, skip_space(line, key_end) + 1);
            let key = line.get(inner..key_end);
            if key == Some(b"\"timestamp\"") {
                return false;
            }
            let is_type = key == Some(b"\"type\"");
            let tag = match line.get(value) {
                Some(b'"') => {
                    let end = string_end(line, value);
                    line.get(value..end)
                        .map(Raw::checked)
                        .and_then(Raw::as_text)
                }
                _ => None,
            };
            !(is_type
                && tag.is_some_and(|tag| EventKind::of(tag) != EventKind::Unknown))
        }
        _ => false,
    }
}

/// A syntax error as an [`Error`]: path from the value, byte of the input.
pub fn syntax_error(bytes: &[u8], offset: u64, error: &SyntaxError) -> Error {
    let mut told = Error::new(ErrorKind::Input, "json-syntax", error.to_string())
        .path(pointer::at(bytes, error.offset));
    told.position.byte = Some(offset + error.offset as u64);
    if bytes.get(error.offset) == Some(&b'\n')
        && error.expected.starts_with("an escape")
    {
        told = told.hint("the text may be cut short or hold an unescaped line break");
    }
    told
}
