//! How much of a result is shown to whom (`docs/render.md#how-much-is-shown`).
//!
//! A stored `inline_results` is a scalar or a map per audience. For each block
//! the audience decides which side governs it; a block for everybody gets the
//! more permissive side. Only a block that names the user can be speech.

use crate::block::{Audience, Role};
use crate::json::{Kind, Raw};

/// What one side says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Nothing.
    Off,
    /// So many lines.
    Lines(usize),
    /// Everything.
    Full,
    /// Everything, as speech; the user's side only.
    Chat,
}

/// Lines shown when nothing is said.
pub const DEFAULT_LINES: usize = 10;

impl Limit {
    /// Its place in the order of permissiveness: off is 0 lines, full and chat
    /// are as permissive.
    fn rank(self) -> usize {
        match self {
            Limit::Off => 0,
            Limit::Lines(lines) => lines,
            Limit::Full | Limit::Chat => usize::MAX,
        }
    }
}

/// Both sides of an `inline_results`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For blocks addressed to the user.
    pub user: Limit,
    /// For blocks addressed to the assistant.
    pub assistant: Limit,
}

impl Default for Limits {
    fn default() -> Self {
        Self::both(Limit::Lines(DEFAULT_LINES))
    }
}

/// What becomes of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Not shown.
    Nothing,
    /// So many lines, as a result.
    Lines(usize),
    /// All of it, as a result.
    Full,
    /// All of it, as speech.
    Speech,
    /// Not shown, for its audience is nobody here.
    Nobody,
}

impl Limits {
    /// The same on both sides.
    pub fn both(limit: Limit) -> Self {
        Self {
            user: limit,
            assistant: limit,
        }
    }

    /// Whether nothing is shown to anybody.
    pub fn is_off(self) -> bool {
        self.user.rank() == 0 && self.assistant.rank() == 0
    }

    /// What becomes of a block with this audience.
    pub fn fate(self, audience: Audience) -> Fate {
        let wider = if self.user.rank() >= self.assistant.rank() {
            self.user
        } else {
            self.assistant
        };
        let user = audience.includes(Role::User);
        let assistant = audience.includes(Role::Assistant);
        let limit = match (user, assistant) {
            (false, false) => return Fate::Nobody,
            (true, false) => self.user,
            (false, true) => self.assistant,
            (true, true) => wider,
        };
        if audience.names_user() && self.user == Limit::Chat {
            return Fate::Speech;
        }
        match limit {
            Limit::Off | Limit::Lines(0) => Fate::Nothing,
            Limit::Lines(lines) => Fate::Lines(lines),
            Limit::Full | Limit::Chat => Fate::Full,
        }
    }

    /// Reads a stored value.
    ///
    /// # Errors
    ///
    /// What was found and what was expected.
    pub fn read(value: Raw<'_>) -> Result<Self, String> {
        if value.kind() != Kind::Object {
            return scalar(value).map(Self::both);
        }
        let (mut limits, mut sides, mut others) = (Self::default(), 0, Vec::new());
        for (key, side) in value.as_object().into_iter().flatten() {
            match &*key.decode() {
                // Null is no opinion: the default of that side.
                "user" | "assistant" if side.is_null() => sides += 1,
                "user" if side.as_text().is_some_and(|text| text.is("chat")) => {
                    limits.user = Limit::Chat;
                    sides += 1;
                }
                "user" => {
                    limits.user =
                        scalar(side).map_err(|error| format!("user: {error}"))?;
                    sides += 1;
                }
                "assistant" => {
                    limits.assistant =
                        scalar(side).map_err(|error| format!("assistant: {error}"))?;
                    sides += 1;
                }
                other => others.push(other.to_owned()),
            }
        }
        match (sides, others.as_slice()) {
            (0, _) => scalar(value).map(Self::both),
            (_, []) => Ok(limits),
            (_, [other, ..]) => Err(format!(
                "`{other}` cannot stand beside `user` and `assistant`"
            )),
        }
    }
}

fn scalar(value: Raw<'_>) -> Result<Limit, String> {
    const EXPECTED: &str = "expected a boolean, \"full\", \"off\", a number of lines or a map of audiences";
    if let Some(on) = value.as_bool() {
        return Ok(if on { Limit::Full } else { Limit::Off });
    }
    if let Some(text) = value.as_str() {
        return match &*text {
            "full" => Ok(Limit::Full),
            "off" => Ok(Limit::Off),
            "chat" => Err("`chat` is for the key `user` alone".into()),
            digits
                if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) =>
            {
                Ok(Limit::Lines(digits.parse().unwrap_or(usize::MAX)))
            }
            _ => Err(format!("found \"{text}\", {EXPECTED}")),
        };
    }
    match value.kind() {
        Kind::Number => number(value, EXPECTED),
        Kind::Object => {
            let mut members = value.as_object().into_iter().flatten();
            match (members.next(), members.next()) {
                (Some((key, _)), None) if key.is("off") => Ok(Limit::Off),
                (Some((key, _)), None) if key.is("full") => Ok(Limit::Full),
                (Some((key, inner)), None) if key.is("truncate") => {
                    let mut keys = inner.as_object().into_iter().flatten();
                    match (keys.next(), keys.next()) {
                        (Some((key, lines)), None) if key.is("lines") => {
                            number(lines, "expected a number of lines")
                        }
                        _ => Err("expected `truncate` to hold `lines` alone".into()),
                    }
                }
                (None, _) => Err(format!("found an empty table, {EXPECTED}")),
                (Some((key, _)), _) => {
                    Err(format!("found the key `{}`, {EXPECTED}", key.decode()))
                }
            }
        }
        kind => Err(format!("found {}, {EXPECTED}", kind.name())),
    }
}

fn number(value: Raw<'_>, expected: &str) -> Result<Limit, String> {
    if let Some(lines) = value.as_u64() {
        return Ok(Limit::Lines(usize::try_from(lines).unwrap_or(usize::MAX)));
    }
    let found = String::from_utf8_lossy(value.bytes());
    Err(format!("found {found:.40}, {expected}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Limits, String> {
        Limits::read(Raw::parse(json.as_bytes()).expect("JSON"))
    }

    #[test]
    fn spec_3_2_scalar_forms() {
        for (json, limit) in [
            ("true", Limit::Full),
            ("\"full\"", Limit::Full),
            ("false", Limit::Off),
            ("\"off\"", Limit::Off),
            ("0", Limit::Lines(0)),
            ("7", Limit::Lines(7)),
            ("\"7\"", Limit::Lines(7)),
            ("{\"truncate\":{\"lines\":7}}", Limit::Lines(7)),
            ("{\"off\":null}", Limit::Off),
            ("{\"full\":null}", Limit::Full),
        ] {
            assert_eq!(read(json), Ok(Limits::both(limit)), "{json}");
        }
    }

    #[test]
    fn spec_3_2_and_3_3_rejected_forms() {
        for json in [
            "\"Full\"",
            "\"10 lines\"",
            "\"\"",
            "-1",
            "1.5",
            "[]",
            "null",
            "{}",
            "\"chat\"",
            "{\"assistant\":\"chat\"}",
            "{\"lines\":3}",
            "{\"user\":1,\"extra\":1}",
            "{\"user\":1,\"truncate\":{\"lines\":1}}",
            "{\"truncate\":{}}",
            "{\"truncate\":{\"lines\":-1}}",
            "{\"user\":\"no\"}",
        ] {
            assert!(read(json).is_err(), "{json}");
        }
    }

    #[test]
    fn spec_3_3_the_whole_truth_table() {
        let table = [
            ("off", "off", "- - - -"),
            ("0", "off", "- - - -"),
            ("0", "0", "- - - -"),
            ("off", "10", "- 10 10 10"),
            ("10", "off", "10 - 10 10"),
            ("5", "10", "5 10 10 10"),
            ("10", "5", "10 5 10 10"),
            ("full", "off", "40 - 40 40"),
            ("full", "10", "40 10 40 40"),
            ("off", "full", "- 40 40 40"),
            ("chat", "off", "S - 40 S"),
            ("chat", "10", "S 10 40 S"),
            ("chat", "full", "S 40 40 S"),
            ("", "off", "10 - 10 10"),
            ("off", "", "- 10 10 10"),
            ("chat", "", "S 10 40 S"),
            ("full", "", "40 10 40 40"),
        ];
        let audience = |user, assistant| Audience::Named { user, assistant };
        let row = |limits: Limits| {
            [
                audience(true, false),
                audience(false, true),
                Audience::Everyone,
                audience(true, true),
            ]
            .map(|audience| match limits.fate(audience) {
                Fate::Nothing => "-".to_owned(),
                Fate::Lines(lines) => lines.min(40).to_string(),
                Fate::Full => "40".to_owned(),
                Fate::Speech => "S".to_owned(),
                Fate::Nobody => "?".to_owned(),
            })
            .join(" ")
        };
        for (user, assistant, expected) in table {
            let side = |key: &str, value: &str| {
                (!value.is_empty()).then(|| format!("\"{key}\":\"{value}\""))
            };
            let sides: Vec<String> = [side("user", user), side("assistant", assistant)]
                .into_iter()
                .flatten()
                .collect();
            let json = format!("{{{}}}", sides.join(","));
            assert_eq!(row(read(&json).expect("valid")), expected, "{json}");
        }
        assert_eq!(row(Limits::default()), "10 10 10 10");
        assert_eq!(row(read("\"full\"").expect("valid")), "40 40 40 40");
        let nobody = audience(false, false);
        assert_eq!(Limits::default().fate(nobody), Fate::Nobody);
    }
}
