//! Strings and lists that say how they merge: rules S and L.
//!
//! Both come plain or in a wrapper (`docs/formats.md#merging`). A [`Prompt`] or
//! [`List`] is first read from one delta, then merged onto what was there. The
//! base is resolved instead: its wrapper is forgotten. `Mode::Jp` keeps the
//! defects of the program that wrote the data; D-11 and D-31 say which.

use super::Mode;
use super::warn::{Path, Warnings};
use crate::json::{Cursor, Kind, Raw, Text};
use std::borrow::Cow;
use std::collections::HashSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Strategy {
    Append,
    Prepend,
    Replace,
}

fn strategy(
    value: Raw<'_>,
    path: &Path<'_>,
    warnings: &mut Warnings,
) -> Option<Strategy> {
    let found = match &*value.as_str().unwrap_or_default() {
        "append" => Some(Strategy::Append),
        "prepend" => Some(Strategy::Prepend),
        "replace" => Some(Strategy::Replace),
        _ => None,
    };
    if found.is_none() && !value.is_null() {
        let path = Path::Name(path, "strategy");
        warnings.absent(&path, value, "`append`, `prepend` or `replace`");
    }
    found
}

/// A system prompt, plain or wrapped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prompt<'a> {
    pub(crate) value: Option<Cow<'a, str>>,
    wrapped: bool,
    strategy: Option<Strategy>,
    separator: &'static str,
    discard: bool,
}

impl<'a> Prompt<'a> {
    /// Reads the value at the cursor; `None` for null and nonsense.
    pub(crate) fn read(
        cursor: &mut Cursor<'a>,
        path: &Path<'_>,
        warnings: &mut Warnings,
    ) -> Option<Self> {
        let mut prompt = Self::default();
        if cursor.kind() != Kind::Object {
            let value = cursor.take();
            prompt.value = value.as_str();
            if prompt.value.is_none() && !value.is_null() {
                warnings.absent(path, value, "a string or a string wrapper");
            }
            return prompt.value.is_some().then_some(prompt);
        }
        prompt.wrapped = true;
        cursor.object(|cursor, key| {
            let value = cursor.take();
            if key.is("value") {
                prompt.value = value.as_str();
                if prompt.value.is_none() && !value.is_null() {
                    warnings.absent(&Path::Key(path, key), value, "a string");
                }
            } else if key.is("strategy") {
                prompt.strategy = strategy(value, path, warnings);
            } else if key.is("separator") {
                prompt.separator = match &*value.as_str().unwrap_or_default() {
                    "space" => " ",
                    "line" => "\n",
                    "paragraph" => "\n\n",
                    "none" => "",
                    _ => {
                        if !value.is_null() {
                            let expected = "`none`, `space`, `line` or `paragraph`";
                            warnings.absent(&Path::Key(path, key), value, expected);
                        }
                        ""
                    }
                };
            } else if key.is("discard_when_merged") {
                prompt.discard = value.as_bool().unwrap_or(false);
            }
        });
        Some(prompt)
    }

    /// The base's prompt: plain; a wrapper without `value` is an empty prompt.
    pub(crate) fn resolve(self) -> Self {
        Self {
            value: Some(self.value.unwrap_or_default()),
            ..Self::default()
        }
    }

    /// Rule S: what `next` makes of this prompt.
    pub(crate) fn merge(&mut self, mut next: Self, mode: Mode) {
        let discard = std::mem::take(&mut self.discard);
        if discard || !next.wrapped {
            *self = next;
            return;
        }
        let strategy = match (next.strategy, &self.value, &next.value) {
            (Some(Strategy::Replace), _, _) => None,
            (None, Some(_), Some(_)) if mode == Mode::Jp => {
                next.value = None;
                None
            }
            (Some(strategy), _, _) => Some(strategy),
            (None, _, _) => Some(Strategy::Append),
        };
        if let Some(strategy) = strategy {
            next.value = match (self.value.take(), next.value.take()) {
                (Some(old), Some(new)) => {
                    let (first, last) = match strategy {
                        Strategy::Prepend => (new, old),
                        _ => (old, new),
                    };
                    let mut joined = first.into_owned();
                    joined.push_str(next.separator);
                    joined.push_str(&last);
                    Some(Cow::Owned(joined))
                }
                (old, new) => new.or(old),
            };
        }
        *self = next;
    }
}

/// What tells two items of a list apart.
pub(crate) trait Item {
    /// Appends bytes that are equal for equal items. `Mode::Jp` compares items
    /// as stored, where an absent field differs from its default (D-31).
    fn identity(&self, out: &mut Vec<u8>, mode: Mode);
    /// Gives an item of the base its defaults.
    fn fill(&mut self) {}
}

impl Item for Raw<'_> {
    fn identity(&self, out: &mut Vec<u8>, _: Mode) {
        crate::json::write::compact(out, *self);
    }
}

impl Item for Text<'_> {
    fn identity(&self, out: &mut Vec<u8>, _: Mode) {
        crate::json::write::text(out, *self);
    }
}

/// A list, plain or wrapped.
#[derive(Debug, Clone)]
pub(crate) struct List<T> {
    pub(crate) items: Vec<T>,
    strategy: Option<Strategy>,
    dedup: Option<bool>,
    discard: bool,
    /// How many leading items are those of the last [`List::take_kept`].
    kept: usize,
    /// The identities of the items, as long as they are kept unique.
    seen: Option<HashSet<Vec<u8>>>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            strategy: None,
            dedup: None,
            discard: false,
            kept: 0,
            seen: None,
        }
    }
}

impl<T> List<T> {
    /// How many leading items have stayed since this was last asked.
    pub(crate) fn take_kept(&mut self) -> usize {
        std::mem::replace(&mut self.kept, self.items.len())
    }
}

impl<T: Item> List<T> {
    /// Reads the value at the cursor; `item` reads one element.
    pub(crate) fn read<'a>(
        cursor: &mut Cursor<'a>,
        path: &Path<'_>,
        warnings: &mut Warnings,
        mut item: impl FnMut(&mut Cursor<'a>, &Path<'_>, &mut Warnings) -> Option<T>,
    ) -> Option<Self> {
        let mut list = Self::default();
        let mut elements = |cursor: &mut Cursor<'a>, warnings: &mut Warnings| {
            let mut items = Vec::new();
            let mut index = 0;
            cursor.array(|cursor| {
                items.extend(item(cursor, &Path::Index(path, index), warnings));
                index += 1;
            });
            items
        };
        match cursor.kind() {
            Kind::Array => list.items = elements(cursor, warnings),
            Kind::Object => {
                cursor.object(|cursor, key| {
                    if key.is("value") && cursor.kind() == Kind::Array {
                        list.items = elements(cursor, warnings);
                        return;
                    }
                    let value = cursor.take();
                    if key.is("value") && !value.is_null() {
                        warnings.absent(&Path::Key(path, key), value, "an array");
                    } else if key.is("strategy") {
                        list.strategy = strategy(value, path, warnings);
                    } else if key.is("dedup") {
                        list.dedup = value.as_bool();
                    } else if key.is("discard_when_merged") {
                        list.discard = value.as_bool().unwrap_or(false);
                    }
                });
            }
            _ => {
                let value = cursor.take();
                if !value.is_null() {
                    warnings.absent(path, value, "an array or a list wrapper");
                }
                return None;
            }
        }
        Some(list)
    }

    /// The base's list: plain, its items with their defaults.
    pub(crate) fn resolve(mut self) -> Self {
        self.items.iter_mut().for_each(Item::fill);
        Self {
            items: self.items,
            ..Self::default()
        }
    }

    /// Rule L: what `next` makes of this list.
    pub(crate) fn merge(&mut self, next: Self, mode: Mode) {
        let discard = std::mem::replace(&mut self.discard, next.discard);
        self.dedup = next.dedup.or(self.dedup);
        let mut added = next.items;
        match next.strategy {
            Some(Strategy::Append) | None if !discard => {}
            Some(Strategy::Prepend) if !discard => {
                self.items.splice(0..0, added.drain(..));
                (self.kept, self.seen) = (0, None);
            }
            _ => {
                self.items.clear();
                (self.kept, self.seen) = (0, None);
            }
        }
        if self.dedup != Some(true) {
            self.seen = None;
            self.items.append(&mut added);
            return;
        }
        // What is unique already need not be looked at again.
        let checked = self.seen.as_ref().map_or(0, |_| self.items.len());
        let seen = self.seen.get_or_insert_default();
        let mut is_new = |item: &T| {
            let mut identity = Vec::new();
            item.identity(&mut identity, mode);
            seen.insert(identity)
        };
        if checked == 0 {
            let (mut index, mut lead) = (0, 0);
            self.items.retain(|item| {
                let is_new = is_new(item);
                lead += usize::from(is_new && lead == index);
                index += 1;
                is_new
            });
            self.kept = self.kept.min(lead);
        }
        self.items.extend(added.into_iter().filter(is_new));
    }

    /// What a delta without this list does to it: nothing, save in `Mode::Jp`,
    /// where it merges as an empty one (`docs/formats.md#merging`).
    pub(crate) fn pass(&mut self, mode: Mode) -> bool {
        let discard = mode == Mode::Jp && self.discard;
        if discard {
            self.items.clear();
            (self.kept, self.seen) = (0, None);
            self.discard = false;
        }
        discard
    }
}
