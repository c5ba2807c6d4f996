//! What Chat Completions and Responses have in common: tools, parameters,
//! pictures, and which model takes which.

use super::report::Report;
use super::schema::{self, Taker, Where};
use crate::block::picture::{self, Bytes};
use crate::body::{Body, Dialect, Fields, Place, Provider};
use crate::error::Severity;
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::model::openai::{Family, family_of};
use crate::term::{counted, quoted};

const API: &str = "https://developers.openai.com/api/reference/resources/chat";
const CALLING: &str = "https://developers.openai.com/api/docs/guides/function-calling";

family! { "openai";
    TOOL_NAME_PATTERN: Error "openai-tool-name-pattern", "https://github.com/brekkylab/ailoy/issues/109";
    "the name of a tool has characters that the API refuses";
    "names are letters, digits, `_` and `-`";
    "rename the tool, in the history too";

    TOOL_NAME_LENGTH: Error "openai-tool-name-length", "https://github.com/home-assistant/core/issues/121325";
    "the name of a tool is longer than the API takes";
    "64 characters for Chat Completions, 128 by the schema of Responses";
    "rename the tool, in the history too";

    TOOL_COUNT: Error "openai-tool-count", "https://github.com/zed-industries/zed/issues/42393";
    "there are more than 128 tools";
    "Chat Completions refuses them";
    "offer fewer tools at a time";

    TOOL_SHAPE: Error "openai-tool-shape", CALLING;
    "a tool has the shape of the other API";
    "Chat Completions nests a tool under `function`, Responses is flat";
    "write it in this API's shape";

    TOOL_CHOICE_SHAPE: Error "openai-tool-choice-shape", CALLING;
    "`tool_choice` has no shape that the API takes";
    "it is `none`, `auto`, `required`, or an object with a `type` and a name";
    "say it in one of these forms";

    TOOL_CHOICE_UNKNOWN: Warning "openai-tool-choice-unknown", CALLING;
    "`tool_choice` names a tool that `tools` lacks";
    "the model cannot call it";
    "declare the tool, or choose another";

    PARALLEL_NO_TOOLS: Error "openai-parallel-no-tools", "https://github.com/openai/swarm/issues/30";
    "`parallel_tool_calls` is given, and there are no tools";
    "Chat Completions refuses it";
    "leave it out";

    MAX_TOKENS_PARAM: Error "openai-max-tokens-param", "https://github.com/BerriAI/litellm/issues/13381";
    "`max_tokens` is not a parameter of this model";
    "reasoning models count what they think too";
    "say `max_completion_tokens`";

    SAMPLING_REASONING: Error "openai-sampling-reasoning", "https://github.com/BerriAI/litellm/issues/39631";
    "a sampling parameter is given while the model reasons";
    "reasoning models take none";
    "leave it out, or switch reasoning off where the model can";

    EFFORT_MODEL: Error "openai-effort-model", "https://github.com/anomalyco/opencode/issues/4451";
    "the model does not take this effort";
    "each model has a list of efforts";
    "ask for one of the model's own";

    TOOLS_EFFORT: Error "openai-tools-effort", "https://github.com/openai/openai-openapi/issues/541";
    "the model calls no tools here while it reasons";
    "from GPT-5.4 on, Chat Completions takes tools with effort `none` only";
    "use Responses, or set `reasoning_effort` to `none`";

    STOP: Error "openai-stop", API;
    "`stop` is more than the API takes";
    "four strings at most; reasoning models take none";
    "leave some out";

    VERBOSITY_MODEL: Error "openai-verbosity-model", "https://github.com/google-deepmind/concordia/issues/164";
    "the model does not take this verbosity";
    "models before GPT-5 know `medium` alone";
    "leave it out";

    FORMAT_NAME: Error "openai-format-name", API;
    "a JSON schema format has no name, or one that is refused";
    "the name is up to 64 letters, digits, `_` and `-`";
    "name the format so";

    JSON_OBJECT_WORD: Error "openai-json-object-word", "https://github.com/ultimatejimmy/xray.koplugin/issues/33";
    "JSON mode is on, and no message speaks of JSON";
    "the API wants the word in the prompt, lest the model never stop";
    "ask for JSON in words too";

    METADATA: Error "openai-metadata", "https://github.com/spiceai/docs/issues/928";
    "`metadata` is more than the API takes";
    "16 keys of 64 characters, with strings of 512";
    "shorten it";

    IDENTIFIER_LENGTH: Error "openai-identifier-length", API;
    "an identifier is longer than 64 characters";
    "the API refuses it";
    "send a digest of it";

    SERVICE_TIER: Warning "openai-service-tier", API;
    "the service tier is not one that this model is served in";
    "the API refuses unknown tiers";
    "leave it out";

    IMAGE_TYPE: Error "openai-image-type", "https://github.com/marketing-factory/ai-filemetadata/issues/18";
    "a picture is of a type that the API does not take";
    "PNG, JPEG, GIF and WebP are taken";
    "convert it";

    IMAGE_LIMITS: Warning "openai-image-limits", "https://github.com/juspay/neurolink/issues/755";
    "there are more pictures, or larger ones, than the API takes";
    "500 pictures in a request; 20,971,520 characters of one URL";
    "leave the oldest out, or scale them down";

    IMAGE_DETAIL: Error "openai-image-detail", API;
    "`detail` of a picture is no such value";
    "`low`, `high` and `auto`; Responses knows `original` too";
    "leave it out";

    FILE_PART: Error "openai-file-part", API;
    "a file is given in no way, or in several";
    "one of `file_id`, `file_data`, `file_url`";
    "give it in one way";
}

/// A body of either API, with what its model is known for.
struct Judge<'b, 'r, 'p> {
    body: &'b Body<'b>,
    report: &'r mut Report<'p>,
    chat: bool,
    family: Option<&'static Family>,
    /// The parameters are OpenAI's own, not those of a server like it.
    own: bool,
    /// Strict schemas are OpenAI's to judge.
    strict: bool,
}

fn legal(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

pub(super) fn check(body: &Body<'_>, report: &mut Report<'_>) {
    let name = report.profile.name.clone().unwrap_or_default();
    let mut judge = Judge {
        body,
        chat: body.dialect == Dialect::Chat,
        own: body.provider == Provider::OpenAi,
        strict: body.provider == Provider::OpenAi || name.starts_with("openai/"),
        family: family_of(&name),
        report,
    };
    judge.tools();
    judge.choice();
    if judge.own {
        judge.reasoning();
        judge.strings();
        judge.format();
    }
}

impl Judge<'_, '_, '_> {
    fn tell(
        &mut self,
        rule: &'static crate::finding::Rule,
        keys: &[&str],
        text: String,
    ) {
        let raw = self.body.raw.at(keys).unwrap_or(self.body.raw);
        self.report.under(rule, Place::Root, keys, raw, text);
    }

    fn tools(&mut self) {
        let mut count = 0;
        for tool in self.body.tools() {
            count += 1;
            let kind = tool.fields.text("type");
            let inner = tool.get("function");
            let nested = inner.is_some_and(|raw| raw.kind() == Kind::Object);
            if kind.as_deref() == Some("function") && nested != self.chat {
                let text = match self.chat {
                    true => "a flat tool, in Chat Completions",
                    false => "a tool nested under `function`, in Responses",
                };
                self.report.at(&TOOL_SHAPE, tool.place, tool.raw, text);
                continue;
            }
            if kind.as_deref() != Some("function") {
                continue;
            }
            let (fields, keys): (Fields<'_>, &[&str]) = match inner {
                Some(inner) if self.chat => (Fields::read(inner), &["function"]),
                _ => (tool.fields.clone(), &[]),
            };
            let under = |key| [keys, &[key]].concat();
            if let Some(value) = fields.get("name")
                && let Some(name) = value.as_str()
            {
                tool_name(
                    self.report,
                    self.chat,
                    tool.place,
                    &under("name"),
                    value,
                    &name,
                );
            }
            let Some(schema) = fields.given("parameters") else {
                continue;
            };
            let strict = fields.get("strict").and_then(Raw::as_bool) == Some(true);
            let keys = under("parameters");
            // What strict schemas may hold is OpenAI's rule, also behind a gateway.
            let checked = strict && self.strict;
            let at = Where {
                place: tool.place,
                keys: &keys,
            };
            schema::openai_root(self.report, &at, schema);
            schema::check(self.report, &at, schema, Taker::OpenAi { strict: checked });
            if strict && self.body.provider == Provider::Cerebras {
                let value = fields.get("strict").unwrap_or(tool.raw);
                let text = "the tool is strict";
                let rule = &schema::CEREBRAS_STRICT;
                self.report
                    .under(rule, tool.place, &under("strict"), value, text);
            }
        }
        if count > 128 {
            let text = format!("{}, 128 are allowed", counted(count, "tool"));
            self.tell(&TOOL_COUNT, &["tools"], text);
            if !self.chat {
                self.report.last_as(Severity::Warning);
            }
        }
        if count == 0 && self.chat && self.own {
            let key = "parallel_tool_calls";
            if self.body.fields.given(key).is_some() {
                let text = "`parallel_tool_calls` without tools".to_owned();
                self.tell(&PARALLEL_NO_TOOLS, &[key], text);
            }
        }
    }

    fn choice(&mut self) {
        let Some(choice) = self.body.fields.given("tool_choice") else {
            return;
        };
        let keys = ["tool_choice"];
        if let Some(word) = choice.as_str() {
            if !matches!(word.as_ref(), "none" | "auto" | "required") {
                let text = format!(
                    "expected `none`, `auto` or `required`, found {}",
                    quoted(&word)
                );
                self.tell(&TOOL_CHOICE_SHAPE, &keys, text);
                // Servers like it have words of their own.
                if !self.own {
                    self.report.last_as(Severity::Warning);
                }
            }
            return;
        }
        let kind = choice.get("type").and_then(Raw::as_str);
        if choice.kind() != Kind::Object || kind.is_none() {
            let text = "expected a string, or an object with a `type`".to_owned();
            self.tell(&TOOL_CHOICE_SHAPE, &keys, text);
            return;
        }
        if kind.as_deref() != Some("function") {
            return;
        }
        let path: &[&str] = match self.chat {
            true => &["function", "name"],
            false => &["name"],
        };
        let Some(name) = choice.at(path).and_then(Raw::as_str) else {
            let text = format!("the choice has no `{}`", path.join("."));
            self.tell(&TOOL_CHOICE_SHAPE, &keys, text);
            return;
        };
        let known = self.body.tools().any(|tool| {
            let found = match self.chat {
                true => tool.get("function").and_then(|one| one.get("name")),
                false => tool.get("name"),
            };
            found.and_then(Raw::as_str).as_deref() == Some(name.as_ref())
        });
        if !known {
            let text = format!("`tools` has no {}", quoted(&name));
            self.tell(&TOOL_CHOICE_UNKNOWN, &keys, text);
        }
    }

    /// Parameters that depend on whether the model reasons.
    fn reasoning(&mut self) {
        let Some(family) = self.family else { return };
        let (path, value) = match self.chat {
            true => (vec!["reasoning_effort"], self.body.get("reasoning_effort")),
            false => (
                vec!["reasoning", "effort"],
                self.body.raw.at(&["reasoning", "effort"]),
            ),
        };
        let effort = value.and_then(Raw::as_str);
        let model = family.name;
        if let Some(effort) = &effort {
            let max = effort == "max" && self.chat && family.max_in_responses;
            if !family.efforts.contains(&effort.as_ref()) || max {
                let known: Vec<_> = family
                    .efforts
                    .iter()
                    .map(|one| format!("`{one}`"))
                    .collect();
                let text = match known.is_empty() {
                    true => format!("{model} takes no effort"),
                    false => format!(
                        "{model} takes {}, found {}",
                        known.join(", "),
                        quoted(effort)
                    ),
                };
                self.tell(&EFFORT_MODEL, &path, text);
            }
        }
        let active = match effort.as_deref() {
            Some(effort) => effort != "none" && !family.efforts.is_empty(),
            None => family.reasons,
        };
        if active {
            for key in [
                "temperature",
                "top_p",
                "presence_penalty",
                "frequency_penalty",
                "logit_bias",
                "logprobs",
                "top_logprobs",
            ] {
                let Some(value) = self.body.fields.given(key) else {
                    continue;
                };
                let quiet = matches!(key, "logprobs" if value.as_bool() == Some(false))
                    || key == "top_logprobs" && value.as_f64() == Some(0.0);
                if quiet {
                    continue;
                }
                let text = format!("`{key}` while {model} reasons");
                self.tell(&SAMPLING_REASONING, &[key], text);
                // The default value was seen to pass, a mere guess for zero.
                let number = value.as_f64();
                let default = match key {
                    "temperature" | "top_p" => number == Some(1.0),
                    _ => number == Some(0.0),
                };
                if default {
                    self.report.last_as(Severity::Warning);
                }
            }
        }
        if !self.chat {
            return;
        }
        if family.new_limit && self.body.fields.given("max_tokens").is_some() {
            let text = format!("{model} takes `max_completion_tokens`");
            self.tell(&MAX_TOKENS_PARAM, &["max_tokens"], text);
        }
        let tools = self.body.tools().next().is_some();
        if tools && family.tools_need_none && active
            || tools && family.tools_need_none && family.explicit && effort.is_none()
        {
            let text = format!("tools while {model} reasons");
            self.tell(&TOOLS_EFFORT, &["tools"], text);
        }
        if let Some(stop) = self.body.fields.given("stop") {
            let count = stop.as_array().map(Iterator::count);
            if matches!(count, Some(0 | 5..)) {
                let text = "expected one to four strings".to_owned();
                self.tell(&STOP, &["stop"], text);
            } else if family.no_stop {
                let text = format!("{model} takes no `stop`");
                self.tell(&STOP, &["stop"], text);
            }
        }
        for (key, least, most) in [("n", 1.0, 128.0), ("top_logprobs", 0.0, 20.0)] {
            if let Some(value) = self.body.fields.given(key)
                && value.as_f64().is_none_or(|n| !(least..=most).contains(&n))
            {
                let text = format!("`{key}` goes from {least} to {most}");
                self.tell(&super::chat::RANGE, &[key], text);
            }
        }
    }

    fn strings(&mut self) {
        let path: &[&str] = match self.chat {
            true => &["verbosity"],
            false => &["text", "verbosity"],
        };
        if let Some(value) = self.body.raw.at(path)
            && let Some(word) = value.as_str()
        {
            let old = self.family.is_some_and(|family| family.before_5);
            if !["low", "medium", "high"].contains(&word.as_ref())
                || old && word != "medium"
            {
                let text = format!("the verbosity {}", quoted(&word));
                self.tell(&VERBOSITY_MODEL, path, text);
            }
        }
        if let Some(metadata) = self.body.get("metadata").and_then(Raw::as_object) {
            let members: Vec<_> = metadata.collect();
            if members.len() > 16 {
                let text = format!("{} keys, 16 are allowed", members.len());
                self.tell(&METADATA, &["metadata"], text);
            }
            for (key, value) in members {
                let name = key.decode();
                let long = name.chars().count() > 64;
                let bad = match value.as_str() {
                    Some(text) => text.chars().count() > 512,
                    None => true,
                };
                if long || bad {
                    let text = "a key of 64 characters with a string of 512, at most";
                    self.tell(&METADATA, &["metadata", &name], text.to_owned());
                }
            }
        }
        for (key, sure) in [
            ("safety_identifier", true),
            ("user", false),
            ("prompt_cache_key", false),
        ] {
            if let Some(text) = self.body.fields.text(key)
                && text.chars().count() > 64
            {
                let text = format!("`{key}` of {} characters", text.chars().count());
                self.tell(&IDENTIFIER_LENGTH, &[key], text);
                if !sure {
                    self.report.last_as(Severity::Warning);
                }
            }
        }
        if let Some(tier) = self.body.fields.text("service_tier") {
            let known = ["auto", "default", "flex", "scale", "priority", "fast"];
            let old = self
                .family
                .is_some_and(|family| family.before_5 && !family.reasons);
            if !known.contains(&tier.as_ref()) || tier == "flex" && old {
                let text = format!("the tier {}", quoted(&tier));
                self.tell(&SERVICE_TIER, &["service_tier"], text);
            }
        }
    }

    fn format(&mut self) {
        let (path, name): (&[&str], &[&str]) = match self.chat {
            true => (&["response_format"], &["json_schema", "name"]),
            false => (&["text", "format"], &["name"]),
        };
        let Some(format) = self.body.raw.at(path) else {
            return;
        };
        match format.get("type").and_then(Raw::as_str).as_deref() {
            Some("json_schema") => {
                let found = format.at(name).and_then(Raw::as_str);
                let keys = [path, name].concat();
                let keys = if found.is_some() { &keys } else { path };
                if found.is_none_or(|name| !legal(&name) || name.len() > 64) {
                    let text = "a format needs a name of letters, digits, `_`, `-`";
                    self.tell(&FORMAT_NAME, keys, text.to_owned());
                }
                let outer: &[&str] = if self.chat { &["json_schema"] } else { &[] };
                let strict = format.at(&[outer, &["strict"]].concat());
                let strict = strict.and_then(Raw::as_bool) == Some(true);
                let schema = [outer, &["schema"]].concat();
                if let Some(schema_raw) = format.at(&schema) {
                    let keys = [path, &schema].concat();
                    let at = Where {
                        place: Place::Root,
                        keys: &keys,
                    };
                    schema::openai_root(self.report, &at, schema_raw);
                    let taker = Taker::OpenAi { strict };
                    schema::check(self.report, &at, schema_raw, taker);
                }
            }
            Some("json_object") => {
                let said = |raw: Option<Raw<'_>>| {
                    raw.is_some_and(|raw| {
                        memchr::memmem::find(&raw.bytes().to_ascii_lowercase(), b"json")
                            .is_some()
                    })
                };
                if !said(self.body.message_list())
                    && !said(self.body.get("instructions"))
                {
                    let text = "no message speaks of JSON".to_owned();
                    self.tell(&JSON_OBJECT_WORD, path, text);
                }
            }
            _ => {}
        }
    }
}

/// Judges the name of a tool, declared or called.
pub(super) fn tool_name(
    report: &mut Report<'_>,
    chat: bool,
    place: Place,
    keys: &[&str],
    value: Raw<'_>,
    name: &str,
) {
    if !legal(name) {
        let text = format!("the name {} is none", quoted(name));
        report.under(&TOOL_NAME_PATTERN, place, keys, value, text);
    }
    let length = name.chars().count();
    if length > 64 {
        let text = format!("a name of {length} characters, 64 are sure to be taken");
        let sure = chat || length > 128;
        let severity = report.weight(sure);
        report
            .under(&TOOL_NAME_LENGTH, place, keys, value, text)
            .weigh(severity);
    }
}

/// Pictures of a request so far.
#[derive(Default)]
pub(super) struct Pictures {
    count: usize,
}

impl Pictures {
    /// Judges one picture given by URL or data URI.
    pub(super) fn url(
        &mut self,
        report: &mut Report<'_>,
        place: Place,
        keys: &[&str],
        value: Raw<'_>,
    ) {
        self.count += 1;
        if self.count == 501 {
            let text = "the 501st picture, 500 are allowed";
            report.under(&IMAGE_LIMITS, place, keys, value, text);
        }
        let Some(url) = value.as_text() else { return };
        if url.escaped().len() > 20_971_520 {
            let text = format!("{} characters", url.escaped().len());
            report
                .under(&IMAGE_LIMITS, place, keys, value, text)
                .weigh(Severity::Error);
        }
        let decoded = picture::base64_of(url);
        let Some(rest) = decoded.strip_prefix(b"data:") else {
            return;
        };
        let Some(comma) = memchr::memchr(b',', rest) else {
            return;
        };
        let media = String::from_utf8_lossy(&rest[..comma]).to_ascii_lowercase();
        let media = media.split(';').next().unwrap_or_default();
        let taken = ["image/png", "image/jpeg", "image/gif", "image/webp"];
        if media == "image/jpg" {
            let text = "`image/jpg` is no media type";
            report
                .under(&IMAGE_TYPE, place, keys, value, text)
                .weigh(Severity::Warning)
                .hint("say `image/jpeg`");
        } else if !taken.contains(&media) {
            let text = format!("pictures of type {} are not taken", quoted(media));
            report.under(&IMAGE_TYPE, place, keys, value, text);
        } else if let Bytes::Head(start) = picture::head(&rest[comma + 1..], 12)
            && let Some(found) = picture::magic(&start)
            && !taken.contains(&found)
        {
            let text = format!("the bytes are `{found}`");
            report.under(&IMAGE_TYPE, place, keys, value, text);
        }
    }

    /// Judges the `detail` of a picture.
    pub(super) fn detail(
        &self,
        report: &mut Report<'_>,
        chat: bool,
        place: Place,
        keys: &[&str],
        value: Option<Raw<'_>>,
    ) {
        let Some(value) = value.filter(|value| !value.is_null()) else {
            return;
        };
        let word = value.as_str().unwrap_or_default();
        let fits = matches!(word.as_ref(), "low" | "high" | "auto")
            || word == "original" && !chat;
        if !fits {
            let text = format!("the detail {}", quoted(&word));
            report.under(&IMAGE_DETAIL, place, keys, value, text);
        }
    }
}

/// Judges the ways in which a file is given.
pub(super) fn file(
    report: &mut Report<'_>,
    place: Place,
    keys: &[&str],
    raw: Raw<'_>,
    chat: bool,
) {
    let ways: &[&str] = match chat {
        true => &["file_id", "file_data"],
        false => &["file_id", "file_data", "file_url"],
    };
    let given = |key: &&&str| raw.get(key).is_some_and(|value| !value.is_null());
    let count = ways.iter().filter(given).count();
    if count != 1 {
        let text = format!("one of `{}`, found {count}", ways.join("`, `"));
        report.under(&FILE_PART, place, keys, raw, text);
    }
}
