//! What the rules find in one text.
//!
//! The order of tests is gitleaks' (`detect/detect.go` of github.com/gitleaks/gitleaks):
//! keyword, pattern, the group with the secret, entropy, allow lists.

use super::rules::{Allow, Rule, Rules, Target};
use std::ops::Range;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<'r> {
    /// The rule that found it.
    pub rule: &'r str,
    /// The secret's bytes in the text.
    pub range: Range<usize>,
}

impl Rules {
    /// The secrets of `text`, in order, none in another.
    pub fn find(&self, text: &[u8]) -> Vec<Found<'_>> {
        let mut wanted = self.always.clone();
        for keyword in self.keywords.find_overlapping_iter(text) {
            wanted.extend(&self.woken[keyword.pattern().as_usize()]);
            // All are wanted at most once; a text of keywords must not fill memory.
            if wanted.len() > 4 * self.rules.len() {
                wanted.sort_unstable();
                wanted.dedup();
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        let mut found: Vec<(bool, Found<'_>)> = Vec::new();
        for index in wanted {
            let rule = &self.rules[index];
            for range in self.of_rule(rule, text) {
                // The rule for just about anything knows least what it found.
                let general = rule.id.starts_with("generic");
                let rule = &*rule.id;
                found.push((general, Found { rule, range }));
            }
        }
        found.sort_by_key(|(general, one)| (one.range.start, *general));
        let mut kept: Vec<(bool, Found<'_>)> = Vec::new();
        for (general, one) in found {
            match kept.last_mut() {
                Some((was_general, last)) if last.range.end > one.range.start => {
                    last.range.end = last.range.end.max(one.range.end);
                    if *was_general && !general {
                        last.rule = one.rule;
                        *was_general = false;
                    }
                }
                _ => kept.push((general, one)),
            }
        }
        kept.into_iter().map(|(_, found)| found).collect()
    }

    fn of_rule<'a>(
        &'a self,
        rule: &'a Rule,
        text: &'a [u8],
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let matches = rule.regex().map(|regex| regex.captures_iter(text));
        matches.into_iter().flatten().filter_map(move |groups| {
            let whole = groups.get(0)?;
            let group = match rule.group {
                0 => (1..groups.len())
                    .filter_map(|index| groups.get(index))
                    .find(|group| !group.is_empty()),
                index => groups.get(index),
            };
            let secret = group.unwrap_or(whole);
            let mut range = secret.range();
            while text[range.clone()].first() == Some(&b'\n') {
                range.start += 1;
            }
            while text[range.clone()].last() == Some(&b'\n') {
                range.end -= 1;
            }
            let secret = &text[range.clone()];
            if secret.is_empty()
                || rule.entropy > 0.0 && entropy(secret) <= rule.entropy
            {
                return None;
            }
            let allowed = |list: &Allow| list.fits(text, &whole.range(), secret);
            let allowed =
                rule.allow.iter().any(allowed) || self.allow.iter().any(allowed);
            (!allowed).then_some(range)
        })
    }
}

impl Allow {
    fn fits(&self, text: &[u8], whole: &Range<usize>, secret: &[u8]) -> bool {
        let target = match self.target {
            Target::Secret => secret,
            Target::Match => &text[whole.clone()],
            Target::Line => {
                let start =
                    memchr::memrchr(b'\n', &text[..whole.start]).map_or(0, |at| at + 1);
                let end = memchr::memchr(b'\n', &text[whole.end..]);
                &text[start..end.map_or(text.len(), |at| whole.end + at)]
            }
        };
        let mut patterns = self.patterns.iter().filter_map(|pattern| pattern.get());
        let pattern = patterns.any(|pattern| pattern.is_match(target));
        let word = self.stopwords.as_ref().map(|words| words.is_match(secret));
        match self.all {
            true => (self.patterns.is_empty() || pattern) && word.unwrap_or(true),
            false => pattern || word == Some(true),
        }
    }
}

/// Shannon's entropy of the bytes, in bits a byte.
#[allow(clippy::cast_precision_loss)] // lengths of secrets
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_usize; 256];
    for &byte in bytes {
        counts[usize::from(byte)] += 1;
    }
    let all = bytes.len() as f64;
    let share = |count: usize| count as f64 / all;
    let bits = |count: usize| -share(count) * share(count).log2();
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| bits(count))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, String)> {
        let rules = Rules::built_in().expect("rules");
        let found = rules.find(text.as_bytes());
        let pair = |one: Found<'_>| (one.rule.to_owned(), text[one.range].to_owned());
        found.into_iter().map(pair).collect()
    }

    #[test]
    fn a_secret_is_found_without_what_is_around_it() {
        let token = format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2dF4gH6");
        let text = format!("export TOKEN={token}; ls");
        assert_eq!(found(&text), [("github-pat".to_owned(), token)]);
        assert!(found("nothing to see, token of thanks").is_empty());
    }

    #[test]
    fn what_everybody_writes_in_examples_is_none() {
        assert!(found("AKIAIOSFODNN7EXAMPLE").is_empty());
        assert!(found("password = \"password\"").is_empty());
    }

    #[test]
    fn entropy_counts_bits() {
        assert!(entropy(b"aaaa").abs() < 1e-9);
        assert!((entropy(b"abcd") - 2.0).abs() < 1e-9);
    }
}
