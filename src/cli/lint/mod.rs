//! `convo lint`: is this body one the API accepts?

mod judge;

use super::filter::Tally;
use super::message::Messages;
use super::output::Output;
use super::pool::Pool;
use super::{CommonArgs, Exit, output_failed};
use crate::body::{Capture, Provider, captures, records};
use crate::error::{Diagnostic, Error, ErrorKind, Severity};
use crate::lint::{self, Wanted};
use crate::model::Platform;
use crate::show::{self, Lines, Linted, rules, sarif};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use clap::{Args, ValueEnum};
use judge::{Fixed, Judge};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Check request bodies against the published rules of the API
///
/// Reads bodies of any of the seven providers: bare, one a line, or as recorded
/// with `body` or `request.body`, whose `headers` say which betas are on; HAR
/// files too. Every finding is told in one pass, with its rule, JSON Pointer and
/// byte. What depends on betas that nothing names is a note, never an error.
/// Exit status 1 when there is an error.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo flatten events.json | convo lint --beta none
  convo lint --platform bedrock --format json captured.jsonl | jq -r '.findings[].rule'
  convo lint --fix --diff captured.json
  convo lint --explain ttl-order")]
pub struct LintArgs {
    /// Files, or - for standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// How findings are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,
    /// Take the bodies as ones for this provider
    #[arg(long, value_name = "NAME", value_parser = provider_parser())]
    provider: Option<Provider>,
    /// The model, where a body names none
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Where the requests go: claude-api unless the body tells
    #[arg(long, value_name = "NAME", value_parser = platform_parser())]
    platform: Option<Platform>,
    /// A beta that is on, beside those of the headers; `none` for none
    #[arg(long, value_name = "NAME")]
    beta: Vec<String>,
    /// Write the bodies with the mends that lose no meaning; findings go to stderr
    #[arg(long)]
    fix: bool,
    /// Show the mends as a diff instead
    #[arg(long, requires = "fix")]
    diff: bool,
    /// The request before: also tell what `diff-cache-prefix` says of the pair
    #[arg(long, value_name = "FILE", conflicts_with = "fix")]
    after: Option<PathBuf>,
    /// Also judge by a rule that judges on request only
    #[arg(long, value_name = "RULE", value_parser = rule_parser)]
    enable: Vec<String>,
    /// Do not judge by a rule
    #[arg(long, value_name = "RULE", value_parser = rule_parser)]
    ignore: Vec<String>,
    /// Lay a file of model details over the built-in table
    #[arg(long, value_name = "FILE")]
    model_details: Option<PathBuf>,
    /// Tell all about one rule and end
    #[arg(long, value_name = "RULE", value_parser = any_rule_parser,
          conflicts_with_all = ["list", "inputs"])]
    explain: Option<String>,
    /// List the rules and end
    #[arg(long, conflicts_with = "inputs")]
    list: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text, with the place marked in its line
    Human,
    /// A JSON object a body, one a line
    Json,
    /// GitHub's annotations
    Github,
    /// One SARIF 2.1.0 log
    Sarif,
    /// All rules as a page, with --list
    Markdown,
}

/// Accepts the names of the providers.
pub(super) fn provider_parser() -> impl clap::builder::TypedValueParser<Value = Provider>
{
    PossibleValuesParser::new(Provider::READ.map(Provider::name))
        .try_map(|name| Provider::read(&name).ok_or("no such provider"))
}

/// Accepts the names of the platforms.
pub(super) fn platform_parser() -> impl clap::builder::TypedValueParser<Value = Platform>
{
    PossibleValuesParser::new(Platform::ALL.map(Platform::name))
        .try_map(|name| Platform::parse(&name).ok_or("no such platform"))
}

/// Accepts the id of a rule.
fn rule_parser(name: &str) -> Result<String, String> {
    match lint::rule(name) {
        Some(rule) => Ok(rule.id.to_owned()),
        None if rules::find(name).is_some() => {
            Err("`lint` does not judge by this rule".to_owned())
        }
        None => Err(unknown(name)),
    }
}

/// Accepts the id of a rule of any command.
fn any_rule_parser(name: &str) -> Result<String, String> {
    match rules::find(name) {
        Some(rule) => Ok(rule.id.to_owned()),
        None => Err(unknown(name)),
    }
}

fn unknown(name: &str) -> String {
    let list = "`convo lint --list` lists them";
    match rules::near(name) {
        Some(near) => format!("no such rule: did you mean `{near}`? {list}"),
        None => format!("no such rule; {list}"),
    }
}

/// Lints the inputs, or tells about the rules.
pub fn run(args: &LintArgs, common: &CommonArgs) -> Exit {
    let messages = common.messages("lint");
    let mut output = Output::stdout();
    if let Some(rule) = args.explain.as_deref().and_then(rules::find) {
        match args.format {
            Format::Json => rules::json(&mut output.bytes, [rule].into_iter()),
            _ => rules::explain(&mut output.bytes, rule),
        }
    } else if args.list {
        match args.format {
            Format::Json => rules::json(&mut output.bytes, rules::all()),
            Format::Markdown => rules::page(&mut output.bytes),
            _ => rules::list(&mut output.bytes, rules::all()),
        }
    } else {
        return match Run::new(args, common, &messages, output) {
            Ok(run) => run.all(),
            Err(error) => {
                messages.tell(&error.into());
                Exit::Failed
            }
        };
    }
    match output.flush() {
        Ok(()) => Exit::Good,
        Err(error) => output_failed(&messages, &error),
    }
}

/// Reads a whole input; `-` is standard input.
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let read = || {
        if path.as_os_str() != "-" {
            return std::fs::read(path);
        }
        let mut bytes = Vec::new();
        super::source::standard_input().read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    read().map_err(|error| {
        let mut error = super::source::unreadable(&error);
        error.position.input = input_name(path);
        match path.is_dir() {
            true => {
                error.hint("make bodies of it first: `convo flatten DIR | convo lint`")
            }
            false => error,
        }
    })
}

fn input_name(path: &Path) -> Option<String> {
    (path.as_os_str() != "-").then(|| path.display().to_string())
}

/// The requests of a record, of which there must be one.
fn some(found: Vec<Result<Capture<'_>, Error>>) -> Vec<Result<Capture<'_>, Error>> {
    match found.is_empty() {
        true => {
            let text = "the recording holds no request with a body";
            vec![Err(Error::new(ErrorKind::Contract, "not-a-body", text))]
        }
        false => found,
    }
}

/// One run over all inputs.
struct Run<'r> {
    args: &'r LintArgs,
    messages: &'r Messages,
    judge: Judge,
    output: Output,
    log: Option<sarif::Log>,
    refused: Vec<Diagnostic>,
    tally: Tally,
    strict: bool,
    jobs: usize,
    pool: Pool,
    quiet: bool,
    color: bool,
}

impl<'r> Run<'r> {
    fn new(
        args: &'r LintArgs,
        common: &CommonArgs,
        messages: &'r Messages,
        output: Output,
    ) -> Result<Self, Error> {
        if args.fix && args.format != Format::Human {
            let text = "--fix writes bodies: it goes with no --format";
            return Err(Error::new(ErrorKind::Usage, "usage", text));
        }
        if args.format == Format::Markdown {
            let text = "--format markdown writes the rules: it goes with --list";
            return Err(Error::new(ErrorKind::Usage, "usage", text));
        }
        let table = crate::cli::request::table(args.model_details.as_deref())?;
        let before = match &args.after {
            Some(path) => Some((input_name(path), read(path)?)),
            None => None,
        };
        let wanted = Wanted {
            model: args.model.clone(),
            platform: args.platform,
            betas: (!args.beta.is_empty()).then(|| {
                let names = args.beta.iter().flat_map(|list| list.split(','));
                let named = names
                    .map(str::trim)
                    .filter(|name| !matches!(*name, "none" | ""));
                named.map(str::to_owned).collect()
            }),
            enable: args.enable.clone(),
            ignore: args.ignore.clone(),
        };
        Ok(Self {
            args,
            messages,
            judge: Judge {
                provider: args.provider,
                table,
                wanted,
                fix: args.fix,
                before,
            },
            output,
            log: None,
            refused: Vec::new(),
            tally: Tally::default(),
            strict: common.strict,
            jobs: usize::from(common.jobs),
            pool: Pool::new(usize::from(common.jobs)),
            quiet: common.quiet,
            color: common.stdout_color(),
        })
    }

    fn all(mut self) -> Exit {
        if self.args.format == Format::Sarif {
            let version = env!("CARGO_PKG_VERSION");
            self.log = Some(sarif::open(&mut self.output.bytes, "lint", version));
        }
        let inputs = match self.args.inputs.as_slice() {
            [] => vec![PathBuf::from("-")],
            inputs => inputs.to_vec(),
        };
        let mut written = Ok(());
        for path in &inputs {
            let going = match read(path) {
                Ok(bytes) => self.input(path, &bytes),
                Err(error) => Ok(self.refuse(path, error)),
            };
            match going {
                Ok(true) => {}
                Ok(false) => {
                    self.tally.cut = true;
                    break;
                }
                Err(error) => {
                    written = Err(error);
                    break;
                }
            }
        }
        if self.log.is_some() {
            sarif::close(&mut self.output.bytes, &self.refused);
        }
        match written.and_then(|()| self.output.flush()) {
            Ok(()) => self.tally.exit(),
            Err(error) => output_failed(self.messages, &error),
        }
    }

    /// Lints all bodies of one input; whether to go on.
    fn input(&mut self, path: &Path, bytes: &[u8]) -> io::Result<bool> {
        let mut index = 0;
        let mut lines = Lines::new(bytes);
        let mut found = records(bytes).flat_map(|record| match record {
            Ok(record) => some(captures(bytes, record)),
            Err(error) => vec![Err(error)],
        });
        loop {
            let wave = found.by_ref().take(self.jobs * 16).map(|capture| {
                if let Ok(capture) = &capture {
                    lines.go(capture.byte(0));
                }
                (capture, lines)
            });
            let wave: Vec<_> = wave.collect();
            if wave.is_empty() {
                return Ok(true);
            }
            let judge = &self.judge;
            let done = self.pool.in_order(&wave, |(capture, lines)| match capture {
                Ok(capture) => judge.body(*lines, capture),
                Err(error) => Err(error.clone()),
            });
            for linted in done {
                match linted {
                    Ok((mut linted, fixed)) => {
                        linted.input = input_name(path);
                        linted.index = index;
                        self.tally.seen += 1;
                        self.guessed(&linted);
                        match fixed {
                            Some(fixed) => self.mended(&linted, &fixed, bytes),
                            None => self.show(&linted, bytes),
                        }
                        self.output.commit()?;
                    }
                    Err(error) => {
                        if !self.refuse(path, error) {
                            return Ok(false);
                        }
                    }
                }
                index += 1;
            }
        }
    }

    /// Says so when nothing in a body tells whose it is.
    fn guessed(&self, linted: &Linted) {
        if linted.certain {
            return;
        }
        let text = format!(
            "body {}: nothing tells its provider, taken for {}",
            linted.index + 1,
            linted.provider
        );
        let mut note = Diagnostic::note("provider-guessed", text);
        note = note.hint("say which with --provider");
        note.position.input.clone_from(&linted.input);
        self.messages.tell(&note);
    }

    /// Writes a mended body, and tells what was done and what is left.
    fn mended(&mut self, linted: &Linted, fixed: &Fixed, input: &[u8]) {
        self.tally.no |= linted.count(Severity::Error) > 0;
        for mend in &fixed.told {
            let text = format!(
                "body {}: {} [{}]",
                linted.index + 1,
                mend.message,
                mend.rule
            );
            let mut note = Diagnostic::note("mended", text);
            note.position.input.clone_from(&linted.input);
            note.position.path = Some(format!("{}{}", linted.within, mend.path));
            self.messages.tell(&note);
        }
        let mut left = Vec::new();
        show::human::body(&mut left, linted, input, self.messages.color(), self.quiet);
        self.messages.write(&String::from_utf8_lossy(&left));
        let out = &mut self.output.bytes;
        match self.args.diff {
            true => {
                let name = linted.input.as_deref().unwrap_or("standard input");
                show::human::edits(out, name, &fixed.before, &fixed.after, self.color);
            }
            false => {
                out.extend_from_slice(&fixed.after);
                out.push(b'\n');
            }
        }
    }

    fn show(&mut self, linted: &Linted, input: &[u8]) {
        self.tally.no |= linted.count(Severity::Error) > 0;
        let out = &mut self.output.bytes;
        match self.args.format {
            Format::Human => {
                show::human::body(out, linted, input, self.color, self.quiet);
            }
            Format::Json => show::json::body(out, linted),
            Format::Github => show::github::body(out, linted),
            // Refused before the first input is read.
            Format::Markdown => {}
            Format::Sarif => {
                if let Some(log) = &mut self.log {
                    sarif::body(out, log, linted);
                }
            }
        }
    }

    /// Tells why there is no result; whether to go on.
    fn refuse(&mut self, path: &Path, mut error: Error) -> bool {
        error.position.input = input_name(path);
        self.tally.seen += 1;
        self.tally.refused += 1;
        let diagnostic = error.into();
        self.messages.tell(&diagnostic);
        if self.log.is_some() {
            self.refused.push(diagnostic);
        }
        !self.strict
    }
}
