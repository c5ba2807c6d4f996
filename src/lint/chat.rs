//! Chat completions and Ollama: roles, calls and results, late system messages
//! (`docs/lint.md#sources`).
//!
//! OpenRouter and Cerebras check what they are sent; for llama.cpp and Ollama
//! the model's template decides, and findings are warnings. Ollama's calls have
//! no ids: its results answer them in order.

use super::catalogue::other as rules;
use super::report::{Report, Spot};
use super::responses::{arguments, duplicate, required, role};
use crate::body::{Block, Body, Dialect, Message, Place, Provider};
use crate::error::Severity;
use crate::json::{Kind, Raw};
use crate::term::quoted;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

struct Call<'a> {
    spot: Spot<'a>,
    id: Cow<'a, str>,
    answered: bool,
}

struct Walk<'a> {
    ids: bool,
    lenient: bool,
    calls: Vec<Call<'a>>,
    open: HashMap<Cow<'a, str>, usize>,
    next: usize,
    seen: HashSet<Cow<'a, str>>,
    spoken: bool,
}

const ROLES: &[&str] = &["system", "developer", "user", "assistant", "tool"];
const OLLAMA: &[&str] = &["system", "user", "assistant", "tool"];

pub(super) fn check(body: &Body<'_>, report: &mut Report<'_>) {
    required(body, report);
    let ollama = body.provider.dialect() == Dialect::Ollama;
    let local = ollama || body.provider == Provider::LlamaCpp;
    let mut walk = Walk {
        ids: !ollama,
        lenient: local,
        calls: Vec::new(),
        open: HashMap::new(),
        next: 0,
        seen: HashSet::new(),
        spoken: false,
    };
    for message in body.messages() {
        role(report, &message, if ollama { OLLAMA } else { ROLES });
        match message.role.as_ref() {
            "system" | "developer" => {
                if walk.spoken && body.provider != Provider::Cerebras {
                    let text = "a system message behind other messages";
                    let severity = if local {
                        Severity::Warning
                    } else {
                        Severity::Note
                    };
                    let rule = &rules::SYSTEM_LATE;
                    report
                        .at(rule, message.place, message.raw, text)
                        .weigh(severity);
                }
            }
            "tool" => walk.result(report, &message),
            _ => {
                walk.close(report);
                walk.spoken = true;
                for call in message.calls() {
                    walk.call(report, &call);
                }
            }
        }
    }
    walk.close(report);
    if body.provider == Provider::LlamaCpp
        && let Some(choice) = body.get("tool_choice")
        && choice.kind() == Kind::Object
    {
        let text = "`tool_choice` is an object";
        let rule = &rules::CHOICE_OBJECT;
        report.under(rule, Place::Root, &["tool_choice"], choice, text);
    }
}

impl<'a> Walk<'a> {
    fn weight(&self) -> Severity {
        match self.lenient {
            true => Severity::Warning,
            false => Severity::Error,
        }
    }

    fn call(&mut self, report: &mut Report<'_>, call: &Block<'a>) {
        let spot = Spot {
            place: call.place,
            raw: call.raw,
        };
        let function = call.get("function");
        let value = function.and_then(|function| function.get("arguments"));
        let wanted = if self.ids { Kind::String } else { Kind::Object };
        arguments(report, spot, value, &["function", "arguments"], wanted);
        let name = function.and_then(|function| function.get("name"));
        let id = match self.ids {
            true => call.fields.text("id").unwrap_or_default(),
            false => name.and_then(Raw::as_str).unwrap_or_default(),
        };
        if self.ids && !id.is_empty() && !self.seen.insert(id.clone()) {
            duplicate(report, spot, &id);
        }
        if self.ids {
            self.open.insert(id.clone(), self.calls.len());
        }
        self.calls.push(Call {
            spot,
            id,
            answered: false,
        });
    }

    fn result(&mut self, report: &mut Report<'_>, message: &Message<'a>) {
        let id = message.fields.text("tool_call_id").unwrap_or_default();
        let index = match self.ids {
            true => self.open.get(&id).copied(),
            false => Some(self.next),
        };
        self.next += usize::from(!self.ids);
        let text = match index.and_then(|index| self.calls.get_mut(index)) {
            Some(call) if !call.answered => {
                call.answered = true;
                return;
            }
            Some(_) => format!("a second result for the call {}", quoted(&id)),
            None if self.ids => format!("no call {} before this result", quoted(&id)),
            None => "no open call before this result".to_owned(),
        };
        let severity = self.weight();
        report
            .at(&rules::RESULT_ORPHAN, message.place, message.raw, text)
            .weigh(severity);
    }

    fn close(&mut self, report: &mut Report<'_>) {
        let severity = self.weight();
        self.open.clear();
        self.next = 0;
        for call in self.calls.drain(..).filter(|call| !call.answered) {
            let text = format!("the call {} has no result", quoted(&call.id));
            report
                .at(
                    &rules::CALL_UNANSWERED,
                    call.spot.place,
                    call.spot.raw,
                    text,
                )
                .weigh(severity);
        }
    }
}
