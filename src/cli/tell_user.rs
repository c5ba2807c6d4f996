//! `convo tell-user`: a local tool that shows a message to the user.
//!
//! Arguments in, content blocks out: the message for the user as markdown, and an
//! acknowledgement for the assistant. A refusal is a result too, with `isError`.
//! Nothing else of the program treats the tool as special: its message is a block
//! addressed to the user, as any tool may write one, and reaches the terminal by
//! its audience; the definition and style that `source = "builtin"` stands for are
//! in [`crate::config::builtin`]. It also prints what registers it: its definition, its configuration, a passage for a system prompt (`docs/views.md#tell-user`).

use super::{CommonArgs, Exit};
use crate::config::builtin::{DESCRIPTION, PARAMETER};
use crate::error::{Diagnostic, Error, ErrorKind, Severity};
use crate::json::{Kind, Raw, Text, write};
use crate::term::quoted;
use clap::Args;
use std::io::Read as _;

/// Show a message to the user, as a tool a model can call
///
/// Reads the arguments of a tool call, {"message": "..."}, and writes the result:
/// the message for the user, and an acknowledgement for the model.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"message\": \"**3 of 7** files done.\"}' | convo tell-user
  convo tell-user --config >> .jp/config.toml")]
pub struct TellUserArgs {
    /// The arguments as JSON, instead of standard input
    #[arg(value_name = "ARGUMENTS", allow_hyphen_values = true)]
    arguments: Option<String>,
    /// Print the tool's definition
    #[arg(long, conflicts_with_all = ["config", "elicitation", "arguments"])]
    definition: bool,
    /// Print the TOML that registers the tool
    #[arg(long, conflicts_with_all = ["elicitation", "arguments"])]
    config: bool,
    /// Print a system prompt passage that makes a model use the tool
    #[arg(long, conflicts_with = "arguments")]
    elicitation: bool,
}

/// What the model gets back.
pub const ACKNOWLEDGEMENT: &str = "Message shown to user.";

const ELICITATION: &str = "\
The user reads your final answer, and may not read the text you write between tool \
calls. When the task is not finished yet and there is something the user must read \
word for word (a result already found, a number that shows progress, an answer to a \
question they asked meanwhile), call `tell_user` with it. In all other cases keep \
working in silence, and put what you have to say into your final answer.
";

/// Writes the blocks, or one of the texts.
pub fn run(args: &TellUserArgs, common: &CommonArgs) -> Exit {
    let messages = common.messages("tell-user");
    let mut out = Vec::new();
    if args.definition {
        out.extend_from_slice(definition().as_bytes());
    } else if args.config {
        out.extend_from_slice(config().as_bytes());
    } else if args.elicitation {
        out.extend_from_slice(ELICITATION.as_bytes());
    } else {
        let done = read(args).and_then(|bytes| message(&bytes));
        match done {
            Ok(message) => blocks(&mut out, &message),
            Err(error) => {
                // The model reads why on stdout, as the result of its call; who runs
                // the tool reads it on stderr.
                failure(&mut out, &error);
                let mut told = Diagnostic::from(error);
                told.severity = Severity::Error;
                messages.tell(&told);
                super::write_text(&messages, &out);
                return Exit::Failed;
            }
        }
    }
    super::write_text(&messages, &out)
}

fn refused(message: String) -> Error {
    Error::new(ErrorKind::Input, "arguments", message)
        .hint("the arguments are {\"message\": \"...\"}")
}

fn read(args: &TellUserArgs) -> Result<Vec<u8>, Error> {
    if let Some(arguments) = &args.arguments {
        return Ok(arguments.clone().into_bytes());
    }
    let mut bytes = Vec::new();
    super::source::standard_input()
        .read_to_end(&mut bytes)
        .map_err(|error| refused(format!("the arguments cannot be read: {error}")))?;
    Ok(bytes)
}

/// The message in the arguments of a call.
///
/// # Errors
///
/// The arguments are not one object with one string, `message`.
pub fn message(arguments: &[u8]) -> Result<String, Error> {
    if arguments.iter().all(u8::is_ascii_whitespace) {
        return Err(refused(
            "expected a JSON object, found an empty input".into(),
        ));
    }
    let value = Raw::parse(arguments).map_err(|error| {
        refused(format!("the arguments are not JSON: {error}")).byte(error.offset)
    })?;
    let Some(members) = value.as_object() else {
        let found = value.kind().name();
        return Err(refused(format!("expected a JSON object, found {found}")));
    };
    for (key, _) in members {
        if !key.is("message") {
            return Err(refused(format!(
                "found the argument {}, expected `message` alone",
                quoted(&key.decode())
            )));
        }
    }
    match value.get("message") {
        None => Err(refused("the argument `message` is missing".into())),
        Some(text) if text.kind() != Kind::String => Err(refused(format!(
            "`message` is {}, expected a string",
            text.kind().name()
        ))),
        Some(text) if text.as_text().is_some_and(Text::has_lone_surrogate) => {
            Err(refused(
                "`message` has half a surrogate pair, which is no character".into(),
            ))
        }
        Some(text) => {
            let message = text.as_str().unwrap_or_default().into_owned();
            if message.trim().is_empty() {
                return Err(refused(
                    "`message` is empty: there is nothing to show".into(),
                ));
            }
            Ok(message)
        }
    }
}

/// The result: the message for the user, the acknowledgement for the assistant.
fn blocks(out: &mut Vec<u8>, message: &str) {
    out.extend_from_slice(b"{\"content\":[{\"type\":\"text\",\"text\":");
    write::string(out, message);
    out.extend_from_slice(
        b",\"mimeType\":\"text/markdown\",\"annotations\":{\"audience\":[\"user\"]}},\
          {\"type\":\"text\",\"text\":",
    );
    write::string(out, ACKNOWLEDGEMENT);
    out.extend_from_slice(b",\"annotations\":{\"audience\":[\"assistant\"]}}]}\n");
}

/// The result of a call that was refused: text for the model, and the flag.
fn failure(out: &mut Vec<u8>, error: &Error) {
    let mut text = error.message.clone();
    if let Some(hint) = &error.hint {
        text.push_str("; ");
        text.push_str(hint);
    }
    out.extend_from_slice(b"{\"content\":[{\"type\":\"text\",\"text\":");
    write::string(out, &text);
    out.extend_from_slice(b"}],\"isError\":true}\n");
}

fn definition() -> String {
    let mut out = b"{\"name\":\"tell_user\",\"description\":".to_vec();
    write::string(&mut out, DESCRIPTION);
    out.extend_from_slice(
        b",\"input_schema\":{\"type\":\"object\",\"properties\":{\"message\":\
          {\"type\":\"string\",\"description\":",
    );
    write::string(&mut out, PARAMETER);
    out.extend_from_slice(b"}},\"required\":[\"message\"]}}\n");
    String::from_utf8_lossy(&out).into_owned()
}

fn config() -> String {
    format!(
        "\
[conversation.tools.tell_user]
source = \"local\"
command = {{ program = \"convo\", args = [\"tell-user\", \"{{{{tool.arguments}}}}\"] }}
enable = {{ state = true, allow_toggle = \"if_named\" }}
run = \"unattended\"
result = \"unattended\"
description = \"\"\"
{DESCRIPTION}\"\"\"

[conversation.tools.tell_user.parameters.message]
type = \"string\"
required = true
description = \"{PARAMETER}\"

[conversation.tools.tell_user.style]
header = \"off\"
parameters = \"off\"
results_file_link = \"off\"
inline_results = {{ user = \"chat\", assistant = \"off\" }}
"
    )
}
