//! `convo project`: the user view, or the raw view, of each conversation.

use super::filter::{Answer, Filter, Live};
use super::origin::Record;
use super::output::{Output, unwritable};
use super::{CommonArgs, Exit, StreamArgs};
use crate::block::{Decoder, Encoding};
use crate::error::{Diagnostic, Error};
use crate::event::{Event, EventKind};
use crate::json::{Raw, write};
use crate::stream::compaction::{self, Rules};
use crate::stream::{Conversation, Entries, Form, Place, read_entry};
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
    /// Keep only blocks that name the user outright
    #[arg(long)]
    addressed_only: bool,
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
    common.run(&Project { args }, &args.stream, "project")
}

/// Writes the entries of the inputs for `render`: one array, or one a line.
pub(super) fn run_events(
    stream: &StreamArgs,
    raw: bool,
    array: bool,
    common: &CommonArgs,
) -> Exit {
    let args = ProjectArgs {
        stream: stream.clone(),
        view: if raw { ViewArg::Raw } else { ViewArg::User },
        addressed_only: false,
        compacted: false,
        output: Some(if array { Shape::Array } else { Shape::Lines }),
    };
    common.run(&Project { args: &args }, &args.stream, "render")
}

struct Project<'a> {
    args: &'a ProjectArgs,
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
        let mut writer = self.writer(conversation.encoding, frame.shape);
        let mut known = Known::default();
        if self.args.compacted {
            conversation.require_stream()?;
            let events = self.entries(conversation).collect(told)?;
            frame.open(&mut output.bytes, Some(conversation));
            for (event, fate) in events
                .iter()
                .zip(compaction::plan(&events, Rules::Standard))
            {
                known.count(event);
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
            let told = if checked { &mut again } else { &mut *told };
            while let Some(event) = entries.next(told) {
                let event = event?;
                known.count(&event);
                frame.entry(&mut output.bytes, &mut writer, &event);
                if checked {
                    output.commit().map_err(|error| unwritable(&error))?;
                }
            }
        }
        frame.close(&mut output.bytes);
        told.extend(known.warning());
        Ok(Answer::Good)
    }

    fn live(&self) -> Option<Box<dyn Live + '_>> {
        (!self.args.compacted).then(|| {
            Box::new(LiveProject {
                project: self,
                frame: Frame::new(self.shape(Form::Entries)),
                writer: None,
                known: Known::default(),
            }) as Box<dyn Live>
        })
    }

    fn uses_base(&self) -> bool {
        false
    }
}

impl Project<'_> {
    fn shape(&self, form: Form) -> Shape {
        self.args.output.unwrap_or(match form {
            Form::Entries => Shape::Lines,
            Form::Array | Form::Envelope | Form::Bundle => Shape::Envelope,
        })
    }

    fn writer(&self, encoding: Encoding, shape: Shape) -> EntryWriter {
        let view = match self.args.view {
            ViewArg::Raw => View::Raw,
            ViewArg::User => View::User {
                addressed_only: self.args.addressed_only,
            },
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
        self.frame.entry(out, writer, &event);
        Ok(())
    }

    fn close(
        &mut self,
        out: &mut Vec<u8>,
        told: &mut Vec<Diagnostic>,
    ) -> Result<(), Error> {
        self.frame.close(out);
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
