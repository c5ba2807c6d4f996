//! The arguments of `convo render`, and the settings they mean.

use crate::cli::pick::PickArgs;
use crate::cli::redact::MaskArgs;
use crate::cli::source::by_id;
use crate::cli::{Color, StreamArgs, environment};
use crate::error::{Error, ErrorKind};
use crate::event::Timestamp;
use crate::render::surface::{MAX_WIDTH, Surface};
use crate::render::theme::{THEMES, Theme};
use crate::render::{Only, Preset, Settings, Time, Told};
use crate::term::clean::{Control, Rules};
use crate::term::{Environment, When};
use clap::{Args, ValueEnum};
use std::io::IsTerminal as _;
use std::time::SystemTime;

/// Show conversations on the terminal
///
/// What was said goes to standard output, how tools were used to standard error.
/// Text is laid out as markdown for the width of each stream, and everything in it
/// that could act on a terminal is taken out first. Bare entries are shown as they
/// arrive.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo render .jp/conversations/17800836875-fix-init
  convo render --style chat --last 1 events.json > answer.md
  convo render --format html --redact session.jsonl > session.html
  convo render --format html --output-dir pages ~/.claude/projects/x
  tail -f events.jsonl | convo render --only speech")]
pub struct RenderArgs {
    #[command(flatten)]
    stream: StreamArgs,
    /// How much to show, whatever the configuration says
    #[arg(long, value_name = "STYLE")]
    style: Option<StyleArg>,
    /// What to write
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: FormatArg,
    /// Which entries count: all, or what is addressed to the user
    #[arg(long, value_name = "VIEW", default_value = "raw")]
    view: ViewArg,
    /// Show what was told to whom; both marks each block of a result
    #[arg(long, value_name = "WHOM", conflicts_with = "view")]
    audience: Option<AudienceArg>,
    /// Write a page a conversation into this directory, and an index of them
    #[arg(long, value_name = "DIR")]
    pub(super) output_dir: Option<std::path::PathBuf>,
    #[command(flatten)]
    pub(super) mask: MaskArgs,
    #[command(flatten)]
    pub(super) pick: PickArgs,
    /// Show everything under the configuration at the end
    #[arg(long)]
    pub(super) current_config: bool,
    /// Keep the delimiters of markdown, or hide them
    #[arg(long, value_name = "MARKUP", default_value = "keep")]
    markup: MarkupArg,
    /// Columns of both streams; 0 does not wrap
    #[arg(long, value_name = "N", value_parser = columns_arg)]
    width: Option<u32>,
    /// Columns prose takes at most; 0 sets no limit [default: 100]
    #[arg(long, value_name = "N", value_parser = columns_arg)]
    max_width: Option<u32>,
    /// Colours: auto, ansi, light, dark or none
    #[arg(long, value_name = "THEME")]
    theme: Option<String>,
    /// Make links clickable
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    hyperlinks: WhenArg,
    /// Show through a pager, both streams merged
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    paging: WhenArg,
    /// What becomes of control sequences and invisible characters
    #[arg(long, value_name = "HOW", default_value = "strip")]
    control: ControlArg,
    /// Name bidi controls, or keep them
    #[arg(long, value_name = "HOW", default_value = "show")]
    bidi: BidiArg,
    /// Write ASCII decoration only, for screen readers
    #[arg(long)]
    ascii: bool,
    /// How times are shown [default: relative on a terminal, else iso]
    #[arg(long, value_name = "TIME")]
    time: Option<TimeArg>,
    /// The same as --time iso
    #[arg(long, conflicts_with = "time")]
    timestamps: bool,
    /// The time that relative times are seen from
    #[arg(long, value_name = "RFC3339")]
    now: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StyleArg {
    /// The user's own text only
    User,
    /// Speech: no reasoning, no tools
    Chat,
    /// Speech and which tools were called
    Brief,
    /// Everything, uncut
    Full,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatArg {
    /// Terminal text
    Text,
    /// Markdown that reads back as the same document
    Markdown,
    /// A page for a browser; nothing is fetched, nothing stored can run
    Html,
    /// One array of entries
    Json,
    /// One entry a line
    Lines,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ViewArg {
    /// Every entry
    Raw,
    /// What is addressed to the user
    User,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum AudienceArg {
    /// What the user was shown
    User,
    /// What the model was told
    Assistant,
    /// Both, each marked
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MarkupArg {
    /// Delimiters stay
    Keep,
    /// Delimiters go, text stays
    Hide,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WhenArg {
    /// If the terminal can
    Auto,
    /// In any case
    Always,
    /// Never
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ControlArg {
    /// Take them away and say so
    Strip,
    /// Put visible characters in their place
    Show,
    /// Send them to the terminal
    Raw,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum BidiArg {
    /// Write their names
    Show,
    /// Send them to the terminal
    Keep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TimeArg {
    /// 2 hours ago
    Relative,
    /// In UTC, to the second
    Iso,
    /// None
    None,
}

impl From<WhenArg> for When {
    fn from(when: WhenArg) -> Self {
        match when {
            WhenArg::Auto => When::Auto,
            WhenArg::Always => When::Always,
            WhenArg::Never => When::Never,
        }
    }
}

impl RenderArgs {
    pub(super) fn stream(&self) -> &StreamArgs {
        &self.stream
    }

    /// Whose share is shown.
    pub(super) fn told(&self) -> Told {
        match (self.audience, self.view) {
            (Some(AudienceArg::User), _) | (None, ViewArg::User) => Told::User,
            (Some(AudienceArg::Assistant), _) => Told::Assistant,
            (Some(AudienceArg::Both), _) => Told::Both,
            (None, ViewArg::Raw) => Told::Everything,
        }
    }

    /// Whether a pager is to be used: by itself only where a person looks, and what
    /// is shown has an end.
    pub(super) fn pages(&self) -> bool {
        match self.paging {
            WhenArg::Always => true,
            WhenArg::Auto => {
                let live = |path: &std::path::PathBuf| {
                    let stored = path.is_file() || path.is_dir();
                    path.as_os_str() == "-" || !(stored || by_id(path).is_some())
                };
                std::io::stdout().is_terminal() && !self.stream.paths().iter().any(live)
            }
            WhenArg::Never => false,
        }
    }

    /// Refuses the options that the format cannot obey.
    ///
    /// # Errors
    ///
    /// The first of them, by name.
    pub(super) fn refuse_idle(&self) -> Result<(), Error> {
        let text = self.format == FormatArg::Text;
        let json = matches!(self.format, FormatArg::Json | FormatArg::Lines);
        let document = self.format == FormatArg::Markdown;
        let page = self.format == FormatArg::Html;
        let idle = [
            (
                !page && self.output_dir.is_some(),
                "--output-dir",
                "it is for pages",
            ),
            (
                page && self.style.is_some(),
                "--style",
                "the page has switches for it",
            ),
            (
                page && (self.view != ViewArg::Raw || self.audience.is_some()),
                "--view or --audience",
                "the page has a switch for it",
            ),
            (
                page && self.pick.only().is_some(),
                "--only",
                "the page has switches for it",
            ),
            (
                page && self.current_config,
                "--current-config",
                "no style decides what is there",
            ),
            (
                page && self.control != ControlArg::Strip,
                "--control",
                "a browser obeys no escape",
            ),
            (
                page && self.bidi == BidiArg::Keep,
                "--bidi",
                "text is cleaned",
            ),
            (
                page && (self.time.is_some() || self.timestamps || self.now.is_some()),
                "--time",
                "times are written out",
            ),
            (
                json && self.style.is_some(),
                "--style",
                "entries have no style",
            ),
            (
                json && self.current_config,
                "--current-config",
                "entries are written as they are",
            ),
            (
                !text && self.markup == MarkupArg::Hide,
                "--markup hide",
                "a document keeps its markup",
            ),
            (
                !text && self.width.is_some(),
                "--width",
                "nothing is wrapped",
            ),
            (
                !text && self.max_width.is_some(),
                "--max-width",
                "nothing is wrapped",
            ),
            (
                !text && self.theme.is_some(),
                "--theme",
                "nothing is coloured",
            ),
            (
                !text && self.hyperlinks == WhenArg::Always,
                "--hyperlinks always",
                "links are written out",
            ),
            (
                !text && self.paging == WhenArg::Always,
                "--paging always",
                "it is for programs",
            ),
            (
                json && self.control != ControlArg::Strip,
                "--control",
                "JSON escapes controls",
            ),
            (
                json && self.bidi == BidiArg::Keep,
                "--bidi",
                "strings are written as stored",
            ),
            (!text && self.ascii, "--ascii", "there is no decoration"),
            (
                json && (self.time.is_some() || self.timestamps),
                "--time",
                "entries have their own",
            ),
            (
                json && self.now.is_some(),
                "--now",
                "entries have their own times",
            ),
            (
                document && self.pick.only() == Some(Only::Tools),
                "--only tools",
                "a document holds speech alone",
            ),
        ];
        match idle.into_iter().find(|(is, ..)| *is) {
            Some((_, option, why)) => {
                let format = self.format.to_possible_value();
                let format = format.as_ref().map_or("this", |value| value.get_name());
                Err(usage(format!(
                    "{option} does nothing with --format {format}: {why}"
                )))
            }
            None => Ok(()),
        }
    }

    /// The settings, from arguments, environment, terminals and clock.
    pub(super) fn settings(&self, color: Color) -> Result<Settings, Error> {
        let environment = environment();
        let theme = self.theme(&environment)?;
        let paged = self.pages();
        let surface = |terminal: bool, size: Option<usize>| Surface {
            columns: environment.columns(self.width.map(|n| n as usize), size),
            max_columns: self.max_width.map_or(MAX_WIDTH, |n| n as usize),
            terminal,
            paint: environment.paint(color.into(), terminal),
            hyperlinks: environment.hyperlinks(self.hyperlinks.into(), terminal),
            ascii: environment.ascii(self.ascii, terminal),
            hide_markup: self.markup == MarkupArg::Hide,
            theme,
        };
        let out = std::io::stdout().is_terminal();
        // With a pager both streams end on its terminal.
        let err = if paged {
            out
        } else {
            std::io::stderr().is_terminal()
        };
        let out_size = || columns(terminal_size::terminal_size_of(std::io::stdout()));
        let err_size = || columns(terminal_size::terminal_size_of(std::io::stderr()));
        let speech = surface(out, out.then(out_size).flatten());
        let chrome = if paged {
            speech.clone()
        } else {
            surface(err, err.then(err_size).flatten())
        };
        let settings = Settings {
            speech,
            chrome,
            rules: Rules {
                control: match self.control {
                    ControlArg::Strip => Control::Strip,
                    ControlArg::Show => Control::Show,
                    ControlArg::Raw => Control::Raw,
                },
                keep_bidi: self.bidi == BidiArg::Keep,
            },
            strict_base64: self.stream.strict_base64,
            preset: self.style.map(|style| match style {
                StyleArg::User => Preset::User,
                StyleArg::Chat => Preset::Chat,
                StyleArg::Brief => Preset::Brief,
                StyleArg::Full => Preset::Full,
            }),
            only: self.pick.only(),
            told: self.told(),
            time: self.time(out)?,
            turns: self.pick.turns()?,
            document: false,
        };
        Ok(match self.format {
            FormatArg::Markdown => settings.into_document(),
            _ => settings,
        })
    }

    fn theme(&self, environment: &Environment) -> Result<Theme, Error> {
        let named = self.theme.as_deref().map(|name| ("--theme", name));
        let named = named.or_else(|| {
            let value = environment.get("CONVO_THEME")?;
            (!value.is_empty()).then_some(("CONVO_THEME", value))
        });
        match named {
            None | Some((_, "auto")) => Ok(Theme::guess(environment.get("COLORFGBG"))),
            Some((from, name)) => Theme::named(name).ok_or_else(|| {
                usage(format!(
                    "{from}: found the theme `{name}`, expected auto, {}",
                    THEMES.join(", ")
                ))
            }),
        }
    }

    fn time(&self, terminal: bool) -> Result<Time, Error> {
        let relative = match self.time {
            Some(TimeArg::Iso) => return Ok(Time::Iso),
            Some(TimeArg::None) => return Ok(Time::None),
            Some(TimeArg::Relative) => true,
            None => terminal && !self.timestamps,
        };
        if let Some(now) = &self.now {
            let moment = Timestamp::parse(now).ok_or_else(|| {
                usage(format!("--now: found `{now}`, expected an RFC 3339 time"))
            })?;
            if relative {
                return Ok(Time::Relative(moment.seconds));
            }
        }
        if !relative {
            return Ok(Time::Iso);
        }
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |time| i64::try_from(time.as_secs()).unwrap_or(i64::MAX));
        Ok(Time::Relative(now))
    }
}

/// A number of columns on the command line.
fn columns_arg(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(columns @ ..=10_000) => Ok(columns),
        _ => Err("expected a number of columns, 0 to 10000".to_owned()),
    }
}

fn usage(message: String) -> Error {
    Error::new(ErrorKind::Usage, "usage", message)
}

fn columns(
    size: Option<(terminal_size::Width, terminal_size::Height)>,
) -> Option<usize> {
    size.map(|(width, _)| usize::from(width.0))
        .filter(|&n| n > 0)
}
