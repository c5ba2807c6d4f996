//! Tokens as the source counts them.
//!
//! A transcript repeats the usage of one answer on every line of it and counts up
//! while streaming: each answer is taken once, with each field's largest value
//! (seen in Claude Code sessions of 1.0 and 2.1).

use crate::json::{Kind, Raw, write};
use std::collections::BTreeMap;

/// Fields that together are the input of an answer, by how it was billed.
const CACHED: [&str; 4] = [
    "cache_read_input_tokens",
    "cached_input_tokens",
    "cachedContentTokenCount",
    "cached",
];

/// Sums of the numeric fields of `usage`, in the order first seen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    fields: Vec<(String, u64)>,
}

impl Usage {
    /// The whole numbers among the members of a `usage` object.
    pub fn read(value: Raw<'_>) -> Self {
        let mut usage = Self::default();
        for (key, value) in value.as_object().into_iter().flatten() {
            if let Some(number) = value.as_u64() {
                usage.fields.push((key.decode().into_owned(), number));
            } else if key.is("input_tokens_details") || key.is("prompt_tokens_details")
            {
                let cached = value.get("cached_tokens").and_then(Raw::as_u64);
                if let Some(cached) = cached {
                    usage
                        .fields
                        .push(("cached_input_tokens".to_owned(), cached));
                }
            }
        }
        usage
    }

    /// Whether nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// One field.
    pub fn get(&self, name: &str) -> Option<u64> {
        let mut fields = self.fields.iter();
        fields.find(|(key, _)| key == name).map(|&(_, n)| n)
    }

    fn slot(&mut self, name: &str) -> &mut u64 {
        let at = match self.fields.iter().position(|(key, _)| key == name) {
            Some(at) => at,
            None => {
                self.fields.push((name.to_owned(), 0));
                self.fields.len() - 1
            }
        };
        &mut self.fields[at].1
    }

    /// Takes each field's larger value.
    pub fn raise(&mut self, other: &Self) {
        for (key, number) in &other.fields {
            let slot = self.slot(key);
            *slot = (*slot).max(*number);
        }
    }

    /// Adds field by field.
    pub fn add(&mut self, other: &Self) {
        for (key, number) in &other.fields {
            let slot = self.slot(key);
            *slot = slot.saturating_add(*number);
        }
    }

    /// Input tokens, and how many of them came out of the cache. Anthropic counts
    /// what was read from and written to the cache apart from `input_tokens`;
    /// OpenAI and Gemini count it within.
    pub fn input(&self) -> Option<(u64, u64)> {
        let cached = CACHED.iter().find_map(|name| self.get(name));
        let apart = self.get("cache_read_input_tokens").is_some()
            || self.get("cache_creation_input_tokens").is_some();
        let plain = ["input_tokens", "prompt_tokens", "promptTokenCount", "input"]
            .iter()
            .find_map(|name| self.get(name))?;
        let written = self.get("cache_creation_input_tokens").unwrap_or(0);
        let cached = cached.unwrap_or(0);
        Some(match apart {
            true => (plain.saturating_add(cached).saturating_add(written), cached),
            false => (plain.max(cached), cached),
        })
    }

    /// The share of input tokens read from the cache.
    pub fn cache_share(&self) -> Option<f64> {
        let (input, cached) = self.input()?;
        #[allow(clippy::cast_precision_loss)] // a share is shown with two digits
        (input > 0).then(|| cached as f64 / input as f64)
    }

    /// Appends the object.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (key, number) in &self.fields {
            write::key(out, key);
            write::integer(out, *number);
        }
        out.push(b'}');
    }
}

/// Usage collected over the answers of a record.
#[derive(Debug, Clone, Default)]
pub(super) struct Meter {
    /// Of each answer: the turn it came in and what it cost, by its key.
    answers: Vec<(usize, Usage)>,
    seen: BTreeMap<Vec<u8>, usize>,
}

impl Meter {
    /// Books what `usage` says of the answer `key`.
    pub(super) fn answer(&mut self, key: &[u8], turn: usize, usage: Raw<'_>) {
        if usage.kind() != Kind::Object {
            return;
        }
        let usage = Usage::read(usage);
        if let Some(&at) = self.seen.get(key).filter(|_| !key.is_empty()) {
            self.answers[at].1.raise(&usage);
            return;
        }
        if !key.is_empty() {
            self.seen.insert(key.to_vec(), self.answers.len());
        }
        self.answers.push((turn, usage));
    }

    /// The sums of all answers.
    pub(super) fn total(&self) -> Usage {
        let mut total = Usage::default();
        for (_, usage) in &self.answers {
            total.add(usage);
        }
        total
    }

    /// The sums of each turn that has any.
    pub(super) fn turns(&self) -> Vec<(usize, Usage)> {
        let mut turns: Vec<(usize, Usage)> = Vec::new();
        for (turn, usage) in &self.answers {
            match turns.last_mut().filter(|(last, _)| last == turn) {
                Some((_, sum)) => sum.add(usage),
                None => turns.push((*turn, usage.clone())),
            }
        }
        turns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(json: &str) -> Usage {
        Usage::read(Raw::parse(json.as_bytes()).expect("JSON"))
    }

    #[test]
    fn each_answer_counts_once_with_its_largest_values() {
        let mut meter = Meter::default();
        let raw = |json: &'static str| Raw::parse(json.as_bytes()).expect("JSON");
        meter.answer(b"m1", 0, raw(r#"{"output_tokens":3,"service_tier":"x"}"#));
        meter.answer(b"m1", 0, raw(r#"{"output_tokens":41}"#));
        meter.answer(b"m2", 1, raw(r#"{"output_tokens":5}"#));
        assert_eq!(meter.total(), usage(r#"{"output_tokens":46}"#));
        assert_eq!(meter.turns().len(), 2);
    }

    #[test]
    fn the_cached_share_follows_the_way_a_provider_counts() {
        let anthropic = usage(
            r#"{"input_tokens":10,"cache_creation_input_tokens":30,"cache_read_input_tokens":60}"#,
        );
        assert_eq!(anthropic.input(), Some((100, 60)));
        let openai = usage(r#"{"input_tokens":100,"cached_input_tokens":75}"#);
        assert_eq!(openai.cache_share(), Some(0.75));
        let details =
            usage(r#"{"prompt_tokens":8,"prompt_tokens_details":{"cached_tokens":4}}"#);
        assert_eq!(details.input(), Some((8, 4)));
        assert_eq!(usage("{}").input(), None);
    }
}
