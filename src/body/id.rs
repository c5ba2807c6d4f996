//! Ids of calls, as a provider takes them (`docs/bodies.md#mends`).
//!
//! Characters the provider refuses become `_`; an id that is empty or was written
//! before gets the first free suffix (`<id>_2`, ...). The writer of bodies and
//! `lint --fix` mend by the same code.

use super::Provider;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What a provider takes as the id of a call.
#[derive(Debug, Clone, Copy)]
pub struct IdRules {
    /// Whether a byte may stand in it.
    pub takes: fn(u8) -> bool,
    /// How many bytes it may have.
    pub longest: usize,
}

impl IdRules {
    /// Those of a provider. OpenAI's list of items allows 64 characters
    /// (<https://github.com/AnswerDotAI/fastllm/issues/45>), Converse has a pattern
    /// (<https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html>).
    pub fn of(provider: Provider) -> Self {
        let plain: fn(u8) -> bool =
            |byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        let any: fn(u8) -> bool = |_| true;
        let (takes, longest) = match provider {
            Provider::Anthropic => (plain, usize::MAX),
            Provider::Bedrock => (plain, 64),
            Provider::OpenAi => (any, 64),
            Provider::Google
            | Provider::OpenRouter
            | Provider::Ollama
            | Provider::LlamaCpp
            | Provider::Cerebras => (any, usize::MAX),
        };
        Self { takes, longest }
    }
}

/// The ids written into one body.
#[derive(Debug, Default)]
pub struct Ids<'a> {
    written: HashSet<Cow<'a, str>>,
    /// The suffix to try next for an id that came again.
    next: HashMap<Cow<'a, str>, usize>,
}

impl<'a> Ids<'a> {
    /// Counts an id that stands in the body already.
    pub fn keep(&mut self, id: Cow<'a, str>) {
        self.written.insert(id);
    }

    /// The id to write for a call that is stored under `id`.
    pub fn assign(&mut self, id: Cow<'a, str>, rules: IdRules) -> Cow<'a, str> {
        let takes = rules.takes;
        let clean = if id.bytes().all(takes) {
            id
        } else {
            let mend = |c: char| {
                if c.is_ascii() && takes(c as u8) {
                    c
                } else {
                    '_'
                }
            };
            Cow::Owned(id.chars().map(mend).collect())
        };
        let clean = cut(clean, rules.longest);
        if !clean.is_empty() && self.written.insert(clean.clone()) {
            return clean;
        }
        let next = self.next.entry(clean.clone()).or_insert(2);
        loop {
            let suffix = format!("_{next}");
            let room = rules.longest.saturating_sub(suffix.len());
            let id = Cow::Owned(cut(clean.clone(), room).into_owned() + &suffix);
            *next += 1;
            if self.written.insert(Cow::clone(&id)) {
                return id;
            }
        }
    }
}

/// The first bytes of an id, as many as there is room for, no character split.
fn cut(mut id: Cow<'_, str>, room: usize) -> Cow<'_, str> {
    if id.len() <= room {
        return id;
    }
    let fits = |end: &usize| id.is_char_boundary(*end);
    let end = (0..=room).rev().find(fits).unwrap_or(0);
    match &mut id {
        Cow::Borrowed(text) => *text = &text[..end],
        Cow::Owned(text) => text.truncate(end),
    }
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(longest: usize) -> IdRules {
        IdRules {
            longest,
            ..IdRules::of(Provider::Anthropic)
        }
    }

    #[test]
    fn every_id_is_clean_and_written_once() {
        let rules = rules(usize::MAX);
        let mut ids = Ids::default();
        let given = ["a", "a", "a_2", "", "", "é.x", "_x", "__x", "a"];
        let written = given.map(|id| ids.assign(Cow::Borrowed(id), rules));
        let expected = ["a", "a_2", "a_2_2", "_2", "_3", "__x", "_x", "__x_2", "a_3"];
        assert_eq!(written, expected.map(Cow::Borrowed));
    }

    #[test]
    fn an_id_that_is_too_long_is_cut_and_still_its_own() {
        let rules = IdRules::of(Provider::OpenAi);
        let mut ids = Ids::default();
        let long = "é".repeat(40);
        let first = ids.assign(Cow::Borrowed(&long), rules);
        assert_eq!(first, "é".repeat(32));
        let second = ids.assign(Cow::Borrowed(&long), rules);
        assert_eq!(second, "é".repeat(31) + "_2");
        assert_eq!(second.len(), 64);
    }
}
