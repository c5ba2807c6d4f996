//! Facts of a request that a stream does not hold (`docs/formats.md#forms`).
//!
//! The shape is that of a bundle's `inputs`. Each fact is optional and replaces
//! what the configuration or the built-in tables would give.

use crate::config::ToolChoice;
use crate::error::{Error, ErrorKind};
use crate::json::{Kind, Raw, Text};

/// A file that goes with a conversation.
#[derive(Debug, Clone, Copy)]
pub struct Attachment<'a> {
    /// Where it comes from.
    pub source: Text<'a>,
    /// What it is, for the model.
    pub description: Option<Text<'a>>,
    /// What is in it.
    pub payload: Payload<'a>,
}

/// The content of an attachment.
#[derive(Debug, Clone, Copy)]
pub enum Payload<'a> {
    /// Plain text.
    Text(Text<'a>),
    /// Bytes in base64.
    Binary {
        /// Their media type.
        media_type: Text<'a>,
        /// The base64.
        data: Text<'a>,
    },
}

/// The facts given.
#[derive(Debug, Clone, Default)]
pub struct Inputs<'a> {
    /// The model's entry: its name on the wire and what it can do.
    pub model: Option<Raw<'a>>,
    /// The tools to offer.
    pub tools: Option<Raw<'a>>,
    /// What is said about calling them.
    pub tool_choice: Option<ToolChoice<'a>>,
    /// The system parts, rendered.
    pub system_parts: Option<Raw<'a>>,
    /// The attachments.
    pub attachments: Option<Vec<Attachment<'a>>>,
    /// When the conversation began.
    pub created_at: Option<Text<'a>>,
    /// The beta headers in force.
    pub beta_headers: Option<Vec<Text<'a>>>,
}

impl<'a> Inputs<'a> {
    /// Reads an `inputs` object.
    ///
    /// # Errors
    ///
    /// A field of another shape, with its path.
    pub fn read(value: Raw<'a>) -> Result<Self, Error> {
        if value.kind() != Kind::Object {
            return Err(shape("", "an object", value));
        }
        let get = |key: &str, kind: Kind, expected: &'static str| {
            let found = value.get(key).filter(|value| !value.is_null());
            match found {
                Some(value) if value.kind() != kind => {
                    Err(shape(&format!("/{key}"), expected, value))
                }
                found => Ok(found),
            }
        };
        let array = "an array";
        let tools = get("tools", Kind::Array, array)?;
        for (index, tool) in elements(tools).enumerate() {
            if tool.get("name").and_then(Raw::as_text).is_none() {
                let path = format!("/tools/{index}");
                return Err(shape(&path, "a tool with a `name`", tool));
            }
        }
        let system_parts = get("system_parts", Kind::Array, array)?;
        for (index, part) in elements(system_parts).enumerate() {
            if part.as_text().is_none() {
                return Err(shape(&format!("/system_parts/{index}"), "a string", part));
            }
        }
        let attachments = get("attachments", Kind::Array, array)?
            .map(|list| {
                let list = elements(Some(list)).enumerate();
                list.map(|(index, one)| attachment(index, one)).collect()
            })
            .transpose()?;
        let betas = get("beta_headers", Kind::Array, array)?;
        let beta = |(index, name): (usize, Raw<'a>)| {
            name.as_text().ok_or_else(|| {
                shape(&format!("/beta_headers/{index}"), "a string", name)
            })
        };
        let beta_headers = betas
            .map(|list| elements(Some(list)).enumerate().map(beta).collect())
            .transpose()?;
        Ok(Self {
            model: get("model", Kind::Object, "an object")?,
            tools,
            tool_choice: choice(value.get("tool_choice"))?,
            system_parts,
            attachments,
            created_at: get("created_at", Kind::String, "a string")?
                .and_then(Raw::as_text),
            beta_headers,
        })
    }

    /// The facts of `self`, and those of `other` where `self` has none.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            model: self.model.or(other.model),
            tools: self.tools.or(other.tools),
            tool_choice: self.tool_choice.or(other.tool_choice),
            system_parts: self.system_parts.or(other.system_parts),
            attachments: self.attachments.or(other.attachments),
            created_at: self.created_at.or(other.created_at),
            beta_headers: self.beta_headers.or(other.beta_headers),
        }
    }
}

fn elements(list: Option<Raw<'_>>) -> impl Iterator<Item = Raw<'_>> {
    list.and_then(Raw::as_array).into_iter().flatten()
}

fn choice(value: Option<Raw<'_>>) -> Result<Option<ToolChoice<'_>>, Error> {
    let Some(value) = value.filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let named = value.get("function").and_then(Raw::as_str);
    match (value.as_str(), named) {
        (Some(text), _) => Ok(Some(ToolChoice::of(text))),
        (None, Some(name)) => Ok(Some(ToolChoice::Function(name))),
        (None, None) => Err(shape(
            "/tool_choice",
            "`auto`, `none`, `required` or {\"function\": NAME}",
            value,
        )),
    }
}

fn attachment(index: usize, value: Raw<'_>) -> Result<Attachment<'_>, Error> {
    let text = |key: &str| value.get(key).and_then(Raw::as_text);
    let payload = match (text("text"), text("media_type").zip(text("data"))) {
        (Some(text), _) => Some(Payload::Text(text)),
        (None, Some((media_type, data))) => Some(Payload::Binary { media_type, data }),
        (None, None) => None,
    };
    match (text("source"), payload) {
        (Some(source), Some(payload)) => Ok(Attachment {
            source,
            description: text("description"),
            payload,
        }),
        _ => Err(shape(
            &format!("/attachments/{index}"),
            "`source` with `text`, or with `media_type` and `data`",
            value,
        )),
    }
}

fn shape(path: &str, expected: &str, found: Raw<'_>) -> Error {
    Error::new(
        ErrorKind::Contract,
        "inputs-shape",
        format!(
            "expected {expected} in the inputs, found {}",
            found.kind().name()
        ),
    )
    .path(path)
}
