//! What is asked of the writers of bodies.

use super::Provider;
use crate::config::Mode;
use crate::directive::{CatalogueFile, ToolMode, Withdrawals};
use crate::event::Timestamp;
use crate::json::Raw;
use crate::model::{Platform, Table};

/// Which request points to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Requests {
    /// The last one.
    #[default]
    Last,
    /// Each, in order.
    All,
    /// The whole stream, whoever spoke last.
    End,
    /// One of them, counted from 1.
    Number(usize),
}

/// What becomes of thinking blocks that were made behind a prefix that has changed,
/// where the model checks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Binding {
    /// They are left out, or the API is asked to drop them.
    #[default]
    Drop,
    /// They are sent.
    Keep,
}

/// How a body is put out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// The body alone.
    #[default]
    Body,
    /// The body with method, path and headers.
    Request,
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Options<'o> {
    /// `convo`'s bodies, or those of `--parity jp`.
    pub mode: Mode,
    /// The provider; the configuration's if absent.
    pub provider: Option<Provider>,
    /// The model; the configuration's if absent.
    pub model: Option<&'o str>,
    /// Which bodies.
    pub requests: Requests,
    /// In which form.
    pub format: Format,
    /// Over several lines.
    pub pretty: bool,
    /// Facts that the stream does not hold; they go before a bundle's own.
    pub inputs: Option<Raw<'o>>,
    /// When the conversation began, as far as its place tells; what is written in
    /// it goes first.
    pub created_at: Option<Timestamp>,
    /// What is known of models and providers.
    pub table: &'o Table,
    /// Carry entries of a bad shape as unknown.
    pub lenient: bool,
    /// Do not decode URL-safe base64.
    pub strict_base64: bool,
    /// Beta headers on top of those in force: a JSON array of names.
    pub betas: Option<Raw<'o>>,
    /// Where the request goes.
    pub platform: Platform,
    /// What becomes of thinking whose prefix has changed.
    pub binding: Binding,
    /// Definitions of tools from outside.
    pub catalogue: Option<&'o CatalogueFile<'o>>,
    /// Write changes where they happened, and how; `None` to flatten.
    pub place: Option<PlaceOptions>,
}

impl<'o> Options<'o> {
    /// The last body of each conversation, as its configuration has it.
    pub fn new(table: &'o Table) -> Self {
        Self {
            mode: Mode::Convo,
            provider: None,
            model: None,
            requests: Requests::Last,
            format: Format::Body,
            pretty: false,
            inputs: None,
            created_at: None,
            table,
            lenient: false,
            strict_base64: false,
            betas: None,
            platform: Platform::default(),
            binding: Binding::default(),
            catalogue: None,
            place: None,
        }
    }
}

/// What is asked for beside what every request has.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlaceOptions {
    /// How tools that appear later are made known.
    pub tool_mode: ToolMode,
    /// What is said of a section that goes away.
    pub withdrawals: Withdrawals,
    /// Say changes of effort in messages, where the model takes them there.
    pub efforts: bool,
    /// Say a changed system prompt in place.
    pub personas: bool,
    /// Write the thread instead of the body.
    pub items: bool,
    /// Tell how many bytes are deferred and kept.
    pub measure: bool,
}
