//! `convo bundle`: conversation directories as self-contained lines.

use super::output::Output;
use super::source::unreadable;
use super::workspace::{self, Home};
use super::{CommonArgs, Exit, filter::Tally};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::event::{Event, Timestamp};
use crate::json::{Kind, Raw, write};
use crate::stream::split::syntax_error;
use crate::stream::{Container, Conversation};
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};

/// Write conversation directories as one self-contained line each
///
/// A directory is a conversation (it holds events.json), a workspace, its .jp, or
/// the conversations folder; the last three are walked in order of id. A base
/// configuration that an old conversation carries as its first entry becomes
/// base_config; the time of creation goes to inputs.created_at.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo bundle ~/project > archive.jsonl
  convo bundle --archived . | convo project -j 2 > views.jsonl")]
pub struct BundleArgs {
    /// Conversation directories or workspaces
    #[arg(value_name = "DIR", required = true)]
    directories: Vec<PathBuf>,
    /// Walk archived conversations too
    #[arg(long)]
    archived: bool,
}

/// Keys of a flat first entry that are the entry's own (D-2).
const NOT_CONFIGURATION: [&str; 7] = [
    "type",
    "timestamp",
    "event_id",
    "request_id",
    "metadata",
    "unsets",
    "claims",
];

/// Bundles the directories.
pub fn run(args: &BundleArgs, common: &CommonArgs) -> Exit {
    let messages = common.messages("bundle");
    let mut output = Output::stdout();
    let mut tally = Tally::default();
    let mut work: Vec<Result<Home, Error>> = Vec::new();
    for directory in &args.directories {
        match homes(directory, args.archived) {
            Ok(homes) => {
                if homes.is_empty() {
                    let mut note = Diagnostic::note("no-conversations", "holds none");
                    note.position.input = Some(directory.display().to_string());
                    messages.tell(&note);
                }
                work.extend(homes.into_iter().map(Ok));
            }
            Err(error) => work.push(Err(named(error, directory))),
        }
    }
    let count = work.len();
    for (index, home) in work.into_iter().enumerate() {
        tally.seen += 1;
        let mark = output.bytes.len();
        let bundled = home.and_then(|home| {
            bundle(&home, &mut output.bytes).map_err(|error| named(error, &home.path))
        });
        if let Err(error) = bundled {
            output.bytes.truncate(mark);
            tally.refused += 1;
            messages.tell(&error.into());
            if common.strict {
                tally.cut = index + 1 < count;
                break;
            }
        }
        if let Err(error) = output.commit() {
            return super::output_failed(&messages, &error);
        }
    }
    match output.flush() {
        Ok(()) => tally.exit(),
        Err(error) => super::output_failed(&messages, &error),
    }
}

fn named(mut error: Error, path: &Path) -> Error {
    error.position.input = Some(path.display().to_string());
    error
}

fn homes(directory: &Path, archived: bool) -> Result<Vec<Home>, Error> {
    let events = "events.json";
    if workspace::holds_events(directory).map_err(|error| unreadable(&error))? {
        return Ok(vec![Home::of(directory)]);
    }
    if directory.is_file() && directory.file_name().is_some_and(|name| name == events) {
        let home = directory
            .parent()
            .filter(|path| !path.as_os_str().is_empty());
        return Ok(vec![Home::of(home.unwrap_or(Path::new(".")))]);
    }
    if let Some(folder) = workspace::conversations(directory) {
        return workspace::list(&folder, archived).map_err(|error| unreadable(&error));
    }
    if let Err(error) = std::fs::metadata(directory) {
        return Err(unreadable(&error));
    }
    Err(Error::new(
        ErrorKind::Input,
        "no-events",
        "expected a conversation directory with events.json or a workspace with \
         .jp/conversations, found neither",
    ))
}

/// Appends the bundle of one conversation, with a line break.
fn bundle(home: &Home, out: &mut Vec<u8>) -> Result<(), Error> {
    let events = file(&home.path, "events.json")?.ok_or_else(|| {
        let gone = io::Error::from(io::ErrorKind::NotFound);
        let error = unreadable(&gone);
        Error {
            message: format!("events.json {}", error.message),
            ..error
        }
    })?;
    let base = file(&home.path, "base_config.json")?;
    let metadata = file(&home.path, "metadata.json")?;
    let events = parse("events.json", &events)?;
    let base = base
        .as_deref()
        .map(|bytes| parse("base_config.json", bytes))
        .transpose()?;
    if let Some(base) = base.filter(|base| base.kind() != Kind::Object) {
        let found = base.kind().name();
        let message = format!("base_config.json is no JSON object: found {found}");
        return Err(Error::new(ErrorKind::Input, "base-config", message));
    }
    let metadata = metadata
        .as_deref()
        .map(|bytes| parse("metadata.json", bytes))
        .transpose()?;
    let conversation = match Conversation::read(events)? {
        Container::Conversation(read) if events.kind() == Kind::Array => {
            Conversation { base, ..read }
        }
        Container::Conversation(read) => {
            read.require_stream()?;
            return Err(Error::new(
                ErrorKind::Contract,
                "not-stored",
                "expected events.json to be an array of entries, found an object",
            ));
        }
        Container::Entry(_) => {
            return Err(Error::new(
                ErrorKind::Contract,
                "not-stored",
                "expected events.json to be an array of entries, found one entry",
            ));
        }
    };
    let first = conversation.embedded_base();
    out.push(b'{');
    write::key(out, "id");
    write::string(out, &home.id);
    write::key(out, "base_config");
    match (&base, &first) {
        (Some(base), _) => write::compact(out, *base),
        (None, Some(delta)) => embedded_base(out, delta),
        (None, None) => out.extend_from_slice(b"{}"),
    }
    write::key(out, "events");
    let skip = usize::from(first.is_some());
    out.push(b'[');
    for (index, entry) in conversation
        .entries
        .as_array()
        .into_iter()
        .flatten()
        .skip(skip)
        .enumerate()
    {
        if index > 0 {
            out.push(b',');
        }
        write::compact(out, entry);
    }
    out.push(b']');
    if let Some(metadata) = metadata {
        write::key(out, "metadata");
        write::compact(out, metadata);
    }
    write::key(out, "encoding");
    write::string(out, "storage");
    let created = first
        .as_ref()
        .and_then(Event::timestamp)
        .or_else(|| Timestamp::from_deciseconds(home.number?));
    if let Some(created) = created {
        write::key(out, "inputs");
        out.push(b'{');
        write::key(out, "created_at");
        write::string(out, &created.to_rfc3339());
        out.push(b'}');
    }
    out.extend_from_slice(b"}\n");
    Ok(())
}

/// The configuration that form B's first entry carries, in either shape (D-2).
fn embedded_base(out: &mut Vec<u8>, first: &Event<'_>) {
    if let Some(delta) = first.get("delta") {
        match delta.kind() {
            Kind::Object => write::compact(out, delta),
            _ => out.extend_from_slice(b"{}"),
        }
        return;
    }
    out.push(b'{');
    for &(key, value) in first.fields() {
        if !NOT_CONFIGURATION.iter().any(|name| key.is(name)) {
            write::key(out, &key.decode());
            write::compact(out, value);
        }
    }
    out.push(b'}');
}

fn file(home: &Path, name: &str) -> Result<Option<Vec<u8>>, Error> {
    match workspace::read(&home.join(name)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let error = unreadable(&error);
            Err(Error {
                message: format!("{name} {}", error.message),
                ..error
            })
        }
    }
}

fn parse<'a>(name: &str, bytes: &'a [u8]) -> Result<Raw<'a>, Error> {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let skipped = (bytes.len() - text.len()) as u64;
    Raw::parse(text).map_err(|found| {
        let error = crate::stream::foreign_bytes(bytes)
            .unwrap_or_else(|| syntax_error(text, skipped, &found));
        Error {
            message: format!("{name}: {}", error.message),
            ..error
        }
    })
}
