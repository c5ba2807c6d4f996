//! OpenAI Responses: calls and outputs, and reasoning beside what it led to
//! (`docs/lint.md#sources`).

use super::openai::{self, Pictures};
use super::parameters::FIELD_TYPE;
use super::parameters::REQUIRED_FIELD;
use super::report::{Report, Spot};
use crate::body::{Block, Body, Message, Place, Provider};
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::term::quoted;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

const API: &str = "https://developers.openai.com/api/reference/resources/responses";

const CHAT: &str = "https://developers.openai.com/api/docs/guides/function-calling";
const OPENAI: &str = "https://developers.openai.com/api/docs/guides/reasoning";

family! { "responses";
    CALL_UNANSWERED: Error "call-unanswered", CHAT;
    "a call has no result where the provider wants it";
    "a history with an open call is refused, or misread";
    "add a result that says the call was interrupted";

    RESULT_ORPHAN: Error "result-orphan", CHAT;
    "a result answers no call before it";
    "a result without its call is refused, or misread";
    "leave the result out, or put its call back";

    CALL_ID_DUPLICATE: Warning "call-id-duplicate", CHAT;
    "two calls have one id";
    "the results cannot be told apart";
    "rename the later call, and the result that answers it";

    ARGUMENTS_TYPE: Error "arguments-type", CHAT;
    "the arguments of a call are of the wrong kind";
    "chat completions and Responses want a string that holds JSON, Ollama and Gemini an object";
    "write them in the other form";

    ROLE_UNKNOWN: Error "role-unknown", CHAT;
    "a message has a role the provider does not take";
    "Gemini knows `user` and `model`; the others `system`, `user`, `assistant` and `tool`, some `developer`";
    "use the provider's own field or role for it";

    REASONING_DETACHED: Error "reasoning-detached" [replay], OPENAI;
    "a reasoning item is not followed by the item it led to";
    "reasoning must stay with its neighbour: the API refuses it alone";
    "send the item that followed it, or leave the reasoning out";

    REASONING_MISSING: Warning "reasoning-missing", OPENAI;
    "an item with a server-side id is sent without the reasoning that led to it";
    "if the model reasoned before it, the API refuses the item";
    "leave the item's `id` out, or send the reasoning item before it";

    REASONING_NOT_STORED: Warning "reasoning-not-stored", OPENAI;
    "a reasoning item has no `encrypted_content` while `store` is false";
    "nothing was kept that its id could lead to";
    "ask for it with `\"include\":[\"reasoning.encrypted_content\"]` and replay it";

    ENCRYPTED_FOREIGN: Note "responses-encrypted-foreign", "https://github.com/openai/codex/issues/8126";
    "encrypted reasoning does not look like this API's own";
    "it is bound to the organisation and route that made it: sent elsewhere it is refused";
    "leave the reasoning of another provider or account out";

    CALL_ID_LENGTH: Error "responses-call-id-length", "https://github.com/AnswerDotAI/fastllm/issues/45";
    "a `call_id` is empty or longer than 64 characters";
    "the API refuses it; ids of other vendors are the usual cause";
    "shorten it, in the output too";

    ITEM_ID_LENGTH: Error "responses-item-id-length", "https://github.com/github/app/issues/409";
    "the `id` of an item is longer than 64 characters";
    "the API refuses it";
    "leave the `id` out";

    ITEM_ID_PREFIX: Error "responses-item-id-prefix", "https://github.com/nodetool-ai/nodetool/issues/4252";
    "the `id` of an item does not begin as the API's own do";
    "calls begin with `fc`, reasoning with `rs`, messages with `msg`; a `call_id` is no `id`";
    "leave the `id` out";

    ITEM_ID_CHARSET: Error "responses-item-id-charset", "https://github.com/langchain-ai/langchainjs/issues/11044";
    "the `id` of an item is empty or has characters that the API refuses";
    "ids are letters, digits, `_` and `-`";
    "leave the `id` out";

    DUPLICATE_ID: Error "responses-duplicate-id", "https://github.com/earendil-works/pi/issues/5147";
    "two items have one `id`";
    "the API refuses the second";
    "leave one of them out, or its `id`";

    OUTPUT_NO_CALL_ID: Warning "responses-output-no-call-id", "https://github.com/openai/codex/issues/42088";
    "an output has no `call_id`";
    "the schema allows it since August 2026; servers refuse it";
    "say which call it answers";

    ARGUMENTS_JSON: Warning "responses-arguments-json", API;
    "the arguments of a call are a string that is no JSON";
    "models stumble over it; some servers refuse it";
    "send what the model wrote, or an empty object";

    OUTPUT_PARTS: Error "responses-output-parts", API;
    "an output is neither a string nor a list of parts";
    "the API takes text, pictures and files";
    "write the value as a string of JSON";

    STORE_REFERENCE: Error "responses-store-reference", "https://github.com/vercel/ai/issues/7543";
    "an item is referred to, and nothing is stored";
    "with `store` false the server knows no items";
    "send the item itself, or store";

    CONTENT_TYPE_ROLE: Error "responses-content-type-role", "https://github.com/jeremychone/rust-genai/issues/119";
    "a part of this type does not go with the message's role";
    "the assistant's parts are `output_text` and `refusal`, all others' `input_text`, `input_image`, `input_file`";
    "name the part as its role has it";

    PHASE_VALUE: Error "responses-phase-value", API;
    "`phase` is no such value, or stands on a message of another role";
    "it is `commentary` or `final_answer`, on the assistant's messages";
    "leave it out";

    PHASE_DROPPED: Warning "responses-phase-dropped", "https://github.com/anomalyco/opencode/issues/15528";
    "some of the assistant's messages have lost their `phase`";
    "without it newer models take a remark for the end, and stop early";
    "replay `phase` as it came";

    PREVIOUS_AND_CONVERSATION: Error "responses-previous-and-conversation", API;
    "`previous_response_id` and `conversation` are both given";
    "each names the history; the API takes one";
    "leave one out";

    PREVIOUS_REPLAY: Warning "responses-previous-replay", "https://github.com/tjardoo/openai-client/issues/124";
    "the history is sent, and referred to besides";
    "it is there twice, or refused for a second id";
    "send new items alone";

    CUSTOM_TOOL: Error "responses-custom-tool", "https://github.com/openai/codex/issues/2576";
    "a call and its output are of two kinds";
    "a custom call is answered by `custom_tool_call_output`, a function call by `function_call_output`";
    "answer in kind";

    MAX_OUTPUT_MIN: Error "responses-max-output-min", API;
    "`max_output_tokens` is under 16";
    "that is the least the API takes";
    "ask for 16 or more";

    REASONING_OPTIONS: Error "responses-reasoning-options", "https://github.com/coder/xum/issues/4064";
    "the model does not take this option of reasoning";
    "mode `pro` is GPT-5.6's, context `all_turns` that of GPT-5.4 to 5.6";
    "leave it out";

    COMPACTION_LAST: Error "responses-compaction-trigger-last", API;
    "a compaction trigger is not the last item";
    "it says that the input ends here";
    "put it at the end";
}

struct Call<'a> {
    spot: Spot<'a>,
    id: Cow<'a, str>,
    custom: bool,
    /// The server answers it itself, in an item or without one.
    excused: bool,
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
    ids: HashSet<Cow<'a, str>>,
    pictures: Pictures,
    /// OpenAI's own server, which checks the ids it gave.
    own: bool,
    trigger: Option<Spot<'a>>,
    /// Answers with a phase, and the first without.
    phased: usize,
    bare: Option<Spot<'a>>,
    /// The answer just before, if it has no phase.
    spoke: Option<Spot<'a>>,
    /// Whether the model reads phases.
    phases: bool,
    /// Servers that search tools answer their own calls.
    searched: bool,
    previous: bool,
}

pub(super) fn check(body: &Body<'_>, report: &mut Report<'_>) {
    required(body, report);
    openai::check(body, report);
    fields(body, report);
    let given = |key: &str| body.fields.given(key).is_some();
    let mut walk = Walk {
        own: body.provider == Provider::OpenAi,
        phases: report.profile.name.as_deref().is_some_and(|name| {
            let family = crate::model::openai::family_of(name);
            name.contains("gpt-5.3-codex")
                || family.is_some_and(|one| one.tools_need_none)
        }),
        previous: given("previous_response_id"),
        searched: body
            .tools()
            .any(|tool| tool.fields.text("type").as_deref() == Some("tool_search")),
        stored: given("previous_response_id") || given("conversation"),
        kept: body.get("store").and_then(Raw::as_bool) != Some(false),
        ..Walk::default()
    };
    for item in body.messages() {
        walk.item(report, &item);
    }
    walk.detached(report);
    let open = |call: &&Call<'_>| !call.answered && !call.excused;
    for call in walk.calls.iter().filter(open) {
        let text = format!("the call {} has no output", quoted(&call.id));
        report.at(&CALL_UNANSWERED, call.spot.place, call.spot.raw, text);
    }
    if let (1.., Some(bare)) = (walk.phased, walk.bare) {
        let text = "no `phase` here, and other answers have one";
        report.at(&PHASE_DROPPED, bare.place, bare.raw, text);
    }
}

/// Fields of the request that only Responses has.
fn fields(body: &Body<'_>, report: &mut Report<'_>) {
    let given = |key: &str| body.fields.given(key);
    if let (Some(_), Some(value)) =
        (given("previous_response_id"), given("conversation"))
    {
        let text = "`conversation` beside `previous_response_id`";
        let rule = &PREVIOUS_AND_CONVERSATION;
        report.under(rule, Place::Root, &["conversation"], value, text);
    }
    if let Some(value) = given("max_output_tokens")
        && value.as_f64().is_some_and(|most| most < 16.0)
    {
        let text = "16 tokens are the least";
        report.under(
            &MAX_OUTPUT_MIN,
            Place::Root,
            &["max_output_tokens"],
            value,
            text,
        );
    }
    let model = report.profile.name.clone().unwrap_or_default();
    let family = crate::model::openai::family_of(&model).map(|family| family.name);
    for (key, word, families) in [
        ("mode", "pro", &["gpt-5.6"][..]),
        (
            "context",
            "all_turns",
            &["gpt-5.4", "gpt-5.5", "gpt-5.6"][..],
        ),
    ] {
        let Some(value) = body.raw.at(&["reasoning", key]) else {
            continue;
        };
        let Some(family) = family else { continue };
        if value.as_str().as_deref() == Some(word) && !families.contains(&family) {
            let text = format!("{family} does not take the {key} `{word}`");
            let unsure = family.starts_with("gpt-6");
            let severity = report.weight(!unsure);
            report
                .under(
                    &REASONING_OPTIONS,
                    Place::Root,
                    &["reasoning", key],
                    value,
                    text,
                )
                .weigh(severity);
        }
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
        if let Some(spot) = self.spoke.take()
            && kind.ends_with("_call")
            && self.phases
        {
            let text = "no `phase` on a remark before a call";
            report.at(&PHASE_DROPPED, spot.place, spot.raw, text);
            self.bare = None;
        }
        if let Some(spot) = self.trigger.take() {
            let text = "items stand behind the trigger";
            report.at(&COMPACTION_LAST, spot.place, spot.raw, text);
        }
        if kind == "compaction_trigger" {
            self.trigger = Some(Spot {
                place: item.place,
                raw: item.raw,
            });
        }
        self.id(report, item, kind);
        // What the reasoning led to is known by its id.
        if message && own && self.own && item.fields.given("id").is_none() {
            self.detached(report);
        }
        if message {
            role(report, item, &["user", "assistant", "system", "developer"]);
            self.message(report, item);
        }
        let replayed =
            kind == "reasoning" || own && (message || kind.ends_with("_call"));
        if self.previous && replayed {
            let text = "this stands in the response referred to as well";
            report.at(&PREVIOUS_REPLAY, item.place, item.raw, text);
        }
        match kind {
            "reasoning" => self.reason(report, item),
            "item_reference" => {
                if !self.kept && !self.stored {
                    let text = "a reference to an item, and `store` is false";
                    report.at(&STORE_REFERENCE, item.place, item.raw, text);
                }
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

    /// Judges the `id` of an item.
    fn id(&mut self, report: &mut Report<'_>, item: &Message<'a>, kind: &str) {
        let Some(value) = item.fields.given("id") else {
            return;
        };
        let Some(id) = value.as_str() else { return };
        if kind == "item_reference" || !self.own {
            return;
        }
        let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
        let keys = ["id"];
        if id.is_empty() || !id.bytes().all(legal) {
            let text = format!("the id {}", quoted(&id));
            report.under(&ITEM_ID_CHARSET, item.place, &keys, value, text);
            return;
        }
        let length = id.chars().count();
        if length > 64 {
            let text = format!("an id of {length} characters, 64 are allowed");
            report.under(&ITEM_ID_LENGTH, item.place, &keys, value, text);
        }
        let (start, sure) = match kind {
            "function_call" | "function_call_output" => ("fc", true),
            "custom_tool_call" => ("ctc", true),
            "reasoning" => ("rs", false),
            "message" if item.role == "assistant" => ("msg", false),
            _ => ("", true),
        };
        if !id.starts_with(start) {
            let text = format!(
                "expected an id that begins with `{start}`, found {}",
                quoted(&id)
            );
            let severity = report.weight(sure);
            report
                .under(&ITEM_ID_PREFIX, item.place, &keys, value, text)
                .weigh(severity);
        }
        if !self.ids.insert(id.clone()) {
            let text = format!("a second item with the id {}", quoted(&id));
            report.under(&DUPLICATE_ID, item.place, &keys, value, text);
        }
    }

    /// Judges what a message holds, and its phase.
    fn message(&mut self, report: &mut Report<'_>, item: &Message<'a>) {
        let assistant = item.role == "assistant";
        if let Some(value) = item.fields.given("phase") {
            self.phased += 1;
            let word = value.as_str().unwrap_or_default();
            let known = matches!(word.as_ref(), "commentary" | "final_answer");
            if !known || !assistant {
                let text = format!(
                    "the phase {} on a message of {}",
                    quoted(&word),
                    quoted(&item.role)
                );
                report.under(&PHASE_VALUE, item.place, &["phase"], value, text);
            }
        } else if assistant {
            let spot = Spot {
                place: item.place,
                raw: item.raw,
            };
            self.bare.get_or_insert(spot);
            self.spoke = Some(spot);
        }
        for part in item.blocks().filter(|part| !part.bare) {
            let kind = part.kind.as_ref();
            let fits = match (assistant, kind) {
                (_, "") => true,
                (true, _) => matches!(kind, "output_text" | "refusal"),
                (false, _) => !matches!(kind, "output_text" | "refusal" | "text"),
            };
            if !fits && self.own {
                let value = part.get("type").unwrap_or(part.raw);
                let text = format!(
                    "a part of type {} in a message of {}",
                    quoted(kind),
                    quoted(&item.role)
                );
                report.under(&CONTENT_TYPE_ROLE, part.place, &["type"], value, text);
            }
            self.part(report, &part);
        }
    }

    fn part(&mut self, report: &mut Report<'_>, part: &Block<'a>) {
        match part.kind.as_ref() {
            "input_image" => {
                if let Some(url) = part.fields.given("image_url") {
                    self.pictures.url(report, part.place, &["image_url"], url);
                }
                let detail = part.get("detail");
                self.pictures
                    .detail(report, false, part.place, &["detail"], detail);
            }
            "input_file" => openai::file(report, part.place, &[], part.raw, false),
            _ => {}
        }
    }

    fn detached(&mut self, report: &mut Report<'_>) {
        if let Some(spot) = self.reasoning.take() {
            let text = "the reasoning item is not followed by what it led to";
            report.at(&REASONING_DETACHED, spot.place, spot.raw, text);
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
            report.at(&REASONING_NOT_STORED, spot.place, spot.raw, text);
        }
        // OpenAI's are Fernet tokens, whose first byte is 0x80 and the next of a time.
        if let Some(value) = item.fields.given("encrypted_content")
            && let Some(text) = value.as_text()
            && self.own
            && !text.escaped().starts_with(b"gAAA")
        {
            let keys = ["encrypted_content"];
            let text =
                "not of the form that OpenAI writes: another API may have made it";
            report.under(&ENCRYPTED_FOREIGN, spot.place, &keys, value, text);
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
                let rule = &REASONING_MISSING;
                report.under(rule, item.place, &["id"], value, text);
            }
        }
        let id = item.fields.text("call_id").unwrap_or_default();
        let hosted = item.fields.text("execution").as_deref() == Some("server");
        if item.fields.given("call_id").is_none() && hosted {
            return;
        }
        call_id(report, item, &id);
        if let (Some(value), Some(name)) =
            (item.fields.get("name"), item.fields.text("name"))
        {
            openai::tool_name(report, false, item.place, &["name"], value, &name);
        }
        if let Some(text) = item.fields.text("arguments")
            && Raw::parse(text.as_bytes()).is_err()
        {
            let value = item.fields.get("arguments").unwrap_or(item.raw);
            let said = "the arguments are no JSON";
            report.under(&ARGUMENTS_JSON, item.place, &["arguments"], value, said);
        }
        let before = self.open.insert(id.clone(), self.calls.len());
        if before.is_some() {
            duplicate(report, spot, &id);
        }
        self.calls.push(Call {
            spot,
            id,
            custom: item.kind == "custom_tool_call",
            excused: self.searched && item.kind == "tool_search_call",
            answered: false,
        });
    }

    fn output(&mut self, report: &mut Report<'_>, item: &Message<'a>) {
        if item.fields.given("call_id").is_none() {
            if item.kind == "function_call_output" {
                let text = "the output has no `call_id`";
                report.at(&OUTPUT_NO_CALL_ID, item.place, item.raw, text);
            }
            return;
        }
        let id = item.fields.text("call_id").unwrap_or_default();
        call_id(report, item, &id);
        self.held(report, item);
        let call = self
            .open
            .get(&id)
            .and_then(|&index| self.calls.get_mut(index));
        let text = match call {
            Some(call) if !call.answered => {
                call.answered = true;
                let custom = item.kind == "custom_tool_call_output";
                let function = item.kind == "function_call_output";
                if custom && !call.custom || function && call.custom {
                    let text = "the output is of another kind than its call";
                    report.at(&CUSTOM_TOOL, item.place, item.raw, text);
                }
                return;
            }
            Some(_) => format!("a second output for the call {}", quoted(&id)),
            None if self.stored => return,
            None => format!("no call {} before this output", quoted(&id)),
        };
        report.at(&RESULT_ORPHAN, item.place, item.raw, text);
    }
}

impl<'a> Walk<'a> {
    /// Judges what an output holds.
    fn held(&mut self, report: &mut Report<'_>, item: &Message<'a>) {
        if item.kind != "function_call_output" {
            return;
        }
        let Some(output) = item.fields.get("output") else {
            return;
        };
        let keys = ["output"];
        match output.kind() {
            Kind::String if output.bytes().len() > 10_485_762 => {
                let text = format!("{} bytes of output", output.bytes().len());
                report.under(&OUTPUT_PARTS, item.place, &keys, output, text);
            }
            Kind::String => {}
            Kind::Array => {
                let odd = output.as_array().into_iter().flatten().find(|part| {
                    let kind = part.get("type").and_then(Raw::as_str);
                    !matches!(
                        kind.as_deref(),
                        Some("input_text" | "input_image" | "input_file")
                    )
                });
                if odd.is_some() {
                    let text =
                        "a part that is no `input_text`, `input_image` or `input_file`";
                    report.under(&OUTPUT_PARTS, item.place, &keys, output, text);
                }
            }
            kind => {
                let text = format!("expected a string or parts, found {}", kind.name());
                report.under(&OUTPUT_PARTS, item.place, &keys, output, text);
            }
        }
    }
}

/// Judges the `call_id` of a call or an output.
fn call_id(report: &mut Report<'_>, item: &Message<'_>, id: &str) {
    let length = id.chars().count();
    if (1..=64).contains(&length) {
        return;
    }
    let (value, keys) = match item.fields.get("call_id") {
        Some(value) => (value, &["call_id"][..]),
        None => (item.raw, &[][..]),
    };
    let text = format!("a `call_id` of {length} characters, 1 to 64 are taken");
    report.under(&CALL_ID_LENGTH, item.place, keys, value, text);
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
    report.under(&ROLE_UNKNOWN, message.place, &["role"], value, text);
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
    report.under(&ARGUMENTS_TYPE, spot.place, keys, value, text);
}

/// Reports a second call of one id.
pub(super) fn duplicate(report: &mut Report<'_>, spot: Spot<'_>, id: &str) {
    let text = format!("a second call with the id {}", quoted(id));
    report.at(&CALL_ID_DUPLICATE, spot.place, spot.raw, text);
}
