//! `convo render --format html`: one page, or a directory of pages with an index.

use super::args::RenderArgs;
use crate::cli::filter::{Answer, Filter};
use crate::cli::origin::Record;
use crate::cli::output::Output;
use crate::cli::{CommonArgs, Exit, StreamArgs, batch};
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::event::Event;
use crate::page::index::{self, Row};
use crate::page::{Conversations, Settings};
use crate::render::Turns;
use crate::stream::{Entries, TurnCounter};
use crate::view::Summary;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Writes the pages of the inputs.
pub(super) fn run(args: &RenderArgs, stream: &StreamArgs, common: &CommonArgs) -> Exit {
    let mut messages = common.messages("render");
    let turns = match args.pick.turns() {
        Ok(turns) => turns,
        Err(error) => {
            messages.tell(&error.into());
            return Exit::Failed;
        }
    };
    let directory = args.output_dir.as_deref();
    if let Some(error) = directory.and_then(|path| std::fs::create_dir_all(path).err())
    {
        messages.tell(&cannot_write(directory.unwrap_or(Path::new("")), &error).into());
        return Exit::Failed;
    }
    let pages = Pages {
        args,
        turns,
        state: Mutex::default(),
    };
    // One conversation at a time: ids are given once on a page.
    let exit = batch::run(&pages, stream, &mut messages, 1, common.strict);
    let state = pages
        .state
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let Some(directory) = directory else {
        let end = state.end.unwrap_or_default();
        return match crate::cli::write_text(&messages, end.as_bytes()) {
            Exit::Good => exit,
            failed => failed,
        };
    };
    if state.rows.is_empty() {
        return exit;
    }
    let path = directory.join("index.html");
    match std::fs::write(&path, index::write(&state.rows)) {
        Ok(()) => exit,
        Err(error) => {
            messages.tell(&cannot_write(&path, &error).into());
            Exit::Failed
        }
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Error {
    let message = format!("{}: cannot be written: {error}", path.display());
    Error::new(ErrorKind::Output, "output", message)
}

struct Pages<'r> {
    args: &'r RenderArgs,
    turns: Turns,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    page: Conversations,
    /// What closes the page that was begun.
    end: Option<&'static str>,
    rows: Vec<Row>,
    names: HashSet<String>,
}

impl Filter for Pages<'_> {
    fn conversation(
        &self,
        record: &Record<'_>,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        let conversation = &record.conversation;
        let lenient = self.args.stream().lenient;
        let events = Entries::new(conversation, lenient).collect(told)?;
        let count = TurnCounter::total(events.iter().map(Event::kind));
        told.extend(self.args.pick.missed(self.turns, count));
        let settings = Settings {
            strict_base64: self.args.stream().strict_base64,
            turns: self.args.pick.of(self.turns, count),
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(directory) = &self.args.output_dir else {
            if state.end.is_none() {
                let frame = Conversations::frame(conversation);
                output.bytes.extend_from_slice(frame.start.as_bytes());
                state.end = Some(frame.end);
            }
            let mut page = String::new();
            state.page.write(&mut page, conversation, &events, settings);
            output.bytes.extend_from_slice(page.as_bytes());
            return Ok(Answer::Good);
        };
        let frame = Conversations::frame(conversation);
        let mut page = frame.start;
        Conversations::default().write(&mut page, conversation, &events, settings);
        page.push_str(frame.end);
        let summary = Summary::of(conversation);
        let id = summary.as_ref().and_then(|summary| summary.id.as_deref());
        let file = state.name(id);
        let path: PathBuf = directory.join(&file);
        std::fs::write(&path, page).map_err(|error| cannot_write(&path, &error))?;
        state.rows.push(Row {
            file,
            summary,
            size: conversation.value.bytes().len() as u64,
        });
        Ok(Answer::Good)
    }
}

impl State {
    /// A name for the page of a conversation, of characters that any system takes.
    fn name(&mut self, id: Option<&str>) -> String {
        let plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let clean: String = id
            .unwrap_or_default()
            .chars()
            .filter(plain)
            .take(80)
            .collect();
        let clean = match clean.is_empty() || clean.eq_ignore_ascii_case("index") {
            true => format!("conversation-{}", self.names.len() + 1),
            false => clean,
        };
        let mut name = format!("{clean}.html");
        let mut more = 1;
        // Some systems take names for equal that differ in case only.
        while !self.names.insert(name.to_ascii_lowercase()) {
            more += 1;
            name = format!("{clean}-{more}.html");
        }
        name
    }
}
