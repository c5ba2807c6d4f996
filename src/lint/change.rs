//! Tool changes, and which tools are offered when (`docs/lint.md#sources`).
//!
//! Starts from what `tools` declares and follows additions, removals and
//! references through the messages. Limits are judged when they are crossed,
//! gates at the first change that needs them.

use super::catalogue::page::{CACHING, SEARCH, SYSTEM};
use super::parameters::FIELD_TYPE;
use super::parameters::REQUIRED_FIELD;
use super::report::{Report, Spot};
use super::stock::Stock;
use super::tools::DEFERRED_CACHE_CONTROL;
use super::tools::{self, Declared, Entry, Family, deferred};
use crate::body::{Block, Body, Fields, Place, Role, is_change};
use crate::finding::family;
use crate::json::Raw;
use crate::model::Feature;
use crate::term::quoted;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

family! { "changes";
    TOOL_CHANGE_UNRESOLVED: Error "tool-change-unresolved", SYSTEM;
    "a tool change names a tool that is not declared at its place";
    "the API refuses it with `tool_reference_unresolved`, for a removal too";
    "keep the tool in `tools`, or define it by value before";

    TOOL_CHANGE_REF_KEY: Error "tool-change-ref-key", SYSTEM;
    "the reference of a tool change says `tool_name`";
    "inside a tool change the key is `name`; `tool_name` is for references in a `tool_result`";
    "rename the key to `name`";

    TOOL_REMOVAL_BY_VALUE: Error "tool-removal-by-value", SYSTEM;
    "a `tool_removal` brings a definition";
    "removals go by reference only";
    "use `{\"type\":\"tool_reference\",\"name\":...}`";

    TOOL_NAME_CONFLICT: Error "tool-name-conflict", SYSTEM;
    "a definition takes the name of a tool of another kind";
    "a tool can be replaced by one of its own kind only; the API refuses it with `tool_name_conflict`";
    "choose another name";

    TOOL_CHANGE_DOUBLE_BREAKPOINT: Error "tool-change-double-breakpoint", CACHING;
    "`cache_control` stands on a tool change and in its definition";
    "one of the two is allowed";
    "keep the one on the block";

    TOOL_CHANGE_REDUNDANT: Warning "tool-change-redundant", SYSTEM;
    "a tool change adds a tool that is offered, or removes one that is not";
    "it changes nothing and stays in the history for good; what the API makes of it is not documented";
    "leave the change out, and write net changes only";

    INLINE_NO_ANCHOR: Warning "inline-no-anchor", SYSTEM;
    "a tool is defined by value while `tools` has none that is not deferred";
    "the first such definition moves the start of the prompt: the whole cache is missed once";
    "keep one tool that is not deferred in `tools`";

    DEFERRED_UNREACHABLE: Warning "deferred-unreachable", SEARCH;
    "nothing in the request can offer a deferred tool";
    "without tool search, reference or addition the model never sees it";
    "add a tool search tool, refer to it, or take `defer_loading` off";

    TOOL_REFERENCE_UNKNOWN: Error "tool-reference-unknown", SEARCH;
    "a `tool_reference` in a result names a tool that `tools` does not have";
    "the API refuses references it cannot resolve";
    "keep the tool in `tools`, deferred";
}

/// The tools on offer, as far as the walk has come.
pub(super) struct Changes<'a> {
    pub(super) declared: Declared<'a>,
    referenced: HashSet<Cow<'a, str>>,
    touched: HashMap<Cow<'a, str>, usize>,
    message: usize,
    pub(super) reference: Option<(Spot<'a>, usize)>,
    pub(super) value: Option<(Spot<'a>, usize)>,
    pub(super) toolset: Option<(Spot<'a>, usize)>,
    stock: Stock,
}

impl<'a> Changes<'a> {
    pub(super) fn new(declared: Declared<'a>) -> Self {
        let mut stock = Stock::default();
        declared.tools.values().for_each(|entry| stock.enter(entry));
        Self {
            stock,
            declared,
            referenced: HashSet::new(),
            touched: HashMap::new(),
            message: 0,
            reference: None,
            value: None,
            toolset: None,
        }
    }

    /// Whether a name was declared, in `tools` or later, or may have been.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.declared.nameless || self.declared.tools.contains_key(name)
    }

    /// Whether there is any tool change.
    pub(super) fn any(&self) -> bool {
        self.reference.is_some() || self.value.is_some()
    }

    /// A `tool_reference` in a result offers its tool.
    pub(super) fn surfaced(&mut self, report: &mut Report<'_>, block: &Block<'a>) {
        let Some(value) = block.get("tool_name") else {
            return;
        };
        self.surfaced_name(
            report,
            Spot {
                place: block.place,
                raw: value,
            },
            &["tool_name"],
        );
    }

    pub(super) fn surfaced_name(
        &mut self,
        report: &mut Report<'_>,
        spot: Spot<'a>,
        keys: &[&str],
    ) {
        let Some(name) = spot.raw.as_str() else {
            return;
        };
        match self.declared.tools.get_mut(&name) {
            Some(entry) => {
                self.stock.leave(entry);
                entry.offered = true;
                self.stock.enter(entry);
                self.referenced.insert(name);
            }
            None if !self.declared.nameless => {
                let text = format!("`tools` has no tool {}", quoted(&name));
                let rule = &TOOL_REFERENCE_UNKNOWN;
                report.under(rule, spot.place, keys, spot.raw, text);
            }
            None => {}
        }
    }

    pub(super) fn block(
        &mut self,
        report: &mut Report<'_>,
        role: Role,
        block: &Block<'a>,
    ) {
        if role != Role::System || !is_change(&block.kind) {
            return;
        }
        let spot = Spot {
            place: block.place,
            raw: block.raw,
        };
        let addition = block.kind == "tool_addition";
        let Some(tool) = block.get("tool") else {
            self.reference.get_or_insert((spot, 0)).1 += 1;
            let text = format!("the `{}` has no `tool`", block.kind);
            report.at(&REQUIRED_FIELD, spot.place, spot.raw, text);
            return;
        };
        let kind = tool.get("type").and_then(Raw::as_str).unwrap_or_default();
        if kind != "tool_definition" {
            self.reference.get_or_insert((spot, 0)).1 += 1;
        }
        match kind.as_ref() {
            "tool_definition" => self.by_value(report, block, spot, tool, addition),
            "tool_reference" => self.by_name(report, spot, tool, addition),
            "mcp_tool_reference" | "mcp_toolset_reference" => {
                let Some(server) = tool.get("server_name") else {
                    let text = "the reference has no `server_name`";
                    report.under(&REQUIRED_FIELD, spot.place, &["tool"], tool, text);
                    return;
                };
                let name = server.as_str().unwrap_or_default();
                if !self.declared.servers.contains_key(&name) {
                    let text = format!(
                        "no toolset of the server {} is declared",
                        quoted(&name)
                    );
                    let (rule, keys) =
                        (&TOOL_CHANGE_UNRESOLVED, ["tool", "server_name"]);
                    report.under(rule, spot.place, &keys, server, text);
                } else if kind == "mcp_toolset_reference"
                    && self.declared.servers.insert(name.clone(), addition)
                        == Some(addition)
                {
                    self.redundant(report, spot, &name, addition);
                }
            }
            _ => {
                let text = format!(
                    "expected a reference or a definition, found {}",
                    quoted(&kind)
                );
                report.under(&FIELD_TYPE, spot.place, &["tool"], tool, text);
            }
        }
        self.stock.judge(report, spot, &[]);
    }

    fn redundant(
        &self,
        report: &mut Report<'_>,
        spot: Spot<'_>,
        name: &str,
        addition: bool,
    ) {
        let text = match addition {
            true => format!("{} is offered already", quoted(name)),
            false => format!("{} is not offered", quoted(name)),
        };
        report.at(&TOOL_CHANGE_REDUNDANT, spot.place, spot.raw, text);
    }

    fn by_name(
        &mut self,
        report: &mut Report<'_>,
        spot: Spot<'a>,
        tool: Raw<'a>,
        addition: bool,
    ) {
        let Some(value) = tool.get("name") else {
            let (rule, text) = match tool.get("tool_name") {
                Some(_) => (
                    &TOOL_CHANGE_REF_KEY,
                    "`tool_name` in the reference of a tool change",
                ),
                None => (&REQUIRED_FIELD, "the reference has no `name`"),
            };
            report.under(rule, spot.place, &["tool"], tool, text);
            return;
        };
        let name = value.as_str().unwrap_or_default();
        let Some(entry) = self.declared.tools.get_mut(&name) else {
            let text = format!("no tool {} is declared at this place", quoted(&name));
            let rule = &TOOL_CHANGE_UNRESOLVED;
            let finding =
                report.under(rule, spot.place, &["tool", "name"], value, text);
            // A request has a handful of servers; a hostile one is not searched.
            let few = self.declared.servers.len() <= 20;
            let mut servers = self.declared.servers.keys();
            if few && servers.any(|server| name.starts_with(server.as_ref())) {
                finding
                    .hint("refer to a tool of an MCP server by `mcp_tool_reference`");
            }
            return;
        };
        self.stock.leave(entry);
        let before = std::mem::replace(&mut entry.offered, addition);
        self.stock.enter(entry);
        let found = entry.deferred && self.declared.search;
        let again =
            self.touched.insert(name.clone(), self.message) == Some(self.message);
        if before == addition && (addition || !found) {
            self.redundant(report, spot, &name, addition);
        } else if again {
            let text = format!("{} changes twice in one message", quoted(&name));
            report.at(&TOOL_CHANGE_REDUNDANT, spot.place, spot.raw, text);
        }
    }

    fn by_value(
        &mut self,
        report: &mut Report<'_>,
        block: &Block<'a>,
        spot: Spot<'a>,
        tool: Raw<'a>,
        addition: bool,
    ) {
        let (place, keys) = (spot.place, ["tool", "definition"]);
        if !addition {
            self.reference.get_or_insert((spot, 0)).1 += 1;
            let text = "a `tool_removal` with a definition";
            report.under(&TOOL_REMOVAL_BY_VALUE, place, &["tool"], tool, text);
            return;
        }
        self.value.get_or_insert((spot, 0)).1 += 1;
        let Some(raw) = tool.get("definition") else {
            let text = "the change has no `definition`";
            report.under(&REQUIRED_FIELD, place, &["tool"], tool, text);
            return;
        };
        let fields = Fields::read(raw);
        let family = Family::of(fields.text("type"));
        tools::definition(report, place, &keys, (raw, &fields), &family);
        let mark = fields.given("cache_control");
        let hidden = deferred(&fields);
        if let Some(mark) = mark {
            if block.fields.given("cache_control").is_some() {
                let text = "`cache_control` on the block and in its definition";
                let rule = &TOOL_CHANGE_DOUBLE_BREAKPOINT;
                report.under(
                    rule,
                    place,
                    &["tool", "definition", "cache_control"],
                    mark,
                    text,
                );
            }
            if hidden {
                let text = "the definition is deferred and marked";
                report
                    .under(&DEFERRED_CACHE_CONTROL, place, &keys, raw, text)
                    .hint("take the breakpoint off the definition");
            }
        }
        if self.declared.plain == 0 && self.value.is_some_and(|(_, count)| count == 1) {
            let text =
                "a definition by value, and no tool in `tools` that is not deferred";
            report.at(&INLINE_NO_ANCHOR, place, spot.raw, text);
        }
        if let Some(server) = fields.text("mcp_server_name") {
            self.toolset.get_or_insert((spot, 0)).1 += 1;
            self.declared.servers.insert(server, !hidden);
            return;
        }
        let Some(value) = fields.get("name") else {
            return;
        };
        let Some(name) = value.as_str() else { return };
        let fresh = Entry {
            family,
            raw,
            offered: !hidden,
            deferred: hidden,
            later: true,
        };
        let again =
            self.touched.insert(name.clone(), self.message) == Some(self.message);
        if let Some(known) = self.declared.tools.get(&name) {
            if known.family != fresh.family {
                let text =
                    format!("{} is the name of a tool of another kind", quoted(&name));
                let keys = ["tool", "definition", "name"];
                report.under(&TOOL_NAME_CONFLICT, place, &keys, value, text);
                return;
            }
            if known.raw == fresh.raw && known.offered == fresh.offered {
                self.redundant(report, spot, &name, true);
                return;
            }
            if again {
                let text = format!("{} changes twice in one message", quoted(&name));
                report.at(&TOOL_CHANGE_REDUNDANT, place, spot.raw, text);
            }
            self.stock.leave(known);
        }
        self.stock.enter(&fresh);
        self.declared.tools.insert(name, fresh);
    }

    /// Judges the limits of `tools` alone.
    pub(super) fn start(&mut self, report: &mut Report<'_>, body: &Body<'a>) {
        if let Some(raw) = body.get("tools") {
            let place = Place::Root;
            self.stock.judge(report, Spot { place, raw }, &["tools"]);
        }
    }

    pub(super) fn end(&mut self) {
        self.message += 1;
    }

    pub(super) fn finish(mut self, report: &mut Report<'_>, body: &Body<'a>) {
        self.gates(report);
        self.choice(report, body);
        let in_force = report
            .profile
            .table
            .betas_for(Feature::ToolChange, report.profile.platform)
            .any(|beta| report.profile.betas.has(beta));
        if self.declared.search || in_force || self.any() {
            return;
        }
        for (name, spot) in std::mem::take(&mut self.declared.deferred) {
            if !self.referenced.contains(&name) {
                let text =
                    format!("nothing can offer the deferred tool {}", quoted(&name));
                report.at(&DEFERRED_UNREACHABLE, spot.place, spot.raw, text);
            }
        }
    }
}
