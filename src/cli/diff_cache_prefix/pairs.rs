//! The pairs of a run: two files, or one input with many requests.

use super::compare::{Comparer, Found, Told};
use super::held::{Held, entries, times};
use crate::body::{captures, records};
use crate::cli::Exit;
use crate::cli::filter::Tally;
use crate::cli::message::Messages;
use crate::cli::output::Output;
use crate::error::{Error, ErrorKind};
use crate::json::Raw;
use crate::prefix::{Amount, History, Link, Opened, Report, Summary, Taken, Times};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::rc::Rc;

/// The bytes of two files; held once if they are equal.
type Two = (Rc<Vec<u8>>, Rc<Vec<u8>>);

/// One run over all pairs.
pub(super) struct Run<'r> {
    pub(super) comparer: &'r Comparer<'r>,
    messages: &'r Messages,
    pub(super) output: Output,
    pub(super) tally: Tally,
    pub(super) summary: Summary,
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

    /// Compares one pair; whether to go on.
    pub(super) fn pair(
        &mut self,
        a: &Found<'_>,
        b: &Found<'_>,
        history: &mut History,
    ) -> io::Result<bool> {
        let report = self.comparer.pair(a, b, history);
        self.told(report, b)
    }

    /// Compares a request of a recording with the one it goes on from; whether to go
    /// on.
    pub(super) fn linked(
        &mut self,
        a: &Held,
        b: &Found<'_>,
        taken: &Taken<'_>,
        link: &Link,
        told: Told,
        history: &mut History,
    ) -> io::Result<bool> {
        let report = a
            .found()
            .and_then(|a| self.comparer.follow(&a, (b, taken), link, told, history));
        self.told(report, b)
    }

    /// Says that a request opens a thread.
    pub(super) fn opens(
        &mut self,
        b: &Found<'_>,
        taken: &Taken<'_>,
        thread: usize,
        [resumes, early]: [Option<String>; 2],
        like: Option<(String, Amount)>,
    ) -> io::Result<()> {
        let opened = Opened {
            request: b.name.clone(),
            provider: taken.body().provider.name(),
            thread,
            resumes,
            early,
            like,
        };
        self.comparer.write_opened(&mut self.output.bytes, &opened);
        self.output.flush()
    }

    fn told(
        &mut self,
        report: Result<Report, Error>,
        b: &Found<'_>,
    ) -> io::Result<bool> {
        let report = match report {
            Ok(report) => report,
            Err(error) => return Ok(self.refuse(error)),
        };
        self.tally.seen += 1;
        self.tally.no |= self.comparer.fails(&report);
        self.comparer.write(&mut self.output.bytes, &report, b);
        self.summary.add(&report);
        // At once: somebody may be waiting for it.
        self.output.flush()?;
        Ok(true)
    }

    /// The exit status; where no pair could be compared there is no answer.
    pub(super) fn exit(&self) -> Exit {
        match self.summary.pairs {
            0 if self.tally.refused > 0 => Exit::Failed,
            _ => self.tally.exit(),
        }
    }

    /// Tells why a request of a file gives no result; whether to go on.
    pub(super) fn refuse_in(
        &mut self,
        mut error: Error,
        file: Option<&String>,
    ) -> bool {
        error.position.input = file.cloned();
        self.refuse(error)
    }

    /// Tells why there is no result; whether to go on.
    pub(super) fn refuse(&mut self, error: Error) -> bool {
        self.tally.seen += 1;
        self.tally.refused += 1;
        self.messages.tell(&error.into());
        self.tally.cut |= self.strict;
        !self.strict
    }
}

pub(super) fn name(path: &Path) -> Option<String> {
    (path.as_os_str() != "-").then(|| path.display().to_string())
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> Error {
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
        crate::cli::source::standard_input().read_to_end(&mut bytes)?;
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
        times: first_times(record),
        capture,
        input: bytes,
        base: 0,
        line: 1,
        name: path.display().to_string(),
        file: name(path),
    })
}

/// A form upload is no JSON, and says so itself.
pub(super) fn multipart(bytes: &[u8], path: &Path) -> Option<Error> {
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

fn first_times(record: Raw<'_>) -> Times {
    let entries = entries(record);
    entries
        .first()
        .map_or_else(Times::default, |(entry, _)| times(*entry))
}
