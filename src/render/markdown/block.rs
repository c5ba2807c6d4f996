//! Blocks: paragraphs, headings, quotes, lists, and what stands between them.
//!
//! At the top and in quotes one blank line parts blocks; in a list item a blank
//! line stands where the source has one, so that tight stays tight and loose
//! loose (MD-13). Link definitions, which no tree holds, are printed in place.

use super::Writer;
use super::source::{Source, Strip, strip};
use crate::render::text::Text;
use crate::render::theme::Role;
use comrak::nodes::{AlertType, AstNode, ListDelimType, ListType, NodeList, NodeValue};

/// Where blank lines go between blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// One between any two.
    Always,
    /// Where the source has one.
    Source,
}

/// The lines of a container, and how its content is found on them.
pub(super) struct Place<'p, 's> {
    pub(super) source: &'p Source<'s>,
    pub(super) chain: &'p mut Vec<Strip>,
    /// The first line of the innermost container, and the byte behind its marker.
    pub(super) first: (usize, usize),
}

impl Place<'_, '_> {
    fn rest(&self, number: usize) -> &str {
        let line = self.source.line(number);
        if number == self.first.0 {
            return line.get(self.first.1..).unwrap_or_default();
        }
        &line[strip(line, self.chain)..]
    }

    /// Enters a container whose marker on line `first.0` ends at byte `first.1`;
    /// gives what [`Place::leave`] wants back.
    fn enter(&mut self, strip: Strip, first: (usize, usize)) -> (usize, usize) {
        self.chain.push(strip);
        std::mem::replace(&mut self.first, first)
    }

    fn leave(&mut self, first: (usize, usize)) {
        self.chain.pop();
        self.first = first;
    }

    pub(super) fn blank(&self, line: usize) -> bool {
        self.rest(line).bytes().all(|b| matches!(b, b' ' | b'\t'))
    }

    /// The first run of lines in `from..to` that are not blank, if they are link
    /// definitions.
    fn definitions(&self, from: usize, to: usize) -> Option<(usize, usize)> {
        let first = (from..to).find(|&line| !self.blank(line))?;
        let text = self.rest(first).trim_start();
        let end = (first..to).find(|&line| self.blank(line)).unwrap_or(to);
        text.starts_with('[').then_some((first, end))
    }
}

impl Writer {
    /// Prints the blocks of a container whose content lies on `first..=last`.
    pub(super) fn blocks<'a>(
        &mut self,
        out: &mut Vec<u8>,
        nodes: impl Iterator<Item = &'a AstNode<'a>>,
        place: &mut Place<'_, '_>,
        gap: Gap,
        (first, last): (usize, usize),
    ) {
        let top = place.chain.is_empty() && self.lines.depth() == self.base;
        let mut next = first;
        let mut any = false;
        let mut list = if top { self.list } else { None };
        for node in nodes {
            let span = node.data().sourcepos;
            any |= self.between(out, place, gap, (next, span.start.line), any);
            // A blank line inside a fence left open is code, and parts nothing.
            let above = span.start.line - 1;
            let blank = gap == Gap::Always || above >= next && place.blank(above);
            self.gap(out, top, any, blank);
            let apart = blank && any || top;
            any = true;
            list = self.block(out, node, place, list, apart);
            next = next.max(last_line(node) + 1);
        }
        if top {
            self.list = list;
        }
        self.between(out, place, gap, (next, last + 1), any);
    }

    /// Prints the link definitions on the lines between blocks, each run of lines
    /// by itself; says whether there were any.
    fn between(
        &mut self,
        out: &mut Vec<u8>,
        place: &Place<'_, '_>,
        gap: Gap,
        (mut from, to): (usize, usize),
        any: bool,
    ) -> bool {
        let top = place.chain.is_empty() && self.lines.depth() == self.base;
        let mut printed = false;
        while let Some((first, end)) = place.definitions(from, to) {
            let blank = gap == Gap::Always || place.blank(first - 1);
            self.gap(out, top, any || printed, blank);
            for line in first..end {
                self.definition(out, place.rest(line));
            }
            printed = true;
            from = end;
        }
        printed
    }

    fn gap(&mut self, out: &mut Vec<u8>, top: bool, any: bool, blank: bool) {
        if top {
            self.separate(out);
        } else if any && blank {
            self.lines.blank(out);
        }
    }

    /// Prints one block; gives the marker of the list it was.
    fn block<'a>(
        &mut self,
        out: &mut Vec<u8>,
        node: &'a AstNode<'a>,
        place: &mut Place<'_, '_>,
        list: Option<u8>,
        apart: bool,
    ) -> Option<u8> {
        let data = node.data();
        let span = data.sourcepos;
        match &data.value {
            NodeValue::Heading(heading) => self.heading(out, node, heading, place),
            NodeValue::CodeBlock(code) => {
                let line = place.source.line(span.start.line);
                self.code(out, code, line.get(span.start.column - 1..).unwrap_or(""));
            }
            NodeValue::HtmlBlock(html) => self.html(out, &html.literal),
            NodeValue::ThematicBreak => self.thematic_break(out, apart),
            NodeValue::BlockQuote => {
                self.lines.open("> ", "> ", self.palette.of(Role::Gutter));
                let first = (span.start.line, span.start.column);
                self.quoted(out, node, place, first);
                self.lines.close();
            }
            NodeValue::Alert(alert) => {
                let style = self.palette.of(alert_role(alert.alert_type));
                self.lines.open("> ", "> ", self.palette.of(Role::Gutter));
                let line = place.source.line(span.start.line);
                let title = line.get(span.start.column..).unwrap_or_default();
                let title = title.trim().replace('\t', " ");
                let title = match self.hides() {
                    // `[!NOTE]` is a mark around a word.
                    true => title.replacen("[!", "", 1).replacen(']', "", 1),
                    false => title,
                };
                let title = Text::styled(title, style);
                self.prose(out, &title);
                self.quoted(out, node, place, (span.start.line, line.len()));
                self.lines.close();
            }
            NodeValue::FootnoteDefinition(_) => {
                let line = place.source.line(span.start.line);
                let text = line.get(span.start.column - 1..).unwrap_or("");
                let end = text.find("]:").map_or(text.len(), |at| at + 2);
                let marker = format!("{} ", &text[..end]);
                self.lines
                    .open(&marker, "    ", self.palette.of(Role::Marker));
                let behind = (span.start.line, span.start.column - 1 + end);
                let outer = place.enter(Strip::Indent(4), behind);
                let lines = (span.start.line, last_line(node));
                self.blocks(out, node.children(), place, Gap::Source, lines);
                place.leave(outer);
                self.bare(out);
                self.lines.close();
            }
            NodeValue::List(kind) => {
                return Some(self.list(out, node, kind, place, list));
            }
            NodeValue::Table(table) => self.table(out, node, table, place),
            _ => self.paragraph(out, node, place),
        }
        None
    }

    fn quoted<'a>(
        &mut self,
        out: &mut Vec<u8>,
        node: &'a AstNode<'a>,
        place: &mut Place<'_, '_>,
        first: (usize, usize),
    ) {
        let outer = place.enter(Strip::Quote, first);
        let lines = (first.0, last_line(node));
        self.blocks(out, node.children(), place, Gap::Always, lines);
        place.leave(outer);
        self.bare(out);
    }

    /// Prints the marker of a container that turned out to be empty.
    pub(super) fn bare(&mut self, out: &mut Vec<u8>) {
        if self.lines.fresh() {
            self.lines.blank(out);
        }
    }

    fn list<'a>(
        &mut self,
        out: &mut Vec<u8>,
        node: &'a AstNode<'a>,
        list: &NodeList,
        place: &mut Place<'_, '_>,
        before: Option<u8>,
    ) -> u8 {
        let bullet = if before == Some(b'-') { b'*' } else { b'-' };
        let delimiter = match list.delimiter {
            ListDelimType::Period => '.',
            ListDelimType::Paren => ')',
        };
        let style = self.palette.of(Role::Marker);
        for (index, item) in node.children().enumerate() {
            let span = item.data().sourcepos;
            let next = item
                .next_sibling()
                .map(|item| item.data().sourcepos.start.line);
            let last = next.map_or_else(|| last_line(item), |line| line - 1);
            let above = span.start.line - 1;
            // A blank line inside a fence left open is code, and parts nothing.
            let code = item
                .previous_sibling()
                .is_some_and(|before| last_line(before) >= above);
            if index > 0 && !code && place.blank(above) {
                self.lines.blank(out);
            }
            let marker = match list.list_type {
                ListType::Bullet => format!("{} ", char::from(bullet)),
                ListType::Ordered => {
                    format!("{}{delimiter} ", list.start.saturating_add(index))
                }
            };
            let indent = match &item.data().value {
                NodeValue::Item(item) => item.marker_offset + item.padding,
                NodeValue::TaskItem(task) => {
                    let mark = task.symbol.unwrap_or(' ');
                    self.task = Some(format!("[{mark}] "));
                    list.marker_offset + list.padding
                }
                _ => list.marker_offset + list.padding,
            };
            self.lines.open(&marker, &" ".repeat(marker.len()), style);
            let line = place.source.line(span.start.line);
            let at = line.get(span.start.column - 1..).unwrap_or_default();
            let at = at.find([' ', '\t']).unwrap_or(at.len());
            let behind = (span.start.line, span.start.column - 1 + at);
            let outer = place.enter(Strip::Indent(indent), behind);
            let lines = (span.start.line, last);
            self.blocks(out, item.children(), place, Gap::Source, lines);
            place.leave(outer);
            if let Some(task) = self.task.take() {
                self.lines.plain(out, task.trim_end(), style);
            }
            self.bare(out);
            self.lines.close();
        }
        match list.list_type {
            ListType::Bullet => bullet,
            ListType::Ordered => 0,
        }
    }
}

/// The last line of a block. The tree does not know it of a fence left open.
pub(super) fn last_line<'a>(block: &'a AstNode<'a>) -> usize {
    let mut last = 0;
    let mut node = Some(block);
    while let Some(inner) = node {
        let data = inner.data();
        last = last.max(data.sourcepos.end.line);
        if let NodeValue::CodeBlock(code) = &data.value
            && code.fenced
            && !code.closed
        {
            let lines = memchr::memchr_iter(b'\n', code.literal.as_bytes()).count();
            last = last.max(data.sourcepos.start.line + lines);
        }
        node = inner.last_child();
    }
    last
}

fn alert_role(kind: AlertType) -> Role {
    match kind {
        AlertType::Note => Role::Note,
        AlertType::Tip => Role::Tip,
        AlertType::Important => Role::Important,
        AlertType::Warning => Role::Warning,
        AlertType::Caution => Role::Caution,
    }
}
