//! Syntax highlighting of code, loaded when first needed.
//!
//! The grammars and themes are `bat`'s; nothing of them is unpacked before a
//! block with a known language is printed in colour. Large blocks and long lines
//! stay plain (SE-14), and so does a language nobody knows (MD-24).

use super::theme::{Theme, lower};
use crate::term::Paint;
use anstyle::{Ansi256Color, AnsiColor, Color, Effects, RgbColor, Style};
use std::sync::OnceLock;
use syntect::highlighting::{FontStyle, Highlighter};
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxSet};
use two_face::theme::{EmbeddedLazyThemeSet, EmbeddedThemeName};

/// Larger blocks are not highlighted.
const LARGEST: usize = 256 << 10;
/// Nor are blocks with a longer line.
const LONGEST: usize = 4 << 10;

/// The language an info string names (SE-15).
pub fn language(info: &str) -> Option<&str> {
    let word = info.split_whitespace().next()?;
    let word = word.split([',', '{']).next()?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"_+#.-".contains(&b);
    ((1..=32).contains(&word.len()) && word.bytes().all(plain)).then_some(word)
}

fn syntaxes() -> &'static SyntaxSet {
    static SYNTAXES: OnceLock<SyntaxSet> = OnceLock::new();
    SYNTAXES.get_or_init(two_face::syntax::extra_newlines)
}

fn themes() -> &'static EmbeddedLazyThemeSet {
    static THEMES: OnceLock<EmbeddedLazyThemeSet> = OnceLock::new();
    THEMES.get_or_init(two_face::theme::extra)
}

/// The pieces of a code body with their styles, or `None` to leave it plain.
pub fn paint<'a>(
    language: &str,
    body: &'a str,
    theme: Theme,
    paint: Paint,
) -> Option<Vec<(&'a str, Style)>> {
    let Paint::Colours(depth) = paint else {
        return None;
    };
    let name = match theme {
        Theme::Plain => return None,
        Theme::Ansi => EmbeddedThemeName::Ansi,
        Theme::Light => EmbeddedThemeName::Github,
        Theme::Dark => EmbeddedThemeName::MonokaiExtended,
    };
    if body.len() > LARGEST || body.split('\n').any(|line| line.len() > LONGEST) {
        return None;
    }
    let syntaxes = syntaxes();
    let syntax = syntaxes.find_syntax_by_token(language)?;
    let highlighter = Highlighter::new(themes().get(name));
    let mut parse = ParseState::new(syntax);
    let mut state =
        syntect::highlighting::HighlightState::new(&highlighter, ScopeStack::new());
    let mut pieces = Vec::new();
    let mut line_buffer = String::new();
    for line in body.split_inclusive('\n') {
        // Grammars want the newline; the last line of a body has none.
        line_buffer.clear();
        line_buffer.push_str(line.trim_end_matches('\n'));
        line_buffer.push('\n');
        let changes = parse.parse_line(&line_buffer, syntaxes).ok()?;
        let styled = syntect::highlighting::HighlightIterator::new(
            &mut state,
            &changes,
            &line_buffer,
            &highlighter,
        );
        let mut at = 0;
        for (style, piece) in styled {
            let end = (at + piece.len()).min(line.len());
            if end > at {
                let style = if piece == "\n" {
                    Style::new()
                } else {
                    convert(style, depth)
                };
                pieces.push((&line[at..end], style));
            }
            at = end;
        }
    }
    Some(pieces)
}

/// Classes of code, by the scopes that belong to each; the first that fits counts.
const CLASSES: [(&str, &[&str]); 9] = [
    ("c", &["comment"]),
    ("n", &["constant"]),
    ("s", &["string"]),
    ("i", &["markup.inserted"]),
    ("d", &["markup.deleted"]),
    (
        "k",
        &["keyword", "storage", "entity.name.tag", "markup.heading"],
    ),
    (
        "f",
        &[
            "entity.name.function",
            "support.function",
            "variable.function",
        ],
    ),
    ("t", &["entity.name", "support", "entity.other"]),
    ("v", &["variable"]),
];

fn class(stack: &ScopeStack) -> &'static str {
    static SCOPES: OnceLock<Vec<(&str, Vec<Scope>)>> = OnceLock::new();
    let scopes = SCOPES.get_or_init(|| {
        let scope = |name: &&str| Scope::new(name).ok();
        let class = |(name, list): (_, &[&str])| {
            (name, list.iter().filter_map(scope).collect())
        };
        CLASSES.into_iter().map(class).collect()
    });
    let of = |one: &Scope| {
        let holds =
            |list: &Vec<Scope>| list.iter().any(|scope| scope.is_prefix_of(*one));
        scopes
            .iter()
            .find(|(_, list)| holds(list))
            .map(|(name, _)| *name)
    };
    stack
        .as_slice()
        .iter()
        .rev()
        .find_map(of)
        .unwrap_or_default()
}

/// The pieces of a code body with the class of each, empty for plain text; or `None`
/// to leave it plain. For pages, where a style sheet knows the colours.
pub fn classes<'a>(
    language: &str,
    body: &'a str,
) -> Option<Vec<(&'a str, &'static str)>> {
    if language.is_empty()
        || body.len() > LARGEST
        || body.split('\n').any(|line| line.len() > LONGEST)
    {
        return None;
    }
    let syntaxes = syntaxes();
    let syntax = syntaxes.find_syntax_by_token(language)?;
    let mut parse = ParseState::new(syntax);
    let mut stack = ScopeStack::new();
    let mut pieces: Vec<(usize, usize, &'static str)> = Vec::new();
    let mut push = |from: usize, to: usize, class| match pieces.last_mut() {
        _ if from == to => {}
        Some((_, end, last)) if *last == class => *end = to,
        _ => pieces.push((from, to, class)),
    };
    let mut line_buffer = String::new();
    let mut start = 0;
    for line in body.split_inclusive('\n') {
        line_buffer.clear();
        line_buffer.push_str(line.trim_end_matches('\n'));
        line_buffer.push('\n');
        let mut at = 0;
        for (place, change) in parse.parse_line(&line_buffer, syntaxes).ok()? {
            let to = place.min(line.len()).max(at);
            push(start + at, start + to, class(&stack));
            at = to;
            stack.apply(&change).ok()?;
        }
        push(start + at, start + line.len(), class(&stack));
        start += line.len();
    }
    let pieces = pieces.into_iter();
    Some(
        pieces
            .map(|(from, to, class)| (&body[from..to], class))
            .collect(),
    )
}

/// A syntect style; an alpha of 0 marks a palette number, of 1 the terminal's
/// own foreground.
fn convert(style: syntect::highlighting::Style, depth: crate::term::Depth) -> Style {
    let colour = style.foreground;
    let foreground = match colour.a {
        0 => match colour.r {
            index @ 0..=7 => Some(Color::Ansi(ANSI[index as usize])),
            index => Some(Color::Ansi256(Ansi256Color(index))),
        },
        1 => None,
        _ => Some(Color::Rgb(RgbColor(colour.r, colour.g, colour.b))),
    };
    let mut effects = Effects::new();
    for (flag, effect) in [
        (FontStyle::BOLD, Effects::BOLD),
        (FontStyle::ITALIC, Effects::ITALIC),
        (FontStyle::UNDERLINE, Effects::UNDERLINE),
    ] {
        if style.font_style.contains(flag) {
            effects |= effect;
        }
    }
    Style::new()
        .fg_color(foreground.map(|colour| lower(colour, depth)))
        .effects(effects)
}

const ANSI: [AnsiColor; 8] = [
    AnsiColor::Black,
    AnsiColor::Red,
    AnsiColor::Green,
    AnsiColor::Yellow,
    AnsiColor::Blue,
    AnsiColor::Magenta,
    AnsiColor::Cyan,
    AnsiColor::White,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Depth;

    #[test]
    fn se_15_languages_are_short_plain_words() {
        assert_eq!(language("rust"), Some("rust"));
        assert_eq!(language("rust,ignore title"), Some("rust"));
        assert_eq!(language("c++"), Some("c++"));
        assert_eq!(language(""), None);
        assert_eq!(language("<b>"), None);
        assert_eq!(language(&"x".repeat(33)), None);
    }

    #[test]
    fn md_24_known_languages_are_painted_and_keep_their_bytes() {
        let colours = Paint::Colours(Depth::Ansi);
        let body = "fn main() {\n    let x = \"é\";\n}";
        for theme in [Theme::Ansi, Theme::Light, Theme::Dark] {
            let pieces = paint("rust", body, theme, colours).expect("known");
            let joined: String = pieces.iter().map(|piece| piece.0).collect();
            assert_eq!(joined, body);
            assert!(pieces.iter().any(|piece| !piece.1.is_plain()));
        }
        assert!(paint("no-such-language", body, Theme::Ansi, colours).is_none());
        assert!(paint("rust", body, Theme::Ansi, Paint::None).is_none());
    }

    #[test]
    fn classes_keep_every_byte() {
        let body = "fn main() {\n    // é\n    let x = \"y\";\n}";
        let pieces = classes("rust", body).expect("known");
        let joined: String = pieces.iter().map(|piece| piece.0).collect();
        assert_eq!(joined, body);
        for class in ["k", "c", "s", "f"] {
            assert!(
                pieces.iter().any(|piece| piece.1 == class),
                "{class}: {pieces:?}"
            );
        }
        assert!(classes("no-such-language", body).is_none());
    }

    #[test]
    fn se_14_large_blocks_stay_plain() {
        let colours = Paint::Colours(Depth::Ansi);
        let line = "x".repeat(LONGEST + 1);
        assert!(paint("rust", &line, Theme::Ansi, colours).is_none());
        let block = "x\n".repeat(LARGEST);
        assert!(paint("rust", &block, Theme::Ansi, colours).is_none());
    }
}
