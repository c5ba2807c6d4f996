//! Texts that several providers write the same way.
//!
//! The result of a call as one string, arguments and structured answers as JSON
//! inside a string, reasoning as text, the label of a file. Each function appends
//! escaped text; quotes are the caller's unless it says otherwise.

use super::pictures;
use super::request::Request;
use crate::block::{Decoder, Encoding};
use crate::config::Mode;
use crate::error::Diagnostic;
use crate::json::{Raw, Text, write};
use crate::thread::item::INTERRUPTED;
use crate::thread::{Item, Part, ResultContent};
use crate::view::provider::{FAILURE, write_result};

/// What opens the result of a call that failed, where there is no flag for it.
const ERROR: &[u8] = b"Error: ";

/// Appends the text of a result without any error state.
pub(super) fn result(
    out: &mut Vec<u8>,
    item: &Item<'_>,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) {
    let Part::Result {
        is_error, content, ..
    } = &item.part
    else {
        return;
    };
    match content {
        ResultContent::Stored(content) => {
            write_result(out, *content, *is_error, item.index, decoder, told);
        }
        ResultContent::Status(line) => write::escaped(out, line),
        ResultContent::Interrupted => out.extend_from_slice(INTERRUPTED.as_bytes()),
    }
}

/// Appends the text of a result for a provider without an error flag: unless its
/// words say so already, a failure opens with [`ERROR`] (`Mode::Jp`: it does not,
/// and the model never learns of it).
pub(super) fn flagless_result(
    out: &mut Vec<u8>,
    item: &Item<'_>,
    mode: Mode,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) {
    let Part::Result {
        is_error, content, ..
    } = &item.part
    else {
        return;
    };
    pictures::tell(item, mode, told);
    let failed = *is_error && matches!(content, ResultContent::Stored(_));
    if mode == Mode::Jp || !failed {
        result(out, item, decoder, told);
        return;
    }
    let start = out.len();
    out.extend_from_slice(ERROR);
    let text = out.len();
    result(out, item, decoder, told);
    let head = out[text..].get(..5).unwrap_or_default();
    if &out[text..] == FAILURE.as_bytes() || head.eq_ignore_ascii_case(&ERROR[..5]) {
        out.drain(start..text);
        return;
    }
    told.push(Diagnostic::note(
        "error-in-text",
        "the provider has no flag for a call that failed: its result opens with \
         `Error: `",
    ));
}

/// Appends a call's arguments as an object.
pub(super) fn arguments(
    out: &mut Vec<u8>,
    arguments: Option<Raw<'_>>,
    decoder: &mut Decoder,
) {
    match arguments {
        Some(value) => decoder.write_leaves(out, value, Encoding::Plain),
        None => out.extend_from_slice(b"{}"),
    }
}

/// Appends a call's arguments as a string that holds the object, with quotes.
pub(super) fn arguments_string(
    out: &mut Vec<u8>,
    arguments: Option<Raw<'_>>,
    decoder: &mut Decoder,
) {
    let mut inner = Vec::new();
    self::arguments(&mut inner, arguments, decoder);
    write::string(out, &String::from_utf8_lossy(&inner));
}

/// Appends a structured answer as compact JSON inside a string.
pub(super) fn structured(out: &mut Vec<u8>, value: Raw<'_>) {
    let mut inner = Vec::new();
    write::compact(&mut inner, value);
    write::escaped(out, &String::from_utf8_lossy(&inner));
}

/// Appends the words of a request, a message or a structured answer.
pub(super) fn words(out: &mut Vec<u8>, part: &Part<'_>) {
    match part {
        Part::Request(words) | Part::Message(words) => words.write_escaped(out),
        Part::Structured(value) => structured(out, *value),
        Part::Reasoning(text) => out.extend_from_slice(&write::canonical(*text)),
        Part::Call { .. } | Part::Result { .. } => {}
    }
}

/// Appends reasoning as text that says what it is.
pub(super) fn wrapped(out: &mut Vec<u8>, reasoning: Text<'_>) {
    out.extend_from_slice(b"<think>\\n");
    out.extend_from_slice(&write::canonical(reasoning));
    out.extend_from_slice(b"\\n</think>\\n\\n");
}

/// The string at `key` of an item's metadata, in the input's encoding.
pub(super) fn metadata<'a>(item: &Item<'a>, key: &str) -> Option<Text<'a>> {
    item.metadata?.get(key).and_then(Raw::as_text)
}

/// A number of the configuration's parameters, as the 32-bit float it is kept in.
pub(super) fn float(request: &Request<'_, '_>, key: &str) -> Option<f32> {
    let value = request.thread.config.parameters().get(key)?;
    let value = value.as_f64().map(|number| number as f32);
    value.filter(|number| number.is_finite())
}

/// A whole number of the configuration's parameters.
pub(super) fn count(request: &Request<'_, '_>, key: &str) -> Option<u64> {
    let value = request.thread.config.parameters().get(key)?;
    value.as_u64()
}

/// Appends `"key":` and a float as it is, if there is one.
pub(super) fn narrow(out: &mut Vec<u8>, key: &str, value: Option<f32>) {
    if let Some(value) = value {
        write::key(out, key);
        out.extend_from_slice(format!("{value:?}").as_bytes());
    }
}

/// Appends `"key":` and a float widened to 64 bits, if there is one: some clients
/// send every digit of that.
pub(super) fn wide(out: &mut Vec<u8>, key: &str, value: Option<f32>) {
    if let Some(value) = value {
        write::key(out, key);
        out.extend_from_slice(format!("{:?}", f64::from(value)).as_bytes());
    }
}

/// Appends `"key":` and a whole number, if there is one.
pub(super) fn whole(out: &mut Vec<u8>, key: &str, value: Option<u64>) {
    if let Some(value) = value {
        write::key(out, key);
        write::integer(out, value);
    }
}
