//! `convo diff-cache-prefix`: does the second request still hit the first's cache?

mod compare;
mod conversation;
mod held;
mod pairs;
mod series;

use super::message::Messages;
use super::output::Output;
use super::place_args::{CatalogueArgs, PlaceArgs};
use super::request::BindingArg;
use super::{CommonArgs, Exit, output_failed};
use crate::body::Provider;
use crate::error::{Error, ErrorKind};
use crate::model::{Platform, Table};
use crate::prefix::Account;
use clap::{Args, ValueEnum};
use compare::Comparer;
use std::path::PathBuf;

/// Say where a request leaves the prompt prefix of the one before it
///
/// Takes two request bodies, or one input with many (one a line, or a HAR file):
/// each is judged as it arrives, beside the earlier one that it goes on from; recorded requests may have theirs under `body` or
/// `request.body`. Says what can still be read from the cache, what was lost and
/// why, which thinking blocks will fail the check of newer models, and what to
/// change. Lengths in tokens are estimates. Exit status 1 when the prefix is lost
/// or thinking fails (see --fail-on).
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo diff-cache-prefix before.json after.json
  convo diff-cache-prefix --format json session.jsonl | jq -r '.reason // empty'
  convo diff-cache-prefix --mask 'cch=[0-9a-f]+' --hashes-only recorded.har
  convo diff-cache-prefix --format html session.jsonl > session.html
  convo diff-cache-prefix --conversation events.json --via flatten")]
pub struct DiffArgs {
    /// Two files with one request each, or one with many; - for standard input
    #[arg(value_name = "FILE", num_args = 0..=2)]
    inputs: Vec<PathBuf>,
    /// Make the bodies of this conversation's request points, and compare those
    #[arg(
        long,
        value_name = "INPUT",
        conflicts_with = "inputs",
        requires = "via"
    )]
    conversation: Option<PathBuf>,
    /// How to make them
    #[arg(long, value_name = "COMMAND", requires = "conversation")]
    via: Option<Via>,
    #[command(flatten)]
    catalogue: CatalogueArgs,
    #[command(flatten)]
    place: PlaceArgs,
    /// What becomes of thinking made behind a prefix that has changed, in bodies made
    /// of --conversation [default: drop]
    #[arg(long, value_name = "HOW", requires = "conversation")]
    binding: Option<BindingArg>,
    /// Facts that the stream of --conversation does not hold (the shape of a bundle's
    /// `inputs`)
    #[arg(
        long = "inputs",
        id = "facts",
        value_name = "FILE",
        requires = "conversation"
    )]
    facts: Option<PathBuf>,
    /// How the report is written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Take the bodies as ones for this provider
    #[arg(long, value_name = "NAME", value_parser = super::lint::provider_parser())]
    provider: Option<Provider>,
    /// The model, where a body names none
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Where the requests go: claude-api unless the body tells
    #[arg(long, value_name = "NAME", value_parser = super::lint::platform_parser())]
    platform: Option<Platform>,
    /// A beta that is on, beside those of the headers; `none` for none
    #[arg(long, value_name = "NAME")]
    beta: Vec<String>,
    /// When the account was made: before 2026-08-31 (old) or since (new)
    #[arg(long, value_name = "AGE", default_value = "unknown")]
    account: AccountArg,
    /// Take this for the fewest tokens that are cached, not the table's number;
    /// 0 for any length, in no steps
    #[arg(long, value_name = "TOKENS")]
    least_length: Option<usize>,
    /// Set aside what this regular expression matches in texts
    #[arg(long, value_name = "REGEX")]
    mask: Vec<String>,
    /// Leave all text of the bodies out of the report: digests stand for it, under
    /// a key that only this run has
    #[arg(long)]
    hashes_only: bool,
    /// Make the digests of --hashes-only under this key, so that the same text has
    /// the same digest in two reports; who knows the key can try short texts
    #[arg(long, value_name = "TEXT", requires = "hashes_only")]
    salt: Option<String>,
    /// Show this many lines around a difference
    #[arg(long, value_name = "N", default_value_t = 3)]
    context: usize,
    /// Which requests of a recording are compared
    #[arg(long, value_name = "HOW", default_value = "lineage")]
    pairs: Pairs,
    /// How many requests back the one that a request goes on from is looked for
    #[arg(long, value_name = "N", default_value_t = 1000)]
    window: usize,
    /// What makes the exit status 1 [default: lost, binding]
    #[arg(long, value_name = "WHAT")]
    fail_on: Vec<FailOn>,
    /// Lay a file of model details over the built-in table
    #[arg(long, value_name = "FILE")]
    model_details: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The answer first, then where, what, and what to do
    Human,
    /// A JSON object a pair, one a line, and one for the whole run
    Json,
    /// GitHub's annotations
    Github,
    /// A page for a browser: a bar a request, the report behind it
    Html,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Pairs {
    /// Each with the earlier one that it shares most of its prompt with
    Lineage,
    /// Each with the one before it
    Consecutive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Via {
    /// What changed stands where it happened
    PlaceDirectives,
    /// What changed goes to the top of each body
    Flatten,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AccountArg {
    /// Made before 2026-08-31
    Old,
    /// Made since
    New,
    /// Not known: both answers are given
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// The verdict is partial, miss, uncached or unknown
    Lost,
    /// Thinking is refused, dropped, or it depends on the account
    Binding,
    /// The second body breaks a rule of the API
    Lint,
    /// Any finding but notes
    Warning,
    /// Nothing
    Never,
}

impl AccountArg {
    fn account(self) -> Account {
        match self {
            AccountArg::Old => Account::Old,
            AccountArg::New => Account::New,
            AccountArg::Unknown => Account::Unknown,
        }
    }
}

impl DiffArgs {
    /// The facts to judge by.
    fn table(&self) -> Result<Table, Error> {
        let mut table = Table::built_in();
        if let Some(path) = &self.model_details {
            let named = |mut error: Error| {
                error.position.input = Some(path.display().to_string());
                error
            };
            let bytes = std::fs::read(path)
                .map_err(|error| named(super::source::unreadable(&error)))?;
            table.merge(&bytes).map_err(named)?;
        }
        Ok(table)
    }

    /// The betas named, `none` being none; nothing if none are named.
    fn betas(&self) -> Option<Vec<String>> {
        (!self.beta.is_empty()).then(|| {
            let names = self.beta.iter().flat_map(|list| list.split(','));
            let named = names.map(str::trim).filter(|name| *name != "none");
            named.map(str::to_owned).collect()
        })
    }

    /// Whether options that make bodies have bodies to make.
    fn fits(&self) -> Result<(), Error> {
        let mut given = self.place.given();
        let of = match self.via {
            Some(Via::PlaceDirectives) => return Ok(()),
            Some(Via::Flatten) => "--via place-directives",
            None => {
                let catalogue = !self.catalogue.catalogue.is_empty();
                given = given.or(catalogue.then_some("--catalogue"));
                "--conversation"
            }
        };
        match given {
            None => Ok(()),
            Some(name) => {
                let text = format!("{name} goes with {of}");
                Err(Error::new(ErrorKind::Usage, "usage", text))
            }
        }
    }

    /// What fails, and what is asked for that makes no sense.
    fn fails(&self) -> Result<Vec<FailOn>, Error> {
        let never = self.fail_on.contains(&FailOn::Never);
        if never && self.fail_on.len() > 1 {
            let text = "--fail-on never stands alone";
            return Err(Error::new(ErrorKind::Usage, "usage", text));
        }
        Ok(match self.fail_on.as_slice() {
            [] => vec![FailOn::Lost, FailOn::Binding],
            named => named.to_vec(),
        })
    }
}

/// Compares the inputs.
pub fn run(args: &DiffArgs, common: &CommonArgs) -> Exit {
    let mut messages = common.messages("diff-cache-prefix");
    let table = match args.table() {
        Ok(table) => table,
        Err(error) => {
            messages.tell(&error.into());
            return Exit::Failed;
        }
    };
    if let Err(error) = args.fits() {
        messages.tell(&error.into());
        return Exit::Failed;
    }
    let comparer = match Comparer::new(args, common, &table) {
        Ok(comparer) => comparer,
        Err(error) => {
            messages.tell(&error.into());
            return Exit::Failed;
        }
    };
    let exit = match &args.conversation {
        Some(input) => conversation::run(&comparer, input, common, &mut messages),
        None => all(&comparer, args, common, &messages),
    };
    let Some(page) = comparer.page() else {
        return exit;
    };
    match super::write_text(&messages, page.as_bytes()) {
        Exit::Good => exit,
        failed => failed,
    }
}

fn all(
    comparer: &Comparer<'_>,
    args: &DiffArgs,
    common: &CommonArgs,
    messages: &Messages,
) -> Exit {
    let mut run = pairs::Run::new(comparer, messages, Output::stdout(), common.strict);
    let done = match args.inputs.as_slice() {
        [a, b] => run.two(a, b),
        [one] => run.many(one),
        _ => run.many(&PathBuf::from("-")),
    };
    match done.and_then(|()| run.output.flush()) {
        Ok(()) => run.exit(),
        Err(error) => output_failed(messages, &error),
    }
}
