//! The first place where two JSON values part, as they are rendered.
//!
//! Both values are walked in lock-step, key by key in the order written
//! (`docs/prefix.md#verdicts`: key order is significant), white space between
//! tokens and cache markers aside. Where the keys part, the two objects are laid
//! side by side: a key gone, a key more, or the same members in another order.
//! No recursion, and every byte is passed a fixed number of times.

use super::digest::{self, Index, Steps};
use super::text::{self, Compared, Masks};
use super::zone::{Zone, lone_text};
use crate::json::{Kind, Raw, Text, pointer};
use std::borrow::Cow;

/// What became of the value at the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// It has another value.
    Edited,
    /// Only the second has it.
    Added,
    /// Only the first has it.
    Removed,
    /// The members of an object stand in another order.
    KeyOrder,
}

/// The place where two values part.
#[derive(Debug, Clone)]
pub(crate) struct Difference<'a> {
    /// JSON Pointer from the values compared.
    pub(crate) path: String,
    /// Characters before it, where two strings part.
    pub(crate) offset: Option<usize>,
    /// The value there, and where in the bytes compared they part.
    pub(crate) a: Option<Raw<'a>>,
    pub(crate) b: Option<Raw<'a>>,
    pub(crate) at_a: &'a [u8],
    pub(crate) at_b: &'a [u8],
    pub(crate) change: Change,
}

/// Ways in which two equal values are written differently.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Forms {
    /// One text as a string here, as a list of one block there.
    pub(crate) shape: bool,
    /// A number with other digits, as `1` and `1.0`.
    pub(crate) number: bool,
    /// A key more than once in an object.
    pub(crate) twice: bool,
    /// A difference that is masked.
    pub(crate) masked: bool,
}

pub(crate) enum Step<'a> {
    Key(Cow<'a, str>),
    Index(usize),
}

fn pointer_of(steps: &[Step<'_>]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Key(key) => pointer::push_key(&mut path, key),
            Step::Index(index) => pointer::push_index(&mut path, *index),
        }
    }
    path
}

pub(crate) struct Frame {
    pub(crate) zone: Zone,
    object: bool,
    pub(crate) start_a: usize,
    pub(crate) start_b: usize,
}

/// What laying two values side by side gave.
pub(crate) enum Found<'a> {
    Same,
    Part(Difference<'a>),
    /// They part inside the values of a key, which stands elsewhere.
    Into(Text<'a>, Raw<'a>, Raw<'a>, Zone),
}

/// Two values side by side, and how the walk through them stands.
pub(crate) struct Pair<'a, 'm> {
    pub(crate) a: Steps<'a>,
    pub(crate) b: Steps<'a>,
    pub(crate) steps: Vec<Step<'a>>,
    pub(crate) masks: &'m Masks,
    forms: &'m mut Forms,
    /// Digests and lengths of all containers, once they are needed.
    pub(crate) known: Option<Index>,
    pub(crate) whole: (Raw<'a>, Raw<'a>, Zone),
}

/// Where the second value leaves the first; `None` if it does not.
pub(crate) fn differ<'a>(
    a: Raw<'a>,
    b: Raw<'a>,
    zone: Zone,
    masks: &Masks,
    forms: &mut Forms,
) -> Option<Difference<'a>> {
    if a.bytes() == b.bytes() {
        return None;
    }
    let mut pair = Pair {
        a: Steps {
            bytes: a.bytes(),
            pos: 0,
        },
        b: Steps {
            bytes: b.bytes(),
            pos: 0,
        },
        steps: Vec::new(),
        masks,
        forms,
        known: None,
        whole: (a, b, zone),
    };
    let mut zone = zone;
    loop {
        match pair.run(zone) {
            Found::Same => return None,
            Found::Part(found) => return Some(found),
            Found::Into(key, a, b, inner) => {
                pair.steps.push(Step::Key(key.decode()));
                pair.a = Steps {
                    bytes: a.bytes(),
                    pos: 0,
                };
                pair.b = Steps {
                    bytes: b.bytes(),
                    pos: 0,
                };
                zone = inner;
            }
        }
    }
}

/// Where one text leaves another.
pub(crate) fn differ_text<'a>(
    a: Raw<'a>,
    b: Raw<'a>,
    masks: &Masks,
    forms: &mut Forms,
) -> Option<Difference<'a>> {
    let part = match (a.as_text(), b.as_text()) {
        (Some(left), Some(right)) => match text::compare(left, right, masks) {
            Compared::Same | Compared::Spelled => return None,
            Compared::Masked => {
                forms.masked = true;
                return None;
            }
            Compared::Differs(part) => Some(part),
        },
        _ => None,
    };
    Some(Difference {
        path: String::new(),
        offset: part.map(|part| part.offset),
        a: Some(a),
        b: Some(b),
        at_a: &a.bytes()[part.map_or(0, |part| part.at_a)..],
        at_b: &b.bytes()[part.map_or(0, |part| part.at_b)..],
        change: Change::Edited,
    })
}

impl<'a> Pair<'a, '_> {
    pub(crate) fn here(
        &self,
        change: Change,
        a: Option<Raw<'a>>,
        b: Option<Raw<'a>>,
    ) -> Difference<'a> {
        let at = |steps: &Steps<'a>| &steps.bytes[steps.pos.min(steps.bytes.len())..];
        Difference {
            path: pointer_of(&self.steps),
            offset: None,
            at_a: a.map_or(at(&self.a), Raw::bytes),
            at_b: b.map_or(at(&self.b), Raw::bytes),
            a,
            b,
            change,
        }
    }

    /// Walks on from two values to the place where they part.
    fn run(&mut self, zone: Zone) -> Found<'a> {
        let base = self.steps.len();
        let mut frames: Vec<Frame> = Vec::new();
        let mut zone = zone;
        loop {
            let kinds = (self.a.kind(), self.b.kind());
            if matches!(
                kinds,
                (Kind::Object, Kind::Object) | (Kind::Array, Kind::Array)
            ) {
                frames.push(Frame {
                    zone,
                    object: kinds.0 == Kind::Object,
                    start_a: self.a.pos,
                    start_b: self.b.pos,
                });
                self.a.pos += 1;
                self.b.pos += 1;
            } else if let Some(found) = self.scalar(zone) {
                return Found::Part(found);
            }
            loop {
                let Some(top) = frames.last() else {
                    return Found::Same;
                };
                let at = base + frames.len() - 1;
                let next = match top.object {
                    true => self.next_member(top, at),
                    false => self.next_element(top, at),
                };
                match next {
                    Ok(Some(inner)) => {
                        zone = inner;
                        break;
                    }
                    Ok(None) => {
                        self.steps.truncate(at);
                        frames.pop();
                    }
                    Err(found) => return *found,
                }
            }
        }
    }

    /// Moves to the next member of both objects and gives its zone.
    fn next_member(
        &mut self,
        top: &Frame,
        at: usize,
    ) -> Result<Option<Zone>, Box<Found<'a>>> {
        self.steps.truncate(at);
        let before = (self.a.pos, self.b.pos);
        let (one, other) = (self.a.member(top.zone), self.b.member(top.zone));
        match (one, other) {
            (None, None) => Ok(None),
            (Some((key, at_a)), Some((other, at_b)))
                if key == other || key.decode() == other.decode() =>
            {
                self.steps.push(Step::Key(key.decode()));
                (self.a.pos, self.b.pos) = (at_a, at_b);
                Ok(Some(top.zone.member(key)))
            }
            _ => {
                (self.a.pos, self.b.pos) = before;
                match self.members(top) {
                    Found::Same => {
                        self.forms.twice = true;
                        (self.a.pos, self.b.pos) = (top.start_a, top.start_b);
                        self.a.take();
                        self.b.take();
                        Ok(None)
                    }
                    found => Err(Box::new(found)),
                }
            }
        }
    }

    /// Moves to the next element of both arrays and gives its zone.
    fn next_element(
        &mut self,
        top: &Frame,
        at: usize,
    ) -> Result<Option<Zone>, Box<Found<'a>>> {
        let index = match self.steps.get(at) {
            Some(Step::Index(index)) => index + 1,
            _ => 0,
        };
        self.steps.truncate(at);
        self.steps.push(Step::Index(index));
        let found = match (self.a.element(), self.b.element()) {
            (true, true) => return Ok(Some(top.zone.element())),
            (false, false) => return Ok(None),
            (true, false) => {
                let value = self.a.take();
                self.b.pos -= 1;
                self.here(Change::Removed, Some(value), None)
            }
            (false, true) => {
                let value = self.b.take();
                self.a.pos -= 1;
                self.here(Change::Added, None, Some(value))
            }
        };
        Err(Box::new(Found::Part(found)))
    }

    /// Compares two values that are not both objects or both arrays.
    fn scalar(&mut self, zone: Zone) -> Option<Difference<'a>> {
        let (a, b) = (self.a.take(), self.b.take());
        if a.bytes() == b.bytes() {
            return None;
        }
        match (a.kind(), b.kind()) {
            (Kind::String, Kind::String) => self.text(a, b),
            (Kind::Number, Kind::Number) if digest::same_number(a, b) => {
                self.forms.number = true;
                None
            }
            (Kind::String, Kind::Array) if matches!(zone, Zone::Blocks(_)) => {
                match lone_text(b) {
                    Some(text) => self.shape(a, text),
                    None => Some(self.here(Change::Edited, Some(a), Some(b))),
                }
            }
            (Kind::Array, Kind::String) if matches!(zone, Zone::Blocks(_)) => {
                match lone_text(a) {
                    Some(text) => self.shape(text, b),
                    None => Some(self.here(Change::Edited, Some(a), Some(b))),
                }
            }
            _ => Some(self.here(Change::Edited, Some(a), Some(b))),
        }
    }

    fn text(&mut self, a: Raw<'a>, b: Raw<'a>) -> Option<Difference<'a>> {
        let mut found = differ_text(a, b, self.masks, self.forms)?;
        found.path = pointer_of(&self.steps);
        Some(found)
    }

    fn shape(&mut self, a: Raw<'a>, b: Raw<'a>) -> Option<Difference<'a>> {
        let found = self.text(a, b);
        self.forms.shape |= found.is_none();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(a: &str, b: &str, zone: Zone) -> Option<(String, Option<usize>, Change)> {
        let [a, b] = [a, b].map(|text| Raw::parse(text.as_bytes()).expect("a value"));
        let mut forms = Forms::default();
        let found = differ(a, b, zone, &Masks::default(), &mut forms)?;
        Some((found.path, found.offset, found.change))
    }

    #[test]
    fn the_first_place_is_found_in_the_order_written() {
        use Change::{Added, Edited, KeyOrder, Removed};
        for (a, b, expected) in [
            (r#"{"a":1}"#, r#"{ "a" : 1 }"#, None),
            (r#"{"a":1}"#, r#"{"a":2}"#, Some(("/a", None, Edited))),
            (
                r#"{"a":["x"]}"#,
                r#"{"a":["y"]}"#,
                Some(("/a/0", Some(0), Edited)),
            ),
            (r#"[1,[2,3]]"#, r#"[1,[2]]"#, Some(("/1/1", None, Removed))),
            (r#"[]"#, r#"[[]]"#, Some(("/0", None, Added))),
            (
                r#"{"a":1,"b":2}"#,
                r#"{"b":2,"a":1}"#,
                Some(("", None, KeyOrder)),
            ),
            (
                r#"{"a":1,"b":2}"#,
                r#"{"b":3,"a":1}"#,
                Some(("/b", None, Edited)),
            ),
            (
                r#"{"x":{"a":{"m":1,"n":[1]},"b":2}}"#,
                r#"{"x":{"b":2,"a":{"n":[2],"m":1}}}"#,
                Some(("/x/a/n/0", None, Edited)),
            ),
            (
                r#"{"a":1,"b":2}"#,
                r#"{"b":2}"#,
                Some(("/a", None, Removed)),
            ),
            (r#"{"b":2}"#, r#"{"b":2,"c":{}}"#, Some(("/c", None, Added))),
            (
                r#"{"a":null}"#,
                r#"{"a":false}"#,
                Some(("/a", None, Edited)),
            ),
            (r#"{"a":{}}"#, r#"{"a":[]}"#, Some(("/a", None, Edited))),
        ] {
            let expected = expected.map(|(path, offset, change): (&str, _, _)| {
                (path.to_owned(), offset, change)
            });
            assert_eq!(parts(a, b, Zone::Inside), expected, "{a} {b}");
        }
    }

    #[test]
    fn markers_and_the_spelling_of_one_text_are_set_aside() {
        let marked = r#"{"type":"tool_result","content":[{"type":"text","text":"t",
            "cache_control":{"type":"ephemeral"}}],"cache_control":null}"#;
        let bare = r#"{"type":"tool_result","content":"t"}"#;
        assert_eq!(parts(marked, bare, Zone::Block(0)), None);
        assert_eq!(parts(bare, marked, Zone::Block(0)), None);
        let input = r#"{"type":"tool_use","input":{"cache_control":1}}"#;
        let other = r#"{"type":"tool_use","input":{}}"#;
        let found = parts(input, other, Zone::Block(0)).expect("a difference");
        assert_eq!(found.0, "/input/cache_control");
    }

    #[test]
    fn hostile_nesting_takes_linear_time() {
        // Every level has its keys the other way round.
        let nest = |open: &str, close: &str, leaf: &str| {
            let depth = 20_000;
            [open.repeat(depth), leaf.to_owned(), close.repeat(depth)].concat()
        };
        let a = nest("{\"k\":1,\"v\":", "}", "1");
        let b = nest("{\"v\":", ",\"k\":1}", "2");
        let found = parts(&a, &b, Zone::Inside).expect("a difference");
        assert_eq!(found.0.len(), 2 * 20_000);
    }
}
