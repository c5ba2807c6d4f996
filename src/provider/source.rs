//! What bodies are made from: entries, base configuration, facts from outside.

use super::options::Options;
use crate::block::fault;
use crate::error::{Diagnostic, Error};
use crate::event::{Event, EventKind, Timestamp};
use crate::json::{Raw, Text};
use crate::stream::{Conversation, Entries, Form};
use crate::thread::Inputs;

/// What a conversation is made of.
pub(super) struct Source<'a> {
    pub(super) events: Vec<Event<'a>>,
    pub(super) base: Option<Raw<'a>>,
    pub(super) inputs: Inputs<'a>,
    pub(super) created_at: Option<Timestamp>,
}

impl<'a> Source<'a> {
    /// Reads a conversation.
    ///
    /// # Errors
    ///
    /// A bad entry, or facts of another shape.
    pub(super) fn read(
        conversation: &Conversation<'a>,
        options: &Options<'a>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Self, Error> {
        let mut events = Entries::new(conversation, options.lenient).collect(told)?;
        for (index, event) in events.iter().enumerate() {
            told.extend(fault::warning(&fault::of_result(event), index));
        }
        let mut base = conversation.base;
        let mut created_at = options.created_at;
        let stored = matches!(conversation.form, Form::Array | Form::Entries);
        if let Some(first) = events.first_mut()
            && base.is_none()
            && stored
            && first.kind() == EventKind::ConfigDelta
        {
            created_at = first.timestamp().or(created_at);
            // It is the base, not a delta of the stream.
            base = Some(first.get("delta").unwrap_or(first.raw()));
            *first = Event::unknown(Raw::checked(b"{}"));
        }
        let read = |value: Option<Raw<'a>>| {
            let value = value.filter(|value| !value.is_null());
            value
                .map(Inputs::read)
                .transpose()
                .map(Option::unwrap_or_default)
        };
        let given = read(options.inputs)?;
        let own = match conversation.form {
            Form::Bundle => conversation.value.get("inputs"),
            Form::Array | Form::Envelope | Form::Entries => None,
        };
        let own = read(own).map_err(|mut error| {
            let path = error.position.path.unwrap_or_default();
            error.position.path = Some(format!("/inputs{path}"));
            error
        })?;
        let inputs = given.or(own);
        let said = inputs.created_at.map(Text::decode);
        let said = said.and_then(|text| Timestamp::parse(&text));
        Ok(Self {
            events,
            base,
            inputs,
            created_at: said.or(created_at),
        })
    }
}
