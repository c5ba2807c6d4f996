//! Where system messages and tool changes may stand (`docs/lint.md#sources`).
//!
//! Consecutive system messages are one group, judged as a whole when the message
//! behind it has been read. A group has one finding at most: what stands before
//! it comes first, as in the API's own answer.

use super::catalogue::page::SYSTEM;
use super::report::{Report, Spot};
use crate::body::{Block, Body, Message, Role, is_change, is_server_result};
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::model::Feature;
use crate::term::quoted;

family! { "placement";
    SYSTEM_NOT_FIRST: Error "system-not-first", SYSTEM;
    "a system message with content opens `messages`";
    "the API refuses it: what applies from the start belongs to the top-level `system`";
    "move its text to the top-level `system`";

    SYSTEM_AFTER_ASSISTANT: Error "system-after-assistant", SYSTEM;
    "a system message with content follows an assistant turn that does not end in the result of a server tool";
    "the API takes system messages only behind a user message, or behind a paused assistant turn";
    "move it behind the next user message";

    SYSTEM_BEFORE_USER: Error "system-before-user", SYSTEM;
    "a system message with content is followed by a user message";
    "the API takes system messages only in front of an assistant message, or at the end";
    "move it behind the last user message that follows it";

    SYSTEM_IN_TOOL_PAIR: Error "system-in-tool-pair", SYSTEM;
    "a system message with content stands between a call and its result";
    "the API wants the results right behind their calls";
    "move it behind the user message that holds the results";

    SYSTEM_EMPTY: Error "system-empty", SYSTEM;
    "a system message has neither content nor `output_config`";
    "the API refuses a system message that says nothing";
    "leave the message out";

    SYSTEM_BLOCK_KIND: Error "system-block-kind", SYSTEM;
    "a system message holds a block that is no text and no tool change";
    "system messages carry `text`, `tool_addition` and `tool_removal` blocks only";
    "send the block in a user message";

    SYSTEM_MODEL_UNSUPPORTED: Error "system-model-unsupported", SYSTEM;
    "the model takes no system messages inside `messages`";
    "the API refuses the role on this model";
    "use the top-level `system`, or put the text behind the tool results of the newest user message";

    TOOL_CHANGE_ROLE: Error "tool-change-role", SYSTEM;
    "a tool change stands outside a system message";
    "the API takes `tool_addition` and `tool_removal` in messages of role `system` only";
    "put it into a message of role `system`";

    TOOL_CHANGE_AFTER_PAUSE: Error "tool-change-after-pause", SYSTEM;
    "a tool change directly follows a paused assistant turn";
    "behind a turn that ends in the result of a server tool, system messages carry text only";
    "send the tool change behind the next user message";

    SYSTEM_UNTRUSTED_TEXT: Warning "system-untrusted-text" [on_request], SYSTEM;
    "a system message seems to quote tool output";
    "system text is obeyed: what others wrote must not stand in it (a guess by its tags)";
    "quote the output in a `tool_result` or a user message";
}

#[derive(Debug, Clone, Copy, Default)]
enum Before {
    #[default]
    Nothing,
    User,
    Assistant {
        paused: bool,
        calls: bool,
    },
}

struct Group<'a> {
    first: Spot<'a>,
    last: Spot<'a>,
    content: bool,
    changes: Vec<Spot<'a>>,
}

#[derive(Default)]
pub(super) struct Placement<'a> {
    before: Before,
    group: Option<Group<'a>>,
    result: bool,
    paused: bool,
    calls: bool,
    blocks: usize,
    unsupported: Option<(Spot<'a>, usize)>,
}

impl<'a> Placement<'a> {
    pub(super) fn system(&mut self, report: &mut Report<'_>, body: &Body<'a>) {
        for block in body.system().filter(|block| is_change(&block.kind)) {
            let text = format!("a `{}` block in the top-level `system`", block.kind);
            report.at(&TOOL_CHANGE_ROLE, block.place, block.raw, text);
        }
    }

    pub(super) fn message(&mut self, message: &Message<'a>, role: Role) {
        (self.result, self.paused, self.calls) = (false, false, false);
        self.blocks = 0;
        if role != Role::System {
            return;
        }
        let spot = Spot {
            place: message.place,
            raw: message.raw,
        };
        self.unsupported.get_or_insert((spot, 0)).1 += 1;
        match &mut self.group {
            Some(group) => group.last = spot,
            None => {
                self.group = Some(Group {
                    first: spot,
                    last: spot,
                    content: false,
                    changes: Vec::new(),
                });
            }
        }
    }

    pub(super) fn block(
        &mut self,
        report: &mut Report<'_>,
        role: Role,
        block: &Block<'a>,
    ) {
        self.blocks += 1;
        let kind = block.kind.as_ref();
        let change = is_change(kind);
        if role != Role::System {
            if change {
                let text = format!("a `{kind}` block outside a system message");
                report.at(&TOOL_CHANGE_ROLE, block.place, block.raw, text);
            }
            self.result |= kind == "tool_result";
            self.calls |= kind == "tool_use";
            self.paused = is_server_result(kind);
            return;
        }
        let Some(group) = &mut self.group else { return };
        match kind {
            "text" => {
                group.content |= !block.bare || block.raw.bytes().len() > 2;
                let untrusted = &SYSTEM_UNTRUSTED_TEXT;
                if report.profile.wants(untrusted)
                    && let Some(text) = block.text().and_then(Raw::as_str)
                    && let Some(tag) = quotes_output(&text)
                {
                    let text = format!("the text holds `{tag}`");
                    report.at(untrusted, block.place, block.raw, text);
                }
            }
            _ if change => {
                group.content = true;
                group.changes.push(Spot {
                    place: block.place,
                    raw: block.raw,
                });
            }
            "" => {}
            _ => {
                let text = format!("a block of type {}", quoted(kind));
                report.at(&SYSTEM_BLOCK_KIND, block.place, block.raw, text);
            }
        }
    }

    pub(super) fn end(
        &mut self,
        report: &mut Report<'_>,
        message: &Message<'a>,
        role: Role,
    ) {
        if role == Role::System {
            self.end_system(report, message);
            return;
        }
        if let Some(group) = self.group.take() {
            self.judge(report, &group, Some(role));
        }
        let (paused, calls) = (self.paused, self.calls);
        self.before = match (role, self.before) {
            (Role::Assistant, Before::Assistant { calls: more, .. }) => {
                let calls = calls || more;
                Before::Assistant { paused, calls }
            }
            (Role::Assistant, _) => Before::Assistant { paused, calls },
            _ => Before::User,
        };
    }

    fn end_system(&mut self, report: &mut Report<'_>, message: &Message<'a>) {
        let empty = message.content.is_some_and(|content| match content.kind() {
            Kind::Array => self.blocks == 0,
            Kind::String => content.bytes().len() == 2,
            _ => false,
        });
        if empty && message.fields.given("output_config").is_none() {
            let text = "a system message with neither content nor `output_config`";
            report.at(&SYSTEM_EMPTY, message.place, message.raw, text);
        }
    }

    fn judge(
        &mut self,
        report: &mut Report<'_>,
        group: &Group<'a>,
        next: Option<Role>,
    ) {
        let model = &report.profile.model;
        if !group.content || model.system_messages.refused() {
            return;
        }
        let many = group.first.place != group.last.place;
        let what = if many {
            "a run of system messages"
        } else {
            "a system message"
        };
        let first = group.first;
        match self.before {
            Before::Nothing => {
                let text = format!("{what} opens `messages`");
                report.at(&SYSTEM_NOT_FIRST, first.place, first.raw, text);
                return;
            }
            Before::Assistant {
                paused: false,
                calls,
            } => {
                let (rule, text) = if calls && next == Some(Role::User) && self.result {
                    let text = "stands between a `tool_use` and its `tool_result`";
                    (&SYSTEM_IN_TOOL_PAIR, text)
                } else {
                    let text = "follows an assistant message that is not paused";
                    (&SYSTEM_AFTER_ASSISTANT, text)
                };
                report.at(rule, first.place, first.raw, format!("{what} {text}"));
                return;
            }
            Before::Assistant { paused: true, .. } => {
                for change in &group.changes {
                    let text = "a tool change behind a paused assistant message";
                    let rule = &TOOL_CHANGE_AFTER_PAUSE;
                    report.at(rule, change.place, change.raw, text);
                }
            }
            Before::User => {}
        }
        if next == Some(Role::User) {
            let last = group.last;
            let text = format!("{what} is followed by a user message");
            report.at(&SYSTEM_BEFORE_USER, last.place, last.raw, text);
        }
    }

    pub(super) fn finish(mut self, report: &mut Report<'_>) {
        if let Some(group) = self.group.take() {
            self.judge(report, &group, None);
        }
        let Some((first, count)) = self.unsupported else {
            return;
        };
        let rule = &SYSTEM_MODEL_UNSUPPORTED;
        let support = report.profile.model.system_messages;
        if support.refused() {
            let sure = report.profile.sure(support);
            let text = format!(
                "{} takes no messages of role `system`{}",
                report.profile.model.id,
                more(count)
            );
            let severity = report.weight(sure);
            report
                .at(rule, first.place, first.raw, text)
                .weigh(severity);
        } else if let Some((severity, why)) = report.shut(Feature::SystemMessage) {
            let text = format!("a message of role `system` {why}{}", more(count));
            report
                .at(rule, first.place, first.raw, text)
                .weigh(severity);
        }
    }
}

/// What is said of a finding that stands for several places.
pub(super) fn more(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        _ => format!(" ({count} places, this is the first)"),
    }
}

/// A tag that gives quoted output away.
fn quotes_output(text: &str) -> Option<&'static str> {
    [
        "<tool_output",
        "<tool_result",
        "<function_result",
        "<stdout",
        "<stderr",
        "<search_result",
        "<web_page",
        "<document",
    ]
    .into_iter()
    .find(|tag| text.contains(tag))
}
