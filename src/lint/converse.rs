//! Bedrock Converse: blocks named by their only key, tools under `toolConfig`.

use super::report::{Report, Spot};
use super::values::is_blank;
use crate::body::{Block, Body, Fields, Message, Place};
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::term::{counted, quoted};
use std::borrow::Cow;
use std::collections::HashSet;

const MESSAGE: &str =
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html";

family! { "bedrock";
    TOOL_CONFIG: Error "bedrock-tool-config", "https://github.com/vxcontrol/pentagi/issues/196";
    "the history has calls or results, and `toolConfig` has no tools";
    "Converse refuses it, for every model";
    "send `toolConfig` with the tools of the history";

    TEXT_BLANK: Error "bedrock-text-blank", "https://github.com/earendil-works/pi/issues/4975";
    "a text block is empty or white space";
    "Converse refuses it";
    "leave the block out";

    CONTENT_EMPTY: Error "bedrock-content-empty", "https://github.com/earendil-works/pi/issues/3443";
    "a message has no content";
    "Converse refuses it";
    "leave the message out";

    FIRST_USER: Error "bedrock-first-user", "https://github.com/NousResearch/hermes-agent/issues/63983";
    "the messages do not begin with the user, or do not alternate";
    "Converse wants user and assistant in turn";
    "begin with a user message; merge neighbours of one role";

    TOOL_NAME: Error "bedrock-tool-name", "https://github.com/openclaw/openclaw/issues/12892";
    "the name of a tool is one that Converse refuses, or its description is empty";
    "names are 1 to 64 letters, digits, `_` and `-`";
    "rename the tool, in the history too";

    TOOL_USE_ID: Error "bedrock-tool-use-id", "https://github.com/run-llama/llama_index/issues/22775";
    "the id of a call is one that Converse refuses";
    "ids are 1 to 64 letters, digits, `_`, `-`, `.` and `:`";
    "replace the other characters, in the result too";

    RESULT_MISSING: Error "bedrock-tool-result-missing", "https://github.com/gethnet/litellm-connector-copilot/issues/101";
    "a call has no result in the next message, or a result no call";
    "Converse wants each answered at once, and nothing else answered";
    "add a result that says the call was interrupted; leave an orphan out";

    JSON_OBJECT: Error "bedrock-json-object", "https://github.com/sigoden/aichat/issues/1550";
    "an input or a `json` result is no object";
    "Converse takes objects only";
    "wrap the value in an object";

    ERROR_RESULT_EMPTY: Error "bedrock-error-result-empty", "https://github.com/aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15";
    "a result that is an error has no content";
    "Converse refuses it";
    "say what went wrong";

    DOCUMENT_NAME: Error "bedrock-document-name", "https://github.com/vercel/ai/issues/20365";
    "the name of a document is one that Converse refuses, or is there twice";
    "letters, digits, single blanks, hyphens, parentheses and brackets, up to 200";
    "rename the document";

    DOCUMENT_TEXT: Error "bedrock-document-text", MESSAGE;
    "a message with a document has no text";
    "Converse wants a text block beside documents";
    "say what the document is for";

    MEDIA: Warning "bedrock-media", MESSAGE;
    "a message holds more media than the reference allows, or of the wrong role";
    "20 pictures and 5 documents a message; the assistant sends none";
    "spread them over messages";
}

#[derive(Default)]
struct Walk<'a> {
    last: Option<Cow<'a, str>>,
    /// Calls of the last assistant message that are open.
    calls: Vec<(Cow<'a, str>, Spot<'a>)>,
    uses: Option<Spot<'a>>,
    names: HashSet<Cow<'a, str>>,
}

pub(super) fn check(body: &Body<'_>, report: &mut Report<'_>) {
    let mut count = 0;
    for tool in body.tools() {
        count += 1;
        let Some(spec) = tool.get("toolSpec") else {
            continue;
        };
        let fields = Fields::read(spec);
        match fields.get("name") {
            Some(value) => {
                name(report, tool.place, &["toolSpec", "name"], value, "tool");
            }
            None => name(report, tool.place, &["toolSpec"], spec, "tool"),
        }
        if let Some(text) = fields.get("description").filter(|text| is_blank(*text)) {
            let keys = ["toolSpec", "description"];
            let said = "the description is empty";
            report.under(&TOOL_NAME, tool.place, &keys, text, said);
        }
    }
    let mut walk = Walk::default();
    for message in body.messages() {
        walk.message(report, &message);
    }
    walk.close(report);
    if let Some(spot) = walk.uses
        && count == 0
    {
        let text = "a call or result, and no `toolConfig`";
        report.at(&TOOL_CONFIG, spot.place, spot.raw, text);
    }
    for block in body.system() {
        blank(report, &block);
    }
}

fn name(
    report: &mut Report<'_>,
    place: Place,
    keys: &[&str],
    value: Raw<'_>,
    what: &str,
) {
    let text = value.as_str().unwrap_or_default();
    let legal = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if text.is_empty() || text.len() > 64 || !text.bytes().all(legal) {
        let text = format!("the {what} name {}", quoted(&text));
        report.under(&TOOL_NAME, place, keys, value, text);
    }
}

fn blank(report: &mut Report<'_>, block: &Block<'_>) {
    if let Some(text) = block.get("text").filter(|text| is_blank(*text)) {
        let said = "the text is blank";
        report.under(&TEXT_BLANK, block.place, &["text"], text, said);
    }
}

impl<'a> Walk<'a> {
    fn message(&mut self, report: &mut Report<'_>, message: &Message<'a>) {
        let spot = Spot {
            place: message.place,
            raw: message.raw,
        };
        let fits = match &self.last {
            None => message.role == "user",
            Some(last) => *last != message.role,
        };
        if !fits {
            let text = match &self.last {
                None => "the first message is not the user's".to_owned(),
                Some(last) => format!("two messages of {} in a row", quoted(last)),
            };
            report.at(&FIRST_USER, spot.place, spot.raw, text);
        }
        self.last = Some(message.role.clone());
        let empty = message
            .content
            .and_then(Raw::as_array)
            .is_some_and(|mut all| all.next().is_none());
        if empty {
            let text = "the message has no content";
            report.at(&CONTENT_EMPTY, spot.place, spot.raw, text);
        }
        let user = message.role == "user";
        let (mut documents, mut pictures, mut texts) = (0, 0, 0);
        for block in message.blocks() {
            match block.kind.as_ref() {
                "text" => {
                    texts += 1;
                    blank(report, &block);
                }
                "toolUse" => self.call(report, &block),
                "toolResult" => self.result(report, &block),
                "document" => {
                    documents += 1;
                    self.document(report, &block);
                }
                "image" => pictures += 1,
                _ => {}
            }
        }
        if user {
            self.close(report);
        }
        if documents > 0 && texts == 0 {
            let text = "a document, and no text";
            report.at(&DOCUMENT_TEXT, spot.place, spot.raw, text);
        }
        if documents > 5 || pictures > 20 || !user && documents + pictures > 0 {
            let text = format!(
                "{} and {} in a message of {}",
                counted(pictures, "picture"),
                counted(documents, "document"),
                quoted(&message.role)
            );
            report.at(&MEDIA, spot.place, spot.raw, text);
        }
    }

    fn call(&mut self, report: &mut Report<'_>, block: &Block<'a>) {
        let spot = Spot {
            place: block.place,
            raw: block.raw,
        };
        self.uses.get_or_insert(spot);
        let Some(call) = block.get("toolUse") else {
            return;
        };
        let fields = Fields::read(call);
        if let Some(value) = fields.get("name") {
            name(report, block.place, &["toolUse", "name"], value, "called");
        }
        let id = fields.text("toolUseId").unwrap_or_default();
        let legal =
            |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b':');
        if id.is_empty() || id.len() > 64 || !id.bytes().all(legal) {
            let (value, keys) = match fields.get("toolUseId") {
                Some(value) => (value, &["toolUse", "toolUseId"][..]),
                None => (call, &["toolUse"][..]),
            };
            let text = format!("the id {}", quoted(&id));
            report.under(&TOOL_USE_ID, block.place, keys, value, text);
        }
        if let Some(input) =
            fields.get("input").filter(|one| one.kind() != Kind::Object)
        {
            let text = format!("expected an object, found {}", input.kind().name());
            let keys = ["toolUse", "input"];
            report.under(&JSON_OBJECT, block.place, &keys, input, text);
        }
        self.calls.push((id, spot));
    }

    fn result(&mut self, report: &mut Report<'_>, block: &Block<'a>) {
        let spot = Spot {
            place: block.place,
            raw: block.raw,
        };
        self.uses.get_or_insert(spot);
        let Some(result) = block.get("toolResult") else {
            return;
        };
        let fields = Fields::read(result);
        let id = fields.text("toolUseId").unwrap_or_default();
        match self.calls.iter().position(|(one, _)| *one == id) {
            Some(index) => {
                self.calls.remove(index);
            }
            None => {
                let text = format!("no open call {} before this result", quoted(&id));
                report.at(&RESULT_MISSING, block.place, block.raw, text);
            }
        }
        let list = fields.get("content").and_then(Raw::as_array);
        let mut parts = list.into_iter().flatten().enumerate().peekable();
        let failed = fields.text("status").as_deref() == Some("error");
        if failed && parts.peek().is_none() {
            let text = "an error without content";
            report.at(&ERROR_RESULT_EMPTY, block.place, block.raw, text);
        }
        for (index, part) in parts {
            if let Some(json) =
                part.get("json").filter(|one| one.kind() != Kind::Object)
            {
                let text = format!("expected an object, found {}", json.kind().name());
                let index = index.to_string();
                let keys = ["toolResult", "content", index.as_str(), "json"];
                report.under(&JSON_OBJECT, block.place, &keys, json, text);
            }
        }
    }

    fn document(&mut self, report: &mut Report<'_>, block: &Block<'a>) {
        let Some(value) = block.get("document").and_then(|one| one.get("name")) else {
            return;
        };
        let Some(name) = value.as_str() else { return };
        let legal = |c: char| c.is_alphanumeric() || " -()[]_".contains(c);
        let count = name.chars().count();
        let again = !self.names.insert(name.clone());
        if !(1..=200).contains(&count)
            || !name.chars().all(legal)
            || name.contains("  ")
            || again
        {
            let text = match again {
                true => format!("a second document named {}", quoted(&name)),
                false => format!("the document name {}", quoted(&name)),
            };
            let keys = ["document", "name"];
            report.under(&DOCUMENT_NAME, block.place, &keys, value, text);
        }
    }

    /// Calls that nothing answered where it had to.
    fn close(&mut self, report: &mut Report<'_>) {
        for (id, spot) in self.calls.drain(..) {
            let text = format!("the call {} has no result", quoted(&id));
            report.at(&RESULT_MISSING, spot.place, spot.raw, text);
        }
    }
}
