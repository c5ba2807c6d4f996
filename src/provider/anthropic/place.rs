//! What directives take from the Messages API: definitions of tools as they go over
//! the wire (`docs/directives.md#catalogue`), and when a forced choice needs a line of its
//! own.

use super::settings::decide;
use super::tool;
use crate::config::{Config, Source, Tool, ToolChoice, Warnings};
use crate::directive::catalogue::schema_fits;
use crate::directive::{CatalogueFile, Dialect, Entry, Offered, Voice};
use crate::json::{Kind, Raw, write};
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
    /// Definitions from outside.
    pub file: Option<&'r CatalogueFile<'r>>,
}

impl<'a> Dialect<'a> for Placing<'_> {
    fn define(&self, one: &Tool<'a>, warnings: &mut Warnings) -> Option<Vec<u8>> {
        let in_stream = one.is_resolvable();
        let locked = self.file.and_then(|file| file.locked(&one.name));
        if !in_stream && let Some(entry) = locked {
            return Some(entry.definition.to_vec());
        }
        let (server, name) = one.server().unwrap_or_default();
        let listed = self.file.and_then(|file| match one.source() {
            Some(Source::Mcp) => file.listed(&server, &name),
            _ => None,
        });
        let given = self.file.and_then(|file| file.tool(&one.name));
        if !in_stream && listed.is_none() && given.is_none() {
            return None;
        }
        if !(self.rules.takes_tool_name)(&one.name) {
            let provider = self.rules.provider.name();
            let told = format!(
                "tool `{}` is left out: {provider} refuses its name",
                one.name
            );
            warnings.push("tool-name", told);
            return None;
        }
        if !in_stream && let Some(listed) = listed {
            return self.listed(one, listed, warnings);
        }
        let mut definition = ToolDefinition {
            name: one.name.clone(),
            description: one.description(),
            parameters: one.parameters(warnings),
        };
        if !in_stream && let Some(given) = given {
            if definition.parameters.is_empty() {
                definition.parameters = Offer::parameters(given, warnings);
            }
            let stored = definition.description;
            definition.description =
                stored.or_else(|| given.get("description")?.as_text());
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
        Voice {
            nudge,
            choice: format!("{sent:?}"),
            reasoning: format!("{resolved:?}"),
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

    /// What a server lists, what is stored of the tool laid over it.
    fn listed(
        &self,
        one: &Tool<'_>,
        listed: Raw<'_>,
        warnings: &mut Warnings,
    ) -> Option<Vec<u8>> {
        let mut schema = Vec::new();
        let own = listed.get("inputSchema");
        let own = own.or_else(|| listed.get("input_schema"));
        let parameters = one.parameters(warnings);
        let mut stored = Vec::new();
        parameters.write_properties(&mut stored);
        let required: Vec<_> = parameters.required().collect();
        let stored = Raw::checked(&stored);
        input_schema(&mut schema, own, stored, &required);
        if let Err(why) = schema_fits(Raw::parse(&schema).ok()) {
            let told = format!("tool `{}` is left out: {why}", one.name);
            warnings.push("tool-schema", told);
            return None;
        }
        let mut out = b"{\"type\":\"custom\",\"name\":".to_vec();
        write::string(&mut out, &one.name);
        write::key(&mut out, "input_schema");
        out.append(&mut schema);
        let theirs = || listed.get("description").and_then(Raw::as_text);
        if let Some(description) = one.description().or_else(theirs) {
            write::key(&mut out, "description");
            write::text(&mut out, description);
        }
        out.push(b'}');
        Some(out)
    }
}

/// A server's schema with the stored parameters laid over its properties.
fn input_schema(
    out: &mut Vec<u8>,
    own: Option<Raw<'_>>,
    stored: Raw<'_>,
    required: &[crate::json::Text<'_>],
) {
    let own = own.filter(|own| own.kind() == Kind::Object);
    let get = |key: &str| own.and_then(|own| own.get(key));
    out.push(b'{');
    if get("type").is_none() {
        out.extend_from_slice(b"\"type\":\"object\"");
    }
    let has_stored = stored
        .as_object()
        .is_some_and(|mut all| all.next().is_some());
    let members = own.and_then(Raw::as_object).into_iter().flatten();
    for (key, value) in members {
        let replaced = key.is("properties") || key.is("required");
        if !(has_stored && replaced) {
            write::key(out, &key.decode());
            write::compact(out, value);
        }
    }
    if has_stored {
        write::key(out, "properties");
        overlay(out, get("properties"), stored, 1);
        let theirs = get("required")
            .and_then(Raw::as_array)
            .into_iter()
            .flatten();
        let mut names: Vec<_> = theirs.filter_map(Raw::as_text).collect();
        for name in required {
            let text = name.decode();
            if !names.iter().any(|one| one.is(&text)) {
                names.push(*name);
            }
        }
        write::key(out, "required");
        out.push(b'[');
        for (index, name) in names.into_iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            write::text(out, name);
        }
        out.push(b']');
    }
    out.push(b'}');
}

/// Members of `under`, those of `over` in their place or behind them; `depth` says
/// down to which level members are laid over each other rather than replaced.
fn overlay(out: &mut Vec<u8>, under: Option<Raw<'_>>, over: Raw<'_>, depth: usize) {
    let under = under.filter(|under| under.kind() == Kind::Object);
    let mut seen = HashSet::new();
    out.push(b'{');
    for (key, value) in under.and_then(Raw::as_object).into_iter().flatten() {
        let name = key.decode();
        write::key(out, &name);
        match over.get(&name) {
            Some(stored) if depth > 0 && stored.kind() == Kind::Object => {
                overlay(out, Some(value), stored, depth - 1);
            }
            Some(stored) => write::compact(out, stored),
            None => write::compact(out, value),
        }
        seen.insert(name);
    }
    for (key, value) in over.as_object().into_iter().flatten() {
        let name = key.decode();
        if !seen.contains(&name) {
            write::key(out, &name);
            write::compact(out, value);
        }
    }
    out.push(b'}');
}
