//! `convo validate`: conversations against the published schemas.

use super::filter::{Answer, Filter};
use super::origin::Record;
use super::output::{Output, unwritable};
use super::salvage::Salvage;
use super::{CommonArgs, Exit, StreamArgs};
use crate::block::{Block, Content, Role};
use crate::error::{Diagnostic, Error, Position, Severity};
use crate::event::{Event, EventKind};
use crate::json::{Raw, pointer};
use crate::render::tool::style_faults;
use crate::schema::{self, Finding};
use crate::term::json::{number, text};
use crate::term::printable;
use clap::{Args, ValueEnum};
use std::io::Write as _;
use std::path::PathBuf;

/// Check conversations against the published schemas
///
/// Every finding is written, not the first alone, with its JSON Pointer and byte.
/// A conversation is valid when no finding is an error; warnings tell what is
/// accepted and still worth knowing. Exit status 1 when there is an error.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo validate events.json
  convo validate --format json archive.jsonl | jq -r .rule | sort | uniq -c
  convo validate --salvage whole.json cut-off.json")]
pub struct ValidateArgs {
    #[command(flatten)]
    stream: StreamArgs,
    /// Also tell where what the user saw and what the model was told disagree
    #[arg(long, conflicts_with = "schema")]
    audience: bool,
    /// How findings are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Check each value against this schema instead (see convo schema)
    #[arg(long, value_name = "NAME", value_parser = schema_name())]
    schema: Option<String>,
    /// Write what can be read to a new FILE, and tell what is gone
    ///
    /// Broken conversations are read as far as their entries can be; what is written
    /// is the container as it was, one entry a line, without what no reader takes.
    /// Several conversations follow each other. FILE must not be there yet.
    #[arg(long, value_name = "FILE", conflicts_with = "schema")]
    salvage: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A line of text each
    Human,
    /// A JSON object each, one a line
    Json,
}

/// Accepts the names of the published schemas.
pub(super) fn schema_name() -> clap::builder::PossibleValuesParser {
    schema::SCHEMAS.map(|schema| schema.name).into()
}

/// Validates the inputs.
pub fn run(args: &ValidateArgs, common: &CommonArgs) -> Exit {
    let salvage = match args
        .salvage
        .as_deref()
        .map(|path| Salvage::new(path, common))
    {
        None => None,
        Some(Ok(salvage)) => Some(salvage),
        Some(Err(error)) => {
            common.messages("validate").tell(&error.into());
            return Exit::Failed;
        }
    };
    let filter = Validate {
        args,
        schema: args.schema.as_deref().and_then(schema::find),
        quiet: common.quiet,
        salvage,
    };
    let exit = common.run(&filter, &args.stream, "validate");
    match filter.salvage.map_or(Ok(()), Salvage::finish) {
        Ok(()) => exit,
        Err(error) => {
            common.messages("validate").tell(&error.into());
            Exit::Failed
        }
    }
}

struct Validate<'a> {
    args: &'a ValidateArgs,
    schema: Option<&'static schema::Schema>,
    quiet: bool,
    salvage: Option<Salvage>,
}

impl Filter for Validate<'_> {
    fn conversation(
        &self,
        record: &Record<'_>,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        if let Some(salvage) = &self.salvage {
            salvage.write(record, told)?;
        }
        let mut wrong = false;
        // Nothing is refused here, so each line is final.
        let mut tell = |mut finding: Finding| {
            wrong |= finding.severity == Severity::Error;
            if self.quiet && finding.severity < Severity::Error {
                return Ok(());
            }
            record.place(&mut finding.position);
            match self.args.format {
                Format::Human => human(&mut output.bytes, &finding),
                Format::Json => json(&mut output.bytes, &finding),
            }
            output.commit()
        };
        match self.schema {
            Some(schema) => schema::findings_of(schema, record.conversation.value)
                .into_iter()
                .try_for_each(&mut tell),
            None => schema::each_finding(&record.conversation, &mut tell)
                .and_then(|()| styles(record, &mut tell))
                .and_then(|()| match self.args.audience {
                    true => disagreements(record, &mut tell),
                    false => Ok(()),
                }),
        }
        .map_err(|error| unwritable(&error))?;
        Ok(if wrong { Answer::No } else { Answer::Good })
    }

    fn uses_base(&self) -> bool {
        false
    }

    fn judges_entries(&self) -> bool {
        true
    }

    fn salvages(&self) -> bool {
        self.salvage.is_some()
    }

    fn takes_any_value(&self) -> bool {
        self.schema.is_some()
    }
}

fn warning(
    record: &Record<'_>,
    rule: &str,
    (index, at, path): (usize, Raw<'_>, &str),
    message: String,
) -> Finding {
    let conversation = &record.conversation;
    let mut prefix = conversation.entries_path().to_owned();
    pointer::push_index(&mut prefix, index);
    Finding {
        severity: Severity::Warning,
        rule: rule.to_owned(),
        position: Position {
            event: Some(index),
            path: Some(format!("{prefix}{path}")),
            byte: Some(at.offset_in(conversation.value.bytes()) as u64),
            ..Position::default()
        },
        message,
    }
}

/// Tells the styles of tools that rendering does not read as they are written.
fn styles<E>(
    record: &Record<'_>,
    tell: &mut impl FnMut(Finding) -> Result<(), E>,
) -> Result<(), E> {
    let entries = record.conversation.entries.as_array().into_iter().flatten();
    for (index, entry) in entries.enumerate() {
        let kind = entry.get("type").and_then(Raw::as_text).map(EventKind::of);
        if kind != Some(EventKind::ConfigDelta) {
            continue;
        }
        let nested = entry.get("delta").is_some();
        let root = entry.get("delta").unwrap_or(entry);
        let tools = root.at(&["conversation", "tools"]);
        for (name, tool) in tools.and_then(Raw::as_object).into_iter().flatten() {
            let Some(style) = tool.get("style").filter(|style| !style.is_null()) else {
                continue;
            };
            let mut path = match nested {
                true => "/delta/conversation/tools".to_owned(),
                false => "/conversation/tools".to_owned(),
            };
            let name = name.decode();
            pointer::push_key(&mut path, &name);
            path.push_str("/style");
            for message in style_faults(&name, style) {
                tell(warning(record, "style", (index, style, &path), message))?;
            }
        }
    }
    Ok(())
}

/// Tells, result by result, where the user and the model were told things of
/// different kinds (JP's RFD 094).
fn disagreements<E>(
    record: &Record<'_>,
    tell: &mut impl FnMut(Finding) -> Result<(), E>,
) -> Result<(), E> {
    let entries = record.conversation.entries.as_array().into_iter().flatten();
    for (index, entry) in entries.enumerate() {
        let Ok(event) = Event::read(entry) else {
            continue;
        };
        if event.kind() != EventKind::ToolCallResponse {
            continue;
        }
        let Content::Blocks(blocks) = Content::of(&event) else {
            continue;
        };
        let usable = || {
            let blocks = blocks.as_array().into_iter().flatten();
            blocks.map(Block::read).filter(Block::is_usable)
        };
        let user = usable().any(|block| block.addressed_to(Role::User));
        let model = usable().any(|block| block.addressed_to(Role::Assistant));
        let failed = event.is_error();
        let message = match (user, model) {
            (true, true) | (false, false) => None,
            (true, false) if failed => Some(
                "the call failed, and the model is told no more than that: every block \
                 is for the user; add an acknowledgement for the model",
            ),
            (true, false) => Some(
                "every block is for the user: the model reads a fixed sentence instead; \
                 add an acknowledgement for it",
            ),
            (false, true) if failed => Some(
                "the call failed, and the user sees nothing of it: every block is for \
                 the model",
            ),
            (false, true) => {
                Some("every block is for the model: the user sees nothing of it")
            }
        };
        if let Some(message) = message {
            let at = (index, blocks, "/content");
            tell(warning(record, "told-apart", at, message.to_owned()))?;
        }
        let said = usable().any(|block| block.audience().names_user());
        if failed && said {
            let message = "the call failed, but what is said to the user reads like a \
                           success in a view that shows speech alone";
            let at = (index, blocks, "/content");
            tell(warning(record, "told-apart", at, message.to_owned()))?;
        }
    }
    Ok(())
}

fn human(out: &mut Vec<u8>, finding: &Finding) {
    // A vector takes every write.
    let _ = writeln!(
        out,
        "{}{}: {} [{}]",
        printable(&finding.position.to_string()),
        finding.severity.name(),
        printable(&finding.message),
        finding.rule
    );
}

fn json(out: &mut Vec<u8>, finding: &Finding) {
    let position = &finding.position;
    out.push(b'{');
    text(out, "severity", Some(finding.severity.name()));
    text(out, "rule", Some(&finding.rule));
    text(out, "input", position.input.as_deref());
    text(out, "path", position.path.as_deref());
    text(out, "message", Some(&finding.message));
    let conversation = position.conversation.map(|n| n as u64);
    number(out, "conversation", conversation);
    number(out, "event", position.event.map(|n| n as u64));
    number(out, "byte", position.byte);
    out.extend_from_slice(b"}\n");
}
