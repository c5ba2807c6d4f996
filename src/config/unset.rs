//! Keys that a delta takes back before it is merged (`spec/stream.md` D-9).

use super::Config;
use super::warn::{Path, Warnings};
use super::wrap::List;
use crate::json::Raw;

impl Config<'_> {
    /// Applies the `unsets` of a delta: an absent key falls to its default.
    pub(super) fn unset(&mut self, unsets: Option<Raw<'_>>, warnings: &mut Warnings) {
        let Some(unsets) = unsets.filter(|value| !value.is_null()) else {
            return;
        };
        let Some(paths) = unsets.as_array() else {
            warnings.absent(&Path::Root("unsets"), unsets, "an array of paths");
            return;
        };
        for value in paths {
            let Some(path) = value.as_str() else {
                warnings.absent(&Path::Root("unsets"), value, "a dotted path");
                continue;
            };
            if !self.remove(&path) {
                warnings.push(
                    "config-unset",
                    format!("cannot unset `{path}`: convo does not model it"),
                );
            }
        }
    }

    fn remove(&mut self, path: &str) -> bool {
        match path {
            "assistant.system_prompt" => {
                self.prompt = None;
                self.versions.system += 1;
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
            "assistant.model.id" => {
                self.model_id = None;
                self.versions.model += 1;
            }
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
                    return self.tools.unset(tool);
                } else {
                    return false;
                }
            }
        }
        true
    }
}
