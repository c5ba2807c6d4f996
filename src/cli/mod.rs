//! The command line: the only room that touches streams, clock, environment and
//! exit.
//!
//! Each command is a file: its arguments, whose doc comment is the help, and one
//! function that runs it. This file lists and dispatches them, holds what all
//! share (`docs/commands.md`) and the one table of exit statuses.

pub mod batch;
pub mod bundle;
pub mod completions;
pub mod diff_cache_prefix;
mod entries;
pub mod filter;
pub mod flatten;
pub mod import;
pub mod lint;
pub mod list;
pub mod man;
pub mod message;
pub mod models;
pub mod origin;
pub mod output;
mod parallel;
mod pick;
pub mod place_args;
pub mod place_directives;
mod pool;
pub mod progress;
pub mod project;
pub mod read_events;
pub mod redact;
pub mod render;
pub mod request;
mod run;
mod salvage;
pub mod schema;
pub mod source;
pub mod standard;
pub mod tell_user;
mod told;
pub mod transcript;
pub mod validate;
pub mod workspace;

use crate::block::Encoding;
use crate::error::{Diagnostic, Error, ErrorKind, Position, Severity};
use crate::term::{Environment, Paint, When};
use clap::{Args, CommandFactory as _, Parser, Subcommand, ValueEnum};
use message::Messages;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

/// How a run ends (`docs/commands.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, and the answer is good; or the reader went away.
    Good,
    /// Done, but the answer is "no", or a conversation of a batch was refused.
    No,
    /// It could not be done.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Good => 0,
            Exit::No => 1,
            Exit::Failed => 2,
        })
    }
}

/// Filters for stored LLM conversations.
///
/// Conversations come in as JSON on standard input, as files or as conversation
/// directories; results go to standard output, everything else to standard error.
/// Exit status: 0 done and good, 1 done and the answer is "no" or a conversation
/// of a batch was refused, 2 could not do it.
#[derive(Debug, Parser)]
#[command(name = "convo", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    common: CommonArgs,
}

const EXAMPLES: &str = "\
Examples:
  convo render events.json
  convo project events.json | jq -r '.data[].message // empty'
  zcat archive.jsonl.gz | convo project -j 2 > views.jsonl";

#[derive(Debug, Subcommand)]
enum Command {
    Project(project::ProjectArgs),
    Render(Box<render::RenderArgs>),
    Flatten(flatten::FlattenArgs),
    PlaceDirectives(place_directives::PlaceDirectivesArgs),
    Validate(validate::ValidateArgs),
    Bundle(bundle::BundleArgs),
    Import(Box<import::ImportArgs>),
    List(list::ListArgs),
    Redact(redact::RedactArgs),
    ReadEvents(read_events::ReadEventsArgs),
    TellUser(tell_user::TellUserArgs),
    DiffCachePrefix(diff_cache_prefix::DiffArgs),
    Lint(lint::LintArgs),
    Models(models::ModelsArgs),
    Schema(schema::SchemaArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// How diagnostics are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// Text for people.
    Human,
    /// One JSON object a line.
    Json,
}

/// When colour is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless the environment says otherwise.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl From<Color> for When {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => When::Auto,
            Color::Always => When::Always,
            Color::Never => When::Never,
        }
    }
}

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Common options")]
pub struct CommonArgs {
    /// Work on N conversations at a time; the output is the same
    #[arg(short, long, value_name = "N", default_value_t = 1, global = true,
          value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: u16,
    /// Stop at the first conversation that is refused
    #[arg(long, global = true)]
    pub strict: bool,
    /// Tell errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Tell more about what is done
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Use colour
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: Color,
    /// Write diagnostics as text or as one JSON object a line
    #[arg(long, value_name = "FORMAT", default_value = "human", global = true)]
    pub message_format: MessageFormat,
}

/// Options of every command that reads streams.
#[derive(Debug, Clone, Args)]
pub struct StreamArgs {
    /// Files, conversation directories or ids, or - for standard input
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    /// Use this base configuration for every conversation
    #[arg(long, value_name = "FILE")]
    pub base_config: Option<PathBuf>,
    /// Leave a base_config.json beside an events.json alone
    #[arg(long)]
    pub no_base: bool,
    /// How stored strings are spelled, whatever the container says
    #[arg(long, value_name = "ENCODING")]
    pub encoding: Option<EncodingArg>,
    /// Do not decode URL-safe base64
    #[arg(long)]
    pub strict_base64: bool,
    /// Carry entries of a bad shape as unknown instead of refusing them, and read
    /// broken conversations as far as they go
    #[arg(long)]
    pub lenient: bool,
    /// What secrets are masked by before anything is read, for commands with
    /// `--redact`.
    #[arg(skip)]
    pub masks: Option<std::sync::Arc<crate::redact::Rules>>,
}

/// A value of `--encoding`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EncodingArg {
    /// Base64, as JP stores them.
    Storage,
    /// As they are meant.
    Plain,
}

impl StreamArgs {
    /// The inputs, standard input if none is named.
    pub fn paths(&self) -> Vec<PathBuf> {
        match self.inputs.as_slice() {
            [] => vec![PathBuf::from("-")],
            inputs => inputs.to_vec(),
        }
    }

    /// The encoding asked for.
    pub fn encoding(&self) -> Option<Encoding> {
        self.encoding.map(|encoding| match encoding {
            EncodingArg::Storage => Encoding::Storage,
            EncodingArg::Plain => Encoding::Plain,
        })
    }

    /// The file given with `--base-config`, read and found to be an object.
    fn base_config_bytes(&self) -> Result<Option<Vec<u8>>, Error> {
        let Some(path) = &self.base_config else {
            return Ok(None);
        };
        let read = std::fs::read(path).map_err(|error| source::unreadable(&error));
        read.and_then(source::checked_base)
            .map(Some)
            .map_err(|error| Error {
                message: format!("--base-config {}: {}", path.display(), error.message),
                ..error
            })
    }
}

/// Runs the program: arguments in, exit status out.
pub fn main() -> ExitCode {
    standard::memory_may_run_out();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let common = &cli.common;
    match &cli.command {
        Command::Project(args) => project::run(args, common),
        Command::Render(args) => render::run(args, common),
        Command::Flatten(args) => flatten::run(args, common),
        Command::PlaceDirectives(args) => place_directives::run(args, common),
        Command::Validate(args) => validate::run(args, common),
        Command::Bundle(args) => bundle::run(args, common),
        Command::Import(args) => import::run(args, common),
        Command::List(args) => list::run(args, common),
        Command::Redact(args) => redact::run(args, common),
        Command::ReadEvents(args) => read_events::run(args, common),
        Command::TellUser(args) => tell_user::run(args, common),
        Command::DiffCachePrefix(args) => diff_cache_prefix::run(args, common),
        Command::Lint(args) => lint::run(args, common),
        Command::Models(args) => models::run(args, common),
        Command::Schema(args) => schema::run(args, common),
        Command::Completions(args) => completions::run(args, common),
        Command::Man(args) => man::run(args, common),
    }
    .into()
}

/// Help, version, or bad usage; the last in the message format asked for.
fn usage(error: &clap::Error) -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    let json = args.iter().any(|arg| arg == "--message-format=json")
        || args
            .windows(2)
            .any(|pair| pair == ["--message-format", "json"]);
    if error.use_stderr() && json {
        let text = error.render().to_string();
        let diagnostic = Diagnostic {
            severity: Severity::Error,
            code: "usage",
            position: Position::default(),
            message: text.trim().trim_start_matches("error: ").to_owned(),
            hint: None,
        };
        Messages::new("", MessageFormat::Json, false, false).tell(&diagnostic);
        return Exit::Failed.into();
    }
    match error.print() {
        Err(failed) if failed.kind() != io::ErrorKind::BrokenPipe => {
            Exit::Failed.into()
        }
        _ if error.use_stderr() => Exit::Failed.into(),
        _ => Exit::Good.into(),
    }
}

impl CommonArgs {
    /// The messages of `command` as these options want them.
    pub fn messages(&self, command: &'static str) -> Messages {
        let color = self.color(io::stderr().is_terminal());
        let mut messages =
            Messages::new(command, self.message_format, self.quiet, color);
        messages.verbose = self.verbose;
        if !self.quiet && self.message_format == MessageFormat::Human {
            source::say_when_waiting();
        }
        messages
    }

    /// Whether results have colours.
    pub fn stdout_color(&self) -> bool {
        self.color(io::stdout().is_terminal())
    }

    fn color(&self, terminal: bool) -> bool {
        let paint = environment().paint(self.color.into(), terminal);
        matches!(paint, Paint::Colours(_))
    }

    /// Runs a filter over the inputs of `args`.
    pub fn run(
        &self,
        filter: &dyn filter::Filter,
        args: &StreamArgs,
        command: &'static str,
    ) -> Exit {
        let mut messages = self.messages(command);
        let jobs = usize::from(self.jobs);
        batch::run(filter, args, &mut messages, jobs, self.strict)
    }
}

/// The variables rendering looks at, and nothing else.
pub(crate) fn environment() -> Environment {
    const NAMES: [&str; 16] = [
        "ACCESSIBLE",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLORFGBG",
        "COLORTERM",
        "COLUMNS",
        "CONVO_THEME",
        "FORCE_COLOR",
        "FORCE_HYPERLINK",
        "LANG",
        "LC_ALL",
        "LC_CTYPE",
        "NO_COLOR",
        "STY",
        "TERM",
        "TMUX",
    ];
    let value = |name: &str| {
        let value = std::env::var_os(name)?;
        Some((name.to_owned(), value.to_string_lossy().into_owned()))
    };
    Environment {
        variables: NAMES.iter().filter_map(|name| value(name)).collect(),
        unix: cfg!(unix),
        knows_hyperlinks: supports_hyperlinks::supports_hyperlinks(),
    }
}

/// Writes a text that is there already: a schema, a man page, completions.
pub(crate) fn write_text(messages: &Messages, text: &[u8]) -> Exit {
    let mut stdout = standard::stdout();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Ok(()) => Exit::Good,
        Err(error) => output_failed(messages, &error),
    }
}

/// Standard output failed: quietly good if its reader went away.
pub fn output_failed(messages: &Messages, error: &io::Error) -> Exit {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Exit::Good;
    }
    let message = format!("the result cannot be written: {error}");
    messages.tell(&Error::new(ErrorKind::Output, "output", message).into());
    Exit::Failed
}

/// The whole command tree, for man pages and completions.
pub fn command() -> clap::Command {
    Cli::command()
}
