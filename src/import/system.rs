//! System text: before the conversation a part, in it a change of sections.

use super::foreign::{list, rests, text, without};
use super::record::Record;
use super::tools;
use crate::json::{Kind, Raw, write};

/// The texts of a system prompt as parts, and what is left of its blocks.
pub(super) fn parts(record: &mut Record<'_>, system: Raw<'_>) -> Vec<u8> {
    if system.kind() == Kind::String {
        record.system.push(system.bytes().to_vec());
        return Vec::new();
    }
    let mut left = Vec::new();
    for block in system.as_array().into_iter().flatten() {
        match text_of(block) {
            Some(body) => {
                record.system.push(body.bytes().to_vec());
                left.push(without(block, &["type", "text"]));
            }
            None => left.push(super::content::compact(block)),
        }
    }
    rests(&left)
}

/// The text of a block, a JSON string.
fn text_of(block: Raw<'_>) -> Option<Raw<'_>> {
    let body = match block.kind() {
        Kind::String => Some(block),
        _ => block.get("text"),
    };
    body.filter(|body| body.kind() == Kind::String)
}

/// A system or developer message behind the first user message.
pub(super) fn later(record: &mut Record<'_>, message: Raw<'_>, path: &str, role: &str) {
    let content = message.get("content").unwrap_or(Raw::checked(b"[]"));
    let mut sections = Vec::new();
    let mut switches = Vec::new();
    let mut left = Vec::new();
    if content.kind() == Kind::String {
        sections.push(content);
    }
    for block in content.as_array().into_iter().flatten() {
        let kind = block.get("type").and_then(Raw::as_str);
        let name = block.at(&["tool", "name"]).and_then(Raw::as_str);
        match (kind.as_deref(), name, text_of(block)) {
            (Some("tool_addition"), Some(name), _) => {
                switches.push((name.into_owned(), true));
                left.push(without(block, &["type", "tool"]));
            }
            (Some("tool_removal"), Some(name), _) => {
                switches.push((name.into_owned(), false));
                left.push(without(block, &["type", "tool"]));
            }
            (_, _, Some(body)) => {
                sections.push(body);
                left.push(without(block, &["type", "text"]));
            }
            _ => left.push(super::content::compact(block)),
        }
    }
    let mut foreign = b"{".to_vec();
    text(&mut foreign, "at", path);
    text(&mut foreign, "role", role);
    let around = without(message, &["role", "content"]);
    let around = super::foreign::with(around, "content", &rests(&left));
    if !around.is_empty() {
        write::key(&mut foreign, "rest");
        foreign.extend_from_slice(&around);
    }
    foreign.push(b'}');
    section_delta(record, None, &sections, &foreign);
    if !switches.is_empty() {
        let delta = tools::switched(&switches);
        record.delta(None, &delta, &foreign);
    }
}

/// A change that appends sections; nothing for none.
pub(super) fn section_delta(
    record: &mut Record<'_>,
    stamp: Option<&str>,
    sections: &[Raw<'_>],
    foreign: &[u8],
) {
    if sections.is_empty() {
        return;
    }
    let mut delta = b"{\"assistant\":{\"system_prompt_sections\":[".to_vec();
    for (index, section) in sections.iter().enumerate() {
        if index > 0 {
            delta.push(b',');
        }
        delta.extend_from_slice(b"{\"content\":");
        write::compact(&mut delta, *section);
        delta.push(b'}');
    }
    delta.extend_from_slice(b"]}}");
    record.delta(stamp, &delta, foreign);
}

/// Names as `metadata.import` has lists of them.
pub(super) fn names(values: &[String]) -> Vec<u8> {
    let mut out = b"{".to_vec();
    list(&mut out, "n", values.iter().map(String::as_str));
    match out.len() {
        1 => b"[]".to_vec(),
        // `{"n":[...]` without the member around the list.
        _ => out.split_off(5),
    }
}
