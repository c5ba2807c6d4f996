//! `convo project` again, slow and obvious, for comparison.
//!
//! Works on whole `serde_json::Value`s and uses none of the crate's own code, so
//! that a mistake would have to be made twice. Written from `docs/formats.md`
//! sections 1 to 3, 5.2, 6 and 7. Input must be valid: an entry of a known kind
//! with a bad shape is treated as an unknown one (as under `--lenient`).
//! [`read`] cuts bytes into conversations, [`Conversation::entries`] decodes one,
//! [`project`] makes the view. All strings of a result are plain.

mod base64;
mod compact;
mod time;
mod turns;

use serde_json::{Map, Value, json};

/// Whether strings are encoded as in storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Metadata, arguments and string results are base64.
    Storage,
    /// They are not.
    Plain,
}

/// The container forms of one conversation (`docs/formats.md#forms`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// An array whose base configuration is given separately.
    A,
    /// An array that opens with its base configuration.
    B,
    /// An array without a base configuration.
    C,
    /// An envelope with `data`.
    D,
    /// A bundle.
    E,
    /// Bare entries.
    F,
}

/// One conversation as found, nothing decoded yet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Conversation {
    /// How it was contained.
    pub(crate) form: Form,
    /// The base configuration that came with it.
    pub(crate) base: Option<Value>,
    /// What its container says about its strings.
    pub(crate) encoding: Encoding,
    /// The entries, the base of form B not among them.
    pub(crate) stored: Vec<Value>,
    /// `type`, `id` and `conversation` of an envelope.
    pub(crate) names: Map<String, Value>,
}

/// What `project` is asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Options {
    /// `--view raw` instead of the user view.
    pub(crate) raw: bool,
    /// `--addressed-only`.
    pub(crate) addressed_only: bool,
    /// `--compacted`.
    pub(crate) compacted: bool,
}

/// Cuts an input into conversations; `None` if it is not JSON or in no form.
///
/// `base_given` says that `--base-config` is there (form A, D-28).
pub(crate) fn read(bytes: &[u8], base_given: bool) -> Option<Vec<Conversation>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let values: Vec<Value> = serde_json::Deserializer::from_str(text)
        .into_iter()
        .collect::<Result<_, _>>()
        .ok()?;
    if values.first().is_some_and(is_bare_entry) {
        return Some(vec![bare_entries(values)]);
    }
    values
        .iter()
        .map(|value| conversation(value, base_given))
        .collect()
}

/// Form F: every value is an entry of one stream.
pub(crate) fn bare_entries(values: Vec<Value>) -> Conversation {
    Conversation {
        form: Form::F,
        base: None,
        encoding: Encoding::Storage,
        stored: values,
        names: Map::new(),
    }
}

/// One conversation in form A to E; `None` if the value is none of them.
pub(crate) fn conversation(value: &Value, base_given: bool) -> Option<Conversation> {
    let found = |form, base, encoding, entries: &[Value]| Conversation {
        form,
        base,
        encoding,
        stored: entries.to_vec(),
        names: Map::new(),
    };
    if let Some(entries) = value.as_array() {
        if base_given {
            return Some(found(Form::A, None, Encoding::Storage, entries));
        }
        if entries.first().is_some_and(|e| e["type"] == "config_delta") {
            let base = Some(delta_of(&entries[0]));
            return Some(found(Form::B, base, Encoding::Storage, &entries[1..]));
        }
        return Some(found(Form::C, None, Encoding::Storage, entries));
    }
    if let Some(entries) = value.get("data").and_then(Value::as_array) {
        let mut envelope = found(Form::D, None, Encoding::Plain, entries);
        for key in ["type", "id", "conversation"] {
            if let Some(name) = value.get(key) {
                envelope.names.insert(key.to_owned(), name.clone());
            }
        }
        return Some(envelope);
    }
    let base = value.get("base_config")?.clone();
    let entries = value.get("events")?.as_array()?;
    let encoding = match value.get("encoding") {
        Some(name) if name == "plain" => Encoding::Plain,
        _ => Encoding::Storage,
    };
    Some(found(Form::E, Some(base), encoding, entries))
}

/// Whether a first value is an entry, so that all of the input is form F (1.2).
pub(crate) fn is_bare_entry(value: &Value) -> bool {
    let Some(kind) = value.get("type").and_then(Value::as_str) else {
        return false;
    };
    if is_known(kind) {
        return true;
    }
    let is_error = kind == "error"
        && value.get("message").is_some()
        && value.get("timestamp").is_none();
    let has_data = value.get("data").is_some_and(Value::is_array);
    !is_error && !has_data && value.get("events").is_none()
}

/// The partial configuration a delta carries, nested or flat (D-2).
pub(crate) fn delta_of(entry: &Value) -> Value {
    if let Some(delta) = entry.get("delta") {
        return delta.clone();
    }
    let mut flat = entry.as_object().cloned().unwrap_or_default();
    for key in [
        "type",
        "timestamp",
        "event_id",
        "request_id",
        "metadata",
        "unsets",
        "claims",
    ] {
        flat.shift_remove(key);
    }
    Value::Object(flat)
}

impl Conversation {
    /// The entries with plain strings; `encoding` overrides the container's.
    pub(crate) fn entries(
        &self,
        encoding: Option<Encoding>,
        strict_base64: bool,
    ) -> Vec<Value> {
        match encoding.unwrap_or(self.encoding) {
            Encoding::Plain => self.stored.clone(),
            Encoding::Storage => self
                .stored
                .iter()
                .map(|entry| decoded(entry, strict_base64))
                .collect(),
        }
    }

    /// The envelope around `entries`, with the names the input had.
    pub(crate) fn envelope(&self, entries: Vec<Value>) -> Value {
        let mut envelope = self.names.clone();
        envelope.insert("data".to_owned(), Value::Array(entries));
        Value::Object(envelope)
    }
}

/// The view of one conversation whose strings are plain.
pub(crate) fn project(entries: &[Value], options: Options) -> Vec<Value> {
    let entries = if options.compacted {
        let view = if options.raw {
            None
        } else {
            Some(options.addressed_only)
        };
        compact::compacted(entries, view)
    } else {
        entries.to_vec()
    };
    if options.raw {
        return entries;
    }
    entries
        .iter()
        .filter_map(|entry| user_entry(entry, options.addressed_only))
        .collect()
}

/// The kinds of `docs/formats.md#entry-kinds`.
fn is_known(kind: &str) -> bool {
    is_event_kind(kind) || ["config_delta", "compaction"].contains(&kind)
}

fn is_event_kind(kind: &str) -> bool {
    [
        "turn_start",
        "chat_request",
        "chat_response",
        "tool_call_request",
        "tool_call_response",
        "inquiry_request",
        "inquiry_response",
    ]
    .contains(&kind)
}

/// The kind of an entry, or the empty string.
fn kind(entry: &Value) -> &str {
    entry.get("type").and_then(Value::as_str).unwrap_or("")
}

/// Whether the entry is a conversation event, unlike deltas, compactions and
/// unknown entries.
fn is_event(entry: &Value) -> bool {
    is_event_kind(kind(entry))
}

/// The table of 2.3.
fn decoded(entry: &Value, strict: bool) -> Value {
    let mut entry = entry.clone();
    if !is_event(&entry) {
        return entry;
    }
    if let Some(metadata) = entry.get_mut("metadata") {
        decode_strings(metadata, strict);
    }
    if kind(&entry) == "tool_call_request"
        && let Some(arguments) = entry.get_mut("arguments")
    {
        decode_strings(arguments, strict);
    }
    if kind(&entry) == "tool_call_response"
        && let Some(content) = entry.get_mut("content")
        && content.is_string()
    {
        decode_strings(content, strict);
    }
    entry
}

fn decode_strings(value: &mut Value, strict: bool) {
    match value {
        Value::String(text) => *text = base64::decoded(text, strict),
        Value::Array(items) => {
            for item in items {
                decode_strings(item, strict);
            }
        }
        Value::Object(members) => {
            for (_, member) in members {
                decode_strings(member, strict);
            }
        }
        _ => {}
    }
}

/// The table of 7.8: what the user sees of one entry.
fn user_entry(entry: &Value, addressed_only: bool) -> Option<Value> {
    match kind(entry) {
        "turn_start" | "chat_request" => Some(entry.clone()),
        "chat_response" => {
            let message = entry.get("message").is_some_and(Value::is_string);
            let reasoning = entry.get("reasoning").is_some_and(Value::is_string);
            let data = entry.get("data").is_some();
            (message || (!reasoning && data)).then(|| {
                let mut entry = entry.clone();
                if reasoning {
                    let members = entry.as_object_mut().expect("an entry");
                    members.shift_remove("reasoning");
                }
                entry
            })
        }
        "tool_call_response" if is_structured(entry) => {
            (!addressed_only).then(|| entry.clone())
        }
        "tool_call_response" => match entry.get("content") {
            // One unannotated text block, even when empty.
            Some(Value::String(_)) if !addressed_only => Some(entry.clone()),
            Some(Value::Array(blocks)) => {
                let kept: Vec<Value> = blocks
                    .iter()
                    .filter(|block| block["type"] != "question")
                    .filter(|block| addressed_to_user(block, addressed_only))
                    .cloned()
                    .collect();
                if kept.is_empty() {
                    return None;
                }
                let mut entry = entry.clone();
                if kept.len() < blocks.len() {
                    let members = entry.as_object_mut().expect("an entry");
                    members.shift_remove("structuredContent");
                }
                entry["content"] = json!(kept);
                Some(entry)
            }
            _ => None,
        },
        _ => None,
    }
}

/// Whether `structuredContent` is all there is of a result.
fn is_structured(entry: &Value) -> bool {
    let text = |value: &Value, key: &str| value[key].is_string();
    let usable = |block: &Value| match block["type"].as_str() {
        Some("text") => text(block, "text"),
        Some("resource") if text(&block["resource"], "uri") => {
            let resource = &block["resource"];
            let keys = ["text", "blob", "formatted"];
            keys.iter().any(|key| resource.get(key).is_some())
                || block.get("formatted").is_some()
        }
        Some("resource_link") => text(block, "uri"),
        Some("image" | "audio") => text(block, "data"),
        _ => false,
    };
    let counts = |block: &Value| usable(block) || !roles(block).is_empty();
    entry.get("structuredContent").is_some_and(Value::is_object)
        && match entry.get("content") {
            Some(Value::String(text)) => text.is_empty(),
            Some(Value::Array(blocks)) => !blocks.iter().any(counts),
            _ => true,
        }
}

/// The roles a block names: its own, else those of its resource.
fn roles(block: &Value) -> Vec<Value> {
    let named = |annotations: &Value| match annotations.get("audience") {
        Some(Value::String(role)) => vec![json!(role)],
        Some(Value::Array(roles)) => roles.clone(),
        _ => vec![],
    };
    let own = named(&block["annotations"]);
    if own.is_empty() && block["type"] == "resource" {
        return named(&block["resource"]["annotations"]);
    }
    own
}

/// The predicate of `docs/formats.md#audience`, D-19 and D-20; `by_name` is `--addressed-only`.
fn addressed_to_user(block: &Value, by_name: bool) -> bool {
    let roles = roles(block);
    if roles.is_empty() {
        return !by_name;
    }
    roles.contains(&json!("user"))
}
