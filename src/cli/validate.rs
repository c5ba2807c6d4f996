//! `convo validate`: conversations against the published schemas.

use super::filter::{Answer, Filter};
use super::origin::Record;
use super::output::{Output, unwritable};
use super::salvage::Salvage;
use super::{CommonArgs, Exit, StreamArgs, batch, write_text};
use crate::block::{Block, Content, Role};
use crate::error::{Diagnostic, Error, Position, Severity};
use crate::event::{Event, EventKind};
use crate::finding::{Finding, Rule};
use crate::json::{Raw, pointer};
use crate::render::tool::style_faults;
use crate::schema::{self, rules};
use crate::show::{self, Lines, Stored, sarif};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

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
    /// GitHub's annotations
    Github,
    /// One SARIF 2.1.0 log
    Sarif,
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
        color: common.stdout_color(),
        log: Mutex::default(),
        refused: Mutex::default(),
        salvage,
    };
    let exit = match args.format {
        Format::Sarif => one_log(&filter, common),
        _ => common.run(&filter, &args.stream, "validate"),
    };
    match filter.salvage.map_or(Ok(()), Salvage::finish) {
        Ok(()) => exit,
        Err(error) => {
            common.messages("validate").tell(&error.into());
            Exit::Failed
        }
    }
}

/// One log around all results, which then come one after the other.
fn one_log(filter: &Validate<'_>, common: &CommonArgs) -> Exit {
    let mut messages = common.messages("validate");
    let mut frame = Vec::new();
    let version = env!("CARGO_PKG_VERSION");
    *locked(&filter.log) = sarif::open(&mut frame, "validate", version);
    let opened = write_text(&messages, &frame);
    if opened != Exit::Good {
        return opened;
    }
    let stream = &filter.args.stream;
    let exit = batch::run(filter, stream, &mut messages, 1, common.strict);
    frame.clear();
    sarif::close(&mut frame, &locked(&filter.refused));
    match write_text(&messages, &frame) {
        Exit::Good => exit,
        failed => failed,
    }
}

/// What a lock holds; nothing here is left half done by a panic.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Validate<'a> {
    args: &'a ValidateArgs,
    schema: Option<&'static schema::Schema>,
    quiet: bool,
    color: bool,
    log: Mutex<sarif::Log>,
    refused: Mutex<Vec<Diagnostic>>,
    salvage: Option<Salvage>,
}

impl Validate<'_> {
    fn write(&self, out: &mut Vec<u8>, stored: &Stored) {
        match self.args.format {
            Format::Human => show::human::stored(out, stored, self.color),
            Format::Json => show::json::stored(out, stored),
            Format::Github => show::github::stored(out, stored),
            Format::Sarif => sarif::stored(out, &mut locked(&self.log), stored),
        }
    }
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
        let mut lines = record
            .starts_input()
            .then(|| Lines::new(record.conversation.value.bytes()));
        // Nothing is refused here, so each line is final.
        let mut tell = |finding: Finding| {
            wrong |= finding.severity == Severity::Error;
            if self.quiet && finding.severity < Severity::Error {
                return Ok(());
            }
            let line = lines.as_mut().zip(finding.byte).map(|(lines, byte)| {
                lines.go(byte);
                lines.at()
            });
            let mut position = Position {
                event: finding.event,
                path: Some(finding.path.clone()),
                byte: finding.byte.map(|byte| byte as u64),
                ..Position::default()
            };
            record.place(&mut position);
            let stored = Stored {
                finding,
                position,
                line,
            };
            self.write(&mut output.bytes, &stored);
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

    fn refused(&self, refused: &Diagnostic) {
        locked(&self.refused).push(refused.clone());
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
    rule: &'static Rule,
    (index, at, path): (usize, Raw<'_>, &str),
    message: String,
) -> Finding {
    let conversation = &record.conversation;
    let mut full = conversation.entries_path().to_owned();
    pointer::push_index(&mut full, index);
    full.push_str(path);
    let byte = Some(at.offset_in(conversation.value.bytes()));
    Finding {
        event: Some(index),
        ..Finding::new(rule, full, byte, message)
    }
}

/// As [`styles`], of the base configuration: one in a bundle, or beside the events.
fn base_styles<E>(
    record: &Record<'_>,
    tell: &mut impl FnMut(Finding) -> Result<(), E>,
) -> Result<(), E> {
    let conversation = &record.conversation;
    let Some(base) = conversation.base else {
        return Ok(());
    };
    let inside = conversation.value.bytes().as_ptr_range();
    let inside = inside.contains(&base.bytes().as_ptr());
    let tools = base.at(&["conversation", "tools"]);
    for (name, tool) in tools.and_then(Raw::as_object).into_iter().flatten() {
        let Some(style) = tool.get("style").filter(|style| !style.is_null()) else {
            continue;
        };
        let name = name.decode();
        let mut path = "/base_config/conversation/tools".to_owned();
        pointer::push_key(&mut path, &name);
        path.push_str("/style");
        for message in style_faults(&name, style) {
            let byte = inside.then(|| style.offset_in(conversation.value.bytes()));
            tell(Finding::new(&rules::STYLE, path.clone(), byte, message))?;
        }
    }
    Ok(())
}

/// Tells the styles of tools that rendering does not read as they are written.
fn styles<E>(
    record: &Record<'_>,
    tell: &mut impl FnMut(Finding) -> Result<(), E>,
) -> Result<(), E> {
    base_styles(record, tell)?;
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
                tell(warning(
                    record,
                    &rules::STYLE,
                    (index, style, &path),
                    message,
                ))?;
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
            tell(warning(record, &rules::TOLD_APART, at, message.to_owned()))?;
        }
        let said = usable().any(|block| block.audience().names_user());
        if failed && said {
            let message = "the call failed, but what is said to the user reads like a \
                           success in a view that shows speech alone";
            let at = (index, blocks, "/content");
            tell(warning(record, &rules::TOLD_APART, at, message.to_owned()))?;
        }
    }
    Ok(())
}
