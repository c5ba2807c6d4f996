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
use super::{Exit, StreamArgs};
use crate::error::{Diagnostic, Error, ErrorKind, Severity};
use crate::stream::{First, Splitter};
use std::io;

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
        stopped = match Source::open(path, base.as_deref(), args.no_base) {
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
    if messages.verbose {
        let (seen, refused) = (tally.seen, tally.refused);
        let plural = if seen == 1 { "" } else { "s" };
        let told = format!("{seen} conversation{plural}, {refused} refused");
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
    fn source(&mut self, source: Source, jobs: usize) -> Result<(), Stop> {
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
        let mut splitter = Splitter::new(source.reader);
        let origin = Origin {
            name: source.name,
            beside: source.beside,
            encoding: self.args.encoding(),
            any_value: self.filter.takes_any_value(),
        };
        let first = match splitter.peek() {
            Ok(first) => first,
            Err(error) => return self.refuse(origin.refuse(unreadable(&error), 0)),
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

    fn note_base(&self, source: &Source) {
        let Some(path) = &source.beside.base_path else {
            return;
        };
        let mut note = Diagnostic::note(
            "base-config",
            format!("its base configuration is {}", path.display()),
        )
        .hint("--no-base leaves it out");
        note.position.input.clone_from(&source.name);
        self.messages.tell(&note);
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
