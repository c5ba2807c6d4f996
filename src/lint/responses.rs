//! OpenAI Responses: calls and outputs, and reasoning beside what it led to
//! (`docs/lint.md#sources`).

use super::catalogue::other as rules;
use super::catalogue::request::{FIELD_TYPE, REQUIRED_FIELD};
use super::report::{Report, Spot};
use crate::body::{Body, Message, Place};
use crate::json::{Kind, Raw};
use crate::term::quoted;
use std::borrow::Cow;
use std::collections::HashMap;

struct Call<'a> {
    spot: Spot<'a>,
    id: Cow<'a, str>,
    answered: bool,
}

#[derive(Default)]
struct Walk<'a> {
    calls: Vec<Call<'a>>,
    open: HashMap<Cow<'a, str>, usize>,
    /// Whether earlier items may be kept by the server.
    stored: bool,
    /// Whether the server keeps this request's items.
    kept: bool,
    reasoning: Option<Spot<'a>>,
    reasoned: bool,
}

pub(super) fn check(body: &Body<'_>, report: &mut Report<'_>) {
    required(body, report);
    let given = |key: &str| body.fields.given(key).is_some();
    let mut walk = Walk {
        stored: given("previous_response_id") || given("conversation"),
        kept: body.get("store").and_then(Raw::as_bool) != Some(false),
        ..Walk::default()
    };
    for item in body.messages() {
        walk.item(report, &item);
    }
    walk.detached(report);
    for call in walk.calls.iter().filter(|call| !call.answered) {
        let text = format!("the call {} has no output", quoted(&call.id));
        report.at(
            &rules::CALL_UNANSWERED,
            call.spot.place,
            call.spot.raw,
            text,
        );
    }
}

/// What every provider but Gemini must be told, and a list that is one.
pub(super) fn required(body: &Body<'_>, report: &mut Report<'_>) {
    if report.profile.name.is_none() {
        report.at(
            &REQUIRED_FIELD,
            Place::Root,
            body.raw,
            "the body has no `model`",
        );
    }
    if let Some(model) = body
        .get("model")
        .filter(|value| value.kind() != Kind::String)
    {
        let text = format!("expected a string, found {}", model.kind().name());
        report.under(&FIELD_TYPE, Place::Root, &["model"], model, text);
    }
}

impl<'a> Walk<'a> {
    fn item(&mut self, report: &mut Report<'_>, item: &Message<'a>) {
        let kind = item.kind.as_ref();
        let message = kind == "message" || kind.is_empty() && !item.role.is_empty();
        let answer = kind.ends_with("_output");
        let own = match message {
            true => item.role == "assistant",
            false => !answer && !kind.is_empty(),
        };
        if !own {
            self.detached(report);
            self.reasoned = false;
        }
        if message {
            role(report, item, &["user", "assistant", "system", "developer"]);
        }
        match kind {
            "reasoning" => self.reason(report, item),
            "item_reference" => {
                (self.stored, self.reasoning) = (true, None);
                self.reasoned = true;
            }
            _ if answer => self.output(report, item),
            _ => {
                if own {
                    self.reasoning = None;
                }
                if kind.ends_with("_call") && item.fields.get("call_id").is_some() {
                    self.call(report, item);
                }
            }
        }
    }

    fn detached(&mut self, report: &mut Report<'_>) {
        if let Some(spot) = self.reasoning.take() {
            let text = "the reasoning item is not followed by what it led to";
            report.at(&rules::REASONING_DETACHED, spot.place, spot.raw, text);
        }
    }

    fn reason(&mut self, report: &mut Report<'_>, item: &Message<'a>) {
        let spot = Spot {
            place: item.place,
            raw: item.raw,
        };
        self.reasoned = true;
        self.reasoning = item.fields.given("id").map(|_| spot);
        if !self.kept && item.fields.given("encrypted_content").is_none() {
            let text = "the item has no `encrypted_content`, and nothing is stored";
            report.at(&rules::REASONING_NOT_STORED, spot.place, spot.raw, text);
        }
    }

    fn call(&mut self, report: &mut Report<'_>, item: &Message<'a>) {
        let spot = Spot {
            place: item.place,
            raw: item.raw,
        };
        if item.kind == "function_call" {
            arguments(
                report,
                spot,
                item.fields.get("arguments"),
                &["arguments"],
                Kind::String,
            );
            if item.fields.text("id").is_some() && !self.reasoned && !self.stored {
                let text =
                    "the call has a server-side `id`, and no reasoning before it";
                let value = item.fields.get("id").unwrap_or(item.raw);
                let rule = &rules::REASONING_MISSING;
                report.under(rule, item.place, &["id"], value, text);
            }
        }
        let id = item.fields.text("call_id").unwrap_or_default();
        if self.open.insert(id.clone(), self.calls.len()).is_some() {
            duplicate(report, spot, &id);
        }
        self.calls.push(Call {
            spot,
            id,
            answered: false,
        });
    }

    fn output(&mut self, report: &mut Report<'_>, item: &Message<'a>) {
        let id = item.fields.text("call_id").unwrap_or_default();
        let call = self
            .open
            .get(&id)
            .and_then(|&index| self.calls.get_mut(index));
        let text = match call {
            Some(call) if !call.answered => {
                call.answered = true;
                return;
            }
            Some(_) => format!("a second output for the call {}", quoted(&id)),
            None if self.stored => return,
            None => format!("no call {} before this output", quoted(&id)),
        };
        report.at(&rules::RESULT_ORPHAN, item.place, item.raw, text);
    }
}

/// Judges a message's role.
pub(super) fn role(report: &mut Report<'_>, message: &Message<'_>, known: &[&str]) {
    if known.contains(&message.role.as_ref()) {
        return;
    }
    let Some(value) = message.fields.get("role") else {
        if message.fields.is_empty() && message.raw.kind() == Kind::String {
            return;
        }
        let text = "the message has no `role`";
        report.at(&REQUIRED_FIELD, message.place, message.raw, text);
        return;
    };
    let known: Vec<_> = known.iter().map(|role| format!("`{role}`")).collect();
    let text = format!(
        "expected one of {}, found {}",
        known.join(", "),
        quoted(&message.role)
    );
    report.under(&rules::ROLE_UNKNOWN, message.place, &["role"], value, text);
}

/// Judges the kind of a call's arguments.
pub(super) fn arguments(
    report: &mut Report<'_>,
    spot: Spot<'_>,
    value: Option<Raw<'_>>,
    keys: &[&str],
    wanted: Kind,
) {
    let Some(value) = value else {
        if wanted == Kind::String {
            let text = "the call has no `arguments`";
            report.at(&REQUIRED_FIELD, spot.place, spot.raw, text);
        }
        return;
    };
    if value.kind() == wanted || wanted == Kind::Object && value.is_null() {
        return;
    }
    let (want, found) = (wanted.name(), value.kind().name());
    let text = format!("expected {want}, found {found}");
    report.under(&rules::ARGUMENTS_TYPE, spot.place, keys, value, text);
}

/// Reports a second call of one id.
pub(super) fn duplicate(report: &mut Report<'_>, spot: Spot<'_>, id: &str) {
    let text = format!("a second call with the id {}", quoted(id));
    report.at(&rules::CALL_ID_DUPLICATE, spot.place, spot.raw, text);
}
