//! Instructions: a title, a description, items and examples in one section.
//!
//! `docs/formats.md#system-parts`. An instruction renders as a section tagged `instruction`;
//! it is escaped text from the start, as in [`super::section`].

use super::Mode;
use super::escaped::trim_end;
use super::section::{cut, field, number, string, tagged};
use super::warn::{Path, Warnings};
use super::wrap::Item;
use crate::json::write::canonical;
use crate::json::{Cursor, Kind, Raw, Text};

/// One instruction; it renders as a section tagged `instruction`.
#[derive(Debug, Clone, Default)]
pub struct Instruction<'a> {
    title: Option<Text<'a>>,
    description: Option<Text<'a>>,
    items: Option<Vec<Text<'a>>>,
    examples: Option<Vec<Example<'a>>>,
    position: Option<i32>,
}

#[derive(Debug, Clone)]
enum Example<'a> {
    Text(Text<'a>),
    Contrast {
        good: Text<'a>,
        bad: Text<'a>,
        reason: Option<Text<'a>>,
    },
}

impl<'a> Instruction<'a> {
    pub(crate) fn read(
        cursor: &mut Cursor<'a>,
        path: &Path<'_>,
        warnings: &mut Warnings,
    ) -> Option<Self> {
        let mut read = Self::default();
        if cursor.kind() != Kind::Object {
            warnings.absent(path, cursor.take(), "an instruction, an object");
            return None;
        }
        cursor.object(|cursor, key| {
            let at = Path::Key(path, key);
            if key.is("title") {
                read.title = string(cursor.take(), &at, warnings);
            } else if key.is("description") {
                read.description = string(cursor.take(), &at, warnings);
            } else if key.is("items") {
                read.items = elements(cursor, &at, warnings, string);
            } else if key.is("examples") {
                read.examples = elements(cursor, &at, warnings, example);
            } else if key.is("position") {
                let value = cursor.take();
                // Pointer-sized where it is stored, cut to 32 bits where it sorts.
                read.position = value.as_i64().map(|n| n as i32);
                if read.position.is_none() && !value.is_null() {
                    warnings.absent(&at, value, "an integer");
                }
            }
        });
        Some(read)
    }

    /// Where the instruction sorts.
    pub fn position(&self) -> i32 {
        self.position.unwrap_or(0)
    }

    /// The instruction's title.
    pub fn title(&self) -> Option<Text<'a>> {
        self.title
    }

    /// What a notice calls the instruction: its title, else its tag, cut short.
    pub fn name(&self) -> String {
        let title = self.title.map(|title| cut(&title.decode()));
        let title = title.filter(|title| !title.is_empty());
        title.unwrap_or_else(|| "instruction".to_owned())
    }

    /// Appends the rendered instruction, JSON-escaped.
    pub fn render(&self, out: &mut Vec<u8>) {
        let mut content = Vec::new();
        let mut put = |parts: &[&[u8]]| {
            parts
                .iter()
                .for_each(|part| content.extend_from_slice(part));
        };
        if let Some(text) = self.description {
            put(&[&canonical(text), b"\\n\\n"]);
        }
        for item in self.items.iter().flatten() {
            put(&[b"- ", &canonical(*item), b"\\n"]);
        }
        let examples = self.examples.as_deref().unwrap_or_default();
        if !examples.is_empty() {
            put(&[b"\\n**Examples**\\n"]);
        }
        for example in examples {
            match example {
                Example::Text(text) => put(&[b"\\n", &canonical(*text), b"\\n"]),
                Example::Contrast { good, bad, reason } => {
                    put(&[b"\\nGood: ", &canonical(*good), b"\\n"]);
                    put(&[b"Bad: ", &canonical(*bad), b"\\n"]);
                    if let Some(reason) = reason {
                        put(&[b"Reason: ", &canonical(*reason), b"\\n"]);
                    }
                }
            }
        }
        let title = self.title.map(canonical);
        tagged(out, b"instruction", title.as_deref(), trim_end(&content));
    }
}

fn elements<'a, T>(
    cursor: &mut Cursor<'a>,
    path: &Path<'_>,
    warnings: &mut Warnings,
    read: fn(Raw<'a>, &Path<'_>, &mut Warnings) -> Option<T>,
) -> Option<Vec<T>> {
    if cursor.kind() != Kind::Array {
        let value = cursor.take();
        if !value.is_null() {
            warnings.absent(path, value, "an array");
        }
        return None;
    }
    let mut list = Vec::new();
    let mut index = 0;
    cursor.array(|cursor| {
        list.extend(read(cursor.take(), &Path::Index(path, index), warnings));
        index += 1;
    });
    Some(list)
}

fn example<'a>(
    value: Raw<'a>,
    path: &Path<'_>,
    warnings: &mut Warnings,
) -> Option<Example<'a>> {
    let field = |key| value.get(key).and_then(Raw::as_text);
    let read = match (value.as_text(), field("good"), field("bad")) {
        (Some(text), ..) => Some(Example::Text(text)),
        (None, Some(good), Some(bad)) => Some(Example::Contrast {
            good,
            bad,
            reason: field("reason"),
        }),
        _ => None,
    };
    if read.is_none() && !value.is_null() {
        warnings.absent(path, value, "a string or an object with `good` and `bad`");
    }
    read
}

impl Item for Instruction<'_> {
    fn identity(&self, out: &mut Vec<u8>, mode: Mode) {
        field(out, self.title);
        field(out, self.description);
        number(out, self.position, mode);
        let absent = |is_none: bool| mode == Mode::Jp && is_none;
        let marks = [
            absent(self.items.is_none()),
            absent(self.examples.is_none()),
        ];
        out.extend_from_slice(marks.map(|mark| b'0' + u8::from(mark)).as_slice());
        for item in self.items.iter().flatten() {
            out.push(b'-');
            field(out, Some(*item));
        }
        for example in self.examples.iter().flatten() {
            match example {
                Example::Text(text) => field(out, Some(*text)),
                Example::Contrast { good, bad, reason } => {
                    out.push(b'{');
                    for text in [Some(*good), Some(*bad), *reason] {
                        field(out, text);
                    }
                }
            }
        }
    }

    fn fill(&mut self) {
        self.position.get_or_insert(0);
        self.items.get_or_insert_default();
        self.examples.get_or_insert_default();
    }
}
