//! The fields of a Messages request beside its content (`docs/lint.md#sources`).

use super::catalogue::page::{CACHING, ERRORS, MESSAGES, THINKING, VERSION};
use super::fields;
use super::report::Report;
use crate::body::{Body, Place};
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::model::{Feature, Platform};
use crate::term::quoted;
use std::borrow::Cow;

family! { "request";
    REQUIRED_FIELD: Error "required-field", MESSAGES;
    "a field that must be there is missing";
    "the API refuses the request";
    "add the field";

    FIELD_TYPE: Error "field-type", MESSAGES;
    "a field holds a value of a kind or range that it cannot have";
    "the API refuses the request";
    "correct the value";

    UNKNOWN_FIELD: Error "unknown-field", MESSAGES;
    "a field is none the API knows at its place";
    "unknown fields are refused, and fields of a beta are unknown without its header";
    "leave the field out, or send the header it needs";

    REQUEST_LIMIT: Error "request-limit", ERRORS;
    "the request is larger than one may be";
    "32 MB, 100,000 messages and 20 MCP servers are the most; the API refuses more";
    "compact the conversation, or refer to files instead of sending them";

    MODEL_UNKNOWN: Warning "model-unknown", ERRORS;
    "the model is not in the table";
    "the body is judged as one for the newest model, with warnings where that matters";
    "check the spelling, or describe the model with `--model-details`";

    THINKING_TYPE_MODEL: Error "thinking-type-model", THINKING;
    "the model refuses this type of thinking";
    "which types a model takes changed from generation to generation";
    "use `adaptive` on models since 4.6, `enabled` with a budget on older ones";

    SAMPLING_UNSUPPORTED: Error "sampling-unsupported", VERSION;
    "a sampling parameter is set where it is refused";
    "models since 4.7 take the defaults only, and API version 2026-10-21 takes none at all";
    "leave the parameter out";

    PREWARM_CONFLICT: Error "prewarm-conflict", CACHING;
    "a request with `max_tokens` 0 asks for something that needs an answer";
    "such a request only fills the cache";
    "leave the other parameter out";
}

const ROOT: Place = Place::Root;

pub(super) fn check(body: &Body<'_>, report: &mut Report<'_>) {
    required(body, report);
    known(body, report);
    model(body, report);
    thinking(body, report);
    sampling(body, report);
    prewarm(body, report);
    limits(body, report);
}

fn limits(body: &Body<'_>, report: &mut Report<'_>) {
    let limits = *report.profile.limits();
    let bytes = body.raw.bytes().len();
    let rule = &REQUEST_LIMIT;
    if bytes > limits.request_bytes {
        let platform = report.profile.platform.name();
        let most = limits.request_bytes;
        let text = format!("{bytes} bytes, {most} are allowed on {platform}");
        // What a cloud takes less than the vendor is a figure clients go by.
        let sure = bytes > report.profile.published().request_bytes;
        let severity = report.weight(sure);
        report.at(rule, ROOT, body.raw, text).weigh(severity);
    }
    for (key, most) in [
        ("messages", limits.messages),
        ("mcp_servers", limits.mcp_servers),
    ] {
        let Some(list) = body.get(key) else { continue };
        // Below the limit even without a look at the entries.
        if list.bytes().len() / 2 <= most {
            continue;
        }
        let count = list.as_array().map_or(0, Iterator::count);
        if count > most {
            let text = format!("{count} entries, {most} are allowed");
            report.under(rule, ROOT, &[key], list, text);
        }
    }
}

fn required(body: &Body<'_>, report: &mut Report<'_>) {
    let in_address = report.profile.platform != Platform::ClaudeApi;
    let given = report.profile.name.is_some() && body.get("model").is_none();
    for key in ["model", "messages", "max_tokens"] {
        let known = key == "model" && (given || in_address);
        if body.get(key).is_none() && !known {
            let text = format!("the body has no `{key}`");
            report.at(&REQUIRED_FIELD, ROOT, body.raw, text);
        }
    }
    let kinds: [(&str, &[Kind]); 10] = [
        ("model", &[Kind::String]),
        ("messages", &[Kind::Array]),
        ("max_tokens", &[Kind::Number]),
        ("system", &[Kind::String, Kind::Array, Kind::Null]),
        ("tools", &[Kind::Array, Kind::Null]),
        ("tool_choice", &[Kind::Object, Kind::Null]),
        ("thinking", &[Kind::Object, Kind::Null]),
        ("output_config", &[Kind::Object, Kind::Null]),
        ("stream", &[Kind::Bool, Kind::Null]),
        ("stop_sequences", &[Kind::Array, Kind::Null]),
    ];
    for (key, kinds) in kinds {
        if let Some(value) = body.get(key)
            && !kinds.contains(&value.kind())
        {
            let (want, found) = (kinds[0].name(), value.kind().name());
            let text = format!("expected {want}, found {found}");
            report.under(&FIELD_TYPE, ROOT, &[key], value, text);
        }
    }
    if let Some(most) = body.get("max_tokens")
        && most.kind() == Kind::Number
        && most.as_u64().is_none()
    {
        let text = "expected a whole number that is not negative";
        report.under(&FIELD_TYPE, ROOT, &["max_tokens"], most, text);
    }
    if let Some(config) = body.fields.given("output_config") {
        fields::effort(report, ROOT, config);
    }
    choice(body, report);
    if let Some(thinking) = body.fields.given("thinking") {
        let kind = text(thinking, "type");
        let budget = thinking.get("budget_tokens");
        let missing = match kind.as_deref() {
            None => "type",
            Some("enabled") if budget.is_none() => "budget_tokens",
            _ => return,
        };
        let text = format!("`thinking` has no `{missing}`");
        report.under(&REQUIRED_FIELD, ROOT, &["thinking"], thinking, text);
    }
}

fn choice(body: &Body<'_>, report: &mut Report<'_>) {
    let Some(choice) = body.fields.given("tool_choice") else {
        return;
    };
    if choice.kind() != Kind::Object {
        return;
    }
    let missing = match text(choice, "type").as_deref() {
        None => "type",
        Some("tool") if choice.get("name").is_none() => "name",
        Some("auto" | "any" | "tool" | "none") => return,
        Some(other) => {
            let text = format!(
                "expected `auto`, `any`, `tool` or `none`, found {}",
                quoted(other)
            );
            report.under(&FIELD_TYPE, ROOT, &["tool_choice"], choice, text);
            return;
        }
    };
    let text = format!("`tool_choice` has no `{missing}`");
    report.under(&REQUIRED_FIELD, ROOT, &["tool_choice"], choice, text);
}

fn known(body: &Body<'_>, report: &mut Report<'_>) {
    let own_api = report.profile.platform == Platform::ClaudeApi;
    for (key, value) in body.fields.iter() {
        let key = key.decode();
        let other = matches!(key.as_ref(), "anthropic_version" | "anthropic_beta");
        if fields::TOP.contains(&key.as_ref()) || other && !own_api {
            continue;
        }
        fields::unknown(report, ROOT, &[&key], value, "a request");
    }
    for (key, feature) in [
        ("context_management", Feature::ContextManagement),
        ("mcp_servers", Feature::McpServers),
        ("diagnostics", Feature::CacheDiagnostics),
    ] {
        if let Some(value) = body.fields.given(key)
            && let Some(shut) = report.shut(feature)
        {
            fields::gated(report, key, value, shut);
        }
    }
    let thinking = body.fields.given("thinking");
    let display = thinking.and_then(|value| text(value, "display"));
    for (present, key, feature) in [
        (
            thinking.is_some_and(|value| value.get("block_binding").is_some()),
            "block_binding",
            Feature::BlockBinding,
        ),
        (
            display.as_deref() == Some("updates"),
            "display",
            Feature::DisplayUpdates,
        ),
    ] {
        if let Some(value) = thinking.filter(|_| present)
            && let Some((severity, why)) = report.shut(feature)
        {
            let text = format!("`{key}` {why}");
            let rule = &UNKNOWN_FIELD;
            report
                .under(rule, ROOT, &["thinking"], value, text)
                .weigh(severity);
        }
    }
}

fn model(body: &Body<'_>, report: &mut Report<'_>) {
    if report.profile.known {
        return;
    }
    let Some(name) = report.profile.name.clone() else {
        return;
    };
    let stand_in = report.profile.model.id.clone();
    let text = format!(
        "{} is not in the table; the body is judged as one for {stand_in}",
        quoted(&name)
    );
    let at = body.get("model");
    let keys: &[&str] = if at.is_some() { &["model"] } else { &[] };
    report.under(&MODEL_UNKNOWN, ROOT, keys, at.unwrap_or(body.raw), text);
}

fn thinking(body: &Body<'_>, report: &mut Report<'_>) {
    let Some(thinking) = body.fields.given("thinking") else {
        return;
    };
    let Some(value) = thinking.get("type") else {
        return;
    };
    let Some(kind) = value.as_str() else { return };
    let model = report.profile.model.clone();
    let known = report.profile.known;
    let entry = |refused: &String| {
        let plain = refused.strip_suffix('?');
        let sure = plain.is_none();
        (plain.unwrap_or(refused) == kind).then_some(sure)
    };
    let effort = body
        .get("output_config")
        .and_then(|config| text(config, "effort"))
        .unwrap_or_else(|| Cow::Owned(model.default_effort.clone()));
    let too_high = |most: &Option<String>| {
        most.as_deref()
            .is_some_and(|most| rank(&effort) > rank(most) && rank(&effort) > 0)
    };
    let (sure, why) = if let Some(sure) = model.thinking_refused.iter().find_map(entry)
    {
        (sure, String::new())
    } else if kind == "disabled" && too_high(&model.thinking_off_effort)
        || kind == "between_tools" && too_high(&model.between_tools)
    {
        (true, format!(" at effort `{effort}`"))
    } else if kind == "between_tools" && model.binding_new == Default::default() {
        (false, String::new())
    } else if !matches!(
        kind.as_ref(),
        "adaptive" | "enabled" | "disabled" | "between_tools"
    ) {
        let text = format!("{} is no type of thinking", quoted(&kind));
        report.under(&FIELD_TYPE, ROOT, &["thinking", "type"], value, text);
        return;
    } else {
        return;
    };
    let severity = report.weight(sure && known);
    let text = format!("{} refuses thinking of type `{kind}`{why}", model.id);
    let rule = &THINKING_TYPE_MODEL;
    report
        .under(rule, ROOT, &["thinking", "type"], value, text)
        .weigh(severity);
}

fn rank(effort: &str) -> usize {
    fields::EFFORTS
        .iter()
        .position(|one| *one == effort)
        .map_or(0, |at| at + 1)
}

fn sampling(body: &Body<'_>, report: &mut Report<'_>) {
    let support = report.profile.model.sampling;
    let strict = report.profile.since_2026_10();
    if !support.refused() && !strict {
        return;
    }
    let by_model = report.profile.sure(support);
    for key in ["temperature", "top_p", "top_k"] {
        let Some(value) = body.fields.given(key) else {
            continue;
        };
        let number = value.as_f64();
        let default = match key {
            "temperature" => number == Some(1.0),
            "top_p" => number.is_some_and(|number| (0.99..=1.0).contains(&number)),
            _ => false,
        };
        if default && !strict {
            continue;
        }
        let who = match strict {
            true => "API version 2026-10-21".to_owned(),
            false => report.profile.model.id.clone(),
        };
        let severity = report.weight(strict || by_model);
        let text = format!("{who} does not take `{key}`");
        report
            .under(&SAMPLING_UNSUPPORTED, ROOT, &[key], value, text)
            .weigh(severity);
    }
}

fn prewarm(body: &Body<'_>, report: &mut Report<'_>) {
    if body.get("max_tokens").and_then(Raw::as_u64) != Some(0) {
        return;
    }
    let kind = |key: &str| body.get(key).and_then(|value| text(value, "type"));
    let config = body.get("output_config");
    for (key, present) in [
        (
            "stream",
            body.get("stream").and_then(Raw::as_bool) == Some(true),
        ),
        ("thinking", kind("thinking").as_deref() == Some("enabled")),
        (
            "tool_choice",
            matches!(kind("tool_choice").as_deref(), Some("any" | "tool")),
        ),
        (
            "output_config",
            config.is_some_and(|config| {
                config.get("format").is_some_and(|format| !format.is_null())
            }),
        ),
        (
            "output_format",
            body.fields.given("output_format").is_some(),
        ),
    ] {
        if let Some(value) = body.get(key).filter(|_| present) {
            let text = format!("`max_tokens` is 0, and `{key}` asks for an answer");
            report.under(&PREWARM_CONFLICT, ROOT, &[key], value, text);
        }
    }
}

fn text<'a>(raw: Raw<'a>, key: &str) -> Option<Cow<'a, str>> {
    raw.get(key).and_then(Raw::as_str)
}
