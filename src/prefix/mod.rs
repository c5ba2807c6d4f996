//! Where a request leaves the prompt prefix of the one before it, and what that
//! costs (`docs/prefix.md`).
//!
//! [`compare`] takes two [`Request`]s of one conversation and makes two passes,
//! never mixed. The cache pass cuts both bodies into segments in the order their
//! provider hashes them ([`Prefix`]), compares them as they are rendered, and says
//! which entries of the first the second can still read. The binding pass compares
//! values and says which thinking blocks fail the check of newer models. Parts
//! that are equal are compared as bytes and looked at no further.
//!
//! Nothing here reads files or knows of streams; findings on the second body alone
//! are `lint`'s, and the caller adds them to the [`Report`].
//!
//! # In CI
//!
//! A step that fails when a change moves a byte of the prefix, and shows where:
//!
//! ```yaml
//! - name: Prompt prefix is unchanged
//!   run: convo diff-cache-prefix --format github main.json branch.json
//! ```
//!
//! The same before every commit, with `prompts/` holding bodies in pairs:
//!
//! ```yaml
//! - repo: local
//!   hooks:
//!     - id: prompt-prefix
//!       name: prompt prefix is unchanged
//!       entry: convo diff-cache-prefix prompts/before.json prompts/after.json
//!       language: system
//!       pass_filenames: false
//!       files: ^prompts/
//! ```

mod binding;
mod hints;
mod levels;
mod report;
mod request;
mod reuse;
pub(crate) mod rules;
mod segment;
pub mod share;
mod sides;
mod summary;
mod values;

pub use binding::History;
pub use report::{
    Amount, Binding, BlockState, Bound, Cause, Divergence, Level, Outcome, Reason,
    Report, Reusable, Sample, State, Usage, Verdict,
};
pub use request::{Account, Judge, Request};
pub use segment::{Prefix, Ttl};
pub use summary::Summary;
pub use values::text::{Masks, places, same};

use reuse::cache;
use reuse::policy::Policy;
use sides::Sides;

/// Compares two requests of one conversation, the second sent after the first.
///
/// `history` remembers what earlier pairs of the same run told of thinking blocks.
/// Bytes in the report count from the start of each request's own bytes.
pub fn compare<'a>(
    a: &Request<'a>,
    b: &Request<'a>,
    judge: &Judge<'_>,
    history: &mut History,
) -> Report {
    let policy = Policy::of(b.body, b.model.as_deref());
    let mut sides = Sides {
        a: a.prefix,
        b: b.prefix,
        bytes_a: a.bytes,
        bytes_b: b.bytes,
        masks: &judge.masks,
        context: judge.context,
        divergences: Vec::new(),
        forms: Vec::new(),
    };
    let cache = cache::pass(&mut sides, a, b, judge, &policy);
    let binding = binding::pass(&mut sides, a, b, judge, history);
    Report {
        a: a.name.clone(),
        b: b.name.clone(),
        provider: b.body.provider.name(),
        model: b.model.clone(),
        account: judge.account.name(),
        verdict: cache.verdict,
        levels: cache.levels,
        shares: cache.shares,
        totals: cache.totals,
        reason: cache.reason,
        divergences: sides.divergences,
        reusable: cache.reusable,
        lost: cache.lost,
        binding,
        findings: cache.findings,
        usage: cache.usage,
    }
}

/// The rules by which pairs are judged.
pub fn rules() -> impl Iterator<Item = &'static crate::finding::Rule> {
    rules::RULES.iter().copied()
}
