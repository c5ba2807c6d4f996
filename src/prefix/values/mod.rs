//! Two JSON values side by side: the first place where they part, and why.

pub(crate) mod align;
pub(crate) mod cause;
pub(crate) mod differ;
pub(crate) mod digest;
pub(crate) mod file;
pub(crate) mod members;
pub(crate) mod sample;
pub(crate) mod text;
pub(crate) mod zone;
