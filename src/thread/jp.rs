//! What the program that wrote the data makes of a stream (`--parity jp`).
//!
//! Its repair (`docs/formats.md#repair`) works on sets of ids over the whole stream,
//! its compaction on whole turns, counted after the repair. Results stay where
//! they are stored and ids as they are.

use super::item::{Item, Part, ResultContent, Side, Words};
use super::rules::Policy;
use super::walk::Walk;
use crate::block::Content;
use crate::event::{Answer, Event, EventKind};
use crate::json::{Raw, Text, write};
use crate::stream::compaction::{self, Fate, SUMMARY_REQUEST};
use std::borrow::Cow;
use std::collections::HashSet;

/// The entries that repair puts in, as they would be stored.
#[derive(Debug, Default)]
pub struct Inserted(Vec<(usize, Vec<u8>)>);

impl Inserted {
    /// One answer behind each call of `events` whose id has no response.
    pub fn into_stream(events: &[Event<'_>]) -> Self {
        let answered = ids(events, EventKind::ToolCallResponse);
        let calls = events.iter().enumerate().filter(|(_, event)| {
            event.kind() == EventKind::ToolCallRequest
                && id(event).is_some_and(|id| !answered.contains(&id))
        });
        let answer = |event: &Event<'_>| {
            let mut out = b"{\"type\":\"tool_call_response\",\"id\":".to_vec();
            if let Some(id) = event.text("id") {
                write::text(&mut out, id);
            }
            out.extend_from_slice(b",\"is_error\":true}");
            out
        };
        Self(calls.map(|(index, event)| (index, answer(event))).collect())
    }
}

fn id<'a>(event: &Event<'a>) -> Option<Cow<'a, str>> {
    event.text("id").map(Text::decode)
}

fn ids<'a>(events: &[Event<'a>], kind: EventKind) -> HashSet<Cow<'a, str>> {
    let events = events.iter().filter(|event| event.kind() == kind);
    events.filter_map(id).collect()
}

/// The stream after repair: each entry with the index it came from, and whether
/// it was put in.
fn repair<'a>(
    events: &[Event<'a>],
    inserted: &'a Inserted,
) -> Vec<(usize, bool, Event<'a>)> {
    let first = events
        .iter()
        .position(|event| event.kind() == EventKind::ChatRequest)
        .unwrap_or(0);
    let starts = |event: &Event<'_>| event.kind() == EventKind::TurnStart;
    let last_start = events[..first].iter().rposition(starts);
    let calls = ids(events, EventKind::ToolCallRequest);
    let mut inserted = inserted.0.iter().peekable();
    let mut repaired = Vec::new();
    for (index, event) in events.iter().enumerate() {
        let goes = match event.kind() {
            kind if !kind.is_conversation() => false,
            EventKind::TurnStart => index < first && Some(index) != last_start,
            EventKind::ToolCallResponse => {
                index < first || id(event).is_none_or(|id| !calls.contains(&id))
            }
            _ => index < first,
        };
        if !goes {
            repaired.push((index, false, event.clone()));
        }
        if let Some((_, bytes)) = inserted.next_if(|(call, _)| *call == index)
            && !goes
            && let Ok(event) = Event::read(Raw::checked(bytes))
        {
            repaired.push((index, true, event));
        }
    }
    repaired
}

/// The items of a request made from all of `events`.
pub(super) fn items<'a>(
    events: &[Event<'a>],
    inserted: &'a Inserted,
    walk: &Walk<'_>,
) -> Vec<Item<'a>> {
    let repaired = repair(events, inserted);
    let plain: Vec<Event<'a>> = repaired.iter().map(|(.., e)| e.clone()).collect();
    let fates = compaction::plan(&plain, compaction::Rules::Jp);
    let mut items = Vec::new();
    let mut names = std::collections::HashMap::new();
    for ((index, is_new, event), fate) in repaired.iter().zip(fates) {
        let mut push = |part: Part<'a>| {
            items.push(Item {
                index: *index,
                metadata: event.get("metadata"),
                owner: walk.owner(*index).provider(event),
                part,
            });
        };
        if let Fate::Summary(text) = fate {
            push(Part::Request(Words::Str(Cow::Borrowed(SUMMARY_REQUEST))));
            push(Part::Message(Words::Text(text)));
            continue;
        }
        if fate == Fate::Drop {
            continue;
        }
        match event.kind() {
            EventKind::ChatRequest => {
                if let Some(text) = event.text("content") {
                    push(Part::Request(Words::Text(text)));
                }
            }
            EventKind::ChatResponse => match event.answer() {
                Some(Answer::Message(text)) => push(Part::Message(Words::Text(text))),
                Some(Answer::Reasoning(text)) => push(Part::Reasoning(text)),
                Some(Answer::Structured(value)) => push(Part::Structured(value)),
                None => {}
            },
            EventKind::ToolCallRequest => {
                if let (Some(id), Some(name)) = (id(event), event.text("name")) {
                    let arguments = event.get("arguments");
                    names.insert(id.clone(), name);
                    push(Part::Call {
                        id,
                        name,
                        arguments: arguments.filter(|_| fate != Fate::StripArguments),
                    });
                }
            }
            EventKind::ToolCallResponse => {
                let Some(id) = id(event) else { continue };
                let content = match fate {
                    Fate::StripContent(line) => ResultContent::Status(line),
                    _ if *is_new => ResultContent::Interrupted,
                    _ => ResultContent::Stored(Content::of(event)),
                };
                push(Part::Result {
                    name: names.get(&id).copied(),
                    id,
                    is_error: event.is_error(),
                    content,
                });
            }
            _ => {}
        }
    }
    items
}

/// The side that speaks last once compaction has been applied to `events`.
pub(super) fn last_side(
    events: &[Event<'_>],
    walk: &Walk<'_>,
    policy: &Policy,
) -> Option<Side> {
    let fates = compaction::plan(events, compaction::Rules::Jp);
    let first = walk.first?;
    (first..events.len())
        .rev()
        .find_map(|index| match fates[index] {
            Fate::Drop => None,
            Fate::Summary(_) => Some(Side::Assistant),
            Fate::Keep | Fate::StripArguments | Fate::StripContent(_) => {
                let owner = walk.owner(index);
                policy.at(owner).side(&events[index], owner)
            }
        })
}
