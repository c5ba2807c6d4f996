//! JSON Pointers (RFC 6901): from a byte to its path, and from steps to text.
//!
//! [`at`] works on bytes that need not be well formed past the place asked for,
//! so that a syntax error can be located too. It is for messages, not for hot
//! paths.

use super::raw::string_end;
use super::{Raw, Text};
use std::borrow::Cow;
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

/// Pointers, by place, and what of each is still to be followed.
type Wanted<'p> = Vec<(usize, &'p str)>;

/// The values that `pointers` lead to, in their order; `None` where there is none.
///
/// Each level of `root` that a pointer leads through is passed once, however many
/// there are. Of duplicate keys the last counts.
pub fn resolve_all<'a>(root: Raw<'a>, pointers: &[String]) -> Vec<Option<Raw<'a>>> {
    let mut found = vec![None; pointers.len()];
    let wanted = pointers.iter().map(String::as_str).enumerate().collect();
    let mut open: Vec<(Raw<'a>, Wanted<'_>)> = vec![(root, wanted)];
    while let Some((value, wanted)) = open.pop() {
        let mut steps: HashMap<Cow<'_, str>, (Wanted<'_>, Option<Raw<'a>>)> =
            HashMap::new();
        for (place, rest) in wanted {
            let Some(rest) = rest.strip_prefix('/') else {
                found[place] = Some(value);
                continue;
            };
            let end = rest.find('/').unwrap_or(rest.len());
            let step = match rest[..end].contains('~') {
                true => Cow::Owned(rest[..end].replace("~1", "/").replace("~0", "~")),
                false => Cow::Borrowed(&rest[..end]),
            };
            steps.entry(step).or_default().0.push((place, &rest[end..]));
        }
        if steps.is_empty() {
            continue;
        }
        for (key, inner) in value.as_object().into_iter().flatten() {
            if let Some(step) = steps.get_mut(&key.decode()) {
                step.1 = Some(inner);
            }
        }
        for (place, inner) in value.as_array().into_iter().flatten().enumerate() {
            if let Some(step) = steps.get_mut(place.to_string().as_str()) {
                step.1 = Some(inner);
            }
        }
        let into = steps.into_values();
        open.extend(into.filter_map(|(wanted, inner)| Some((inner?, wanted))));
    }
    found
}

/// Deeper than this a [`Locator`] gives the pointer to the value around.
pub const DEEPEST: usize = 128;

#[derive(Debug)]
enum Open<'a> {
    Array(usize),
    Object {
        key: Option<Text<'a>>,
        in_value: bool,
    },
}

/// The pointer to the innermost value that holds byte `offset` of `bytes`, at most
/// [`DEEPEST`] levels down.
pub fn at(bytes: &[u8], offset: usize) -> String {
    Locator::new(bytes).path(offset)
}

/// Finds the pointers of several bytes in one pass.
#[derive(Debug)]
pub struct Locator<'a> {
    bytes: &'a [u8],
    pos: usize,
    open: Vec<Open<'a>>,
    /// Levels open below [`DEEPEST`], of which nothing is kept.
    deeper: usize,
}

impl<'a> Locator<'a> {
    /// A locator at the start of `bytes`.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            pos: 0,
            open: Vec::new(),
            deeper: 0,
        }
    }

    /// The pointer to the innermost value that holds byte `offset`, which must not
    /// lie before the one asked for last; at most [`DEEPEST`] levels down.
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

    /// As [`Locator::path`], or `None` when it would be longer than `limit` bytes.
    pub fn path_within(&mut self, offset: usize, limit: usize) -> Option<String> {
        self.advance(offset);
        let length: usize = self
            .open
            .iter()
            .map(|step| match step {
                Open::Object { key: Some(key), .. } => key.escaped().len(),
                Open::Array(_) | Open::Object { key: None, .. } => 0,
            })
            .sum();
        (length <= limit).then(|| self.path(offset))
    }

    fn advance(&mut self, offset: usize) {
        let bytes = self.bytes;
        while self.pos < offset.min(bytes.len()) {
            match bytes[self.pos] {
                b'"' => {
                    let end = string_end(bytes, self.pos);
                    let string = Raw::checked(&bytes[self.pos..end]);
                    if let Some(Open::Object { key, in_value }) = self.innermost()
                        && !*in_value
                    {
                        *key = string.as_text();
                    }
                    if end > offset {
                        return;
                    }
                    self.pos = end;
                    continue;
                }
                b'[' => self.enter(Open::Array(0)),
                b'{' => self.enter(Open::Object {
                    key: None,
                    in_value: false,
                }),
                b']' | b'}' => match self.deeper {
                    0 => drop(self.open.pop()),
                    _ => self.deeper -= 1,
                },
                b':' => {
                    if let Some(Open::Object { in_value, .. }) = self.innermost() {
                        *in_value = true;
                    }
                }
                b',' => match self.innermost() {
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

    fn enter(&mut self, open: Open<'a>) {
        match self.open.len() {
            DEEPEST.. => self.deeper += 1,
            _ => self.open.push(open),
        }
    }

    /// The container at hand, unless it lies too deep to be kept.
    fn innermost(&mut self) -> Option<&mut Open<'a>> {
        match self.deeper {
            0 => self.open.last_mut(),
            _ => None,
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
    fn many_pointers_are_resolved_as_each_alone() {
        let text = r#"{"a":[1,{"b":2}],"a":[3,{"~/":5}],"c":{"d":{"e":4}}}"#;
        let root = Raw::parse(text.as_bytes()).expect("a value");
        let pointers = [
            "",
            "/a",
            "/a/0",
            "/a/1/~0~1",
            "/a/2",
            "/c",
            "/c/d",
            "/c/x/e",
            "/c/d/e",
            "/a",
        ]
        .map(str::to_owned);
        for (pointer, found) in pointers.iter().zip(resolve_all(root, &pointers)) {
            assert_eq!(found, resolve(root, pointer), "{pointer}");
        }
    }

    #[test]
    fn deep_places_are_told_by_what_is_around_them() {
        let text = format!("[{}7{},8]", "[".repeat(1000), "]".repeat(1000));
        let seven = text.find('7').expect("in the text");
        let eight = text.find('8').expect("in the text");
        let mut locator = Locator::new(text.as_bytes());
        assert_eq!(locator.path(seven), "/0".repeat(DEEPEST));
        assert_eq!(locator.path(eight), "/1");
    }

    #[test]
    fn a_path_too_long_to_repeat_is_not_made() {
        let text = format!("{{\"{}\":[1,2]}}", "k".repeat(100));
        let mut locator = Locator::new(text.as_bytes());
        assert_eq!(locator.path_within(107, 99), None);
        let path = locator.path_within(107, 100).expect("short enough");
        assert!(path.ends_with("k/1"), "{path}");
    }

    #[test]
    fn broken_text_still_has_a_path() {
        assert_eq!(at(br#"[{"type":"x"},{"type" 5"#, 22), "/1/type");
        assert_eq!(at(br#"{"events":[1,2,"#, 15), "/events/2");
    }
}
