//! Other tools' transcripts and captured request bodies, made into bundles.
//!
//! [`recognise`] says what an input is, [`Importer`] turns its bytes into records,
//! and [`Reader`] puts both behind [`std::io::Read`], so that whatever reads
//! bundles reads transcripts. There is one file a format: Claude Code sessions,
//! Codex rollouts, Gemini CLI sessions, the bodies of four APIs and two families
//! of datasets. All of them write through one record, which knows turns,
//! open calls and the shape of the bundle.
//!
//! Nothing is lost in silence: what an event cannot hold stands beside it in
//! `metadata.foreign`, a line that makes no event is an entry of kind `foreign`,
//! and what the source does not say is named in `metadata.import.unknown`. The
//! rules are in `docs/formats.md`.

mod anthropic;
mod chat;
mod claude_code;
mod codex;
mod content;
mod dataset;
mod foreign;
mod gemini;
mod gemini_cli;
mod lines;
pub(crate) mod notes;
mod options;
mod reader;
mod recognise;
mod record;
mod report;
mod responses;
mod sequence;
mod session;
mod system;
mod tools;
mod usage;
mod value;

pub use options::{Branch, Compaction, Format, Keep, Options, Sidechains};
pub use reader::{Reader, Told};
pub use recognise::{
    Found, HEAD, NEAREST, Shape, VALUES, is_stored, needs_more, recognise, values,
};
pub use report::{Imported, Report};
pub use session::{Importer, Sink};
pub use usage::Usage;
