//! A stored conversation as terminal text (`docs/render.md`).
//!
//! [`Replay`] takes events one by one, with the configuration at each, and gives
//! [`Pieces`] for two streams: speech and chrome. Text is cleaned ([`crate::term::clean`]),
//! parsed and laid out ([`markdown`], [`tool`]), and styled last ([`lines`]). All
//! of it is a function of events, configuration and [`Settings`]: no terminal, no
//! clock, no environment, no file (CH-9).

pub mod highlight;
pub mod layout;
pub mod lines;
pub mod link;
pub mod markdown;
pub(crate) mod notes;
pub mod pieces;
pub mod pretty;
pub mod replay;
pub mod settings;
pub mod surface;
pub mod text;
pub mod theme;
pub mod tool;
pub mod wrap;

pub use pieces::{Channel, Pieces};
pub use replay::Replay;
pub use settings::{Only, Preset, Settings, Time, Told, Turns};
