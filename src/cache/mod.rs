//! What a prompt cache goes by, whoever asks: the writer of a body, `lint`, and the
//! comparison of two bodies.
//!
//! [`Ttl`] and [`mark`] read the marks of a body, [`can_end`] says where an entry may
//! end (so where the automatic breakpoint falls), [`Positions`] counts what a
//! breakpoint looks back over, [`left_for_messages`] what the budget leaves, and
//! [`estimate`] how long a prompt is. How a provider's cache works, its least length,
//! lookback, budget and prices are facts: [`crate::model`] has them. The rules are
//! those of <https://platform.claude.com/docs/en/build-with-claude/prompt-caching>.

pub mod estimate;
mod mark;
mod position;

pub use mark::{Ttl, can_end, inner_mark, mark};
pub use position::{Positions, Run};

/// How many of `most` breakpoints a request has left once the automatic one, which
/// counts like any other, is set.
pub fn left_for_messages(most: usize) -> usize {
    most.saturating_sub(1)
}

/// Whether so many tokens, an estimate, are surely too few to be cached: the estimate
/// may be a fifth too low.
pub fn is_short(tokens: usize, least: usize) -> bool {
    tokens * 5 < least * 4
}

/// Whether so many tokens may be too few: the estimate may be a fifth too high.
pub fn may_be_short(tokens: usize, least: usize) -> bool {
    tokens * 4 < least * 5
}
