//! Calls and their results (`docs/lint.md#sources`).
//!
//! Consecutive messages of one role are one turn; system messages stand between
//! turns without parting a call from its result (that they may not stand there
//! is another rule).

use super::catalogue::page::{CALLS, TOOLS};
use super::change::Changes;
use super::placement::more;
use super::report::{Report, Spot};
use crate::body::{Block, Role, is_server_result};
use crate::finding::family;
use crate::json::Raw;
use crate::term::quoted;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

family! { "pairing";
    TOOL_USE_UNANSWERED: Error "tool-use-unanswered", CALLS;
    "a call has no result in the next message";
    "every `tool_use` must be answered right behind its message";
    "add a `tool_result` for it, with `\"is_error\":true` if it was interrupted";

    TOOL_RESULT_ORPHAN: Error "tool-result-orphan", CALLS;
    "a result answers no open call of the assistant turn before it";
    "every result needs its call in the previous message, once";
    "leave the result out, or put its call back";

    TOOL_RESULT_NOT_FIRST: Error "tool-result-not-first", CALLS;
    "something stands before a result in its user turn";
    "results come first, text behind them";
    "move the results to the front";

    TOOL_USE_ID_DUPLICATE: Error "tool-use-id-duplicate", CALLS;
    "two calls have one id";
    "ids are unique over the whole request";
    "rename the later call, and the result that answers it";

    TOOL_USE_ID_PATTERN: Error "tool-use-id-pattern", TOOLS;
    "the id of a call has characters the API refuses";
    "ids are letters, digits, `_` and `-`; those of server tools begin with `srvtoolu_`";
    "replace the other characters by `_`, in the result too";

    SERVER_TOOL_RESULT_SENT: Error "server-tool-result-sent", CALLS;
    "a `tool_result` answers the call of a server tool";
    "the server answers its own calls";
    "leave the result out";

    TOOL_USE_UNDECLARED: Warning "tool-use-undeclared", TOOLS;
    "the history calls a tool that is declared nowhere";
    "the model sees calls of a tool it knows nothing of; with deferred tools it was refused";
    "keep the tool in `tools`";

    SERVER_TOOL_PENDING: Error "server-tool-pending", CALLS;
    "a user turn holds more than results while a server tool is still at work";
    "behind a turn with an unfinished `server_tool_use` the user may only answer calls";
    "send the results alone, and the text in a later message";
}

struct Call<'a> {
    spot: Spot<'a>,
    id: Cow<'a, str>,
    answered: bool,
}

#[derive(Default)]
pub(super) struct Pairing<'a> {
    turn: Option<Role>,
    calls: Vec<Call<'a>>,
    open: HashMap<Cow<'a, str>, usize>,
    ids: HashSet<Cow<'a, str>>,
    server: HashMap<Cow<'a, str>, bool>,
    working: HashSet<Cow<'a, str>>,
    other: bool,
    pending: bool,
    undeclared: Vec<(Cow<'a, str>, Spot<'a>, usize)>,
    names: HashMap<Cow<'a, str>, usize>,
}

impl<'a> Pairing<'a> {
    pub(super) fn message(&mut self, report: &mut Report<'_>, role: Role) {
        if role == Role::System || self.turn == Some(role) {
            return;
        }
        if role == Role::Assistant {
            self.close(report);
            self.working.clear();
        }
        (self.other, self.pending) = (false, false);
        self.turn = Some(role);
    }

    fn close(&mut self, report: &mut Report<'_>) {
        self.open.clear();
        for call in self.calls.drain(..).filter(|call| !call.answered) {
            let text = format!("the call {} has no result", quoted(&call.id));
            let rule = &TOOL_USE_UNANSWERED;
            report.at(rule, call.spot.place, call.spot.raw, text);
        }
    }

    pub(super) fn block(
        &mut self,
        report: &mut Report<'_>,
        role: Role,
        block: &Block<'a>,
    ) {
        let kind = block.kind.as_ref();
        match role {
            Role::Assistant => match kind {
                "tool_use" => self.call(report, block),
                "server_tool_use" | "mcp_tool_use" => self.server_call(report, block),
                _ if is_server_result(kind) => self.server_result(report, block),
                _ => {}
            },
            Role::User if kind == "tool_result" => self.result(report, block),
            Role::User => {
                self.other = true;
                if !self.working.is_empty() && !self.pending {
                    self.pending = true;
                    let text = "a server tool of the turn before has no result yet";
                    let rule = &SERVER_TOOL_PENDING;
                    report.at(rule, block.place, block.raw, text);
                }
            }
            Role::System | Role::Other => {}
        }
    }

    fn call(&mut self, report: &mut Report<'_>, block: &Block<'a>) {
        let spot = Spot {
            place: block.place,
            raw: block.raw,
        };
        if let Some(name) = block.fields.text("name") {
            let next = self.undeclared.len();
            let index = *self.names.entry(name.clone()).or_insert(next);
            match self.undeclared.get_mut(index) {
                Some(seen) => seen.2 += 1,
                None => self.undeclared.push((name, spot, 1)),
            }
        }
        let Some(value) = block.get("id") else { return };
        let Some(id) = value.as_str() else { return };
        let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        pattern(
            report,
            block,
            value,
            !id.is_empty() && id.bytes().all(legal),
        );
        if !self.ids.insert(id.clone()) {
            let text = format!("a second call with the id {}", quoted(&id));
            let rule = &TOOL_USE_ID_DUPLICATE;
            report.under(rule, block.place, &["id"], value, text);
            if self.open.contains_key(&id) {
                return;
            }
        }
        self.open.insert(id.clone(), self.calls.len());
        self.calls.push(Call {
            spot,
            id,
            answered: false,
        });
    }

    fn server_call(&mut self, report: &mut Report<'_>, block: &Block<'a>) {
        let Some(value) = block.get("id") else { return };
        let Some(id) = value.as_str() else { return };
        if block.kind == "server_tool_use" {
            let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            let rest = id.strip_prefix("srvtoolu_");
            let legal =
                rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(legal));
            pattern(report, block, value, legal);
        }
        self.server.insert(id.clone(), false);
        self.working.insert(id);
    }

    fn server_result(&mut self, report: &mut Report<'_>, block: &Block<'a>) {
        let Some(value) = block.get("tool_use_id") else {
            return;
        };
        let Some(id) = value.as_str() else { return };
        self.working.remove(&id);
        if self.server.insert(id.clone(), true) != Some(false) {
            let text = format!(
                "no call of a server tool {} before this result",
                quoted(&id)
            );
            let rule = &TOOL_RESULT_ORPHAN;
            report.at(rule, block.place, block.raw, text);
        }
    }

    fn result(&mut self, report: &mut Report<'_>, block: &Block<'a>) {
        let Some(value) = block.get("tool_use_id") else {
            return;
        };
        let Some(id) = value.as_str() else { return };
        let (place, raw) = (block.place, block.raw);
        if id.starts_with("srvtoolu_") || self.server.contains_key(&id) {
            let text = format!("a result for the server's own call {}", quoted(&id));
            report.at(&SERVER_TOOL_RESULT_SENT, place, raw, text);
            return;
        }
        let call = self
            .open
            .get(&id)
            .and_then(|&index| self.calls.get_mut(index));
        let rule = &TOOL_RESULT_ORPHAN;
        match call {
            None => {
                let text = format!("no call {} in the turn before", quoted(&id));
                report.at(rule, place, raw, text);
            }
            Some(call) if call.answered => {
                let text = format!("a second result for the call {}", quoted(&id));
                report.at(rule, place, raw, text);
            }
            Some(call) => {
                call.answered = true;
                if self.other {
                    let text = "a result behind other content of its turn";
                    report.at(&TOOL_RESULT_NOT_FIRST, place, raw, text);
                }
            }
        }
    }

    pub(super) fn finish(mut self, report: &mut Report<'_>, changes: &Changes<'a>) {
        self.close(report);
        for (name, spot, count) in self.undeclared {
            if !changes.knows(&name) {
                let text =
                    format!("{} is declared nowhere{}", quoted(&name), more(count));
                let rule = &TOOL_USE_UNDECLARED;
                report.at(rule, spot.place, spot.raw, text);
            }
        }
    }
}

fn pattern(report: &mut Report<'_>, block: &Block<'_>, value: Raw<'_>, legal: bool) {
    if legal {
        return;
    }
    let id = value.as_str().unwrap_or_default();
    let text = format!("the id {} of a `{}` block", quoted(&id), block.kind);
    report.under(&TOOL_USE_ID_PATTERN, block.place, &["id"], value, text);
}
