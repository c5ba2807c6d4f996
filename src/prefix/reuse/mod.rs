//! What the second request can still read from the cache, and what that costs.

pub(crate) mod breakpoint;
pub(crate) mod cache;
pub(crate) mod outcome;
pub(crate) mod policy;
pub(crate) mod reach;
pub(crate) mod remarks;
pub(crate) mod token_prefix;
