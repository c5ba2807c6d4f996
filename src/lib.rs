#![forbid(unsafe_code)]
#![warn(missing_docs)]
//! Stored LLM conversations: views, request bodies, prompt prefixes.
//!
//! Everything but `cli`, a feature that is on by default, is pure: bytes or borrowed values in, values or bytes
//! appended to a `Vec<u8>` out. From the ground up:
//!
//! - [`json`] finds where a value ends and walks it without copying; [`error`]
//!   says what went wrong and where; [`term`] makes text from outside fit to be
//!   shown.
//! - [`event`] is one stored entry and the check of its shape; [`block`] one piece
//!   of a tool result, whom it addresses, and the base64 of storage.
//! - [`stream`] cuts an input into conversations, finds the entries in each, and
//!   answers which turn, which pair, and what compaction makes of them.
//! - [`config`] is the configuration at a position; [`view`] who sees what;
//!   [`directive`] what changed, and where that is said.
//! - [`body`] is a request body read with positions; [`model`] what is known of
//!   models; [`lint`] what the API refuses.
//! - [`schema`] holds the published contracts.
//!
//! An *entry* is any element of a stored array; an *event* is an entry read; a
//! *conversation* is a stream as a unit of input. Numbers count from 0 here, and
//! from 1 in what people read.
//!
//! ```
//! use convo::block::{Decoder, Encoding};
//! use convo::json::Raw;
//! use convo::stream::{Container, Conversation, Entries};
//! use convo::view::{EntryWriter, View};
//!
//! let text = br#"[{"type":"chat_request","content":"Hi"},{"type":"config_delta"}]"#;
//! let value = Raw::parse(text).expect("JSON");
//! let Ok(Container::Conversation(conversation)) = Conversation::read(value) else {
//!     panic!("a conversation");
//! };
//! let view = View::User { addressed_only: false };
//! let decoder = Decoder::new(conversation.encoding, false);
//! let mut writer = EntryWriter::new(view, decoder, Encoding::Plain);
//! let mut out = Vec::new();
//! let mut entries = Entries::new(&conversation, false);
//! while let Some(event) = entries.next(&mut Vec::new()) {
//!     writer.write(&mut out, &event.expect("a valid entry"));
//! }
//! assert_eq!(out, br#"{"type":"chat_request","content":"Hi"}"#);
//! ```
pub mod block;
pub mod body;
pub mod cache;
#[cfg(feature = "cli")]
pub mod cli;
pub mod config;
pub mod directive;
pub mod error;
pub mod event;
pub mod finding;
pub mod import;
pub mod json;
pub mod lint;
pub mod model;
pub mod prefix;
pub mod provider;
pub mod render;
pub mod schema;
pub mod show;
pub mod stream;
pub mod term;
pub mod thread;
pub mod view;
