//! What values hold: pictures and documents as bytes, text that is half a
//! character, numbers and the models that take them.

use super::report::Report;
use super::schema::{self, Taker, Where};
use crate::block::picture::{
    Bytes, HEADER, MANY, SIDE, SIDE_OF_MANY, TAKEN, base64_of, head, magic,
};
use crate::body::{Block, Body, Dialect, Place, Provider};
use crate::error::Severity;
use crate::finding::family;
use crate::finding::text::LONE_SURROGATE;
use crate::json::{Kind, Raw, pointer};
use crate::model::{Betas, Platform};
use crate::term::quoted;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

const VISION: &str = "https://platform.claude.com/docs/en/build-with-claude/vision";
const PDF: &str = "https://platform.claude.com/docs/en/build-with-claude/pdf-support";
const THINKING: &str =
    "https://platform.claude.com/docs/en/build-with-claude/extended-thinking";
const CITATIONS: &str =
    "https://platform.claude.com/docs/en/build-with-claude/citations";

family! { "values";
    IMAGE_MEDIA_TYPE: Error "image-media-type", "https://github.com/anthropics/claude-code/issues/8184";
    "a picture has a media type that the API does not take";
    "JPEG, PNG, GIF and WebP are taken; `image/jpg` is none of them";
    "convert the picture, or correct the type: `image/jpeg`";

    IMAGE_MAGIC: Error "image-magic", "https://github.com/1jehuang/jcode/issues/465";
    "the bytes of a picture are not what its media type says";
    "the API looks at the first bytes and refuses a picture under a wrong name";
    "name the type that the bytes are";

    IMAGE_DATA: Error "image-data", "https://github.com/microsoft/vscode-copilot-vision/issues/88";
    "the data of a picture is not one";
    "plain base64 of a picture is wanted: no data URI, nothing else";
    "send the picture's own bytes as base64";

    IMAGE_BYTES: Error "image-bytes", "https://github.com/lobehub/lobehub/issues/14711";
    "a picture is larger than the platform takes";
    "the limit counts the base64 string";
    "scale the picture down";

    IMAGE_PIXELS: Error "image-pixels", VISION;
    "a side of a picture is longer than the API takes";
    "8,000 pixels a side; 2,000 where a request holds more than 20 pictures";
    "scale the picture down, or leave older pictures out";

    PDF_DATA: Error "pdf-data", PDF;
    "a document is no PDF, or has more pages than the model takes";
    "the API reads PDFs of 100 pages, or 600 with the larger models";
    "send the PDF itself, in parts";

    SOURCE_PLATFORM: Error "source-platform", "https://github.com/aws/aws-sdk-js-v3/issues/8297";
    "a picture or document comes by URL or file where only base64 is taken";
    "Bedrock and Google Cloud fetch nothing";
    "send it as base64";

    NUL: Note "nul-character", "https://www.rfc-editor.org/rfc/rfc8259";
    "a string holds U+0000";
    "JSON allows it; some hosts and logs do not";
    "leave it out";

    BUDGET_MIN: Error "budget-min", THINKING;
    "the thinking budget is under 1,024 tokens";
    "that is the least the API takes";
    "ask for 1,024 or more, or switch thinking off";

    BUDGET_MAX: Error "budget-max", THINKING;
    "the thinking budget is not below `max_tokens`";
    "thinking counts as output, and must leave room for the answer";
    "raise `max_tokens`, or lower the budget";

    THINKING_SAMPLING: Error "thinking-sampling", THINKING;
    "a sampling parameter stands beside thinking";
    "thinking takes temperature 1, no `top_k`, and `top_p` from 0.95 on";
    "leave the parameter out";

    TEMPERATURE_TOP_P: Error "temperature-top-p", "https://github.com/cloud-apim/otoroshi-llm-extension/issues/140";
    "`temperature` and `top_p` are both given";
    "models from Opus 4.1 on take one of them";
    "leave one out";

    TEMPERATURE_RANGE: Error "temperature-range", "https://platform.claude.com/docs/en/api/messages";
    "a sampling parameter is out of its range";
    "the API refuses it";
    "keep to the range";

    MAX_TOKENS_MODEL: Error "max-tokens-model", "https://github.com/anthropics/claude-code/issues/24451";
    "`max_tokens` is more than the model can write";
    "the API refuses the request";
    "ask for no more than the model's limit";

    STOP_WHITESPACE: Error "stop-whitespace", "https://github.com/BerriAI/litellm/issues/3286";
    "a stop sequence is empty or white space";
    "the API wants a visible character in each";
    "leave it out";

    USER_ID: Error "user-id", "https://github.com/vercel/ai/issues/12419";
    "`metadata` holds more than a short `user_id`";
    "256 characters of `user_id`, and no other key";
    "shorten it, leave the rest out";

    ERROR_RESULT_TEXT: Error "error-result-text", "https://github.com/vellum-ai/vellum-assistant/issues/18387";
    "a result that is an error holds something else than text";
    "errors are text alone";
    "move it into a message of the user behind the results";

    ERROR_RESULT_EMPTY: Error "error-result-empty", "https://github.com/bytedance/trae-agent/issues/230";
    "a result that is an error says nothing";
    "the API refuses an error without text";
    "say what went wrong";

    CITATIONS_MIXED: Error "citations-mixed", CITATIONS;
    "citations are on for some documents and off for others";
    "all documents of a request, or none";
    "decide it for all of them";

    CITATIONS_FORMAT: Error "citations-format", "https://github.com/agno-agi/agno/issues/7513";
    "citations stand beside an output format";
    "an answer in a fixed format has no place for them";
    "leave one of both out";

    CHOICE_NONE_PARALLEL: Error "choice-none-parallel", "https://github.com/QuantumNous/new-api/issues/2763";
    "`tool_choice` of type `none` says something of parallel calls";
    "there are none, and the API refuses the field";
    "leave `disable_parallel_tool_use` out";
}

#[derive(Default)]
pub(super) struct Values {
    /// Pictures with a side over what many pictures allow: place, data, sides.
    wide: Vec<(Place, usize, (usize, usize))>,
    pictures: usize,
    /// The fewest bytes of a picture that any platform takes, once one was asked.
    least: Option<usize>,
    cited: [Option<Place>; 2],
}

impl Values {
    pub(super) fn block(&mut self, report: &mut Report<'_>, block: &Block<'_>) {
        match block.kind.as_ref() {
            "image" => self.picture(report, block),
            "document" => self.document(report, block),
            "tool_result" => error_result(report, block),
            _ => return,
        }
        for inner in block.inner() {
            match inner.kind.as_ref() {
                "image" => self.picture(report, &inner),
                "document" => {
                    self.document(report, &inner);
                    let pictures = inner.inner().filter(|deep| deep.kind == "image");
                    for deep in pictures {
                        self.picture(report, &deep);
                    }
                }
                _ => {}
            }
        }
    }

    fn picture(&mut self, report: &mut Report<'_>, block: &Block<'_>) {
        self.pictures += 1;
        let Some(source) = block.get("source") else {
            return;
        };
        let kind = source.get("type").and_then(Raw::as_str);
        if kind.as_deref() != Some("base64") {
            by_reference(report, block, kind.as_deref());
            return;
        }
        let (Some(media), Some(data)) = (source.get("media_type"), source.get("data"))
        else {
            return;
        };
        let place = block.place;
        let name = media.as_str().unwrap_or_default();
        if !TAKEN.contains(&name.as_ref()) {
            let text = format!("pictures of type {} are not taken", quoted(&name));
            let keys = ["source", "media_type"];
            report.under(&IMAGE_MEDIA_TYPE, place, &keys, media, text);
        }
        let keys = ["source", "data"];
        let Some(text) = data.as_text() else { return };
        let bytes = base64_of(text);
        let bytes = bytes.as_ref();
        let sure = report.profile.limits().image_bytes;
        // A body that one platform takes and the next refuses is worth a word.
        let table = &report.profile.table;
        let on = |platform| table.limits_on(platform).image_bytes;
        let unsure = match self.least {
            Some(least) => least,
            None => Platform::ALL.map(on).into_iter().min().unwrap_or(sure),
        };
        self.least = Some(unsure);
        if bytes.len() > sure.min(unsure) {
            let over = bytes.len() > sure;
            let most = if over { sure } else { unsure };
            let where_ = if over { "here" } else { "on some platforms" };
            let text = format!(
                "{} bytes of base64, {most} are allowed {where_}",
                bytes.len()
            );
            let severity = if over {
                Severity::Error
            } else {
                Severity::Warning
            };
            report
                .under(&IMAGE_BYTES, place, &keys, data, text)
                .weigh(severity);
        }
        let Bytes::Head(start) = head(bytes, HEADER) else {
            let what = match bytes.starts_with(b"data:") {
                true => "a data URI where base64 is wanted",
                false => "the data is not base64",
            };
            report.under(&IMAGE_DATA, place, &keys, data, what);
            return;
        };
        match magic(&start) {
            None => {
                let text = "the data begins like no picture that the API takes";
                report.under(&IMAGE_DATA, place, &keys, data, text);
            }
            Some(found) if found != name && TAKEN.contains(&name.as_ref()) => {
                let text = format!("declared `{name}`, the bytes are `{found}`");
                report.under(&IMAGE_MAGIC, place, &keys, data, text);
            }
            Some(_) => {}
        }
        let Ok(size) = imagesize::blob_size(&start) else {
            return;
        };
        let sides = (size.width, size.height);
        let longest = sides.0.max(sides.1);
        if longest > SIDE {
            pixels(report, place, data, sides, SIDE, "");
        } else if longest > SIDE_OF_MANY {
            let byte = report.byte(data);
            self.wide.push((place, byte, sides));
        }
    }

    fn document(&mut self, report: &mut Report<'_>, block: &Block<'_>) {
        let on = block.get("citations").and_then(|one| one.get("enabled"));
        let on = on.and_then(Raw::as_bool) == Some(true);
        self.cited[usize::from(on)].get_or_insert(block.place);
        let Some(source) = block.get("source") else {
            return;
        };
        let kind = source.get("type").and_then(Raw::as_str);
        if kind.as_deref() != Some("base64") {
            by_reference(report, block, kind.as_deref());
            return;
        }
        let Some(data) = source.get("data") else {
            return;
        };
        let Some(text) = data.as_text() else { return };
        let bytes = base64_of(text);
        let bytes = bytes.as_ref();
        let keys = ["source", "data"];
        let pdf = source.get("media_type").and_then(Raw::as_str);
        if pdf.as_deref() != Some("application/pdf") {
            return;
        }
        let start = match head(bytes, 1024) {
            Bytes::Head(start) => start,
            Bytes::Not => {
                let text = "the data is not base64";
                report.under(&PDF_DATA, block.place, &keys, data, text);
                return;
            }
        };
        if !start.starts_with(b"%PDF") {
            let text = "the data does not begin with `%PDF`";
            report.under(&PDF_DATA, block.place, &keys, data, text);
            return;
        }
        let most = report.profile.model.images;
        let pages = pages(bytes);
        if pages > most {
            let text = format!("{pages} pages, {most} are allowed");
            report.under(&PDF_DATA, block.place, &keys, data, text);
        }
    }

    pub(super) fn finish(self, report: &mut Report<'_>, body: &Body<'_>) {
        if self.pictures > MANY {
            for (place, byte, sides) in self.wide {
                let text = format!(
                    "{} by {} pixels among {} pictures: with more than {MANY}, \
                     {SIDE_OF_MANY} are allowed",
                    sides.0, sides.1, self.pictures
                );
                let keys = ["source", "data"];
                report.under_byte(&IMAGE_PIXELS, place, &keys, byte, text);
            }
        }
        if let [Some(_), Some(on)] = self.cited {
            let text = "citations are on here, and off for another document";
            report.at_place(&CITATIONS_MIXED, body, on, text);
        }
        let format = body
            .get("output_config")
            .and_then(|config| config.get("format"))
            .or_else(|| body.get("output_format"))
            .filter(|format| !format.is_null());
        if let (Some(on), Some(_)) = (self.cited[1], format) {
            let text = "citations beside an output format";
            report.at_place(&CITATIONS_FORMAT, body, on, text);
        }
    }
}

fn pixels(
    report: &mut Report<'_>,
    place: Place,
    data: Raw<'_>,
    sides: (usize, usize),
    most: usize,
    why: &str,
) {
    let text = format!(
        "{} by {} pixels, {most} a side are allowed{why}",
        sides.0, sides.1
    );
    report.under(&IMAGE_PIXELS, place, &["source", "data"], data, text);
}

fn by_reference(report: &mut Report<'_>, block: &Block<'_>, kind: Option<&str>) {
    let cloud = report.profile.platform != Platform::ClaudeApi;
    if let Some(kind @ ("url" | "file")) = kind
        && cloud
    {
        let text = format!("a source of type `{kind}`, where only base64 is taken");
        report.at(&SOURCE_PLATFORM, block.place, block.raw, text);
    }
}

/// The pages of a PDF, as far as its bytes say so in the open: objects of type
/// `Page` that are not packed into streams. Zero is no statement.
fn pages(data: &[u8]) -> usize {
    let mut count = 0;
    let mut kept: Vec<u8> = Vec::new();
    for chunk in data.chunks(64 * 1024) {
        let Ok(bytes) = STANDARD.decode(chunk) else {
            return 0;
        };
        kept.extend_from_slice(&bytes);
        let mut at = 0;
        let last = kept.len().saturating_sub(16);
        for hit in memchr::memmem::find_iter(&kept, b"/Type") {
            if hit >= last {
                break;
            }
            let rest = kept[hit + 5..].trim_ascii_start();
            let is_page = rest.starts_with(b"/Page")
                && !rest.get(5).is_some_and(u8::is_ascii_alphanumeric);
            count += usize::from(is_page);
            at = hit + 5;
        }
        kept.drain(..last.max(at).min(kept.len()));
    }
    count
}

fn error_result(report: &mut Report<'_>, block: &Block<'_>) {
    if block.get("is_error").and_then(Raw::as_bool) != Some(true) {
        return;
    }
    let content = block.get("content").filter(|content| !content.is_null());
    let blank = |raw: Raw<'_>| raw.as_str().is_some_and(|text| text.trim().is_empty());
    let empty = content.is_none_or(|content| {
        blank(content)
            || content.as_array().is_some_and(|mut all| {
                all.all(|one| one.get("text").is_some_and(blank))
            })
    });
    if empty {
        let text = "the result is an error and says nothing";
        report.at(&ERROR_RESULT_EMPTY, block.place, block.raw, text);
    }
    for inner in block.inner().filter(|inner| inner.kind != "text") {
        let text = format!("a block of type {} in an error", quoted(&inner.kind));
        report.at(&ERROR_RESULT_TEXT, inner.place, inner.raw, text);
    }
}

/// Judges numbers and short fields of a Messages request.
pub(super) fn fields(body: &Body<'_>, report: &mut Report<'_>) {
    budget(body, report);
    sampling(body, report);
    let model = report.profile.model.clone();
    if let Some(value) = body.get("max_tokens")
        && let Some(asked) = value.as_u64()
        && let Some(most) = model.max_output_tokens
        && asked > most
    {
        let text = format!("{asked} tokens, {} writes {most} at most", model.id);
        let severity = report.weight(report.profile.known && !model.max_output_assumed);
        report
            .under(&MAX_TOKENS_MODEL, Place::Root, &["max_tokens"], value, text)
            .weigh(severity);
    }
    let stops = body.get("stop_sequences").and_then(Raw::as_array);
    for (index, value) in stops.into_iter().flatten().enumerate() {
        if value.as_str().is_some_and(|text| text.trim().is_empty()) {
            let text = format!(
                "the stop sequence {} is blank",
                quoted(&value.as_str().unwrap_or_default())
            );
            let index = index.to_string();
            let keys = ["stop_sequences", index.as_str()];
            report.under(&STOP_WHITESPACE, Place::Root, &keys, value, text);
        }
    }
    let metadata = body.get("metadata").and_then(Raw::as_object);
    for (key, value) in metadata.into_iter().flatten() {
        let key = key.decode();
        let long = value
            .as_str()
            .is_some_and(|text| text.chars().count() > 256);
        let text = match key.as_ref() {
            "user_id" if long => "more than 256 characters".to_owned(),
            "user_id" => continue,
            _ => format!("{} is no field of `metadata`", quoted(&key)),
        };
        let severity = report.weight(long);
        report
            .under(&USER_ID, Place::Root, &["metadata", &key], value, text)
            .weigh(severity);
    }
    if let Some(choice) = body.get("tool_choice")
        && choice.get("type").and_then(Raw::as_str).as_deref() == Some("none")
        && let Some(value) = choice.get("disable_parallel_tool_use")
    {
        let text = "`disable_parallel_tool_use` beside `none`";
        let keys = ["tool_choice", "disable_parallel_tool_use"];
        report.under(&CHOICE_NONE_PARALLEL, Place::Root, &keys, value, text);
    }
    let format = body
        .get("output_config")
        .and_then(|config| config.at(&["format", "schema"]));
    if let Some(schema) = format {
        let at = Where {
            place: Place::Root,
            keys: &["output_config", "format", "schema"],
        };
        schema::check(report, &at, schema, Taker::Anthropic { strict: true });
    }
}

fn budget(body: &Body<'_>, report: &mut Report<'_>) {
    let Some(thinking) = body.get("thinking") else {
        return;
    };
    let enabled = thinking.get("type").and_then(Raw::as_str);
    let Some(value) = thinking.get("budget_tokens") else {
        return;
    };
    let Some(budget) = value
        .as_u64()
        .filter(|_| enabled.as_deref() == Some("enabled"))
    else {
        return;
    };
    let keys = ["thinking", "budget_tokens"];
    if budget < 1024 {
        let text = format!("a budget of {budget} tokens, 1024 are the least");
        report.under(&BUDGET_MIN, Place::Root, &keys, value, text);
    }
    let most = body.get("max_tokens").and_then(Raw::as_u64);
    let interleaved = |betas: &Betas| match betas {
        Betas::Known(names) => Some(
            names
                .iter()
                .any(|name| name.starts_with("interleaved-thinking")),
        ),
        Betas::Unknown => None,
    };
    let tools = body.tools().next().is_some();
    if let Some(most) = most
        && budget >= most
    {
        let text = format!("a budget of {budget} tokens, `max_tokens` is {most}");
        let severity = match interleaved(&report.profile.betas).filter(|_| tools) {
            Some(true) => return,
            None if tools => Severity::Note,
            _ => Severity::Error,
        };
        let found = report.under(&BUDGET_MAX, Place::Root, &keys, value, text);
        found.weigh(severity);
        if severity == Severity::Note {
            found.hint(
                "with tools and the beta for interleaved thinking this is allowed; \
                 say with --beta whether it is on",
            );
        }
    }
}

fn sampling(body: &Body<'_>, report: &mut Report<'_>) {
    let number = |key: &str| {
        let value = body.fields.given(key)?;
        Some((value, value.as_f64()?))
    };
    for (key, most) in [("temperature", 1.0), ("top_p", 1.0)] {
        if let Some((value, found)) = number(key)
            && !(0.0..=most).contains(&found)
        {
            let text = format!("`{key}` goes from 0 to {most}");
            report.under(&TEMPERATURE_RANGE, Place::Root, &[key], value, text);
        }
    }
    if report.profile.model.sampling.refused() {
        return;
    }
    let thinking = body
        .get("thinking")
        .and_then(|thinking| thinking.get("type"))
        .and_then(Raw::as_str);
    if matches!(thinking.as_deref(), Some("enabled" | "adaptive")) {
        for key in ["temperature", "top_p", "top_k"] {
            let Some((value, found)) = number(key) else {
                continue;
            };
            let fine = match key {
                "temperature" => found == 1.0,
                "top_p" => found >= 0.95,
                _ => false,
            };
            if !fine {
                let text = format!("`{key}` beside thinking");
                report.under(&THINKING_SAMPLING, Place::Root, &[key], value, text);
            }
        }
    }
    if report.profile.model.one_sampling
        && let (Some(_), Some((value, _))) = (number("temperature"), number("top_p"))
    {
        let text = "`temperature` and `top_p` are both given";
        let severity = report.weight(report.profile.known);
        report
            .under(&TEMPERATURE_TOP_P, Place::Root, &["top_p"], value, text)
            .weigh(severity);
    }
}

/// Judges the text of any body: halves of surrogate pairs, and U+0000.
pub(super) fn text(body: &Body<'_>, report: &mut Report<'_>) {
    let strict = matches!(
        (body.provider, body.dialect),
        (
            Provider::Anthropic | Provider::Cerebras | Provider::Google,
            _
        ) | (_, Dialect::Converse)
    );
    let bytes = body.raw.bytes();
    // A body of many broken strings is broken in one way.
    let mut left = 20;
    let mut at = 0;
    let mut last: Option<String> = None;
    while let Some(hit) = memchr::memchr(b'\\', &bytes[at..]) {
        let start = at + hit;
        at = (start + 2).min(bytes.len());
        if bytes.get(start + 1) != Some(&b'u') {
            continue;
        }
        at = start + 6;
        let Some(unit) = unit(bytes, start) else {
            continue;
        };
        let low = 0xdc00..=0xdfff;
        let lone = match unit {
            0xd800..=0xdbff => {
                let pair = bytes.get(start + 6) == Some(&b'\\')
                    && self::unit(bytes, start + 6)
                        .is_some_and(|next| low.contains(&next));
                if pair {
                    at = start + 12;
                }
                !pair
            }
            0xdc00..=0xdfff => true,
            _ => false,
        };
        if !lone && unit != 0 {
            continue;
        }
        let path = pointer::at(bytes, start);
        // One finding a string, however often it was cut.
        if last.as_ref() == Some(&path) {
            continue;
        }
        let written = String::from_utf8_lossy(&bytes[start..start + 6]).into_owned();
        let (rule, text) = match unit {
            0 => (&NUL, "the string holds U+0000".to_owned()),
            _ => (&LONE_SURROGATE, format!("`{written}` is half of a pair")),
        };
        let value = pointer::resolve(body.raw, &path);
        let byte = value.map_or(report.byte(body.raw) + start, |raw| report.byte(raw));
        last = Some(path.clone());
        let found = report.at_path(rule, path, byte, text);
        if rule.id == LONE_SURROGATE.id && !strict {
            found.weigh(Severity::Warning);
        }
        left -= 1;
        if left == 0 {
            return;
        }
    }
}

/// Where halves of surrogate pairs stand in a piece of JSON.
pub(super) fn halves(bytes: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(hit) = memchr::memchr(b'\\', &bytes[at..]) {
        let start = at + hit;
        at = (start + 2).min(bytes.len());
        match unit(bytes, start) {
            Some(0xd800..=0xdbff)
                if matches!(unit(bytes, start + 6), Some(0xdc00..=0xdfff)) =>
            {
                at = start + 12;
            }
            Some(0xd800..=0xdfff) => {
                found.push(start);
                at = start + 6;
            }
            _ => {}
        }
    }
    found
}

/// The code unit of the escape at `start`.
fn unit(bytes: &[u8], start: usize) -> Option<u32> {
    let digits = bytes.get(start..start + 6)?;
    if !digits.starts_with(b"\\u") {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(&digits[2..]).ok()?, 16).ok()
}

/// Whether a value is a string of white space alone.
pub(super) fn is_blank(raw: Raw<'_>) -> bool {
    raw.kind() == Kind::String
        && raw.as_str().is_some_and(|text| text.trim().is_empty())
}
