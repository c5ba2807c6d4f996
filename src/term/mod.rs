//! Words fit to be shown: safe, measured, cut, counted, grouped, coloured.
//!
//! Everything a conversation or a body holds is untrusted. What is shown of it
//! passes through here on its way out, whatever the format:
//!
//! - [`clean`] for text that is to be read as text (`render`): what steers a
//!   terminal goes away;
//! - [`printable`], [`line`](line()) and [`quoted`] for what messages and reports
//!   quote: what steers or hides becomes visible as an escape;
//! - [`json::string`] for JSON and SARIF, [`github`] for workflow commands;
//! - [`width`] measures and cuts; [`words`] counts; [`Environment`] says which
//!   streams have colours.

pub mod clean;
mod environment;
mod escape;
pub mod github;
pub mod json;
mod style;
pub mod width;
pub mod words;

pub use environment::{Depth, Environment, NARROWEST, Paint, When};
pub use escape::{line, printable};
pub use style::{Style, severity};
pub use words::{counted, counted_are, grouped, noun_for, quoted, shortened};
