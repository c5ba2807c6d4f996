//! One number for a JSON value, so that far parts can be told equal.
//!
//! Two floors: in the order written, for aligning what is rendered, and by value
//! (`docs/prefix.md#binding`), where the order of keys says nothing. The
//! walk has no recursion and passes every byte once. A loose digest also takes
//! a text and a list of one text block for the same, `1` and `1.0`, and two
//! addresses of one picture: what no publication decides.

use super::text::Masks;
use super::zone::{Zone, lone_text};
use crate::json::{Kind, Raw, Text};
use crate::prefix::share::Salt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// How values are told apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner<'m> {
    /// Whether the order of keys counts.
    pub(crate) ordered: bool,
    /// Whether what is not published counts as the same.
    pub(crate) loose: bool,
    /// What is set aside in strings.
    pub(crate) masks: &'m Masks,
}

/// Joins two numbers into one; not the same the other way round.
pub(crate) fn join(a: u64, b: u64) -> u64 {
    let left = u128::from(a.rotate_left(23) ^ 0x9e37_79b9_7f4a_7c15);
    let right = u128::from(b ^ 0xd6e8_feb8_6659_fd93) | 1 << 64;
    let product = left.wrapping_mul(right);
    (product as u64) ^ ((product >> 64) as u64).rotate_left(17) ^ b
}

/// The number of a string's meaning.
pub(crate) fn text(text: &str, masks: &Masks) -> u64 {
    let mut hasher = DefaultHasher::new();
    match masks.is_empty() {
        true => text.hash(&mut hasher),
        false => {
            for part in masks.kept(text) {
                part.hash(&mut hasher);
            }
        }
    }
    hasher.finish()
}

fn of_text(value: Text<'_>, masks: &Masks) -> u64 {
    text(&value.decode(), masks)
}

fn bytes(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// Whether two numbers are one, spelled differently. Beyond what a float holds
/// exactly, only the same digits are.
pub(crate) fn same_number(a: Raw<'_>, b: Raw<'_>) -> bool {
    exact(a).is_some_and(|one| exact(b) == Some(one))
}

/// The value of a number that a float holds exactly.
fn exact(raw: Raw<'_>) -> Option<f64> {
    const MOST: f64 = 9_007_199_254_740_992.0;
    raw.as_f64().filter(|value| value.abs() < MOST)
}

fn number(raw: Raw<'_>, manner: Manner<'_>) -> u64 {
    match exact(raw).filter(|_| manner.loose) {
        // Both zeros are one number.
        Some(value) => join(1, (value + 0.0).to_bits()),
        None => bytes(raw.bytes()),
    }
}

/// The digest of a value without white space, for reports that hold no text.
pub(crate) fn salted(raw: Raw<'_>, salt: &Salt) -> u64 {
    let mut compact = Vec::new();
    crate::json::write::compact(&mut compact, raw);
    salt.digest(&compact)
}

#[derive(Debug)]
struct Open {
    start: usize,
    object: bool,
    zone: Zone,
    state: u64,
    key: u64,
}

/// The number of one value that stands in `zone`.
pub(crate) fn digest(raw: Raw<'_>, zone: Zone, manner: Manner<'_>) -> u64 {
    walk(raw, zone, manner, &mut |_, _, _| {})
}

/// The numbers and lengths of all objects and arrays of some values.
#[derive(Debug, Default)]
pub(crate) struct Index(Vec<(usize, u64, usize)>);

impl Index {
    /// Takes a value in.
    pub(crate) fn add(&mut self, raw: Raw<'_>, zone: Zone, manner: Manner<'_>) {
        walk(raw, zone, manner, &mut |start, digest, length| {
            self.0.push((start, digest, length));
        });
        // What closes last opened first: runs going down, which sort at once.
        self.0.sort_unstable_by_key(|one| one.0);
    }

    /// The number and length of a value, if it is an object or array taken in.
    pub(crate) fn find(&self, raw: Raw<'_>) -> Option<(u64, usize)> {
        let address = address(raw);
        let at = self.0.binary_search_by_key(&address, |one| one.0).ok()?;
        Some((self.0[at].1, self.0[at].2))
    }
}

/// The address that [`Index`] knows a value by.
fn address(raw: Raw<'_>) -> usize {
    raw.bytes().as_ptr() as usize
}

/// Walks a value with a stack of its own; `told` hears of every container.
fn walk(
    raw: Raw<'_>,
    zone: Zone,
    manner: Manner<'_>,
    told: &mut dyn FnMut(usize, u64, usize),
) -> u64 {
    let bytes = raw.bytes();
    let base = address(raw);
    let mut cursor = Steps { bytes, pos: 0 };
    let mut open: Vec<Open> = Vec::new();
    let mut zone = zone;
    loop {
        let at = cursor.pos;
        let mut done = match cursor.kind() {
            Kind::Object | Kind::Array => {
                let object = cursor.kind() == Kind::Object;
                let blocks = matches!(zone, Zone::Blocks(_));
                let lone = (!object && blocks && manner.loose)
                    .then(|| lone_text(Raw::checked(&bytes[at..])))
                    .flatten();
                if let Some(text) = lone.and_then(Raw::as_text) {
                    cursor.take();
                    Some(join(3, of_text(text, manner.masks)))
                } else {
                    cursor.pos += 1;
                    open.push(Open {
                        start: base + at,
                        object,
                        zone,
                        state: 7 + u64::from(object),
                        key: 0,
                    });
                    None
                }
            }
            Kind::String => {
                let value = cursor.take();
                let url = || manner.loose && zone == Zone::Url;
                let blocks = matches!(zone, Zone::Blocks(_)) && manner.loose;
                let tag = if blocks { 3 } else { 4 };
                value.as_text().map(|value| match url() {
                    true => join(5, 0),
                    false => join(tag, of_text(value, manner.masks)),
                })
            }
            Kind::Number => Some(number(cursor.take(), manner)),
            Kind::Bool | Kind::Null => Some(self::bytes(cursor.take().bytes())),
        };
        // What is done goes into what holds it, up to where more is to come.
        loop {
            let Some(top) = open.last_mut() else {
                return done.unwrap_or_default();
            };
            if let Some(value) = done.take() {
                top.state = match (top.object, manner.ordered) {
                    (true, false) => top.state.wrapping_add(join(top.key, value)),
                    (true, true) => join(top.state, join(top.key, value)),
                    (false, _) => join(top.state, value),
                };
            }
            let next = match top.object {
                true => cursor.member(top.zone).map(|(key, at)| {
                    top.key = of_text(key, &Masks::default());
                    zone = top.zone.member(key);
                    cursor.pos = at;
                }),
                false => cursor.element().then(|| zone = top.zone.element()),
            };
            if next.is_some() {
                break;
            }
            let closed = join(top.state, 2);
            told(top.start, closed, base + cursor.pos - top.start);
            open.pop();
            done = Some(closed);
        }
    }
}

/// Passes through checked bytes, one token at a time.
#[derive(Debug, Clone)]
pub(crate) struct Steps<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) pos: usize,
}

impl<'a> Steps<'a> {
    /// The kind of the value that comes next.
    pub(crate) fn kind(&self) -> Kind {
        Raw::checked(self.bytes.get(self.pos..).unwrap_or_default()).kind()
    }

    /// Takes the next value whole.
    pub(crate) fn take(&mut self) -> Raw<'a> {
        let start = self.pos;
        self.pos = crate::json::raw::value_end(self.bytes, start);
        Raw::checked(self.bytes.get(start..self.pos).unwrap_or_default())
    }

    fn space(&mut self) {
        self.pos = crate::json::raw::skip_space(self.bytes, self.pos);
        if self.bytes.get(self.pos) == Some(&b',') {
            self.pos = crate::json::raw::skip_space(self.bytes, self.pos + 1);
        }
    }

    /// The next key that counts, and where its value begins; `None` behind the
    /// closing brace.
    pub(crate) fn member(&mut self, zone: Zone) -> Option<(Text<'a>, usize)> {
        loop {
            self.space();
            if self.bytes.get(self.pos) != Some(&b'"') {
                self.pos += 1;
                return None;
            }
            let key = self.take().as_text()?;
            self.pos = crate::json::raw::skip_space(self.bytes, self.pos) + 1;
            self.pos = crate::json::raw::skip_space(self.bytes, self.pos);
            let at = self.pos;
            let value = match zone {
                Zone::Inside => return Some((key, at)),
                Zone::Head => self.take(),
                _ => Raw::checked(b"0"),
            };
            if !zone.skips(key, value) {
                return Some((key, at));
            }
            self.pos = at;
            self.take();
        }
    }

    /// Moves to the next element; false behind the closing bracket.
    pub(crate) fn element(&mut self) -> bool {
        self.space();
        if matches!(self.bytes.get(self.pos), None | Some(b']')) {
            self.pos += 1;
            return false;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(a: &str, b: &str, zone: Zone) -> [bool; 3] {
        let masks = Masks::default();
        [(true, false), (false, false), (false, true)].map(|(ordered, loose)| {
            let manner = Manner {
                ordered,
                loose,
                masks: &masks,
            };
            let [a, b] = [a, b]
                .map(|text| Raw::parse(text.as_bytes()).expect("a value"))
                .map(|raw| digest(raw, zone, manner));
            a == b
        })
    }

    #[test]
    fn values_are_told_apart_as_asked() {
        let all = [true; 3];
        let (value, loose, none) =
            ([false, true, true], [false, false, true], [false; 3]);
        for (a, b, zone, expected) in [
            (
                r#"{"a":1,"b":[2]}"#,
                r#"{ "a" : 1, "b" : [ 2 ] }"#,
                Zone::Inside,
                all,
            ),
            (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, Zone::Inside, value),
            (r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#, Zone::Inside, none),
            ("[1,2]", "[2,1]", Zone::Inside, none),
            ("[[1],2]", "[[1,2]]", Zone::Inside, none),
            ("[]", "{}", Zone::Inside, none),
            ("1", "1.0", Zone::Inside, loose),
            (r#""\u00e9""#, "\"é\"", Zone::Inside, all),
            (
                r#"{"x":1,"cache_control":{}}"#,
                r#"{"x":1}"#,
                Zone::Block(0),
                all,
            ),
            (
                r#"{"x":1,"cache_control":{}}"#,
                r#"{"x":1}"#,
                Zone::Inside,
                none,
            ),
            (
                r#"{"content":"t"}"#,
                r#"{"content":[{"type":"text","text":"t"}]}"#,
                Zone::Block(0),
                loose,
            ),
            (
                r#"{"source":{"type":"url","url":"a"}}"#,
                r#"{"source":{"type":"url","url":"b"}}"#,
                Zone::Block(0),
                loose,
            ),
        ] {
            assert_eq!(both(a, b, zone), expected, "{a} {b}");
        }
    }

    #[test]
    fn deep_values_need_no_stack() {
        let text = [vec![b'['; 500_000], vec![b']'; 500_000]].concat();
        let masks = Masks::default();
        let manner = Manner {
            ordered: true,
            loose: true,
            masks: &masks,
        };
        digest(Raw::checked(&text), Zone::Inside, manner);
    }
}
