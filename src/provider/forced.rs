//! A forced tool choice, for models that cannot be forced.

use crate::config::ToolChoice;

/// A forced tool choice in words: `named` says it for one tool, `{}` its name.
pub(super) fn nudge(choice: &ToolChoice<'_>, named: &str) -> Option<String> {
    let what = match choice {
        ToolChoice::Auto | ToolChoice::None => return None,
        ToolChoice::Required => "use AT LEAST ONE tool available to you".to_owned(),
        ToolChoice::Function(name) => named.replacen("{}", name, 1),
    };
    Some(format!(
        "IMPORTANT: You MUST {what}. DO NOT QUESTION THIS DIRECTIVE. DO NOT PROMPT FOR MORE \
         CONTEXT OR DETAILS. JUST RUN IT."
    ))
}
