//! A request body of any provider, read with byte positions.
//!
//! A [`Body`] is a view on the bytes it was read from: it stores the top-level
//! fields and reads messages, blocks and tools as they are walked, each in one
//! pass over its members, so that a body costs no more memory than its widest
//! object. Every part knows its [`Place`], from which the JSON Pointer is made
//! when a report needs it, and its bytes, whose position `Raw::offset_in` gives.
//! What the provider means by the parts is for others to say: nothing here
//! judges, unknown fields and kinds are kept. Requests wrapped by a recorder are
//! unwrapped by [`mod@capture`].

mod address;
pub mod capture;
pub mod id;
mod kind;
pub(crate) mod notes;
mod place;
mod provider;
mod walk;

use crate::term::quoted;
pub use capture::{Capture, Headers, Positions, capture, captures, foreign, records};
pub use kind::{Role, is_change, is_server_result, is_thinking};
pub use place::{Inside, Place};
pub use provider::{Dialect, Provider, Recognised, recognise};
pub use walk::{Block, Blocks, Message, Messages, Tool, Tools};

use crate::error::{Error, ErrorKind};
use crate::json::{Kind, Raw, Text};
use std::borrow::Cow;

/// The members of one object, read once, in the order written.
#[derive(Debug, Clone, Default)]
pub struct Fields<'a>(Vec<(Text<'a>, Raw<'a>)>);

impl<'a> Fields<'a> {
    /// Reads the members; none for anything but an object.
    pub fn read(raw: Raw<'a>) -> Self {
        Self(raw.as_object().into_iter().flatten().collect())
    }

    /// The value of `key`, the last one if it stands there twice.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        let mut members = self.0.iter().rev();
        members
            .find(|(name, _)| name.is(key))
            .map(|(_, value)| *value)
    }

    /// Like [`get`](Self::get), a `null` counting as absent.
    pub fn given(&self, key: &str) -> Option<Raw<'a>> {
        self.get(key).filter(|value| !value.is_null())
    }

    /// The decoded string under `key`, if it is one.
    pub fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key).and_then(Raw::as_str)
    }

    /// All members, duplicates included.
    pub fn iter(&self) -> impl Iterator<Item = (Text<'a>, Raw<'a>)> {
        self.0.iter().copied()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// One request body.
#[derive(Debug, Clone)]
pub struct Body<'a> {
    /// The whole value.
    pub raw: Raw<'a>,
    /// Its members.
    pub fields: Fields<'a>,
    /// Whose it is.
    pub provider: Provider,
    /// The shape it has: some providers take more than one.
    pub dialect: Dialect,
    /// Whether the body itself proves that; false for a guess, true when said.
    pub certain: bool,
}

impl<'a> Body<'a> {
    /// Reads a value as a body.
    ///
    /// `said` is the provider the caller names; `model` the model's name where
    /// the body has none, which helps recognising the provider.
    ///
    /// # Errors
    ///
    /// The value is no body: another kind of value, a stored conversation, a
    /// response, or a body of another dialect than said.
    pub fn read(
        raw: Raw<'a>,
        said: Option<Provider>,
        model: Option<&str>,
    ) -> Result<Self, Error> {
        if raw.kind() != Kind::Object {
            return Err(not_an_object(raw));
        }
        let fields = Fields::read(raw);
        if let Some(error) = stranger(&fields) {
            return Err(error);
        }
        let found = recognise(&fields, model);
        let (provider, certain) = match (said, found) {
            (Some(said), Some(found))
                if found.certain
                    && !(found.provider == Provider::OpenAi
                        && said.dialect() == Dialect::Ollama)
                    && found.provider.dialect_of(&fields)
                        != said.dialect_of(&fields) =>
            {
                return Err(Error::new(
                    ErrorKind::Contract,
                    "other-provider",
                    format!(
                        "this is a body for {}, not for {}",
                        found.provider.name(),
                        said.name()
                    ),
                )
                .hint(format!(
                    "leave out --provider, or say {0}",
                    found.provider.name()
                )));
            }
            (Some(said), Some(_)) if !said.has_own(&fields) => {
                return Err(not_its_own(said, found));
            }
            (Some(said), Some(_)) => (said, true),
            (None, Some(found)) => (found.provider, found.certain),
            (_, None) => return Err(nobodys(&fields)),
        };
        Ok(Self {
            raw,
            dialect: provider.dialect_of(&fields),
            fields,
            provider,
            certain,
        })
    }

    /// The value of a top-level field, the last one if it stands there twice.
    pub fn get(&self, key: &str) -> Option<Raw<'a>> {
        self.fields.get(key)
    }

    /// The model the body names.
    pub fn model(&self) -> Option<Cow<'a, str>> {
        self.fields.text("model")
    }

    /// The value that holds the messages, whatever the dialect calls it.
    pub fn message_list(&self) -> Option<Raw<'a>> {
        self.get(place::messages_key(self.dialect))
    }

    /// The messages, items or contents, in order.
    pub fn messages(&self) -> Messages<'a> {
        Messages::new(self.dialect, self.message_list())
    }

    /// The blocks of the top-level system text; a bare string is one block.
    pub fn system(&self) -> Blocks<'a> {
        let system = match self.dialect {
            Dialect::Messages | Dialect::Converse => self.get("system"),
            Dialect::Gemini => self
                .get("systemInstruction")
                .or_else(|| self.get("system_instruction"))
                .and_then(|value| value.get("parts")),
            Dialect::Responses => self.get("instructions"),
            Dialect::Chat | Dialect::Ollama => None,
        };
        Blocks::system(self.dialect, system)
    }

    /// The entries of `tools`, in order.
    pub fn tools(&self) -> Tools<'a> {
        let tools = match self.dialect {
            Dialect::Converse => {
                self.get("toolConfig").and_then(|one| one.get("tools"))
            }
            _ => self.get("tools"),
        };
        Tools::new(tools)
    }

    /// The JSON Pointer of a place in this body.
    pub fn pointer(&self, place: Place) -> String {
        place.pointer(self.dialect)
    }
}

/// A body without any field that holds a prompt of the provider named.
fn not_its_own(said: Provider, found: Option<Recognised>) -> Error {
    let text = format!(
        "this body has no `{}`, so it is none for {}",
        said.prompt_keys().join("` and no `"),
        said.name()
    );
    let error = contract("other-provider", text);
    match found {
        Some(found) => error.hint(format!(
            "leave out --provider, or say {}",
            found.provider.name()
        )),
        None => error.hint("leave out --provider"),
    }
}

fn contract(code: &'static str, message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Contract, code, message)
}

fn not_an_object(raw: Raw<'_>) -> Error {
    let event = raw
        .as_array()
        .and_then(|mut entries| entries.next())
        .is_some_and(|first| {
            first.get("type").is_some() || first.get("role").is_some()
        });
    let error = contract(
        "not-a-body",
        format!(
            "expected a request body, an object, found {}",
            raw.kind().name()
        ),
    );
    match raw.kind() {
        Kind::Array if event => error.hint(
            "a stored conversation or a bare list of messages is no body: \
             `convo flatten` makes bodies of conversations",
        ),
        Kind::Array => error.hint("give one body a line, not an array of them"),
        _ => error,
    }
}

/// Things that are often taken for a request body.
fn stranger(fields: &Fields<'_>) -> Option<Error> {
    let has = |key: &str| fields.get(key).is_some();
    if has("params") && has("custom_id") {
        let text = "this is a request of a batch: its body stands under `params`";
        let hint = "take the bodies out first: `jq -c .params FILE`";
        return Some(contract("batch", text).hint(hint));
    }
    let first = |list: Raw<'_>| list.as_array()?.next()?.get("params").map(|_| ());
    if fields.get("requests").and_then(first).is_some() {
        let text = "this is a batch of requests: their bodies stand under `params`";
        let hint = "take the bodies out first: `jq -c '.requests[].params' FILE`";
        return Some(contract("batch", text).hint(hint));
    }
    let session = ["sessionId", "parentUuid", "session_id"];
    let request = ["messages", "input", "contents"].iter().any(|key| has(key));
    if session.iter().any(|key| has(key)) && !request
        || has("payload") && has("timestamp") && has("type")
    {
        let text = "this is a line of a session's transcript, not a request body";
        let hint = "make a conversation of it with `convo import`, or its bodies with \
                    `convo flatten`";
        return Some(contract("transcript", text).hint(hint));
    }
    let kind = fields.text("type");
    let object = fields.text("object");
    let response = match (kind.as_deref(), object.as_deref()) {
        (Some("message"), _) if !request => Some("an Anthropic response"),
        (Some("error"), _) => Some("an error response"),
        (_, Some("response")) => Some("an OpenAI response"),
        (_, Some("chat.completion" | "chat.completion.chunk")) => {
            Some("a chat completion response")
        }
        _ if request => None,
        _ if fields.get("candidates").is_some() => Some("a Gemini response"),
        _ if fields.get("choices").is_some() => Some("a chat completion response"),
        _ if fields.get("done").is_some() && fields.get("message").is_some() => {
            Some("an Ollama response")
        }
        (Some("message_start" | "content_block_delta" | "response.created"), _) => {
            Some("an event of a streamed response")
        }
        _ => None,
    };
    if let Some(what) = response {
        return Some(
            contract("response", format!("this is {what}, not a request body"))
                .hint("give the body that was sent, not the one that came back"),
        );
    }
    if let Some(api) = other_api(fields) {
        let text = format!("this is a body of {api}, not one of a conversation");
        let hint = "bodies with `messages`, `input` items or `contents` are read";
        return Some(contract("not-a-body", text).hint(hint));
    }
    let conversation = fields.get("events").is_some() || fields.get("data").is_some();
    (conversation && !request).then(|| {
        contract(
            "not-a-body",
            "this is a stored conversation, not a request body",
        )
        .hint("make a body of it first, with `convo flatten`")
    })
}

/// The API whose body this is, where it is one that holds no conversation.
fn other_api(fields: &Fields<'_>) -> Option<&'static str> {
    let has = |key: &str| fields.get(key).is_some();
    let strings = || {
        let mut list = fields.get("input")?.as_array()?;
        list.next().map(|first| first.kind() == Kind::String)
    };
    if has("messages") || has("contents") {
        return None;
    }
    if has("encoding_format") || has("input_type") || strings() == Some(true) {
        return Some("an embeddings API");
    }
    if has("prompt") && !has("input") {
        return Some(match has("size") || has("n") && has("response_format") {
            true => "a pictures API",
            false => "a completions API",
        });
    }
    None
}

fn nobodys(fields: &Fields<'_>) -> Error {
    let mut names: Vec<String> = fields
        .iter()
        .take(4)
        .map(|(key, _)| quoted(&key.decode()))
        .collect();
    if names.is_empty() {
        names.push("no field".to_owned());
    }
    contract(
        "not-a-body",
        format!(
            "expected a request body with `messages`, `input` or `contents`, \
             found an object with {}",
            names.join(", ")
        ),
    )
    .hint("a recorded request has its body under `body` or `request.body`")
}

#[cfg(test)]
mod tests;
