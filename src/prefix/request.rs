//! The two requests of a pair, and what they are judged by.

use super::segment::Prefix;
use super::share::Salt;
use crate::body::Body;
use crate::cache::Ttl;
use crate::error::Severity;
use crate::finding::{Finding, Rule};
use crate::json::Raw;
use crate::json::raw::offset_in;
use crate::model::{Betas, Model, Platform, Table};
use crate::prefix::values::text::Masks;

/// One request.
#[derive(Debug, Clone)]
pub(super) struct Request<'a> {
    /// What reports call it.
    pub(super) name: String,
    /// Its body.
    pub(super) body: &'a Body<'a>,
    /// Its body, cut into segments.
    pub(super) prefix: &'a Prefix<'a>,
    /// The bytes the body was read from.
    pub(super) bytes: &'a [u8],
    /// The model it names, or that was said.
    pub(super) model: Option<String>,
    /// The betas it came with.
    pub(super) betas: Betas,
}

/// How old the account is, for the check of thinking blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Account {
    /// Made before 2026-08-31.
    Old,
    /// Made since.
    New,
    /// Nobody said.
    #[default]
    Unknown,
}

impl Account {
    /// The word options and reports use.
    pub fn name(self) -> &'static str {
        match self {
            Account::Old => "old",
            Account::New => "new",
            Account::Unknown => "unknown",
        }
    }
}

/// What a pair is judged by.
#[derive(Debug)]
pub(super) struct Judge<'t> {
    /// Models, limits, prices.
    pub(super) table: &'t Table,
    /// Where the requests are sent.
    pub(super) platform: Platform,
    /// How old the account is.
    pub(super) account: Account,
    /// What is set aside in texts.
    pub(super) masks: &'t Masks,
    /// What digests are made under, where a report holds no text.
    pub(super) salt: Option<&'t Salt>,
    /// Fewest tokens that are cached, if the table is overruled.
    pub(super) least: Option<usize>,
    /// Lines of context in samples.
    pub(super) context: usize,
    /// Seconds from the start of one request to that of the next, if known.
    pub(super) gap: Option<u64>,
    /// Entries that requests before the first one wrote, with their age in seconds.
    pub(super) written: Vec<(usize, Ttl, Option<u64>)>,
}

impl<'a> Request<'a> {
    /// What is known of its model.
    pub(super) fn known<'t>(&self, judge: &'t Judge<'_>) -> Option<&'t Model> {
        judge.table.model(self.model.as_deref()?).map(AsRef::as_ref)
    }

    /// A finding at a value of this request.
    pub(super) fn finding(
        &self,
        rule: &'static Rule,
        severity: Severity,
        path: impl Into<String>,
        at: Option<Raw<'_>>,
        message: impl Into<String>,
    ) -> Finding {
        let message = message.into();
        let byte = at.map(|raw| offset_in(raw.bytes(), self.bytes));
        let mut found = Finding::new(rule, path, byte, message.clone());
        found.severity = severity;
        found.plain = Some(message);
        found.hint = String::new();
        found
    }
}
