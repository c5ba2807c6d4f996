//! The style of a tool, read from its configuration (`docs/render.md#tools`).
//!
//! A value that is not allowed is named with its tool and key, and the default
//! used instead (D-10).

use super::limits::Limits;
use crate::config::{self, Display};
use crate::json::{Kind, Raw};

/// How parameters are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShowParameters {
    /// Not at all.
    Off,
    /// As a JSON fence.
    #[default]
    Json,
    /// As `(key: value)` on the header line.
    FunctionCall,
    /// As the stored output of a formatter.
    Custom,
}

/// A tool's style, ready to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolStyle {
    /// Nothing of the tool is shown, speech included (TL-4).
    pub hidden: bool,
    /// Whether the header line is printed (TL-3).
    pub header: bool,
    /// How parameters are shown.
    pub parameters: ShowParameters,
    /// How results are shown.
    pub results: Limits,
    /// How results of failed calls are shown.
    pub error_results: Limits,
}

impl Default for ToolStyle {
    fn default() -> Self {
        Self {
            hidden: false,
            header: true,
            parameters: ShowParameters::default(),
            results: Limits::default(),
            error_results: Limits::default(),
        }
    }
}

impl ToolStyle {
    /// Reads the stored style of the tool `name`; what is wrong goes to `wrong`.
    pub fn read(
        name: &str,
        stored: &config::Style<'_>,
        wrong: &mut Vec<String>,
    ) -> Self {
        let mut tell = |key: &str, what: String| {
            wrong.push(format!(
                "`conversation.tools.{name}.style.{key}`: {what}; the default is used"
            ));
        };
        let mut style = Self::default();
        if let Some(value) = stored.hidden {
            match value.as_bool() {
                Some(hidden) => style.hidden = hidden,
                None => tell("hidden", expected(value, "a boolean")),
            }
        }
        if let Some(value) = stored.header {
            match (value.as_bool(), value.as_str().as_deref()) {
                (Some(header), _) => style.header = header,
                (_, Some("on")) => style.header = true,
                (_, Some("off")) => style.header = false,
                _ => tell("header", expected(value, "a boolean, \"on\" or \"off\"")),
            }
        }
        if let Some(value) = stored.parameters {
            match (value.kind(), value.as_str().as_deref()) {
                (_, Some("off")) => style.parameters = ShowParameters::Off,
                (_, Some("json")) => style.parameters = ShowParameters::Json,
                (_, Some("function_call")) => {
                    style.parameters = ShowParameters::FunctionCall;
                }
                (Kind::String | Kind::Object, _) => {
                    style.parameters = ShowParameters::Custom;
                }
                _ => tell(
                    "parameters",
                    expected(
                        value,
                        "\"off\", \"json\", \"function_call\" or a command",
                    ),
                ),
            }
        }
        if let Some(value) = stored.inline_results {
            match Limits::read(value) {
                Ok(limits) => style.results = limits,
                Err(error) => tell("inline_results", error),
            }
        }
        style.error_results = style.results;
        if let Some(value) = stored.error_inline_results.filter(|v| !v.is_null()) {
            match Limits::read(value) {
                Ok(limits) => style.error_results = limits,
                Err(error) => tell("error.inline_results", error),
            }
        }
        for (key, value) in [
            ("results_file_link", stored.results_file_link),
            ("error.results_file_link", stored.error_results_file_link),
        ] {
            let fine = |value: Raw<'_>| {
                value.is_null()
                    || value.as_bool().is_some()
                    || matches!(
                        value.as_str().as_deref(),
                        Some("full" | "osc8" | "off")
                    )
            };
            if let Some(value) = value.filter(|&value| !fine(value)) {
                tell(
                    key,
                    expected(value, "a boolean, \"full\", \"osc8\" or \"off\""),
                );
            }
        }
        if stored.error_header.is_some() {
            tell("error.header", "a header precedes its result".into());
        }
        style
    }
}

/// The keys of a style.
const KEYS: [&str; 6] = [
    "hidden",
    "header",
    "parameters",
    "inline_results",
    "results_file_link",
    "error",
];

/// What rendering does not read of a stored style as it is written: values that are
/// not allowed, and keys that it does not know.
pub fn style_faults(name: &str, style: Raw<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    let Some(stored) = config::Style::of(style) else {
        return vec![format!(
            "`conversation.tools.{name}.style` is {}, expected an object",
            style.kind().name()
        )];
    };
    ToolStyle::read(name, &stored, &mut wrong);
    for (key, _) in style.as_object().into_iter().flatten() {
        let key = key.decode();
        if KEYS.contains(&&*key) {
            continue;
        }
        let plain = |text: &str| text.to_lowercase().replace(['_', '-', ' '], "");
        let near = KEYS.iter().find(|known| {
            let (known, key) = (plain(known), plain(&key));
            known == key || known.trim_end_matches('s') == key.trim_end_matches('s')
        });
        let expected = match near {
            Some(known) => format!("expected `{known}`"),
            None => format!("expected one of {}", KEYS.join(", ")),
        };
        wrong.push(format!(
            "`conversation.tools.{name}.style.{key}` is not read; {expected}"
        ));
    }
    wrong
}

/// How reasoning is shown (`docs/render.md#turns`, TU-6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShowReasoning {
    /// All of it.
    #[default]
    Full,
    /// Not at all.
    Hidden,
    /// So many characters a turn.
    Characters(usize),
    /// One line in its place.
    Static,
}

/// Reads the display of reasoning and of tool chrome.
pub fn display(stored: Display<'_>, wrong: &mut Vec<String>) -> (ShowReasoning, bool) {
    let mut reasoning = ShowReasoning::Full;
    if let Some(value) = stored.reasoning {
        let number = value
            .as_u64()
            .or_else(|| value.as_str()?.parse().ok())
            .or_else(|| value.at(&["truncate", "characters"])?.as_u64());
        reasoning = match (value.as_str().as_deref(), number) {
            (_, Some(count)) => {
                ShowReasoning::Characters(usize::try_from(count).unwrap_or(usize::MAX))
            }
            (Some("full"), _) => ShowReasoning::Full,
            (Some("hidden" | "timer"), _) => ShowReasoning::Hidden,
            (Some("static" | "progress"), _) => ShowReasoning::Static,
            (Some("summary"), _) => {
                wrong.push(
                    "`style.reasoning.display`: `summary` is not supported; \
                     shown as `static`"
                        .into(),
                );
                ShowReasoning::Static
            }
            _ => {
                let what = expected(value, "a display mode or a number of characters");
                wrong.push(format!(
                    "`style.reasoning.display`: {what}; the default is used"
                ));
                ShowReasoning::Full
            }
        };
    }
    let mut tools = true;
    if let Some(value) = stored.tool_calls {
        match value.as_bool() {
            Some(show) => tools = show,
            None => wrong.push(format!(
                "`style.tool_call.show`: {}; the default is used",
                expected(value, "a boolean")
            )),
        }
    }
    (reasoning, tools)
}

fn expected(found: Raw<'_>, expected: &str) -> String {
    match std::str::from_utf8(found.bytes()) {
        Ok(text) if text.len() <= 40 && found.kind() != Kind::Object => {
            format!("found {text}, expected {expected}")
        }
        _ => format!("found {}, expected {expected}", found.kind().name()),
    }
}
