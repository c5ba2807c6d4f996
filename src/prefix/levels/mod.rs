//! The levels of a prompt, tools, system, messages, and what stands beside them.

pub(crate) mod acts;
pub(crate) mod deferred;
pub(crate) mod messages;
pub(crate) mod parameters;
pub(crate) mod system;
pub(crate) mod tools;
