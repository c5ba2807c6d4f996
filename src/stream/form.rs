//! The container forms a conversation comes in (`docs/formats.md#forms`).
//!
//! [`Conversation::read`] tells form A to E apart and finds the entries; what is
//! a bare entry opens form F, which the caller handles value by value. What is
//! none of them is refused with a guess at what it may be: see `foreign`.

use super::foreign;
use crate::block::Encoding;
use crate::error::{Error, ErrorKind};
use crate::event::{Event, EventKind};
use crate::json::{Kind, Raw};

/// The container of one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// An array of entries as stored: forms A, B and C.
    Array,
    /// The plugin protocol's envelope: form D.
    Envelope,
    /// `convo`'s own bundle: form E.
    Bundle,
    /// Bare entries, gathered: form F.
    Entries,
}

/// One conversation: its container and where its entries are.
#[derive(Debug, Clone, Copy)]
pub struct Conversation<'a> {
    /// How it came.
    pub form: Form,
    /// The whole value.
    pub value: Raw<'a>,
    /// The array of its entries.
    pub entries: Raw<'a>,
    /// A base configuration given beside the entries.
    pub base: Option<Raw<'a>>,
    /// How strings that storage encodes are spelled.
    pub encoding: Encoding,
}

/// What one value of an input is.
#[derive(Debug, Clone, Copy)]
pub enum Container<'a> {
    /// A conversation in form A to E.
    Conversation(Conversation<'a>),
    /// One entry of a form F stream.
    Entry(Raw<'a>),
}

impl<'a> Conversation<'a> {
    /// Finds out which form `value` is.
    ///
    /// # Errors
    ///
    /// It is none of them, or an envelope that carries an error.
    pub fn read(value: Raw<'a>) -> Result<Container<'a>, Error> {
        match value.kind() {
            Kind::Array => {
                foreign::refuse_array(value)?;
                Ok(Container::Conversation(Self::of_array(value)))
            }
            Kind::Object => Self::read_object(value),
            kind => Err(Error::new(
                ErrorKind::Input,
                "not-a-conversation",
                format!(
                    "expected a conversation (an array of entries, an envelope or a \
                     bundle), found {}",
                    kind.name()
                ),
            )),
        }
    }

    /// An array of entries in storage encoding: form A, B or C.
    pub fn of_array(value: Raw<'a>) -> Self {
        Self {
            form: Form::Array,
            value,
            entries: value,
            base: None,
            encoding: Encoding::Storage,
        }
    }

    fn read_object(value: Raw<'a>) -> Result<Container<'a>, Error> {
        // One walk for all keys: a conversation may be large.
        let fields: Vec<_> = value.as_object().into_iter().flatten().collect();
        let get = |key: &str| {
            let mut fields = fields.iter().rev();
            fields.find(|(name, _)| name.is(key)).map(|&(_, raw)| raw)
        };
        let tag = get("type").and_then(Raw::as_text);
        if tag.is_some_and(|tag| EventKind::of(tag) != EventKind::Unknown) {
            return Ok(Container::Entry(value));
        }
        if tag.is_some_and(|tag| tag.is("error"))
            && get("timestamp").is_none()
            && let Some(message) = get("message")
        {
            return Err(reported(message));
        }
        if let Some(entries) = get("data").filter(|v| v.kind() == Kind::Array) {
            return Ok(Container::Conversation(Self {
                form: Form::Envelope,
                value,
                entries,
                base: None,
                encoding: Encoding::Plain,
            }));
        }
        if let (Some(base), Some(events)) = (get("base_config"), get("events")) {
            let encoding = get("encoding");
            return Self::read_bundle(value, base, events, encoding)
                .map(Container::Conversation);
        }
        foreign::refuse_object(value)?;
        if tag.is_some() && get("events").is_none() {
            return Ok(Container::Entry(value));
        }
        Err(foreign::unknown_object(value))
    }

    fn read_bundle(
        value: Raw<'a>,
        base: Raw<'a>,
        events: Raw<'a>,
        encoding: Option<Raw<'a>>,
    ) -> Result<Self, Error> {
        let wrong = |at: Raw<'a>, path: &str, expected: &str| {
            Error::new(
                ErrorKind::Contract,
                "bundle-shape",
                format!(
                    "expected {expected} in a bundle, found {}",
                    at.kind().name()
                ),
            )
            .path(path)
            .byte(at.offset_in(value.bytes()))
        };
        if events.kind() != Kind::Array {
            return Err(wrong(events, "/events", "an array of entries"));
        }
        if !matches!(base.kind(), Kind::Object | Kind::Null) {
            return Err(wrong(base, "/base_config", "an object"));
        }
        let encoding = match encoding.filter(|v| !v.is_null()) {
            None => Encoding::Storage,
            Some(name) => match name.as_str().as_deref() {
                Some("storage") => Encoding::Storage,
                Some("plain") => Encoding::Plain,
                _ => return Err(wrong(name, "/encoding", "\"storage\" or \"plain\"")),
            },
        };
        Ok(Self {
            form: Form::Bundle,
            value,
            entries: events,
            base: (!base.is_null()).then_some(base),
            encoding,
        })
    }

    /// JSON Pointer from the value to the array of entries.
    pub fn entries_path(&self) -> &'static str {
        match self.form {
            Form::Array | Form::Entries => "",
            Form::Envelope => "/data",
            Form::Bundle => "/events",
        }
    }

    /// Form B's element 0: the base that an array without a separate one carries.
    pub fn embedded_base(&self) -> Option<Event<'a>> {
        let stored = matches!(self.form, Form::Array | Form::Entries);
        if !stored || self.base.is_some() {
            return None;
        }
        let first = Event::read(self.entries.as_array()?.next()?).ok()?;
        (first.kind() == EventKind::ConfigDelta).then_some(first)
    }

    /// Whether the entries look like a user view, which is no stream (D-3): tool
    /// responses, but no tool request and no delta. Entries with a base are stored;
    /// those that are no envelope must have a user's word, too: a lone response is
    /// a piece of a stream.
    pub fn looks_like_user_view(&self) -> bool {
        if self.form == Form::Bundle || self.base.is_some() {
            return false;
        }
        let (mut responses, mut requests) = (false, self.form == Form::Envelope);
        for entry in self.entries.as_array().into_iter().flatten() {
            match entry.get("type").and_then(Raw::as_text).map(EventKind::of) {
                Some(EventKind::ToolCallResponse) => responses = true,
                Some(EventKind::ChatRequest) => requests = true,
                Some(EventKind::ToolCallRequest | EventKind::ConfigDelta) => {
                    return false;
                }
                _ => {}
            }
        }
        responses && requests
    }

    /// Refuses a user view where a stream is needed.
    ///
    /// # Errors
    ///
    /// The conversation looks like a user view (D-3).
    pub fn require_stream(&self) -> Result<(), Error> {
        if !self.looks_like_user_view() {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::Contract,
            "user-view",
            "expected a stream, found what looks like a user view: tool responses, \
             but no tool request and no configuration delta",
        )
        .path(self.entries_path())
        .hint(
            "a user view is a projection; give the stored conversation or its raw view",
        ))
    }
}

/// The failure that an envelope of type `error` tells of.
fn reported(message: Raw<'_>) -> Error {
    let shown = String::from_utf8_lossy(message.bytes());
    let message = message.as_str().unwrap_or(shown);
    Error::new(
        ErrorKind::Input,
        "error-envelope",
        format!("the envelope reports an error instead of events: {message}"),
    )
}
