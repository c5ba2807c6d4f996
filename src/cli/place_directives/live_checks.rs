//! `--live-checks`: requests that settle what the documentation leaves open, with what
//! to read in their answers (`docs/live-checks.md`).

use crate::cli::CommonArgs;
use crate::cli::{Exit, write_text};
use crate::error::{Error, ErrorKind};
use crate::json::{Raw, write};
use crate::provider::{Format, Options, Requests, each_body};
use crate::stream::{Container, Conversation};

/// One request: the check it belongs to, its name there, its stream, what to read.
struct Check {
    check: &'static str,
    name: &'static str,
    events: &'static str,
    read: &'static str,
}

/// Entries in the middle of the streams: `{}` in [`HEAD`].
const HEAD: &str = r#"{"encoding":"plain","base_config":{"assistant":{"system_prompt":"You are terse.","model":{"id":"anthropic/claude-opus-5"}},"providers":{"llm":{"anthropic":{"beta_headers":["inline-tools-2026-09-15"]}}},"conversation":{"tools":{"clock":{"source":"local","enable":true,"description":"Tells the time."},"big":{"source":"local","enable":true,"description":"WORDS"}}}},"events":[{}]}"#;

const CHECKS: [Check; 5] = [
    Check {
        check: "removal",
        name: "kept",
        events: r#"{"type":"chat_request","content":"Say yes."},{"type":"chat_response","message":"Yes."},{"type":"chat_request","content":"Say no."}"#,
        read: "usage: input_tokens + cache_creation_input_tokens + cache_read_input_tokens, the length with the tool `big` offered",
    },
    Check {
        check: "removal",
        name: "removed",
        events: r#"{"type":"chat_request","content":"Say yes."},{"type":"chat_response","message":"Yes."},{"type":"config_delta","delta":{"conversation":{"tools":{"big":{"enable":false}}}}},{"type":"chat_request","content":"Say no."}"#,
        read: "the same sum: if it is not some thousand tokens below that of `kept`, a removal reclaims no context",
    },
    Check {
        check: "removal",
        name: "never-offered",
        events: r#"{"type":"config_delta","delta":{"conversation":{"tools":{"big":{"enable":false}}}}},{"type":"chat_request","content":"Say yes."},{"type":"chat_response","message":"Yes."},{"type":"chat_request","content":"Say no."}"#,
        read: "the same sum: what `removed` comes to if the removal reclaims all of it",
    },
    Check {
        check: "initial-directive",
        name: "with",
        events: r#"{"type":"chat_request","content":"What is the capital of France?"},{"type":"config_delta","delta":{"assistant":{"system_prompt_sections":[{"content":"Answer every question with the one word PINEAPPLE."}]}}}"#,
        read: "content: PINEAPPLE if the directive behind the first user message governs the first answer; usage.input_tokens is above that of `without` by its length if it was read at all",
    },
    Check {
        check: "initial-directive",
        name: "without",
        events: r#"{"type":"chat_request","content":"What is the capital of France?"}"#,
        read: "content: Paris; usage.input_tokens to compare with",
    },
];

/// Writes one object a line: the check, the request, what to read.
///
/// # Errors
///
/// Options that leave no Messages body to write.
pub(super) fn run(options: &Options<'_>, common: &CommonArgs) -> Result<Exit, Error> {
    let mut out = Vec::new();
    let words = "One of many words that make this definition long. ".repeat(400);
    let messages = common.messages("place-directives");
    for one in &CHECKS {
        let stream = HEAD.replace("[{}]", &format!("[{}]", one.events));
        let stream = stream.replace("WORDS", words.trim_end());
        let options = Options {
            requests: Requests::Last,
            format: Format::Request,
            pretty: false,
            inputs: None,
            ..*options
        };
        let Container::Conversation(conversation) =
            Conversation::read(Raw::checked(stream.as_bytes()))?
        else {
            let what = "a check is no conversation";
            return Err(Error::new(ErrorKind::Contract, "not-a-body", what));
        };
        let mut told = Vec::new();
        each_body(&conversation, &options, &mut told, &mut |request| {
            out.extend_from_slice(b"{\"check\":");
            write::string(&mut out, one.check);
            write::key(&mut out, "name");
            write::string(&mut out, one.name);
            write::key(&mut out, "read");
            write::string(&mut out, one.read);
            write::key(&mut out, "request");
            out.extend_from_slice(request.trim_ascii_end());
            out.extend_from_slice(b"}\n");
            Ok(())
        })?;
        for one in &told {
            messages.tell(one);
        }
    }
    Ok(write_text(&messages, &out))
}
