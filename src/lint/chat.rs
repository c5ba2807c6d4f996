//! Chat completions and Ollama: roles, calls and results, late system messages
//! (`docs/lint.md#sources`).
//!
//! OpenRouter and Cerebras check what they are sent; for llama.cpp and Ollama
//! the model's template decides, and findings are warnings. Ollama's calls have
//! no ids: its results answer them in order.

use super::openai::{self, Pictures};
use super::report::{Report, Spot};
use super::responses::{arguments, duplicate, required, role};
use crate::body::{Block, Body, Dialect, Message, Place, Provider};
use crate::error::Severity;
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::term::quoted;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

const API: &str = "https://developers.openai.com/api/reference/resources/chat";

const CHAT: &str = "https://developers.openai.com/api/docs/guides/function-calling";

family! { "chat";
    SYSTEM_LATE: Warning "system-late", "https://github.com/ollama/ollama/issues/17774";
    "a system message stands behind other messages";
    "the model's template decides what becomes of it: some refuse it, some use one only";
    "put all system text at the head";

    CHOICE_OBJECT: Warning "choice-object", CHAT;
    "`tool_choice` is an object";
    "llama.cpp is reported to read an object as `auto`";
    "offer that tool alone and say `required`";

    MESSAGES_EMPTY: Error "chat-messages-empty", API;
    "there is no message, or one without parts";
    "a request needs something to answer";
    "add a user message; leave an empty one out";

    CALL_ID_LENGTH: Error "chat-call-id-length", "https://github.com/langmanus/langmanus/issues/119";
    "the id of a call is longer than the API takes";
    "64 characters are refused, 40 is what clients keep to";
    "shorten it, in the result too";

    CONTENT_NULL: Error "chat-content-null", "https://github.com/run-llama/llama_index/issues/17555";
    "a message has no content";
    "only an assistant message with calls may do without; an empty string is fine";
    "leave the message out, or write an empty string";

    PART_TYPE_ROLE: Error "chat-part-type-role", API;
    "a part of this type does not go with the message's role";
    "pictures, sound and files are the user's; all others write text";
    "move it to a message of the user";

    ROLE_MODEL: Warning "chat-role-model", API;
    "instructions stand in a role that the model does not take, or in two";
    "the first reasoning models refuse `system`; newer ones take `developer` for it, and both together badly";
    "use the one role that the model has";

    RANGE: Error "chat-range", API;
    "a number is out of its range";
    "the API refuses it";
    "keep to the range";

    ROUTER_VALUES: Warning "openrouter-values", "https://github.com/pipeshub-ai/pipeshub-ai/issues/2858";
    "a value is one that OpenRouter does not take";
    "`user` has 128 characters at most, efforts have seven names";
    "shorten it, or name one of the efforts";

    ROUTER_UPSTREAM: Note "openrouter-upstream", "https://github.com/charmbracelet/crush/issues/279";
    "the vendor behind the gateway refuses this";
    "OpenRouter hands messages on, and its answer wraps the vendor's error";
    "keep to the vendor's own rules";

    ROUTER_ENDPOINT: Note "openrouter-no-endpoint", "https://github.com/zed-industries/zed/issues/36094";
    "there may be no host that takes tools for this model";
    "the free variants are served by few hosts, and where none takes tools the answer is 404";
    "look on the model's page whether its hosts take tools, or ask for the paid variant";

    OLLAMA_CONTENT: Error "ollama-content-string", "https://github.com/BerriAI/litellm/issues/11273";
    "the content of a message is no string";
    "Ollama's own API takes strings; pictures go into `images`";
    "join the parts into one string";

    OLLAMA_IMAGE: Error "ollama-image-raw", "https://github.com/ollama/ollama-js/issues/68";
    "a picture is no bare base64";
    "Ollama takes neither URLs nor data URIs";
    "send the base64 alone";

    TWO_AT_END: Error "llamacpp-two-assistant-end", "https://github.com/ggml-org/llama.cpp/issues/13174";
    "the last two messages are the assistant's";
    "llama.cpp refuses it";
    "join them";

    PREFILL_THINKING: Warning "llamacpp-prefill-thinking", "https://github.com/ggml-org/llama.cpp/issues/21889";
    "the last message is the assistant's";
    "templates that think by default refuse to go on from it";
    "end with a user message, or switch thinking off in the template";

    ALTERNATE: Warning "llamacpp-alternate", "https://github.com/ggml-org/llama.cpp/issues/19851";
    "user and assistant do not alternate";
    "templates of Mistral and Gemma refuse it";
    "join neighbours of one role";

    CONTENT_AND_THINKING: Warning "llamacpp-content-and-thinking", "https://github.com/ggml-org/llama.cpp/issues/17040";
    "a message with calls has both content and thinking";
    "the template of gpt-oss refuses it";
    "leave one of them empty";

    CEREBRAS_REASONING: Error "cerebras-reasoning-content", "https://github.com/egoist/chatwise-releases/issues/1442";
    "a message has `reasoning_content`";
    "Cerebras refuses the field";
    "say `reasoning`, or leave it out";

    CEREBRAS_PARAM: Error "cerebras-unsupported-param", "https://github.com/pydantic/pydantic-ai/blob/main/pydantic_ai_slim/pydantic_ai/providers/cerebras.py";
    "a parameter is one that Cerebras does not take";
    "penalties, `logit_bias`, `parallel_tool_calls` and `service_tier` are not supported";
    "leave it out";
}

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
    provider: Option<Provider>,
    pictures: Pictures,
    /// Roles of the last two messages, calls and results aside.
    roles: [Option<&'static str>; 2],
    instructed: [bool; 2],
    systems: usize,
    last: Option<Spot<'a>>,
}

const ROLES: &[&str] = &["system", "developer", "user", "assistant", "tool"];
const OLLAMA: &[&str] = &["system", "user", "assistant", "tool"];

pub(super) fn check(body: &Body<'_>, report: &mut Report<'_>) {
    required(body, report);
    let ollama = body.dialect == Dialect::Ollama;
    let local = ollama || body.provider == Provider::LlamaCpp;
    let mut walk = Walk {
        ids: !ollama,
        lenient: local,
        calls: Vec::new(),
        open: HashMap::new(),
        next: 0,
        seen: HashSet::new(),
        spoken: false,
        provider: Some(body.provider),
        pictures: Pictures::default(),
        roles: [None; 2],
        instructed: [false; 2],
        systems: 0,
        last: None,
    };
    if !ollama {
        openai::check(body, report);
    }
    fields(body, report);
    for message in body.messages() {
        role(report, &message, if ollama { OLLAMA } else { ROLES });
        walk.message(report, &message);
        match message.role.as_ref() {
            "system" | "developer" => {
                let again = body.provider == Provider::LlamaCpp && walk.systems > 1;
                let own =
                    matches!(body.provider, Provider::Cerebras | Provider::OpenAi);
                if (walk.spoken || again) && !own {
                    let text = "a system message behind other messages";
                    let severity = if local {
                        Severity::Warning
                    } else {
                        Severity::Note
                    };
                    let rule = &SYSTEM_LATE;
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
    walk.end(report);
    if body.provider == Provider::LlamaCpp
        && let Some(choice) = body.get("tool_choice")
        && choice.kind() == Kind::Object
    {
        let text = "`tool_choice` is an object";
        let rule = &CHOICE_OBJECT;
        report.under(rule, Place::Root, &["tool_choice"], choice, text);
    }
}

/// Fields of the request that one of the servers does not take.
fn fields(body: &Body<'_>, report: &mut Report<'_>) {
    let list = body.message_list();
    let empty = list.is_some_and(|list| {
        list.as_array().is_some_and(|mut all| all.next().is_none())
    });
    if empty && body.provider == Provider::OpenAi {
        let raw = list.unwrap_or(body.raw);
        let text = "no message";
        report.under(&MESSAGES_EMPTY, Place::Root, &["messages"], raw, text);
    }
    if body.provider == Provider::Cerebras {
        for key in [
            "frequency_penalty",
            "presence_penalty",
            "logit_bias",
            "service_tier",
            "parallel_tool_calls",
        ] {
            if let Some(value) = body.fields.given(key) {
                let text = format!("`{key}` is not taken");
                let found =
                    report.under(&CEREBRAS_PARAM, Place::Root, &[key], value, text);
                // Taken in recorded requests, though the page says otherwise.
                if key == "parallel_tool_calls" {
                    found.weigh(Severity::Warning);
                }
            }
        }
    }
    if body.provider == Provider::OpenRouter {
        let name = report.profile.name.as_deref().unwrap_or_default();
        if name.ends_with(":free") && body.tools().next().is_some() {
            let text = format!("tools for {}", quoted(name));
            let raw = body.get("tools").unwrap_or(body.raw);
            report.under(&ROUTER_ENDPOINT, Place::Root, &["tools"], raw, text);
        }
        if let Some(user) = body.fields.text("user")
            && user.chars().count() > 128
        {
            let value = body.get("user").unwrap_or(body.raw);
            let text = format!("`user` of {} characters", user.chars().count());
            report.under(&ROUTER_VALUES, Place::Root, &["user"], value, text);
        }
        if let Some(value) = body.raw.at(&["reasoning", "effort"])
            && let Some(word) = value.as_str()
        {
            let known = ["max", "xhigh", "high", "medium", "low", "minimal", "none"];
            if !known.contains(&word.as_ref()) {
                let text = format!("the effort {}", quoted(&word));
                let keys = ["reasoning", "effort"];
                report.under(&ROUTER_VALUES, Place::Root, &keys, value, text);
            }
        }
    }
}

impl<'a> Walk<'a> {
    /// Judges what a message holds.
    fn message(&mut self, report: &mut Report<'_>, message: &Message<'a>) {
        let spot = Spot {
            place: message.place,
            raw: message.raw,
        };
        let role = message.role.as_ref();
        let calls = message.calls().next().is_some();
        let own = self.provider == Some(Provider::OpenAi);
        let content = message.content.filter(|content| !content.is_null());
        if own && content.is_none() && role != "tool" {
            let excused = role == "assistant"
                && (calls
                    || ["refusal", "audio", "function_call"]
                        .iter()
                        .any(|key| message.fields.given(key).is_some()));
            if !excused {
                let text = format!("a message of {} without content", quoted(role));
                report.at(&CONTENT_NULL, spot.place, spot.raw, text);
            }
        }
        let list = content.is_some_and(|content| content.kind() == Kind::Array);
        if self.provider == Some(Provider::Ollama) {
            if let Some(value) = content.filter(|_| list) {
                let text = "the content is a list of parts";
                report.under(&OLLAMA_CONTENT, spot.place, &["content"], value, text);
            }
            let images = message.fields.get("images").and_then(Raw::as_array);
            for (index, value) in images.into_iter().flatten().enumerate() {
                if value.as_str().is_some_and(|text| text.contains(':')) {
                    let index = index.to_string();
                    let keys = ["images", index.as_str()];
                    let text = "a URL or data URI where base64 is wanted";
                    report.under(&OLLAMA_IMAGE, spot.place, &keys, value, text);
                }
            }
            return;
        }
        if list && own && message.blocks().next().is_none() {
            let text = "a message without parts";
            report.at(&MESSAGES_EMPTY, spot.place, spot.raw, text);
        }
        for part in message.blocks().filter(|part| !part.bare) {
            self.part(report, role, &part);
        }
        if self.provider == Some(Provider::Cerebras)
            && let Some(value) = message.fields.given("reasoning_content")
        {
            let keys = ["reasoning_content"];
            let text = "`reasoning_content` on a message";
            report.under(&CEREBRAS_REASONING, spot.place, &keys, value, text);
        }
        match role {
            "system" => {
                self.systems += 1;
                self.instructed[0] = true;
            }
            "developer" => {
                self.systems += 1;
                self.instructed[1] = true;
            }
            _ => {}
        }
        let refused = || {
            let name = report.profile.name.as_deref().unwrap_or_default();
            name.starts_with("o1-mini") || name.starts_with("o1-preview")
        };
        if own && matches!(role, "system" | "developer") && refused() {
            let text = format!("the model takes no message of {}", quoted(role));
            report
                .at(&ROLE_MODEL, spot.place, spot.raw, text)
                .weigh(Severity::Error)
                .hint("put the instructions into the first user message");
        }
        if own && self.instructed == [true, true] {
            self.instructed = [false, false];
            let text = "`system` and `developer` in one body";
            report.at(&ROLE_MODEL, spot.place, spot.raw, text);
        }
        if self.provider != Some(Provider::LlamaCpp) {
            return;
        }
        let thinks = ["thinking", "reasoning", "reasoning_content"]
            .iter()
            .any(|key| {
                message
                    .fields
                    .text(key)
                    .is_some_and(|text| !text.is_empty())
            });
        let says = content.is_some_and(|content| content.bytes().len() > 2);
        if calls && thinks && says {
            let text = "calls beside both content and thinking";
            report.at(&CONTENT_AND_THINKING, spot.place, spot.raw, text);
        }
        let name = match role {
            "user" => "user",
            "assistant" => "assistant",
            _ => "",
        };
        let name = (!name.is_empty() && !calls).then_some(name);
        if let Some(name) = name
            && self.roles[1] == Some(name)
            && name == "user"
        {
            let text = "two messages of the user in a row";
            report.at(&ALTERNATE, spot.place, spot.raw, text);
        }
        self.roles = [
            self.roles[1],
            name.or((role == "tool" || calls).then_some("tool")),
        ];
        self.last = Some(spot);
    }

    fn part(&mut self, report: &mut Report<'_>, role: &str, part: &Block<'a>) {
        let kind = part.kind.as_ref();
        let checks = self.provider == Some(Provider::OpenAi);
        let fits = match role {
            "user" => {
                matches!(kind, "text" | "image_url" | "input_audio" | "file" | "")
            }
            "assistant" => matches!(kind, "text" | "refusal" | ""),
            _ => matches!(kind, "text" | ""),
        };
        if checks && !fits {
            let value = part.get("type").unwrap_or(part.raw);
            let text = format!(
                "a part of type {} in a message of {}",
                quoted(kind),
                quoted(role)
            );
            report.under(&PART_TYPE_ROLE, part.place, &["type"], value, text);
        }
        match kind {
            "image_url" if checks => {
                let inner = part.get("image_url");
                if let Some(url) = inner.and_then(|inner| inner.get("url")) {
                    let keys = ["image_url", "url"];
                    self.pictures.url(report, part.place, &keys, url);
                }
                let detail = inner.and_then(|inner| inner.get("detail"));
                let keys = ["image_url", "detail"];
                self.pictures
                    .detail(report, true, part.place, &keys, detail);
            }
            "file" if checks => {
                if let Some(file) = part.get("file") {
                    openai::file(report, part.place, &["file"], file, true);
                }
            }
            "text" if self.provider == Some(Provider::OpenRouter) => {
                let google = report
                    .profile
                    .name
                    .as_deref()
                    .is_some_and(|name| name.starts_with("google/"));
                if google
                    && let Some(text) = part.get("text")
                    && text.bytes().len() == 2
                {
                    let said = "Gemini refuses a part without text";
                    report.under(&ROUTER_UPSTREAM, part.place, &["text"], text, said);
                }
            }
            _ => {}
        }
    }

    /// How the messages end.
    fn end(&mut self, report: &mut Report<'_>) {
        if self.provider != Some(Provider::LlamaCpp) {
            return;
        }
        let Some(spot) = self.last else { return };
        match self.roles {
            [Some("assistant"), Some("assistant")] => {
                let text = "the last two messages are the assistant's";
                report.at(&TWO_AT_END, spot.place, spot.raw, text);
            }
            [_, Some("assistant")] => {
                let text = "the last message is the assistant's";
                report.at(&PREFILL_THINKING, spot.place, spot.raw, text);
            }
            _ => {}
        }
    }

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
        if self.ids {
            let length = id.chars().count();
            if length > 40 && self.provider == Some(Provider::OpenAi) {
                let severity = report.weight(length > 64);
                let text = format!("an id of {length} characters");
                let value = call.get("id").unwrap_or(call.raw);
                report
                    .under(&CALL_ID_LENGTH, call.place, &["id"], value, text)
                    .weigh(severity);
            }
            if let (Some(value), Some(text)) = (name, name.and_then(Raw::as_str))
                && self.provider == Some(Provider::OpenAi)
            {
                let keys = ["function", "name"];
                openai::tool_name(report, true, call.place, &keys, value, &text);
            }
        }
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
            .at(
                &super::responses::RESULT_ORPHAN,
                message.place,
                message.raw,
                text,
            )
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
                    &super::responses::CALL_UNANSWERED,
                    call.spot.place,
                    call.spot.raw,
                    text,
                )
                .weigh(severity);
        }
    }
}
