//! Leaf blocks of prose: paragraphs, headings, HTML, rules.

use super::block::Place;
use super::source::strip;
use super::{Writer, hidden, inline};
use crate::render::text::Text;
use crate::render::theme::Role;
use crate::render::wrap::{Widths, wrap};
use comrak::nodes::{AstNode, NodeHeading, NodeValue};

impl Writer {
    pub(super) fn paragraph<'a>(
        &mut self,
        out: &mut Vec<u8>,
        node: &'a AstNode<'a>,
        place: &mut Place<'_, '_>,
    ) {
        let span = node.data().sourcepos;
        let defined = self.read(node, place, span.end.line);
        if let Some(lines) = defined {
            for line in lines.lines() {
                self.definition(out, line);
            }
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
        self.content.before_table = node.next_sibling().is_some_and(|next| {
            let next = next.data();
            matches!(next.value, NodeValue::Table(_))
                && next.sourcepos.start.line == last + 1
        });
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
        self.prose(out, &text);
        if text.string.is_empty() {
            self.bare(out);
        }
        self.text = text;
        self.content = content;
    }

    /// Writes a text wrapped.
    pub(super) fn prose(&mut self, out: &mut Vec<u8>, text: &Text) {
        let widths = Widths {
            columns: self.lines.prose(),
            split_atoms: self.lines.surface.hyperlinks,
        };
        let lines = &mut self.lines;
        wrap(text, widths, |range| lines.line(out, text, range));
    }

    pub(super) fn heading<'a>(
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
                for line in lines.lines() {
                    self.definition(out, line);
                }
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
        let broken =
            |node: &AstNode<'a>| matches!(node.data().value, NodeValue::LineBreak);
        let hides = self.hides();
        if !hides && heading.setext && node.descendants().any(broken) {
            // Only this form holds a line break.
            self.flow(out, node, Role::Heading);
            let line = if level == 1 { "===" } else { "---" };
            self.lines.plain(out, line, self.palette.of(Role::Heading));
            return;
        }
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
    pub(super) fn html(&mut self, out: &mut Vec<u8>, literal: &str) {
        let style = self.palette.of(Role::Html);
        // Its own indentation could make it part of a list in front of it.
        let literal = literal.trim_end_matches('\n').trim_start_matches(' ');
        for line in literal.split('\n') {
            let line = line.trim_end().replace('\t', "    ");
            let body = line.trim_start_matches(' ');
            let indent = " ".repeat((line.len() - body.len()).min(40));
            let text = Text::styled(body, style);
            if body.is_empty() {
                self.lines.blank(out);
                continue;
            }
            self.lines.open(&indent, &indent, style);
            self.prose(out, &text);
            self.lines.close();
        }
    }

    /// Hyphens where they are a rule; underscores where hyphens would be something
    /// else (MD-26).
    pub(super) fn thematic_break(&mut self, out: &mut Vec<u8>, apart: bool) {
        let style = self.palette.of(Role::Rule);
        let rule = match self.lines.prose() {
            Some(columns) if self.hides() && !self.surface().ascii => {
                "─".repeat(columns)
            }
            _ if apart => "---".to_owned(),
            _ => "___".to_owned(),
        };
        self.lines.plain(out, &rule, style);
    }
}
