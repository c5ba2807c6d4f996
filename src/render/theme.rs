//! Roles of text and how each looks (`docs/render.md#theme`).
//!
//! A [`Role`] is what a piece of text is; a [`Theme`] gives it a style, which is
//! brought down to what the stream shows once, here. `ansi`, the default, uses
//! the terminal's own sixteen colours and no background, for an unknown terminal
//! is not a dark one. No background is set without a foreground (MD-5), and no
//! role is told apart by colour alone (EN-1): the words are always there.

use crate::term::{Depth, Paint};
use anstyle::{Ansi256Color, AnsiColor, Color, Effects, RgbColor, Style};
use anstyle_lossy::palette;

/// A set of colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// The terminal's own colours.
    #[default]
    Ansi,
    /// For light backgrounds.
    Light,
    /// For dark backgrounds.
    Dark,
    /// Weights only.
    Plain,
}

/// The names `--theme` takes.
pub const THEMES: [&str; 4] = ["ansi", "light", "dark", "none"];

impl Theme {
    /// The theme of a name, `auto` aside.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "ansi" => Some(Theme::Ansi),
            "light" => Some(Theme::Light),
            "dark" => Some(Theme::Dark),
            "none" => Some(Theme::Plain),
            _ => None,
        }
    }

    /// What `COLORFGBG` says of the background; `ansi` if it says nothing.
    pub fn guess(colorfgbg: Option<&str>) -> Self {
        let background = colorfgbg
            .and_then(|value| value.rsplit(';').next())
            .and_then(|value| value.trim().parse::<u8>().ok());
        match background {
            Some(0..=6 | 8) => Theme::Dark,
            Some(7 | 9..=15) => Theme::Light,
            _ => Theme::Ansi,
        }
    }
}

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Nothing special.
    Plain,
    /// A heading with its marks.
    Heading,
    /// `**strong**`
    Strong,
    /// `*emphasis*`
    Emphasis,
    /// `~~struck~~`
    Strike,
    /// Inline code.
    Code,
    /// A link's label.
    Label,
    /// A link's target.
    Target,
    /// `> `
    Gutter,
    /// A list marker.
    Marker,
    /// A rule, a fence, the lines of a table.
    Rule,
    /// HTML source.
    Html,
    /// Chrome of little weight.
    Dim,
    /// Bold without colour.
    Bold,
    /// A tool's name.
    Tool,
    /// A failure.
    Failure,
    /// `[!NOTE]`
    Note,
    /// `[!TIP]`
    Tip,
    /// `[!IMPORTANT]`
    Important,
    /// `[!WARNING]`
    Warning,
    /// `[!CAUTION]`
    Caution,
    /// The ground of a reasoning region.
    Reasoning,
}

/// The style of a role on a stream.
pub fn style(role: Role, theme: Theme, paint: Paint) -> Style {
    let depth = match paint {
        Paint::None => return Style::new(),
        Paint::Weights => None,
        Paint::Colours(depth) => Some(depth),
    };
    let mut style = Style::new().effects(weight(role));
    if role == Role::Label && depth.is_none() {
        style = style.effects(Effects::new());
    }
    if let (Some(depth), true) = (depth, theme != Theme::Plain) {
        let (foreground, background) = colours(role, theme);
        style = style
            .fg_color(foreground.map(|colour| lower(colour, depth)))
            .bg_color(background.map(|colour| lower(colour, depth)));
    }
    style
}

fn weight(role: Role) -> Effects {
    match role {
        Role::Heading
        | Role::Strong
        | Role::Bold
        | Role::Tool
        | Role::Failure
        | Role::Note
        | Role::Tip
        | Role::Important
        | Role::Warning
        | Role::Caution => Effects::BOLD,
        Role::Emphasis => Effects::ITALIC,
        Role::Strike => Effects::STRIKETHROUGH,
        Role::Label => Effects::UNDERLINE,
        Role::Dim | Role::Html | Role::Rule => Effects::DIMMED,
        _ => Effects::new(),
    }
}

fn colours(role: Role, theme: Theme) -> (Option<Color>, Option<Color>) {
    use AnsiColor::{Blue, Cyan, Green, Magenta, Red, Yellow};
    let ansi = |colour: AnsiColor| Some(Color::Ansi(colour));
    let pick = |own: AnsiColor, light: (u8, u8, u8), dark: (u8, u8, u8)| match theme {
        Theme::Light => Some(rgb(light)),
        Theme::Dark => Some(rgb(dark)),
        Theme::Ansi | Theme::Plain => ansi(own),
    };
    let foreground = match role {
        Role::Heading => pick(Blue, (0, 80, 160), (130, 190, 255)),
        Role::Code => pick(Cyan, (120, 30, 90), (240, 190, 140)),
        Role::Target => pick(Blue, (60, 90, 150), (120, 160, 220)),
        Role::Gutter | Role::Marker => pick(Green, (60, 110, 60), (140, 190, 140)),
        Role::Tool => pick(Yellow, (140, 90, 0), (240, 200, 100)),
        Role::Failure | Role::Caution => pick(Red, (180, 20, 20), (255, 120, 110)),
        Role::Note => pick(Blue, (10, 90, 200), (110, 170, 255)),
        Role::Tip => pick(Green, (20, 120, 50), (110, 210, 130)),
        Role::Important => pick(Magenta, (130, 60, 190), (200, 150, 255)),
        Role::Warning => pick(Yellow, (150, 95, 0), (230, 180, 80)),
        Role::Reasoning => match theme {
            Theme::Light => Some(rgb((70, 70, 70))),
            Theme::Dark => Some(rgb((190, 190, 190))),
            _ => None,
        },
        _ => None,
    };
    let background = match (role, theme) {
        (Role::Code, Theme::Light) => Some(rgb((242, 238, 240))),
        (Role::Code, Theme::Dark) => Some(rgb((48, 46, 44))),
        (Role::Reasoning, Theme::Light) => Some(rgb((238, 238, 238))),
        (Role::Reasoning, Theme::Dark) => Some(rgb((38, 38, 38))),
        _ => None,
    };
    (foreground, background)
}

fn rgb((r, g, b): (u8, u8, u8)) -> Color {
    Color::Rgb(RgbColor(r, g, b))
}

/// The colour as a stream of this depth shows it.
pub fn lower(colour: Color, depth: Depth) -> Color {
    match depth {
        Depth::True => colour,
        Depth::Indexed => match colour {
            Color::Rgb(colour) => Color::Ansi256(anstyle_lossy::rgb_to_xterm(colour)),
            other => other,
        },
        Depth::Ansi => match colour {
            Color::Ansi256(Ansi256Color(index)) if index < 16 => colour,
            other => Color::Ansi(anstyle_lossy::color_to_ansi(other, palette::DEFAULT)),
        },
    }
}

/// A content style as a stream of this paint shows it (SE-4).
pub fn fit(style: Style, paint: Paint) -> Style {
    match paint {
        Paint::None => Style::new(),
        Paint::Weights => Style::new().effects(style.get_effects()),
        Paint::Colours(depth) => style
            .fg_color(style.get_fg_color().map(|colour| lower(colour, depth)))
            .bg_color(style.get_bg_color().map(|colour| lower(colour, depth))),
    }
}

/// `inner` on top of `outer`.
pub fn over(outer: Style, inner: Style) -> Style {
    if outer.is_plain() {
        return inner;
    }
    let mut style = outer.effects(outer.get_effects() | inner.get_effects());
    if let Some(colour) = inner.get_fg_color() {
        style = style.fg_color(Some(colour));
    }
    if let Some(colour) = inner.get_bg_color() {
        style = style.bg_color(Some(colour));
    }
    style
}

/// The styles of all roles on one stream.
#[derive(Debug, Clone)]
pub struct Palette([Style; ROLES]);

const ROLES: usize = Role::Reasoning as usize + 1;

impl Palette {
    /// The styles of a stream.
    pub fn new(surface: &super::surface::Surface) -> Self {
        const ALL: [Role; ROLES] = [
            Role::Plain,
            Role::Heading,
            Role::Strong,
            Role::Emphasis,
            Role::Strike,
            Role::Code,
            Role::Label,
            Role::Target,
            Role::Gutter,
            Role::Marker,
            Role::Rule,
            Role::Html,
            Role::Dim,
            Role::Bold,
            Role::Tool,
            Role::Failure,
            Role::Note,
            Role::Tip,
            Role::Important,
            Role::Warning,
            Role::Caution,
            Role::Reasoning,
        ];
        Self(ALL.map(|role| style(role, surface.theme, surface.paint)))
    }

    /// The style of a role.
    pub fn of(&self, role: Role) -> Style {
        self.0[role as usize]
    }
}
