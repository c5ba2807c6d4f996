//! Where a request leaves the prompt prefix of the one before it.

mod align;
mod cause;
mod differ;
mod digest;
mod hints;
mod messages;
mod policy;
mod report;
mod sample;
mod segment;
mod sides;
mod system;
mod text;
mod tools;
mod zone;

pub use report::{
    Amount, Binding, BlockState, Bound, Cause, Divergence, Finding, Level, Outcome,
    Reason, Report, Reusable, Sample, State, Usage, Verdict,
};
pub use segment::{Prefix, Ttl};
pub use text::Masks;
