//! Sections of the system prompt, rendered byte for byte.
//!
//! `docs/formats.md#system-parts`. What is rendered is the inside of a JSON string, already
//! escaped: text goes from the stored file into a body without being decoded,
//! and two renderings are equal exactly when their texts are.

use super::Mode;
use super::escaped::trim;
use super::warn::{Path, Warnings};
use super::wrap::Item;
use crate::json::write::canonical;
use crate::json::{Cursor, Kind, Raw, Text};
use crate::term::shortened;

/// Characters of a section's name in a notice.
const NAME: usize = 60;

/// One section of the system prompt.
#[derive(Debug, Clone)]
pub struct Section<'a> {
    content: Text<'a>,
    tag: Option<Text<'a>>,
    title: Option<Text<'a>>,
    position: Option<i32>,
}

/// The section that a request with tools carries, rendered and escaped.
pub const TOOL_USAGE: &str = "<instruction title=\\\"Tool Usage\\\">\\n\
    How to leverage the tools available to you.\\n\\n\
    - Use all the tools available to you to give the best possible answer.\\n\
    - Verify the tool name, description and parameters are correct.\\n\
    - Even if you've reasoned yourself towards a solution, use any available tool \
    to verify your answer.\\n</instruction>";

impl<'a> Section<'a> {
    pub(crate) fn read(
        cursor: &mut Cursor<'a>,
        path: &Path<'_>,
        warnings: &mut Warnings,
    ) -> Option<Self> {
        let mut content = None;
        let (mut tag, mut title, mut position) = (None, None, None);
        let kind = cursor.kind();
        if kind != Kind::Object {
            let value = cursor.take();
            warnings.absent(path, value, "a section, an object with `content`");
            return None;
        }
        cursor.object(|cursor, key| {
            let at = Path::Key(path, key);
            if key.is("content") {
                content = string(cursor.take(), &at, warnings);
            } else if key.is("tag") {
                tag = string(cursor.take(), &at, warnings);
            } else if key.is("title") {
                title = string(cursor.take(), &at, warnings);
            } else if key.is("position") {
                let value = cursor.take();
                position = value.as_i64().and_then(|n| i32::try_from(n).ok());
                if position.is_none() && !value.is_null() {
                    warnings.absent(&at, value, "a 32-bit integer");
                }
            }
        });
        let Some(content) = content else {
            warnings.push("config-value", format!("`{path}` has no `content`"));
            return None;
        };
        Some(Self {
            content,
            tag,
            title,
            position,
        })
    }

    /// Where the section sorts.
    pub fn position(&self) -> i32 {
        self.position.unwrap_or(0)
    }

    /// The section's title.
    pub fn title(&self) -> Option<Text<'a>> {
        self.title
    }

    /// What a person would call the section: its title, else its tag.
    pub fn label(&self) -> Option<Text<'a>> {
        self.title.or(self.tag)
    }

    /// What a notice calls the section (`docs/bodies.md#mends`): title, else tag, else the
    /// first line of its content, cut short.
    pub fn name(&self) -> String {
        let label = [self.title, self.tag].into_iter().flatten();
        let mut named = label.map(Text::decode).filter(|one| !one.trim().is_empty());
        let content = self.content.decode();
        // A heading names its text as a title does, so the two must be told apart.
        let plain = content.trim().trim_start_matches('#').trim_start();
        let plain = if plain.is_empty() {
            content.trim()
        } else {
            plain
        };
        cut(named.next().as_deref().unwrap_or(plain))
    }

    /// Appends the rendered section, JSON-escaped.
    pub fn render(&self, out: &mut Vec<u8>) {
        let content = canonical(self.content);
        match (self.tag.map(canonical), self.title.map(canonical)) {
            (Some(tag), title) => tagged(out, &tag, title.as_deref(), &content),
            (None, Some(title)) => {
                out.extend_from_slice(b"# ");
                out.extend_from_slice(&title);
                out.extend_from_slice(b"\\n\\n");
                out.extend_from_slice(&content);
            }
            (None, None) => out.extend_from_slice(trim(&content)),
        }
    }
}

/// The first line of a text, of at most [`NAME`] characters.
pub(super) fn cut(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    shortened(line, NAME).into_owned()
}

pub(super) fn tagged(
    out: &mut Vec<u8>,
    tag: &[u8],
    title: Option<&[u8]>,
    content: &[u8],
) {
    out.push(b'<');
    out.extend_from_slice(tag);
    if let Some(title) = title {
        out.extend_from_slice(b" title=\\\"");
        attribute(out, title);
        out.extend_from_slice(b"\\\"");
    }
    out.extend_from_slice(b">\\n");
    if memchr::memchr3(b'<', b'>', b'&', content).is_none() {
        out.extend_from_slice(trim(content));
    } else {
        out.extend_from_slice(b"<![CDATA[\\n");
        let mut rest = content;
        while let Some(at) = memchr::memmem::find(rest, b"]]>") {
            out.extend_from_slice(&rest[..at]);
            out.extend_from_slice(b"]]]]><![CDATA[>");
            rest = &rest[at + 3..];
        }
        out.extend_from_slice(rest);
        out.extend_from_slice(b"\\n]]>");
    }
    out.extend_from_slice(b"\\n</");
    out.extend_from_slice(tag);
    out.push(b'>');
}

fn attribute(out: &mut Vec<u8>, title: &[u8]) {
    let mut bytes = title.iter();
    while let Some(&byte) = bytes.next() {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'\\' => match bytes.next() {
                Some(b'"') => out.extend_from_slice(b"&quot;"),
                Some(&other) => out.extend_from_slice(&[b'\\', other]),
                None => out.push(b'\\'),
            },
            _ => out.push(byte),
        }
    }
}

pub(super) fn string<'a>(
    value: Raw<'a>,
    path: &Path<'_>,
    warnings: &mut Warnings,
) -> Option<Text<'a>> {
    let text = value.as_text();
    if text.is_none() && !value.is_null() {
        warnings.absent(path, value, "a string");
    }
    text
}

/// Appends a field so that two lists of fields are equal only if all fields are.
pub(super) fn field(out: &mut Vec<u8>, text: Option<Text<'_>>) {
    if let Some(text) = text {
        crate::json::write::text(out, text);
    }
    out.push(b',');
}

pub(super) fn number(out: &mut Vec<u8>, position: Option<i32>, mode: Mode) {
    let position = match mode {
        Mode::Jp => position,
        Mode::Convo => Some(position.unwrap_or(0)),
    };
    out.extend_from_slice(format!("{position:?},").as_bytes());
}

impl Item for Section<'_> {
    fn identity(&self, out: &mut Vec<u8>, mode: Mode) {
        for text in [Some(self.content), self.tag, self.title] {
            field(out, text);
        }
        number(out, self.position, mode);
    }

    fn fill(&mut self) {
        self.position.get_or_insert(0);
    }
}
