//! What messages hold: texts, thinking, images, and how they end
//! (`docs/lint.md#sources`).

use super::catalogue::page::{ERRORS, MESSAGES, THINKING, VISION};
use super::change::Changes;
use super::fields;
use super::report::{Report, Spot};
use crate::body::{Block, Body, Message, Role, is_server_result, is_thinking};
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::model::Support;
use crate::term::quoted;

family! { "content";
    TEXT_EMPTY: Error "text-empty", MESSAGES;
    "a text block is empty";
    "the API refuses empty text blocks";
    "leave the block out";

    TEXT_WHITESPACE: Error "text-whitespace", MESSAGES;
    "a text is nothing but white space";
    "the API refuses texts without a visible character";
    "leave the block out";

    CONTENT_EMPTY: Error "content-empty", MESSAGES;
    "a message is empty";
    "only a final assistant message may be";
    "leave the message out";

    MESSAGES_EMPTY: Error "messages-empty", MESSAGES;
    "there is no message";
    "a request needs at least one";
    "add a user message";

    PREFILL_UNSUPPORTED: Error "prefill-unsupported", ERRORS;
    "the last message is the assistant's, where it may not be";
    "models since 4.6, and thinking, do not go on from given words";
    "end with a user message";

    PREFILL_TRAILING_SPACE: Error "prefill-trailing-space", MESSAGES;
    "the final assistant text ends in white space";
    "the API refuses it in last position; anywhere else it is legal and must stay";
    "trim the end of the last text";

    THINKING_SIGNATURE_MISSING: Error "thinking-signature-missing", THINKING;
    "a thinking block has no signature";
    "a block without its signature cannot be checked, and is refused";
    "send the block as it came, or leave it out";

    THINKING_FIRST: Error "thinking-first", THINKING;
    "with thinking of type `enabled`, the last assistant turn that calls tools does not open with a thinking block";
    "the API wants the thinking that led to the calls";
    "send the turn with its thinking, or switch thinking off for this request";

    BLOCK_ROLE: Error "block-role", MESSAGES;
    "a block stands in a message of a role that cannot carry it";
    "calls and thinking are the assistant's, results the user's";
    "move the block to a message of the right role";

    IMAGE_COUNT: Error "image-count", VISION;
    "there are more images than the model takes";
    "images inside results and documents count too";
    "leave out the oldest images";
}

#[derive(Default)]
pub(super) struct Content<'a> {
    any: bool,
    blocks: usize,
    last: Option<Last<'a>>,
    empty: Option<Spot<'a>>,
    images: usize,
    /// The first block of the assistant's turn, and whether it is thinking. The
    /// answers to calls do not end a turn.
    turn_opens: Option<(Spot<'a>, bool)>,
    turn: Option<Role>,
    turn_calls: bool,
    /// Whether the user side behind the turn so far answers a call.
    answers: bool,
}

/// The last message, if it is the assistant's.
#[derive(Debug, Clone)]
pub(super) struct Last<'a> {
    spot: Spot<'a>,
    text: Option<Spot<'a>>,
    paused: bool,
    calls: bool,
}

impl<'a> Content<'a> {
    pub(super) fn system(&mut self, report: &mut Report<'_>, block: &Block<'a>) {
        fields::block(report, block);
        if !(block.bare && block.raw.bytes().len() == 2) {
            text(report, block);
        }
    }

    pub(super) fn message(
        &mut self,
        report: &mut Report<'_>,
        message: &Message<'a>,
        role: Role,
    ) {
        self.any = true;
        self.blocks = 0;
        fields::message(report, message);
        if role == Role::System {
            return;
        }
        if let Some(empty) = self.empty.take() {
            let text = "a message without content before the end";
            report.at(&CONTENT_EMPTY, empty.place, empty.raw, text);
        }
        let spot = Spot {
            place: message.place,
            raw: message.raw,
        };
        if role == Role::Assistant && self.turn != Some(Role::Assistant) {
            if !self.answers {
                self.turn_opens = None;
                self.turn_calls = false;
            }
            self.answers = false;
        }
        self.turn = Some(role);
        self.last = (role == Role::Assistant).then_some(Last {
            spot,
            text: None,
            paused: false,
            calls: false,
        });
    }

    pub(super) fn block(
        &mut self,
        report: &mut Report<'_>,
        role: Role,
        block: &Block<'a>,
        changes: &mut Changes<'a>,
    ) {
        self.blocks += 1;
        fields::block(report, block);
        let kind = block.kind.as_ref();
        let spot = Spot {
            place: block.place,
            raw: block.raw,
        };
        match kind {
            "text" if block.bare && block.raw.bytes().len() == 2 => {}
            "text" => {
                text(report, block);
                // Recorded answers hold white space before a call, and were taken
                // back. The last word of a prefill is another matter.
                if role == Role::Assistant {
                    report.soften(&TEXT_WHITESPACE, block.place);
                }
            }
            "thinking" => thinking(report, block),
            "image" => self.image(report, block),
            "tool_result" | "document" => self.inside(report, block, changes),
            "tool_search_tool_result" => references(report, block, changes),
            _ => {}
        }
        self.answers |= role == Role::User && kind == "tool_result";
        let wrong = match role {
            Role::User => is_thinking(kind) || kind == "tool_use",
            Role::Assistant => kind == "tool_result",
            Role::System | Role::Other => false,
        };
        let strict = report.profile.since_2026_10();
        if wrong || strict && role == Role::Assistant && kind == "document" {
            let text = format!("a `{kind}` block in a message of this role");
            report.at(&BLOCK_ROLE, spot.place, spot.raw, text);
        }
        let Some(last) = self.last.as_mut().filter(|_| role == Role::Assistant) else {
            return;
        };
        last.text = (kind == "text").then_some(spot);
        last.paused = is_server_result(kind) || kind == "server_tool_use";
        last.calls |= kind == "tool_use";
        self.turn_calls |= kind == "tool_use";
        self.turn_opens.get_or_insert((spot, is_thinking(kind)));
    }

    fn image(&mut self, report: &mut Report<'_>, block: &Block<'a>) {
        self.images += 1;
        let most = report.profile.model.images;
        if self.images == most + 1 {
            let text = format!("the {}th image, {most} are allowed", most + 1);
            let severity = report.weight(report.profile.known);
            report
                .at(&IMAGE_COUNT, block.place, block.raw, text)
                .weigh(severity);
        }
    }

    fn inside(
        &mut self,
        report: &mut Report<'_>,
        block: &Block<'a>,
        changes: &mut Changes<'a>,
    ) {
        for inner in block.inner() {
            if block.kind == "tool_result" {
                fields::block(report, &inner);
            }
            match inner.kind.as_ref() {
                "image" => self.image(report, &inner),
                "tool_reference" => changes.surfaced(report, &inner),
                "document" => {
                    for deep in inner.inner().filter(|deep| deep.kind == "image") {
                        self.image(report, &deep);
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn end(
        &mut self,
        report: &mut Report<'_>,
        message: &Message<'a>,
        role: Role,
    ) {
        let Some(content) = message.content.filter(|_| role != Role::System) else {
            return;
        };
        let bare = content.kind() == Kind::String && content.bytes().len() == 2;
        let list = content.kind() == Kind::Array && self.blocks == 0;
        if !(bare || list) {
            return;
        }
        let spot = Spot {
            place: message.place,
            raw: message.raw,
        };
        if role == Role::Assistant {
            self.empty = Some(spot);
            return;
        }
        let text = format!(
            "a message of role {} without content",
            quoted(&message.role)
        );
        report.at(&CONTENT_EMPTY, spot.place, spot.raw, text);
    }

    /// Judges how the messages end; returns the final assistant message, if the
    /// last one is the assistant's.
    pub(super) fn finish(
        self,
        report: &mut Report<'_>,
        body: &Body<'a>,
    ) -> Option<Last<'a>> {
        if let Some(list) = body.message_list()
            && list.kind() == Kind::Array
            && !self.any
        {
            let place = crate::body::Place::Root;
            let text = "`messages` is empty";
            report.under(&MESSAGES_EMPTY, place, &["messages"], list, text);
        }
        let thinking = body.get("thinking").and_then(|value| value.get("type"));
        let kind = thinking.and_then(Raw::as_str).unwrap_or_default();
        if kind == "enabled"
            && self.turn_calls
            && self.answers
            && let Some((spot, false)) = self.turn_opens
        {
            let text = "the last assistant turn with calls opens without thinking";
            report.at(&THINKING_FIRST, spot.place, spot.raw, text);
        }
        let last = self.last?;
        if !last.paused && !last.calls {
            prefill(
                report,
                &last,
                matches!(kind.as_ref(), "enabled" | "adaptive"),
            );
        }
        if let Some(spot) = last.text
            && let Some(value) = text_of(spot.raw)
            && value.as_str().is_some_and(|text| {
                text.chars().next_back().is_some_and(char::is_whitespace)
                    && !text.trim().is_empty()
            })
        {
            let text = "the final assistant text ends in white space";
            let rule = &PREFILL_TRAILING_SPACE;
            report.at(rule, spot.place, spot.raw, text);
        }
        Some(last)
    }
}

fn prefill(report: &mut Report<'_>, last: &Last<'_>, thinking: bool) {
    let support = report.profile.model.prefill;
    let (sure, why) = match (support.refused(), thinking) {
        (true, _) => {
            let id = &report.profile.model.id;
            (
                report.profile.sure(support),
                format!("{id} does not go on from it"),
            )
        }
        (false, true) => (support == Support::Yes, "thinking is on".to_owned()),
        (false, false) => return,
    };
    let severity = report.weight(sure);
    let text = format!("the last message is the assistant's, and {why}");
    report
        .at(&PREFILL_UNSUPPORTED, last.spot.place, last.spot.raw, text)
        .weigh(severity);
}

/// The string of a text block, bare or not.
fn text_of(raw: Raw<'_>) -> Option<Raw<'_>> {
    match raw.kind() {
        Kind::String => Some(raw),
        _ => raw.get("text"),
    }
}

fn text(report: &mut Report<'_>, block: &Block<'_>) {
    let Some(value) = block.text() else { return };
    let bytes = value.bytes();
    if bytes.len() == 2 {
        report.at(&TEXT_EMPTY, block.place, block.raw, "an empty text block");
        return;
    }
    let maybe = matches!(bytes.get(1), Some(b'\\' | b' ' | 0x80..));
    if maybe && value.as_str().is_some_and(|text| text.trim().is_empty()) {
        let text = "a text of white space only";
        report.at(&TEXT_WHITESPACE, block.place, block.raw, text);
    }
}

fn thinking(report: &mut Report<'_>, block: &Block<'_>) {
    let signature = block.fields.given("signature");
    let text = match signature.map(|value| (value.kind(), value.bytes().len())) {
        None => "the thinking block has no `signature`",
        Some((Kind::String, 2)) => "the `signature` is empty",
        Some((Kind::String, _)) => return,
        Some(_) => "the `signature` is not a string",
    };
    let rule = &THINKING_SIGNATURE_MISSING;
    report.at(rule, block.place, block.raw, text);
}

/// What the server's own tool search found.
fn references<'a>(
    report: &mut Report<'_>,
    block: &Block<'a>,
    changes: &mut Changes<'a>,
) {
    let list = block
        .get("content")
        .and_then(|content| content.get("tool_references"))
        .and_then(Raw::as_array);
    for (index, reference) in list.into_iter().flatten().enumerate() {
        if let Some(name) = reference.get("tool_name") {
            let index = index.to_string();
            let keys = ["content", "tool_references", &index, "tool_name"];
            let spot = Spot {
                place: block.place,
                raw: name,
            };
            changes.surfaced_name(report, spot, &keys);
        }
    }
}
