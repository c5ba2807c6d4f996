//! Code blocks (MD-21 to MD-24).
//!
//! Body lines start at the content column with nothing else added and are never
//! wrapped, cut or padded. The fence is at least as long as its body needs, in
//! the source's character; one that was never closed is closed here.

use super::Writer;
use crate::render::highlight;
use crate::render::text::Text;
use crate::render::theme::Role;
use comrak::nodes::NodeCodeBlock;

impl Writer {
    /// Prints a code block; `opening` is its first source line from its start.
    pub(super) fn code(
        &mut self,
        out: &mut Vec<u8>,
        code: &NodeCodeBlock,
        opening: &str,
    ) {
        let fence = if code.fenced { code.fence_char } else { b'`' };
        let info = if code.fenced {
            opening
                .trim_start()
                .trim_start_matches(char::from(fence))
                .trim()
                .replace('\t', " ")
        } else {
            String::new()
        };
        let words = self.clean(&code.info);
        let language = highlight::language(&words);
        let length = longest_run(&code.literal, fence).saturating_add(1).max(3);
        let length = length.max(if code.fenced { code.fence_length } else { 0 });
        self.fence(out, fence, length, &info, language, &code.literal);
    }

    /// Prints a fence around a body that ends with a newline or is empty.
    pub(crate) fn fence(
        &mut self,
        out: &mut Vec<u8>,
        fence: u8,
        length: usize,
        info: &str,
        language: Option<&str>,
        body: &str,
    ) {
        let rule = self.palette.of(Role::Rule);
        let marks = char::from(fence).to_string().repeat(length);
        if !self.hides() {
            self.lines.plain(out, &format!("{marks}{info}"), rule);
        }
        self.body(out, language, body);
        if !self.hides() {
            self.lines.plain(out, &marks, rule);
        }
    }

    /// Prints the lines of a code body.
    pub(crate) fn body(
        &mut self,
        out: &mut Vec<u8>,
        language: Option<&str>,
        body: &str,
    ) {
        if body.is_empty() {
            return;
        }
        let body = body.strip_suffix('\n').unwrap_or(body);
        let expand = self.surface().terminal && self.lines.depth() > 0;
        let expanded;
        let body = if expand && body.contains('\t') {
            expanded = body
                .split('\n')
                .map(expand_tabs)
                .collect::<Vec<_>>()
                .join("\n");
            expanded.as_str()
        } else {
            body
        };
        let painted = language.and_then(|language| {
            highlight::paint(language, body, self.surface().theme, self.surface().paint)
        });
        let Some(runs) = painted else {
            let plain = self.palette.of(Role::Plain);
            for line in body.split('\n') {
                self.lines.plain(out, line, plain);
            }
            return;
        };
        let mut text = Text::default();
        for (piece, style) in runs {
            text.push(piece, style, 0);
        }
        let mut start = 0;
        for line in body.split('\n') {
            let end = start + line.len();
            self.lines.line(out, &text, start..end);
            start = end + 1;
        }
    }
}

/// The longest run of `mark` in a text.
pub(crate) fn longest_run(text: &str, mark: u8) -> usize {
    let bytes = text.as_bytes();
    let (mut longest, mut at) = (0, 0);
    while let Some(start) = memchr::memchr(mark, &bytes[at..]) {
        let start = at + start;
        let run = bytes[start..].iter().take_while(|&&b| b == mark).count();
        longest = longest.max(run);
        at = start + run;
    }
    longest
}

fn expand_tabs(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    for (index, part) in line.split('\t').enumerate() {
        if index > 0 {
            let column = crate::term::width::cells(&out);
            out.push_str(&"    "[column % 4..]);
        }
        out.push_str(part);
    }
    out
}
