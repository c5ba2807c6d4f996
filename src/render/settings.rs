//! What a rendering is asked to be, beside what the streams can show.

use super::surface::Surface;
use crate::term::Paint;
use crate::term::clean::Rules;

/// `--style` (TU-7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// The user's own text only.
    User,
    /// Speech only: no reasoning, no tool chrome.
    Chat,
    /// Speech and tool headers.
    Brief,
    /// Everything, uncut.
    Full,
}

/// `--only`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Only {
    /// User text, messages, answers, blocks that are speech.
    Speech,
    /// Tool calls and results.
    Tools,
    /// Reasoning.
    Reasoning,
}

/// `--audience`: whose share of the conversation is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Told {
    /// Everything, as the styles have it.
    #[default]
    Everything,
    /// What the user was shown: the user view.
    User,
    /// What the model was told.
    Assistant,
    /// Both, each block of a result marked, whatever the styles hide.
    Both,
}

/// `--time` (TU-4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// `2 hours ago`, seen from this second since the Unix epoch.
    Relative(i64),
    /// The stored time, to the second, in UTC.
    Iso,
    /// None.
    None,
}

/// The turns to render, from 0; both ends belong to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turns {
    /// The first.
    pub first: usize,
    /// The last.
    pub last: usize,
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            first: 0,
            last: usize::MAX,
        }
    }
}

impl Turns {
    /// Whether a turn is among them.
    pub fn holds(self, turn: usize) -> bool {
        (self.first..=self.last).contains(&turn)
    }
}

/// All a rendering depends on beside the events and their configuration.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where speech goes.
    pub speech: Surface,
    /// Where tool chrome goes.
    pub chrome: Surface,
    /// How untrusted text is cleaned.
    pub rules: Rules,
    /// Whether base64 is decoded by the letter only.
    pub strict_base64: bool,
    /// Replaces the configured styles.
    pub preset: Option<Preset>,
    /// Leaves everything else out.
    pub only: Option<Only>,
    /// Whose share is shown.
    pub told: Told,
    /// How times are shown.
    pub time: Time,
    /// Leaves other turns out.
    pub turns: Turns,
    /// Whether the result is markdown for reading back.
    pub document: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            speech: Surface::default(),
            chrome: Surface::default(),
            rules: Rules::default(),
            strict_base64: false,
            preset: None,
            only: None,
            told: Told::default(),
            time: Time::Iso,
            turns: Turns::default(),
            document: false,
        }
    }
}

impl Settings {
    /// Whether the rendering reads like a chat, so that blocks addressed to the user
    /// are speech: what they say is for the user to read.
    pub fn is_chat(&self) -> bool {
        matches!(self.preset, Some(Preset::Chat | Preset::Brief))
            || self.only == Some(Only::Speech)
            || self.told == Told::User
    }

    /// The settings of `--format markdown`: no width, no escapes, delimiters kept.
    #[must_use]
    pub fn into_document(mut self) -> Self {
        self.document = true;
        self.speech = Surface {
            columns: 0,
            paint: Paint::None,
            hyperlinks: false,
            hide_markup: false,
            ascii: false,
            terminal: false,
            ..self.speech
        };
        self
    }
}
