#![forbid(unsafe_code)]
#![warn(missing_docs)]
//! Stored LLM conversations: views, request bodies, prompt prefixes.
//!
//! Everything but `cli`, a feature that is on by default, is pure: bytes or borrowed
//! values in, values or bytes appended to a `Vec<u8>` out.
//!
//! # Which module for which job?
//!
//! | you have | you want | see |
//! |---|---|---|
//! | a stored stream | what the user saw | [`view`] |
//! | | terminal text, Markdown | [`render`] |
//! | | the body a provider was sent | [`provider::flatten()`] |
//! | | bodies that keep the prompt prefix through changes | [`provider::place_directives`] |
//! | | what is wrong with it | [`schema`] |
//! | another tool's transcript, a captured body | a stored stream | [`import`] |
//! | | a page for a browser | [`page`] |
//! | JSON of any kind | the same without secrets | [`redact`] |
//! | a request body | whether the API takes it | [`lint`] |
//! | two bodies, one sent after the other | what the cache reads, and why not more | [`prefix::Comparison`] |
//! | a model's name | what it takes, costs and caches | [`model::Table`] |
//! | findings or a report | text, JSON, annotations, SARIF | [`show`] |
//!
//! [`provider::flatten()`] or [`provider::place_directives`]? The first writes a stream's
//! newest configuration at the head of the body: right for a look, for replay, for every
//! provider. The second says each change where it happened, so that the body before stays a
//! prefix: right wherever a cache or bound thinking is at stake, on the models that take
//! system messages in between. [`lint`] or [`prefix`]? What one body alone shows is lint's;
//! what only the request before shows is the comparison's, which includes lint's findings.
//!
//! # A body from a stream, judged
//!
//! ```
//! use convo::body::{Body, captures, records};
//! use convo::json::Raw;
//! use convo::lint::{self, Profile, Wanted};
//! use convo::model::Table;
//! use convo::provider::{Options, flatten};
//! use convo::stream::{Container, Conversation};
//!
//! let text = br#"{"base_config":{"assistant":{"model":{"id":"anthropic/claude-opus-5"}}},
//!     "events":[{"type":"chat_request","content":"SGk="}]}"#;
//! let Container::Conversation(conversation) = Conversation::read(Raw::parse(text)?)? else {
//!     panic!("a conversation");
//! };
//! let table = Table::built_in();
//! let (mut out, mut told) = (Vec::new(), Vec::new());
//! flatten(&mut out, &conversation, &Options::new(&table), &mut told)?;
//!
//! let body = Body::read(Raw::parse(out.trim_ascii())?, None, None)?;
//! let profile = Profile::new(&table, &Wanted::default(), &body, None);
//! let errors = lint::check(&body, &out, &profile);
//! assert!(errors.iter().all(|one| one.severity < convo::error::Severity::Error));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Two requests are compared as [`prefix::Comparison`] shows, a model looked up so:
//!
//! ```
//! let table = convo::model::Table::built_in();
//! let model = table.model("claude-opus-5").expect("a known model");
//! assert_eq!(model.min_cacheable, 512);
//! ```
//!
//! # What the user saw
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
//!
//! # What is wrong with a stream
//!
//! ```
//! use convo::json::Raw;
//! use convo::schema;
//! use convo::stream::{Container, Conversation};
//!
//! let value = Raw::parse(br#"[{"type":"chat_request","content":5}]"#)?;
//! let Container::Conversation(conversation) = Conversation::read(value)? else {
//!     panic!("a conversation");
//! };
//! let mut ids = Vec::new();
//! schema::each_finding(&conversation, &mut |found| {
//!     ids.push(found.rule.id);
//!     Ok::<(), std::convert::Infallible>(())
//! })?;
//! assert_eq!(ids, ["missing-timestamp", "schema-type"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The tour, from the ground up
//!
//! - [`json`] finds where a value ends and walks it without copying; [`error`]
//!   says what went wrong and where; [`finding`] what a check found, and by which rule;
//!   [`term`] makes text from outside fit to be shown.
//! - [`body`] is a request body read with positions; [`model`] what is known of
//!   models; [`cache`] where a prompt cache's entries end, and how long they are.
//! - [`event`] is one stored entry and the check of its shape; [`block`] one piece
//!   of a tool result, whom it addresses, and the base64 of storage.
//! - [`stream`] cuts an input into conversations, finds the entries in each, and
//!   answers which turn, which pair, and what compaction makes of them; [`import`] makes
//!   streams of what other tools wrote.
//! - [`config`] is the configuration at a position; [`view`] who sees what;
//!   [`directive`] what changed, and where that is said; [`schema`] the published
//!   contracts.
//! - [`thread`] is a stream as a request sees it; [`provider`] writes it as one body,
//!   [`render`] as terminal text.
//! - [`lint`] is what the API refuses, [`prefix`] where one body leaves another's prefix.
//! - [`show`] writes findings and reports, and holds the registry of all rules.
//!
//! An *entry* is any element of a stored array; an *event* is an entry read; a
//! *conversation* is a stream as a unit of input. Numbers count from 0 here, and
//! from 1 in what people read.
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
pub mod page;
pub mod prefix;
pub mod provider;
pub mod redact;
pub mod render;
pub mod schema;
pub mod show;
pub mod stream;
pub mod term;
pub mod thread;
pub mod view;
