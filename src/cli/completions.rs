//! `convo completions`: shell completions on standard output.

use super::{CommonArgs, Exit};
use clap::Args;

/// Write completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo completions bash > ~/.local/share/bash-completion/completions/convo
  convo completions fish | source")]
pub struct CompletionsArgs {
    /// The shell to complete in
    shell: clap_complete::Shell,
}

/// Writes the completions.
pub fn run(args: &CompletionsArgs, common: &CommonArgs) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "convo", &mut script);
    super::write_text(&common.messages("completions"), &script)
}
