//! Whether a request body is one the API accepts.
//!
//! [`check`] walks a [`Body`] once and returns every [`Finding`], in the order of
//! the bytes: the rules of `docs/lint.md#sources` for the Messages API,
//! the rules on pairs, order and reasoning for the other providers
//! (`docs/lint.md#sources`). What only
//! the request before shows is [`prefix`](crate::prefix)'s. What a model, a platform or a set of betas allows
//! comes from the [`Profile`]; a refusal that is assumed, not documented, is a
//! warning, and one that depends on betas nobody named is a note. The rules
//! themselves are listed in [`catalogue`].

mod cache;
pub mod catalogue;
mod change;
mod chat;
mod content;
mod converse;
mod fields;
mod fix;
mod gates;
mod gemini;
mod gemini_fields;
mod gemini_settings;
mod marks;
mod messages;
mod openai;
mod pairing;
mod parameters;
mod placement;
mod profile;
mod report;
mod responses;
mod schema;
mod scoped;
mod stock;
mod tools;
mod values;
mod volatile;

pub use catalogue::{rule, rules};
pub use fix::{Mend, Mends, fix};
pub use profile::{Profile, Wanted};

use crate::body::{Body, Dialect};
use crate::finding::Finding;
use report::Report;

/// All findings on a body, in the order of its bytes.
///
/// `bytes` are those the body was read from; positions count in them.
pub fn check(body: &Body<'_>, bytes: &[u8], profile: &Profile) -> Vec<Finding> {
    let mut report = Report::new(body, bytes, profile);
    match body.dialect {
        Dialect::Messages => messages::check(body, &mut report),
        Dialect::Responses => responses::check(body, &mut report),
        Dialect::Gemini => gemini::check(body, &mut report),
        Dialect::Chat | Dialect::Ollama => chat::check(body, &mut report),
        Dialect::Converse => converse::check(body, &mut report),
    }
    values::text(body, &mut report);
    report.finish()
}
