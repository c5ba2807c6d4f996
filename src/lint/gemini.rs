//! Gemini: roles and order of `contents`, calls and responses, signatures of the
//! current turn (`docs/lint.md#sources`).

use super::gemini_fields::{self, LAST_MODEL, PARTS_EMPTY, RESPONSE_COUNT};
use super::report::{Report, Spot};
use super::responses::arguments;
use crate::body::{Block, Body, Message};
use crate::error::Severity;
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::model::Support;
use crate::term::quoted;
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

const GEMINI: &str = "https://ai.google.dev/gemini-api/docs/thought-signatures";
const CALLING: &str = "https://ai.google.dev/gemini-api/docs/function-calling";

family! { "gemini";
    THOUGHT_SIGNATURE: Error "thought-signature" [replay], GEMINI;
    "the first call of a step in the current turn has no `thoughtSignature`";
    "Gemini 3 and later refuse such a call, at every thinking level";
    "send the signature the call came with, or the documented value that skips the check";

    CONTENTS_ORDER: Error "contents-order", CALLING;
    "a turn with calls does not follow a user turn or results";
    "Gemini refuses a history that opens with the model's call, or has two in a row";
    "open with a user turn";
}

struct Call<'a> {
    spot: Spot<'a>,
    name: Cow<'a, str>,
    answered: bool,
}

#[derive(Default)]
struct Walk<'a> {
    any: bool,
    model: bool,
    calls: Vec<Call<'a>>,
    by_id: HashMap<Cow<'a, str>, usize>,
    by_name: HashMap<Cow<'a, str>, VecDeque<usize>>,
    /// First calls without a signature since the user last spoke.
    unsigned: Vec<Spot<'a>>,
}

pub(super) fn check(body: &Body<'_>, report: &mut Report<'_>) {
    gemini_fields::check(body, report);
    let mut walk = Walk::default();
    let mut last = None;
    let lone = body.system().count() == 1;
    for part in body.system() {
        gemini_fields::part(report, &part, lone);
    }
    for content in body.messages() {
        let role = content.role.as_ref();
        if !matches!(role, "user" | "model" | "function" | "") {
            let text = format!("expected `user` or `model`, found {}", quoted(role));
            let value = content.fields.get("role").unwrap_or(content.raw);
            report
                .under(
                    &super::responses::ROLE_UNKNOWN,
                    content.place,
                    &["role"],
                    value,
                    text,
                )
                .hint("system text goes into `systemInstruction`");
        }
        let mut parts = 0;
        let lone = content.blocks().nth(1).is_none();
        for part in content.blocks() {
            parts += 1;
            gemini_fields::part(report, &part, lone);
        }
        if parts == 0 {
            let text = "a content without parts";
            report.at(&PARTS_EMPTY, content.place, content.raw, text);
        }
        last = Some((role == "model", content.place, content.raw));
        match role {
            "model" => walk.model(report, &content),
            _ => walk.user(report, &content),
        }
        walk.any = true;
    }
    walk.close(report);
    if let Some((true, place, raw)) = last {
        let text = "the last content is the model's";
        report.at(&LAST_MODEL, place, raw, text);
    }
    let Some((severity, why)) = checks(report) else {
        return;
    };
    for spot in walk.unsigned {
        let text = format!("the first call of a step has no `thoughtSignature`{why}");
        report
            .at(&THOUGHT_SIGNATURE, spot.place, spot.raw, text)
            .weigh(severity);
    }
}

/// Whether the model wants signatures.
fn checks(report: &Report<'_>) -> Option<(Severity, &'static str)> {
    let Some(name) = report.profile.name.as_deref() else {
        return Some((Severity::Note, ", which Gemini 3 and later refuse"));
    };
    let model = report.profile.table.describe("google", name);
    (model.signed_calls == Some(Support::Yes)).then_some((Severity::Error, ""))
}

impl<'a> Walk<'a> {
    fn model(&mut self, report: &mut Report<'_>, content: &Message<'a>) {
        let spot = Spot {
            place: content.place,
            raw: content.raw,
        };
        if !self.model {
            self.close(report);
        }
        let mut first = true;
        for part in content.blocks().filter(|part| part.kind == "functionCall") {
            self.call(report, &part, std::mem::take(&mut first));
        }
        let (calls, rule) = (!first, &CONTENTS_ORDER);
        if !self.any {
            let severity = if calls {
                Severity::Error
            } else {
                Severity::Warning
            };
            let text = "`contents` opens with the model";
            report.at(rule, spot.place, spot.raw, text).weigh(severity);
        } else if self.model && calls {
            let text = "a turn with calls follows another turn of the model";
            report
                .at(rule, spot.place, spot.raw, text)
                .weigh(Severity::Warning);
        }
        self.model = true;
    }

    fn call(&mut self, report: &mut Report<'_>, part: &Block<'a>, first: bool) {
        let spot = Spot {
            place: part.place,
            raw: part.raw,
        };
        let call = part.get("functionCall").unwrap_or(part.raw);
        arguments(
            report,
            spot,
            call.get("args"),
            &["functionCall", "args"],
            Kind::Object,
        );
        let text = |key: &str| call.get(key).and_then(Raw::as_str);
        let name = text("name").unwrap_or_default();
        let index = self.calls.len();
        if let Some(id) = text("id") {
            self.by_id.insert(id, index);
        }
        self.by_name
            .entry(name.clone())
            .or_default()
            .push_back(index);
        self.calls.push(Call {
            spot,
            name,
            answered: false,
        });
        let signature = part
            .get("thoughtSignature")
            .or_else(|| part.get("thought_signature"));
        let signed = signature.is_some_and(|value| {
            value.kind() == Kind::String && value.bytes().len() > 2
        });
        if first && !signed {
            self.unsigned.push(spot);
        }
    }

    fn user(&mut self, report: &mut Report<'_>, content: &Message<'a>) {
        let answers = |part: &Block<'_>| part.kind == "functionResponse";
        let count = content.blocks().filter(answers).count();
        let calls = self.calls.len();
        if self.model && count > 0 && calls > 0 && count != calls {
            let text = format!("{count} responses to {calls} calls");
            report.at(&RESPONSE_COUNT, content.place, content.raw, text);
        }
        for part in content.blocks() {
            match part.kind.as_ref() {
                "functionResponse" => self.response(report, &part),
                _ => self.unsigned.clear(),
            }
        }
        self.model = false;
    }

    fn response(&mut self, report: &mut Report<'_>, part: &Block<'a>) {
        let response = part.get("functionResponse").unwrap_or(part.raw);
        let text = |key: &str| response.get(key).and_then(Raw::as_str);
        let name = text("name").unwrap_or_default();
        let by_id = text("id").and_then(|id| self.by_id.remove(&id));
        let index = by_id.or_else(|| {
            let queue = self.by_name.get_mut(&name)?;
            while let Some(index) = queue.pop_front() {
                if !self.calls[index].answered {
                    return Some(index);
                }
            }
            None
        });
        match index.and_then(|index| self.calls.get_mut(index)) {
            Some(call) if !call.answered => call.answered = true,
            _ => {
                let text =
                    format!("no open call of {} before this response", quoted(&name));
                report.at(&super::responses::RESULT_ORPHAN, part.place, part.raw, text);
            }
        }
    }

    fn close(&mut self, report: &mut Report<'_>) {
        self.by_id.clear();
        self.by_name.clear();
        for call in self.calls.drain(..).filter(|call| !call.answered) {
            let text = format!("the call of {} has no response", quoted(&call.name));
            let rule = &super::responses::CALL_UNANSWERED;
            report.at(rule, call.spot.place, call.spot.raw, text);
        }
    }
}
