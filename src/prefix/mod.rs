//! Where a request leaves the prompt prefix of the one before it, and what that
//! costs (`docs/prefix.md`).
//!
//! [`Comparison::pair`] takes two requests of one conversation and makes two passes,
//! never mixed. The cache pass cuts both bodies into segments in the order their
//! provider hashes them , compares them as they are rendered, and says
//! which entries of the first the second can still read. The binding pass compares
//! values and says which thinking blocks fail the check of newer models. Parts
//! that are equal are compared as bytes and looked at no further.
//!
//! Nothing here reads files or knows of streams. Findings on the second body alone
//! are those of [`lint`](crate::lint), and stand in the [`Report`] too.
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
mod comparison;
mod hints;
mod levels;
mod lineage;
pub(crate) mod notes;
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
pub use comparison::{Comparison, Sent, Taken};
pub use lineage::{Lineage, Link, Opened, Opening, Place, Times, Units, Written};
pub use report::{
    Amount, Binding, BlockState, Bound, Cause, Divergence, Level, Outcome, Reason,
    Report, Reusable, Sample, State, Usage, Verdict,
};
pub use request::Account;
pub use summary::Summary;

use request::{Judge, Request};
use segment::Prefix;
use values::text::Masks;

/// The rules by which pairs are judged.
pub fn rules() -> impl Iterator<Item = &'static crate::finding::Rule> {
    rules::RULES.iter().copied()
}
