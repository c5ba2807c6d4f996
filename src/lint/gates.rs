//! What tool changes need to be allowed, and whether the tool chosen is offered
//! at the end (`docs/lint.md#sources`).

use super::catalogue::page::{MCP, SYSTEM};
use super::change::Changes;
use super::placement::SYSTEM_MODEL_UNSUPPORTED;
use super::placement::more;
use super::report::Report;
use crate::body::{Body, Place};
use crate::error::Severity;
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::model::Feature;
use crate::term::quoted;

family! { "gates";
    TOOL_CHANGE_BETA_MISSING: Error "tool-change-beta-missing", SYSTEM;
    "a tool change is used without a beta that allows it";
    "without the header the API does not know these blocks";
    "send `anthropic-beta: inline-tools-2026-09-15`, or `mid-conversation-tool-changes-2026-07-01` on Bedrock and Google Cloud";

    TOOL_DEFINITION_BETA_MISSING: Error "tool-definition-beta-missing", SYSTEM;
    "a tool is defined inside a tool change without the beta that allows it";
    "the older beta covers changes by reference only";
    "send `anthropic-beta: inline-tools-2026-09-15` (Claude API), or declare the tool in `tools` and refer to it";

    MCP_INLINE_BETA_MISSING: Error "mcp-inline-beta-missing", MCP;
    "an MCP toolset is defined by value without the beta that allows it";
    "`inline-tools-2026-09-15` alone does not cover toolsets";
    "send `anthropic-beta: mcp-client-2026-09-15` too";

    TOOL_CHOICE_UNAVAILABLE: Warning "tool-choice-unavailable", SYSTEM;
    "`tool_choice` names a tool that is not offered at the end of `messages`";
    "a withdrawn or deferred tool cannot be chosen; what the API answers is not documented";
    "offer the tool, or use `auto`";
}

impl<'a> Changes<'a> {
    pub(super) fn gates(&self, report: &mut Report<'_>) {
        let change = report.shut(Feature::ToolChange);
        if let Some((spot, count)) = self.reference
            && let Some((severity, why)) = &change
        {
            let text = format!("a tool change {why}{}", more(count));
            let rule = &TOOL_CHANGE_BETA_MISSING;
            report.at(rule, spot.place, spot.raw, text).weigh(*severity);
        }
        if let Some((spot, count)) = self.value
            && let Some((severity, why)) = report.shut(Feature::ToolDefinition)
        {
            let none = matches!(change, Some((Severity::Error, _)));
            let rule = match none {
                true => &TOOL_CHANGE_BETA_MISSING,
                false => &TOOL_DEFINITION_BETA_MISSING,
            };
            let text = format!("a definition in a tool change {why}{}", more(count));
            report.at(rule, spot.place, spot.raw, text).weigh(severity);
        }
        if let Some((spot, count)) = self.toolset
            && let Some((severity, why)) = report.shut(Feature::McpDefinition)
        {
            let text = format!("a toolset in a tool change {why}{}", more(count));
            let rule = &MCP_INLINE_BETA_MISSING;
            report.at(rule, spot.place, spot.raw, text).weigh(severity);
        }
        let model = &report.profile.model;
        let (support, id) = (model.tool_changes, model.id.clone());
        let first = self.reference.or(self.value);
        if let Some((spot, _)) = first
            && support.refused()
            && model.system_messages.taken()
        {
            let severity = report.weight(report.profile.sure(support));
            let text = format!("{id} takes no tool changes");
            let rule = &SYSTEM_MODEL_UNSUPPORTED;
            report.at(rule, spot.place, spot.raw, text).weigh(severity);
        }
    }

    pub(super) fn choice(&self, report: &mut Report<'_>, body: &Body<'a>) {
        let Some(choice) = body.get("tool_choice") else {
            return;
        };
        if choice.get("type").and_then(Raw::as_str).as_deref() != Some("tool") {
            return;
        }
        let Some(value) = choice
            .get("name")
            .filter(|name| name.kind() == Kind::String)
        else {
            return;
        };
        let name = value.as_str().unwrap_or_default();
        let state = match self.declared.tools.get(&name) {
            None if self.declared.nameless => return,
            None => "is declared nowhere",
            Some(entry) if !entry.offered && entry.deferred => "is still deferred",
            Some(entry) if !entry.offered => "is withdrawn",
            Some(entry) if entry.later => "is defined in a message",
            Some(_) => return,
        };
        let text = format!("`tool_choice` names {}, which {state}", quoted(&name));
        let rule = &TOOL_CHOICE_UNAVAILABLE;
        report.under(rule, Place::Root, &["tool_choice", "name"], value, text);
    }
}
