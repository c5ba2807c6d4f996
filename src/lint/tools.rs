//! `tools`, `tool_choice` and `mcp_servers` (`docs/lint.md#sources`).

use super::cache::Cache;
use super::catalogue::page::{DEFINE, ERRORS, MCP, SEARCH, TOOLS};
use super::parameters::FIELD_TYPE;
use super::parameters::REQUIRED_FIELD;
use super::report::{Report, Spot};
use crate::body::{Body, Fields, Place};
use crate::error::Severity;
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::model::Betas;
use crate::term::quoted;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

family! { "tools";
    TOOL_NAME_PATTERN: Error "tool-name-pattern", DEFINE;
    "a tool's name is not 1 to 128 letters, digits, `_` or `-`";
    "the API refuses other names";
    "rename the tool";

    TOOL_NAME_DUPLICATE: Error "tool-name-duplicate", TOOLS;
    "two tools have one name";
    "names must be unique in a request";
    "leave one out, or rename it";

    TOOL_SCHEMA_ROOT: Error "tool-schema-root", DEFINE;
    "the root of a tool's schema is no plain object schema";
    "the root must have `\"type\":\"object\"` and no `oneOf`, `anyOf` or `allOf`";
    "move the alternatives into a property";

    ALL_TOOLS_DEFERRED: Error "all-tools-deferred", SEARCH;
    "every tool is deferred";
    "at least one tool must be in the prompt from the start";
    "take `defer_loading` off one tool";

    DEFERRED_CACHE_CONTROL: Error "deferred-cache-control", SEARCH;
    "a deferred tool carries a breakpoint";
    "a deferred definition is not part of the prefix, so that no entry can end there";
    "move the breakpoint to the last tool that is not deferred";

    TOOL_SEARCH_DEFERRED: Error "tool-search-deferred", SEARCH;
    "the tool search tool is deferred";
    "it is what finds the deferred ones";
    "take `defer_loading` off it";

    TOOL_CHOICE_FORCED: Error "tool-choice-forced", ERRORS;
    "`tool_choice` forces a call where that is refused";
    "newer models, and thinking of type `enabled`, take `auto` and `none` only";
    "use `auto` and ask for the tool in the text";

    MCP_TOOLSET_PAIRING: Error "mcp-toolset-pairing", MCP;
    "MCP servers and toolsets do not pair up";
    "each server is used by exactly one toolset, and each toolset names a server";
    "add the missing one, or leave the other out";
}

/// What `tools` declares.
#[derive(Default)]
pub(super) struct Declared<'a> {
    pub(super) tools: HashMap<Cow<'a, str>, Entry<'a>>,
    pub(super) servers: HashMap<Cow<'a, str>, bool>,
    /// Deferred tools in the order declared.
    pub(super) deferred: Vec<(Cow<'a, str>, Spot<'a>)>,
    pub(super) plain: usize,
    pub(super) search: bool,
    /// Whether an entry brings tools whose names only the server knows.
    pub(super) nameless: bool,
}

/// One tool that changes can refer to.
#[derive(Debug, Clone)]
pub(super) struct Entry<'a> {
    pub(super) family: Family<'a>,
    pub(super) raw: Raw<'a>,
    pub(super) offered: bool,
    pub(super) deferred: bool,
    pub(super) later: bool,
}

/// What kind of tool an entry is, its date aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Family<'a> {
    Custom,
    Dated(Cow<'a, str>),
}

impl<'a> Family<'a> {
    pub(super) fn of(kind: Option<Cow<'a, str>>) -> Self {
        match kind {
            None => Family::Custom,
            Some(kind) if kind == "custom" => Family::Custom,
            Some(kind) => match kind.rsplit_once('_') {
                Some((family, date)) if date.bytes().all(|b| b.is_ascii_digit()) => {
                    Family::Dated(Cow::Owned(family.to_owned()))
                }
                _ => Family::Dated(kind),
            },
        }
    }

    pub(super) fn is_search(&self) -> bool {
        matches!(self, Family::Dated(name) if name.starts_with("tool_search_tool"))
    }

    /// A toolset stands for tools of its own and has no name.
    pub(super) fn is_toolset(&self) -> bool {
        matches!(self, Family::Dated(name) if name.ends_with("toolset"))
    }
}

pub(super) fn deferred(fields: &Fields<'_>) -> bool {
    let own = fields.get("defer_loading").and_then(Raw::as_bool);
    let set = || {
        let config = fields.get("default_config")?;
        config.get("defer_loading").and_then(Raw::as_bool)
    };
    own.or_else(set) == Some(true)
}

/// Judges one definition, in `tools` or brought by a change.
pub(super) fn definition(
    report: &mut Report<'_>,
    place: Place,
    keys: &[&str],
    (raw, fields): (Raw<'_>, &Fields<'_>),
    family: &Family<'_>,
) {
    let join = |more: &'static str| [keys, &[more]].concat();
    if raw.kind() != Kind::Object {
        let text = format!("expected a tool, found {}", raw.kind().name());
        report.under(&FIELD_TYPE, place, keys, raw, text);
        return;
    }
    if family.is_toolset() {
        let mcp = *family == Family::Dated(Cow::Borrowed("mcp_toolset"));
        if mcp && fields.get("mcp_server_name").is_none() {
            let text = "the toolset has no `mcp_server_name`";
            report.under(&REQUIRED_FIELD, place, keys, raw, text);
        }
        return;
    }
    let name = fields.get("name");
    match name.map(|name| (name, name.as_str())) {
        None => {
            let text = "the tool has no `name`";
            report.under(&REQUIRED_FIELD, place, keys, raw, text);
        }
        Some((value, None)) => {
            let text = format!("expected a name, found {}", value.kind().name());
            report.under(&FIELD_TYPE, place, &join("name"), value, text);
        }
        Some((value, Some(text))) => {
            let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
            if text.is_empty() || text.len() > 128 || !text.bytes().all(legal) {
                let rule = &TOOL_NAME_PATTERN;
                let text = format!("the name {} is none", quoted(&text));
                report.under(rule, place, &join("name"), value, text);
            }
        }
    }
    if *family != Family::Custom {
        return;
    }
    super::fields::tool(report, place, keys, fields);
    let Some(schema) = fields.get("input_schema") else {
        let text = "the tool has no `input_schema`";
        report.under(&REQUIRED_FIELD, place, keys, raw, text);
        return;
    };
    let rule = &TOOL_SCHEMA_ROOT;
    let at = join("input_schema");
    if schema.kind() != Kind::Object {
        let text = format!("expected an object schema, found {}", schema.kind().name());
        report.under(rule, place, &at, schema, text);
        return;
    }
    for key in ["oneOf", "anyOf", "allOf"] {
        if let Some(value) = schema.get(key) {
            let text = format!("`{key}` at the root of the schema");
            let at = [at.as_slice(), &[key]].concat();
            report.under(rule, place, &at, value, text);
        }
    }
    let strict = fields.get("strict").and_then(Raw::as_bool) == Some(true);
    let around = super::schema::Where { place, keys: &at };
    let taker = super::schema::Taker::Anthropic { strict };
    super::schema::check(report, &around, schema, taker);
    let root = schema.get("type").and_then(Raw::as_str);
    if root.as_deref() != Some("object") {
        let found = root.map_or_else(|| "none".to_owned(), |found| quoted(&found));
        let text =
            format!("expected `object` as the schema's root type, found {found}");
        report.under(rule, place, &at, schema, text);
    }
}

pub(super) fn check<'a>(
    body: &Body<'a>,
    report: &mut Report<'_>,
    cache: &mut Cache<'a>,
) -> Declared<'a> {
    let mut found = Declared::default();
    let mut last_plain: Option<Spot<'_>> = None;
    let mut toolsets = HashSet::new();
    let mut count = 0;
    for tool in body.tools() {
        count += 1;
        let spot = Spot {
            place: tool.place,
            raw: tool.raw,
        };
        let family = Family::of(tool.fields.text("type"));
        definition(report, tool.place, &[], (tool.raw, &tool.fields), &family);
        let hidden = deferred(&tool.fields);
        cache.tool(report, &tool, hidden);
        found.search |= family.is_search() && !hidden;
        found.nameless |= family.is_toolset();
        if hidden && family.is_search() {
            let text = "the tool search tool is deferred";
            report.at(&TOOL_SEARCH_DEFERRED, tool.place, tool.raw, text);
        }
        if hidden && tool.fields.given("cache_control").is_some() {
            let name = tool.name().unwrap_or_default();
            let text = format!("the tool {} is deferred and marked", quoted(&name));
            let finding =
                report.at(&DEFERRED_CACHE_CONTROL, tool.place, tool.raw, text);
            if let Some(plain) = last_plain {
                let path = body.pointer(plain.place);
                finding.hint(format!("move the breakpoint to {path}"));
            }
        }
        if let Some(server) = tool.fields.text("mcp_server_name") {
            found.servers.insert(server.clone(), !hidden);
            toolsets.insert(server);
        }
        if hidden {
            let name = tool.name().unwrap_or_default();
            found.deferred.push((name, spot));
        } else {
            last_plain = Some(spot);
            found.plain += 1;
        }
        let Some(name) = tool.name() else { continue };
        if found.tools.contains_key(&name) {
            let text = format!("a second tool named {}", quoted(&name));
            let at = tool.fields.get("name").unwrap_or(tool.raw);
            report.under(&TOOL_NAME_DUPLICATE, tool.place, &["name"], at, text);
            continue;
        }
        found.tools.insert(
            name,
            Entry {
                family,
                raw: tool.raw,
                offered: !hidden,
                deferred: hidden,
                later: false,
            },
        );
    }
    if count > 0
        && count == found.deferred.len()
        && let Some(tools) = body.get("tools")
    {
        let text = "all tools are deferred";
        let rule = &ALL_TOOLS_DEFERRED;
        report.under(rule, Place::Root, &["tools"], tools, text);
    }
    choice(body, report);
    servers(body, report, &toolsets);
    found
}

fn choice(body: &Body<'_>, report: &mut Report<'_>) {
    let Some(choice) = body.fields.given("tool_choice") else {
        return;
    };
    let Some(kind) = choice.get("type").and_then(Raw::as_str) else {
        return;
    };
    if !matches!(kind.as_ref(), "any" | "tool") {
        return;
    }
    let support = report.profile.model.forced_tool_choice;
    let thinking = body.get("thinking").and_then(|value| value.get("type"));
    let enabled = thinking.and_then(Raw::as_str).as_deref() == Some("enabled");
    let (severity, why) = if support.refused() {
        let sure = report.profile.sure(support);
        (report.weight(sure), report.profile.model.id.clone())
    } else if enabled {
        (report.weight(true), "thinking of type `enabled`".to_owned())
    } else {
        return;
    };
    let text = format!("`tool_choice` of type `{kind}` is refused by {why}");
    let rule = &TOOL_CHOICE_FORCED;
    report
        .under(rule, Place::Root, &["tool_choice"], choice, text)
        .weigh(severity);
}

/// Toolsets of `tools` and servers must pair; those that changes bring are
/// counted by a second look at the messages, which only bodies with servers pay.
fn servers<'a>(
    body: &Body<'a>,
    report: &mut Report<'_>,
    toolsets: &HashSet<Cow<'a, str>>,
) {
    let rule = &MCP_TOOLSET_PAIRING;
    let mut names: HashSet<Cow<'a, str>> = HashSet::new();
    let list = body.get("mcp_servers").and_then(Raw::as_array);
    let mut later: Option<HashSet<Cow<'a, str>>> = None;
    for (index, server) in list.into_iter().flatten().enumerate() {
        let index = index.to_string();
        let keys = ["mcp_servers", index.as_str()];
        let Some(name) = server.get("name").and_then(Raw::as_str) else {
            let text = "the server has no `name`";
            report.under(&REQUIRED_FIELD, Place::Root, &keys, server, text);
            continue;
        };
        if !names.insert(name.clone()) {
            let text = format!("a second server named {}", quoted(&name));
            report.under(rule, Place::Root, &keys, server, text);
            continue;
        }
        let used = toolsets.contains(&name)
            || later.get_or_insert_with(|| inline(body)).contains(&name);
        if !used {
            let text = format!("no toolset uses the server {}", quoted(&name));
            // The first beta, 2025-04-04, has no toolsets at all.
            let severity = match &report.profile.betas {
                Betas::Known(names)
                    if names.iter().any(|one| one == "mcp-client-2025-04-04") =>
                {
                    continue;
                }
                Betas::Known(_) => Severity::Error,
                Betas::Unknown => Severity::Note,
            };
            report
                .under(rule, Place::Root, &keys, server, text)
                .weigh(severity);
        }
    }
    let mut seen: HashSet<Cow<'a, str>> = HashSet::new();
    for tool in body.tools() {
        let Some(server) = tool.fields.text("mcp_server_name") else {
            continue;
        };
        let again = !seen.insert(server.clone());
        let text = if !names.contains(&server) {
            format!("`mcp_servers` has no server {}", quoted(&server))
        } else if again {
            format!("a second toolset for the server {}", quoted(&server))
        } else {
            continue;
        };
        report.at(rule, tool.place, tool.raw, text);
    }
}

/// The servers of toolsets that tool changes define.
fn inline<'a>(body: &Body<'a>) -> HashSet<Cow<'a, str>> {
    let mut found = HashSet::new();
    for message in body.messages().filter(|message| message.role == "system") {
        for block in message
            .blocks()
            .filter(|block| block.kind == "tool_addition")
        {
            let tool = block.get("tool").and_then(|tool| tool.get("definition"));
            let server = tool.and_then(|tool| tool.get("mcp_server_name"));
            if let Some(server) = server.and_then(Raw::as_str) {
                found.insert(server);
            }
        }
    }
    found
}
