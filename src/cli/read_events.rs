//! `convo read-events`: JP's plugin protocol over a workspace
//! (`docs/formats.md#plugin-protocol`).

use super::workspace::{self, Home};
use super::{CommonArgs, Exit};
use crate::block::{Decoder, Encoding};
use crate::error::Diagnostic;
use crate::json::{Kind, Raw, write};
use crate::stream::{Container, Conversation, Entries};
use crate::view::{EntryWriter, View};
use clap::Args;
use std::collections::HashMap;
use std::io::{self, BufRead, Read as _, Write as _};
use std::path::PathBuf;

/// Answer requests for events over JP's plugin protocol
///
/// JSON lines in, JSON lines out, in order. Each request names a conversation and
/// may name a view (raw or user); each gets one answer or one failure, and the
/// service goes on until its input ends.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"type\":\"read_events\",\"conversation\":\"17800836875\"}' |
    convo read-events --workspace ~/project
  echo '{\"type\":\"read_events\",\"conversation\":\"jp-c17800836875\",\"view\":\"user\"}' |
    convo read-events --workspace . | jq '.data | length'")]
pub struct ReadEventsArgs {
    /// The workspace whose conversations are served
    #[arg(long, value_name = "DIR")]
    workspace: PathBuf,
    /// Do not decode URL-safe base64
    #[arg(long)]
    strict_base64: bool,
    /// Carry entries of a bad shape as unknown instead of failing
    #[arg(long)]
    lenient: bool,
}

/// A request line longer than this is refused without being kept.
const LONGEST: u64 = 1024 * 1024;

/// Serves until the input ends.
pub fn run(args: &ReadEventsArgs, common: &CommonArgs) -> Exit {
    let messages = common.messages("read-events");
    let Some(folder) = workspace::conversations(&args.workspace) else {
        let mut error = crate::error::Error::new(
            crate::error::ErrorKind::Input,
            "no-workspace",
            "expected a workspace with .jp/conversations, found none",
        );
        error.position.input = Some(args.workspace.display().to_string());
        messages.tell(&error.into());
        return Exit::Failed;
    };
    let mut service = Service {
        args,
        folder,
        homes: HashMap::new(),
    };
    let mut input = super::source::standard_input();
    let mut line = Vec::new();
    let mut answer = Vec::new();
    loop {
        line.clear();
        let read = input
            .by_ref()
            .take(LONGEST + 1)
            .read_until(b'\n', &mut line);
        match read {
            Ok(0) => return Exit::Good,
            Ok(_) => {}
            Err(error) => {
                messages.tell(&super::source::unreadable(&error).into());
                return Exit::Failed;
            }
        }
        answer.clear();
        let mut told = Vec::new();
        if line.len() as u64 > LONGEST && line.last() != Some(&b'\n') {
            if let Err(error) = skip_line(&mut input) {
                messages.tell(&super::source::unreadable(&error).into());
                return Exit::Failed;
            }
            let message = format!("the line is longer than {LONGEST} bytes");
            failure(&mut answer, &Request::default(), &message);
        } else if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        } else {
            service.answer(&line, &mut answer, &mut told);
        }
        for warning in &told {
            messages.tell(warning);
        }
        let mut stdout = super::standard::stdout();
        if let Err(error) = stdout.write_all(&answer).and_then(|()| stdout.flush()) {
            return super::output_failed(&messages, &error);
        }
    }
}

fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let bytes = input.fill_buf()?;
        let (used, done) = match memchr::memchr(b'\n', bytes) {
            Some(at) => (at + 1, true),
            None => (bytes.len(), bytes.is_empty()),
        };
        input.consume(used);
        if done {
            return Ok(());
        }
    }
}

struct Service<'a> {
    args: &'a ReadEventsArgs,
    folder: PathBuf,
    homes: HashMap<u64, PathBuf>,
}

/// What could be understood of a request.
#[derive(Default)]
struct Request<'a> {
    id: Option<Raw<'a>>,
    understood: bool,
}

impl Service<'_> {
    fn answer(&mut self, line: &[u8], out: &mut Vec<u8>, told: &mut Vec<Diagnostic>) {
        let mut request = Request::default();
        if let Err(message) = self.try_answer(line, &mut request, out, told) {
            out.clear();
            failure(out, &request, &message);
        }
    }

    fn try_answer<'l>(
        &mut self,
        line: &'l [u8],
        request: &mut Request<'l>,
        out: &mut Vec<u8>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), String> {
        let value = Raw::parse(line).map_err(|error| {
            format!("the line is not JSON: byte {}: {error}", error.offset)
        })?;
        if value.kind() != Kind::Object {
            return Err(format!(
                "expected a request object, found {}",
                value.kind().name()
            ));
        }
        request.id = value.get("id").filter(|id| id.kind() == Kind::String);
        let tag = value.get("type").and_then(Raw::as_str);
        match tag.as_deref() {
            Some("read_events") => request.understood = true,
            Some(other) => return Err(format!("unknown request type {other:?}")),
            None => return Err("expected a request with a string type".to_owned()),
        }
        if value.get("id").is_some_and(|id| id.kind() != Kind::String) {
            return Err("expected id to be a string".to_owned());
        }
        let Some(asked) = value
            .get("conversation")
            .filter(|v| v.kind() == Kind::String)
        else {
            return Err("expected conversation to be a string".to_owned());
        };
        let view = match value.get("view") {
            None => View::Raw,
            Some(name) => match name.as_str().as_deref() {
                Some("raw") => View::Raw,
                Some("user") => View::User {
                    addressed_only: false,
                },
                Some(other) => {
                    return Err(format!(
                        "unknown view {other:?}: expected raw or user"
                    ));
                }
                None => return Err("expected view to be raw or user".to_owned()),
            },
        };
        let name = asked.as_str().unwrap_or_default();
        let digits = name.strip_prefix("jp-c").unwrap_or(&name);
        let number = digits
            .bytes()
            .all(|b| b.is_ascii_digit())
            .then(|| digits.parse().ok())
            .flatten()
            .ok_or_else(|| {
                format!("expected a conversation id in digits or as jp-c<digits>, found {name:?}")
            })?;
        let home = self
            .find(number)
            .ok_or_else(|| format!("no conversation {name}"))?;
        let events = workspace::read(&home.join("events.json"))
            .map_err(|error| format!("conversation {name}: events.json: {error}"))?;
        out.push(b'{');
        write::key(out, "type");
        write::string(out, "events");
        if let Some(id) = request.id {
            write::key(out, "id");
            write::compact(out, id);
        }
        write::key(out, "conversation");
        write::compact(out, asked);
        write::key(out, "data");
        let has_base = home.join("base_config.json").is_file();
        let done = self.entries(&events, has_base, view, out, told);
        for warning in told.iter_mut() {
            warning.position.input = Some(home.display().to_string());
        }
        done.map_err(|message| format!("conversation {name}: {message}"))?;
        out.extend_from_slice(b"}\n");
        Ok(())
    }

    fn entries(
        &self,
        events: &[u8],
        has_base: bool,
        view: View,
        out: &mut Vec<u8>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), String> {
        let events = events.strip_prefix(b"\xef\xbb\xbf").unwrap_or(events);
        let value = Raw::parse(events)
            .map_err(|error| format!("byte {}: {error}", error.offset))?;
        let conversation = match Conversation::read(value).map_err(|e| e.to_string())? {
            Container::Conversation(conversation) => conversation,
            Container::Entry(_) => Conversation::of_array(value),
        };
        // The base is never part of an answer, be it the first entry.
        let skip = usize::from(!has_base && conversation.embedded_base().is_some());
        let decoder = Decoder::new(conversation.encoding, self.args.strict_base64);
        let mut writer = EntryWriter::new(view, decoder, Encoding::Plain);
        let mut entries = Entries::new(&conversation, self.args.lenient);
        out.push(b'[');
        let mut index = 0;
        while let Some(event) = entries.next(told) {
            let event = event.map_err(|error| error.to_string())?;
            index += 1;
            if index <= skip {
                continue;
            }
            let mark = out.len();
            if out.last() != Some(&b'[') {
                out.push(b',');
            }
            if !writer.write(out, &event) {
                out.truncate(mark);
            }
        }
        out.push(b']');
        Ok(())
    }

    /// The directory of a conversation; live ones come before archived ones.
    fn find(&mut self, number: u64) -> Option<PathBuf> {
        if let Some(path) = self.homes.get(&number)
            && path.join("events.json").is_file()
        {
            return Some(path.clone());
        }
        let listed = workspace::list(&self.folder, true).ok()?;
        self.homes.clear();
        for Home { number, path, .. } in listed {
            if let Some(number) = number {
                self.homes.entry(number).or_insert(path);
            }
        }
        self.homes.get(&number).cloned()
    }
}

fn failure(out: &mut Vec<u8>, request: &Request<'_>, message: &str) {
    out.push(b'{');
    write::key(out, "type");
    write::string(out, "error");
    if let Some(id) = request.id {
        write::key(out, "id");
        write::compact(out, id);
    }
    if request.understood {
        write::key(out, "request");
        write::string(out, "read_events");
    }
    write::key(out, "message");
    write::string(out, message);
    out.extend_from_slice(b"}\n");
}
