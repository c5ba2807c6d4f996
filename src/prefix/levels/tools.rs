//! What became of the tools (`docs/prefix.md#kinds-of-cache`, `docs/prefix.md#verdicts`).
//!
//! Tools are matched by name: one that went is not told as an edit of all that
//! follow. The first divergence stands where the two arrays part; those after it
//! name what else changed. Deferred tools are out of it until a message that both
//! requests share refers to them.

use crate::json::Raw;
use crate::prefix::report::{Cause, Level};
use crate::prefix::rules;
use crate::prefix::segment::{Segment, tool_name};
use crate::prefix::sides::{Sides, Told, describe, whole};
use crate::prefix::values::differ::Difference;
use crate::term::counted;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// What the tools level came to.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    /// How many leading tools are equal.
    pub(crate) kept: usize,
    /// Whether all of the first request's are there, and no other.
    pub(crate) equal: bool,
    /// Whether all that changed is a server tool that came or went.
    pub(crate) toggled: bool,
}

pub(crate) fn name<'a>(tool: &Segment<'a>) -> Cow<'a, str> {
    tool_name(tool.raw).unwrap_or_default()
}

/// Whether a tool is one that costs the system level alone when it comes or goes.
fn toggles(tool: &Segment<'_>) -> bool {
    let kind = tool
        .raw
        .get("type")
        .and_then(Raw::as_str)
        .unwrap_or_default();
    kind.starts_with("web_search_") || kind.starts_with("web_fetch_")
}

fn list(names: &[Cow<'_, str>]) -> String {
    const MOST: usize = 8;
    let mut text = names
        .iter()
        .take(MOST)
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}

fn told(names: &[Cow<'_, str>], what: &str) -> String {
    format!("{} {what}: {}", counted(names.len(), "tool"), list(names))
}

/// Compares the tools of both sides.
pub(crate) fn compare<'a>(sides: &mut Sides<'a, '_>) -> Tools {
    let (a, b) = (&sides.a.tools, &sides.b.tools);
    let mut kept = 0;
    let mut first = None;
    while kept < a.len() && kept < b.len() {
        first = sides.differ(&a[kept], &b[kept]);
        if first.is_some() {
            break;
        }
        kept += 1;
    }
    if kept == a.len() && kept == b.len() {
        return Tools {
            kept,
            equal: true,
            toggled: false,
        };
    }
    let toggled = toggled(sides, kept);
    if toggled {
        return Tools {
            kept,
            equal: true,
            toggled,
        };
    }
    let found = Found::new(sides, kept);
    found.tell(sides, kept, first);
    Tools {
        kept,
        equal: false,
        toggled: false,
    }
}

/// Whether the lists are equal without the server tools that toggle; tells it.
fn toggled<'a>(sides: &mut Sides<'a, '_>, kept: usize) -> bool {
    if sides.b.dialect != crate::body::Dialect::Messages {
        return false;
    }
    let (a, b) = (&sides.a.tools[kept..], &sides.b.tools[kept..]);
    let names = |tools: &[Segment<'a>]| tools.iter().map(name).collect::<HashSet<_>>();
    let (in_a, in_b) = (names(a), names(b));
    let only = |tool: &&Segment<'a>, other: &HashSet<Cow<'a, str>>| {
        toggles(tool) && !other.contains(&name(tool))
    };
    let gone: Vec<_> = a.iter().filter(|tool| only(tool, &in_b)).collect();
    let new: Vec<_> = b.iter().filter(|tool| only(tool, &in_a)).collect();
    let rest = |tools: &'_ [Segment<'a>], other: &HashSet<Cow<'a, str>>| {
        let rest = tools.iter().filter(|tool| !only(tool, other));
        rest.cloned().collect::<Vec<_>>()
    };
    let (left, right) = (rest(a, &in_b), rest(b, &in_a));
    if gone.len() + new.len() == 0 || left.len() != right.len() {
        return false;
    }
    // By their bytes: the verdict rests on it.
    let mut pairs = left.iter().zip(&right);
    if !pairs.all(|(one, other)| sides.differ(one, other).is_none()) {
        return false;
    }
    for (tool, went) in gone
        .iter()
        .map(|t| (t, true))
        .chain(new.iter().map(|t| (t, false)))
    {
        let (one, other) = match went {
            true => (Some(tool.raw), None),
            false => (None, Some(tool.raw)),
        };
        let found = whole(one, other, sides);
        let what = if went { "switched off" } else { "switched on" };
        let told = Told {
            level: Level::System,
            cause: Cause::Toggle,
            rule: &rules::DIFF_SERVER_TOOL_TOGGLE,
            detail: format!(
                "the server tool `{}` was {what}: documented to cost system and \
                 messages",
                name(tool)
            ),
        };
        let path = tool.path(sides.b.dialect);
        sides.tell(path, &found, told);
    }
    true
}

/// Who is gone, new, edited.
struct Found<'a> {
    gone: Vec<Cow<'a, str>>,
    new: Vec<Cow<'a, str>>,
    edited: Vec<(usize, usize)>,
    flipped: Vec<Cow<'a, str>>,
    in_a: HashMap<Cow<'a, str>, usize>,
    in_b: HashMap<Cow<'a, str>, usize>,
}

impl<'a> Found<'a> {
    fn new(sides: &Sides<'a, '_>, kept: usize) -> Self {
        let index = |tools: &[Segment<'a>]| {
            let pairs = tools.iter().enumerate().skip(kept);
            let mut map = HashMap::new();
            for (at, tool) in pairs {
                map.entry(name(tool)).or_insert(at);
            }
            map
        };
        let (a, b) = (&sides.a.tools, &sides.b.tools);
        let (in_a, in_b) = (index(a), index(b));
        let missing = |tools: &[Segment<'a>], other: &HashMap<Cow<'a, str>, usize>| {
            let names = tools.iter().skip(kept).map(name);
            let gone = names.filter(|name| !other.contains_key(name));
            gone.collect::<Vec<_>>()
        };
        let mut gone = missing(a, &in_b);
        let mut new = missing(b, &in_a);
        let mut flipped = Vec::new();
        gone.retain(|name| {
            let flip = sides.b.deferred.contains_key(name);
            if flip {
                flipped.push(name.clone());
            }
            !flip
        });
        new.retain(|name| {
            let flip = sides.a.deferred.contains_key(name);
            if flip {
                flipped.push(name.clone());
            }
            !flip
        });
        let mut edited = Vec::new();
        for (at, tool) in a.iter().enumerate().skip(kept) {
            let name = name(tool);
            if let (Some(&from), Some(&to)) = (in_a.get(&name), in_b.get(&name))
                && from == at
                && sides.digest(tool) != sides.digest(&b[to])
            {
                edited.push((at, to));
            }
        }
        Self {
            gone,
            new,
            edited,
            flipped,
            in_a,
            in_b,
        }
    }

    fn tell(
        &self,
        sides: &mut Sides<'a, '_>,
        kept: usize,
        first: Option<Difference<'a>>,
    ) {
        let (a, b) = (sides.a.tools.get(kept), sides.b.tools.get(kept));
        let dialect = sides.b.dialect;
        let path = match (a, b) {
            (_, Some(tool)) | (Some(tool), None) => tool.path(dialect),
            (None, None) => return,
        };
        let found = first.unwrap_or_else(|| {
            whole(a.map(|tool| tool.raw), b.map(|tool| tool.raw), sides)
        });
        let path = format!("{path}{}", found.path);
        let (name_a, name_b) = (a.map(name), b.map(name));
        let told = self.first(sides, &found, name_a.as_ref(), name_b.as_ref());
        let edited_here = a.is_some() && name_a == name_b;
        let (rule, cause) = (told.rule, told.cause);
        sides.tell(path, &found, told);
        // What else changed, and is not told yet.
        let here =
            |causes: &[Cause]| rule.id == "diff-tools-set" && causes.contains(&cause);
        let renamed = usize::from(here(&[Cause::Edited]));
        if !here(&[Cause::Removed, Cause::Truncated]) {
            self.set(sides, self.gone.get(renamed..).unwrap_or_default(), true);
        }
        if !here(&[Cause::Added]) {
            self.set(sides, self.new.get(renamed..).unwrap_or_default(), false);
        }
        for &(from, to) in &self.edited {
            if edited_here && from == kept {
                continue;
            }
            let (one, other) = (sides.a.tools[from].clone(), sides.b.tools[to].clone());
            if let Some(found) = sides.differ(&one, &other) {
                let path = format!("{}{}", other.path(dialect), found.path);
                let told = edited(&found, &name(&one));
                sides.tell(path, &found, told);
            }
        }
    }

    /// What the first divergence is called.
    fn first(
        &self,
        sides: &Sides<'a, '_>,
        found: &Difference<'a>,
        a: Option<&Cow<'a, str>>,
        b: Option<&Cow<'a, str>>,
    ) -> Told {
        let set = |cause, detail| Told {
            level: Level::Tools,
            cause,
            rule: &rules::DIFF_TOOLS_SET,
            detail,
        };
        if let Some(name) = a
            && a == b
        {
            return edited(found, name);
        }
        let flipped = |one: Option<&Cow<'a, str>>| {
            one.is_some_and(|name| self.flipped.contains(name))
        };
        if flipped(a) || flipped(b) {
            return Told {
                level: Level::Tools,
                cause: Cause::Toggle,
                rule: &rules::DIFF_TOOLS_DEFER_FLIP,
                detail: format!(
                    "`defer_loading` was switched on {}",
                    list(&self.flipped)
                ),
            };
        }
        let gone = a.is_some_and(|name| !self.in_b.contains_key(name));
        let new = b.is_some_and(|name| !self.in_a.contains_key(name));
        match (gone, new) {
            (true, true)
                if sides.a.tools.len() == sides.b.tools.len()
                    && self.gone.len() == 1
                    && self.new.len() == 1 =>
            {
                let detail = format!("{} became {}", list(&self.gone), list(&self.new));
                set(Cause::Edited, detail)
            }
            (true, _) if b.is_none() => {
                set(Cause::Truncated, told(&self.gone, "cut off at the end"))
            }
            (true, _) => {
                let mut detail = told(&self.gone, "removed");
                if self.edited.is_empty() && self.new.is_empty() {
                    detail.push_str("; the others are unchanged");
                }
                set(Cause::Removed, detail)
            }
            (false, true) => set(Cause::Added, told(&self.new, "added")),
            (false, false) => Told {
                level: Level::Tools,
                cause: Cause::Reordered,
                rule: &rules::DIFF_TOOLS_ORDER,
                detail: match self.edited.is_empty() {
                    true => "the same tools in another order; no definition changed",
                    false => "the tools stand in another order",
                }
                .to_owned(),
            },
        }
    }

    fn set(&self, sides: &mut Sides<'a, '_>, names: &[Cow<'a, str>], went: bool) {
        let Some(name) = names.first() else { return };
        let dialect = sides.b.dialect;
        let tool = match went {
            true => self.in_a.get(name).map(|&at| sides.a.tools[at].clone()),
            false => self.in_b.get(name).map(|&at| sides.b.tools[at].clone()),
        };
        let Some(tool) = tool else { return };
        let (one, other) = match went {
            true => (Some(tool.raw), None),
            false => (None, Some(tool.raw)),
        };
        let found = whole(one, other, sides);
        let told = Told {
            level: Level::Tools,
            cause: if went { Cause::Removed } else { Cause::Added },
            rule: &rules::DIFF_TOOLS_SET,
            detail: told(names, if went { "removed" } else { "added" }),
        };
        sides.tell(tool.path(dialect), &found, told);
    }
}

fn edited(found: &Difference<'_>, name: &str) -> Told {
    let cause = Sides::cause(found);
    let cause = match (cause, found.change) {
        (Cause::Truncated, _) => Cause::Edited,
        (cause, _) => cause,
    };
    Told {
        level: Level::Tools,
        cause,
        rule: &rules::DIFF_TOOLS_DEFINITION,
        detail: format!("tool `{name}`: {}", describe(found, cause)),
    }
}
