//! `convo list`: the conversations found under directories, of any format.

mod find;
mod show;

use super::pool::Pool;
use super::{CommonArgs, Exit, transcript};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::term::words;
use clap::{Args, ValueEnum};
use find::{File, Row};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

/// List the conversations found under a directory, of any format
///
/// Sessions of Claude Code, Codex and Gemini CLI, stored conversations, bundles,
/// captured bodies and datasets: one a line, with id, date (UTC), turns, model, the
/// share of input tokens read from the cache where the source counts tokens, size
/// and first words. The newest come first. What is no conversation is counted.
///
/// A low share beside many turns is where a bill grew: `convo import --report`
/// shows it turn by turn, `convo diff-cache-prefix` why, given the bodies.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo list ~/.claude/projects
  convo list --sort cached ~/.codex/sessions | head
  convo list --format json . | jq -r '.conversations[] | select(.turns > 20).path'")]
pub struct ListArgs {
    /// Directories or files
    #[arg(value_name = "DIR", default_value = ".")]
    inputs: Vec<PathBuf>,
    /// What comes first: the newest, largest, most turns, least cached, or by path
    #[arg(long, value_name = "KEY", default_value = "date")]
    sort: Sort,
    /// Turn the order around
    #[arg(short, long)]
    reverse: bool,
    /// List subagents, too
    #[arg(long)]
    subagents: bool,
    /// Show paths instead of ids
    #[arg(short, long)]
    paths: bool,
    /// A table for people, or one JSON object
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// The one worked on last first
    Date,
    /// The largest first
    Size,
    /// The one with the most turns first
    Turns,
    /// The smallest share read from the cache first
    Cached,
    /// As the files are found
    Path,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for people
    Human,
    /// One JSON object (`convo schema list`)
    Json,
}

/// What was found in all files.
#[derive(Debug, Default)]
struct Listing {
    rows: Vec<Row>,
    /// Files that hold no conversation.
    others: usize,
    /// Subagents that are not listed.
    subagents: usize,
    /// Inputs that could not be read.
    unreadable: usize,
}

/// Lists what stands under the inputs.
pub fn run(args: &ListArgs, common: &CommonArgs) -> Exit {
    let messages = common.messages("list");
    let mut listing = Listing::default();
    let pool = Pool::new(usize::from(common.jobs));
    // Files are read in loads, so that what is told of one comes soon after it.
    let load = usize::from(common.jobs).saturating_mul(4);
    let mut seen = 0;
    for input in &args.inputs {
        let files = match files(input) {
            Ok(files) => files,
            Err(error) => {
                seen += 1;
                listing.unreadable += 1;
                messages.tell(&error.into());
                continue;
            }
        };
        seen += files.len();
        for load in files.chunks(load) {
            for file in pool.in_order(load, |path| find::read(path)) {
                let unreadable = listing.unreadable;
                if let Some(error) = listing.take(file, args.subagents) {
                    messages.tell(&error.into());
                }
                if common.strict && listing.unreadable > unreadable {
                    return Exit::No;
                }
            }
        }
    }
    listing.sort(args.sort, args.reverse);
    let mut out = Vec::new();
    match args.format {
        Format::Json => show::json(&mut out, &listing),
        Format::Human => show::human(&mut out, &listing.rows, args.paths, width()),
    }
    if args.format == Format::Human
        && let Some(note) = listing.left_out()
    {
        messages.tell(&note);
    }
    match super::write_text(&messages, &out) {
        Exit::Good if listing.unreadable == 0 => Exit::Good,
        Exit::Good if listing.unreadable == seen => Exit::Failed,
        Exit::Good => Exit::No,
        failed => failed,
    }
}

/// Columns of the terminal that the table goes to, if it is one.
fn width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(usize::from(width.0)).filter(|&columns| columns > 0)
}

/// The files of an input that may hold conversations.
fn files(input: &Path) -> Result<Vec<PathBuf>, Error> {
    let unreadable = |error| {
        let mut error = super::source::unreadable(&error);
        error.position.input = Some(input.display().to_string());
        error
    };
    if input.as_os_str() == "-" {
        return Err(Error::new(
            ErrorKind::Usage,
            "usage",
            "expected a directory or file, found `-`",
        ));
    }
    if !std::fs::metadata(input).map_err(unreadable)?.is_dir() {
        return Ok(vec![input.to_owned()]);
    }
    std::fs::read_dir(input).map_err(unreadable)?;
    let mut files = transcript::walk(input);
    // Beside stored events these two belong to them.
    files.retain(|path| {
        let name = path.file_name().unwrap_or_default();
        let beside = name == "base_config.json" || name == "metadata.json";
        !beside || !path.with_file_name("events.json").is_file()
    });
    Ok(files)
}

impl Listing {
    /// Books one file; gives what could not be read of it.
    fn take(&mut self, file: File, subagents: bool) -> Option<Error> {
        let before = self.rows.len();
        let any = !file.rows.is_empty();
        for row in file.rows {
            match row.summary.is_subagent && !subagents {
                true => self.subagents += 1,
                false => self.rows.push(row),
            }
        }
        if self.rows.len() == before && !any && file.error.is_none() {
            self.others += 1;
        }
        self.unreadable += usize::from(file.error.is_some());
        file.error
    }

    fn sort(&mut self, by: Sort, reverse: bool) {
        // Sorting is stable: what is equal stays in the order of paths.
        match by {
            Sort::Date => self.rows.sort_by_cached_key(|row| Reverse(row.date())),
            Sort::Size => self.rows.sort_by_key(|row| Reverse(row.size)),
            Sort::Turns => self.rows.sort_by_key(|row| Reverse(row.summary.turns)),
            Sort::Cached => self.rows.sort_by(|a, b| {
                let share =
                    |row: &Row| row.summary.cache_share().unwrap_or(f64::INFINITY);
                share(a).total_cmp(&share(b))
            }),
            Sort::Path => {}
        }
        if reverse {
            self.rows.reverse();
        }
    }

    fn left_out(&self) -> Option<Diagnostic> {
        let mut told = Vec::new();
        if self.others > 0 {
            let files = words::counted(self.others, "file");
            let verb = if self.others == 1 { "holds" } else { "hold" };
            told.push(format!("{files} {verb} no conversation"));
        }
        if self.subagents > 0 {
            told.push(format!(
                "{} not listed",
                words::counted(self.subagents, "subagent")
            ));
        }
        let note = Diagnostic::note("left-out", told.join("; "));
        (!told.is_empty()).then(|| match self.subagents {
            0 => note,
            _ => note.hint("--subagents lists them"),
        })
    }
}
