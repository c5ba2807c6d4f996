//! `convo place-directives`: bodies whose changes stand where they happened.

mod check_catalogue;
mod live_checks;
mod preview;

use super::filter::{Answer, Filter};
use super::origin::Record;
use super::output::Output;
use super::place_args::{CatalogueArgs, PlaceArgs};
use super::request::{RequestArgs, at_file, options_for};
use super::{CommonArgs, Exit, StreamArgs};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::json::{Raw, write};
use crate::provider::{Options, PlaceOptions, each_body, place};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Write the request body with every change where it happened
///
/// Sections and tools that changed in the course of a conversation are said in
/// system messages, so that what was sent before stays as it was and the prompt
/// cache keeps it. What the model, the platform or the betas do not take is
/// flattened, and standard error says which gate is closed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo place-directives --model claude-opus-5 --beta inline-tools-2026-09-15 events.json
  convo place-directives --requests all --format request archive.jsonl > requests.jsonl
  convo place-directives --write-catalogue tools.lock.json events.json > body.json
  convo place-directives --catalogue tools.lock.json events.json > body.json
  convo place-directives --catalogue now.json --check-catalogue tools.lock.json events.json
  convo place-directives --preview --beta inline-tools-2026-09-15 events.json
  convo place-directives --preview --delta planned.json events.json
  convo place-directives --items events.json | jq '.items[].directive // empty'")]
pub struct PlaceDirectivesArgs {
    #[command(flatten)]
    stream: StreamArgs,
    #[command(flatten)]
    request: RequestArgs,
    #[command(flatten)]
    catalogue: CatalogueArgs,
    /// Write the body's tools to this file, in an order to keep to
    #[arg(long, value_name = "FILE")]
    write_catalogue: Option<PathBuf>,
    /// Write no body: say tool by tool where the definitions to be had now, those of
    /// --catalogue among them, differ from this file that --write-catalogue wrote; exit
    /// status 1 if one does
    #[arg(long, value_name = "LOCK", conflicts_with_all = ["write_catalogue", "items"])]
    check_catalogue: Option<PathBuf>,
    #[command(flatten)]
    place: PlaceArgs,
    /// Write prelude, items and attachments instead of the body
    #[arg(long)]
    items: bool,
    /// Write no body: say of every stored change what it costs flattened and what as a
    /// directive, and which gate is in its way
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true,
          default_missing_value = "human",
          conflicts_with_all = ["write_catalogue", "items", "check_catalogue"])]
    preview: Option<PreviewFormat>,
    /// With --preview: the change in this file instead, a configuration as JSON, made at
    /// the end of the conversation
    #[arg(long, value_name = "FILE",
          conflicts_with_all = ["write_catalogue", "items", "check_catalogue"])]
    delta: Option<PathBuf>,
    /// Read no input: write the requests that settle, for whoever has a key, what the
    /// documentation leaves open, each with what to read in its answer
    #[arg(long, conflicts_with_all = ["inputs", "write_catalogue", "items",
          "check_catalogue", "preview", "delta"])]
    live_checks: bool,
}

/// A value of `--preview`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum PreviewFormat {
    /// A line each
    #[default]
    Human,
    /// A JSON object each
    Json,
}

/// Places the directives of the inputs.
pub fn run(args: &PlaceDirectivesArgs, common: &CommonArgs) -> Exit {
    match try_run(args, common) {
        Ok(exit) => exit,
        Err(error) => {
            common.messages("place-directives").tell(&error.into());
            Exit::Failed
        }
    }
}

fn try_run(args: &PlaceDirectivesArgs, common: &CommonArgs) -> Result<Exit, Error> {
    let files = args.request.files()?;
    let catalogues = args.catalogue.files()?;
    let file = catalogues.merged()?;
    let place = PlaceOptions {
        items: args.items,
        measure: common.verbose,
        ..args.place.options()
    };
    let options = Options {
        lenient: args.stream.lenient,
        strict_base64: args.stream.strict_base64,
        catalogue: file.as_ref(),
        place: Some(place),
        ..args.request.options(&files)
    };
    place::check(&options, &place)?;
    if args.live_checks {
        return live_checks::run(&options, common);
    }
    if let Some(path) = &args.check_catalogue {
        return check_catalogue::run(path, &options, &args.stream, common);
    }
    if args.preview.is_some() || args.delta.is_some() {
        return preview::run(args, &options, common);
    }
    let filter = PlaceDirectives {
        options,
        tools: Mutex::default(),
    };
    let exit = common.run(&filter, &args.stream, "place-directives");
    if let Some(path) = &args.write_catalogue {
        filter.write(path)?;
    }
    Ok(exit)
}

struct PlaceDirectives<'a> {
    options: Options<'a>,
    tools: Mutex<Tools>,
}

/// The `tools` of the conversations seen.
#[derive(Default)]
struct Tools {
    one: Option<Vec<u8>>,
    differ: bool,
}

impl PlaceDirectives<'_> {
    /// Writes the catalogue of the inputs.
    fn write(&self, path: &Path) -> Result<(), Error> {
        let refuse = |kind, what: String| {
            let error = Error::new(kind, "write-catalogue", what);
            Err(at_file(error, path))
        };
        let Ok(tools) = self.tools.lock() else {
            return refuse(ErrorKind::Output, "the catalogue was lost".to_owned());
        };
        let Some(bytes) = &tools.one else {
            let what =
                "--write-catalogue: no body has placed tools; nothing is written";
            return refuse(ErrorKind::Input, what.to_owned());
        };
        if tools.differ {
            let what = "--write-catalogue: the conversations have different tools; give \
                        one conversation";
            return refuse(ErrorKind::Usage, what.to_owned());
        }
        let mut out = Vec::new();
        write::pretty(&mut out, Raw::checked(bytes));
        out.push(b'\n');
        match std::fs::write(path, out) {
            Ok(()) => Ok(()),
            Err(error) => {
                let what = format!("--write-catalogue: cannot be written: {error}");
                refuse(ErrorKind::Output, what)
            }
        }
    }
}

impl Filter for PlaceDirectives<'_> {
    fn conversation(
        &self,
        record: &Record<'_>,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        let options = options_for(&self.options, record);
        let found = each_body(&record.conversation, &options, told, &mut |body| {
            output.bytes.extend_from_slice(body);
            output.release()
        })?;
        if let Some(found) = found
            && let Ok(mut tools) = self.tools.lock()
        {
            match &tools.one {
                Some(one) => tools.differ |= *one != found,
                None => tools.one = Some(found),
            }
        }
        Ok(Answer::Good)
    }
}
