//! The loop over conversations that every stream command runs.
//!
//! Inputs are cut into conversations, each is handed to the command's
//! [`Filter`], results come out in input order, a bad conversation is reported
//! with its number and skipped (`docs/commands.md`). `entries` does the same for bare
//! entries (form F), `parallel` over several threads.

use super::filter::{Filter, Tally};
use super::message::Messages;
use super::origin::Origin;
use super::output::Output;
use super::progress::Progress;
use super::run::{Run, Stop};
use super::source::{Source, unreadable};
use super::transcript::{self, Head, Transcript};
use super::{Exit, StreamArgs};
use crate::error::{Diagnostic, Error, ErrorKind, Severity};
use crate::import;
use crate::redact::{self, Hits};
use crate::stream::{First, Splitter};
use crate::term::counted;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

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
        stopped = run.input(path, base.as_deref(), jobs);
        if stopped.is_err() {
            run.tally.cut |= index + 1 < inputs.len();
            break;
        }
    }
    run.progress.finish(run.messages);
    let flushed = run.output.flush();
    let tally = run.tally;
    if messages.verbose {
        let (seen, refused) = (tally.seen, tally.refused);
        let told = format!("{}, {refused} refused", counted(seen, "conversation"));
        messages.tell(&Diagnostic::note("tally", told));
    }
    match (stopped, flushed) {
        (Err(Stop::Output(error)), _) | (_, Err(error)) => {
            super::output_failed(messages, &error)
        }
        _ => tally.exit(),
    }
}

impl Run<'_> {
    /// One argument: an input, or a directory of transcripts.
    fn input(
        &mut self,
        path: &Path,
        base: Option<&[u8]>,
        jobs: usize,
    ) -> Result<(), Stop> {
        let one = std::slice::from_ref(&path);
        let many = transcript::below(path);
        let in_directory = many.is_some();
        let files = many.iter().flatten().map(PathBuf::as_path);
        let alone = one.iter().copied().filter(|_| !in_directory);
        for (index, file) in alone.chain(files).enumerate() {
            let done = match Source::open(file, base, self.args.no_base) {
                Ok(source) => {
                    let mut options = transcript::options(self.filter.imports(), file);
                    match self.masked(source, &mut options) {
                        Ok((source, hits)) => {
                            let name = source.name.clone();
                            let done = self.source(source, jobs, options, in_directory);
                            let note =
                                super::redact::masked(&hits.borrow(), name.as_deref());
                            note.iter().for_each(|note| self.messages.tell(note));
                            done
                        }
                        Err(error) => self.refuse(error),
                    }
                }
                Err(error) => self.refuse(error),
            };
            done.inspect_err(|_| {
                self.tally.cut |= many.as_ref().is_some_and(|m| index + 1 < m.len());
            })?;
        }
        Ok(())
    }

    /// The input with its secrets masked, if that is asked for; what was found will
    /// stand in the list.
    fn masked(
        &self,
        mut source: Source,
        options: &mut import::Options,
    ) -> Result<(Source, Hits), Error> {
        let hits = Rc::default();
        let Some(rules) = &self.args.masks else {
            return Ok((source, hits));
        };
        let reader = std::mem::replace(&mut source.reader, Box::new(io::empty()));
        let plain = transcript::unpacked(reader).map_err(|error| unreadable(&error))?;
        let masked = redact::Reader::new(plain, Arc::clone(rules), Rc::clone(&hits));
        source.reader = Box::new(masked);
        let beside = [&mut source.beside.base_config, &mut options.sidecar];
        for bytes in beside.into_iter().flatten() {
            *bytes = rules.mask(bytes, &mut hits.borrow_mut());
        }
        Ok((source, hits))
    }

    fn source(
        &mut self,
        mut source: Source,
        jobs: usize,
        options: import::Options,
        in_directory: bool,
    ) -> Result<(), Stop> {
        match source.broken_base.clone() {
            Some(error) if self.filter.uses_base() => return self.refuse(error),
            // A flag must be right; a file beside is in nobody's way unread.
            Some(error) => self.messages.tell(&Diagnostic {
                severity: Severity::Warning,
                ..Diagnostic::from(error).hint("it is not needed here")
            }),
            None if self.filter.uses_base() => self.note_base(&source),
            None => {}
        }
        let reader = std::mem::replace(&mut source.reader, Box::new(io::empty()));
        let mut origin = Origin {
            name: source.name.clone(),
            beside: source.beside.clone(),
            encoding: self.args.encoding(),
            any_value: self.filter.takes_any_value(),
            imported: false,
            salvage: self.args.lenient || self.filter.salvages(),
        };
        let from = options.from;
        let head = match origin.any_value {
            true => {
                let mut splitter = Splitter::new(reader);
                splitter.peek().map(|first| Head::Stream(splitter, first))
            }
            false => transcript::look(reader, options, from),
        };
        let (mut splitter, first) = match head {
            Err(error) => return self.refuse(origin.refuse(unreadable(&error), 0)),
            Ok(Head::Stream(_, First::Conversation | First::ForeignLog(_)))
                if in_directory =>
            {
                let skipped =
                    transcript::skipped(&source, &transcript::nothing_known());
                self.messages.tell(&skipped);
                return Ok(());
            }
            Ok(Head::Stream(splitter, first)) => (splitter, first),
            Ok(Head::Refused(error)) if in_directory => {
                self.messages.tell(&transcript::skipped(&source, &error));
                return Ok(());
            }
            Ok(Head::Refused(error)) => return self.refuse(origin.refuse(error, 0)),
            Ok(Head::Transcript(splitter, transcript)) => {
                origin.imported = true;
                origin.encoding = None;
                return self.transcript(splitter, transcript, &origin, jobs);
            }
        };
        if origin.salvage {
            splitter.salvage();
        }
        match first {
            First::Nothing => {
                let error = Error::new(
                    ErrorKind::Input,
                    "empty-input",
                    "expected a conversation, found an empty input",
                );
                self.refuse(origin.refuse(error, 0))
            }
            First::ForeignLog(error) if !origin.any_value => {
                self.refuse(origin.refuse(error, 0))
            }
            First::Entry if !origin.any_value => {
                super::entries::run(self, &mut splitter, &origin)
            }
            _ if jobs > 1 => super::parallel::run(self, &mut splitter, &origin, jobs),
            _ => self.one_by_one(&mut splitter, &origin),
        }
    }

    /// A transcript, as bundles.
    fn transcript(
        &mut self,
        mut splitter: Splitter<Box<dyn io::Read>>,
        mut transcript: Transcript,
        origin: &Origin,
        jobs: usize,
    ) -> Result<(), Stop> {
        if jobs > 1 {
            let done = super::parallel::run(self, &mut splitter, origin, jobs);
            return done.and(transcript.tell(self, origin.name.as_deref()));
        }
        self.each(&mut splitter, origin, |run| {
            transcript.tell(run, origin.name.as_deref())
        })
    }

    fn note_base(&self, source: &Source) {
        if source.beside.base_path.is_none() {
            return;
        }
        let text = "base_config.json beside it is its base (--no-base: without it)";
        let mut note = Diagnostic::note("base-config", text);
        note.position.input.clone_from(&source.name);
        self.messages.tell(&note);
    }

    fn one_by_one(
        &mut self,
        splitter: &mut Splitter<Box<dyn io::Read>>,
        origin: &Origin,
    ) -> Result<(), Stop> {
        self.each(splitter, origin, |_| Ok(()))
    }

    /// Runs the filter over all conversations; `before` is called ahead of each,
    /// and at the end.
    fn each(
        &mut self,
        splitter: &mut Splitter<Box<dyn io::Read>>,
        origin: &Origin,
        mut before: impl FnMut(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let mut told = Vec::new();
        for index in 0.. {
            let next = splitter.next();
            before(self)?;
            let piece = match next {
                Ok(Some(piece)) => piece,
                Ok(None) => break,
                Err(error) => {
                    return self.refuse(origin.refuse(unreadable(&error), index));
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
}
