//! Descending into a checked value so that every byte is passed once.
//!
//! [`Raw`]'s iterators find the end of a member before they hand it out, so a
//! walk five levels deep passes the bytes five times. A [`Cursor`] goes into the
//! member instead and comes out at its end. Use it where a large object is read
//! for a few fields at known places (a configuration); use [`Raw`] everywhere
//! else. Whoever walks decides what a repeated key means.

use super::raw::{Kind, Raw, skip_space, string_end, value_end};
use super::text::Text;

/// A place in checked bytes, before a value.
#[derive(Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    pos: usize,
}

impl<'a> Cursor<'a> {
    /// A cursor before `value`.
    pub fn new(value: Raw<'a>) -> Self {
        Self {
            bytes: value.bytes(),
            pos: 0,
        }
    }

    /// The kind of the value that comes next.
    pub fn kind(&self) -> Kind {
        Raw::checked(self.bytes.get(self.pos..).unwrap_or_default()).kind()
    }

    /// Takes the next value whole.
    pub fn take(&mut self) -> Raw<'a> {
        let start = self.pos;
        self.pos = value_end(self.bytes, start);
        Raw::checked(self.bytes.get(start..self.pos).unwrap_or_default())
    }

    /// Enters the next value and calls `visit` before each member's value.
    ///
    /// A value that `visit` does not take is passed over. Returns whether there
    /// was an object; anything else is taken and dropped.
    pub fn object(&mut self, mut visit: impl FnMut(&mut Self, Text<'a>)) -> bool {
        if self.kind() != Kind::Object {
            self.take();
            return false;
        }
        self.pos += 1;
        loop {
            let key = skip_space(self.bytes, self.pos);
            if self.bytes.get(key) != Some(&b'"') {
                self.pos = key + 1;
                return true;
            }
            let end = string_end(self.bytes, key);
            let name = Raw::checked(&self.bytes[key..end]);
            self.pos = skip_space(self.bytes, skip_space(self.bytes, end) + 1);
            let Some(name) = name.as_text() else {
                return true;
            };
            self.item(|cursor| visit(cursor, name));
        }
    }

    /// Enters the next value and calls `visit` before each element.
    ///
    /// As [`Cursor::object`], for arrays.
    pub fn array(&mut self, mut visit: impl FnMut(&mut Self)) -> bool {
        if self.kind() != Kind::Array {
            self.take();
            return false;
        }
        self.pos += 1;
        loop {
            self.pos = skip_space(self.bytes, self.pos);
            if matches!(self.bytes.get(self.pos), None | Some(b']')) {
                self.pos += 1;
                return true;
            }
            self.item(&mut visit);
        }
    }

    fn item(&mut self, visit: impl FnOnce(&mut Self)) {
        let before = self.pos;
        visit(self);
        if self.pos == before {
            self.take();
        }
        let next = skip_space(self.bytes, self.pos);
        self.pos = next + usize::from(self.bytes.get(next) == Some(&b','));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_entered_taken_or_passed_over() {
        let text = r#" {"a":{"x":[1,2],"y":"]"} , "b":[ {"c":1}, 7 ],"d":null} "#;
        let mut cursor = Cursor::new(Raw::parse(text.as_bytes()).expect("a value"));
        let mut seen = Vec::new();
        cursor.object(|cursor, key| match &*key.decode() {
            "a" => {
                cursor.object(|cursor, key| {
                    if key.is("y") {
                        seen.push(format!("{:?}", cursor.take()));
                    }
                });
            }
            "b" => {
                cursor.array(|cursor| {
                    let kind = cursor.kind();
                    seen.push(kind.name().to_string());
                    cursor
                        .object(|cursor, _| seen.push(format!("{:?}", cursor.take())));
                });
            }
            key => seen.push(key.to_string()),
        });
        assert_eq!(seen, ["\"]\"", "an object", "1", "a number", "d"]);
        assert_eq!(cursor.kind(), Kind::Null, "nothing is left");
    }
}
