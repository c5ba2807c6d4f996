//! Who sees what: selections of a stream for a reader.
//!
//! [`entry`] writes single entries in a chosen encoding, reduced or not; [`user`]
//! holds the rules of the user view, [`provider`] the text of a tool result for the
//! model. Views copy bytes through: nothing is
//! synthesised but what compaction puts in.

pub mod entry;
pub mod provider;
pub mod summary;
pub mod user;

pub use entry::EntryWriter;
pub use summary::Summary;

/// Which selection of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Every entry.
    Raw,
    /// What is addressed to the user (`docs/formats.md#user-view`).
    User {
        /// Keep only blocks that name `user` outright (D-24).
        addressed_only: bool,
    },
    /// What the model was told: what was said, calls, and results reduced to the
    /// blocks addressed to the assistant, be it none.
    Assistant,
    /// What either was told; blocks say themselves to whom.
    Both,
}
