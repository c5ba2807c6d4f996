//! Rendering in process, and reading what came out.

use convo::block::Encoding;
use convo::config::{Config, Mode, Warnings};
use convo::error::Diagnostic;
use convo::event::{Event, EventKind};
use convo::json::Raw;
use convo::render::lines::Lines;
use convo::render::markdown::Message;
use convo::render::surface::Surface;
use convo::render::{Channel, Pieces, Replay, Settings};
use convo::term::clean::Rules;
use convo::term::width::cells;
use convo::term::{Depth, Paint};

/// A pipe of this width.
pub(crate) fn pipe(columns: usize) -> Surface {
    Surface {
        columns,
        ..Surface::default()
    }
}

/// A surface with colours.
pub(crate) fn coloured(columns: usize) -> Surface {
    Surface {
        paint: Paint::Colours(Depth::Indexed),
        ..pipe(columns)
    }
}

/// One message, all at once.
pub(crate) fn message(source: &str, surface: &Surface) -> String {
    pieces_of(&[source.as_bytes()], surface)
}

/// One message, piece by piece, committed after each.
pub(crate) fn pieces_of(pieces: &[&[u8]], surface: &Surface) -> String {
    let mut message = Message::new(Lines::new(surface), Rules::default(), 1, false);
    let mut out = Vec::new();
    for piece in pieces {
        message.push(piece);
        message.commit(&mut out);
    }
    message.finish(&mut out);
    String::from_utf8(out).expect("output is UTF-8")
}

/// One message without commits in between: the way of a replay.
pub(crate) fn at_once(source: &str, surface: &Surface) -> String {
    let mut message = Message::new(Lines::new(surface), Rules::default(), 1, false);
    let mut out = Vec::new();
    message.push(source.as_bytes());
    message.finish(&mut out);
    String::from_utf8(out).expect("output is UTF-8")
}

/// What a conversation looks like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Screen {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) both: String,
    pub(crate) told: Vec<String>,
}

/// Renders entries under a base configuration, both JSON, plain encoding.
pub(crate) fn screen(base: &str, entries: &str, settings: &Settings) -> Screen {
    replay(base, entries, settings, Encoding::Plain, false)
}

/// Renders entries; with `live`, flushing after each.
pub(crate) fn replay(
    base: &str,
    entries: &str,
    settings: &Settings,
    encoding: Encoding,
    live: bool,
) -> Screen {
    let entries = Raw::parse(entries.as_bytes()).expect("entries are JSON");
    let base = Raw::parse(base.as_bytes()).expect("the base is JSON");
    let mut warnings = Warnings::default();
    let mut config = Config::new(Some(base), Mode::Convo, &mut warnings);
    let mut replay = Replay::new(settings, encoding);
    let (mut pieces, mut told) = (Pieces::default(), Vec::new());
    for raw in entries.as_array().expect("an array") {
        let event = Event::read(raw).expect("an entry");
        if event.kind() == EventKind::ConfigDelta {
            config.apply(event.raw(), &mut warnings);
        }
        replay.event(&event, &config, &mut pieces, &mut told);
        if live {
            replay.flush(&mut pieces);
        }
    }
    replay.finish(&mut pieces, &mut told);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
    let words = |d: &Diagnostic| format!("{}{}", d.position, d.message);
    Screen {
        out: text(pieces.of(Channel::Speech)),
        err: text(pieces.of(Channel::Chrome)),
        both: text(pieces.bytes.clone()),
        told: told.iter().map(words).collect(),
    }
}

/// The text without escape sequences of ours.
pub(crate) fn strip(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        rest = if let Some(csi) = rest.strip_prefix('[') {
            let end = csi.find(|c: char| ('@'..='~').contains(&c));
            &csi[end.expect("a CSI ends") + 1..]
        } else {
            let osc = rest.strip_prefix(']').expect("CSI or OSC");
            &osc[osc.find("\u{1b}\\").expect("an OSC ends") + 2..]
        };
    }
    out.push_str(rest);
    out
}

/// Lines wider than `columns`, escapes aside.
pub(crate) fn wide_lines(text: &str, columns: usize) -> Vec<String> {
    let text = strip(text);
    let wide = text.lines().filter(|line| cells(line) > columns);
    wide.map(str::to_owned).collect()
}

/// SE-16: nothing a terminal could act on.
#[track_caller]
pub(crate) fn assert_inert(text: &str) {
    for c in text.chars() {
        let fine = matches!(c, '\n' | '\t')
            || !(c < ' ' || ('\u{7f}'..='\u{9f}').contains(&c));
        assert!(fine, "{c:?} in {text:?}");
    }
}

/// MD-W4: no attribute or hyperlink is active at a newline.
#[track_caller]
pub(crate) fn assert_closed_lines(text: &str) {
    for line in text.split('\n') {
        let (mut styled, mut linked) = (false, false);
        let mut rest = line;
        while let Some(at) = rest.find('\u{1b}') {
            rest = &rest[at + 1..];
            if let Some(csi) = rest.strip_prefix('[') {
                let end = csi.find(|c: char| ('@'..='~').contains(&c));
                let end = end.expect("a CSI ends");
                if csi[end..].starts_with('m') {
                    styled = !matches!(&csi[..end], "0" | "");
                }
            } else if let Some(osc) = rest.strip_prefix("]8;") {
                let end = osc.find("\u{1b}\\").expect("an OSC ends");
                linked = !osc[..end].ends_with(';');
                rest = &osc[end + 2..];
            }
        }
        assert!(!styled && !linked, "left open: {line:?}");
    }
}

/// Fails at the first place where two long texts differ, and shows only that.
#[track_caller]
pub(crate) fn assert_same(left: &str, right: &str, what: &str) {
    let at = left
        .char_indices()
        .zip(right.chars())
        .find(|((_, a), b)| a != b)
        .map_or(left.len().min(right.len()), |((at, _), _)| at);
    let around = |text: &str| -> String {
        let from = text[..at.min(text.len())]
            .char_indices()
            .rev()
            .nth(80)
            .map_or(0, |(at, _)| at);
        text[from..].chars().take(200).collect()
    };
    assert!(
        left == right,
        "{what}: they differ:\n{}\n--- and ---\n{}",
        around(left),
        around(right)
    );
}
