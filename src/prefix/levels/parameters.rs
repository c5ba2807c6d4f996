//! Parameters outside tools, system and messages, and what a change costs
//! (`docs/prefix.md#kinds-of-cache`).

use crate::body::{Dialect, Provider};
use crate::error::Severity;
use crate::finding::Rule;
use crate::json::Raw;
use crate::model::Betas;
use crate::prefix::hints::Means;
use crate::prefix::report::{Cause, Level};
use crate::prefix::request::{Judge, Request};
use crate::prefix::reuse::outcome::Effects;
use crate::prefix::rules;
use crate::prefix::values::digest::{self, Manner};
use crate::prefix::values::text::Masks;
use crate::prefix::values::zone::Zone;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Both requests, and what was found so far.
struct Pair<'a, 'r> {
    a: &'r Request<'a>,
    b: &'r Request<'a>,
    means: &'r Means<'r>,
    out: Effects,
}

/// What a change costs.
#[derive(Clone, Copy)]
enum Cost {
    Level(Level),
    Unknown,
}

fn value(raw: Option<Raw<'_>>) -> Option<u64> {
    let masks = Masks::default();
    let manner = Manner {
        ordered: false,
        loose: true,
        masks: &masks,
    };
    raw.filter(|raw| !raw.is_null())
        .map(|raw| digest::digest(raw, Zone::Inside, manner))
}

impl<'a> Pair<'a, '_> {
    /// Tells a change of the value that `read` finds, if there is one.
    fn compare<T: PartialEq>(
        &mut self,
        rule: &'static Rule,
        path: &str,
        cost: Cost,
        read: impl Fn(&Request<'a>) -> T,
    ) {
        if read(self.a) != read(self.b) {
            self.tell(rule, path, cost);
        }
    }

    fn tell(&mut self, rule: &'static Rule, path: &str, cost: Cost) {
        let name = path.trim_start_matches('/').replace('/', ".");
        let effect = match cost {
            Cost::Level(Level::Messages) if rule.id == "diff-tool-choice" => {
                "is documented to drop the messages cache"
            }
            Cost::Level(Level::Messages) => {
                "costs the messages cache, and on some models tools and system too"
            }
            Cost::Level(Level::System) => "costs the cache of system and messages",
            Cost::Level(Level::Tools) => "costs the whole cache",
            Cost::Unknown => "may cost the cache: its effect is not published",
        };
        let raw = crate::json::pointer::resolve(self.b.body.raw, path);
        let message = format!("`{name}` changed, which {effect}");
        let mut found = self.b.finding(rule, Severity::Warning, path, raw, message);
        found.cause = Some(Cause::Parameter.name());
        found.hint = self.means.parameter(rule.id, &name);
        self.out.findings.push(found);
        match cost {
            Cost::Level(level) => self.out.lose(level),
            Cost::Unknown => self.out.unknown = true,
        }
        self.out.unavailable = true;
    }
}

fn get<'a>(request: &Request<'a>, keys: &[&str]) -> Option<u64> {
    let (first, rest) = keys.split_first()?;
    value(request.body.get(first).and_then(|raw| raw.at(rest)))
}

/// Compares all that is not content.
pub(crate) fn compare(
    a: &Request<'_>,
    b: &Request<'_>,
    judge: &Judge<'_>,
    means: &Means<'_>,
) -> Effects {
    let mut pair = Pair {
        a,
        b,
        means,
        out: Effects::default(),
    };
    model(&mut pair, judge);
    match b.body.dialect {
        Dialect::Messages => messages(&mut pair, judge),
        Dialect::Responses => responses(&mut pair),
        Dialect::Gemini => gemini(&mut pair),
        Dialect::Chat | Dialect::Ollama | Dialect::Converse => chat(&mut pair),
    }
    betas(&mut pair);
    pair.out
}

fn model(pair: &mut Pair<'_, '_>, judge: &Judge<'_>) {
    let (a, b) = (&pair.a.model, &pair.b.model);
    let (Some(one), Some(other)) = (a, b) else {
        return;
    };
    if one == other {
        return;
    }
    let raw = pair.b.body.get("model");
    let known = (pair.a.known(judge), pair.b.known(judge));
    let same = matches!(known, (Some(one), Some(other)) if one.id == other.id);
    let (severity, message) = match same {
        true => (
            Severity::Note,
            format!("`{one}` and `{other}` are two names of one model"),
        ),
        false => (
            Severity::Warning,
            format!(
                "the model changed from `{one}` to `{other}`: each has its own cache"
            ),
        ),
    };
    let mut found =
        pair.b
            .finding(&rules::DIFF_MODEL, severity, "/model", raw, message);
    found.plain = Some("the model changed: each has its own cache".to_owned());
    if !same {
        found.cause = Some(Cause::Model.name());
        found.hint = "change models between conversations, not inside one".to_owned();
        pair.out.model = true;
        pair.out.lose(Level::Tools);
    }
    pair.out.findings.push(found);
}

fn betas(pair: &mut Pair<'_, '_>) {
    let (Betas::Known(one), Betas::Known(other)) = (&pair.a.betas, &pair.b.betas)
    else {
        return;
    };
    let set = |list: &[String]| list.iter().cloned().collect::<BTreeSet<_>>();
    let (one, other) = (set(one), set(other));
    if one == other {
        return;
    }
    let names: Vec<_> = one
        .symmetric_difference(&other)
        .map(|name| format!("`{name}`"))
        .collect();
    let message = format!(
        "the beta headers changed ({}): which of them reach the prompt is not published",
        names.join(", ")
    );
    let mut found =
        pair.b
            .finding(&rules::DIFF_BETAS, Severity::Warning, "", None, message);
    found.plain = Some("the beta headers changed".to_owned());
    found.cause = Some(Cause::Betas.name());
    found.hint = "fix the set of headers for the whole conversation".to_owned();
    pair.out.findings.push(found);
    pair.out.unknown = true;
    pair.out.unavailable = true;
}

fn messages(pair: &mut Pair<'_, '_>, judge: &Judge<'_>) {
    let choice = |request: &Request<'_>| {
        let choice = request.body.fields.given("tool_choice");
        let kind = choice
            .and_then(|choice| choice.get("type"))
            .and_then(Raw::as_str);
        let kind = kind.map_or("auto".to_owned(), Cow::into_owned);
        let single = choice.and_then(|choice| choice.get("disable_parallel_tool_use"));
        let name = choice.and_then(|choice| value(choice.get("name")));
        (kind, single.and_then(Raw::as_bool) == Some(true), name)
    };
    let lost = Cost::Level(Level::Messages);
    pair.compare(&rules::DIFF_TOOL_CHOICE, "/tool_choice", lost, choice);
    let always = |request: &Request<'_>| {
        request.known(judge).is_some_and(|model| {
            model.thinking_refused.iter().any(|kind| kind == "disabled")
        })
    };
    let thinking = |request: &Request<'_>| {
        let thinking = request.body.fields.given("thinking");
        let kind = thinking
            .and_then(|one| one.get("type"))
            .and_then(Raw::as_str);
        let default = if always(request) {
            "adaptive"
        } else {
            "disabled"
        };
        let kind = kind.map_or(default.to_owned(), Cow::into_owned);
        let budget = thinking.and_then(|one| value(one.get("budget_tokens")));
        (kind, budget)
    };
    pair.compare(&rules::DIFF_THINKING, "/thinking", lost, thinking);
    let effort = |request: &Request<'_>| {
        let config = request.body.get("output_config");
        let effort = config
            .and_then(|one| one.get("effort"))
            .and_then(Raw::as_str);
        effort.map_or_else(
            || {
                request
                    .known(judge)
                    .map(|model| model.default_effort.clone())
            },
            |effort| Some(effort.into_owned()),
        )
    };
    pair.compare(&rules::DIFF_EFFORT, "/output_config/effort", lost, effort);
    let speed = |request: &Request<'_>| {
        let speed = request.body.fields.given("speed").and_then(Raw::as_str);
        speed.is_some_and(|speed| speed != "standard")
    };
    pair.compare(
        &rules::DIFF_SPEED,
        "/speed",
        Cost::Level(Level::System),
        speed,
    );
    let format = |request: &Request<'_>| {
        get(request, &["output_config", "format"])
            .or_else(|| get(request, &["output_format"]))
    };
    pair.compare(
        &rules::DIFF_OUTPUT_FORMAT,
        "/output_config/format",
        Cost::Unknown,
        format,
    );
    for (rule, path, keys) in [
        (
            &rules::DIFF_CONTEXT_MANAGEMENT,
            "/context_management",
            &["context_management"][..],
        ),
        (
            &rules::DIFF_THINKING,
            "/thinking/display",
            &["thinking", "display"],
        ),
        (
            &rules::DIFF_PARAMETER,
            "/output_config/task_budget",
            &["output_config", "task_budget"],
        ),
    ] {
        pair.compare(rule, path, Cost::Unknown, |request| get(request, keys));
    }
    let servers = |request: &Request<'_>| {
        let list = request.body.get("mcp_servers").and_then(Raw::as_array);
        let each = list.into_iter().flatten().flat_map(|server| {
            let kept = ["name", "url", "type"];
            kept.map(|key| value(server.get(key)))
        });
        each.collect::<Vec<_>>()
    };
    pair.compare(
        &rules::DIFF_PARAMETER,
        "/mcp_servers",
        Cost::Unknown,
        servers,
    );
}

fn responses(pair: &mut Pair<'_, '_>) {
    let format = |request: &Request<'_>| {
        let text = request.body.get("text")?;
        let format = text.get("format")?;
        let plain = format.get("type").and_then(Raw::as_str).as_deref() == Some("text");
        value(Some(format)).filter(|_| !plain)
    };
    pair.compare(
        &rules::DIFF_OUTPUT_FORMAT,
        "/text/format",
        Cost::Level(Level::Tools),
        format,
    );
    let choice = |request: &Request<'_>| {
        let choice = request.body.fields.given("tool_choice");
        let auto = choice.and_then(Raw::as_str).as_deref() == Some("auto");
        value(choice).filter(|_| !auto)
    };
    pair.compare(
        &rules::DIFF_TOOL_CHOICE,
        "/tool_choice",
        Cost::Unknown,
        choice,
    );
    for (rule, path, key) in [
        (
            &rules::DIFF_CACHE_KEY,
            "/prompt_cache_key",
            "prompt_cache_key",
        ),
        (&rules::DIFF_THINKING, "/reasoning", "reasoning"),
        (
            &rules::DIFF_PARAMETER,
            "/previous_response_id",
            "previous_response_id",
        ),
    ] {
        pair.compare(rule, path, Cost::Unknown, |request| get(request, &[key]));
    }
}

fn gemini(pair: &mut Pair<'_, '_>) {
    let all = Cost::Level(Level::Tools);
    let either = |request: &Request<'_>, one: &str, other: &str| {
        get(request, &[one]).or_else(|| get(request, &[other]))
    };
    pair.compare(&rules::DIFF_TOOL_CHOICE, "/toolConfig", all, |request| {
        either(request, "toolConfig", "tool_config")
    });
    pair.compare(
        &rules::DIFF_PARAMETER,
        "/cachedContent",
        Cost::Unknown,
        |request| either(request, "cachedContent", "cached_content"),
    );
    for (rule, key) in [
        (&rules::DIFF_THINKING, "thinkingConfig"),
        (&rules::DIFF_OUTPUT_FORMAT, "responseMimeType"),
        (&rules::DIFF_OUTPUT_FORMAT, "responseSchema"),
        (&rules::DIFF_OUTPUT_FORMAT, "responseJsonSchema"),
        (&rules::DIFF_OUTPUT_FORMAT, "_responseJsonSchema"),
    ] {
        let path = format!("/generationConfig/{key}");
        pair.compare(rule, &path, Cost::Unknown, |request| {
            get(request, &["generationConfig", key])
        });
    }
}

fn chat(pair: &mut Pair<'_, '_>) {
    let anthropic = pair.b.body.provider == Provider::OpenRouter
        && pair
            .b
            .model
            .as_deref()
            .is_some_and(|name| name.starts_with("anthropic"));
    let choice = |request: &Request<'_>| {
        let choice = request.body.fields.given("tool_choice");
        let auto = choice.and_then(Raw::as_str).as_deref() == Some("auto");
        value(choice).filter(|_| !auto)
    };
    let cost = match anthropic {
        true => Cost::Level(Level::Messages),
        false => Cost::Unknown,
    };
    pair.compare(&rules::DIFF_TOOL_CHOICE, "/tool_choice", cost, choice);
    for key in ["reasoning", "reasoning_effort", "reasoning_format", "think"] {
        let path = format!("/{key}");
        pair.compare(&rules::DIFF_THINKING, &path, cost, |request| {
            get(request, &[key])
        });
    }
    for key in ["response_format", "format"] {
        let path = format!("/{key}");
        let rule = &rules::DIFF_OUTPUT_FORMAT;
        pair.compare(rule, &path, Cost::Unknown, |request| get(request, &[key]));
    }
    for key in ["chat_template_kwargs", "provider", "transforms"] {
        let path = format!("/{key}");
        let rule = &rules::DIFF_PARAMETER;
        pair.compare(rule, &path, Cost::Unknown, |request| get(request, &[key]));
    }
    // Another context size loads the model anew.
    let all = Cost::Level(Level::Tools);
    pair.compare(&rules::DIFF_PARAMETER, "/options/num_ctx", all, |request| {
        get(request, &["options", "num_ctx"])
    });
}
