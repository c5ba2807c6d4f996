//! Gemini: what is set beside contents and tools.

use super::gemini_fields::{either, tell};
use super::report::Report;
use super::schema::{self, Taker, Where};
use crate::body::{Body, Place};
use crate::error::Severity;
use crate::finding::family;
use crate::json::Raw;
use crate::term::quoted;
use std::collections::HashSet;

const CALLING: &str = "https://ai.google.dev/gemini-api/docs/function-calling";
const THINKING: &str = "https://ai.google.dev/gemini-api/docs/thinking";
const OUTPUT: &str = "https://ai.google.dev/gemini-api/docs/structured-output";
const SETTINGS: &str = "https://ai.google.dev/api/generate-content#generationconfig";

family! { "gemini";
    THINKING_BOTH: Error "gemini-thinking-both", THINKING;
    "`thinkingBudget` and `thinkingLevel` are both given";
    "the API takes one";
    "leave one out";

    THINKING_LEVEL: Error "gemini-thinking-level", THINKING;
    "the model does not take this level of thinking";
    "levels are for Gemini 3 and later, and each model has its own";
    "ask for one of the model's own, or for a budget on older models";

    THINKING_BUDGET: Error "gemini-thinking-budget", "https://github.com/vercel/ai/issues/8027";
    "the model does not take this budget for thinking";
    "each model of 2.5 has a range; not every one can do without";
    "keep to the range";

    CONFIG_NO_DECLARATIONS: Error "gemini-config-no-declarations", "https://github.com/pydantic/pydantic-ai/issues/5791";
    "there are settings for calls, and no functions";
    "models of 2.5 and older refuse them";
    "leave `functionCallingConfig` out";

    ALLOWED_NAMES: Error "gemini-allowed-names", CALLING;
    "functions are singled out in a mode that has no use for it";
    "`allowedFunctionNames` goes with the mode ANY";
    "say the mode ANY, or leave the names out";

    BUILTIN_MIX: Error "gemini-builtin-mix", "https://github.com/ag2ai/ag2/issues/3145";
    "built-in tools stand beside functions";
    "the API wants `includeServerSideToolInvocations` for it, and older models refuse it";
    "set it in `toolConfig`, or offer one kind of tools";

    JSON_MODE_TOOLS: Error "gemini-json-mode-tools", "https://github.com/googleapis/python-genai/issues/867";
    "JSON is asked for while there are tools";
    "models of 2.5 and older do not do both";
    "leave one of them out";

    RESPONSE_SCHEMA: Error "gemini-response-schema", OUTPUT;
    "a schema for the answer, and no JSON asked for; or two schemas";
    "a schema goes with `responseMimeType` `application/json`";
    "set it, and send one schema";

    LIMITS: Warning "gemini-limits", SETTINGS;
    "stop sequences or safety settings are more or others than the API knows";
    "five sequences are the most, none is empty, and each category is set once";
    "leave out what is too much";
}

/// Judges the settings; `tools` says whether there are functions, and built-in tools.
pub(super) fn check(
    body: &Body<'_>,
    report: &mut Report<'_>,
    model: Option<(u32, &str)>,
    tools: (bool, bool),
) {
    let old = model.is_some_and(|(major, _)| major < 3);
    config(body, report, old, tools);
    if let Some(settings) = either(body.raw, "generationConfig", "generation_config") {
        generation(report, settings, model, tools);
        stops(report, settings);
    }
    if let Some(list) = either(body.raw, "safetySettings", "safety_settings") {
        safety(report, list);
    }
}

fn stops(report: &mut Report<'_>, settings: Raw<'_>) {
    let Some(stops) = either(settings, "stopSequences", "stop_sequences") else {
        return;
    };
    let keys = ["generationConfig", "stopSequences"];
    let count = stops.as_array().map_or(0, Iterator::count);
    if count > 5 {
        let text = format!("{count} stop sequences, 5 are taken");
        tell(report, &LIMITS, &keys, stops, text);
    }
    let mut all = stops.as_array().into_iter().flatten();
    let blank = |one: &Raw<'_>| one.as_text().is_some_and(|text| text.is(""));
    if let Some(empty) = all.find(blank) {
        tell(report, &LIMITS, &keys, empty, "an empty stop sequence");
    }
}

/// Harms and thresholds of the published enums.
const HARMS: [&str; 17] = [
    "UNSPECIFIED",
    "DEROGATORY",
    "TOXICITY",
    "VIOLENCE",
    "SEXUAL",
    "MEDICAL",
    "DANGEROUS",
    "HARASSMENT",
    "HATE_SPEECH",
    "SEXUALLY_EXPLICIT",
    "DANGEROUS_CONTENT",
    "CIVIC_INTEGRITY",
    "IMAGE_HATE",
    "IMAGE_DANGEROUS_CONTENT",
    "IMAGE_HARASSMENT",
    "IMAGE_SEXUALLY_EXPLICIT",
    "JAILBREAK",
];
const THRESHOLDS: [&str; 6] = [
    "HARM_BLOCK_THRESHOLD_UNSPECIFIED",
    "BLOCK_LOW_AND_ABOVE",
    "BLOCK_MEDIUM_AND_ABOVE",
    "BLOCK_ONLY_HIGH",
    "BLOCK_NONE",
    "OFF",
];

fn safety(report: &mut Report<'_>, list: Raw<'_>) {
    let keys = ["safetySettings"];
    let mut seen = HashSet::new();
    for one in list.as_array().into_iter().flatten() {
        let word = |key: &str| one.get(key).and_then(Raw::as_str);
        if let Some(harm) = word("category") {
            let known = harm
                .strip_prefix("HARM_CATEGORY_")
                .is_some_and(|name| HARMS.contains(&name));
            let text = match known {
                false => Some(format!("the category {}", quoted(&harm))),
                true if seen.contains(&harm) => {
                    Some(format!("the category {} twice", quoted(&harm)))
                }
                true => None,
            };
            seen.insert(harm);
            if let Some(text) = text {
                tell(report, &LIMITS, &keys, one, text);
            }
        }
        if let Some(threshold) = word("threshold")
            && !THRESHOLDS.contains(&threshold.as_ref())
        {
            let text = format!("the threshold {}", quoted(&threshold));
            tell(report, &LIMITS, &keys, one, text);
        }
    }
}

fn config(
    body: &Body<'_>,
    report: &mut Report<'_>,
    old: bool,
    (functions, built_in): (bool, bool),
) {
    let settings = either(body.raw, "toolConfig", "tool_config");
    let calls = settings.and_then(|raw| {
        either(raw, "functionCallingConfig", "function_calling_config")
    });
    if let Some(calls) = calls {
        let keys = ["toolConfig", "functionCallingConfig"];
        let mode = calls.get("mode").and_then(Raw::as_str);
        // Forbidding calls was seen to be taken.
        let off = mode
            .as_deref()
            .is_some_and(|mode| mode.eq_ignore_ascii_case("NONE"));
        if !functions && !off {
            let severity = report.weight(old);
            let text = "settings for calls, and no functions";
            report
                .under(&CONFIG_NO_DECLARATIONS, Place::Root, &keys, calls, text)
                .weigh(severity);
        }
        let names = either(calls, "allowedFunctionNames", "allowed_function_names");
        let some = names.is_some_and(|names| {
            names.as_array().is_some_and(|mut all| all.next().is_some())
        });
        let useless = |mode: &str| {
            mode.eq_ignore_ascii_case("AUTO") || mode.eq_ignore_ascii_case("NONE")
        };
        if some && mode.as_deref().is_some_and(useless) {
            let text = format!(
                "names beside the mode {}",
                quoted(&mode.unwrap_or_default())
            );
            tell(report, &ALLOWED_NAMES, &keys, calls, text);
        }
    }
    if functions && built_in {
        let on = settings
            .and_then(|raw| {
                either(
                    raw,
                    "includeServerSideToolInvocations",
                    "include_server_side_tool_invocations",
                )
            })
            .and_then(Raw::as_bool);
        if on != Some(true) || old {
            let raw = body.get("tools").unwrap_or(body.raw);
            let text = "built-in tools beside functions";
            // Google Cloud takes the mix of newer models; nothing in a body says
            // where it goes.
            let severity = report.weight(old);
            report
                .under(&BUILTIN_MIX, Place::Root, &["tools"], raw, text)
                .weigh(severity);
        }
    }
}

fn generation(
    report: &mut Report<'_>,
    settings: Raw<'_>,
    model: Option<(u32, &str)>,
    (functions, built_in): (bool, bool),
) {
    let root = "generationConfig";
    let mime = either(settings, "responseMimeType", "response_mime_type");
    let json = mime.and_then(Raw::as_str).as_deref() == Some("application/json");
    if json && (functions || built_in) {
        let old = model.is_some_and(|(major, _)| major < 3);
        if old {
            let text = "JSON is asked for, and there are tools";
            let raw = mime.unwrap_or(settings);
            tell(
                report,
                &JSON_MODE_TOOLS,
                &[root, "responseMimeType"],
                raw,
                text,
            );
        }
    }
    let own = either(settings, "responseSchema", "response_schema");
    let other = either(settings, "responseJsonSchema", "response_json_schema");
    let word = mime.and_then(Raw::as_str);
    let fits = json || word.as_deref() == Some("text/x.enum");
    if let Some(schema) = own.or(other) {
        if !fits || own.is_some() && other.is_some() {
            let text = match fits {
                true => "two schemas for the answer",
                false => "a schema for the answer, and no JSON asked for",
            };
            let key = match own {
                Some(_) => "responseSchema",
                None => "responseJsonSchema",
            };
            tell(report, &RESPONSE_SCHEMA, &[root, key], schema, text);
        }
        if let Some(schema) = own {
            let at = Where {
                place: Place::Root,
                keys: &[root, "responseSchema"],
            };
            schema::check(report, &at, schema, Taker::Gemini);
        }
    }
    if let Some(thinking) = either(settings, "thinkingConfig", "thinking_config") {
        think(report, thinking, model);
    }
}

fn think(report: &mut Report<'_>, thinking: Raw<'_>, model: Option<(u32, &str)>) {
    let keys = ["generationConfig", "thinkingConfig"];
    let budget = either(thinking, "thinkingBudget", "thinking_budget");
    let level = either(thinking, "thinkingLevel", "thinking_level");
    if let (Some(_), Some(level)) = (budget, level) {
        let text = "`thinkingLevel` beside `thinkingBudget`";
        tell(report, &THINKING_BOTH, &keys, level, text);
    }
    let Some((major, name)) = model else { return };
    let keys = |more: &'static str| ["generationConfig", "thinkingConfig", more];
    if let Some(value) = level
        && let Some(word) = value.as_str()
    {
        let word = word.to_ascii_uppercase();
        let known: &[&str] = match name {
            _ if major < 3 => &[],
            _ if name.starts_with("gemini-3-pro") => &["LOW", "HIGH"],
            _ if name.starts_with("gemini-3.1-pro")
                || name.starts_with("gemini-3.7")
                || name.starts_with("gemini-3.8")
                || major >= 4 =>
            {
                &["LOW", "MEDIUM", "HIGH"]
            }
            _ => &["MINIMAL", "LOW", "MEDIUM", "HIGH"],
        };
        let unset = word == "THINKING_LEVEL_UNSPECIFIED";
        if !known.contains(&word.as_str()) && !unset {
            let text = match known {
                [] => format!("{name} takes budgets, no levels"),
                _ => format!("{name} takes {}, found {word}", known.join(", ")),
            };
            tell(report, &THINKING_LEVEL, &keys("thinkingLevel"), value, text);
        }
    }
    if let Some(value) = budget
        && let Some(tokens) = value.as_i64()
    {
        let (range, off) = match name {
            _ if name.starts_with("gemini-2.5-pro") => (128..=32_768, false),
            _ if name.starts_with("gemini-2.5-flash-lite") => (512..=24_576, true),
            _ if name.starts_with("gemini-2.5-flash") => (0..=24_576, true),
            _ if major >= 3 => {
                let text = "budgets are for models before Gemini 3";
                report
                    .under(
                        &THINKING_BUDGET,
                        Place::Root,
                        &keys("thinkingBudget"),
                        value,
                        text,
                    )
                    .weigh(Severity::Warning);
                return;
            }
            _ => return,
        };
        if !range.contains(&tokens) && tokens != -1 && !(off && tokens == 0) {
            let text = format!(
                "{name} takes {} to {} tokens, found {tokens}",
                range.start(),
                range.end()
            );
            tell(
                report,
                &THINKING_BUDGET,
                &keys("thinkingBudget"),
                value,
                text,
            );
        }
    }
}
