//! A body as the check sees it: values, not bytes, and thinking apart.
//!
//! Every message becomes a list of steps: content by its digest, thinking by its
//! signature (`docs/prefix.md#binding`). Two digests each: a strict one,
//! and a loose one in which what no publication decides counts as equal. Steps of
//! messages whose bytes are equal are taken over, so that over a run of requests
//! every byte is read once.

use super::super::segment::{Prefix, Segment, Turn, tool_name};
use crate::json::{Kind, Raw};
use crate::prefix::values::digest::{self, Manner, join};
use crate::prefix::values::text::{Masks, same};
use crate::prefix::values::zone::{Zone, plain_text};
use std::collections::HashMap;
use std::rc::Rc;

/// A strict and a loose digest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Two {
    pub(super) strict: u64,
    pub(super) loose: u64,
}

impl Two {
    pub(super) fn then(self, next: Two) -> Two {
        Two {
            strict: join(self.strict, next.strict),
            loose: join(self.loose, next.loose),
        }
    }
}

/// One step of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Step {
    /// Content; the number is that of its segment in the message.
    Content(usize, Two),
    /// A summary by the service: the checked prefix starts here.
    Summary(Two),
    /// A thinking block: its place in the message, signature, visible text.
    Thinking(usize, Option<u64>, u64),
}

/// The steps of one message, its head first.
#[derive(Debug)]
pub(super) struct Steps {
    pub(super) head: Two,
    pub(super) list: Vec<Step>,
    /// All content, for telling messages apart.
    pub(super) whole: u64,
}

/// Tools and system text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) system: Two,
    /// The tools as a set.
    pub(super) tools: Two,
    /// The tools in their order.
    pub(super) order: u64,
}

/// A whole body.
#[derive(Debug, Clone)]
pub(super) struct Trace {
    pub(super) head: Head,
    pub(super) turns: Vec<Rc<Steps>>,
}

fn two(masks: &Masks, of: impl Fn(Manner<'_>) -> u64) -> Two {
    let digest = |loose| {
        of(Manner {
            ordered: false,
            loose,
            masks,
        })
    };
    Two {
        strict: digest(false),
        loose: digest(true),
    }
}

fn content(segment: &Segment<'_>, masks: &Masks) -> Two {
    let mut both = two(masks, |manner| {
        digest::digest(segment.raw, segment.zone, manner)
    });
    let text = match segment.bare {
        true => Some(segment.raw),
        false => plain_text(segment.raw),
    };
    if let Some(text) = text.and_then(Raw::as_str) {
        both.loose = join(13, digest::text(&text, masks));
    }
    both
}

fn thinking(raw: Raw<'_>) -> (Option<u64>, u64) {
    let masks = Masks::default();
    let text = |key: &str| raw.get(key).and_then(Raw::as_str);
    let seal = text("signature").or_else(|| text("data"));
    let seal = seal.filter(|seal| !seal.is_empty());
    let visible = text("thinking").unwrap_or_default();
    (
        seal.map(|seal| digest::text(&seal, &masks)),
        digest::text(&visible, &masks),
    )
}

impl Trace {
    /// Traces a body; `before` is the one before it with its trace.
    pub(super) fn of(
        prefix: &Prefix<'_>,
        masks: &Masks,
        before: Option<(&Prefix<'_>, &Trace)>,
    ) -> Self {
        let mut tools: Vec<(String, Two)> = prefix
            .tools
            .iter()
            .map(|tool| {
                let name = tool_name(tool.raw).unwrap_or_default().into_owned();
                (name, content(tool, masks))
            })
            .collect();
        let order = tools
            .iter()
            .fold(0, |state, (_, one)| join(state, one.strict));
        tools.sort_by(|one, other| one.0.cmp(&other.0));
        let start = Two::default();
        let fold = |list: &mut dyn Iterator<Item = Two>| list.fold(start, Two::then);
        let head = Head {
            system: fold(&mut prefix.system.iter().map(|one| content(one, masks))),
            tools: fold(&mut tools.iter().map(|(_, one)| *one)),
            order,
        };
        let mut references: HashMap<usize, Vec<&str>> = HashMap::new();
        for (at, name) in &prefix.references {
            references.entry(*at).or_default().push(name);
        }
        let turns = prefix
            .turns
            .iter()
            .enumerate()
            .map(|(index, turn)| {
                let known = before.and_then(|(old, trace)| {
                    let same =
                        same(old.turns.get(index)?.raw.bytes(), turn.raw.bytes());
                    same.then(|| trace.turns[index].clone())
                });
                let refers =
                    (turn.from..turn.to).any(|at| references.contains_key(&at));
                match known.filter(|_| !refers) {
                    Some(steps) => steps,
                    None => Rc::new(steps(prefix, turn, &references, masks)),
                }
            })
            .collect();
        Self { head, turns }
    }

    /// All thinking blocks: message, step.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let turns = self.turns.iter().enumerate();
        turns.flat_map(|(turn, steps)| {
            let list = steps.list.iter().enumerate();
            let found = list.filter(|(_, step)| matches!(step, Step::Thinking(..)));
            found.map(move |(step, _)| (turn, step))
        })
    }
}

fn steps(
    prefix: &Prefix<'_>,
    turn: &Turn<'_>,
    references: &HashMap<usize, Vec<&str>>,
    masks: &Masks,
) -> Steps {
    let head = match turn.raw.kind() {
        Kind::Object => {
            two(masks, |manner| digest::digest(turn.raw, Zone::Head, manner))
        }
        _ => Two::default(),
    };
    let mut list = Vec::new();
    let mut whole = 0;
    for (index, segment) in prefix.messages[turn.from..turn.to].iter().enumerate() {
        if segment.thinking {
            let (seal, visible) = thinking(segment.raw);
            list.push(Step::Thinking(index, seal, visible));
            continue;
        }
        let mut both = content(segment, masks);
        for name in references.get(&(turn.from + index)).into_iter().flatten() {
            if let Some(tool) = prefix.deferred.get(*name) {
                both = both.then(content(tool, masks));
            }
        }
        whole = join(whole, both.loose);
        let kind = segment.raw.get("type").and_then(Raw::as_text);
        list.push(match kind.is_some_and(|kind| kind.is("compaction")) {
            true => Step::Summary(both),
            false => Step::Content(index, both),
        });
    }
    Steps { head, list, whole }
}

/// A place in a trace: the digest of all content before it, and how many
/// summaries came before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) digest: Two,
    pub(super) summaries: usize,
}

impl Point {
    pub(super) fn enter(&mut self, steps: &Steps) {
        self.digest = self.digest.then(steps.head);
    }

    pub(super) fn pass(&mut self, step: &Step) {
        match step {
            Step::Content(_, both) => self.digest = self.digest.then(*both),
            Step::Summary(both) => {
                self.digest = *both;
                self.summaries += 1;
            }
            Step::Thinking(..) => {}
        }
    }
}
