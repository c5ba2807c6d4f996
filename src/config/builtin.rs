//! Tools that need no definition in the configuration: `tell_user`, of JP's RFD 094.
//!
//! A configuration that says `source = "builtin"` of it, and no more, means the
//! definition and the style below. Nothing else here or above knows the tool: what
//! it says is ordinary content, addressed to the user, and any tool may do the
//! same.

use super::tool::Style;
use crate::json::Raw;

/// The name of the tool.
pub const TELL_USER: &str = "tell_user";

macro_rules! description {
    () => {
        "Shows a message directly to the user while you keep working. Use it for \
progress with specific numbers, for partial deliverables, or for a direct answer to a \
question the user asked in the middle of the task: content the user must see exactly \
as you write it before the task ends. The message is rendered verbatim as chat \
(markdown); you get an acknowledgement back and your turn goes on. Do not use it to \
narrate what you are about to do or to reason aloud, and do not use it for your final \
answer: end the turn with that as usual."
    };
}

macro_rules! parameter {
    () => {
        "The message in markdown, exactly as the user is to read it."
    };
}

/// What the tool is for, as the model reads it.
pub const DESCRIPTION: &str = description!();
/// What its one parameter is.
pub const PARAMETER: &str = parameter!();

/// A definition that stands in for what a configuration leaves out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Builtin {
    /// The description, a JSON string.
    pub(super) description: Raw<'static>,
    /// `parameters`, in the form the configuration has them.
    pub(super) parameters: Raw<'static>,
    /// How its calls and results are shown.
    pub(super) style: Style<'static>,
}

/// The tool of this name.
pub(super) fn find(name: &str) -> Option<Builtin> {
    // Checked by a test: these are whole JSON values.
    let value = |text: &'static str| Raw::checked(text.as_bytes());
    (name == TELL_USER).then(|| Builtin {
        description: value(concat!("\"", description!(), "\"")),
        parameters: value(concat!(
            "{\"message\":{\"type\":\"string\",\"required\":true,\"description\":\"",
            parameter!(),
            "\"}}"
        )),
        style: Style {
            header: Some(value("\"off\"")),
            parameters: Some(value("\"off\"")),
            results_file_link: Some(value("\"off\"")),
            inline_results: Some(value("{\"user\":\"chat\",\"assistant\":\"off\"}")),
            ..Style::default()
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v8_the_definition_is_json() {
        let tool = find(TELL_USER).expect("known");
        for raw in [
            Some(tool.description),
            Some(tool.parameters),
            tool.style.header,
            tool.style.parameters,
            tool.style.results_file_link,
            tool.style.inline_results,
        ] {
            let raw = raw.expect("given");
            assert!(Raw::parse(raw.bytes()).is_ok(), "{raw:?}");
        }
        assert_eq!(tool.description.as_str().as_deref(), Some(DESCRIPTION));
        assert!(find("tell").is_none());
    }
}
