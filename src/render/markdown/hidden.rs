//! Inline content with its delimiters hidden (`--markup hide`).
//!
//! The text is that of the tree. It was decoded after the source was cleaned, so
//! it is cleaned again: `&#27;` must not become an escape here. Only delimiters
//! go; a target stays visible unless a hyperlink carries it and its label does
//! not pretend to be another one (SE-11).

use super::Inlines;
use super::inline::{ideograph, is_break};
use crate::render::link::{ascii_host, deceptive, encode};
use crate::render::text::Text;
use crate::render::theme::{Role, over};
use anstyle::Style;
use comrak::arena_tree::NodeEdge;
use comrak::nodes::{AstNode, NodeLink, NodeValue};

/// Appends the inline content of `node`.
pub(super) fn push<'a>(
    node: &'a AstNode<'a>,
    text: &mut Text,
    with: &mut Inlines<'_>,
    style: Style,
) {
    let in_cell = matches!(node.data().value, NodeValue::TableCell);
    let mut stack: Vec<(Style, u32, usize)> = Vec::new();
    let (mut style, mut link) = (style, 0);
    for edge in node.traverse() {
        match edge {
            NodeEdge::Start(child) => {
                let data = child.data();
                let role = match &data.value {
                    NodeValue::Emph => Role::Emphasis,
                    NodeValue::Strong => Role::Strong,
                    NodeValue::Strikethrough => Role::Strike,
                    NodeValue::Link(_) | NodeValue::Image(_) => Role::Label,
                    value => {
                        leaf(value, text, with, style, link, in_cell);
                        continue;
                    }
                };
                stack.push((style, link, text.string.len()));
                style = over(style, with.palette.of(role));
                if let NodeValue::Link(target) = &data.value {
                    link = with.number(text, &target.url);
                }
            }
            NodeEdge::End(child) => {
                let data = child.data();
                let nested = matches!(
                    data.value,
                    NodeValue::Emph
                        | NodeValue::Strong
                        | NodeValue::Strikethrough
                        | NodeValue::Link(_)
                        | NodeValue::Image(_)
                );
                if !nested {
                    continue;
                }
                let Some((outer, outer_link, start)) = stack.pop() else {
                    continue;
                };
                let number = link;
                style = outer;
                link = outer_link;
                if let NodeValue::Link(to) | NodeValue::Image(to) = &data.value {
                    target(to, text, with, style, number, start);
                }
            }
        }
    }
}

fn target(
    link: &NodeLink,
    text: &mut Text,
    with: &mut Inlines<'_>,
    style: Style,
    number: u32,
    start: usize,
) {
    let label = text.string.get(start..).unwrap_or_default().to_owned();
    let cleaned = with.clean(&link.url);
    // What cleaning would take from it is shown as the hyperlink has it: encoded.
    let url = match cleaned == link.url {
        true => cleaned,
        false => encode(&link.url),
    };
    let same = label == url || url.strip_prefix("mailto:") == Some(label.as_str());
    let deceives = deceptive(&label, &url);
    if (!same && (number == 0 || deceives)) || label.is_empty() {
        let shown = over(style, with.palette.of(Role::Target));
        let lead = if label.is_empty() { "(" } else { " (" };
        text.push(lead, style, 0);
        text.push_atom(&url.replace(['\n', '\t'], " "), shown, number);
        if !link.title.is_empty() {
            let title = with.clean(&link.title).replace(['\n', '\t'], " ");
            text.push(&format!(" {title}"), style, 0);
        }
        text.push(")", style, 0);
    } else if !link.title.is_empty() {
        let title = with.clean(&link.title).replace(['\n', '\t'], " ");
        text.push(&format!(" ({title})"), style, 0);
    }
    if let Some(host) = ascii_host(&link.url) {
        let dim = over(style, with.palette.of(Role::Dim));
        text.push(&format!(" ({host})"), dim, 0);
    }
}

fn leaf(
    value: &NodeValue,
    text: &mut Text,
    with: &mut Inlines<'_>,
    style: Style,
    link: u32,
    in_cell: bool,
) {
    match value {
        NodeValue::Text(literal) => words(text, with, literal, style, link),
        NodeValue::Code(code) => {
            let style = over(style, with.palette.of(Role::Code));
            words(text, with, &code.literal, style, link);
        }
        NodeValue::HtmlInline(literal) if in_cell && is_break(literal) => {
            text.trim_end();
            text.push_char('\n', style, 0);
        }
        NodeValue::HtmlInline(literal) => {
            let style = over(style, with.palette.of(Role::Html));
            words(text, with, literal, style, link);
        }
        NodeValue::Math(math) => {
            let dollars = if math.display_math { "$$" } else { "$" };
            let literal = with.clean(&math.literal).replace('\t', " ");
            text.push(&format!("{dollars}{literal}{dollars}"), style, link);
        }
        NodeValue::FootnoteReference(note) => {
            words(text, with, &format!("[^{}]", note.name), style, link);
        }
        NodeValue::SoftBreak => {
            // Whether the next character is an ideograph is not known yet: the
            // space goes when it turns out to be one.
            text.push_char(' ', style, link);
            with.soft = Some(text.string.len());
        }
        NodeValue::LineBreak => text.push_char('\n', style, link),
        _ => {}
    }
}

fn words(
    text: &mut Text,
    with: &mut Inlines<'_>,
    words: &str,
    style: Style,
    link: u32,
) {
    let cleaned = with.clean(words).replace(['\n', '\t'], " ");
    if let Some(soft) = with.soft.take().filter(|&soft| soft == text.string.len()) {
        let before = text.string[..soft - 1].chars().next_back();
        if ideograph(before) && ideograph(cleaned.chars().next()) {
            text.trim_end();
        }
    }
    text.push(&cleaned, style, link);
}
