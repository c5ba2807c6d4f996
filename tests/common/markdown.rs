//! Markdown trees in words, to compare what two texts mean, and random documents.

use comrak::nodes::{AstNode, NodeValue};
use comrak::{Arena, Options, parse_document};
use proptest::prelude::*;
use std::fmt::Write as _;

/// The extensions that `convo` renders with.
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

/// What a text means: its tree, less what rendering is free to change (ST-4):
/// list markers, fence lengths, white space of prose, setext or ATX.
pub(crate) fn meaning(source: &str) -> String {
    let arena = Arena::new();
    let root = parse_document(&arena, source, &options());
    let mut out = String::new();
    say(root, &mut out);
    let ideograph =
        |c: Option<&char>| c.is_some_and(|&c| ('\u{2e80}'..'\u{ff61}').contains(&c));
    let characters: Vec<char> = out.chars().collect();
    let between = |at: usize| {
        ideograph(at.checked_sub(1).and_then(|at| characters.get(at)))
            && ideograph(characters.get(at + 1))
    };
    (0..characters.len())
        .filter(|&at| characters[at] != ' ' || !between(at))
        .map(|at| characters[at])
        .collect()
}

/// The kinds of the top-level blocks.
pub(crate) fn blocks(source: &str) -> Vec<String> {
    let arena = Arena::new();
    let root = parse_document(&arena, source, &options());
    root.children()
        .map(|node| {
            let name = format!("{:?}", node.data().value);
            name.split(['(', ' ']).next().unwrap_or_default().to_owned()
        })
        .collect()
}

fn say<'a>(root: &'a AstNode<'a>, out: &mut String) {
    for edge in root.traverse() {
        match edge {
            comrak::arena_tree::NodeEdge::Start(node) => start(node, out),
            comrak::arena_tree::NodeEdge::End(node) => {
                if node.first_child().is_some() || !leaf(node) {
                    trim(out);
                    out.push(')');
                }
            }
        }
    }
}

fn leaf<'a>(node: &'a AstNode<'a>) -> bool {
    matches!(
        node.data().value,
        NodeValue::Text(_)
            | NodeValue::SoftBreak
            | NodeValue::LineBreak
            | NodeValue::Code(_)
            | NodeValue::HtmlInline(_)
            | NodeValue::Math(_)
            | NodeValue::FootnoteReference(_)
            | NodeValue::CodeBlock(_)
            | NodeValue::HtmlBlock(_)
            | NodeValue::ThematicBreak
    )
}

fn trim(out: &mut String) {
    out.truncate(out.trim_end_matches(' ').len());
}

fn words(out: &mut String, text: &str) {
    for c in text.chars() {
        let c = if matches!(c, '\n' | '\t') { ' ' } else { c };
        if c != ' ' || !out.ends_with(' ') {
            out.push(c);
        }
    }
}

fn start<'a>(node: &'a AstNode<'a>, out: &mut String) {
    let data = node.data();
    let _ = match &data.value {
        NodeValue::Text(text) => {
            words(out, text);
            return;
        }
        NodeValue::SoftBreak => {
            words(out, " ");
            return;
        }
        NodeValue::LineBreak => {
            trim(out);
            write!(out, "\\n")
        }
        NodeValue::Code(code) => {
            let literal = code.literal.replace(['\n', '\t'], " ");
            write!(out, "`{literal}`")
        }
        NodeValue::HtmlInline(html) => {
            write!(out, "<<{}>>", html.replace(['\n', '\t'], " "))
        }
        NodeValue::Math(math) => {
            write!(out, "$${}:{}$$", math.display_math, math.literal)
        }
        NodeValue::FootnoteReference(note) => write!(out, "[^{}]", note.name),
        NodeValue::CodeBlock(code) => {
            let mut literal = code.literal.clone();
            if !literal.is_empty() && !literal.ends_with('\n') {
                // A fence left open at the very end.
                literal.push('\n');
            }
            write!(out, "(code {:?} {literal:?})", code.info.trim())
        }
        NodeValue::HtmlBlock(html) => {
            let lines: Vec<String> = html
                .literal
                .trim_end()
                .lines()
                .map(|line| line.trim_end().replace('\t', "    "))
                .collect();
            write!(out, "(html {})", lines.join("⏎").trim_start())
        }
        NodeValue::ThematicBreak => write!(out, "(rule)"),
        NodeValue::Heading(heading) => write!(out, "(h{} ", heading.level),
        NodeValue::List(list) => {
            write!(
                out,
                "(list {:?} {} tight={} ",
                list.list_type,
                if list.list_type == comrak::nodes::ListType::Ordered {
                    list.start
                } else {
                    0
                },
                list.tight
            )
        }
        NodeValue::TaskItem(task) => write!(out, "(task {:?} ", task.symbol),
        NodeValue::Link(link) => write!(out, "(link {:?} {:?} ", link.url, link.title),
        NodeValue::Image(link) => {
            write!(out, "(image {:?} {:?} ", link.url, link.title)
        }
        NodeValue::Table(table) => write!(out, "(table {:?} ", table.alignments),
        NodeValue::FootnoteDefinition(note) => write!(out, "(note {} ", note.name),
        NodeValue::Alert(alert) => {
            write!(out, "(alert {:?} {:?} ", alert.alert_type, alert.title)
        }
        value => {
            let name = format!("{value:?}");
            let name = name.split('(').next().unwrap_or_default();
            write!(out, "({name} ")
        }
    };
}

/// Lines that documents are put together from.
const FRAGMENTS: &[&str] = &[
    "para with *emphasis* and **strong** words",
    "a_b_c __strong__ `code  span` and ~~gone~~ H~2~O x^2^",
    "设置页面打开以后，先检查网络。",
    "mixed 之后 text with 👩‍🔧 and 👍🏽",
    "# heading",
    "### third **bold** level ###",
    "Setext *title*",
    "===",
    "---",
    "***",
    "- item one",
    "- item two",
    "+ plus",
    "* star",
    "1. first",
    "3) third",
    "10. tenth",
    "- [ ] open task",
    "- [x] done task",
    "  continued",
    "    indented",
    "      deeper",
    "> quoted text",
    "> - quoted item",
    "> > nested quote",
    "> [!NOTE]",
    "> [!WARNING] Own title",
    "```",
    "```rust",
    "~~~ text",
    "````",
    "let x = 1;",
    "| a | b |",
    "|---|:-:|",
    "| 1 | `x\\|y` |",
    "| **b** | <https://e.org/x> | extra |",
    "<div>",
    "</div>",
    "<!-- comment -->",
    "a <b>bold</b> &amp; &lt; \\* \\_",
    "two spaces  ",
    "backslash\\",
    "[inline](https://e.org/a \"title\") and ![img](src.png)",
    "<https://auto.link/x> and www.bare.org or http://plain.org/y.",
    "$x^2$ and $$y$$ but $5 and $6",
    "note[^1] here",
    "[^1]: the note",
    "1986\\. A great year",
    "word - word # word 1. word > word + word",
    "\ttabbed line",
    "trailing #",
    "![empty]() [](x)",
    "***both*** *a **b** c*",
];

/// Lines with reference links and their definitions.
const REFERENCES: &[&str] = &[
    "see [guide] and [the guide][guide]",
    "[guide]: https://e.org/g",
    "[Other One]: <https://e.org/o o> 'its title'",
    "[other  one][] ![pic][guide]",
    "arr[0] and [undefined]",
    "[guide]: https://e.org/second",
    "> [quoted]: https://e.org/q",
    "[quoted] again",
];

/// A random document; `references` adds reference links to it.
pub(crate) fn document(references: bool) -> impl Strategy<Value = String> {
    let fragments: Vec<&'static str> = if references {
        FRAGMENTS
            .iter()
            .chain(REFERENCES)
            .chain(REFERENCES)
            .copied()
            .collect()
    } else {
        FRAGMENTS.to_vec()
    };
    let line = (
        prop::sample::select(fragments),
        prop_oneof![
            6 => Just(""),
            1 => Just("  "),
            1 => Just("    "),
            1 => Just("> "),
            1 => Just("- "),
        ],
        prop_oneof![3 => Just("\n"), 2 => Just("\n\n"), 1 => Just("\n\n\n")],
    );
    prop::collection::vec(line, 0..14).prop_map(|lines| {
        let mut text = String::new();
        for (fragment, prefix, end) in lines {
            text.push_str(prefix);
            text.push_str(fragment);
            text.push_str(end);
        }
        text
    })
}
