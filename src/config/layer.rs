//! One partial configuration, as a delta or a base states it.
//!
//! A [`Layer`] holds what `convo` models of it (`docs/formats.md#merging`), read in
//! one pass; everything else is carried by nobody and passed over. Of a repeated
//! key the last counts, null counts as absent.

use super::instruction::Instruction;
use super::model::{ModelId, ModelParameters};
use super::section::Section;
use super::tool::Tool;
use super::warn::{Path, Warnings};
use super::wrap::{List, Prompt};
use crate::json::{Cursor, Kind, Raw, Text};
use std::borrow::Cow;
use std::collections::HashMap;

/// The modelled part of a partial configuration.
#[derive(Debug, Clone, Default)]
pub(crate) struct Layer<'a> {
    pub(crate) assistant: Assistant<'a>,
    pub(crate) attachments: Option<List<Raw<'a>>>,
    pub(crate) tools: Vec<Tool<'a>>,
    pub(crate) aliases: Vec<(Text<'a>, Raw<'a>)>,
    pub(crate) beta_headers: Option<List<Text<'a>>>,
    pub(crate) display: Display<'a>,
}

/// The modelled part of `style`, and the assistant's name: what a terminal shows.
#[derive(Debug, Default, Clone, Copy)]
pub struct Display<'a> {
    /// `assistant.name`.
    pub name: Option<Text<'a>>,
    /// `style.reasoning.display`, as stored.
    pub reasoning: Option<Raw<'a>>,
    /// `style.tool_call.show`, as stored.
    pub tool_calls: Option<Raw<'a>>,
}

impl Display<'_> {
    pub(crate) fn merge(&mut self, next: Self) {
        self.name = next.name.or(self.name);
        self.reasoning = next.reasoning.or(self.reasoning);
        self.tool_calls = next.tool_calls.or(self.tool_calls);
    }
}

/// The modelled part of `assistant`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Assistant<'a> {
    pub(crate) name: Option<Text<'a>>,
    pub(crate) prompt: Option<Prompt<'a>>,
    pub(crate) sections: Option<List<Section<'a>>>,
    pub(crate) instructions: Option<List<Instruction<'a>>>,
    pub(crate) tool_choice: Option<Text<'a>>,
    pub(crate) cache: Option<Raw<'a>>,
    pub(crate) model_id: Option<ModelId<'a>>,
    pub(crate) parameters: Option<ModelParameters<'a>>,
}

impl<'a> Layer<'a> {
    /// Reads a partial configuration object.
    pub(crate) fn read(partial: Raw<'a>, warnings: &mut Warnings) -> Self {
        let mut layer = Self::default();
        let mut cursor = Cursor::new(partial);
        let object = cursor.object(|cursor, key| {
            if key.is("assistant") {
                layer.assistant = assistant(cursor, warnings);
            } else if key.is("conversation") {
                layer.attachments = None;
                layer.tools.clear();
                layer.conversation(cursor, warnings);
            } else if key.is("providers") {
                layer.aliases.clear();
                layer.beta_headers = None;
                layer.providers(cursor, warnings);
            } else if key.is("style") {
                layer.style(cursor, warnings);
            }
        });
        layer.display.name = layer.assistant.name;
        if !object && !partial.is_null() {
            warnings.push(
                "config-value",
                format!(
                    "the configuration is {}, expected an object; taken as empty",
                    partial.kind().name()
                ),
            );
        }
        layer
    }

    fn conversation(&mut self, cursor: &mut Cursor<'a>, warnings: &mut Warnings) {
        let root = Path::Root("conversation");
        enter(cursor, &root, warnings, |cursor, key, warnings| {
            let at = Path::Key(&root, key);
            if key.is("attachments") {
                self.attachments = List::read(cursor, &at, warnings, |cursor, _, _| {
                    Some(cursor.take()).filter(|item| !item.is_null())
                });
            } else if key.is("tools") {
                self.tools = tools(cursor, &at, warnings);
            }
        });
    }

    fn style(&mut self, cursor: &mut Cursor<'a>, warnings: &mut Warnings) {
        let root = Path::Root("style");
        enter(cursor, &root, warnings, |cursor, key, warnings| {
            let (field, name) = if key.is("reasoning") {
                (&mut self.display.reasoning, "display")
            } else if key.is("tool_call") {
                (&mut self.display.tool_calls, "show")
            } else {
                return;
            };
            enter(
                cursor,
                &Path::Key(&root, key),
                warnings,
                |cursor, key, _| {
                    if key.is(name) {
                        *field = Some(cursor.take()).filter(|value| !value.is_null());
                    }
                },
            );
        });
    }

    fn providers(&mut self, cursor: &mut Cursor<'a>, warnings: &mut Warnings) {
        let root = Path::Root("providers");
        enter(cursor, &root, warnings, |cursor, key, warnings| {
            if !key.is("llm") {
                return;
            }
            let llm = Path::Root("providers.llm");
            enter(cursor, &llm, warnings, |cursor, key, warnings| {
                let at = Path::Key(&llm, key);
                if key.is("aliases") {
                    self.aliases.clear();
                    enter(cursor, &at, warnings, |cursor, key, _| {
                        self.aliases.push((key, cursor.take()));
                    });
                } else if key.is("anthropic") {
                    enter(cursor, &at, warnings, |cursor, key, warnings| {
                        if key.is("beta_headers") {
                            let at = Path::Key(&at, key);
                            self.beta_headers = List::read(cursor, &at, warnings, text);
                        }
                    });
                }
            });
        });
    }
}

fn assistant<'a>(cursor: &mut Cursor<'a>, warnings: &mut Warnings) -> Assistant<'a> {
    let mut read = Assistant::default();
    let root = Path::Root("assistant");
    enter(cursor, &root, warnings, |cursor, key, warnings| {
        let at = Path::Key(&root, key);
        if key.is("name") {
            read.name = text(cursor, &at, warnings);
        } else if key.is("system_prompt") {
            read.prompt = Prompt::read(cursor, &at, warnings);
        } else if key.is("system_prompt_sections") {
            read.sections = List::read(cursor, &at, warnings, Section::read);
        } else if key.is("instructions") {
            read.instructions = List::read(cursor, &at, warnings, Instruction::read);
        } else if key.is("tool_choice") {
            read.tool_choice = text(cursor, &at, warnings);
        } else if key.is("request") {
            enter(cursor, &at, warnings, |cursor, key, _| {
                if key.is("cache") {
                    read.cache = Some(cursor.take()).filter(|value| !value.is_null());
                }
            });
        } else if key.is("model") {
            (read.model_id, read.parameters) = (None, None);
            enter(cursor, &at, warnings, |cursor, key, warnings| {
                let at = Path::Key(&at, key);
                if key.is("id") {
                    read.model_id = ModelId::read(cursor.take(), &at, warnings);
                } else if key.is("parameters") && cursor.kind() != Kind::Null {
                    read.parameters = Some(ModelParameters::read(cursor, warnings));
                }
            });
        }
    });
    read
}

fn tools<'a>(
    cursor: &mut Cursor<'a>,
    path: &Path<'_>,
    warnings: &mut Warnings,
) -> Vec<Tool<'a>> {
    let mut list: Vec<Tool<'a>> = Vec::new();
    let mut index: HashMap<Cow<'a, str>, usize> = HashMap::new();
    enter(cursor, path, warnings, |cursor, key, warnings| {
        if cursor.kind() == Kind::Null {
            return;
        }
        let tool = Tool::read(cursor, key, &Path::Key(path, key), warnings);
        let next = list.len();
        match *index.entry(tool.name.clone()).or_insert(next) {
            slot if slot < next => list[slot] = tool,
            _ => list.push(tool),
        }
    });
    list
}

fn text<'a>(
    cursor: &mut Cursor<'a>,
    path: &Path<'_>,
    warnings: &mut Warnings,
) -> Option<Text<'a>> {
    let value = cursor.take();
    if value.as_text().is_none() && !value.is_null() {
        warnings.absent(path, value, "a string");
    }
    value.as_text()
}

/// Enters an object; null is nothing, anything else is told and passed over.
fn enter<'a>(
    cursor: &mut Cursor<'a>,
    path: &Path<'_>,
    warnings: &mut Warnings,
    mut visit: impl FnMut(&mut Cursor<'a>, Text<'a>, &mut Warnings),
) {
    if cursor.kind() == Kind::Object {
        cursor.object(|cursor, key| visit(cursor, key, warnings));
        return;
    }
    let value = cursor.take();
    if !value.is_null() {
        warnings.absent(path, value, "an object");
    }
}
