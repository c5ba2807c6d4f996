//! The tools that a request offers (`docs/formats.md#tool-enablement`, `docs/formats.md#tool-definitions`).

use super::rules::Rules;
use crate::config::{Config, Mode, Parameters, Source, ToolChoice, Warnings};
use crate::error::Diagnostic;
use crate::json::{Raw, Text};
use crate::term::counted_are;
use std::borrow::Cow;

/// A tool as it is sent.
#[derive(Debug, Clone)]
pub struct ToolDefinition<'a> {
    /// The name it goes by.
    pub name: Cow<'a, str>,
    /// What it does.
    pub description: Option<Text<'a>>,
    /// What it takes.
    pub parameters: Parameters<'a>,
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
            match tool.source() {
                Some(Source::Builtin | Source::Local) => {}
                Some(Source::Mcp) => {
                    foreign.push(format!("`{}`", tool.name));
                    continue;
                }
                None => {
                    warnings.push(
                        "tool-unresolvable",
                        format!(
                            "tool `{}` is left out: its `source` is missing or unknown",
                            tool.name
                        ),
                    );
                    continue;
                }
            }
            if takes(&tool.name, rules, warnings) {
                offer.tools.push(ToolDefinition {
                    name: tool.name.clone(),
                    description: tool.description(),
                    parameters: tool.parameters(warnings),
                });
            }
        }
        if !foreign.is_empty() && rules.mode == Mode::Convo {
            let names = foreign.join(", ");
            warnings.list.push(
                Diagnostic::note(
                    "tools-missing",
                    format!(
                        "{} left out, whose definition is not in the stream: {names}",
                        counted_are(foreign.len(), "enabled MCP tool")
                    ),
                )
                .hint("give the tools of the request as `tools` with --inputs"),
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
            offer.tools.push(ToolDefinition {
                name,
                description: entry.get("description").and_then(Raw::as_text),
                parameters,
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
