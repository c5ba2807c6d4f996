//! The state of one run over all inputs: results, messages, counts, progress.

use super::StreamArgs;
use super::filter::{Answer, Filter, Tally};
use super::message::Messages;
use super::output::Output;
use super::progress::Progress;
use super::told::Repeats;
use crate::error::{Diagnostic, Error, ErrorKind};
use std::io;

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

/// The state of one run.
pub(super) struct Run<'r> {
    pub(super) filter: &'r dyn Filter,
    pub(super) args: &'r StreamArgs,
    pub(super) strict: bool,
    pub(super) output: Output,
    pub(super) tally: Tally,
    pub(super) progress: Progress,
    pub(super) messages: &'r mut Messages,
}

impl Run<'_> {
    /// Books one conversation: its diagnostics, its result or its refusal.
    pub(super) fn finish(
        &mut self,
        done: Result<Answer, Error>,
        mark: usize,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Stop> {
        let mut repeats = Repeats::default();
        for diagnostic in told.drain(..) {
            repeats.tell(self.messages, &diagnostic);
        }
        repeats.finish(self.messages);
        match done {
            Ok(answer) => {
                self.tally.seen += 1;
                self.tally.no |= answer == Answer::No;
                self.output.keep();
                self.output.commit()?;
                Ok(())
            }
            Err(error) if error.kind == ErrorKind::Output => {
                Err(Stop::Output(self.output.failure(&error)))
            }
            Err(error) => {
                // What came of it before is out: there is a result, and it is short.
                self.tally.cut |= self.output.take_back(mark);
                self.refuse(error)
            }
        }
    }

    pub(super) fn refuse(&mut self, error: Error) -> Result<(), Stop> {
        self.tally.seen += 1;
        self.tally.refused += 1;
        let told = error.into();
        self.filter.refused(&told);
        self.messages.tell(&told);
        match self.strict {
            true => Err(Stop::Strict),
            false => Ok(()),
        }
    }
}
