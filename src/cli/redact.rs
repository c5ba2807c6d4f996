//! `convo redact`: secrets masked, all other bytes kept.

use super::filter::Tally;
use super::message::Messages;
use super::output::Output;
use super::pool::Pool;
use super::source::{Source, unreadable};
use super::transcript;
use super::{CommonArgs, Exit};
use crate::error::{Diagnostic, Error, ErrorKind, Position, Severity};
use crate::redact::{Hit, Redactor, Rules};
use crate::term::words;
use clap::Args;
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Mask the secrets in streams, bundles, bodies and transcripts
///
/// Whatever is JSON goes in, the same comes out: only what a rule finds inside a
/// string becomes `[redacted:RULE]`, in arguments and in base64, too, which is encoded
/// again. Every hit is told on standard error, by rule and place, never by its text.
///
/// The rules are gitleaks' (convo man --third-party). They know what tokens look
/// like; what is secret for another reason, they do not know: a name, an address, a
/// password without a word for it. Look before you share.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo redact session.jsonl > shared.jsonl
  convo redact --check recordings/
  convo import session.jsonl | convo redact --allow '^test-' | convo render --format html")]
pub struct RedactArgs {
    /// Files, or - for standard input; directories with --check
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Find only: write nothing, and end with 1 where there is a secret
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    rules: RuleArgs,
}

/// What is a secret.
#[derive(Debug, Clone, Default, Args)]
pub struct RuleArgs {
    /// Take the rules of this file, in the form of gitleaks' configuration
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// Leave a secret that matches; may be repeated
    #[arg(long, value_name = "REGEX")]
    allow: Vec<String>,
}

impl RuleArgs {
    /// The rules that these options mean.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or a bad rule.
    pub(super) fn read(&self) -> Result<Arc<Rules>, Error> {
        let file = self.rules.as_deref().map(|path| {
            std::fs::read_to_string(path).map_err(|error| {
                let message = format!("--rules {}: {error}", path.display());
                Error::new(ErrorKind::Usage, "unreadable", message)
            })
        });
        Rules::new(file.transpose()?.as_deref(), &self.allow).map(Arc::new)
    }
}

/// `--redact` of a command that reads streams.
#[derive(Debug, Clone, Default, Args)]
pub struct MaskArgs {
    /// Mask secrets first, as convo redact does
    #[arg(long)]
    redact: bool,
    #[command(flatten)]
    rules: RuleArgs,
}

impl MaskArgs {
    /// The rules to mask by, if it is wanted.
    ///
    /// # Errors
    ///
    /// Rules that cannot be read, or that nobody asked to use.
    pub(super) fn read(&self) -> Result<Option<Arc<Rules>>, Error> {
        if self.redact {
            return self.rules.read().map(Some);
        }
        if self.rules.rules.is_some() || !self.rules.allow.is_empty() {
            let message =
                "--rules and --allow say what --redact masks, which is not given";
            return Err(Error::new(ErrorKind::Usage, "usage", message));
        }
        Ok(None)
    }
}

/// Bytes that are read at once: enough strings for several threads.
const READ: usize = 1024 * 1024;

/// Hits that are told one by one, of one input.
const TOLD: usize = 1000;

/// Masks the secrets of the inputs.
pub fn run(args: &RedactArgs, common: &CommonArgs) -> Exit {
    let messages = common.messages("redact");
    let rules = match args.rules.read() {
        Ok(rules) => rules,
        Err(error) => {
            messages.tell(&error.into());
            return Exit::Failed;
        }
    };
    let mut work = Work {
        rules,
        pool: Pool::new(usize::from(common.jobs)),
        check: args.check,
        messages: &messages,
        output: Output::stdout(),
        counts: BTreeMap::new(),
    };
    let mut tally = Tally::default();
    let inputs = match args.inputs.as_slice() {
        [] => vec![PathBuf::from("-")],
        inputs => inputs.to_vec(),
    };
    for input in &inputs {
        for file in work.files(input) {
            tally.seen += 1;
            let done = file.and_then(|path| work.input(&path));
            let Err(error) = done else { continue };
            if error.kind == ErrorKind::Output {
                let error = work.output.failure(&error);
                return super::output_failed(&messages, &error);
            }
            tally.refused += 1;
            messages.tell(&error.into());
            if common.strict {
                return tally.exit();
            }
        }
    }
    if let Err(error) = work.output.flush() {
        return super::output_failed(&messages, &error);
    }
    summary(&messages, &work.counts, args.check);
    tally.no = args.check && !work.counts.is_empty();
    tally.exit()
}

struct Work<'w> {
    rules: Arc<Rules>,
    pool: Pool,
    check: bool,
    messages: &'w Messages,
    output: Output,
    counts: BTreeMap<String, usize>,
}

impl Work<'_> {
    /// What an argument stands for.
    fn files(&self, input: &Path) -> Vec<Result<PathBuf, Error>> {
        if !input.is_dir() {
            return vec![Ok(input.to_owned())];
        }
        if self.check {
            return transcript::walk(input).into_iter().map(Ok).collect();
        }
        let mut error = Error::new(
            ErrorKind::Usage,
            "directory",
            "expected a file, found a directory: what comes out would be one file",
        )
        .hint("--check looks through a directory; convo bundle DIR makes one line of a conversation");
        error.position.input = Some(input.display().to_string());
        vec![Err(error)]
    }

    fn input(&mut self, path: &Path) -> Result<(), Error> {
        let standard = path.as_os_str() == "-";
        let name = (!standard).then(|| path.display().to_string());
        let failed = |error: io::Error| {
            let mut error = unreadable(&error);
            error.position.input.clone_from(&name);
            error
        };
        let opened: Box<dyn Read> = match standard {
            true => Source::open(path, None, true)?.reader,
            false => Box::new(std::fs::File::open(path).map_err(failed)?),
        };
        let mut reader = transcript::unpacked(opened).map_err(failed)?;
        let mut redactor = Redactor::new(Arc::clone(&self.rules));
        let mut hits = Vec::new();
        let mut chunk = vec![0; READ];
        let mut told = 0;
        loop {
            let count = match reader.read(&mut chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read.map_err(failed)?,
            };
            let last = count == 0;
            let pool = &self.pool;
            let out = &mut self.output.bytes;
            redactor.push_with(
                &chunk[..count],
                last,
                out,
                &mut hits,
                &|tasks, work| pool.in_order(tasks, work),
            );
            if self.check {
                out.clear();
            }
            self.tell(&hits, name.as_deref(), &mut told);
            hits.clear();
            self.output.flush().map_err(|error| {
                Error::new(ErrorKind::Output, "output", error.to_string())
            })?;
            if last {
                break;
            }
        }
        if told > TOLD {
            let mut note =
                Diagnostic::note("redacted", format!("{} more", told - TOLD));
            note.position.input = name;
            self.messages.tell(&note);
        }
        Ok(())
    }

    fn tell(&mut self, hits: &[Hit], name: Option<&str>, told: &mut usize) {
        for hit in hits {
            *self.counts.entry(hit.rule.clone()).or_default() += 1;
            *told += 1;
            if *told <= TOLD {
                self.messages.tell(&diagnostic(hit, name, self.check));
            }
        }
    }
}

fn diagnostic(hit: &Hit, name: Option<&str>, check: bool) -> Diagnostic {
    let mut message = format!("{}, line {}", hit.rule, hit.line);
    if hit.encoded {
        message.push_str(", in base64");
    }
    if hit.in_key {
        message.push_str(", in the name of a member");
    }
    Diagnostic {
        severity: if check {
            Severity::Error
        } else {
            Severity::Note
        },
        code: if check { "secret" } else { "redacted" },
        position: Position {
            input: name.map(str::to_owned),
            path: (!hit.path.is_empty()).then(|| hit.path.clone()),
            byte: Some(hit.byte),
            ..Position::default()
        },
        message,
        hint: None,
    }
}

/// What was found, by rule.
fn summary(messages: &Messages, counts: &BTreeMap<String, usize>, check: bool) {
    let all = counts.values().sum();
    let by_rule: Vec<_> = counts
        .iter()
        .map(|(rule, count)| format!("{rule} {count}"))
        .collect();
    let found = match all {
        0 => "no secret found".to_owned(),
        _ => format!("{}: {}", words::counted(all, "secret"), by_rule.join(", ")),
    };
    let done = if check || all == 0 { "" } else { " masked" };
    let text = found.replacen(':', &format!("{done}:"), 1);
    messages.tell(&Diagnostic::note("secrets", text));
}

/// Tells what was masked in an input of another command: how much, by rule.
pub(super) fn masked(hits: &[Hit], name: Option<&str>) -> Option<Diagnostic> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for hit in hits {
        *counts.entry(&hit.rule).or_default() += 1;
    }
    let by_rule: Vec<_> = counts
        .iter()
        .map(|(rule, count)| format!("{rule} {count}"))
        .collect();
    let all = words::counted(hits.len(), "secret");
    let mut note =
        Diagnostic::note("redacted", format!("{all} masked: {}", by_rule.join(", ")));
    note.position.input = name.map(str::to_owned);
    (!hits.is_empty()).then_some(note)
}
