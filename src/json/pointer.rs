//! JSON Pointers (RFC 6901): from a byte to its path, and from steps to text.
//!
//! [`at`] works on bytes that need not be well formed past the place asked for,
//! so that a syntax error can be located too. It is for messages, not for hot
//! paths.

use super::raw::string_end;
use super::raw::{Raw, Text};
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

enum Open<'a> {
    Array(usize),
    Object {
        key: Option<Text<'a>>,
        in_value: bool,
    },
}

/// The pointer to the innermost value that holds byte `offset` of `bytes`.
///
/// White space and punctuation belong to the container they stand in, a key to
/// its value.
pub fn at(bytes: &[u8], offset: usize) -> String {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut pos = 0;
    while pos < offset.min(bytes.len()) {
        match bytes[pos] {
            b'"' => {
                let end = string_end(bytes, pos);
                if let Some(Open::Object { key, in_value }) = open.last_mut()
                    && !*in_value
                {
                    *key = Raw::checked(&bytes[pos..end]).as_text();
                }
                if end > offset {
                    break;
                }
                pos = end;
                continue;
            }
            b'[' => open.push(Open::Array(0)),
            b'{' => open.push(Open::Object {
                key: None,
                in_value: false,
            }),
            b']' | b'}' => {
                open.pop();
            }
            b':' => {
                if let Some(Open::Object { in_value, .. }) = open.last_mut() {
                    *in_value = true;
                }
            }
            b',' => match open.last_mut() {
                Some(Open::Array(index)) => *index += 1,
                Some(Open::Object { key, in_value }) => {
                    *key = None;
                    *in_value = false;
                }
                None => {}
            },
            _ => {}
        }
        pos += 1;
    }
    let mut pointer = String::new();
    for step in &open {
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
    fn broken_text_still_has_a_path() {
        assert_eq!(at(br#"[{"type":"x"},{"type" 5"#, 22), "/1/type");
        assert_eq!(at(br#"{"events":[1,2,"#, 15), "/events/2");
    }
}
