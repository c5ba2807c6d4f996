//! `convo man`: the man pages, generated from the same source as `--help`.

use super::{CommonArgs, Exit};
use crate::error::{Error, ErrorKind};
use clap::Args;
use std::path::PathBuf;

/// Write man pages
///
/// Without arguments, the page of `convo` itself.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo man project | man -l -
  convo man --all man/")]
pub struct ManArgs {
    /// The command whose page to write
    command: Option<String>,
    /// Write every page into this directory instead
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    all: Option<PathBuf>,
    /// Print whose work is embedded, and under which licences, instead
    #[arg(long, conflicts_with_all = ["command", "all"])]
    third_party: bool,
}

/// What the embedded syntaxes and themes ask to be shipped with them.
const THIRD_PARTY: &str = include_str!("../../THIRD-PARTY.md");

/// Writes the pages asked for.
pub fn run(args: &ManArgs, common: &CommonArgs) -> Exit {
    let messages = common.messages("man");
    if args.third_party {
        return super::write_text(&messages, THIRD_PARTY.as_bytes());
    }
    let pages = pages();
    if let Some(directory) = &args.all {
        for (name, page) in pages {
            if let Err(error) = std::fs::write(directory.join(&name), page) {
                let message = format!("{}: {error}", directory.join(name).display());
                messages.tell(&Error::new(ErrorKind::Output, "output", message).into());
                return Exit::Failed;
            }
        }
        return Exit::Good;
    }
    let wanted = match &args.command {
        Some(command) => format!("convo-{command}.1"),
        None => "convo.1".to_owned(),
    };
    let Some((_, page)) = pages.iter().find(|(name, _)| *name == wanted) else {
        let commands: Vec<_> = super::command()
            .get_subcommands()
            .map(|command| command.get_name().to_owned())
            .collect();
        let error = Error::new(
            ErrorKind::Usage,
            "unknown-command",
            format!(
                "expected one of {}, found another name",
                commands.join(", ")
            ),
        );
        messages.tell(&error.into());
        return Exit::Failed;
    };
    super::write_text(&messages, page)
}

/// Every man page: file name and content.
pub fn pages() -> Vec<(String, Vec<u8>)> {
    let mut root = super::command().disable_help_subcommand(true);
    root.build();
    let mut commands = vec![root.clone()];
    commands.extend(
        root.get_subcommands()
            .filter(|command| !command.is_hide_set())
            .map(|command| command.clone().disable_help_subcommand(true)),
    );
    commands
        .into_iter()
        .map(|command| {
            let name = match command.get_name() {
                "convo" => "convo".to_owned(),
                name => format!("convo-{name}"),
            };
            let mut page = Vec::new();
            let man = clap_mangen::Man::new(command.name(name.clone()))
                .date("")
                .source(concat!("convo ", env!("CARGO_PKG_VERSION")));
            // A vector takes every write.
            let _ = man.render(&mut page);
            (format!("{name}.1"), page)
        })
        .collect()
}
