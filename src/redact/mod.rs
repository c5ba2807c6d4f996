//! Secrets found in JSON text and masked, all other bytes kept.
//!
//! [`Rules`] says what a secret is, in the form of gitleaks' configuration; the
//! built-in rules are gitleaks' own, unchanged (`THIRD-PARTY.md`). [`Redactor`]
//! passes a stream of JSON through and replaces what the rules find inside strings:
//! in their decoded text, in arguments that are JSON in a string, and in base64,
//! which is written as base64 again. It needs no whole value and no valid JSON, so
//! that a broken line is masked like a good one; memory is that of the longest string.

mod base64;
mod find;
mod reader;
mod rules;
mod text;
mod walk;

pub use find::Found;
pub use reader::{Hits, Reader};
pub use rules::Rules;
pub use walk::{Hit, Masked, Redactor, Task, Work};

/// What stands for a secret that `rule` found.
pub fn mask(rule: &str) -> String {
    format!("[redacted:{rule}]")
}
