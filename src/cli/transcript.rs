//! Other tools' transcripts among the inputs of a stream command.
//!
//! What an input is shows in its first values. A transcript is put behind a reader
//! of bundles, so that every command takes it as if it had been imported; one note
//! says what it was read as (`docs/formats.md`).

use super::run::{Run, Stop};
use super::source::Source;
use crate::error::{Diagnostic, Error, ErrorKind, Severity};
use crate::import::{self, Format, Found, Options, Told};
use crate::json::Raw;
use crate::stream::{First, Splitter};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufRead as _, Read, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Mutex;

/// How transcripts are read, for a command that has options for it.
#[derive(Debug, Default)]
pub struct Imports {
    /// What is asked of the import.
    pub options: Options,
    /// Where the counts of each record go.
    pub report: Mutex<Option<File>>,
}

/// A transcript being read.
#[derive(Debug)]
pub(super) struct Transcript {
    told: Rc<RefCell<Vec<Told>>>,
    format: Format,
    noted: bool,
}

/// What is at the head of an input.
pub(super) enum Head {
    /// A stream, or something to be refused value by value.
    Stream(Splitter<Box<dyn Read>>, First),
    /// A transcript, as bundles.
    Transcript(Splitter<Box<dyn Read>>, Transcript),
    /// Something known by name that is not read, or nothing known.
    Refused(Error),
}

/// Says what `reader` holds; `options` are those of the import.
pub(super) fn look(
    reader: Box<dyn Read>,
    options: Options,
    from: Option<Format>,
) -> io::Result<Head> {
    let mut splitter = Splitter::new(unpacked(reader)?);
    let first = splitter.peek()?;
    if matches!(first, First::Nothing) {
        return Ok(Head::Stream(splitter, first));
    }
    let (head, complete) = splitter.head(|head, complete| {
        let values = import::values(head, complete);
        match values.first() {
            // A value that is larger than what is looked at has been read whole.
            None => head.len() >= import::HEAD,
            Some(&one) => {
                values.len() >= import::VALUES
                    || head.len() >= import::HEAD
                    || !import::needs_more(one)
                    || from.is_none() && import::is_stored(one)
            }
        }
    })?;
    let values = import::values(head, complete);
    match import::recognise(&values, from) {
        Found::Stored | Found::Unknown => Ok(Head::Stream(splitter, first)),
        Found::Refused(error) => Ok(Head::Refused(error)),
        Found::Foreign(shape, format) => {
            let told = Rc::default();
            let input = Box::new(splitter.into_reader());
            let reader = import::Reader::new(input, shape, options, Rc::clone(&told));
            let transcript = Transcript {
                told,
                format,
                noted: false,
            };
            Ok(Head::Transcript(
                Splitter::new(Box::new(reader) as Box<dyn Read>),
                transcript,
            ))
        }
    }
}

/// The reader, behind a decompressor if it opens like a zstd file.
pub(super) fn unpacked(mut reader: Box<dyn Read>) -> io::Result<Box<dyn Read>> {
    let mut magic = Vec::with_capacity(4);
    reader.by_ref().take(4).read_to_end(&mut magic)?;
    let zstd = magic == [0x28, 0xb5, 0x2f, 0xfd];
    let whole: Box<dyn Read> = Box::new(io::Cursor::new(magic).chain(reader));
    Ok(match zstd {
        true => Box::new(Frames {
            rest: Some(io::BufReader::new(whole)),
            frame: None,
        }),
        false => whole,
    })
}

type Packed = io::BufReader<Box<dyn Read>>;

/// The frames of a zstd file, one after the other.
struct Frames {
    rest: Option<Packed>,
    frame: Option<StreamingDecoder<Packed, FrameDecoder>>,
}

impl Read for Frames {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(frame) = &mut self.frame {
                let count = frame.read(into)?;
                if count > 0 || into.is_empty() {
                    return Ok(count);
                }
                self.rest = self.frame.take().map(StreamingDecoder::into_inner);
            }
            let Some(mut rest) = self.rest.take() else {
                return Ok(0);
            };
            if rest.fill_buf()?.is_empty() {
                return Ok(0);
            }
            let frame = StreamingDecoder::new(rest).map_err(|error| {
                io::Error::other(format!(
                    "a zstd file that cannot be unpacked: {error}"
                ))
            })?;
            self.frame = Some(frame);
        }
    }
}

impl Transcript {
    /// Tells what the import had to say since the last time. A command that reads
    /// transcripts straight says in one note what it read and what is not in it.
    pub(super) fn tell(
        &mut self,
        run: &mut Run<'_>,
        name: Option<&str>,
    ) -> Result<(), Stop> {
        let told: Vec<Told> = self.told.borrow_mut().drain(..).collect();
        let imports = run.filter.imports();
        let place = |mut diagnostic: Diagnostic| {
            diagnostic.position.input = name.map(str::to_owned);
            diagnostic
        };
        let mut notes = Vec::new();
        let mut refused = Vec::new();
        let mut seen = false;
        for one in told {
            seen |= !matches!(one, Told::Refused(_));
            match one {
                Told::Diagnostic(note)
                    if imports.is_none() && note.severity == Severity::Note =>
                {
                    if note.code != "unknown" {
                        notes.push(note.message);
                    }
                }
                Told::Diagnostic(diagnostic) => run.messages.tell(&place(diagnostic)),
                Told::Refused(error) => refused.push(error),
                Told::Report(report) => {
                    if let Some(imports) = imports {
                        report_to(imports, &report, name);
                    }
                }
            }
        }
        if imports.is_none() && seen && !self.noted {
            self.noted = true;
            let mut message = format!("read as {}", self.format.title());
            if self.format.is_session() {
                for note in notes {
                    message.push_str("; ");
                    message.push_str(&note);
                }
            }
            let note = Diagnostic::note("read-as", message)
                .hint("convo import has options for it");
            run.messages.tell(&place(note));
        }
        for mut error in refused {
            error.position.input = name.map(str::to_owned);
            run.refuse(error)?;
        }
        Ok(())
    }
}

fn report_to(imports: &Imports, report: &import::Report, name: Option<&str>) {
    let mut line = Vec::new();
    report.write(&mut line, name);
    line.push(b'\n');
    let Ok(mut file) = imports.report.lock() else {
        return;
    };
    // A report that cannot be written shows when it is closed.
    if let Some(file) = file.as_mut() {
        let _ = file.write_all(&line);
    }
}

/// The options for one input: what is asked, and what stands beside it.
pub(super) fn options(imports: Option<&Imports>, path: &Path) -> Options {
    let mut options = imports.map(|i| i.options.clone()).unwrap_or_default();
    let stem = path.file_name().map(|name| name.to_string_lossy());
    let stem = stem.as_deref().and_then(|name| name.split('.').next());
    if let Some(stem) = stem.filter(|stem| stem.starts_with("agent-")) {
        let sidecar = path.with_file_name(format!("{stem}.meta.json"));
        let bytes = std::fs::read(sidecar).ok();
        options.sidecar = bytes.filter(|bytes| Raw::parse(bytes).is_ok());
        options.stem = Some(stem.to_owned());
    }
    options
}

/// The transcripts below a directory, in byte order of their paths; `None` for
/// what is no directory of transcripts.
pub(super) fn below(path: &Path) -> Option<Vec<PathBuf>> {
    let is_workspace = path.join(".jp/conversations").is_dir()
        || path.join("conversations").is_dir()
        || path.file_name().is_some_and(|name| name == "conversations");
    if !path.is_dir() || path.join("events.json").is_file() || is_workspace {
        return None;
    }
    let found = walk(path);
    (!found.is_empty()).then_some(found)
}

/// All files below a directory that may be transcripts.
pub(super) fn walk(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            // A link may lead back up: only what stands here is walked.
            if kind.is_dir() {
                folders.push(path);
            } else if is_transcript_name(&path) {
                found.push(path);
            }
        }
    }
    found.sort_by(|a, b| {
        a.as_os_str()
            .as_encoded_bytes()
            .cmp(b.as_os_str().as_encoded_bytes())
    });
    // Where a session stands packed and plain, the plain one wins.
    let plain: std::collections::HashSet<PathBuf> = found.iter().cloned().collect();
    found.retain(|path| {
        path.extension().is_none_or(|e| e != "zst")
            || !plain.contains(&path.with_extension(""))
    });
    found
}

fn is_transcript_name(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let ends = [".jsonl", ".jsonl.zst", ".json"];
    ends.iter().any(|end| name.ends_with(end)) && !name.ends_with(".meta.json")
}

/// A file of a directory that holds no transcript: passed over.
pub(super) fn skipped(source: &Source, found: &Error) -> Diagnostic {
    let mut note =
        Diagnostic::note("skipped", format!("passed over: {}", found.message));
    note.position.input.clone_from(&source.name);
    note
}

/// What an input is that nothing recognised, in a directory of transcripts.
pub(super) fn nothing_known() -> Error {
    Error::new(
        ErrorKind::Input,
        "foreign-format",
        "no transcript of a known format",
    )
}
