//! A markdown tree as terminal text (`docs/render.md#markdown`).
//!
//! comrak finds the structure; `Writer` prints it, block by block, with the
//! source's own words and delimiters (MD-2), or without the delimiters
//! (`--markup hide`). A writer sees one block after the other and never looks
//! ahead, so the same blocks give the same bytes however they arrive; what is
//! ready to be printed is decided in `message`.

mod block;
mod code;
mod glue;
mod growth;
mod hidden;
mod inline;
mod leaf;
mod limit;
mod message;
mod source;
mod table;
mod target;

pub(crate) use code::longest_run;
pub(crate) use limit::{SENTINEL, bounded};
pub use message::{LARGEST, Message};

use super::lines::Lines;
use super::surface::Surface;
use super::text::Text;
use super::theme::{Palette, Role};
use crate::term::clean::{Control, Removed, Rules, clean};
use comrak::Options;
use source::Content;

/// The extensions that are on (MD-3, MD-4, MD-7, MD-19, MD-20, MD-29).
pub(crate) fn options() -> Options<'static> {
    let mut options = Options::default();
    let on = &mut options.extension;
    on.strikethrough = true;
    on.table = true;
    on.autolink = true;
    on.tasklist = true;
    on.footnotes = true;
    on.alerts = true;
    on.math_dollars = true;
    on.cjk_friendly_emphasis = true;
    options.parse.leave_footnote_definitions = true;
    options
}

/// What inline content is printed with.
pub(super) struct Inlines<'d> {
    pub(super) palette: &'d Palette,
    pub(super) hyperlinks: bool,
    /// Names the message in the ids of its links.
    pub(super) message: u64,
    /// Links of the message so far.
    pub(super) links: &'d mut u64,
    /// Whether the result is markdown for reading back (`--format markdown`).
    pub(super) document: bool,
    pub(super) rules: Rules,
    /// Where the last soft break was put, when markup is hidden.
    pub(super) soft: Option<usize>,
    /// What cleaning took away.
    pub(super) removed: &'d mut Removed,
}

impl Inlines<'_> {
    /// Text of the tree, which was decoded after the source was cleaned.
    pub(super) fn clean(&mut self, text: &str) -> String {
        clean(text, self.rules, self.removed).into_owned()
    }
}

/// Prints blocks of one message.
#[derive(Debug)]
pub(crate) struct Writer {
    pub(super) lines: Lines,
    palette: Palette,
    rules: Rules,
    /// What cleaning took from text that the parser decoded.
    pub(super) removed: Removed,
    message: u64,
    links: u64,
    /// Whether the result is markdown for reading back.
    document: bool,
    /// Containers that were open before the message began.
    base: usize,
    /// Whether a block has been printed.
    started: bool,
    /// The marker of the list just printed at the top, for MD-10.
    list: Option<u8>,
    /// The box of the task item whose text comes next.
    task: Option<String>,
    content: Content,
    text: Text,
}

impl Writer {
    pub(crate) fn new(
        lines: Lines,
        rules: Rules,
        message: u64,
        document: bool,
    ) -> Self {
        Self {
            palette: Palette::new(&lines.surface),
            base: lines.depth(),
            lines,
            rules,
            removed: Removed::default(),
            message,
            links: 0,
            document,
            started: false,
            list: None,
            task: None,
            content: Content::default(),
            text: Text::default(),
        }
    }

    fn surface(&self) -> &Surface {
        &self.lines.surface
    }

    fn hides(&self) -> bool {
        self.lines.surface.hide_markup
    }

    fn inlines(&mut self) -> Inlines<'_> {
        Inlines {
            palette: &self.palette,
            hyperlinks: self.lines.surface.hyperlinks,
            message: self.message,
            links: &mut self.links,
            document: self.document,
            rules: self.rules,
            soft: None,
            removed: &mut self.removed,
        }
    }

    /// Text of the tree, which was decoded after the source was cleaned.
    fn clean(&mut self, text: &str) -> String {
        match self.rules.control {
            Control::Raw => text.to_owned(),
            _ => clean(text, self.rules, &mut self.removed).into_owned(),
        }
    }

    /// Opens a new unit of the top level: a blank line but before the first.
    pub(super) fn separate(&mut self, out: &mut Vec<u8>) {
        if self.started {
            self.lines.blank(out);
        }
        self.started = true;
    }

    /// Prints a source line that the tree does not know: a link definition.
    fn definition(&mut self, out: &mut Vec<u8>, line: &str) {
        let style = self.palette.of(Role::Dim);
        let line = line.trim_matches([' ', '\t']).replace('\t', " ");
        let text = Text::styled(line, style);
        self.prose(out, &text);
    }
}
