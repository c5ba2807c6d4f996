//! The loop over conversations that every stream command runs.
//!
//! Inputs are cut into conversations, each is handed to the command's
//! [`Filter`], results come out in input order, a bad conversation is reported
//! with its number and skipped (`design.md` 2.1). Bare entries (form F) go to the
//! filter one by one as they arrive if it takes them, and are gathered into one
//! conversation if not. `parallel` runs the same loop over several threads.

use super::message::Messages;
use super::output::Output;
use super::progress::Progress;
use super::source::{Beside, Source};
use super::{Exit, StreamArgs};
use crate::error::{Diagnostic, Error, ErrorKind, Position, Severity};
use crate::json::Raw;
use crate::stream::{
    Container, Conversation, First, Form, Piece, Splitter, foreign_bytes,
};
use std::io;
use std::path::PathBuf;

/// One conversation as it was cut from an input.
#[derive(Debug, Clone, Copy)]
pub struct Record<'b> {
    /// The conversation.
    pub conversation: Conversation<'b>,
    /// What stands beside it on disk.
    pub beside: &'b Beside,
}

/// What a filter says of a conversation it could read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// All is well.
    Good,
    /// There is a result, and it is "no".
    No,
}

/// One command's work on one conversation.
pub trait Filter: Sync {
    /// Appends the result for `record` to `output`, whole or not at all.
    ///
    /// # Errors
    ///
    /// The conversation is refused; positions count from its own value. An output
    /// error is passed on as [`ErrorKind::Output`].
    fn conversation(
        &self,
        record: &Record<'_>,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error>;

    /// How the filter takes bare entries as they arrive; `None` to have them
    /// gathered.
    fn live(&self) -> Option<Box<dyn Live + '_>> {
        None
    }

    /// Whether a base configuration matters to the result.
    fn uses_base(&self) -> bool {
        true
    }
}

/// A filter at work on a form F stream.
pub trait Live {
    /// Takes the next entry; nothing of a refused one may be left in `out`.
    ///
    /// # Errors
    ///
    /// The entry is refused, which ends the stream.
    fn entry(
        &mut self,
        conversation: &Conversation<'_>,
        index: usize,
        out: &mut Vec<u8>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Error>;

    /// Ends the result. Called once, after the last good entry, if there was one.
    fn close(&mut self, out: &mut Vec<u8>);
}

/// What the loop has counted.
#[derive(Debug, Default, Clone, Copy)]
pub struct Tally {
    /// Conversations and unreadable inputs.
    pub seen: usize,
    /// Those of them refused.
    pub refused: usize,
    /// Whether an answer was "no".
    pub no: bool,
    /// Whether more input was left when the loop stopped.
    pub cut: bool,
}

impl Tally {
    /// The exit status (`design.md` 2.1).
    pub fn exit(&self) -> Exit {
        match (self.refused, self.seen) {
            (0, _) if self.no => Exit::No,
            (0, _) => Exit::Good,
            (_, 1) if !self.cut => Exit::Failed,
            _ => Exit::No,
        }
    }
}

/// Why the loop ends early.
pub(super) enum Stop {
    /// `--strict`, and a conversation was refused.
    Strict,
    /// Standard output failed.
    Output(io::Error),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Stop::Output(error)
    }
}

/// Runs `filter` over all inputs and says how it went.
pub fn run(
    filter: &dyn Filter,
    args: &StreamArgs,
    messages: &mut Messages,
    jobs: usize,
    strict: bool,
) -> Exit {
    let base = match args.base_config_bytes() {
        Ok(base) => base,
        Err(error) => {
            messages.tell(&error.into());
            return Exit::Failed;
        }
    };
    let mut run = Run {
        filter,
        args,
        strict,
        output: Output::stdout(),
        tally: Tally::default(),
        progress: Progress::new(messages, args),
        messages,
    };
    let inputs = args.paths();
    let mut stopped = Ok(());
    for (index, path) in inputs.iter().enumerate() {
        let opened = Source::open(path, base.as_deref(), args.no_base);
        stopped = match opened {
            Ok(source) => run.source(source, jobs),
            Err(error) => run.refuse(error),
        };
        if stopped.is_err() {
            run.tally.cut |= index + 1 < inputs.len();
            break;
        }
    }
    run.progress.finish(run.messages);
    let flushed = run.output.flush();
    let tally = run.tally;
    match (stopped, flushed) {
        (Err(Stop::Output(error)), _) | (Ok(()) | Err(Stop::Strict), Err(error)) => {
            super::output_failed(messages, &error)
        }
        _ => tally.exit(),
    }
}

/// The state of one run.
pub(super) struct Run<'r> {
    pub(super) filter: &'r dyn Filter,
    pub(super) args: &'r StreamArgs,
    strict: bool,
    pub(super) output: Output,
    pub(super) tally: Tally,
    pub(super) progress: Progress,
    pub(super) messages: &'r mut Messages,
}

impl Run<'_> {
    fn source(&mut self, source: Source, jobs: usize) -> Result<(), Stop> {
        let Source {
            name,
            reader,
            beside,
            ..
        } = source;
        if self.filter.uses_base()
            && let Some(path) = &beside.base_path
        {
            let mut note = Diagnostic::note(
                "base-config",
                format!("its base configuration is {}", path.display()),
            )
            .hint("--no-base leaves it out");
            note.position.input.clone_from(&name);
            self.messages.tell(&note);
        }
        let origin = Origin {
            name,
            beside,
            encoding: self.args.encoding(),
        };
        let mut splitter = Splitter::new(reader);
        let first = match splitter.peek() {
            Ok(first) => first,
            Err(error) => {
                return self
                    .refuse(origin.refuse(super::source::unreadable(&error), 0));
            }
        };
        match first {
            First::Nothing => {
                let error = Error::new(
                    ErrorKind::Input,
                    "empty-input",
                    "expected a conversation, found an empty input",
                );
                self.refuse(origin.refuse(error, 0))
            }
            First::ForeignLog(error) => self.refuse(origin.refuse(error, 0)),
            First::Entry => self.entries(&mut splitter, &origin),
            First::Conversation if jobs > 1 => {
                super::parallel::run(self, &mut splitter, &origin, jobs)
            }
            First::Conversation => self.one_by_one(&mut splitter, &origin),
        }
    }

    fn one_by_one(
        &mut self,
        splitter: &mut Splitter<Box<dyn io::Read>>,
        origin: &Origin,
    ) -> Result<(), Stop> {
        let mut told = Vec::new();
        for index in 0.. {
            let piece = match splitter.next() {
                Ok(Some(piece)) => piece,
                Ok(None) => break,
                Err(error) => {
                    return self.refuse(
                        origin.refuse(super::source::unreadable(&error), index),
                    );
                }
            };
            let mark = self.output.bytes.len();
            let done = origin.conversation(
                self.filter,
                piece,
                index,
                &mut self.output,
                &mut told,
            );
            self.finish(done, mark, &mut told).inspect_err(|_| {
                self.tally.cut |= splitter.more();
            })?;
            self.progress.at(splitter.position(), &self.tally);
        }
        Ok(())
    }

    /// Books one conversation: its diagnostics, its result or its refusal.
    pub(super) fn finish(
        &mut self,
        done: Result<Answer, Error>,
        mark: usize,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Stop> {
        for diagnostic in told.drain(..) {
            self.messages.tell(&diagnostic);
        }
        match done {
            Ok(answer) => {
                self.tally.seen += 1;
                self.tally.no |= answer == Answer::No;
                self.output.commit()?;
                Ok(())
            }
            Err(error) if error.kind == ErrorKind::Output => {
                Err(Stop::Output(io::Error::other(error.message)))
            }
            Err(error) => {
                self.output.bytes.truncate(mark);
                self.refuse(error)
            }
        }
    }

    pub(super) fn refuse(&mut self, error: Error) -> Result<(), Stop> {
        self.tally.seen += 1;
        self.tally.refused += 1;
        self.messages.tell(&error.into());
        match self.strict {
            true => Err(Stop::Strict),
            false => Ok(()),
        }
    }

    fn entries(
        &mut self,
        splitter: &mut Splitter<Box<dyn io::Read>>,
        origin: &Origin,
    ) -> Result<(), Stop> {
        match self.filter.live() {
            Some(live) => self.live_entries(splitter, origin, live),
            None => self.gathered_entries(splitter, origin),
        }
    }

    fn live_entries(
        &mut self,
        splitter: &mut Splitter<Box<dyn io::Read>>,
        origin: &Origin,
        mut live: Box<dyn Live + '_>,
    ) -> Result<(), Stop> {
        let mut told = Vec::new();
        let mut good = 0;
        let ended = loop {
            let entry = match splitter.next() {
                Ok(Some(piece)) => bare_entry(piece, origin.encoding),
                Ok(None) => break Ok(()),
                Err(error) => break Err(super::source::unreadable(&error)),
            };
            let (conversation, offset) = match entry {
                Ok(entry) => entry,
                Err(error) => break Err(at_entry(error, good)),
            };
            let mark = self.output.bytes.len();
            let done =
                live.entry(&conversation, good, &mut self.output.bytes, &mut told);
            for mut diagnostic in told.drain(..) {
                shift(&mut diagnostic.position, offset);
                origin.place(&mut diagnostic.position, 0);
                self.messages.tell(&diagnostic);
            }
            if let Err(mut error) = done {
                self.output.bytes.truncate(mark);
                shift(&mut error.position, offset);
                break Err(error);
            }
            good += 1;
            self.output.flush()?;
            self.progress.at(splitter.position(), &self.tally);
        };
        if good > 0 {
            live.close(&mut self.output.bytes);
            self.output.flush()?;
        }
        match ended {
            Ok(()) => {
                self.tally.seen += 1;
                Ok(())
            }
            Err(error) => {
                // The good entries are out: there is a result, and it is short.
                self.tally.cut |= good > 0;
                self.refuse(origin.refuse(error, 0))
            }
        }
    }

    fn gathered_entries(
        &mut self,
        splitter: &mut Splitter<Box<dyn io::Read>>,
        origin: &Origin,
    ) -> Result<(), Stop> {
        let mut array = vec![b'['];
        let mut starts = Vec::new();
        loop {
            let gathered = match splitter.next() {
                Ok(Some(Piece::Value { bytes, offset })) => {
                    if !starts.is_empty() {
                        array.push(b',');
                    }
                    starts.push((array.len(), offset));
                    array.extend_from_slice(bytes);
                    continue;
                }
                Ok(Some(piece)) => bare_entry(piece, origin.encoding).map(|_| ()),
                Ok(None) => break,
                Err(error) => Err(super::source::unreadable(&error)),
            };
            if let Err(error) = gathered {
                return self.refuse(origin.refuse(at_entry(error, starts.len()), 0));
            }
        }
        array.push(b']');
        let value = Raw::checked(&array);
        let mut conversation = Conversation {
            form: Form::Entries,
            encoding: origin.encoding.unwrap_or(crate::block::Encoding::Storage),
            ..Conversation::of_array(value)
        };
        let base = origin.base();
        let mut told = Vec::new();
        let mark = self.output.bytes.len();
        let done = base.and_then(|base| {
            conversation.base = base;
            let record = Record {
                conversation,
                beside: &origin.beside,
            };
            self.filter
                .conversation(&record, &mut self.output, &mut told)
        });
        let unmap = |position: &mut Position| {
            if let Some(byte) = &mut position.byte {
                let before =
                    starts.partition_point(|&(start, _)| start as u64 <= *byte);
                if let Some(&(start, offset)) = starts.get(before.saturating_sub(1)) {
                    *byte = byte.saturating_sub(start as u64) + offset;
                }
            }
            origin.place(position, 0);
        };
        for diagnostic in &mut told {
            unmap(&mut diagnostic.position);
        }
        let done = done.map_err(|mut error| {
            unmap(&mut error.position);
            error
        });
        self.finish(done, mark, &mut told)
    }
}

/// Where records come from: what all conversations of one input share.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub(super) name: Option<String>,
    pub(super) beside: Beside,
    pub(super) encoding: Option<crate::block::Encoding>,
}

impl Origin {
    /// Runs `filter` on one piece of the input.
    pub(super) fn conversation(
        &self,
        filter: &dyn Filter,
        piece: Piece<'_>,
        index: usize,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        let (bytes, offset) = match piece {
            Piece::Value { bytes, offset } => (bytes, offset),
            Piece::Broken {
                error,
                head,
                offset,
            } => {
                let guess = (offset == 0).then(|| foreign_bytes(head)).flatten();
                return Err(self.refuse(guess.unwrap_or(error), index));
            }
        };
        let done = self.read(Raw::checked(bytes)).and_then(|conversation| {
            let record = Record {
                conversation,
                beside: &self.beside,
            };
            filter.conversation(&record, output, told)
        });
        for diagnostic in told.iter_mut() {
            shift(&mut diagnostic.position, offset);
            self.place(&mut diagnostic.position, index);
        }
        done.map_err(|mut error| {
            shift(&mut error.position, offset);
            self.refuse(error, index)
        })
    }

    fn read<'b>(&'b self, value: Raw<'b>) -> Result<Conversation<'b>, Error> {
        let mut conversation = match Conversation::read(value)? {
            Container::Conversation(conversation) => conversation,
            Container::Entry(_) => {
                return Err(Error::new(
                    ErrorKind::Input,
                    "bare-entry",
                    "expected a conversation, found a bare entry among conversations",
                )
                .hint("an input is either all bare entries or all conversations")
                .byte(0));
            }
        };
        if let Some(base) = self.base()? {
            conversation.base = Some(base);
        }
        conversation.encoding = self.encoding.unwrap_or(conversation.encoding);
        Ok(conversation)
    }

    /// The base configuration given beside the conversation.
    fn base(&self) -> Result<Option<Raw<'_>>, Error> {
        let Some(bytes) = &self.beside.base_config else {
            return Ok(None);
        };
        let wrong = |message: String| {
            Error::new(
                ErrorKind::Input,
                "base-config",
                format!("the base configuration is no JSON object: {message}"),
            )
        };
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let value = Raw::parse(bytes).map_err(|error| wrong(error.to_string()))?;
        match value.kind() {
            crate::json::Kind::Object => Ok(Some(value)),
            kind => Err(wrong(format!("found {}", kind.name()))),
        }
    }

    pub(super) fn place(&self, position: &mut Position, index: usize) {
        position.input.clone_from(&self.name);
        position.conversation = Some(index);
    }

    pub(super) fn refuse(&self, mut error: Error, index: usize) -> Error {
        self.place(&mut error.position, index);
        error
    }
}

fn shift(position: &mut Position, offset: u64) {
    if let Some(byte) = &mut position.byte {
        *byte += offset;
    }
}

fn at_entry(mut error: Error, index: usize) -> Error {
    error.position.event = Some(index);
    error
}

/// One entry of form F as a conversation of its own, so that positions in it
/// count from the entry.
fn bare_entry(
    piece: Piece<'_>,
    encoding: Option<crate::block::Encoding>,
) -> Result<(Conversation<'_>, u64), Error> {
    match piece {
        Piece::Broken { error, .. } => Err(error),
        Piece::Value { bytes, offset } => {
            let conversation = Conversation {
                form: Form::Entries,
                encoding: encoding.unwrap_or(crate::block::Encoding::Storage),
                ..Conversation::of_array(Raw::checked(bytes))
            };
            Ok((conversation, offset))
        }
    }
}

/// The error for standard output that stopped working.
pub(super) fn output_error(error: &io::Error) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: "output",
        position: Position::default(),
        message: format!("the result cannot be written: {error}"),
        hint: None,
    }
}

/// Turns an output error into one that a filter can return.
pub fn unwritable(error: &io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::BrokenPipe => "broken pipe".to_owned(),
        _ => error.to_string(),
    };
    Error::new(ErrorKind::Output, "output", kind)
}

/// Paths of inputs, standard input if there is none.
pub(super) fn paths(inputs: &[PathBuf]) -> Vec<PathBuf> {
    match inputs {
        [] => vec![PathBuf::from("-")],
        inputs => inputs.to_vec(),
    }
}
