//! What directives take from the Messages API: definitions of tools as they go over
//! the wire (`docs/directives.md#catalogue`), and when a forced choice needs a line of its
//! own.

use super::settings::{decide, level, level_or_default, max_tokens};
use super::tool;
use crate::config::{Config, Tool, ToolChoice, Warnings};
use crate::directive::{CatalogueFile, Dialect, Entry, Offered, Voice};
use crate::json::Raw;
use crate::model::{Model, Table};
use crate::provider::Resolved;
use crate::thread::{Offer, Rules, ToolDefinition};
use std::collections::HashSet;

/// The Messages API's say while directives are derived.
#[derive(Debug)]
pub struct Placing<'r> {
    /// The provider's rules.
    pub rules: Rules,
    /// The model.
    pub details: &'r Model,
    /// What the API refuses of models.
    pub table: &'r Table,
    /// Whether tools are sent as strict ones.
    pub strict: bool,
    /// Whether changes of effort are said in messages.
    pub efforts: bool,
    /// Definitions from outside.
    pub file: Option<&'r CatalogueFile<'r>>,
}

impl<'a> Dialect<'a> for Placing<'_> {
    fn define(&self, one: &Tool<'a>, warnings: &mut Warnings) -> Option<Vec<u8>> {
        let definition = ToolDefinition::of(one, self.file, warnings)?;
        if definition.locked.is_none()
            && !(self.rules.takes_tool_name)(&definition.name)
        {
            let provider = self.rules.provider.name();
            let told = format!(
                "tool `{}` is left out: {provider} refuses its name",
                one.name
            );
            warnings.push("tool-name", told);
            return None;
        }
        let mut out = Vec::new();
        tool(&mut out, &definition, None, self.strict);
        Some(out)
    }

    fn voice(
        &self,
        config: &Config<'a>,
        choice: &ToolChoice<'a>,
        offered: Offered,
    ) -> Voice {
        let resolved = Resolved::of(config.parameters().reasoning(), self.details);
        let count = if offered.any { 2 } else { 0 };
        let (sent, nudge) = decide(
            choice,
            (count, offered.by_parameter),
            resolved,
            self.details,
            self.rules.mode,
        );
        let parameters = config.parameters();
        let top = level(self.details, resolved, max_tokens(parameters, self.details));
        let thinks = resolved.effort().is_some();
        Voice {
            nudge,
            choice: format!("{sent:?}"),
            reasoning: match self.efforts {
                true => format!("{thinks}"),
                false => format!("{resolved:?}"),
            },
            effort: level_or_default(top, self.details).filter(|_| thinks),
            top,
        }
    }
}

impl Placing<'_> {
    /// The entries of tools that are given from outside.
    pub fn given(&self, list: Raw<'_>, warnings: &mut Warnings) -> Vec<Entry> {
        let offer = Offer::given(list, ToolChoice::Auto, &self.rules, warnings);
        let mut names = HashSet::new();
        let mut entries = Vec::new();
        for one in &offer.tools {
            if names.insert(&one.name) {
                let mut out = Vec::new();
                tool(&mut out, one, None, self.strict);
                entries.push(Entry {
                    name: (&*one.name).into(),
                    definition: out.into(),
                });
            }
        }
        entries
    }
}
