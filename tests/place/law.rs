//! The law of `docs/directives.md` as a check of bytes, and an oracle of request points
//! that shares no code with the program.

use convo::json::Raw;
use std::collections::BTreeSet;

fn part<'a>(body: &'a [u8], key: &str) -> &'a [u8] {
    let raw = Raw::checked(body);
    raw.get(key).map(Raw::bytes).unwrap_or_default()
}

/// Successive bodies of one stream, nothing but deltas between them.
pub(super) fn keeps(old: &[u8], new: &[u8]) -> Result<(), String> {
    if part(old, "system") != part(new, "system") {
        return Err("`system` changed".to_owned());
    }
    let list = |body| Raw::checked(body).get("tools").and_then(Raw::as_array);
    let (mut tools, more) = (list(old).into_iter().flatten(), list(new));
    let named = changes(old).into_iter().map(|(name, _)| name);
    let named: BTreeSet<String> = named.collect();
    for tool in more.into_iter().flatten() {
        let before = tools.next();
        if before.is_some_and(|one| one.bytes() == tool.bytes()) {
            continue;
        }
        let name = tool.get("name").and_then(Raw::as_str).unwrap_or_default();
        let free = |tool: Raw<'_>| {
            tool.get("defer_loading").and_then(Raw::as_bool) == Some(true)
        };
        let renamed = before.is_some_and(|one| {
            !free(one) || one.get("name").and_then(Raw::as_str) != Some(name.clone())
        });
        if !free(tool) || named.contains(&*name) || renamed {
            return Err(format!("tool `{name}` cannot be new there"));
        }
    }
    if tools.next().is_some() {
        return Err("`tools` lost an entry".to_owned());
    }
    let (messages, more) = (unmarked(old), unmarked(new));
    let (messages, more) = (&messages[..], &more[..]);
    let head = messages.strip_suffix(b"]").unwrap_or(messages);
    let rest = more.strip_prefix(head);
    match rest.is_some_and(|rest| rest.starts_with(b",{\"role\":\"assistant\"")) {
        true => Ok(()),
        false => Err("`messages` do not go on with the assistant".to_owned()),
    }
}

/// The messages, marks aside.
fn unmarked(body: &[u8]) -> Vec<u8> {
    const MARKS: [&[u8]; 2] = [
        br#","cache_control":{"type":"ephemeral","ttl":"5m"}"#,
        br#","cache_control":{"type":"ephemeral","ttl":"1h"}"#,
    ];
    let mut rest = part(body, "messages");
    let mut out = Vec::with_capacity(rest.len());
    while let Some(at) = memchr::memmem::find(rest, b",\"cache_control\":") {
        out.extend_from_slice(&rest[..at]);
        let mark = MARKS.iter().find(|mark| rest[at..].starts_with(mark));
        let end = at + mark.map_or(1, |mark| mark.len());
        if mark.is_none() {
            out.push(b',');
        }
        rest = &rest[end..];
    }
    out.extend_from_slice(rest);
    out
}

/// The tool changes of a body in order: name, and the definition if it comes by
/// value, or whether it is an addition.
pub(super) fn changes(body: &[u8]) -> Vec<(String, Change)> {
    let mut found = Vec::new();
    let raw = Raw::checked(body);
    for message in raw
        .get("messages")
        .and_then(Raw::as_array)
        .expect("messages")
    {
        if message.get("role").and_then(Raw::as_str).as_deref() != Some("system") {
            continue;
        }
        for block in message
            .get("content")
            .and_then(Raw::as_array)
            .expect("blocks")
        {
            let Some(tool) = block.get("tool") else {
                continue;
            };
            let kind = block.get("type").and_then(Raw::as_str).unwrap_or_default();
            let definition = tool.get("definition");
            let name = definition.unwrap_or(tool).get("name");
            let name = name.and_then(Raw::as_str).expect("a name");
            let change = match (kind.as_ref(), definition) {
                ("tool_addition", Some(one)) => Change::Value(one.bytes().to_vec()),
                ("tool_addition", None) => Change::Addition,
                _ => Change::Removal,
            };
            found.push((name.into_owned(), change));
        }
    }
    found
}

pub(super) enum Change {
    Addition,
    Value(Vec<u8>),
    Removal,
}

/// The tools that a body offers at its end, each with its definition.
pub(super) fn offered(body: &[u8]) -> BTreeSet<(String, Vec<u8>)> {
    let raw = Raw::checked(body);
    let mut known = std::collections::BTreeMap::new();
    for tool in raw
        .get("tools")
        .and_then(Raw::as_array)
        .into_iter()
        .flatten()
    {
        let name = tool.get("name").and_then(Raw::as_str).expect("a name");
        let text = String::from_utf8_lossy(tool.bytes()).into_owned();
        let deferred = text.contains(",\"defer_loading\":true");
        let text = text.replace(",\"defer_loading\":true", "");
        let text = text.replace(
            ",\"cache_control\":{\"type\":\"ephemeral\",\"ttl\":\"5m\"}",
            "",
        );
        known.insert(name.into_owned(), (!deferred, text.into_bytes()));
    }
    for (name, change) in changes(body) {
        let one = known.entry(name).or_insert((false, Vec::new()));
        match change {
            Change::Addition => one.0 = true,
            Change::Removal => one.0 = false,
            Change::Value(definition) => *one = (true, definition),
        }
    }
    let on = known.into_iter().filter(|(_, (on, _))| *on);
    on.map(|(name, (_, definition))| (name, definition))
        .collect()
}

/// All texts of the operator: the parts of `system`, then those of directives.
pub(super) fn texts(body: &[u8]) -> Vec<String> {
    let raw = Raw::checked(body);
    let mut found = Vec::new();
    let mut take = |blocks: Option<Raw<'_>>| {
        for block in blocks.and_then(Raw::as_array).into_iter().flatten() {
            let text = block.get("text").and_then(Raw::as_str);
            found.extend(text.map(std::borrow::Cow::into_owned));
        }
    };
    take(raw.get("system"));
    for message in raw
        .get("messages")
        .and_then(Raw::as_array)
        .expect("messages")
    {
        if message.get("role").and_then(Raw::as_str).as_deref() == Some("system") {
            take(message.get("content"));
        }
    }
    found
}

/// For each system message, how many assistant messages stand before it, and its
/// texts.
pub(super) fn directives(body: &[u8]) -> Vec<(usize, Vec<String>)> {
    let raw = Raw::checked(body);
    let (mut found, mut count) = (Vec::new(), 0);
    for message in raw
        .get("messages")
        .and_then(Raw::as_array)
        .expect("messages")
    {
        match message.get("role").and_then(Raw::as_str).as_deref() {
            Some("assistant") => count += 1,
            Some("system") => {
                let blocks = message.get("content").and_then(Raw::as_array);
                let texts = blocks.expect("blocks").filter_map(|one| one.get("text"));
                let texts = texts.filter_map(Raw::as_str);
                found.push((count, texts.map(Into::into).collect()));
            }
            _ => {}
        }
    }
    found
}
