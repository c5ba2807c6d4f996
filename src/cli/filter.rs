//! What a stream command is: one piece of work on one conversation, and the count of
//! how it went.

use super::Exit;
use super::origin::Record;
use super::output::Output;
use crate::error::{Diagnostic, Error};
use crate::stream::Conversation;

/// What a filter says of a conversation it could read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
    /// error is passed on as an output error.
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

    /// How transcripts are read, if the command has options for it; `None` to read
    /// them straight.
    fn imports(&self) -> Option<&super::transcript::Imports> {
        None
    }

    /// Whether what can be read of a broken conversation is wanted, whatever the
    /// options say.
    fn salvages(&self) -> bool {
        false
    }

    /// Whether a bare entry of a bad shape is for the filter to tell; else it is left
    /// out where entries are gathered.
    fn judges_entries(&self) -> bool {
        false
    }

    /// Told of what is refused, an input or a conversation, once it is known.
    fn refused(&self, _refused: &Diagnostic) {}

    /// Whether any JSON value will do, be it no conversation.
    fn takes_any_value(&self) -> bool {
        false
    }
}

/// A filter at work on a form F stream.
pub trait Live {
    /// Takes the next entry, which is `conversation`'s value; nothing of a refused
    /// one may be left in `out`.
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
    ///
    /// # Errors
    ///
    /// The end could not be written.
    fn close(
        &mut self,
        out: &mut Vec<u8>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Error>;
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
    /// Whether there was more to it: input left when the loop stopped, or a
    /// result before a stream broke off.
    pub cut: bool,
}

impl Tally {
    /// The exit status (`docs/commands.md`).
    pub fn exit(&self) -> Exit {
        match (self.refused, self.seen) {
            (0, _) if self.no => Exit::No,
            (0, _) => Exit::Good,
            // Nothing could be read, be it one input or many.
            (refused, seen) if refused == seen && !self.cut => Exit::Failed,
            _ => Exit::No,
        }
    }
}
