//! Two prefixes side by side: what one segment has become, and how to say so.

use super::report::{Cause, Divergence, Level};
use super::segment::{Prefix, Segment, Turn};
use super::share::Salt;
use crate::finding::Rule;
use crate::json::raw::offset_in;
use crate::json::{Kind, Raw};
use crate::prefix::values::cause;
use crate::prefix::values::differ::{Change, Difference, Forms, differ, differ_text};
use crate::prefix::values::digest::{self, Manner, join};
use crate::prefix::values::file;
use crate::prefix::values::sample;
use crate::prefix::values::text::{Masks, same};
use crate::prefix::values::zone::{Zone, plain_text};

/// Both sides, and what was found on the way.
pub(super) struct Sides<'a, 'm> {
    pub(super) a: &'m Prefix<'a>,
    pub(super) b: &'m Prefix<'a>,
    pub(super) bytes_a: &'a [u8],
    pub(super) bytes_b: &'a [u8],
    pub(super) masks: &'m Masks,
    /// What digests are made under, where a report holds no text.
    pub(super) salt: Option<&'m Salt>,
    /// Lines of context in samples.
    pub(super) context: usize,
    pub(super) divergences: Vec<Divergence>,
    /// Equal parts that are written differently.
    pub(super) forms: Vec<(String, usize, Forms)>,
}

/// What a divergence is, before its texts are made.
pub(super) struct Told {
    pub(super) level: Level,
    pub(super) cause: Cause,
    pub(super) rule: &'static Rule,
    pub(super) detail: String,
}

impl<'a> Sides<'a, '_> {
    /// Where the second segment leaves the first, the path counting from the
    /// segment.
    pub(super) fn differ(
        &mut self,
        a: &Segment<'a>,
        b: &Segment<'a>,
    ) -> Option<Difference<'a>> {
        if same(a.raw.bytes(), b.raw.bytes()) {
            return None;
        }
        let mut forms = Forms::default();
        let found = match (a.bare, b.bare) {
            (true, true) => differ_text(a.raw, b.raw, self.masks, &mut forms),
            (false, false) => differ(a.raw, b.raw, a.zone, self.masks, &mut forms),
            (bare, _) => {
                let (left, right) = match bare {
                    true => (Some(a.raw), plain_text(b.raw)),
                    false => (plain_text(a.raw), Some(b.raw)),
                };
                match (left, right) {
                    (Some(left), Some(right)) => {
                        let found = differ_text(left, right, self.masks, &mut forms);
                        forms.shape = found.is_none();
                        found.map(|found| Difference {
                            path: if bare { "/text" } else { "" }.to_owned(),
                            ..found
                        })
                    }
                    _ => Some(whole(Some(a.raw), Some(b.raw), self)),
                }
            }
        };
        if found.is_none() && forms != Forms::default() {
            self.note_form(b, forms);
        }
        found
    }

    /// Where the second message leaves the first, its segments aside.
    pub(super) fn differ_head(
        &mut self,
        a: &Turn<'a>,
        b: &Turn<'a>,
    ) -> Option<Difference<'a>> {
        if a.raw.kind() != Kind::Object || b.raw.kind() != Kind::Object {
            return None;
        }
        let mut forms = Forms::default();
        differ(a.raw, b.raw, Zone::Head, self.masks, &mut forms)
            .filter(|found| found.change != Change::KeyOrder)
    }

    fn note_form(&mut self, b: &Segment<'a>, forms: Forms) {
        let path = b.path(self.b.dialect);
        let byte = offset_in(b.raw.bytes(), self.bytes_b);
        self.forms.push((path, byte, forms));
    }

    /// Reports a difference at `path`.
    pub(super) fn tell(&mut self, path: String, found: &Difference<'a>, told: Told) {
        self.divergences.push(Divergence {
            level: told.level,
            byte_a: offset_in(found.at_a, self.bytes_a).min(self.bytes_a.len()),
            byte_b: offset_in(found.at_b, self.bytes_b).min(self.bytes_b.len()),
            offset: found.offset,
            cause: told.cause,
            rule: told.rule,
            hint: String::new(),
            sample: sample::of(found, told.cause, self.context),
            hashes: [found.a, found.b]
                .map(|raw| Some(digest::salted(raw?, self.salt?))),
            detail: told.detail,
            path,
        });
    }

    /// The digest of a segment as it is rendered.
    pub(super) fn digest(&self, segment: &Segment<'a>) -> u64 {
        segment.digest(self.masks)
    }

    /// The digest of a message as it is rendered.
    pub(super) fn digest_turn(&self, prefix: &Prefix<'a>, turn: &Turn<'a>) -> u64 {
        let manner = Manner {
            ordered: false,
            loose: true,
            masks: self.masks,
        };
        let head = match turn.raw.kind() {
            Kind::Object => digest::digest(turn.raw, Zone::Head, manner),
            _ => 0,
        };
        prefix.messages[turn.from..turn.to]
            .iter()
            .fold(head, |state, one| join(state, self.digest(one)))
    }

    /// What a difference inside a segment is called.
    pub(super) fn cause(found: &Difference<'a>) -> Cause {
        cause::of(found)
    }
}

/// The difference of two values that have nothing in common, or of one that the
/// other side lacks.
pub(super) fn whole<'a>(
    a: Option<Raw<'a>>,
    b: Option<Raw<'a>>,
    sides: &Sides<'a, '_>,
) -> Difference<'a> {
    let end = |bytes: &'a [u8]| &bytes[bytes.len()..];
    Difference {
        path: String::new(),
        offset: None,
        at_a: a.map_or(end(sides.bytes_a), Raw::bytes),
        at_b: b.map_or(end(sides.bytes_b), Raw::bytes),
        change: match (a, b) {
            (None, _) => Change::Added,
            (_, None) => Change::Removed,
            _ => Change::Edited,
        },
        a,
        b,
    }
}

/// The words for a difference inside one value.
pub(super) fn describe(found: &Difference<'_>, cause: Cause) -> String {
    let matched = match found.offset {
        Some(0) | None => String::new(),
        Some(1) => "; 1 character matched before it".to_owned(),
        Some(count) => format!("; {count} characters matched before it"),
    };
    if let Some(text) = file::describe(found) {
        return text;
    }
    let what = match (cause, found.change) {
        (Cause::Clock, _) => "a date or time changed",
        (Cause::Counter, _) => "a number counted on",
        (Cause::RandomId, _) => "an id or hash was made anew",
        (Cause::Whitespace, _) => "white space alone changed",
        (Cause::KeyOrder, _) => "the same members in another order; no value changed",
        (Cause::Reencoded, _) => "the file was encoded anew",
        (Cause::Truncated, _) => "the end was cut off",
        (_, Change::Added) => "the second request has it, the first has not",
        (_, Change::Removed) => "the first request has it, the second has not",
        _ => "the value changed",
    };
    format!("{what}{matched}")
}
