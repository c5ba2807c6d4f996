//! Where a request leaves the prompt prefix of the one before it.

mod differ;
mod digest;
mod text;
mod zone;

pub use text::Masks;
