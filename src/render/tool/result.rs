//! One block of a tool result (`docs/render.md#bodies`, TL-13 to TL-18).
//!
//! What a text is decides how it is printed: markdown through the markdown
//! pipeline, JSON laid out in a fence, a fenced text in its language, everything
//! else bare. Lines are counted after that, on cleaned text (SE-13), and a note
//! says what was withheld.

use super::call::{coloured, whole_lines};
use crate::block::media;
use crate::json::Raw;
use crate::render::lines::Lines;
use crate::render::link::hyperlink;
use crate::render::markdown::{Message, Writer, longest_run};
use crate::render::pretty::pretty;
use crate::render::surface::Surface;
use crate::render::text::Text;
use crate::render::theme::Role;
use crate::term::clean::{Removed, Rules, clean, label_counting};
use crate::term::counted;
use crate::term::width::{cells, cut, fitting};
use std::borrow::Cow;

/// Columns of a line when a display is cut (TL-14).
const COLUMNS: usize = 2000;

/// With what a block is written.
#[derive(Debug)]
pub struct Block<'b> {
    /// The stream it goes to.
    pub surface: &'b Surface,
    /// How untrusted text is cleaned.
    pub rules: Rules,
    /// Lines shown; `None` for all.
    pub limit: Option<usize>,
    /// Tells its links from others'.
    pub number: u64,
}

impl Block<'_> {
    /// Writes a text block; writes nothing for an empty text.
    pub fn text(
        &self,
        out: &mut Vec<u8>,
        text: &str,
        mime: Option<&str>,
        removed: &mut Removed,
    ) {
        if media::is_markdown(mime) {
            self.markdown(out, text, removed);
        } else if let Some(json) = json(text) {
            self.fence(out, "json", &json, removed);
        } else if let Some((language, body)) = fenced(text) {
            self.fence(out, language, body, removed);
        } else if in_one_tag(text) {
            let (shown, note) = self.shown(clean(text, self.rules, removed));
            let mut writer = self.writer();
            writer.body(out, Some("xml"), &shown);
            self.note(out, note);
        } else {
            self.plain(out, text, removed);
        }
    }

    /// Writes a resource: with a text its name, then its body; else a line.
    pub fn resource(
        &self,
        out: &mut Vec<u8>,
        resource: Raw<'_>,
        removed: &mut Removed,
    ) {
        let string = |key| resource.get(key).and_then(Raw::as_str);
        let name = string("name").or_else(|| string("title"));
        let name = name.or_else(|| string("uri")).unwrap_or_default();
        let name = label_counting(&name, self.rules, self.surface.ascii, removed);
        let mime = string("mimeType");
        let mime = mime.as_deref();
        if let Some(blob) = resource.get("blob").and_then(Raw::as_text) {
            let title = string("title").or_else(|| string("name"));
            let mut words: Vec<String> =
                title.into_iter().map(Cow::into_owned).collect();
            words.push(mime.unwrap_or("binary").to_owned());
            words.push(bytes(media::decoded_size(blob)));
            let uri = string("uri").unwrap_or_default();
            self.described(out, "[", &words, &uri, removed);
            return;
        }
        let Some(text) = string("text") else {
            self.link(out, resource, removed);
            return;
        };
        let uri = string("uri").unwrap_or_default();
        match name == uri {
            true => self.place(out, "", &uri, "", removed),
            false => self.line(out, &name, removed),
        }
        if media::is_markdown(mime) {
            self.markdown(out, &text, removed);
        } else {
            let language = mime.map(language_of).unwrap_or_default();
            self.fence(out, language, &text, removed);
        }
    }

    /// Writes one line for a picture or sound: `[image/png, 12.3 KiB]`. What it
    /// holds is never decoded.
    pub fn media(
        &self,
        out: &mut Vec<u8>,
        kind: &str,
        block: Raw<'_>,
        removed: &mut Removed,
    ) {
        let mime = block.get("mimeType").and_then(Raw::as_str);
        let data = block.get("data").and_then(Raw::as_text);
        let words = [
            mime.as_deref().unwrap_or(kind).to_owned(),
            bytes(data.map_or(0, media::decoded_size)),
        ];
        self.described(out, "[", &words, "", removed);
    }

    /// Writes one line for a file that is elsewhere: title, kind, size and place.
    pub fn link(&self, out: &mut Vec<u8>, block: Raw<'_>, removed: &mut Removed) {
        let string = |key| {
            let text = block.get(key).and_then(Raw::as_str);
            text.filter(|text| !text.trim().is_empty())
        };
        let title = string("title").or_else(|| string("name"));
        let size = block.get("size").and_then(Raw::as_u64);
        let size = size.and_then(|size| usize::try_from(size).ok()).map(bytes);
        let words: Vec<String> = [title, string("mimeType")]
            .into_iter()
            .flatten()
            .map(Cow::into_owned)
            .chain(size)
            .collect();
        let uri = string("uri").unwrap_or_default();
        self.described(out, "[resource: ", &words, &uri, removed);
    }

    fn described(
        &self,
        out: &mut Vec<u8>,
        lead: &str,
        words: &[String],
        uri: &str,
        removed: &mut Removed,
    ) {
        let mut line = format!("{lead}{}", words.join(", "));
        if !uri.is_empty() && !words.is_empty() {
            line.push_str(", ");
        }
        self.place(out, &line, uri, "]", removed);
    }

    /// Writes one line of chrome with an address in it, which is clickable where
    /// that is asked for and harmless.
    fn place(
        &self,
        out: &mut Vec<u8>,
        before: &str,
        uri: &str,
        after: &str,
        removed: &mut Removed,
    ) {
        let ascii = self.surface.ascii;
        let mut lines = Lines::new(self.surface);
        let dim = lines.style(Role::Dim);
        let mut text = Text::default();
        // The space before the address is the line's own, not the label's.
        let words = label_counting(before, self.rules, ascii, removed);
        text.push(&words, dim, 0);
        if before.ends_with(' ') && !words.ends_with(' ') {
            text.push(" ", dim, 0);
        }
        let link = match self.surface.hyperlinks {
            true => hyperlink(uri, self.number, 0),
            false => None,
        };
        let link = link.map_or(0, |link| text.add_link(link));
        text.push(&label_counting(uri, self.rules, ascii, removed), dim, link);
        text.push(after, dim, 0);
        lines.line(out, &text, 0..text.string.len());
    }

    /// Writes one line of chrome.
    pub fn line(&self, out: &mut Vec<u8>, line: &str, removed: &mut Removed) {
        let line = label_counting(line, self.rules, self.surface.ascii, removed);
        let mut lines = Lines::new(self.surface);
        let dim = lines.style(Role::Dim);
        lines.plain(out, &line, dim);
    }

    fn writer(&self) -> Writer {
        Writer::new(Lines::new(self.surface), self.rules, self.number, false)
    }

    fn markdown(&self, out: &mut Vec<u8>, text: &str, removed: &mut Removed) {
        let (shown, note) = self.shown(clean(text, self.rules, removed));
        let lines = Lines::new(self.surface);
        let mut message = Message::new(lines, self.rules, self.number, false);
        message.push(shown.as_bytes());
        message.finish(out);
        self.note(out, note);
    }

    /// Writes a fence around a body, cut to the limit.
    pub(super) fn fence(
        &self,
        out: &mut Vec<u8>,
        language: &str,
        body: &str,
        removed: &mut Removed,
    ) {
        let body = clean(body, self.rules, removed);
        if body.is_empty() {
            return;
        }
        let (shown, note) = self.shown(body);
        let length = (longest_run(&shown, b'`') + 1).max(3);
        let info = clean(language, self.rules, removed).replace(['\n', '\t', '`'], " ");
        let known = crate::render::highlight::language(&info);
        self.writer()
            .fence(out, b'`', length, info.trim(), known, &shown);
        self.note(out, note);
    }

    /// Bare and unwrapped, colours of its own kept (TL-18).
    fn plain(&self, out: &mut Vec<u8>, text: &str, removed: &mut Removed) {
        let mut lines = Lines::new(self.surface);
        let mut text = coloured(text, &lines, self.rules, removed);
        if text.string.ends_with('\n') {
            let end = text.string.len() - 1;
            text = part(&text, end);
        } else if text.string.is_empty() {
            return;
        }
        let Some(limit) = self.limit else {
            whole_lines(out, &mut lines, &text);
            return;
        };
        let total = text.string.split('\n').count();
        let mut start = 0;
        for line in text.string.split('\n').take(limit) {
            let end = start + line.len();
            if line.len() > COLUMNS && cells(line) > COLUMNS {
                let mark = self.surface.ellipsis();
                let fit = fitting(line, COLUMNS - cells(mark));
                let mut cut = Text::default();
                cut.append(&text, start..start + fit);
                cut.push(mark, lines.style(Role::Dim), 0);
                lines.line(out, &cut, 0..cut.string.len());
            } else {
                lines.line(out, &text, start..end);
            }
            start = end + 1;
        }
        self.note(out, withheld(limit, total));
    }

    /// The lines to show, and the note of what is withheld.
    fn shown<'t>(&self, text: Cow<'t, str>) -> (Cow<'t, str>, Option<(usize, usize)>) {
        let Some(limit) = self.limit else {
            return (text, None);
        };
        let total = text.strip_suffix('\n').unwrap_or(&text).split('\n').count();
        let total = if text.is_empty() { 0 } else { total };
        let long = |line: &&str| line.len() > COLUMNS;
        if total <= limit && !text.split('\n').any(|line| long(&line)) {
            return (text, None);
        }
        let mark = self.surface.ellipsis();
        let mut shown = String::new();
        for line in text.split('\n').take(limit.min(total)) {
            if long(&line) {
                shown.push_str(&cut(line, COLUMNS, mark));
            } else {
                shown.push_str(line);
            }
            shown.push('\n');
        }
        (Cow::Owned(shown), withheld(limit, total))
    }

    /// `… 32 more lines (10 of 42 shown)` (TL-15).
    fn note(&self, out: &mut Vec<u8>, note: Option<(usize, usize)>) {
        let Some((limit, total)) = note else { return };
        let more = total - limit;
        let more = counted(more, "more line");
        let mark = self.surface.ellipsis();
        let line = format!("{mark} {more} ({limit} of {total} shown)");
        let mut lines = Lines::new(self.surface);
        let dim = lines.style(Role::Dim);
        lines.plain(out, &line, dim);
    }
}

fn withheld(limit: usize, total: usize) -> Option<(usize, usize)> {
    (total > limit).then_some((limit, total))
}

fn part(text: &Text, end: usize) -> Text {
    let mut part = Text::default();
    part.append(text, 0..end);
    part
}

/// The text laid out, if all of it is one JSON object or array.
fn json(text: &str) -> Option<String> {
    let trimmed = text.trim();
    let whole = trimmed.starts_with('{') && trimmed.ends_with('}')
        || trimmed.starts_with('[') && trimmed.ends_with(']');
    if !whole {
        return None;
    }
    let value = Raw::parse(trimmed.as_bytes()).ok()?;
    let mut out = Vec::new();
    pretty(&mut out, value.bytes());
    out.push(b'\n');
    String::from_utf8(out).ok()
}

/// Language and body of a text that is one fenced block. Fences inside, as a file
/// of markdown has them, are its content: they open with a language and close.
fn fenced(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let run = |line: &str| line.trim().bytes().take_while(|&b| b == b'`').count();
    let length = text.bytes().take_while(|&b| b == b'`').count();
    if length < 3 {
        return None;
    }
    let (opening, rest) = text.split_once('\n')?;
    let (body, closing) = match rest.rsplit_once('\n') {
        Some((body, closing)) => (&rest[..=body.len()], closing),
        None => ("", rest),
    };
    let bare = |line: &str| run(line) >= 3 && run(line) == line.trim().len();
    if !bare(closing) || run(closing) < length {
        return None;
    }
    // The fences that are open inside, by their length.
    let mut open: Vec<usize> = Vec::new();
    for line in body.split('\n').filter(|line| run(line) >= 3) {
        match open.last() {
            Some(&inner) if bare(line) && run(line) >= inner => {
                open.pop();
            }
            None if bare(line) && run(line) >= length => return None,
            _ if !bare(line) && !line.trim()[run(line)..].contains('`') => {
                open.push(run(line));
            }
            _ => {}
        }
    }
    open.is_empty().then(|| (opening[length..].trim(), body))
}

/// Whether a text stands in one matching pair of root tags.
fn in_one_tag(text: &str) -> bool {
    let text = text.trim();
    let Some(rest) = text.strip_prefix('<') else {
        return false;
    };
    let name = rest
        .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')))
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(name);
    let opens = rest.starts_with('>') || rest.starts_with(char::is_whitespace);
    !name.is_empty() && opens && text.ends_with(&format!("</{name}>"))
}

/// The language of a mime type, or an empty string.
fn language_of(mime: &str) -> &'static str {
    match media::language(Some(mime)) {
        "rs" => "rust",
        language => language,
    }
}

/// A size for people.
fn bytes(size: usize) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if size < 1024 {
        return format!("{size} B");
    }
    let mut value = size as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}
