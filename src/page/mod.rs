//! Pages to look at: one file, nothing fetched, everything stored taken for hostile.
//!
//! [`Conversations`] writes a page of conversations, one after the other, in the
//! memory of one; [`index`] the page that leads to several. All markup comes out of
//! templates that escape by type (`maud`), and text out of `text`; the policy of
//! the page lets nothing run or load but its own style and script, named by their
//! digests. What the page shows is in `docs/pages.md`.

mod article;
mod code;
mod entry;
mod frame;
pub mod index;
mod text;

pub use article::{Conversations, Settings};
pub use frame::{Body, page};
