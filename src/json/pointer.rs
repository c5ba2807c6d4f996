//! JSON Pointers (RFC 6901): from a byte to its path, and from steps to text.
//!
//! [`at`] works on bytes that need not be well formed past the place asked for,
//! so that a syntax error can be located too. It is for messages, not for hot
//! paths.

use super::raw::string_end;
use super::{Raw, Text};
use std::collections::HashMap;
use std::fmt::Write;

/// Appends one step to a pointer, escaping `~` and `/`.
pub fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
}

/// Appends an array index to a pointer.
pub fn push_index(pointer: &mut String, index: usize) {
    let _ = write!(pointer, "/{index}");
}

/// The value a pointer leads to, or `None`.
pub fn resolve<'a>(root: Raw<'a>, pointer: &str) -> Option<Raw<'a>> {
    pointer.split('/').skip(1).try_fold(root, |value, step| {
        let key = step.replace("~1", "/").replace("~0", "~");
        match value.as_array() {
            Some(mut elements) => elements.nth(key.parse().ok()?),
            None => value.get(&key),
        }
    })
}

/// Every value within `depth` levels of `root`, by its pointer. Of duplicate keys
/// the last counts.
pub fn index(root: Raw<'_>, depth: usize) -> HashMap<String, Raw<'_>> {
    let mut found = HashMap::new();
    let mut open = vec![(String::new(), root, 0)];
    while let Some((path, value, level)) = open.pop() {
        if level < depth {
            for (key, inner) in value.as_object().into_iter().flatten() {
                let mut path = path.clone();
                push_key(&mut path, &key.decode());
                open.push((path, inner, level + 1));
            }
            for (place, inner) in value.as_array().into_iter().flatten().enumerate() {
                let mut path = path.clone();
                push_index(&mut path, place);
                open.push((path, inner, level + 1));
            }
        }
        // The stack hands the last of duplicates out first.
        found.entry(path).or_insert(value);
    }
    found
}

#[derive(Debug)]
enum Open<'a> {
    Array(usize),
    Object {
        key: Option<Text<'a>>,
        in_value: bool,
    },
}

/// The pointer to the innermost value that holds byte `offset` of `bytes`.
pub fn at(bytes: &[u8], offset: usize) -> String {
    Locator::new(bytes).path(offset)
}

/// Finds the pointers of several bytes in one pass.
#[derive(Debug)]
pub struct Locator<'a> {
    bytes: &'a [u8],
    pos: usize,
    open: Vec<Open<'a>>,
}

impl<'a> Locator<'a> {
    /// A locator at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            pos: 0,
            open: Vec::new(),
        }
    }

    /// The pointer to the innermost value that holds byte `offset`, which must not
    /// lie before the one asked for last.
    ///
    /// White space and punctuation belong to the container they stand in, a key to
    /// its value.
    pub fn path(&mut self, offset: usize) -> String {
        self.advance(offset);
        let mut pointer = String::new();
        for step in &self.open {
            match step {
                Open::Array(index) => push_index(&mut pointer, *index),
                Open::Object { key: Some(key), .. } => {
                    push_key(&mut pointer, &key.decode());
                }
                Open::Object { key: None, .. } => {}
            }
        }
        pointer
    }

    fn advance(&mut self, offset: usize) {
        let bytes = self.bytes;
        while self.pos < offset.min(bytes.len()) {
            match bytes[self.pos] {
                b'"' => {
                    let end = string_end(bytes, self.pos);
                    if let Some(Open::Object { key, in_value }) = self.open.last_mut()
                        && !*in_value
                    {
                        *key = Raw::checked(&bytes[self.pos..end]).as_text();
                    }
                    if end > offset {
                        return;
                    }
                    self.pos = end;
                    continue;
                }
                b'[' => self.open.push(Open::Array(0)),
                b'{' => self.open.push(Open::Object {
                    key: None,
                    in_value: false,
                }),
                b']' | b'}' => {
                    self.open.pop();
                }
                b':' => {
                    if let Some(Open::Object { in_value, .. }) = self.open.last_mut() {
                        *in_value = true;
                    }
                }
                b',' => match self.open.last_mut() {
                    Some(Open::Array(index)) => *index += 1,
                    Some(Open::Object { key, in_value }) => {
                        *key = None;
                        *in_value = false;
                    }
                    None => {}
                },
                _ => {}
            }
            self.pos += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_found_by_its_byte() {
        let text = r#"{"a/b":[10,{"~":"x,]y"}],"c":{}}"#;
        for (needle, expected) in
            [("10", "/a~1b/0"), ("x,]y", "/a~1b/1/~0"), ("{}", "/c")]
        {
            let offset = text.find(needle).expect("in the text");
            assert_eq!(at(text.as_bytes(), offset), expected, "{needle}");
            let root = Raw::parse(text.as_bytes()).expect("a value");
            assert!(resolve(root, expected).is_some(), "{expected}");
        }
    }

    #[test]
    fn the_index_holds_every_value_and_the_last_of_duplicates() {
        let text = r#"{"a":[1,{"b":2}],"a":[3],"c":{"d":{"e":4}}}"#;
        let root = Raw::parse(text.as_bytes()).expect("a value");
        let index = index(root, 2);
        for pointer in ["", "/a", "/a/0", "/c", "/c/d"] {
            assert_eq!(
                index.get(pointer).copied(),
                resolve(root, pointer),
                "{pointer}"
            );
        }
        assert!(!index.contains_key("/c/d/e"));
    }

    #[test]
    fn broken_text_still_has_a_path() {
        assert_eq!(at(br#"[{"type":"x"},{"type" 5"#, 22), "/1/type");
        assert_eq!(at(br#"{"events":[1,2,"#, 15), "/events/2");
    }
}
