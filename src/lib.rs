#![forbid(unsafe_code)]
#![warn(missing_docs)]
//! Stored LLM conversations: views, request bodies, prompt prefixes.
pub mod error;
pub mod json;
