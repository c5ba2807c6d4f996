//! `convo project`: the user view, or the raw view, of each conversation.

use super::filter::{Answer, Filter, Live};
use super::origin::Record;
use super::output::{Output, unwritable};
use super::pick::{PickArgs, Picker};
use super::{CommonArgs, Exit, StreamArgs};
use crate::block::{Decoder, Encoding, fault};
use crate::error::{Diagnostic, Error};
use crate::event::{Event, EventKind};
use crate::json::{Raw, write};
use crate::render::{Told, Turns};
use crate::stream::compaction::{self, Rules};
use crate::stream::{Conversation, Entries, Form, Place, TurnCounter, read_entry};
use crate::view::{EntryWriter, View};
use clap::{Args, ValueEnum};

/// Write the user view of each conversation
///
/// The user view holds what is addressed to the user: messages, structured
/// answers, requests, and tool results reduced to the blocks for the user. What
/// passes keeps its bytes; strings that storage encodes come out decoded. It is a
/// projection, not a stream: other commands refuse it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo project .jp/conversations/17800836875-fix-init | jq -r '.data[].message // empty'
  tail -f events.jsonl | convo project --addressed-only")]
pub struct ProjectArgs {
    #[command(flatten)]
    stream: StreamArgs,
    /// Which entries to write
    #[arg(long, value_name = "VIEW", default_value = "user")]
    view: ViewArg,
    /// Write what was told to whom, blocks and all
    #[arg(long, value_name = "WHOM", conflicts_with = "view")]
    audience: Option<AudienceArg>,
    /// Keep only blocks that name the user outright
    #[arg(long)]
    addressed_only: bool,
    #[command(flatten)]
    pick: PickArgs,
    /// Apply compaction first
    #[arg(long)]
    compacted: bool,
    /// The shape of the result [default: envelope; lines for bare entries]
    #[arg(long, value_name = "SHAPE")]
    output: Option<Shape>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ViewArg {
    /// What is addressed to the user
    User,
    /// Every entry
    Raw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AudienceArg {
    /// What the user was shown: the user view
    User,
    /// What the model was told
    Assistant,
    /// What either was told
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Shape {
    /// {"data":[...]} on one line, as in JP's plugin protocol
    Envelope,
    /// An array on one line
    Array,
    /// One entry a line
    Lines,
}

/// Projects the inputs.
pub fn run(args: &ProjectArgs, common: &CommonArgs) -> Exit {
    start(args, common, "project")
}

fn start(args: &ProjectArgs, common: &CommonArgs, name: &'static str) -> Exit {
    match args.pick.turns() {
        Ok(turns) => common.run(&Project { args, turns }, &args.stream, name),
        Err(error) => {
            common.messages(name).tell(&error.into());
            Exit::Failed
        }
    }
}

/// Writes the entries of the inputs for `render`: one array, or one a line.
pub(super) fn run_events(
    stream: &StreamArgs,
    told: Told,
    pick: PickArgs,
    array: bool,
    common: &CommonArgs,
) -> Exit {
    let args = ProjectArgs {
        stream: stream.clone(),
        view: ViewArg::Raw,
        audience: match told {
            Told::Everything => None,
            Told::User => Some(AudienceArg::User),
            Told::Assistant => Some(AudienceArg::Assistant),
            Told::Both => Some(AudienceArg::Both),
        },
        addressed_only: false,
        pick,
        compacted: false,
        output: Some(if array { Shape::Array } else { Shape::Lines }),
    };
    start(&args, common, "render")
}

struct Project<'a> {
    args: &'a ProjectArgs,
    turns: Turns,
}

/// Bytes from which a conversation is checked before it is written, so that its
/// result need not be held back.
const LARGE: usize = 1024 * 1024;

impl Filter for Project<'_> {
    fn conversation(
        &self,
        record: &Record<'_>,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        let conversation = &record.conversation;
        let mut frame = Frame::new(self.shape(conversation.form));
        let mut faults = Vec::new();
        let mut writer = self.writer(conversation.encoding, frame.shape);
        let mut known = Known::default();
        let mut picker = self.picker(Some(conversation));
        if self.args.compacted {
            conversation.require_stream()?;
            let events = self.entries(conversation).collect(told)?;
            frame.open(&mut output.bytes, Some(conversation));
            for (event, fate) in events
                .iter()
                .zip(compaction::plan(&events, Rules::Standard))
            {
                known.count(event);
                if !picker.picks(event) {
                    continue;
                }
                frame.compacted(&mut output.bytes, &mut writer, event, &fate);
                // All entries are checked: nothing is refused any more.
                output.commit().map_err(|error| unwritable(&error))?;
            }
        } else {
            let checked = conversation.value.bytes().len() >= LARGE && output.drains();
            if checked {
                let mut entries = self.entries(conversation);
                while let Some(event) = entries.next(told) {
                    event?;
                }
            }
            frame.open(&mut output.bytes, Some(conversation));
            let mut entries = self.entries(conversation);
            let mut again = Vec::new();
            let mut warnings = Vec::new();
            let told = if checked { &mut again } else { &mut *told };
            while let Some(event) = entries.next(told) {
                let event = event?;
                let index = known.entries;
                known.count(&event);
                if !picker.picks(&event) {
                    continue;
                }
                warnings.extend(fault::warning(&fault::of_result(&event), index));
                frame.entry(&mut output.bytes, &mut writer, &event);
                if checked {
                    output.commit().map_err(|error| unwritable(&error))?;
                }
            }
            faults = warnings;
        }
        frame.close(&mut output.bytes);
        told.append(&mut faults);
        told.extend(self.args.pick.missed(self.turns, picker.count()));
        told.extend(known.warning());
        Ok(Answer::Good)
    }

    fn live(&self) -> Option<Box<dyn Live + '_>> {
        (!self.args.compacted && !self.args.pick.needs_end()).then(|| {
            Box::new(LiveProject {
                project: self,
                frame: Frame::new(self.shape(Form::Entries)),
                writer: None,
                known: Known::default(),
                picker: self.picker(None),
            }) as Box<dyn Live>
        })
    }

    fn uses_base(&self) -> bool {
        false
    }
}

impl Project<'_> {
    /// Picks the turns asked for; the last ones of a conversation that is whole.
    fn picker(&self, whole: Option<&Conversation<'_>>) -> Picker {
        let pick = &self.args.pick;
        let mut count = 0;
        if pick.needs_end()
            && let Some(conversation) = whole
        {
            let entries = conversation.entries.as_array().into_iter().flatten();
            count = TurnCounter::total(entries.map(|entry| {
                let kind = entry.get("type").and_then(Raw::as_text);
                kind.map_or(EventKind::Unknown, EventKind::of)
            }));
        }
        Picker::new(pick.of(self.turns, count), pick.only())
    }

    fn shape(&self, form: Form) -> Shape {
        self.args.output.unwrap_or(match form {
            Form::Entries => Shape::Lines,
            Form::Array | Form::Envelope | Form::Bundle => Shape::Envelope,
        })
    }

    fn writer(&self, encoding: Encoding, shape: Shape) -> EntryWriter {
        let user = View::User {
            addressed_only: self.args.addressed_only,
        };
        let view = match (self.args.audience, self.args.view) {
            (Some(AudienceArg::Assistant), _) => View::Assistant,
            (Some(AudienceArg::Both), _) => View::Both,
            (Some(AudienceArg::User), _) | (None, ViewArg::User) => user,
            (None, ViewArg::Raw) => View::Raw,
        };
        // The raw view as array or lines can be read back: it stays encoded.
        let to = match (view, shape) {
            (View::Raw, Shape::Array | Shape::Lines) => Encoding::Storage,
            _ => Encoding::Plain,
        };
        EntryWriter::new(
            view,
            Decoder::new(encoding, self.args.stream.strict_base64),
            to,
        )
    }

    fn entries<'a>(&self, conversation: &Conversation<'a>) -> Entries<'a> {
        Entries::new(conversation, self.args.stream.lenient)
    }
}

/// What stands around and between the entries of a result.
struct Frame {
    shape: Shape,
    open: bool,
    first: bool,
}

impl Frame {
    fn new(shape: Shape) -> Self {
        Self {
            shape,
            open: false,
            first: true,
        }
    }

    fn open(&mut self, out: &mut Vec<u8>, conversation: Option<&Conversation<'_>>) {
        self.open = true;
        match self.shape {
            Shape::Lines => {}
            Shape::Array => out.push(b'['),
            Shape::Envelope => {
                out.push(b'{');
                for key in ["type", "id", "conversation"] {
                    let value = conversation.and_then(|c| c.value.get(key));
                    if let Some(value) = value {
                        write::key(out, key);
                        write::compact(out, value);
                    }
                }
                write::key(out, "data");
                out.push(b'[');
            }
        }
    }

    /// Appends what the view shows of `event`.
    fn entry(
        &mut self,
        out: &mut Vec<u8>,
        writer: &mut EntryWriter,
        event: &Event<'_>,
    ) {
        let mark = out.len();
        self.separate(out);
        match writer.write(out, event) {
            true => self.end(out),
            false => out.truncate(mark),
        }
    }

    fn compacted(
        &mut self,
        out: &mut Vec<u8>,
        writer: &mut EntryWriter,
        event: &Event<'_>,
        fate: &compaction::Fate<'_>,
    ) {
        self.separate(out);
        writer.write_compacted(out, event, fate, &mut |out| {
            self.end(out);
            self.separate(out);
        });
        // The separator put down for an entry that did not come.
        if !self.first && self.shape != Shape::Lines {
            out.pop();
        }
    }

    fn separate(&self, out: &mut Vec<u8>) {
        if !self.first && self.shape != Shape::Lines {
            out.push(b',');
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        self.first = false;
        if self.shape == Shape::Lines {
            out.push(b'\n');
        }
    }

    fn close(&self, out: &mut Vec<u8>) {
        match self.shape {
            Shape::Lines => {}
            Shape::Array => out.extend_from_slice(b"]\n"),
            Shape::Envelope => out.extend_from_slice(b"]}\n"),
        }
    }
}

/// Form F: each entry is out as soon as it is in.
struct LiveProject<'p> {
    project: &'p Project<'p>,
    frame: Frame,
    writer: Option<EntryWriter>,
    known: Known,
    picker: Picker,
}

impl Live for LiveProject<'_> {
    fn entry(
        &mut self,
        conversation: &Conversation<'_>,
        index: usize,
        out: &mut Vec<u8>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Error> {
        let place = Place {
            conversation,
            index,
        };
        let lenient = self.project.args.stream.lenient;
        let raw: Raw<'_> = conversation.value;
        let event = read_entry(raw, lenient, &place, told)?;
        if !self.frame.open {
            self.frame.open(out, None);
        }
        let (project, shape) = (self.project, self.frame.shape);
        let writer = self
            .writer
            .get_or_insert_with(|| project.writer(conversation.encoding, shape));
        self.known.count(&event);
        if self.picker.picks(&event) {
            told.extend(fault::warning(&fault::of_result(&event), index));
            self.frame.entry(out, writer, &event);
        }
        Ok(())
    }

    fn close(
        &mut self,
        out: &mut Vec<u8>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Error> {
        self.frame.close(out);
        let pick = &self.project.args.pick;
        told.extend(pick.missed(self.project.turns, self.picker.count()));
        told.extend(self.known.warning());
        Ok(())
    }
}

/// Counts entries of known kinds, to notice an input that holds none.
#[derive(Default)]
struct Known {
    entries: usize,
    known: usize,
}

impl Known {
    fn count(&mut self, event: &Event<'_>) {
        self.entries += 1;
        self.known += usize::from(event.kind() != EventKind::Unknown);
    }

    fn warning(&self) -> Option<Diagnostic> {
        (self.entries > 0 && self.known == 0).then(|| {
            Diagnostic::warning(
                "no-known-entry",
                format!("none of its {} entries is of a known kind", self.entries),
            )
        })
    }
}
