//! The pairs of a run: two files, or one input with many requests.

use super::compare::{Comparer, Found};
use crate::body::{captures, records};
use crate::cli::Exit;
use crate::cli::filter::Tally;
use crate::cli::message::Messages;
use crate::cli::output::Output;
use crate::error::{Error, ErrorKind};
use crate::event::Timestamp;
use crate::json::Raw;
use crate::prefix::{History, Summary};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::rc::Rc;

/// The bytes of two files; held once if they are equal.
type Two = (Rc<Vec<u8>>, Rc<Vec<u8>>);

/// One run over all pairs.
pub(super) struct Run<'r> {
    comparer: &'r Comparer<'r>,
    messages: &'r Messages,
    pub(super) output: Output,
    pub(super) tally: Tally,
    summary: Summary,
    strict: bool,
}

impl<'r> Run<'r> {
    pub(super) fn new(
        comparer: &'r Comparer<'r>,
        messages: &'r Messages,
        output: Output,
        strict: bool,
    ) -> Self {
        Self {
            comparer,
            messages,
            output,
            tally: Tally::default(),
            summary: Summary::default(),
            strict,
        }
    }

    /// Compares the requests of two files.
    pub(super) fn two(&mut self, a: &Path, b: &Path) -> io::Result<()> {
        let (first, second) = match self.read_two(a, b) {
            Ok(both) => both,
            Err(error) => {
                self.refuse(error);
                return Ok(());
            }
        };
        let one = only(&first, a);
        let other = match (&one, Rc::ptr_eq(&first, &second)) {
            // Equal files are read once.
            (Ok(one), true) => Ok(Found {
                name: b.display().to_string(),
                file: name(b),
                capture: one.capture.clone(),
                ..*one
            }),
            _ => only(&second, b),
        };
        match one.and_then(|one| Ok((one, other?))) {
            Ok((one, other)) => {
                self.pair(&one, &other, &mut History::default())?;
            }
            Err(error) => {
                self.refuse(error);
            }
        }
        Ok(())
    }

    fn read_two(&self, a: &Path, b: &Path) -> Result<Two, Error> {
        if a.as_os_str() == "-" && b.as_os_str() == "-" {
            let text = "standard input cannot be both requests";
            return Err(Error::new(ErrorKind::Usage, "usage", text));
        }
        let first = Rc::new(read(a)?);
        let second = match same(&first, b)? {
            Some(bytes) => Rc::new(bytes),
            None => first.clone(),
        };
        Ok((first, second))
    }

    /// Compares the requests of one input, each with the one before it.
    pub(super) fn many(&mut self, path: &Path) -> io::Result<()> {
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.refuse(error);
                return Ok(());
            }
        };
        self.series(path, &bytes)
    }

    fn series(&mut self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut history = History::default();
        let mut last: Option<Found<'_>> = None;
        let mut index = 0;
        if let Some(error) = multipart(bytes, path) {
            self.refuse(error);
            return Ok(());
        }
        for record in records(bytes) {
            let found = match record {
                Ok(record) => {
                    let times = times(record);
                    let each = captures(bytes, record).into_iter().enumerate();
                    each.map(|(at, capture)| {
                        let time = times.get(at).copied().flatten();
                        capture.map(|capture| (capture, time))
                    })
                    .collect()
                }
                Err(error) => vec![Err(error)],
            };
            for capture in found {
                index += 1;
                let taken = capture.and_then(|(capture, time)| {
                    let taken = Found {
                        capture,
                        input: bytes,
                        name: format!("{}:{index}", path.display()),
                        file: name(path),
                        time,
                    };
                    self.comparer.read(&taken)?;
                    Ok(taken)
                });
                let taken = match taken {
                    Ok(taken) => taken,
                    Err(mut error) => {
                        error.position.input = name(path);
                        if self.refuse(error) {
                            continue;
                        }
                        return Ok(());
                    }
                };
                if let Some(before) = &last
                    && !self.pair(before, &taken, &mut history)?
                {
                    return Ok(());
                }
                last = Some(taken);
            }
        }
        if self.tally.seen == 0 {
            let text = match last {
                Some(_) => "expected at least two requests to compare, found one",
                None => "expected at least two requests to compare, found none",
            };
            let mut error = Error::new(ErrorKind::Contract, "no-pair", text)
                .hint("give two files, or one body a line");
            error.position.input = name(path);
            self.refuse(error);
        }
        self.comparer
            .write_summary(&mut self.output.bytes, &self.summary);
        Ok(())
    }

    /// Compares one pair; whether to go on.
    fn pair(
        &mut self,
        a: &Found<'_>,
        b: &Found<'_>,
        history: &mut History,
    ) -> io::Result<bool> {
        let report = match self.comparer.pair(a, b, history) {
            Ok(report) => report,
            Err(error) => return Ok(self.refuse(error)),
        };
        self.tally.seen += 1;
        self.tally.no |= self.comparer.fails(&report);
        self.comparer.write(&mut self.output.bytes, &report, b);
        self.summary.add(&report);
        self.output.commit()?;
        Ok(true)
    }

    /// The exit status; where no pair could be compared there is no answer.
    pub(super) fn exit(&self) -> Exit {
        match self.summary.pairs {
            0 if self.tally.refused > 0 => Exit::Failed,
            _ => self.tally.exit(),
        }
    }

    /// Tells why there is no result; whether to go on.
    fn refuse(&mut self, error: Error) -> bool {
        self.tally.seen += 1;
        self.tally.refused += 1;
        self.messages.tell(&error.into());
        self.tally.cut |= self.strict;
        !self.strict
    }
}

fn name(path: &Path) -> Option<String> {
    (path.as_os_str() != "-").then(|| path.display().to_string())
}

fn unreadable(path: &Path, error: &io::Error) -> Error {
    let mut error = crate::cli::source::unreadable(error);
    error.position.input = name(path);
    match path.is_dir() {
        true => error
            .hint("a conversation is compared with --conversation DIR --via flatten"),
        false => error,
    }
}

/// Reads a whole input; `-` is standard input.
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let read = || {
        if path.as_os_str() != "-" {
            return std::fs::read(path);
        }
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error| unreadable(path, &error))
}

/// Reads the second file beside the first: `None` if they are equal, so that equal
/// parts are held once.
fn same(first: &[u8], path: &Path) -> Result<Option<Vec<u8>>, Error> {
    if path.as_os_str() == "-" {
        return read(path).map(Some);
    }
    let at = |error: io::Error| unreadable(path, &error);
    let mut file = File::open(path).map_err(at)?;
    let size = file.metadata().map_err(at)?;
    if !size.is_file() || size.len() != first.len() as u64 {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(at)?;
        return Ok(Some(bytes));
    }
    let mut buffer = vec![0; 256 * 1024];
    let mut held = 0;
    loop {
        let count = match file.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(at(error)),
        };
        if count == 0 && held == first.len() {
            return Ok(None);
        }
        let equal = first.get(held..held + count) == Some(&buffer[..count]);
        if count == 0 || !equal {
            let mut bytes = first[..held].to_vec();
            bytes.extend_from_slice(&buffer[..count]);
            file.read_to_end(&mut bytes).map_err(at)?;
            return Ok(Some(bytes));
        }
        held += count;
    }
}

/// The one request of a file.
fn only<'a>(bytes: &'a [u8], path: &Path) -> Result<Found<'a>, Error> {
    let named = |mut error: Error| {
        error.position.input = name(path);
        error
    };
    if let Some(error) = multipart(bytes, path) {
        return Err(error);
    }
    let mut found = None;
    for record in records(bytes) {
        let record = record.map_err(named)?;
        for capture in captures(bytes, record) {
            let capture = capture.map_err(named)?;
            if found.is_some() {
                let text = "expected one request beside that of the other file, found \
                            several";
                let error = Error::new(ErrorKind::Contract, "several", text)
                    .hint("give the file alone: its requests are compared in turn");
                return Err(named(error));
            }
            found = Some((capture, record));
        }
    }
    let (capture, record) = found.ok_or_else(|| {
        let text = "the recording holds no request with a body";
        named(Error::new(ErrorKind::Contract, "not-a-body", text))
    })?;
    Ok(Found {
        time: times(record).first().copied().flatten(),
        capture,
        input: bytes,
        name: path.display().to_string(),
        file: name(path),
    })
}

/// A form upload is no JSON, and says so itself.
fn multipart(bytes: &[u8], path: &Path) -> Option<Error> {
    let text = bytes.trim_ascii_start();
    let head = &text[..text.len().min(1024)];
    let form = head.starts_with(b"--")
        && memchr::memmem::find(&head.to_ascii_lowercase(), b"content-disposition:")
            .is_some()
        || head
            .to_ascii_lowercase()
            .starts_with(b"content-type: multipart/");
    form.then(|| {
        let text = "the input is a multipart capture, not JSON";
        let mut error = Error::new(ErrorKind::Input, "multipart", text)
            .hint("take the part that holds the body out of it");
        error.position.input = name(path);
        error.position.byte = Some(0);
        error
    })
}

/// When the requests of a record were sent, in the order of its captures.
fn times(record: Raw<'_>) -> Vec<Option<i64>> {
    let read = |value: Raw<'_>| {
        let keys = ["startedDateTime", "timestamp", "started_at", "time"];
        let mut found = keys.iter().filter_map(|key| value.get(key)?.as_str());
        let moment = found.find_map(|text| Timestamp::parse(&text));
        moment.map(|moment| moment.seconds)
    };
    let log = record.get("log").and_then(|log| log.get("entries"));
    match log.and_then(Raw::as_array) {
        Some(entries) => entries
            .filter(|entry| entry.at(&["request", "postData", "text"]).is_some())
            .map(read)
            .collect(),
        None => vec![read(record)],
    }
}
