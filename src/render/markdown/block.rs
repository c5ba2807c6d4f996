//! Blocks: paragraphs, headings, quotes, lists, and what stands between them.
//!
//! At the top and in quotes one blank line parts blocks; in a list item a blank
//! line stands where the source has one, so that tight stays tight and loose
//! loose (MD-13). Link definitions, which no tree holds, are printed in place.

use super::source::{Source, Strip, strip};
use super::{Writer, hidden, inline};
use crate::render::theme::Role;
use crate::render::wrap::{Widths, wrap};
use comrak::nodes::{
    AlertType, AstNode, ListDelimType, ListType, NodeHeading, NodeList, NodeValue,
};

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
}

impl Place<'_, '_> {
    fn rest(&self, line: usize) -> &str {
        let line = self.source.line(line);
        &line[strip(line, self.chain)..]
    }

    pub(super) fn blank(&self, line: usize) -> bool {
        self.rest(line).bytes().all(|b| matches!(b, b' ' | b'\t'))
    }

    /// The lines in `from..to` if they are link definitions.
    fn definitions(&self, from: usize, to: usize) -> Option<(usize, usize)> {
        let first = (from..to).find(|&line| !self.blank(line))?;
        let text = self.rest(first).trim_start();
        text.starts_with('[').then_some((first, to))
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
            if let Some((from, to)) = place.definitions(next, span.start.line) {
                self.gap(out, top, any, gap == Gap::Always || place.blank(from - 1));
                any = true;
                let lines: Vec<String> =
                    (from..to).map(|line| place.rest(line).to_owned()).collect();
                self.definitions(out, lines.iter().map(String::as_str));
            }
            let blank = gap == Gap::Always || place.blank(span.start.line - 1);
            self.gap(out, top, any, blank);
            let apart = blank && any || top;
            any = true;
            list = self.block(out, node, place, list, apart);
            next = next.max(span.end.line + 1);
        }
        if top {
            self.list = list;
        }
        if let Some((from, to)) = place.definitions(next, last + 1) {
            self.gap(out, top, any, gap == Gap::Always || place.blank(from - 1));
            let lines: Vec<String> =
                (from..to).map(|line| place.rest(line).to_owned()).collect();
            self.definitions(out, lines.iter().map(String::as_str));
        }
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
                self.quoted(out, node, place, span.start.line);
                self.lines.close();
            }
            NodeValue::Alert(alert) => {
                let style = self.palette.of(alert_role(alert.alert_type));
                self.lines.open("> ", "> ", self.palette.of(Role::Gutter));
                place.chain.push(Strip::Quote);
                let title = place.rest(span.start.line).trim().replace('\t', " ");
                place.chain.pop();
                self.lines.plain(out, &title, style);
                self.quoted(out, node, place, span.start.line + 1);
                self.lines.close();
            }
            NodeValue::FootnoteDefinition(_) => {
                let line = place.source.line(span.start.line);
                let text = line.get(span.start.column - 1..).unwrap_or("");
                let end = text.find("]:").map_or(text.len(), |at| at + 2);
                let marker = format!("{} ", &text[..end]);
                self.lines
                    .open(&marker, "    ", self.palette.of(Role::Marker));
                place.chain.push(Strip::Indent(4));
                let lines = (span.start.line + 1, span.end.line);
                self.blocks(out, node.children(), place, Gap::Source, lines);
                place.chain.pop();
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
        first: usize,
    ) {
        place.chain.push(Strip::Quote);
        let lines = (first, node.data().sourcepos.end.line);
        self.blocks(out, node.children(), place, Gap::Always, lines);
        place.chain.pop();
        self.bare(out);
    }

    /// Prints the marker of a container that turned out to be empty.
    fn bare(&mut self, out: &mut Vec<u8>) {
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
            if index > 0 && place.blank(span.start.line - 1) {
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
            place.chain.push(Strip::Indent(indent));
            let lines = (span.start.line + 1, span.end.line);
            self.blocks(out, item.children(), place, Gap::Source, lines);
            place.chain.pop();
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

    fn paragraph<'a>(
        &mut self,
        out: &mut Vec<u8>,
        node: &'a AstNode<'a>,
        place: &mut Place<'_, '_>,
    ) {
        let span = node.data().sourcepos;
        let defined = self.read(node, place, span.end.line);
        if let Some(lines) = defined {
            self.definitions(out, lines.lines());
            self.lines.blank(out);
        }
        self.flow(out, node, Role::Plain);
    }

    /// Reads the inline source of a leaf; gives the definitions in front of it.
    fn read<'a>(
        &mut self,
        node: &'a AstNode<'a>,
        place: &Place<'_, '_>,
        last: usize,
    ) -> Option<String> {
        let span = node.data().sourcepos;
        self.content.reset(span.start.line);
        for number in span.start.line..=last {
            let line = place.source.line(number);
            let from = if number == span.start.line {
                span.start.column - 1
            } else {
                strip(line, place.chain)
            };
            self.content.line(line, from, line.len());
        }
        let end = node.last_child()?.data().sourcepos.end.line;
        let lines = last.saturating_sub(end);
        (lines > 0 && self.content.flat.starts_with('[') && end >= span.start.line)
            .then(|| self.content.define(lines))
    }

    /// Prints the content just read as wrapped prose.
    fn flow<'a>(&mut self, out: &mut Vec<u8>, node: &'a AstNode<'a>, role: Role) {
        let mut text = std::mem::take(&mut self.text);
        let content = std::mem::take(&mut self.content);
        text.clear();
        if let Some(task) = self.task.take() {
            text.push(&task, self.palette.of(Role::Marker), 0);
        }
        let style = self.palette.of(role);
        let hides = self.hides();
        let columns = self.lines.prose();
        let mut with = self.inlines();
        if hides {
            hidden::push(node, &mut text, &mut with, style);
        } else {
            inline::push(node, &content, &mut text, &mut with, style);
            if columns.is_some() {
                super::glue::starters(&mut text);
            }
        }
        let widths = Widths {
            columns,
            split_atoms: self.surface().hyperlinks,
        };
        let lines = &mut self.lines;
        wrap(&text, widths, |range| lines.line(out, &text, range));
        if text.string.is_empty() {
            self.bare(out);
        }
        self.text = text;
        self.content = content;
    }

    fn heading<'a>(
        &mut self,
        out: &mut Vec<u8>,
        node: &'a AstNode<'a>,
        heading: &NodeHeading,
        place: &mut Place<'_, '_>,
    ) {
        let span = node.data().sourcepos;
        if heading.setext {
            let last = span.end.line.saturating_sub(1).max(span.start.line);
            if let Some(lines) = self.read(node, place, last) {
                self.definitions(out, lines.lines());
                self.lines.blank(out);
            }
            if self.content.flat.ends_with('#') {
                let at = self.content.flat.len() - 1;
                self.content.flat.insert(at, '\\');
            }
        } else {
            self.content.reset(span.start.line);
            let line = place.source.line(span.start.line);
            if let (Some(first), Some(end)) = (node.first_child(), node.last_child()) {
                let from = first.data().sourcepos.start.column.saturating_sub(1);
                self.content
                    .line(line, from, end.data().sourcepos.end.column);
            }
        }
        let level = heading.level as usize;
        let marks = "#".repeat(level);
        if node.first_child().is_none() {
            let marks = if self.hides() { "" } else { &marks };
            self.lines.plain(out, marks, self.palette.of(Role::Heading));
            return;
        }
        let hides = self.hides();
        if !hides {
            let rest = " ".repeat(level + 1);
            let style = self.palette.of(Role::Heading);
            self.lines.open(&format!("{marks} "), &rest, style);
        }
        self.flow(out, node, Role::Heading);
        if !hides {
            self.lines.close();
        }
    }

    /// HTML is printed as it is, each source line wrapped by itself (MD-25).
    fn html(&mut self, out: &mut Vec<u8>, literal: &str) {
        let style = self.palette.of(Role::Html);
        for line in literal.trim_end_matches('\n').split('\n') {
            let line = line.trim_end().replace('\t', "    ");
            let body = line.trim_start_matches(' ');
            let indent = " ".repeat((line.len() - body.len()).min(40));
            let text = crate::render::text::Text::styled(body, style);
            if body.is_empty() {
                self.lines.blank(out);
                continue;
            }
            self.lines.open(&indent, &indent, style);
            let widths = Widths {
                columns: self.lines.prose(),
                split_atoms: false,
            };
            let lines = &mut self.lines;
            wrap(&text, widths, |range| lines.line(out, &text, range));
            self.lines.close();
        }
    }

    /// Hyphens where they are a rule; stars where they would underline (MD-26).
    fn thematic_break(&mut self, out: &mut Vec<u8>, apart: bool) {
        let style = self.palette.of(Role::Rule);
        let rule = match self.lines.prose() {
            Some(columns) if self.hides() && !self.surface().ascii => {
                "─".repeat(columns)
            }
            _ if apart => "---".to_owned(),
            _ => "***".to_owned(),
        };
        self.lines.plain(out, &rule, style);
    }
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
