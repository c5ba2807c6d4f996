//! Gemini beside calls and their order: parts and declarations.

use super::gemini_settings;
use super::report::Report;
use super::schema::{self, Taker, Where};
use crate::body::{Block, Body, Fields, Place};
use crate::error::Severity;
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::term::quoted;
use std::borrow::Cow;

const API: &str = "https://ai.google.dev/api/caching#Part";
const CALLING: &str = "https://ai.google.dev/gemini-api/docs/function-calling";

family! { "gemini";
    PARTS_EMPTY: Error "gemini-parts-empty", "https://github.com/RooCodeInc/Roo-Code/issues/10728";
    "there are no contents, or one has no parts";
    "the API wants something to answer";
    "leave the empty content out";

    PART_NO_DATA: Error "gemini-part-no-data", "https://github.com/router-for-me/CLIProxyAPI/issues/1292";
    "a part holds nothing, or an empty text";
    "an empty text counts as none, and the API refuses such a part";
    "leave the part out";

    PART_TWO_DATA: Error "gemini-part-two-data", API;
    "a part holds two things";
    "a part is one of text, data, file, call, response";
    "make two parts of it";

    FUNCTION_NAME: Error "gemini-function-name", "https://github.com/google-gemini/gemini-cli/issues/7878";
    "the name of a function is one that the API refuses";
    "it begins with a letter or `_`; letters, digits, `_`, `.`, `:`, `-` follow, 128 at most";
    "rename the function, in the history too";

    PARAMETERS_BOTH: Error "gemini-parameters-both", API;
    "a declaration has two schemas";
    "`parameters` and `parametersJsonSchema` exclude each other";
    "leave one out";

    RESPONSE_COUNT: Error "gemini-response-count", "https://github.com/google-gemini/gemini-cli/issues/16543";
    "a content answers another number of calls than the one before it made";
    "all responses to parallel calls stand in the next content";
    "put them into one content, one for each call";

    RESPONSE_NAME: Error "gemini-response-name", "https://github.com/router-for-me/CLIProxyAPI/issues/1903";
    "a response has no name";
    "the API finds the call by it";
    "name the function that was called";

    RESPONSE_OBJECT: Error "gemini-response-object", CALLING;
    "a response is no object";
    "`response` is an object, whatever the function gave";
    "write `{\"output\": ...}`";

    SIGNATURE_PLACE: Note "gemini-signature-place", "https://github.com/MayDay-wpf/snow-cli/issues/104";
    "a signature stands inside the call";
    "it belongs beside `functionCall`, in the part";
    "move it out of the call";

    MIME: Error "gemini-mime", "https://github.com/ogkalu2/comic-translate/issues/399";
    "data has a type that the API does not take";
    "`image/jpg`, an empty type and `application/octet-stream` are refused";
    "name the real type: `image/jpeg`";

    INLINE_SIZE: Warning "gemini-inline-size", "https://github.com/googleapis/js-genai/issues/1391";
    "the request is larger than 20 MB";
    "the documented limit for data in the request, which may have been raised";
    "send large files by reference";

    LAST_MODEL: Warning "gemini-last-model", "https://github.com/crewAIInc/crewAI/issues/6973";
    "the last content is the model's";
    "newer models refuse it; older ones took it as the beginning of their answer";
    "end with a user turn";
}

/// The number of a Gemini model, and its name without a path.
fn version(name: &str) -> Option<(u32, &str)> {
    let plain = name.rsplit('/').next()?;
    let rest = plain.strip_prefix("gemini-")?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((digits.parse().ok()?, plain))
}

pub(super) fn either<'a>(raw: Raw<'a>, camel: &str, snake: &str) -> Option<Raw<'a>> {
    raw.get(camel)
        .or_else(|| raw.get(snake))
        .filter(|value| !value.is_null())
}

pub(super) fn tell(
    report: &mut Report<'_>,
    rule: &'static crate::finding::Rule,
    keys: &[&str],
    raw: Raw<'_>,
    text: impl Into<String>,
) {
    report.under(rule, Place::Root, keys, raw, text);
}

/// Judges all but the contents.
pub(super) fn check(body: &Body<'_>, report: &mut Report<'_>) {
    let name = report.profile.name.clone().unwrap_or_default();
    let model = version(&name);
    let tools = tools(body, report);
    gemini_settings::check(body, report, model, tools);
    let bytes = body.raw.bytes().len();
    if bytes > 20_971_520 {
        let text = format!("{bytes} bytes");
        report.at(&INLINE_SIZE, Place::Root, body.raw, text);
    }
    let contents = body.get("contents").and_then(Raw::as_array);
    if contents.is_some_and(|mut all| all.next().is_none()) {
        let raw = body.get("contents").unwrap_or(body.raw);
        tell(report, &PARTS_EMPTY, &["contents"], raw, "no contents");
    }
}

/// Which tools there are: functions, built-in ones.
fn tools(body: &Body<'_>, report: &mut Report<'_>) -> (bool, bool) {
    let (mut functions, mut built_in) = (false, false);
    for tool in body.tools() {
        let list = either(tool.raw, "functionDeclarations", "function_declarations");
        built_in |= tool.fields.iter().any(|(key, value)| {
            !value.is_null()
                && !key.is("functionDeclarations")
                && !key.is("function_declarations")
        });
        let declarations = list.and_then(Raw::as_array).into_iter().flatten();
        let key = match tool.get("functionDeclarations") {
            Some(_) => "functionDeclarations",
            None => "function_declarations",
        };
        for (index, declared) in declarations.enumerate() {
            functions = true;
            let index = index.to_string();
            let under = |more: &'static str| vec![key, index.as_str(), more];
            let fields = Fields::read(declared);
            if let Some(value) = fields.get("name") {
                let name = value.as_str().unwrap_or_default();
                function_name(report, tool.place, &under("name"), value, &name);
            }
            let own = fields.given("parameters");
            let json = fields
                .given("parametersJsonSchema")
                .or_else(|| fields.given("parameters_json_schema"));
            if own.is_some()
                && let Some(json) = json
            {
                let text = "`parametersJsonSchema` beside `parameters`";
                let keys = under("parametersJsonSchema");
                report.under(&PARAMETERS_BOTH, tool.place, &keys, json, text);
            }
            if let Some(schema) = own {
                let at = Where {
                    place: tool.place,
                    keys: &under("parameters"),
                };
                schema::check(report, &at, schema, Taker::Gemini);
            }
        }
    }
    (functions, built_in)
}

/// Judges the name of a function.
pub(super) fn function_name(
    report: &mut Report<'_>,
    place: Place,
    keys: &[&str],
    value: Raw<'_>,
    name: &str,
) {
    let first = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let legal =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'-');
    let length = name.len();
    if !first || !name.bytes().all(legal) || length > 128 {
        let text = format!("the name {}", quoted(name));
        report.under(&FUNCTION_NAME, place, keys, value, text);
    } else if length > 64 {
        // Errors up to March 2026 speak of 64, the client library of 128.
        let text = format!("a name of {length} characters, 64 are sure to be taken");
        report
            .under(&FUNCTION_NAME, place, keys, value, text)
            .weigh(Severity::Warning);
    }
}

const DATA: [&str; 9] = [
    "text",
    "inlineData",
    "fileData",
    "functionCall",
    "functionResponse",
    "executableCode",
    "codeExecutionResult",
    "toolCall",
    "toolResponse",
];

/// Judges one part of a content.
///
/// `alone` is whether the content has no other: an empty text that is all of a
/// content was seen to be taken.
pub(super) fn part(report: &mut Report<'_>, part: &Block<'_>, alone: bool) {
    let snake = |key: &str| {
        let mut out = String::new();
        for c in key.chars() {
            if c.is_ascii_uppercase() {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        }
        out
    };
    let held = |key: &&&str| {
        part.fields
            .given(key)
            .or_else(|| part.fields.given(&snake(key)))
            .is_some()
    };
    let count = DATA.iter().filter(held).count();
    let signed = part.fields.given("thoughtSignature").is_some()
        || part.fields.given("thought_signature").is_some();
    let empty = part.fields.text("text").is_some_and(|text| text.is_empty());
    if count == 0 || count == 1 && empty {
        let text = match count {
            0 => "the part holds nothing",
            _ => "the text is empty",
        };
        let found = report.at(&PART_NO_DATA, part.place, part.raw, text);
        // A signature makes it more than nothing: such parts are taken.
        if signed {
            found.weigh(Severity::Note);
        } else if alone {
            found.weigh(Severity::Warning);
        }
    }
    if count > 1 {
        let text = "the part holds two things";
        report.at(&PART_TWO_DATA, part.place, part.raw, text);
    }
    let data = part.get("inlineData").or_else(|| part.get("inline_data"));
    if let Some(value) = data.and_then(|data| either(data, "mimeType", "mime_type")) {
        let mime = value.as_str().unwrap_or_default();
        let refused =
            matches!(mime.as_ref(), "image/jpg" | "application/octet-stream" | "");
        let known = mime.starts_with("audio/")
            || mime.starts_with("video/")
            || mime.starts_with("text/")
            || matches!(
                mime.as_ref(),
                "image/png"
                    | "image/jpeg"
                    | "image/webp"
                    | "image/heic"
                    | "image/heif"
                    | "application/pdf"
            );
        if refused || !known {
            let text = format!("data of type {}", quoted(&mime));
            let severity = report.weight(refused);
            report
                .under(&MIME, part.place, &["inlineData", "mimeType"], value, text)
                .weigh(severity);
        }
    }
    if let Some(call) = part.get("functionCall") {
        if let Some(value) = call.get("thoughtSignature") {
            let keys = ["functionCall", "thoughtSignature"];
            let text = "the signature stands inside the call";
            report.under(&SIGNATURE_PLACE, part.place, &keys, value, text);
        }
        if let Some(value) = call.get("name") {
            let name = value.as_str().unwrap_or(Cow::Borrowed(""));
            let keys = ["functionCall", "name"];
            function_name(report, part.place, &keys, value, &name);
        }
    }
    if let Some(answer) = part.get("functionResponse") {
        let name = answer.get("name").and_then(Raw::as_str).unwrap_or_default();
        if name.is_empty() {
            let (value, keys) = match answer.get("name") {
                Some(value) => (value, &["functionResponse", "name"][..]),
                None => (answer, &["functionResponse"][..]),
            };
            let text = "the response has no name";
            report.under(&RESPONSE_NAME, part.place, keys, value, text);
        }
        if let Some(value) = answer.get("response")
            && !matches!(value.kind(), Kind::Object | Kind::Null)
        {
            let text = format!("expected an object, found {}", value.kind().name());
            let keys = ["functionResponse", "response"];
            report.under(&RESPONSE_OBJECT, part.place, &keys, value, text);
        }
    }
}
