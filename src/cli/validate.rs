//! `convo validate`: conversations against the published schemas.

use super::filter::{Answer, Filter};
use super::origin::Record;
use super::output::{Output, unwritable};
use super::{CommonArgs, Exit, StreamArgs};
use crate::error::{Diagnostic, Error, Severity};
use crate::schema::{self, Finding};
use crate::term::json::{number, text};
use crate::term::printable;
use clap::{Args, ValueEnum};
use std::io::Write as _;

/// Check conversations against the published schemas
///
/// Every finding is written, not the first alone, with its JSON Pointer and byte.
/// A conversation is valid when no finding is an error; warnings tell what is
/// accepted and still worth knowing. Exit status 1 when there is an error.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo validate events.json
  convo validate --format json archive.jsonl | jq -r .rule | sort | uniq -c")]
pub struct ValidateArgs {
    #[command(flatten)]
    stream: StreamArgs,
    /// How findings are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Check each value against this schema instead (see convo schema)
    #[arg(long, value_name = "NAME", value_parser = schema_name())]
    schema: Option<String>,
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
    let filter = Validate {
        args,
        schema: args.schema.as_deref().and_then(schema::find),
        quiet: common.quiet,
    };
    common.run(&filter, &args.stream, "validate")
}

struct Validate<'a> {
    args: &'a ValidateArgs,
    schema: Option<&'static schema::Schema>,
    quiet: bool,
}

impl Filter for Validate<'_> {
    fn conversation(
        &self,
        record: &Record<'_>,
        output: &mut Output,
        _told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
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
            None => schema::each_finding(&record.conversation, &mut tell),
        }
        .map_err(|error| unwritable(&error))?;
        Ok(if wrong { Answer::No } else { Answer::Good })
    }

    fn uses_base(&self) -> bool {
        false
    }

    fn takes_any_value(&self) -> bool {
        self.schema.is_some()
    }
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
