//! The tools that a request offers (`docs/formats.md#tool-enablement`, `docs/formats.md#tool-definitions`).

use super::rules::Rules;
use crate::config::{Config, Mode, Parameters, Source, Tool, ToolChoice, Warnings};
use crate::directive::CatalogueFile;
use crate::directive::catalogue::schema_fits;
use crate::directive::listed::input_schema;
use crate::error::Diagnostic;
use crate::json::{Raw, Text, write};
use crate::term::counted_are;
use std::borrow::Cow;
use std::sync::Arc;

/// A tool as it is sent.
#[derive(Debug, Clone)]
pub struct ToolDefinition<'a> {
    /// The name it goes by.
    pub name: Cow<'a, str>,
    /// What it does.
    pub description: Option<Text<'a>>,
    /// What it takes.
    pub parameters: Parameters<'a>,
    /// What it takes as a JSON Schema of its own, which then counts instead.
    pub schema: Option<Arc<[u8]>>,
    /// The definition for the Messages API that a lock file holds, to be sent as it is.
    pub locked: Option<Arc<[u8]>>,
}

impl<'a> ToolDefinition<'a> {
    /// The definition of a configured tool: what the stream holds, else what servers
    /// list now with what is stored laid over it, else what is given under its name,
    /// else what a lock file holds; `None` if there is none to be had.
    pub fn of(
        tool: &Tool<'a>,
        file: Option<&CatalogueFile<'a>>,
        warnings: &mut Warnings,
    ) -> Option<Self> {
        let mut definition = Self {
            name: tool.name.clone(),
            description: tool.description(),
            parameters: Parameters::default(),
            schema: None,
            locked: None,
        };
        if tool.is_resolvable() {
            definition.parameters = tool.parameters(warnings);
            return Some(definition);
        }
        let file = file?;
        let listed = match tool.source() {
            Some(Source::Mcp) => {
                let (server, name) = tool.server().unwrap_or_default();
                file.listed(&server, &name)
            }
            _ => None,
        };
        let text = |raw: Raw<'a>| raw.get("description").and_then(Raw::as_text);
        if let Some(listed) = listed {
            let schema = listed_schema(tool, listed, warnings);
            if let Err(why) = schema_fits(Raw::parse(&schema).ok()) {
                let told = format!("tool `{}` is left out: {why}", tool.name);
                warnings.push("tool-schema", told);
                return None;
            }
            definition.schema = Some(schema.into());
            definition.description = definition.description.or_else(|| text(listed));
            return Some(definition);
        }
        if let Some(given) = file.tool(&tool.name) {
            definition.parameters = tool.parameters(warnings);
            if definition.parameters.is_empty() {
                definition.parameters = Offer::parameters(given, warnings);
            }
            definition.description = definition.description.or_else(|| text(given));
            return Some(definition);
        }
        let (entry, raw) = file.locked(&tool.name)?;
        let mut schema = Vec::new();
        if let Some(own) = raw.get("input_schema") {
            write::compact(&mut schema, own);
        }
        definition.schema = Some(schema.into());
        definition.description = text(raw);
        definition.locked = Some(entry.definition.clone());
        Some(definition)
    }
}

/// A server's schema, what is stored of the tool laid over it.
fn listed_schema(tool: &Tool<'_>, listed: Raw<'_>, warnings: &mut Warnings) -> Vec<u8> {
    let own = listed.get("inputSchema");
    let own = own.or_else(|| listed.get("input_schema"));
    let parameters = tool.parameters(warnings);
    let mut stored = Vec::new();
    parameters.write_properties(&mut stored);
    let required: Vec<_> = parameters.required().collect();
    let mut schema = Vec::new();
    input_schema(&mut schema, own, Raw::checked(&stored), &required);
    schema
}

/// Tools and what is said about calling them.
#[derive(Debug, Clone, Default)]
pub struct Offer<'a> {
    /// The tools, in the order sent.
    pub tools: Vec<ToolDefinition<'a>>,
    /// Which of them must or may be called.
    pub choice: ToolChoice<'a>,
}

impl<'a> Offer<'a> {
    /// Whether another holds the same tools, in the same order.
    pub fn is_like(&self, other: &Self) -> bool {
        let written = |one: &ToolDefinition<'_>| {
            let mut out = Vec::new();
            one.parameters.write_properties(&mut out);
            out.push(b'\n');
            one.parameters.write_required(&mut out);
            out.extend_from_slice(one.schema.as_deref().unwrap_or_default());
            out
        };
        let same = |(a, b): (&ToolDefinition<'_>, &ToolDefinition<'_>)| {
            let text = |one: &ToolDefinition<'_>| {
                one.description.map(Text::decode).map(Cow::into_owned)
            };
            a.name == b.name && text(a) == text(b) && written(a) == written(b)
        };
        self.tools.len() == other.tools.len()
            && self.tools.iter().zip(&other.tools).all(same)
    }

    /// What a configuration offers: tools that are available and whose definition
    /// the stream holds.
    pub fn of(
        config: &Config<'a>,
        choice: ToolChoice<'a>,
        file: Option<&CatalogueFile<'a>>,
        rules: &Rules,
        warnings: &mut Warnings,
    ) -> Self {
        let mut offer = Self {
            tools: Vec::new(),
            choice,
        };
        let mut foreign = Vec::new();
        let tools = config.tools();
        for tool in tools.iter() {
            if !tools.is_available(tool, offer.choice.function()) {
                continue;
            }
            let Some(definition) = ToolDefinition::of(tool, file, warnings) else {
                match tool.source() {
                    Some(Source::Mcp) => foreign.push(format!("`{}`", tool.name)),
                    Some(Source::Builtin | Source::Local) => {}
                    None => warnings.push(
                        "tool-unresolvable",
                        format!(
                            "tool `{}` is left out: its `source` is missing or unknown",
                            tool.name
                        ),
                    ),
                }
                continue;
            };
            if takes(&tool.name, rules, warnings) {
                offer.tools.push(definition);
            }
        }
        // A lock file's order stands; what it does not hold comes behind.
        if let Some(file) = file.filter(|file| file.lock().is_some()) {
            let place = |one: &ToolDefinition<'_>| file.place(&one.name);
            offer
                .tools
                .sort_by_key(|one| place(one).unwrap_or(usize::MAX));
        }
        if !foreign.is_empty() && rules.mode == Mode::Convo {
            let names = foreign.join(", ");
            warnings.list.push(
                Diagnostic::warning(
                    "tools-missing",
                    format!(
                        "{} left out, whose definition is not in the stream: {names}",
                        counted_are(foreign.len(), "enabled MCP tool")
                    ),
                )
                .hint("give what their servers list with --catalogue"),
            );
        }
        offer.check(rules, warnings);
        offer
    }

    /// Tools given from outside, in the form of `inputs.tools`.
    pub fn given(
        list: Raw<'a>,
        choice: ToolChoice<'a>,
        rules: &Rules,
        warnings: &mut Warnings,
    ) -> Self {
        let mut offer = Self {
            tools: Vec::new(),
            choice,
        };
        for entry in list.as_array().into_iter().flatten() {
            let Some(name) = entry.get("name").and_then(Raw::as_str) else {
                continue;
            };
            if !takes(&name, rules, warnings) {
                continue;
            }
            let parameters = Self::parameters(entry, warnings);
            let schema = (rules.mode == Mode::Convo).then(|| Self::schema(entry));
            offer.tools.push(ToolDefinition {
                name,
                description: entry.get("description").and_then(Raw::as_text),
                parameters,
                schema: schema.flatten(),
                locked: None,
            });
        }
        offer.check(rules, warnings);
        offer
    }

    /// The parameters of a tool in the form of `inputs.tools`.
    pub fn parameters<'p>(entry: Raw<'p>, warnings: &mut Warnings) -> Parameters<'p> {
        let mut parameters = Parameters::default();
        if let Some(map) = entry.get("parameters") {
            let path = crate::config::warn::Path::Root("inputs.tools");
            parameters.merge(map, &path, warnings);
        }
        parameters
    }

    /// The schema of a tool in the form of `inputs.tools`. No provider takes
    /// arguments that are no object, so a schema of anything else is not sent.
    fn schema(entry: Raw<'_>) -> Option<Arc<[u8]>> {
        let schema = entry.get("schema")?;
        let kind = schema.get("type").and_then(Raw::as_text);
        let mut compact = Vec::new();
        crate::json::write::compact(&mut compact, schema);
        kind.is_some_and(|kind| kind.is("object"))
            .then(|| compact.into())
    }

    /// A choice of a tool that is not sent cannot be kept.
    fn check(&mut self, rules: &Rules, warnings: &mut Warnings) {
        if rules.mode == Mode::Jp || self.tools.is_empty() {
            return;
        }
        if let ToolChoice::Function(name) = &self.choice
            && !self.tools.iter().any(|tool| tool.name == *name)
        {
            warnings.push(
                "tool-choice",
                format!("tool choice `{name}` names no tool on offer; sent as `auto`"),
            );
            self.choice = ToolChoice::Auto;
        }
    }
}

/// Whether the provider takes a tool under that name; if not, it is told.
fn takes(name: &str, rules: &Rules, warnings: &mut Warnings) -> bool {
    let takes = rules.mode == Mode::Jp || (rules.takes_tool_name)(name);
    if !takes {
        let provider = rules.provider.name();
        warnings.push(
            "tool-name",
            format!("tool `{name}` is left out: {provider} refuses its name"),
        );
    }
    takes
}
