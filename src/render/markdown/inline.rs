//! Inline source as styled text, delimiters kept (MD-2 to MD-9, MD-25 to MD-29).
//!
//! The tree is walked once, without recursion; what lies between its positions
//! is copied from the source, so every byte of it comes out. Only a reference
//! link is written anew, as an inline link with the target it resolves to
//! (MD-8). Newlines of the source become spaces, nothing between two ideographs
//! (MD-28), or forced breaks (MD-27, MD-29).

use super::source::Content;
use super::{Inlines, target};
use crate::render::link::{ascii_host, hyperlink};
use crate::render::text::Text;
use crate::render::theme::{Role, over};
use anstyle::Style;
use comrak::arena_tree::NodeEdge;
use comrak::nodes::{AstNode, NodeLink, NodeValue, Sourcepos};
use unicode_width::UnicodeWidthChar;

/// A construct that is being walked: what was in force outside it.
struct Open {
    style: Style,
    link: u32,
}

struct Walk<'w, 'd> {
    content: &'w Content,
    text: &'w mut Text,
    with: &'w mut Inlines<'d>,
    at: usize,
    style: Style,
    link: u32,
    open: Vec<Open>,
    in_cell: bool,
}

/// Appends the inline content of `node`, in the style of its block.
pub(super) fn push<'a>(
    node: &'a AstNode<'a>,
    content: &Content,
    text: &mut Text,
    with: &mut Inlines<'_>,
    style: Style,
) {
    let in_cell = matches!(node.data().value, NodeValue::TableCell);
    let mut walk = Walk {
        at: content.start(),
        content,
        text,
        with,
        style,
        link: 0,
        open: Vec::new(),
        in_cell,
    };
    let mut skip: Option<*const AstNode<'a>> = None;
    for edge in node.traverse() {
        match edge {
            NodeEdge::Start(same) | NodeEdge::End(same) if std::ptr::eq(same, node) => {
            }
            NodeEdge::Start(child) => {
                if skip.is_none() && walk.start(child) {
                    skip = Some(std::ptr::from_ref(child));
                }
            }
            NodeEdge::End(child) => match skip {
                Some(skipped) if std::ptr::eq(skipped, child) => skip = None,
                Some(_) => {}
                None => walk.end(child),
            },
        }
    }
    walk.copy(content.flat.len());
}

impl Walk<'_, '_> {
    fn range(&self, place: Sourcepos) -> (usize, usize) {
        let start = self.content.at(place.start.line, place.start.column, 0);
        let end = self.content.at(place.end.line, place.end.column, 1);
        (start.max(self.at), end.max(start).max(self.at))
    }

    /// Handles the opening of a node; says whether its children are done too.
    fn start<'a>(&mut self, node: &'a AstNode<'a>) -> bool {
        let data = node.data();
        match &data.value {
            NodeValue::Emph => self.enter(data.sourcepos, Role::Emphasis),
            NodeValue::Strong => self.enter(data.sourcepos, Role::Strong),
            NodeValue::Strikethrough => self.enter(data.sourcepos, Role::Strike),
            NodeValue::Code(_) => self.leaf(data.sourcepos, Role::Code, false),
            NodeValue::HtmlInline(literal) => {
                let breaks = self.in_cell && is_break(literal);
                let (start, end) = self.range(data.sourcepos);
                if breaks && self.content.flat[start..end].starts_with('<') {
                    self.copy(start);
                    self.text.trim_end();
                    self.text.push_char('\n', self.style, 0);
                    self.at = end;
                    self.skip_spaces();
                } else {
                    self.leaf(data.sourcepos, Role::Html, false);
                }
            }
            NodeValue::Math(_) => self.leaf(data.sourcepos, Role::Plain, true),
            NodeValue::LineBreak => {
                let code = node.next_sibling().is_some_and(|next| {
                    matches!(next.data().value, NodeValue::Code(_))
                });
                self.hard_break(data.sourcepos, code);
            }
            NodeValue::Link(link) => {
                return self.open_link(node, data.sourcepos, link);
            }
            NodeValue::Image(_) => self.enter(data.sourcepos, Role::Label),
            _ => {}
        }
        false
    }

    fn end<'a>(&mut self, node: &'a AstNode<'a>) {
        let data = node.data();
        match &data.value {
            NodeValue::Emph | NodeValue::Strong | NodeValue::Strikethrough => {
                let (_, end) = self.range(data.sourcepos);
                self.copy(end);
                self.leave();
            }
            NodeValue::Link(link) | NodeValue::Image(link) => {
                let last = node.last_child().map(|child| child.data().sourcepos.end);
                let label = match last {
                    Some(end) => self.content.at(end.line, end.column, 1),
                    None => {
                        let image = matches!(data.value, NodeValue::Image(_));
                        self.at + 1 + usize::from(image)
                    }
                };
                let (_, end) = self.range(data.sourcepos);
                self.close_link(label.max(self.at), end, link);
            }
            _ => {}
        }
    }

    fn enter(&mut self, place: Sourcepos, role: Role) {
        let (start, _) = self.range(place);
        self.copy(start);
        self.open.push(Open {
            style: self.style,
            link: self.link,
        });
        self.style = over(self.style, self.with.palette.of(role));
    }

    fn leave(&mut self) {
        if let Some(outer) = self.open.pop() {
            self.style = outer.style;
            self.link = outer.link;
        }
    }

    fn leaf(&mut self, place: Sourcepos, role: Role, verbatim: bool) {
        let (start, end) = self.range(place);
        self.copy(start);
        let style = over(self.style, self.with.palette.of(role));
        for (index, line) in self.content.flat[start..end].split('\n').enumerate() {
            if index > 0 {
                let between = if verbatim { '\n' } else { ' ' };
                self.text.push_char(between, style, self.link);
            }
            push_words(self.text, line, style, self.link);
        }
        self.at = end;
    }

    fn hard_break(&mut self, place: Sourcepos, before_code: bool) {
        let (start, _) = self.range(place);
        self.copy(start);
        let content = self.content;
        let flat = content.flat.as_str();
        let end = memchr::memchr(b'\n', &flat.as_bytes()[start..])
            .map_or(flat.len(), |at| start + at);
        if flat[start..end].starts_with('\\') || self.with.document {
            self.text.push_char('\\', self.style, self.link);
        }
        self.text.push_char('\n', self.style, self.link);
        self.at = (end + 1).min(flat.len());
        if super::glue::only_indented(&flat[self.at..]) {
            self.text.push("    ", self.style, self.link);
        } else if let Some(length) = super::glue::escape(&flat[self.at..])
            && !before_code
        {
            self.copy(self.at + length);
            self.text.push_char('\\', self.style, self.link);
        }
    }

    /// Copies the source up to `to` in the style in force.
    fn copy(&mut self, to: usize) {
        let flat = self.content.flat.as_str();
        while self.at < to {
            let rest = &flat[self.at..to];
            let line = memchr::memchr(b'\n', rest.as_bytes());
            let piece = &rest[..line.unwrap_or(rest.len())];
            push_words(self.text, piece, self.style, self.link);
            self.at += piece.len();
            if line.is_some() {
                self.at += 1;
                let next = flat[self.at..].chars().next();
                let last = self.text.string.chars().next_back();
                if !(ideograph(last) && ideograph(next)) {
                    self.text.push_char(' ', self.style, self.link);
                }
            }
        }
    }

    fn skip_spaces(&mut self) {
        let rest = &self.content.flat.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|&&b| b == b' ').count();
    }

    fn open_link<'a>(
        &mut self,
        node: &'a AstNode<'a>,
        place: Sourcepos,
        link: &NodeLink,
    ) -> bool {
        let (start, end) = self.range(place);
        self.copy(start);
        let number = self.with.number(self.text, &link.url);
        let source = &self.content.flat[start..end];
        let style = over(self.style, self.with.palette.of(Role::Target));
        if !source.starts_with('[') {
            self.text
                .push_atom(&source.replace('\n', " "), style, number);
            self.at = end;
            self.host(&link.url);
            return true;
        }
        if link.title.is_empty() && spelled(node, &link.url) {
            self.text
                .push_atom(&format!("<{}>", link.url), style, number);
            self.at = end;
            return true;
        }
        self.enter(place, Role::Label);
        self.link = number;
        false
    }

    fn close_link(&mut self, label: usize, end: usize, link: &NodeLink) {
        let tail = self.content.flat.get(label..end).unwrap_or_default();
        let inline = tail.strip_prefix("](").and_then(|t| t.strip_suffix(')'));
        if inline.is_none() && !(tail.starts_with(']') && tail.ends_with(']')) {
            // Not where the tree says: what is there is printed as it is.
            self.copy(end);
            self.leave();
            return;
        }
        self.copy(label);
        let number = self.link;
        self.leave();
        let style = over(self.style, self.with.palette.of(Role::Target));
        self.text.push("](", self.style, self.link);
        self.text.allow_break();
        let (url, title) = match inline {
            Some(inner) => {
                let inner = inner.trim_matches([' ', '\t', '\n']);
                let split = target::destination(inner);
                let title = inner[split..].trim_start();
                (inner[..split].to_owned(), title.replace('\n', " "))
            }
            None => {
                let title = match link.title.as_str() {
                    "" => String::new(),
                    title => target::title(&self.with.clean(title)),
                };
                (target::written(&self.with.clean(&link.url)), title)
            }
        };
        let start = self.text.string.len();
        self.text.push(&url, style, number);
        if !title.is_empty() {
            self.text.atoms.push(start..self.text.string.len());
            self.text.push_char(' ', self.style, self.link);
            push_words(self.text, &title, self.style, self.link);
        }
        self.text.push_char(')', self.style, self.link);
        if title.is_empty() {
            self.text.atoms.push(start..self.text.string.len());
        }
        self.at = end;
        self.host(&link.url);
    }

    fn host(&mut self, url: &str) {
        if let Some(host) = ascii_host(url) {
            let style = over(self.style, self.with.palette.of(Role::Dim));
            self.text.push(&format!(" ({host})"), style, 0);
        }
    }
}

impl Inlines<'_> {
    /// Makes a link of the text for a target, if it is clickable; 0 if not.
    pub(super) fn number(&mut self, text: &mut Text, url: &str) -> u32 {
        *self.links += 1;
        if !self.hyperlinks {
            return 0;
        }
        match hyperlink(url, self.message, *self.links) {
            Some(link) => text.add_link(link),
            None => 0,
        }
    }
}

/// Whether a link's label is its target, so that one of them is enough.
fn spelled<'a>(node: &'a AstNode<'a>, url: &str) -> bool {
    let mut children = node.children();
    let (Some(child), None) = (children.next(), children.next()) else {
        return false;
    };
    let same = matches!(&child.data().value, NodeValue::Text(text) if text == url);
    same && url.split_once(':').is_some_and(|(scheme, _)| {
        (2..=32).contains(&scheme.len())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric())
    }) && !url.contains(|c: char| c.is_control() || c == ' ' || "<>\\&".contains(c))
}

/// Appends words; a tab separates them like a space.
fn push_words(text: &mut Text, words: &str, style: Style, link: u32) {
    if memchr::memchr(b'\t', words.as_bytes()).is_some() {
        text.push(&words.replace('\t', " "), style, link);
    } else {
        text.push(words, style, link);
    }
}

/// Whether a tag is a line break of HTML.
pub(super) fn is_break(tag: &str) -> bool {
    let inner = tag.strip_prefix('<').and_then(|tag| tag.strip_suffix('>'));
    inner.is_some_and(|inner| {
        inner
            .trim_end_matches('/')
            .trim_end()
            .eq_ignore_ascii_case("br")
    })
}

/// Whether a character is of a script written without spaces (MD-28).
pub(super) fn ideograph(c: Option<char>) -> bool {
    c.is_some_and(|c| {
        c >= '\u{2e80}'
            && !matches!(c, '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7ff}' | '\u{1f000}'..='\u{1faff}')
            && c.width() == Some(2)
    })
}
