//! The system parts of a request (`docs/formats.md#system-parts`).

use crate::config::{Config, Mode, TOOL_USAGE, escaped};
use crate::json::{Raw, write};
use std::collections::HashMap;
use std::ops::Range;

/// Where a system part comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// `assistant.system_prompt`.
    Prompt,
    /// An entry of `assistant.system_prompt_sections`, by index.
    Section(usize),
    /// An entry of `assistant.instructions`, by index.
    Instruction(usize),
    /// The section that goes with tools.
    ToolUsage,
    /// Given from outside, already rendered.
    Given,
}

/// One system part.
#[derive(Debug, Clone)]
pub struct SystemPart {
    /// Where it comes from.
    pub origin: Origin,
    /// Where it sorts; the prompt always comes first.
    pub position: i32,
    range: Range<usize>,
}

/// System parts in the order sent, each escaped as inside a JSON string.
#[derive(Debug, Default)]
pub struct Prelude {
    bytes: Vec<u8>,
    parts: Vec<SystemPart>,
}

impl Prelude {
    /// What a configuration gives; `tools` says whether a tool is sent.
    pub fn of(config: &Config<'_>, tools: bool, mode: Mode) -> Self {
        Self::with_prompt(config.system_prompt(), config, tools, mode)
    }

    /// As [`Prelude::of`], with another prompt than the configuration's.
    pub fn with_prompt(
        prompt: &str,
        config: &Config<'_>,
        tools: bool,
        mode: Mode,
    ) -> Self {
        let mut prelude = Self::default();
        if mode == Mode::Jp || !prompt.trim().is_empty() {
            prelude.push(Origin::Prompt, 0, |out| write::escaped(out, prompt));
        }
        let head = prelude.parts.len();
        for (index, section) in config.sections().iter().enumerate() {
            let origin = Origin::Section(index);
            prelude.push(origin, section.position(), |out| section.render(out));
        }
        for (index, one) in config.instructions().iter().enumerate() {
            let origin = Origin::Instruction(index);
            prelude.push(origin, one.position(), |out| one.render(out));
        }
        if tools {
            let usage = TOOL_USAGE.as_bytes();
            prelude.push(Origin::ToolUsage, 0, |out| out.extend_from_slice(usage));
        }
        if mode == Mode::Convo {
            let bytes = &prelude.bytes;
            prelude
                .parts
                .retain(|part| !escaped::trim(&bytes[part.range.clone()]).is_empty());
        }
        prelude.parts[head..].sort_by_key(|part| part.position);
        prelude
    }

    /// Parts that are given as strings, already rendered.
    pub fn given(parts: Raw<'_>) -> Self {
        let mut prelude = Self::default();
        for text in parts
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Raw::as_text)
        {
            prelude.push(Origin::Given, 0, |out| {
                out.extend_from_slice(&write::canonical(text));
            });
        }
        prelude
    }

    /// Adds the sections of `config` that deltas have brought since `head`, as far as
    /// the parts that are given do not say them: a prelude from outside stands for
    /// the sections at its place in the stream, not for later ones.
    pub fn add_later(&mut self, config: &Config<'_>, head: &Config<'_>) {
        let rendered = |config: &Config<'_>| {
            let mut list: Vec<(Origin, i32, Vec<u8>)> = Vec::new();
            for (index, section) in config.sections().iter().enumerate() {
                let mut out = Vec::new();
                section.render(&mut out);
                list.push((Origin::Section(index), section.position(), out));
            }
            for (index, one) in config.instructions().iter().enumerate() {
                let mut out = Vec::new();
                one.render(&mut out);
                list.push((Origin::Instruction(index), one.position(), out));
            }
            list.retain(|(.., text)| !escaped::trim(text).is_empty());
            list
        };
        let mut given: HashMap<Vec<u8>, usize> = HashMap::new();
        for (_, text) in self.iter() {
            *given.entry(text.to_vec()).or_default() += 1;
        }
        let mut silent: HashMap<Vec<u8>, usize> = HashMap::new();
        for (.., text) in rendered(head) {
            *silent.entry(text).or_default() += 1;
        }
        for (text, count) in given {
            let known = silent.entry(text).or_default();
            *known = count.max(*known);
        }
        let mut later = rendered(config);
        later.retain(|(.., text)| match silent.get_mut(text) {
            Some(count) if *count > 0 => {
                *count -= 1;
                false
            }
            _ => true,
        });
        later.sort_by_key(|(_, position, _)| *position);
        for (origin, position, text) in later {
            self.push(origin, position, |out| out.extend_from_slice(&text));
        }
    }

    fn push(
        &mut self,
        origin: Origin,
        position: i32,
        render: impl FnOnce(&mut Vec<u8>),
    ) {
        let start = self.bytes.len();
        render(&mut self.bytes);
        self.parts.push(SystemPart {
            origin,
            position,
            range: start..self.bytes.len(),
        });
    }

    /// The parts with their text, in the order sent.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&SystemPart, &[u8])> {
        let text = |part: &SystemPart| part.range.clone();
        self.parts
            .iter()
            .map(move |part| (part, &self.bytes[text(part)]))
    }

    /// How many parts there are.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}
