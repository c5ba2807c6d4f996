#![forbid(unsafe_code)]
#![warn(missing_docs)]
//! Stored LLM conversations: views, request bodies, prompt prefixes.
pub mod block;
pub mod body;
pub mod cli;
pub mod config;
pub mod error;
pub mod event;
pub mod json;
pub mod lint;
pub mod model;
pub mod schema;
pub mod stream;
pub mod view;
