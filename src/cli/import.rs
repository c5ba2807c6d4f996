//! `convo import`: other tools' transcripts and captured bodies as bundles.

use super::filter::{Answer, Filter, Tally};
use super::origin::Record;
use super::output::Output;
use super::redact::MaskArgs;
use super::transcript::{self, Imports};
use super::{CommonArgs, Exit, StreamArgs};
use crate::body::Provider;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::import::{
    self, Branch, Compaction, Format, Importer, Keep, Options, Shape, Sidechains, Sink,
};
use crate::json::{Kind, Raw, write};
use crate::redact::Rules;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Write other tools' transcripts and captured bodies as bundles
///
/// Sessions of Claude Code, Codex and Gemini CLI, bodies of the Messages, Responses,
/// chat completions and Gemini APIs, recordings of them, and datasets of messages
/// become one self-contained conversation a line, which every other command reads.
/// The other commands read such inputs straight, with the defaults below: this one
/// is for the options and for keeping the result. A directory is walked for *.jsonl,
/// *.jsonl.zst and *.json.
///
/// What an event cannot hold stands beside it in its metadata, so nothing is lost;
/// before a projection is published, import with --keep none.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo import ~/.claude/projects/x/y.jsonl > session.jsonl
  convo import --compaction cut --keep none session.jsonl | convo render
  convo import --branch list session.jsonl")]
pub struct ImportArgs {
    /// Files, directories, or - for standard input
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The format, where it is not to be recognised
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    from: From,
    /// The provider a chat body belongs to, where the body does not tell
    #[arg(long, value_name = "NAME", value_parser = provider)]
    provider: Option<Provider>,
    /// Which path of a session that branches: last, all, list, or a line's id
    #[arg(long, value_name = "BRANCH", default_value = "last")]
    branch: String,
    /// What becomes of subagents
    #[arg(long, value_name = "HOW", default_value = "separate")]
    sidechains: SidechainsArg,
    /// How a compacted session is told
    #[arg(long, value_name = "HOW", default_value = "overlay")]
    compaction: CompactionArg,
    /// How much is kept of what events cannot hold
    #[arg(long, value_name = "AMOUNT", default_value = "all")]
    keep: KeepArg,
    /// Make one conversation of successive bodies that grow by prefix
    #[arg(long)]
    sequence: bool,
    /// The system prompt: a text file, or a JSON array of strings
    #[arg(long, value_name = "FILE")]
    system: Option<PathBuf>,
    /// The tools, a JSON array in any provider's form
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// The model, as PROVIDER/NAME
    #[arg(long, value_name = "PROVIDER/NAME", value_parser = model)]
    model: Option<(String, String)>,
    /// Write counts, usage and what is unknown, one JSON object a record
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    mask: MaskArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum From {
    /// Recognise it
    Auto,
    /// Claude Code sessions
    ClaudeCode,
    /// Codex rollouts
    Codex,
    /// Bodies of the Messages API
    Anthropic,
    /// Bodies of the Responses API
    #[value(name = "openai-responses")]
    OpenAiResponses,
    /// Bodies of chat completions APIs
    #[value(name = "openai-chat")]
    OpenAiChat,
    /// Bodies of generateContent
    Gemini,
    /// Gemini CLI sessions
    GeminiCli,
    /// Datasets of `from` and `value`
    #[value(name = "sharegpt")]
    ShareGpt,
    /// Datasets of messages
    Messages,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SidechainsArg {
    /// Records of their own, behind their session
    Separate,
    /// Counted only
    Drop,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CompactionArg {
    /// The whole history, with a compaction entry
    Overlay,
    /// What the model saw last
    Cut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KeepArg {
    /// Everything
    All,
    /// Where each event comes from, and what was made up
    Lean,
    /// Nothing
    None,
}

fn provider(name: &str) -> Result<Provider, String> {
    Provider::parse(name).ok_or_else(|| {
        let names: Vec<_> = Provider::ALL.iter().map(|one| one.name()).collect();
        format!("one of {}", names.join(", "))
    })
}

fn model(text: &str) -> Result<(String, String), String> {
    match text.split_once('/') {
        Some((provider, name)) if !provider.is_empty() && !name.is_empty() => {
            Ok((provider.to_owned(), name.to_owned()))
        }
        _ => Err("a provider and a name, as anthropic/claude-opus-5".to_owned()),
    }
}

/// Imports the inputs.
pub fn run(args: &ImportArgs, common: &CommonArgs) -> Exit {
    let messages = common.messages("import");
    let wanted = args.mask.read();
    let wanted = wanted.and_then(|masks| Ok((imports(args, masks.as_ref())?, masks)));
    let (imports, masks) = match wanted {
        Ok(wanted) => wanted,
        Err(error) => {
            messages.tell(&error.into());
            return Exit::Failed;
        }
    };
    if imports.options.branch == Branch::List {
        return table(args, &imports, masks.as_ref(), common);
    }
    let stream = StreamArgs {
        inputs: args.inputs.clone(),
        base_config: None,
        no_base: true,
        encoding: None,
        strict_base64: false,
        lenient: false,
        masks,
    };
    common.run(&Import { imports }, &stream, "import")
}

fn imports(args: &ImportArgs, masks: Option<&Arc<Rules>>) -> Result<Imports, Error> {
    let masked = |bytes: Vec<u8>| match masks {
        Some(rules) => rules.mask(&bytes, &mut Vec::new()),
        None => bytes,
    };
    let report = args.report.as_deref().map(|path| {
        std::fs::File::create(path).map_err(|error| {
            let message = format!("--report {}: {error}", path.display());
            Error::new(ErrorKind::Output, "report", message)
        })
    });
    Ok(Imports {
        options: Options {
            from: format(args.from),
            provider: args.provider,
            branch: match args.branch.as_str() {
                "last" => Branch::Last,
                "all" => Branch::All,
                "list" => Branch::List,
                id => Branch::Id(id.to_owned()),
            },
            sidechains: match args.sidechains {
                SidechainsArg::Separate => Sidechains::Separate,
                SidechainsArg::Drop => Sidechains::Drop,
            },
            compaction: match args.compaction {
                CompactionArg::Overlay => Compaction::Overlay,
                CompactionArg::Cut => Compaction::Cut,
            },
            keep: match args.keep {
                KeepArg::All => Keep::All,
                KeepArg::Lean => Keep::Lean,
                KeepArg::None => Keep::None,
            },
            sequence: args.sequence,
            system: args.system.as_deref().map(system).transpose()?.map(masked),
            tools: args.tools.as_deref().map(tools).transpose()?.map(masked),
            model: args.model.clone(),
            sidecar: None,
            stem: None,
        },
        report: Mutex::new(report.transpose()?),
    })
}

fn format(from: From) -> Option<Format> {
    Some(match from {
        From::Auto => return None,
        From::ClaudeCode => Format::ClaudeCode,
        From::Codex => Format::Codex,
        From::Anthropic => Format::Anthropic,
        From::OpenAiResponses => Format::OpenAiResponses,
        From::OpenAiChat => Format::OpenAiChat,
        From::Gemini => Format::Gemini,
        From::GeminiCli => Format::GeminiCli,
        From::ShareGpt => Format::ShareGpt,
        From::Messages => Format::Messages,
    })
}

fn file(path: &Path, option: &str) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|error| {
        let message = format!("{option} {}: cannot be read: {error}", path.display());
        Error::new(ErrorKind::Usage, "unreadable", message)
    })
}

/// System parts: the strings of a JSON array, else the file as one text.
fn system(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = file(path, "--system")?;
    if let Ok(raw) = Raw::parse(&bytes)
        && let Some(mut list) = raw.as_array()
        && list.all(|part| part.kind() == Kind::String)
    {
        return Ok(bytes);
    }
    let mut out = b"[".to_vec();
    write::string(&mut out, &String::from_utf8_lossy(&bytes));
    out.push(b']');
    Ok(out)
}

fn tools(path: &Path) -> Result<Vec<u8>, Error> {
    let bytes = file(path, "--tools")?;
    match Raw::parse(&bytes) {
        Ok(raw) if raw.kind() == Kind::Array => Ok(bytes),
        _ => {
            let message = format!("--tools {}: expected a JSON array", path.display());
            Err(Error::new(ErrorKind::Usage, "tools", message))
        }
    }
}

struct Import {
    imports: Imports,
}

impl Filter for Import {
    fn conversation(
        &self,
        record: &Record<'_>,
        output: &mut Output,
        _told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        if !record.site.is_imported()
            && record.conversation.value.get("events").is_none()
        {
            return Err(Error::new(
                ErrorKind::Input,
                "stored-stream",
                "expected a transcript, found a stored conversation",
            )
            .hint("it needs no import; convo bundle makes one line of a directory"));
        }
        write::compact(&mut output.bytes, record.conversation.value);
        output.bytes.push(b'\n');
        Ok(Answer::Good)
    }

    fn imports(&self) -> Option<&Imports> {
        Some(&self.imports)
    }

    fn uses_base(&self) -> bool {
        false
    }
}

/// Writes the table of branches of each session.
fn table(
    args: &ImportArgs,
    imports: &Imports,
    masks: Option<&Arc<Rules>>,
    common: &CommonArgs,
) -> Exit {
    let messages = common.messages("import");
    let mut output = Output::stdout();
    let mut tally = Tally::default();
    let paths = match args.inputs.as_slice() {
        [] => vec![PathBuf::from("-")],
        paths => paths.to_vec(),
    };
    for path in paths {
        let files = transcript::below(&path).unwrap_or_else(|| vec![path.clone()]);
        for file in files {
            tally.seen += 1;
            let told = one_table(&file, imports, masks, &mut output.bytes);
            if let Err(mut error) = told {
                tally.refused += 1;
                if file.as_os_str() != "-" {
                    error.position.input = Some(file.display().to_string());
                }
                messages.tell(&error.into());
            }
        }
    }
    match output.flush() {
        Ok(()) => tally.exit(),
        Err(error) => super::output_failed(&messages, &error),
    }
}

fn one_table(
    path: &Path,
    imports: &Imports,
    masks: Option<&Arc<Rules>>,
    out: &mut Vec<u8>,
) -> Result<(), Error> {
    let source = super::source::Source::open(path, None, true)?;
    let unreadable = |error| super::source::unreadable(&error);
    let mut reader = transcript::unpacked(source.reader).map_err(unreadable)?;
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut reader, &mut bytes).map_err(unreadable)?;
    if let Some(rules) = masks {
        bytes = rules.mask(&bytes, &mut Vec::new());
    }
    let head = &bytes[..bytes.len().min(import::HEAD)];
    let values = import::values(head, head.len() == bytes.len());
    let options = transcript::options(Some(imports), path);
    let shape = match import::recognise(&values, options.from) {
        import::Found::Foreign(shape @ Shape::Session(_), _) => shape,
        import::Found::Refused(error) => return Err(error),
        _ => {
            return Err(Error::new(
                ErrorKind::Input,
                "foreign-format",
                "expected a session, which alone has branches, found none",
            ));
        }
    };
    let mut failed = None;
    let mut take = |imported: import::Imported| {
        failed = imported.bundle.err();
    };
    let mut table = |text: String| out.extend_from_slice(text.as_bytes());
    let mut sink = Sink::new(&mut take, &mut table);
    Importer::new(options, shape).all(&bytes, &mut sink);
    failed.map_or(Ok(()), Err)
}
