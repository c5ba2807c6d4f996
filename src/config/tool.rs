//! Tools of a configuration: one place-keeping map.
//!
//! `docs/formats.md#merging`, `docs/formats.md#tool-enablement`, `docs/formats.md#tool-entries`, `docs/formats.md#tool-definitions`. Existing tools keep their place and
//! merge per field, new ones come last; `*` holds defaults and is no tool. What a
//! provider sends of a tool is [`Tool::description`] and [`Tool::parameters`].

use super::builtin::{self, Builtin};
use super::enable::{Enable, Toggle};
use super::parameter::Parameters;
use super::warn::{Path, Warnings};
use crate::json::{Cursor, Raw, Text};
use std::borrow::Cow;
use std::collections::HashMap;

/// Where a tool's definition comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Part of the program that wrote the stream.
    Builtin,
    /// A command of the workspace.
    Local,
    /// A server; the definition is not in the stream (D-14).
    Mcp,
}

/// How a tool call is shown on a terminal, each field as stored.
#[derive(Debug, Clone, Copy, Default)]
pub struct Style<'a> {
    /// `hidden`.
    pub hidden: Option<Raw<'a>>,
    /// `inline_results`.
    pub inline_results: Option<Raw<'a>>,
    /// `results_file_link`.
    pub results_file_link: Option<Raw<'a>>,
    /// `parameters`.
    pub parameters: Option<Raw<'a>>,
    /// `header`.
    pub header: Option<Raw<'a>>,
    /// `error.inline_results`, for calls that failed.
    pub error_inline_results: Option<Raw<'a>>,
    /// `error.results_file_link`, for calls that failed.
    pub error_results_file_link: Option<Raw<'a>>,
    /// `error.header`, which means nothing: a header precedes its result.
    pub error_header: Option<Raw<'a>>,
}

/// One entry of `conversation.tools`.
#[derive(Debug, Clone, Default)]
pub struct Tool<'a> {
    /// The map key, which is the advertised name.
    pub name: Cow<'a, str>,
    /// `source`, as stored.
    pub source: Option<Text<'a>>,
    /// `enable`, without the defaults of `*`.
    pub enable: Enable,
    /// `summary`.
    pub summary: Option<Text<'a>>,
    /// The long description.
    pub long_description: Option<Text<'a>>,
    /// `style`, which replaces that of `*` as a whole when present.
    pub style: Option<Style<'a>>,
    layers: Vec<Raw<'a>>,
}

impl<'a> Tool<'a> {
    /// Reads one stored entry.
    pub(crate) fn read(
        cursor: &mut Cursor<'a>,
        name: Text<'a>,
        path: &Path<'_>,
        warnings: &mut Warnings,
    ) -> Self {
        let mut tool = Self {
            name: name.decode(),
            ..Self::default()
        };
        let text = |value: Raw<'a>, at: &Path<'_>, warnings: &mut Warnings| {
            let text = value.as_text();
            if text.is_none() && !value.is_null() {
                warnings.absent(at, value, "a string");
            }
            text
        };
        let object = cursor.object(|cursor, key| {
            let at = Path::Key(path, key);
            if key.is("source") {
                tool.source = text(cursor.take(), &at, warnings);
            } else if key.is("enable") {
                tool.enable = Enable::read(cursor.take(), &at, warnings);
            } else if key.is("summary") {
                tool.summary = text(cursor.take(), &at, warnings);
            } else if key.is("description") {
                tool.long_description = text(cursor.take(), &at, warnings);
            } else if key.is("parameters") {
                tool.layers = vec![cursor.take()];
            } else if key.is("style") {
                tool.style = Style::read(cursor.take(), &at, warnings);
            }
        });
        if !object {
            warnings.push("config-value", format!("`{path}` is not an object"));
        }
        tool
    }

    fn merge(&mut self, next: Self) {
        self.source = next.source.or(self.source);
        self.enable.merge(next.enable);
        self.summary = next.summary.or(self.summary);
        self.long_description = next.long_description.or(self.long_description);
        self.layers.extend(next.layers);
        match (&mut self.style, next.style) {
            (Some(style), Some(next)) => style.merge(next),
            (style, next) => *style = next.or(*style),
        }
    }

    /// Removes one field (`docs/formats.md#decisions` D-9).
    pub(crate) fn unset(&mut self, field: &str) {
        match field {
            "source" => self.source = None,
            "enable" => self.enable = Enable::default(),
            "enable.state" => self.enable.state = None,
            "enable.allow_toggle" => self.enable.toggle = None,
            "summary" => self.summary = None,
            "description" => self.long_description = None,
            "parameters" => self.layers.clear(),
            "style" => self.style = None,
            _ => {}
        }
    }

    /// Where the definition comes from; `None` when the stream does not say.
    pub fn source(&self) -> Option<Source> {
        let source = self.source?.decode();
        match source.split('.').next() {
            Some("builtin") => Some(Source::Builtin),
            Some("local") => Some(Source::Local),
            Some("mcp") => Some(Source::Mcp),
            _ => None,
        }
    }

    /// The server and the server's own name of an MCP tool.
    pub fn server(&self) -> Option<(String, String)> {
        let source = self.source?.decode().into_owned();
        let rest = source.strip_prefix("mcp")?;
        let mut parts = rest.strip_prefix('.').unwrap_or(rest).splitn(2, '.');
        let server = parts.next().unwrap_or_default().to_owned();
        let name = parts.next().filter(|name| !name.is_empty());
        Some((server, name.unwrap_or(&self.name).to_owned()))
    }

    /// Whether the stream holds the whole definition (D-14).
    pub fn is_resolvable(&self) -> bool {
        matches!(self.source(), Some(Source::Builtin | Source::Local))
    }

    /// What the tool is where the configuration leaves it out, if it is known.
    fn builtin(&self) -> Option<Builtin> {
        (self.source() == Some(Source::Builtin))
            .then(|| builtin::find(&self.name))
            .flatten()
    }

    /// The description that is sent: the summary, else the description, else that
    /// of the builtin tool.
    pub fn description(&self) -> Option<Text<'a>> {
        let own = self.summary.or(self.long_description);
        own.or_else(|| self.builtin()?.description.as_text())
    }

    /// The parameters, all layers merged.
    pub fn parameters(&self, warnings: &mut Warnings) -> Parameters<'a> {
        let mut merged = Parameters::default();
        let tools = Path::Root("conversation.tools");
        let tool = Path::Name(&tools, &self.name);
        let path = Path::Name(&tool, "parameters");
        let builtin = self.builtin().filter(|_| self.layers.is_empty());
        let builtin = builtin.map(|tool| tool.parameters);
        for layer in self.layers.iter().copied().chain(builtin) {
            merged.merge(layer, &path, warnings);
        }
        merged
    }

    /// Whether this entry says anything of the definition that is sent.
    pub(crate) fn defines(&self) -> bool {
        self.source.is_some() || self.description().is_some() || !self.layers.is_empty()
    }

    /// The layers of `parameters`, as stored, the oldest first.
    pub fn parameter_layers(&self) -> &[Raw<'a>] {
        &self.layers
    }

    /// Whether the definition that is sent is the same; spelling counts.
    pub fn same_definition(&self, other: &Self) -> bool {
        self.name == other.name
            && self.description() == other.description()
            && self.layers == other.layers
    }
}

impl<'a> Style<'a> {
    /// The fields of a stored style; `None` if it is no object.
    pub fn of(value: Raw<'a>) -> Option<Self> {
        Self::read(value, &Path::Root("style"), &mut Warnings::default())
    }

    fn read(value: Raw<'a>, path: &Path<'_>, warnings: &mut Warnings) -> Option<Self> {
        let Some(members) = value.as_object() else {
            if !value.is_null() {
                warnings.absent(path, value, "an object");
            }
            return None;
        };
        let mut style = Self::default();
        for (key, value) in members.filter(|(_, value)| !value.is_null()) {
            match &*key.decode() {
                "hidden" => style.hidden = Some(value),
                "inline_results" => style.inline_results = Some(value),
                "results_file_link" => style.results_file_link = Some(value),
                "parameters" => style.parameters = Some(value),
                "header" => style.header = Some(value),
                "error" => {
                    style.error_header = value.get("header");
                    style.error_inline_results = value.get("inline_results");
                    style.error_results_file_link = value.get("results_file_link");
                }
                _ => {}
            }
        }
        Some(style)
    }

    fn merge(&mut self, next: Self) {
        let pairs = [
            (&mut self.hidden, next.hidden),
            (&mut self.inline_results, next.inline_results),
            (&mut self.results_file_link, next.results_file_link),
            (&mut self.parameters, next.parameters),
            (&mut self.header, next.header),
            (&mut self.error_inline_results, next.error_inline_results),
            (&mut self.error_header, next.error_header),
            (
                &mut self.error_results_file_link,
                next.error_results_file_link,
            ),
        ];
        for (field, next) in pairs {
            *field = next.or(*field);
        }
    }
}

/// The tool map.
#[derive(Debug, Clone, Default)]
pub struct Tools<'a> {
    defaults: Tool<'a>,
    list: Vec<Option<Tool<'a>>>,
    index: HashMap<Cow<'a, str>, usize>,
}

impl<'a> Tools<'a> {
    /// The tools in map order, `*` not among them.
    pub fn iter(&self) -> impl Iterator<Item = &Tool<'a>> {
        self.list.iter().flatten()
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&Tool<'a>> {
        self.list[*self.index.get(name)?].as_ref()
    }

    /// The entry `*`.
    pub fn defaults(&self) -> &Tool<'a> {
        &self.defaults
    }

    /// Whether a tool is available when `choice` names the tool to call.
    pub fn is_available(&self, tool: &Tool<'a>, choice: Option<&str>) -> bool {
        let defaults = self.defaults.enable;
        let state = tool.enable.state.or(defaults.state).unwrap_or(true);
        let toggle = tool.enable.toggle.or(defaults.toggle);
        state || choice == Some(&*tool.name) && toggle != Some(Toggle::Never)
    }

    /// The style of a tool: its own, else that of `*`.
    pub fn style(&self, name: &str) -> Style<'a> {
        let tool = self.get(name);
        let own = tool.and_then(|tool| tool.style);
        let Some(builtin) = tool.and_then(Tool::builtin) else {
            return own.or(self.defaults.style).unwrap_or_default();
        };
        let mut style: Style<'a> = builtin.style;
        style.merge(own.unwrap_or_default());
        style
    }

    pub(crate) fn merge(&mut self, next: Tool<'a>) {
        if next.name == "*" {
            self.defaults.merge(next);
            return;
        }
        match self.index.get(&next.name) {
            Some(&slot) => {
                if let Some(tool) = &mut self.list[slot] {
                    tool.merge(next);
                }
            }
            None => {
                self.index.insert(next.name.clone(), self.list.len());
                self.list.push(Some(next));
            }
        }
    }

    /// Removes a tool or a field of one; `path` is `<name>[.<field>]`.
    pub(crate) fn unset(&mut self, path: &str) {
        if path == "*" {
            self.defaults = Tool::default();
            return;
        }
        if let Some(slot) = self.index.remove(path) {
            self.list[slot] = None;
            return;
        }
        // A field's own path holds one dot at most.
        let dots = path.rmatch_indices('.').take(2);
        let splits = dots.map(|(at, _)| path.split_at(at));
        for (name, field) in splits {
            let tool = match (name, self.index.get(name)) {
                ("*", _) => Some(&mut self.defaults),
                (_, Some(&slot)) => self.list[slot].as_mut(),
                _ => None,
            };
            if let Some(tool) = tool {
                tool.unset(&field[1..]);
                return;
            }
        }
    }
}
