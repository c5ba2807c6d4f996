//! Which fields stand where in a Messages body, and which must.
//!
//! The names are those of the published schema (`docs/lint.md#sources`).
//! Kinds of block that are not listed are left alone: new ones appear with
//! every beta, and their fields are not ours to know.

use super::report::Report;
use crate::body::{Block, Fields, Message, Place};
use crate::error::Severity;
use crate::json::{Kind, Raw};
use crate::term::quoted;

/// The top-level fields.
pub(super) const TOP: &[&str] = &[
    "model",
    "messages",
    "max_tokens",
    "system",
    "tools",
    "tool_choice",
    "cache_control",
    "thinking",
    "output_config",
    "output_format",
    "context_management",
    "mcp_servers",
    "diagnostics",
    "metadata",
    "service_tier",
    "speed",
    "inference_geo",
    "container",
    "stop_sequences",
    "stream",
    "user_profile_id",
    "fallbacks",
    "fallback_credit_token",
    "temperature",
    "top_p",
    "top_k",
];

/// The levels of effort, lowest first.
pub(super) const EFFORTS: &[&str] = &["low", "medium", "high", "xhigh", "max"];

/// What a block of one type may hold, and what it must.
struct Shape {
    kind: &'static str,
    required: &'static [&'static str],
    optional: &'static [&'static str],
}

const SHAPES: &[Shape] = &[
    Shape {
        kind: "text",
        required: &["text"],
        optional: &["cache_control", "citations"],
    },
    Shape {
        kind: "image",
        required: &["source"],
        optional: &["cache_control"],
    },
    Shape {
        kind: "document",
        required: &["source"],
        optional: &["title", "context", "citations", "cache_control"],
    },
    Shape {
        kind: "search_result",
        required: &["source", "title", "content"],
        optional: &["citations", "cache_control"],
    },
    Shape {
        kind: "tool_result",
        required: &["tool_use_id"],
        optional: &["content", "is_error", "cache_control"],
    },
    Shape {
        kind: "tool_reference",
        required: &["tool_name"],
        optional: &["cache_control"],
    },
    Shape {
        kind: "tool_use",
        required: &["id", "name", "input"],
        optional: &["cache_control", "caller"],
    },
    Shape {
        kind: "thinking",
        required: &["thinking"],
        optional: &["signature", "cache_control"],
    },
    Shape {
        kind: "redacted_thinking",
        required: &["data"],
        optional: &["cache_control"],
    },
    Shape {
        kind: "tool_addition",
        required: &[],
        optional: &["tool", "cache_control"],
    },
    Shape {
        kind: "tool_removal",
        required: &[],
        optional: &["tool", "cache_control"],
    },
];

const CUSTOM_TOOL: &[&str] = &[
    "name",
    "input_schema",
    "description",
    "type",
    "input_examples",
    "strict",
    "defer_loading",
    "cache_control",
    "allowed_callers",
    "eager_input_streaming",
];

/// Judges the fields of a block.
pub(super) fn block(report: &mut Report<'_>, block: &Block<'_>) {
    if block.bare {
        return;
    }
    let place = block.place;
    if block.raw.kind() != Kind::Object {
        let text = format!("expected a block, found {}", block.raw.kind().name());
        report.at(&super::parameters::FIELD_TYPE, place, block.raw, text);
        return;
    }
    let kind = block.kind.as_ref();
    if kind.is_empty() {
        report.at(
            &super::parameters::REQUIRED_FIELD,
            place,
            block.raw,
            "the block has no `type`",
        );
        return;
    }
    let Some(shape) = SHAPES.iter().find(|shape| shape.kind == kind) else {
        let needs: &[&str] = match kind {
            "server_tool_use" | "mcp_tool_use" => &["id", "name", "input"],
            _ if crate::body::is_server_result(kind) => &["tool_use_id", "content"],
            _ => &[],
        };
        missing(report, place, block.raw, &block.fields, kind, needs);
        return;
    };
    missing(
        report,
        place,
        block.raw,
        &block.fields,
        kind,
        shape.required,
    );
    let typed: &[(&str, Kind)] = match kind {
        "text" => &[("text", Kind::String)],
        "thinking" => &[("thinking", Kind::String)],
        "redacted_thinking" => &[("data", Kind::String)],
        "tool_use" => &[
            ("id", Kind::String),
            ("name", Kind::String),
            ("input", Kind::Object),
        ],
        "tool_result" => &[("tool_use_id", Kind::String)],
        "tool_reference" => &[("tool_name", Kind::String)],
        _ => &[],
    };
    for (key, wanted) in typed {
        if let Some(value) = block.get(key).filter(|value| value.kind() != *wanted) {
            let (want, found) = (wanted.name(), value.kind().name());
            let text = format!("expected {want}, found {found}");
            report.under(&super::parameters::FIELD_TYPE, place, &[key], value, text);
        }
    }
    for (key, value) in block.fields.iter() {
        let known = |one: &&str| key.is(one);
        if !(key.is("type")
            || shape.required.iter().any(known)
            || shape.optional.iter().any(known))
        {
            let key = key.decode();
            unknown(report, place, &[&key], value, &format!("a `{kind}` block"));
        }
    }
}

fn missing(
    report: &mut Report<'_>,
    place: Place,
    raw: Raw<'_>,
    fields: &Fields<'_>,
    kind: &str,
    needs: &[&str],
) {
    for key in needs.iter().filter(|key| fields.get(key).is_none()) {
        let text = format!("the {} block has no `{key}`", quoted(kind));
        report.at(&super::parameters::REQUIRED_FIELD, place, raw, text);
    }
}

/// Judges the fields of a message beside its content.
pub(super) fn message(report: &mut Report<'_>, message: &Message<'_>) {
    let place = message.place;
    if message.raw.kind() != Kind::Object {
        let text = format!("expected a message, found {}", message.raw.kind().name());
        report.at(&super::parameters::FIELD_TYPE, place, message.raw, text);
        return;
    }
    match message.fields.get("role") {
        None => {
            let text = "the message has no `role`";
            report.at(&super::parameters::REQUIRED_FIELD, place, message.raw, text);
        }
        Some(role)
            if !matches!(message.role.as_ref(), "user" | "assistant" | "system") =>
        {
            let found = match role.kind() {
                Kind::String => quoted(&message.role),
                kind => kind.name().to_owned(),
            };
            let text =
                format!("expected `user`, `assistant` or `system`, found {found}");
            report.under(&super::parameters::FIELD_TYPE, place, &["role"], role, text);
        }
        Some(_) => {}
    }
    match message.content {
        None => {
            let text = "the message has no `content`";
            report.at(&super::parameters::REQUIRED_FIELD, place, message.raw, text);
        }
        Some(content) if !matches!(content.kind(), Kind::String | Kind::Array) => {
            let found = content.kind().name();
            let text = format!("expected a string or blocks, found {found}");
            report.under(
                &super::parameters::FIELD_TYPE,
                place,
                &["content"],
                content,
                text,
            );
        }
        Some(_) => {}
    }
    let system = message.role == "system";
    for (key, value) in message.fields.iter() {
        let known = key.is("role")
            || key.is("content")
            || key.is("clear_at")
            || key.is("output_config") && system;
        if !known {
            let key = key.decode();
            unknown(report, place, &[&key], value, "a message");
        }
    }
}

/// Judges the fields of a custom tool.
pub(super) fn tool(
    report: &mut Report<'_>,
    place: Place,
    keys: &[&str],
    fields: &Fields<'_>,
) {
    for (key, value) in fields.iter() {
        if !CUSTOM_TOOL.iter().any(|one| key.is(one)) {
            let key = key.decode();
            let keys = [keys, &[&key]].concat();
            unknown(report, place, &keys, value, "a tool");
        }
    }
}

/// Judges the effort in an `output_config`, at the top or on a message.
pub(super) fn effort(report: &mut Report<'_>, place: Place, config: Raw<'_>) {
    let Some(effort) = config.get("effort").filter(|effort| !effort.is_null()) else {
        return;
    };
    let name = effort.as_str();
    if name.as_deref().is_some_and(|name| EFFORTS.contains(&name)) {
        return;
    }
    let found =
        name.map_or_else(|| effort.kind().name().to_owned(), |name| quoted(&name));
    let text = format!("expected one of {}, found {found}", EFFORTS.join(", "));
    let keys = ["output_config", "effort"];
    report.under(&super::parameters::FIELD_TYPE, place, &keys, effort, text);
}

/// Reports a field that nothing at its place knows.
pub(super) fn unknown(
    report: &mut Report<'_>,
    place: Place,
    keys: &[&str],
    value: Raw<'_>,
    of: &str,
) {
    let key = keys.last().copied().unwrap_or_default();
    let text = format!("{} is no field of {of}", quoted(key));
    let finding =
        report.under(&super::parameters::UNKNOWN_FIELD, place, keys, value, text);
    match key {
        "betas" | "anthropic_beta" => {
            finding.hint("send the betas in the header `anthropic-beta`");
        }
        "extra_body" | "extra_headers" | "timeout" => {
            finding.hint(
                "this is an argument of a client library; send what it stands for",
            );
        }
        _ => {}
    }
}

/// Reports a field that needs a feature which is shut here.
pub(super) fn gated(
    report: &mut Report<'_>,
    key: &str,
    value: Raw<'_>,
    shut: (Severity, String),
) {
    let (severity, why) = shut;
    let text = format!("`{key}` {why}");
    report
        .under(
            &super::parameters::UNKNOWN_FIELD,
            Place::Root,
            &[key],
            value,
            text,
        )
        .weigh(severity)
        .hint("send the header, or leave the field out");
}
