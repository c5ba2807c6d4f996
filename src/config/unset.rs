//! Keys that a delta takes back before it is merged (`docs/formats.md#decisions` D-9).

use super::Config;
use super::warn::{Path, Warnings};
use super::wrap::List;
use crate::json::Raw;
use std::borrow::Cow;

/// The paths of a delta's `unsets` that can be unset; the rest is told.
pub(super) fn read<'a>(
    unsets: Option<Raw<'a>>,
    warnings: &mut Warnings,
) -> Vec<Cow<'a, str>> {
    let mut known = Vec::new();
    let Some(unsets) = unsets.filter(|value| !value.is_null()) else {
        return known;
    };
    let Some(paths) = unsets.as_array() else {
        warnings.absent(&Path::Root("unsets"), unsets, "an array of paths");
        return known;
    };
    for value in paths {
        match value.as_str() {
            None => warnings.absent(&Path::Root("unsets"), value, "a dotted path"),
            Some(path) if is_modelled(&path) => known.push(path),
            Some(path) => warnings.push(
                "config-unset",
                format!("cannot unset `{path}`: convo does not model it"),
            ),
        }
    }
    known
}

fn is_modelled(path: &str) -> bool {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    match first {
        "assistant" => {
            let model = rest.strip_prefix("model");
            let known = ["system_prompt", "system_prompt_sections", "instructions"];
            known.contains(&rest)
                || rest == "tool_choice"
                || model.is_some_and(|rest| {
                    ["", ".id", ".parameters"].contains(&rest)
                        || rest.starts_with(".parameters.")
                })
        }
        "conversation" => rest == "tools" || rest.starts_with("tools."),
        _ => false,
    }
}

impl Config<'_> {
    /// Takes one key back: an absent key falls to its default.
    pub(super) fn remove(&mut self, path: &str) {
        match path {
            "assistant.system_prompt" => {
                self.prompt = None;
                self.versions.system += 1;
                self.versions.prompt += 1;
            }
            "assistant.system_prompt_sections" => {
                self.sections = List::default();
                self.versions.system += 1;
            }
            "assistant.instructions" => {
                self.instructions = List::default();
                self.versions.system += 1;
            }
            "assistant.tool_choice" => {
                self.tool_choice = None;
                self.versions.tools += 1;
            }
            "assistant.model" => {
                self.remove("assistant.model.id");
                self.remove("assistant.model.parameters");
            }
            "assistant.model.id" => self.model.unset(),
            "assistant.model.parameters" => self.parameters = Default::default(),
            "conversation.tools" => {
                self.tools = Default::default();
                self.versions.tools += 1;
            }
            _ => {
                if let Some(key) = path.strip_prefix("assistant.model.parameters.") {
                    self.parameters.unset(key);
                } else if let Some(tool) = path.strip_prefix("conversation.tools.") {
                    self.versions.tools += 1;
                    self.tools.unset(tool);
                }
            }
        }
    }
}
