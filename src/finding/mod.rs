//! What a check found, and the rule by which it found it.
//!
//! [`Finding`] is one type for all that judge: `lint`, `diff-cache-prefix`,
//! `validate`. A [`Rule`] is written down beside the code that judges by it, with
//! [`family!`](crate::finding); the list of all of them is
//! [`show::rules`](crate::show::rules), which stands above every room that has any.

mod rule;
pub(crate) mod text;

pub(crate) use rule::family;
pub use rule::{Example, Rule};

use crate::error::Severity;

/// Another place that a finding speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// JSON Pointer from the body.
    pub path: String,
    /// Byte in the body.
    pub byte: usize,
}

/// One thing found.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule that found it.
    pub rule: &'static Rule,
    /// How much it matters here.
    pub severity: Severity,
    /// JSON Pointer from the body or conversation; a missing field's is that of its
    /// object.
    pub path: String,
    /// Byte of the body or conversation at which the value at `path` begins, if it is
    /// there.
    pub byte: Option<usize>,
    /// The entry it is about, from 0, where a conversation was judged.
    pub event: Option<usize>,
    /// What brought it about, where a comparison found it.
    pub cause: Option<&'static str>,
    /// A lower-case fragment: what was found and what was expected.
    pub message: String,
    /// The message without a word of the input, where the rule's title does not do.
    pub plain: Option<String>,
    /// The way out; empty where there is none to name.
    pub hint: String,
    /// Other places it speaks of.
    pub related: Vec<Related>,
}

impl Finding {
    /// A finding of a rule, as heavy as the rule says, with the rule's way out.
    pub fn new(
        rule: &'static Rule,
        path: impl Into<String>,
        byte: Option<usize>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            severity: rule.severity,
            path: path.into(),
            byte,
            event: None,
            cause: None,
            message: message.into(),
            plain: None,
            hint: rule.mend.to_owned(),
            related: Vec::new(),
        }
    }

    /// The same finding, with another weight.
    pub fn weigh(&mut self, severity: Severity) -> &mut Self {
        self.severity = severity;
        self
    }

    /// The same finding, with a way out of its own.
    pub fn hint(&mut self, hint: impl Into<String>) -> &mut Self {
        self.hint = hint.into();
        self
    }

    /// The same finding, speaking of another place too.
    pub fn relate(&mut self, related: impl IntoIterator<Item = Related>) -> &mut Self {
        self.related.extend(related);
        self
    }

    /// What is said where no word of the input may be.
    pub fn plain(&self) -> &str {
        self.plain.as_deref().unwrap_or(self.rule.what)
    }
}
