//! The provider view of a tool response: its text for the model.
//!
//! `docs/formats.md#provider-view`. Blocks addressed to the assistant are rendered and joined by an empty line; if
//! the filter leaves none, a fixed line says how the call went. Text is written
//! straight into a JSON string. What is no text is named by one line: its kind,
//! media type and size, or where it is.

use crate::block::media::{decoded_size, language};
use crate::block::{Block, BlockKind, Content, Decoder, Role};
use crate::error::{Diagnostic, Position};
use crate::finding::family;
use crate::json::{Raw, Text, write};

family! { "views";
    BLOCK_LEFT_OUT: Warning "block-left-out", "docs/formats.md#provider-view";
    "a block of a result is left out of what the model is told";
    "it is of an unknown kind, or lacks what its kind needs";
    "write a block of a known kind, whole";
}

/// What stands for a success of which no block is for the model.
pub const SUCCESS: &str = "Tool executed successfully.";
/// What stands for a failure of which no block is for the model.
pub const FAILURE: &str = "Tool failed.";

/// Appends the provider view of a response's content, escaped, without quotes.
///
/// `index` is the entry's, for what is told about blocks that are passed over.
pub fn write_result(
    out: &mut Vec<u8>,
    content: Content<'_>,
    is_error: bool,
    index: usize,
    decoder: &mut Decoder,
    told: &mut Vec<Diagnostic>,
) {
    let blocks = match content {
        Content::Text(text) => {
            decoder.write_plain(out, text);
            return;
        }
        Content::Structured(object) => {
            let mut compact = Vec::new();
            write::compact(&mut compact, object);
            // Only whole characters are copied, so the bytes are a string.
            write::escaped(out, &String::from_utf8_lossy(&compact));
            return;
        }
        Content::Blocks(blocks) => blocks.as_array(),
        Content::Missing => None,
    };
    let mut any = false;
    for raw in blocks.into_iter().flatten() {
        let block = Block::read(raw);
        if !block.addressed_to(Role::Assistant) {
            continue;
        }
        if !is_shown(&block, index, told) {
            continue;
        }
        if any {
            out.extend_from_slice(b"\\n\\n");
        }
        any = true;
        one(out, &block);
    }
    if !any {
        let line = if is_error { FAILURE } else { SUCCESS };
        out.extend_from_slice(line.as_bytes());
    }
}

/// One block as text.
fn one(out: &mut Vec<u8>, block: &Block<'_>) {
    match block.kind {
        BlockKind::Resource => resource(out, block.raw),
        BlockKind::ResourceLink => link(out, block.raw),
        BlockKind::Image => media(out, "image", block.raw),
        BlockKind::Audio => media(out, "audio", block.raw),
        _ => escaped(out, block.raw.get("text")),
    }
}

/// A part of a result where not all of it is text.
#[derive(Debug)]
pub enum Piece<'a> {
    /// Text, escaped, without quotes; never blank.
    Text(Vec<u8>),
    /// A picture as it is.
    Picture {
        /// Its media type by its bytes.
        media_type: &'static str,
        /// Its bytes in base64.
        data: Text<'a>,
    },
}

/// The bytes of a block for the model that are no text, with what is said of their
/// kind: an image, a sound, a file.
pub fn bytes_of<'a>(block: &Block<'a>) -> Option<Text<'a>> {
    match block.kind {
        BlockKind::Image | BlockKind::Audio => block.raw.get("data")?.as_text(),
        BlockKind::Resource => match content_of(block.raw)? {
            Body::Blob(blob) => Some(blob),
            Body::Formatted(_) | Body::Text(_) => None,
        },
        _ => None,
    }
}

/// The provider view of a result, pictures that `takes` gives among its texts in the
/// order they stand; `None` where it gives none, and all of it is text.
pub fn pieces<'a>(
    content: Content<'a>,
    index: usize,
    told: &mut Vec<Diagnostic>,
    mut takes: impl FnMut(&Block<'a>) -> Option<Piece<'a>>,
) -> Option<Vec<Piece<'a>>> {
    let Content::Blocks(blocks) = content else {
        return None;
    };
    let blocks = blocks.as_array().into_iter().flatten().map(Block::read);
    let shown = blocks.filter(|block| block.addressed_to(Role::Assistant));
    let taken: Vec<_> = shown.map(|block| (block, takes(&block))).collect();
    if taken.iter().all(|(_, picture)| picture.is_none()) {
        return None;
    }
    let mut pieces = Vec::new();
    let mut text = Vec::new();
    for (block, picture) in taken {
        if let Some(picture) = picture {
            put(&mut pieces, &mut text);
            pieces.push(picture);
        } else if is_shown(&block, index, told) {
            if !text.is_empty() {
                text.extend_from_slice(b"\\n\\n");
            }
            one(&mut text, &block);
        }
    }
    put(&mut pieces, &mut text);
    Some(pieces)
}

/// Puts a text that says something down as a piece of its own.
fn put(pieces: &mut Vec<Piece<'_>>, text: &mut Vec<u8>) {
    let text = std::mem::take(text);
    let words = String::from_utf8_lossy(&text);
    if !words.split("\\n").all(|line| line.trim().is_empty()) {
        pieces.push(Piece::Text(text));
    }
}

/// Whether a block has a text; if nobody knows what it is, that is told (D-18).
fn is_shown(block: &Block<'_>, index: usize, told: &mut Vec<Diagnostic>) -> bool {
    let what = match block.kind {
        BlockKind::Text
        | BlockKind::ResourceLink
        | BlockKind::Image
        | BlockKind::Audio => return true,
        BlockKind::Resource => {
            if content_of(block.raw).is_some() {
                return true;
            }
            "a resource without `text` or `blob`"
        }
        BlockKind::Question => return false,
        BlockKind::Malformed => "a malformed block",
        BlockKind::Unknown => "a block of an unknown type",
    };
    told.push(Diagnostic {
        position: Position {
            event: Some(index),
            ..Position::default()
        },
        ..Diagnostic::warning(
            BLOCK_LEFT_OUT.id,
            format!("{what} is left out of the tool result"),
        )
    });
    false
}

enum Body<'a> {
    Formatted(Text<'a>),
    Text(Text<'a>),
    Blob(Text<'a>),
}

fn content_of(block: Raw<'_>) -> Option<Body<'_>> {
    let inner = block.get("resource")?;
    let text = |key: &str| inner.get(key).and_then(Raw::as_text);
    let formatted = block.get("formatted").and_then(Raw::as_text);
    formatted
        .or_else(|| text("formatted"))
        .map(Body::Formatted)
        .or_else(|| text("text").map(Body::Text))
        .or_else(|| text("blob").map(Body::Blob))
}

fn resource(out: &mut Vec<u8>, block: Raw<'_>) {
    let inner = block.get("resource");
    let mime = inner
        .and_then(|inner| inner.get("mimeType"))
        .and_then(Raw::as_str);
    match content_of(block) {
        Some(Body::Formatted(text)) => {
            out.extend_from_slice(&write::canonical(text));
        }
        Some(Body::Text(text)) => fence(out, text, mime.as_deref()),
        Some(Body::Blob(blob)) => {
            out.extend_from_slice(b"[binary resource ");
            escaped(out, inner.and_then(|inner| inner.get("uri")));
            measure(out, mime.as_deref(), blob);
        }
        None => {}
    }
}

/// ` (image/png, 70 bytes)]`, the media type where it is known.
fn measure(out: &mut Vec<u8>, mime: Option<&str>, data: Text<'_>) {
    out.extend_from_slice(b" (");
    if let Some(mime) = mime.filter(|mime| !mime.is_empty()) {
        write::escaped(out, mime);
        out.extend_from_slice(b", ");
    }
    write::integer(out, decoded_size(data) as u64);
    out.extend_from_slice(b" bytes)]");
}

/// `[image (image/png, 70 bytes)]`: what was there, for a reader of text.
fn media(out: &mut Vec<u8>, kind: &str, block: Raw<'_>) {
    let mime = block.get("mimeType").and_then(Raw::as_str);
    if let Some(data) = block.get("data").and_then(Raw::as_text) {
        out.push(b'[');
        out.extend_from_slice(kind.as_bytes());
        measure(out, mime.as_deref(), data);
    }
}

/// `[resource Title (name): uri]`, each part where there is one.
fn link(out: &mut Vec<u8>, block: Raw<'_>) {
    let part = |key: &str| {
        let text = block.get(key).and_then(Raw::as_str)?;
        (!text.trim().is_empty()).then_some(text)
    };
    let (title, name) = (part("title"), part("name"));
    out.extend_from_slice(b"[resource");
    if let Some(title) = &title {
        out.push(b' ');
        write::escaped(out, title);
    }
    match name.filter(|name| Some(name) != title.as_ref()) {
        Some(name) if title.is_some() => {
            out.extend_from_slice(b" (");
            write::escaped(out, &name);
            out.push(b')');
        }
        Some(name) => {
            out.push(b' ');
            write::escaped(out, &name);
        }
        None => {}
    }
    if title.is_some() || part("name").is_some() {
        out.push(b':');
    }
    out.push(b' ');
    escaped(out, block.get("uri"));
    out.push(b']');
}

fn fence(out: &mut Vec<u8>, text: Text<'_>, mime: Option<&str>) {
    let text = write::canonical(text);
    let (mut longest, mut run) = (0, 0);
    for &byte in text.iter() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = vec![b'`'; 3.max(longest + 1)];
    out.extend_from_slice(&fence);
    out.extend_from_slice(language(mime).as_bytes());
    out.extend_from_slice(b"\\n");
    let start = out.len();
    out.extend_from_slice(&text);
    if !ends_line(&out[start..]) {
        out.extend_from_slice(b"\\n");
    }
    out.extend_from_slice(&fence);
}

/// Whether escaped text ends in a newline.
fn ends_line(text: &[u8]) -> bool {
    let Some(before) = text.strip_suffix(b"\\n") else {
        return false;
    };
    before.iter().rev().take_while(|&&b| b == b'\\').count() % 2 == 0
}

fn escaped(out: &mut Vec<u8>, value: Option<Raw<'_>>) {
    if let Some(text) = value.and_then(Raw::as_text) {
        out.extend_from_slice(&write::canonical(text));
    }
}
