//! A tool call: its header and parameters (TL-1 to TL-3).
//!
//! Arguments that say nothing (`null`, `{}`, `[]`) are dropped first. A custom
//! style is never run: the output stored with the call is shown, and where there
//! is none, the arguments as JSON (TL-2).

use super::limits::DEFAULT_LINES;
use super::result;
use super::style::{ShowParameters, ToolStyle};
use crate::json::{Raw, write};
use crate::render::lines::Lines;
use crate::render::pretty::pretty;
use crate::render::surface::Surface;
use crate::render::text::Text;
use crate::render::theme::Role;
use crate::render::wrap::{Widths, wrap};
use crate::term::Paint;
use crate::term::clean::{Removed, Rules, clean, clean_keeping_sgr};

/// A call, ready to be shown.
#[derive(Debug)]
pub struct Call<'c> {
    /// The tool's name on one line.
    pub name: &'c str,
    /// The arguments in plain spelling, an object.
    pub arguments: &'c [u8],
    /// The stored output of a formatter.
    pub rendered: Option<&'c str>,
}

/// Writes a call; says whether anything stands below its header line.
pub fn write(
    out: &mut Vec<u8>,
    call: &Call<'_>,
    style: ToolStyle,
    surface: &Surface,
    rules: Rules,
    removed: &mut Removed,
) -> bool {
    let mut lines = Lines::new(surface);
    let kept: Vec<(String, Raw<'_>)> = Raw::checked(call.arguments)
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, value)| !matches!(value.bytes(), b"null" | b"{}" | b"[]"))
        .map(|(key, value)| (key.decode().into_owned(), value))
        .collect();
    let mut parameters = style.parameters;
    // What a formatter would have shortened is cut like a result (TL-2).
    let uncut = parameters != ShowParameters::Custom;
    if parameters == ShowParameters::Custom && call.rendered.is_none() {
        parameters = ShowParameters::Json;
    }
    if kept.is_empty() && parameters != ShowParameters::Custom {
        parameters = ShowParameters::Off;
    }
    if parameters == ShowParameters::FunctionCall {
        function_call(out, &mut lines, call, style, &kept, rules, removed);
        return false;
    }
    if style.header {
        let mut text = Text::default();
        text.push("Calling tool ", lines.style(Role::Plain), 0);
        text.push(call.name, lines.style(Role::Tool), 0);
        text.atoms.push(0..text.string.len());
        if parameters == ShowParameters::Json {
            text.push(" with arguments:", lines.style(Role::Plain), 0);
        }
        prose(out, &mut lines, &text);
    }
    if parameters == ShowParameters::Off {
        return false;
    }
    if style.header {
        lines.blank(out);
    }
    match (parameters, call.rendered) {
        (ShowParameters::Custom, Some(rendered)) => {
            let rendered = rendered.trim();
            verbatim(out, &mut lines, rendered, rules, removed);
        }
        _ => {
            let mut json = Vec::new();
            for (key, value) in &kept {
                json.push(if json.is_empty() { b'{' } else { b',' });
                write::string(&mut json, key);
                json.push(b':');
                json.extend_from_slice(value.bytes());
            }
            json.push(b'}');
            let mut body = Vec::new();
            pretty(&mut body, &json);
            body.push(b'\n');
            let body = String::from_utf8_lossy(&body);
            result::Block {
                surface,
                rules,
                limit: (!uncut).then_some(DEFAULT_LINES),
                number: 0,
            }
            .fence(out, "json", &body, removed);
        }
    }
    true
}

fn prose(out: &mut Vec<u8>, lines: &mut Lines, text: &Text) {
    let widths = Widths {
        columns: lines.prose(),
        split_atoms: false,
    };
    wrap(text, widths, |range| lines.line(out, text, range));
}

fn function_call(
    out: &mut Vec<u8>,
    lines: &mut Lines,
    call: &Call<'_>,
    style: ToolStyle,
    kept: &[(String, Raw<'_>)],
    rules: Rules,
    removed: &mut Removed,
) {
    let (plain, dim) = (lines.style(Role::Plain), lines.style(Role::Dim));
    let mut text = Text::default();
    if style.header {
        text.push("Calling tool ", plain, 0);
    }
    // A call is broken behind a comma, never before its name.
    let mut start = 0;
    if style.header {
        text.push(call.name, lines.style(Role::Tool), 0);
    }
    text.push("(", plain, 0);
    for (index, (key, value)) in kept.iter().enumerate() {
        let key = clean(key, rules, removed).replace(['\n', '\t'], " ");
        text.push(&key, dim, 0);
        text.push(": ", plain, 0);
        let value = String::from_utf8_lossy(value.bytes());
        let value = clean(&value, rules, removed).replace('\n', " ");
        text.push(&value, plain, 0);
        let last = index + 1 == kept.len();
        text.push(if last { ")" } else { "," }, plain, 0);
        text.atoms.push(start..text.string.len());
        if !last {
            text.push(" ", plain, 0);
        }
        start = text.string.len();
    }
    lines.open("", "  ", plain);
    prose(out, lines, &text);
    lines.close();
}

/// Writes text as it is, colours and weights of its own kept (SE-4, TL-18).
pub fn verbatim(
    out: &mut Vec<u8>,
    lines: &mut Lines,
    text: &str,
    rules: Rules,
    removed: &mut Removed,
) {
    let text = coloured(text, lines, rules, removed);
    whole_lines(out, lines, &text);
}

/// Cleaned text with the colours of its own that the stream shows.
pub fn coloured(
    text: &str,
    lines: &Lines,
    rules: Rules,
    removed: &mut Removed,
) -> Text {
    if lines.surface.paint == Paint::None {
        let cleaned = clean_plain(text, rules, removed);
        return Text::styled(cleaned, lines.style(Role::Plain));
    }
    let (string, runs) = clean_keeping_sgr(text, rules, removed);
    let mut coloured = Text::default();
    let mut style = lines.style(Role::Plain);
    let mut at = 0;
    for (change, next) in runs.changes {
        coloured.push(&string[at..change], style, 0);
        style = lines.fit(next);
        at = change;
    }
    coloured.push(&string[at..], style, 0);
    coloured
}

/// Without colour a weight or colour of the text is nothing removed: it is told
/// in neither case, so that both streams' notices agree.
fn clean_plain(text: &str, rules: Rules, removed: &mut Removed) -> String {
    clean_keeping_sgr(text, rules, removed).0
}

/// Writes every line of a text, unwrapped.
pub fn whole_lines(out: &mut Vec<u8>, lines: &mut Lines, text: &Text) {
    let mut start = 0;
    for line in text.string.split('\n') {
        let end = start + line.len();
        lines.line(out, text, start..end);
        start = end + 1;
    }
}
