//! Attachments, as providers without a document block take them.
//!
//! `docs/bodies.md#openai`: texts go as one XML list, binary files each as a label
//! and a part of its own. What a provider takes of them is its own affair.

use crate::error::Diagnostic;
use crate::json::{Text, write};
use crate::thread::{Attachment, Payload};

/// The pictures that the strictest providers take.
pub(super) const PICTURES: [&str; 4] =
    ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// Whether a media type is a picture.
pub(super) fn is_picture(media_type: Text<'_>) -> bool {
    media_type.decode().starts_with("image/")
}

/// The attachments that are bytes.
pub(super) fn binaries<'r, 'a>(
    all: &'r [Attachment<'a>],
) -> impl Iterator<Item = (&'r Attachment<'a>, Text<'a>, Text<'a>)> {
    all.iter().filter_map(|one| match one.payload {
        Payload::Binary { media_type, data } => Some((one, media_type, data)),
        Payload::Text(_) => None,
    })
}

/// Appends the list of all text attachments, escaped, without quotes; whether
/// there is one.
pub(super) fn documents(out: &mut Vec<u8>, all: &[Attachment<'_>]) -> bool {
    let texts = || {
        let all = all.iter().enumerate();
        all.filter_map(|(index, one)| match one.payload {
            Payload::Text(text) => Some((index, one.source.decode(), text.decode())),
            Payload::Binary { .. } => None,
        })
    };
    if texts().next().is_none() {
        return false;
    }
    let raw = texts().any(|(_, _, text)| text.contains(['<', '>']));
    let mut xml = String::from("<documents>\n");
    for (index, source, text) in texts() {
        xml.push_str("  <document>\n");
        element(&mut xml, "index", &index.to_string(), raw);
        element(&mut xml, "source", &source, raw);
        element(&mut xml, "content", &text, raw);
        xml.push_str("  </document>\n");
    }
    xml.push_str("</documents>");
    write::escaped(out, &xml);
    true
}

fn element(xml: &mut String, name: &str, text: &str, raw: bool) {
    xml.push_str("    <");
    xml.push_str(name);
    xml.push('>');
    if raw {
        xml.push_str("<![CDATA[");
        xml.push_str(&text.replace("]]>", "]]]]><![CDATA[>"));
        xml.push_str("]]>");
    } else {
        for c in text.chars() {
            match c {
                '&' => xml.push_str("&amp;"),
                '<' => xml.push_str("&lt;"),
                '>' => xml.push_str("&gt;"),
                c => xml.push(c),
            }
        }
    }
    xml.push_str("</");
    xml.push_str(name);
    xml.push_str(">\n");
}

/// Appends the label in front of a binary file, escaped, without quotes.
pub(super) fn label(out: &mut Vec<u8>, one: &Attachment<'_>) {
    out.extend_from_slice(b"[Attached file: ");
    out.extend_from_slice(&write::canonical(one.source));
    out.push(b']');
}

/// Appends a data URI as a string.
pub(super) fn data_uri(out: &mut Vec<u8>, media_type: Text<'_>, data: Text<'_>) {
    data_url(out, &write::canonical(media_type), data);
}

/// As [`data_uri`], the media type escaped already.
pub(super) fn data_url(out: &mut Vec<u8>, media_type: &[u8], data: Text<'_>) {
    out.extend_from_slice(b"\"data:");
    out.extend_from_slice(media_type);
    out.extend_from_slice(b";base64,");
    out.extend_from_slice(&write::canonical(data));
    out.push(b'"');
}

/// Says that an attachment is not sent.
pub(super) fn left_out(
    one: &Attachment<'_>,
    media_type: Text<'_>,
    told: &mut Vec<Diagnostic>,
) {
    told.push(Diagnostic::warning(
        "attachment-left-out",
        format!(
            "attachment `{}` is left out: the provider takes no {}",
            one.source.decode(),
            media_type.decode()
        ),
    ));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Raw;
    use crate::thread::Inputs;

    fn xml(attachments: &str) -> String {
        let json = format!("{{\"attachments\":{attachments}}}");
        let raw = Raw::parse(json.as_bytes()).expect("JSON");
        let inputs = Inputs::read(raw).expect("inputs");
        let mut out = b"\"".to_vec();
        documents(&mut out, &inputs.attachments.expect("attachments"));
        out.push(b'"');
        let text = Raw::parse(&out).expect("a string").as_str();
        text.expect("a string").into_owned()
    }

    #[test]
    fn texts_are_numbered_among_all_and_escaped() {
        let expected = "<documents>\n  <document>\n    <index>1</index>\n    \
            <source>a&lt;b</source>\n    <content>R&amp;D</content>\n  </document>\n\
            </documents>";
        let given = r#"[{"source":"x","media_type":"image/png","data":""},
            {"source":"a<b","text":"R&D"}]"#;
        assert_eq!(xml(given), expected);
    }

    #[test]
    fn a_content_with_tags_makes_every_text_literal() {
        let found = xml(r#"[{"source":"s","text":"a]]>b"},{"source":"t","text":"&"}]"#);
        assert!(found.contains("<content><![CDATA[a]]]]><![CDATA[>b]]></content>"));
        assert!(found.contains("<source><![CDATA[t]]></source>"));
        assert!(found.contains("<content><![CDATA[&]]></content>"));
    }
}
