//! Turns and kinds of content picked on the command line, alike in every command.

use crate::error::{Diagnostic, Error, ErrorKind};
use crate::event::{Answer, Event, EventKind};
use crate::render::{Only, Turns};
use crate::stream::TurnCounter;
use crate::term::counted;
use clap::{Args, ValueEnum};

/// What to pick.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct PickArgs {
    /// Show only turns A to B, from 1
    #[arg(long, value_name = "A..B", conflicts_with = "last")]
    turns: Option<String>,
    /// Show only the last N turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) last: Option<u32>,
    /// Show only one kind of content
    #[arg(long, value_name = "KIND")]
    only: Option<OnlyArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnlyArg {
    /// What was said
    Speech,
    /// Tool calls and results
    Tools,
    /// Reasoning
    Reasoning,
}

impl PickArgs {
    /// The kind of content picked.
    pub(super) fn only(&self) -> Option<Only> {
        self.only.map(|only| match only {
            OnlyArg::Speech => Only::Speech,
            OnlyArg::Tools => Only::Tools,
            OnlyArg::Reasoning => Only::Reasoning,
        })
    }

    /// Whether turns are picked from the end, which must be known then.
    pub(super) fn needs_end(&self) -> bool {
        self.last.is_some()
    }

    /// The turns picked, `--last` aside.
    ///
    /// # Errors
    ///
    /// `--turns` is neither a turn nor a range.
    pub(super) fn turns(&self) -> Result<Turns, Error> {
        let Some(text) = &self.turns else {
            return Ok(Turns::default());
        };
        let wrong = || {
            let message = format!(
                "--turns: found `{text}`, expected a turn or a range such as 3..5, \
                 3.. or ..5, counted from 1"
            );
            Error::new(ErrorKind::Usage, "usage", message)
        };
        let number = |text: &str| match text.trim().parse::<usize>() {
            Ok(number) if number > 0 => Ok(number - 1),
            _ => Err(wrong()),
        };
        let end = |text: &str, open: usize| match text.trim() {
            "" => Ok(open),
            text => number(text),
        };
        let (first, last) = match text.split_once("..") {
            None => (number(text)?, number(text)?),
            Some((first, last)) => (end(first, 0)?, end(last, usize::MAX)?),
        };
        if first > last {
            return Err(wrong());
        }
        Ok(Turns { first, last })
    }

    /// The turns picked of a conversation of `count` turns.
    pub(super) fn of(&self, turns: Turns, count: usize) -> Turns {
        match self.last {
            Some(last) => Turns {
                first: count.saturating_sub(last as usize),
                last: usize::MAX,
            },
            None => turns,
        }
    }

    /// What to say of a range behind the end of a conversation.
    pub(super) fn missed(&self, turns: Turns, count: usize) -> Option<Diagnostic> {
        let range = self.turns.as_deref()?;
        let there = counted(count, "turn");
        (turns.first >= count).then(|| {
            Diagnostic::warning(
                "no-turn",
                format!("--turns {range} picks nothing of {there}"),
            )
        })
    }
}

/// Follows the turns of a stream and says which entries are picked.
#[derive(Debug, Default)]
pub(super) struct Picker {
    counter: TurnCounter,
    turns: Turns,
    only: Option<Only>,
}

impl Picker {
    pub(super) fn new(turns: Turns, only: Option<Only>) -> Self {
        Self {
            counter: TurnCounter::default(),
            turns,
            only,
        }
    }

    /// Whether the next entry is picked.
    pub(super) fn picks(&mut self, event: &Event<'_>) -> bool {
        let kind = event.kind();
        if self.turns == Turns::default() && self.only.is_none() {
            // Counted all the same, for what is told at the end.
            self.counter.next(kind);
            return true;
        }
        let turn = self.counter.next(kind);
        let wanted = match (self.only, kind) {
            (None, _) | (_, EventKind::TurnStart) => true,
            (Some(Only::Speech), EventKind::ChatRequest) => true,
            (Some(only), EventKind::ChatResponse) => match event.answer() {
                Some(Answer::Reasoning(_)) => only == Only::Reasoning,
                Some(_) => only == Only::Speech,
                None => false,
            },
            // What is addressed to the user is speech (RFD 094).
            (Some(Only::Speech), EventKind::ToolCallResponse) => {
                crate::view::user::share(event, true)
                    != crate::view::user::Share::Nothing
            }
            (
                Some(Only::Tools),
                EventKind::ToolCallRequest | EventKind::ToolCallResponse,
            ) => true,
            _ => false,
        };
        wanted && self.turns.holds(turn)
    }

    /// The turns seen so far.
    pub(super) fn count(&self) -> usize {
        self.counter.count()
    }
}
