//! Colours and weights that plain results may keep (SE-4).
//!
//! Parameters become an [`anstyle::Style`]; conceal, blinking, fonts and
//! underline colours are dropped, and a foreground equal to its background drops
//! both, so that nothing can be made unreadable.

use anstyle::{Ansi256Color, AnsiColor, Color, Effects, RgbColor, Style};

/// Style changes over a cleaned text: position, style from there on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SgrRuns {
    /// In order of position.
    pub changes: Vec<(usize, Style)>,
    current: Style,
}

impl SgrRuns {
    /// Takes the parameters of one `SGR` that stands at `at` of the output.
    pub(super) fn apply(&mut self, parameters: &str, at: usize) {
        if !parameters
            .bytes()
            .all(|b| b.is_ascii_digit() || b == b';' || b == b':')
        {
            return;
        }
        let mut parts = parameters.split(';');
        while let Some(part) = parts.next() {
            self.part(part, &mut parts);
        }
        let mut style = self.current;
        if style.get_fg_color().is_some()
            && style.get_fg_color() == style.get_bg_color()
        {
            style = style.fg_color(None).bg_color(None);
        }
        match self.changes.last_mut() {
            Some(last) if last.0 == at => last.1 = style,
            _ => self.changes.push((at, style)),
        }
    }

    fn part<'a>(&mut self, part: &str, rest: &mut impl Iterator<Item = &'a str>) {
        let style = self.current;
        let mut sub = part.split(':');
        let code: u16 = match sub.next() {
            Some("") | None => 0,
            Some(code) => code.parse().unwrap_or(u16::MAX),
        };
        let effects = style.get_effects();
        self.current = match code {
            0 => Style::new(),
            1 => style.effects(effects | Effects::BOLD),
            2 => style.effects(effects | Effects::DIMMED),
            3 => style.effects(effects | Effects::ITALIC),
            4 if part == "4:0" => style.effects(effects.remove(Effects::UNDERLINE)),
            4 | 21 => style.effects(effects | Effects::UNDERLINE),
            7 => style.effects(effects | Effects::INVERT),
            9 => style.effects(effects | Effects::STRIKETHROUGH),
            22 => style.effects(effects.remove(Effects::BOLD | Effects::DIMMED)),
            23 => style.effects(effects.remove(Effects::ITALIC)),
            24 => style.effects(effects.remove(Effects::UNDERLINE)),
            27 => style.effects(effects.remove(Effects::INVERT)),
            29 => style.effects(effects.remove(Effects::STRIKETHROUGH)),
            30..=37 | 90..=97 => style.fg_color(basic(code)),
            39 => style.fg_color(None),
            40..=47 | 100..=107 => style.bg_color(basic(code - 10)),
            49 => style.bg_color(None),
            38 | 48 => {
                let colour = if part.contains(':') {
                    colon_form(&sub.collect::<Vec<_>>())
                } else {
                    semicolon_form(rest)
                };
                match (colour, code) {
                    (Some(colour), 38) => style.fg_color(Some(colour)),
                    (Some(colour), _) => style.bg_color(Some(colour)),
                    (None, _) => style,
                }
            }
            58 if !part.contains(':') => {
                let _ = semicolon_form(rest);
                style
            }
            _ => style,
        };
    }
}

fn basic(code: u16) -> Option<Color> {
    const COLOURS: [AnsiColor; 8] = [
        AnsiColor::Black,
        AnsiColor::Red,
        AnsiColor::Green,
        AnsiColor::Yellow,
        AnsiColor::Blue,
        AnsiColor::Magenta,
        AnsiColor::Cyan,
        AnsiColor::White,
    ];
    let (index, bright) = if code >= 90 {
        (code - 90, true)
    } else {
        (code - 30, false)
    };
    COLOURS
        .get(index as usize)
        .map(|colour| Color::Ansi(colour.bright(bright)))
}

fn semicolon_form<'a>(rest: &mut impl Iterator<Item = &'a str>) -> Option<Color> {
    let mut byte = || rest.next()?.parse::<u8>().ok();
    match byte()? {
        5 => Some(Color::Ansi256(Ansi256Color(byte()?))),
        2 => {
            let (r, g, b) = (byte(), byte(), byte());
            Some(Color::Rgb(RgbColor(r?, g?, b?)))
        }
        _ => None,
    }
}

fn colon_form(parts: &[&str]) -> Option<Color> {
    let byte = |part: &str| part.parse::<u8>().ok();
    match *parts {
        ["5", n] => Some(Color::Ansi256(Ansi256Color(byte(n)?))),
        ["2", r, g, b] | ["2", _, r, g, b] => {
            Some(Color::Rgb(RgbColor(byte(r)?, byte(g)?, byte(b)?)))
        }
        _ => None,
    }
}
