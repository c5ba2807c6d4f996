//! The entries of one conversation, and how inputs are cut into conversations.
//!
//! [`split`] cuts bytes into values, [`form`] finds the entries in one,
//! [`Entries`] reads them one by one with their check, and [`turn`], [`pair`] and
//! [`compaction`] answer what belongs together. Nothing here changes a stream.

pub mod compaction;
mod foreign;
pub mod form;
pub(crate) mod notes;
pub mod pair;
pub mod salvage;
pub mod split;
pub mod turn;

pub use foreign::{FOREIGN_LOG, bytes as foreign_bytes};
pub use form::{Container, Conversation, Form};
pub use pair::Pairing;
pub use salvage::Gap;
pub use split::{First, Piece, Splitter};
pub use turn::TurnCounter;

use crate::block::Content;
use crate::error::{Diagnostic, Error, ErrorKind, Position};
use crate::event::{Event, EventKind, Violation, check};
use crate::json::{Elements, Raw, pointer};

/// Reads the entries of a conversation, checked, in order.
#[derive(Debug)]
pub struct Entries<'a> {
    conversation: Conversation<'a>,
    elements: Elements<'a>,
    index: usize,
    lenient: bool,
    warned: usize,
}

/// Entries that are warned of one by one; of more, only the number is told, for
/// a warning takes many times the room of the smallest entry.
pub const WARNINGS: usize = 1000;

impl<'a> Entries<'a> {
    /// All entries of `conversation`. With `lenient`, an entry of a bad shape is
    /// handed out as unknown, with a warning, instead of ending the work (D-5).
    pub fn new(conversation: &Conversation<'a>, lenient: bool) -> Self {
        let elements = conversation.entries.as_array();
        Self {
            conversation: *conversation,
            elements: elements.unwrap_or_default(),
            index: 0,
            lenient,
            warned: 0,
        }
    }

    /// The next entry; what it lacks goes to `told` as warnings.
    ///
    /// # Errors
    ///
    /// A known kind with a bad shape, unless lenient.
    #[allow(clippy::should_implement_trait)]
    pub fn next(
        &mut self,
        told: &mut Vec<Diagnostic>,
    ) -> Option<Result<Event<'a>, Error>> {
        let Some((raw, fields)) = self.elements.next_object() else {
            told.extend(self.untold());
            return None;
        };
        let index = self.index;
        self.index += 1;
        let before = told.len();
        let place = Place {
            conversation: &self.conversation,
            index,
        };
        let read = match fields {
            Some(fields) => Ok(Event::of(raw, fields)),
            None => Event::read(raw),
        };
        let read = check_entry(raw, read, self.lenient, &place, told);
        if told.len() > before {
            self.warned += 1;
            if self.warned > WARNINGS {
                told.truncate(before);
            }
        }
        Some(read)
    }

    /// What is told at the end of the warnings left out.
    fn untold(&mut self) -> Option<Diagnostic> {
        let untold = std::mem::take(&mut self.warned).checked_sub(WARNINGS)?;
        (untold > 0).then(|| {
            Diagnostic::warning(
                "more-warnings",
                format!(
                    "{untold} more of its entries are of a bad shape or lack content"
                ),
            )
            .hint("convo validate tells them all")
        })
    }

    /// All of them at once.
    ///
    /// # Errors
    ///
    /// As for [`Entries::next`].
    pub fn collect(
        mut self,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Vec<Event<'a>>, Error> {
        let mut events = Vec::new();
        while let Some(event) = self.next(told) {
            events.push(event?);
        }
        Ok(events)
    }
}

/// Where an entry stands in its conversation.
#[derive(Debug, Clone, Copy)]
pub struct Place<'c, 'a> {
    /// The conversation.
    pub conversation: &'c Conversation<'a>,
    /// The entry's index, from 0.
    pub index: usize,
}

impl Place<'_, '_> {
    /// The position of `at`, which `path` leads to from the entry.
    pub fn position(&self, at: Raw<'_>, path: &str) -> Position {
        let mut full = self.conversation.entries_path().to_owned();
        pointer::push_index(&mut full, self.index);
        full.push_str(path);
        Position {
            event: Some(self.index),
            path: Some(full),
            byte: Some(at.offset_in(self.conversation.value.bytes()) as u64),
            ..Position::default()
        }
    }
}

/// Reads and checks one entry.
///
/// # Errors
///
/// A known kind with a bad shape, or no object, unless lenient.
pub fn read_entry<'a>(
    raw: Raw<'a>,
    lenient: bool,
    place: &Place<'_, '_>,
    told: &mut Vec<Diagnostic>,
) -> Result<Event<'a>, Error> {
    check_entry(raw, Event::read(raw), lenient, place, told)
}

fn check_entry<'a>(
    raw: Raw<'a>,
    read: Result<Event<'a>, Violation<'a>>,
    lenient: bool,
    place: &Place<'_, '_>,
    told: &mut Vec<Diagnostic>,
) -> Result<Event<'a>, Error> {
    let checked = read.and_then(|event| match check::check(&event) {
        Ok(()) => Ok(event),
        Err(violation) => Err(violation),
    });
    match checked {
        Ok(event) => {
            missing_content(&event, place, told);
            Ok(event)
        }
        Err(violation) if lenient => {
            let Violation { at, path, message } = violation;
            let mut warning = Diagnostic::warning("entry-shape", message)
                .hint("the entry is carried as unknown (--lenient)");
            warning.position = place.position(at, &path);
            told.push(warning);
            Ok(Event::unknown(raw))
        }
        Err(Violation { at, path, message }) => {
            let mut error = Error::new(ErrorKind::Contract, "entry-shape", message)
                .hint("--lenient carries such an entry as unknown instead");
            error.position = place.position(at, &path);
            Err(error)
        }
    }
}

/// D-5: missing content is read as no block, with a warning.
fn missing_content(
    event: &Event<'_>,
    place: &Place<'_, '_>,
    told: &mut Vec<Diagnostic>,
) {
    if event.kind() == EventKind::ToolCallResponse
        && matches!(Content::of(event), Content::Missing)
    {
        let mut warning = Diagnostic::warning(
            notes::MISSING_CONTENT.id,
            "the tool response has no content; it is read as []",
        );
        warning.position = place.position(event.raw(), "/content");
        told.push(warning);
    }
}
