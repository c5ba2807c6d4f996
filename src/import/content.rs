//! Pieces of content that several formats share.
//!
//! A tool's result becomes a string or blocks, a picture a resource, arguments an
//! object. What has no place in the event comes back as a rest, so that nothing
//! is lost.

use super::foreign::{residual, rests, text, without};
use crate::json::{Kind, Raw, write};

/// A list of resources in the making: a JSON array, or empty for none.
#[derive(Debug, Clone, Default)]
pub(super) struct Resources {
    bytes: Vec<u8>,
    /// Pointers to the blocks they came from.
    pub(super) parts: Vec<String>,
}

impl Resources {
    fn open(&mut self) {
        match self.bytes.pop() {
            None => self.bytes.push(b'['),
            Some(_) => self.bytes.push(b','),
        }
        self.bytes.push(b'{');
    }

    fn close(&mut self, part: &str) {
        self.bytes.extend_from_slice(b"}]");
        self.parts.push(part.to_owned());
    }

    /// Inline bytes in base64; `data` is a JSON string.
    pub(super) fn blob(
        &mut self,
        uri: &str,
        kind: Option<Raw<'_>>,
        data: &[u8],
        part: &str,
    ) {
        self.open();
        blob(&mut self.bytes, uri, kind, data);
        self.close(part);
    }

    /// Inline text; `body` is a JSON string.
    pub(super) fn text(
        &mut self,
        uri: &str,
        kind: Option<Raw<'_>>,
        body: Raw<'_>,
        part: &str,
    ) {
        self.open();
        text(&mut self.bytes, "uri", uri);
        media(&mut self.bytes, kind);
        write::key(&mut self.bytes, "text");
        write::compact(&mut self.bytes, body);
        self.close(part);
    }

    /// An address; `uri` is a JSON string.
    pub(super) fn address(&mut self, uri: &[u8], kind: Option<Raw<'_>>, part: &str) {
        self.open();
        write::key(&mut self.bytes, "uri");
        self.bytes.extend_from_slice(uri);
        media(&mut self.bytes, kind);
        self.close(part);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The JSON array, or nothing.
    pub(super) fn json(&self) -> &[u8] {
        &self.bytes
    }
}

fn media(out: &mut Vec<u8>, kind: Option<Raw<'_>>) {
    if let Some(kind) = kind.filter(|kind| kind.kind() == Kind::String) {
        write::key(out, "mimeType");
        write::compact(out, kind);
    }
}

fn blob(out: &mut Vec<u8>, uri: &str, kind: Option<Raw<'_>>, data: &[u8]) {
    text(out, "uri", uri);
    media(out, kind);
    write::key(out, "blob");
    out.extend_from_slice(data);
}

/// The media type and the base64 of a `data:` address, as a JSON string each.
pub(super) fn data_uri(url: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let (head, data) = url.strip_prefix("data:")?.split_once(',')?;
    let kind = head.strip_suffix(";base64")?;
    let kind = kind.split(';').next().unwrap_or_default();
    let mut media = Vec::new();
    write::string(&mut media, kind);
    let mut body = Vec::new();
    write::string(&mut body, data);
    Some((media, body))
}

/// A JSON string of `text`.
pub(super) fn quoted(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + 2);
    write::string(&mut out, text);
    out
}

/// A call's arguments as an object, and the original where they were not one.
pub(super) fn arguments(value: Option<Raw<'_>>) -> (Vec<u8>, Vec<u8>) {
    let Some(value) = value else {
        return (b"{}".to_vec(), Vec::new());
    };
    if value.kind() == Kind::Object {
        return (compact(value), Vec::new());
    }
    let Some(text) = value.as_str() else {
        return match value.kind() {
            Kind::Null => (b"{}".to_vec(), compact(value)),
            _ => (input(&compact(value)), compact(value)),
        };
    };
    if text.is_empty() {
        return (b"{}".to_vec(), compact(value));
    }
    match Raw::parse(text.as_bytes()) {
        Ok(parsed) if parsed.kind() == Kind::Object => {
            let object = compact(parsed);
            // White space between tokens is the only thing that could be lost.
            let same = object == text.as_bytes();
            (object, if same { Vec::new() } else { compact(value) })
        }
        Ok(parsed) => (input(&compact(parsed)), compact(value)),
        Err(_) => (input(&compact(value)), compact(value)),
    }
}

/// `{"input":VALUE}`.
pub(super) fn input(value: &[u8]) -> Vec<u8> {
    [b"{\"input\":", value, b"}"].concat()
}

/// The value without white space between tokens.
pub(super) fn compact(value: Raw<'_>) -> Vec<u8> {
    let mut out = Vec::with_capacity(value.bytes().len());
    write::compact(&mut out, value);
    out
}

/// A result's content in the event's form, and the rest of its blocks. `at` names
/// where it stands, for the addresses of inline bytes.
pub(super) fn result(content: Option<Raw<'_>>, at: &str) -> (Vec<u8>, Vec<u8>) {
    let Some(content) = content else {
        return (b"[]".to_vec(), Vec::new());
    };
    if content.kind() == Kind::String {
        return (compact(content), Vec::new());
    }
    let Some(list) = content.as_array() else {
        return match content.is_null() {
            true => (b"[]".to_vec(), b"null".to_vec()),
            false => {
                let mut out = b"[".to_vec();
                other_block(&mut out, content);
                out.push(b']');
                (out, Vec::new())
            }
        };
    };
    let mut out = b"[".to_vec();
    let mut left = Vec::new();
    for (index, block) in list.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let uri = format!("import:{at}/{index}");
        left.push(result_block(&mut out, block, &uri));
    }
    out.push(b']');
    (out, rests(&left))
}

/// Appends one block of a result and gives what is left of it.
fn result_block(out: &mut Vec<u8>, block: Raw<'_>, uri: &str) -> Vec<u8> {
    let kind = block.get("type").and_then(Raw::as_text);
    let is = |name: &str| kind.is_some_and(|kind| kind.is(name));
    if block.kind() == Kind::String {
        out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
        write::compact(out, block);
        out.push(b'}');
        // The block was a bare string: an empty list says so.
        return b"[]".to_vec();
    }
    let texts = ["text", "input_text", "output_text"];
    if texts.iter().any(|name| is(name))
        && let Some(body) = block.get("text").filter(|t| t.kind() == Kind::String)
    {
        out.extend_from_slice(b"{\"type\":\"text\",\"text\":");
        write::compact(out, body);
        out.push(b'}');
        let taken: &[&str] = match is("text") {
            true => &["type", "text"],
            false => &["text"],
        };
        return without(block, taken);
    }
    let source = block.get("source");
    let inline = source.filter(|source| {
        source
            .get("type")
            .and_then(Raw::as_text)
            .is_some_and(|t| t.is("base64"))
    });
    if is("image")
        && let Some(source) = inline
        && let Some(data) = source.get("data").filter(|d| d.kind() == Kind::String)
    {
        out.extend_from_slice(b"{\"type\":\"resource\",\"resource\":{");
        blob(out, uri, source.get("media_type"), data.bytes());
        out.extend_from_slice(b"}}");
        let left = without(source, &["type", "media_type", "data"]);
        let rest = residual(block.as_object().into_iter().flatten(), |key| {
            key.is("type") || key.is("source")
        });
        return super::foreign::with(rest, "source", &left);
    }
    let url = block.get("image_url").and_then(Raw::as_str);
    if is("input_image")
        && let Some((media, data)) = url.as_deref().and_then(data_uri)
    {
        out.extend_from_slice(b"{\"type\":\"resource\",\"resource\":{");
        blob(out, uri, Some(Raw::checked(&media)), &data);
        out.extend_from_slice(b"}}");
        return without(block, &["image_url"]);
    }
    other_block(out, block);
    Vec::new()
}

/// Appends a block nobody here knows: shown as a placeholder, kept whole.
fn other_block(out: &mut Vec<u8>, block: Raw<'_>) {
    out.push(b'{');
    write::key(out, "type");
    match block.get("type").filter(|t| t.kind() == Kind::String) {
        Some(kind) => write::compact(out, kind),
        None => write::string(out, "unknown"),
    }
    write::key(out, "source");
    write::compact(out, block);
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show((value, rest): (Vec<u8>, Vec<u8>)) -> (String, String) {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (text(value), text(rest))
    }

    #[test]
    fn arguments_are_an_object_or_become_one() {
        let of = |json: &str| {
            show(arguments(Some(Raw::parse(json.as_bytes()).expect("JSON"))))
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(of(r#"{"a":1}"#), pair(r#"{"a":1}"#, ""));
        assert_eq!(of(r#""{\"a\":1}""#), pair(r#"{"a":1}"#, ""));
        assert_eq!(of(r#""{\"a\": 1}""#), pair(r#"{"a":1}"#, r#""{\"a\": 1}""#));
        assert_eq!(of(r#""[1]""#), pair(r#"{"input":[1]}"#, r#""[1]""#));
        assert_eq!(of(r#""ls""#), pair(r#"{"input":"ls"}"#, r#""ls""#));
        assert_eq!(of(r#""""#), pair("{}", r#""""#));
        assert_eq!(show(arguments(None)), pair("{}", ""));
    }

    #[test]
    fn results_keep_what_blocks_cannot_hold() {
        let json = r#"[{"type":"text","text":"b","cache_control":1},"x",
            {"type":"image","source":{"type":"base64","media_type":"image/png","data":"aQ=="}},
            {"type":"image","source":{"type":"url","url":"u"}}]"#;
        let (content, rest) = show(result(
            Some(Raw::parse(json.as_bytes()).expect("JSON")),
            "3/content",
        ));
        assert_eq!(
            content,
            concat!(
                r#"[{"type":"text","text":"b"},{"type":"text","text":"x"},"#,
                r#"{"type":"resource","resource":{"uri":"import:3/content/2","mimeType":"image/png","blob":"aQ=="}},"#,
                r#"{"type":"image","source":{"type":"image","source":{"type":"url","url":"u"}}}]"#
            )
        );
        assert_eq!(rest, r#"[{"cache_control":1},[]]"#);
    }

    #[test]
    fn an_inline_address_gives_up_its_bytes() {
        let (kind, data) = data_uri("data:image/png;base64,aQ==").expect("a data URI");
        assert_eq!(
            (kind.as_slice(), data.as_slice()),
            (&b"\"image/png\""[..], &b"\"aQ==\""[..])
        );
        assert!(data_uri("https://example.com/a").is_none());
    }
}
