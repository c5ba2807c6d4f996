//! `convo man`: the man pages, generated from the same source as `--help`.

use super::{CommonArgs, Exit};
use crate::error::{Error, ErrorKind};
use clap::Args;
use std::io::Write as _;
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
            let page = page(command.name(name.clone()));
            (format!("{name}.1"), page)
        })
        .collect()
}

/// One page. Examples stand as they are typed: filled and adjusted lines would break
/// them (man-pages(7) names the sections and their order).
fn page(mut command: clap::Command) -> Vec<u8> {
    let name = command.get_name().to_owned();
    let examples = command
        .get_after_help()
        .map(ToString::to_string)
        .unwrap_or_default();
    let others: Vec<String> = command
        .get_subcommands()
        .filter(|one| !one.is_hide_set())
        .map(|one| format!("convo-{}", one.get_name()))
        .collect();
    command = command
        .after_help(None::<&str>)
        .after_long_help(None::<&str>);
    let man = clap_mangen::Man::new(command)
        .date("")
        .source(concat!("convo ", env!("CARGO_PKG_VERSION")))
        .manual("convo");
    let mut page = Vec::new();
    // A vector takes every write.
    let _ = man.render_title(&mut page);
    let _ = man.render_name_section(&mut page);
    let _ = man.render_synopsis_section(&mut page);
    let _ = man.render_description_section(&mut page);
    let _ = man.render_options_section(&mut page);
    if !others.is_empty() {
        let _ = man.render_subcommands_section(&mut page);
    }
    let _ = writeln!(page, ".SH EXIT STATUS");
    table(&mut page, &EXIT);
    let _ = writeln!(page, ".SH ENVIRONMENT");
    let render = matches!(name.as_str(), "convo" | "convo-render");
    table(
        &mut page,
        if render {
            &ENVIRONMENT
        } else {
            &ENVIRONMENT[..3]
        },
    );
    let _ = writeln!(page, ".SH FILES");
    if !matches!(
        name.as_str(),
        "convo-models"
            | "convo-schema"
            | "convo-completions"
            | "convo-man"
            | "convo-tell-user"
    ) {
        table(&mut page, &FILES);
        let _ = writeln!(page, ".PP");
    }
    let _ = writeln!(page, "There is no configuration file.");
    let _ = write!(page, ".SH EXAMPLES\n.nf\n");
    for line in examples.lines() {
        let line = line.strip_prefix("Examples:").unwrap_or(line);
        if !line.is_empty() {
            let _ = writeln!(page, "{}", escaped(line));
        }
    }
    let _ = write!(page, ".fi\n.SH SEE ALSO\n");
    let mut also = if name == "convo" {
        others
    } else {
        see_also(&name)
    };
    if also.is_empty() || name != "convo" {
        also.insert(0, "convo".to_owned());
    }
    let also: Vec<String> = also
        .iter()
        .map(|name| format!("\\fB{}\\fR(1)", escaped(name)))
        .collect();
    let _ = writeln!(page, "{}", also.join(",\n"));
    page
}

/// Pages that a reader of this one will want next.
fn see_also(name: &str) -> Vec<String> {
    let also: &[&str] = match name {
        "convo-project" => &["convo-render", "convo-read-events", "jq"],
        "convo-render" => &["convo-project", "less"],
        "convo-flatten" => &["convo-place-directives", "convo-lint", "jq"],
        "convo-place-directives" => &["convo-flatten", "convo-diff-cache-prefix"],
        "convo-diff-cache-prefix" => &["convo-lint", "convo-place-directives"],
        "convo-lint" => &["convo-diff-cache-prefix", "convo-flatten"],
        "convo-validate" => &["convo-schema", "convo-bundle"],
        "convo-bundle" => &["convo-validate", "convo-read-events"],
        "convo-read-events" => &["convo-project", "convo-bundle"],
        "convo-import" => &["convo-render", "convo-flatten", "convo-lint"],
        "convo-list" => &["convo-import", "convo-render"],
        "convo-models" => &["convo-lint", "convo-flatten"],
        "convo-tell-user" => &["convo-render", "convo-project"],
        "convo-schema" => &["convo-validate"],
        "convo-man" => &["convo-completions", "man"],
        "convo-completions" => &["convo-man", "bash", "zsh", "fish"],
        _ => &[],
    };
    also.iter().map(|&name| name.to_owned()).collect()
}

const EXIT: [(&str, &str); 3] = [
    (
        "0",
        "Done, and the answer is good. A reader that went away counts as done.",
    ),
    (
        "1",
        "Done, and the answer is \"no\" (a loss, an error finding, an invalid stream), or a \
         part of the input was refused.",
    ),
    (
        "2",
        "Could not do it: wrong usage, nothing that can be read, the only input refused, no \
         write.",
    ),
];

/// Those of every command, then those of `render`.
const ENVIRONMENT: [(&str, &str); 8] = [
    (
        "NO_COLOR",
        "Not empty: no colour, on either stream, whatever forces it.",
    ),
    (
        "FORCE_COLOR, CLICOLOR_FORCE, CLICOLOR",
        "Colour where there is no terminal; CLICOLOR=0 turns it off on one.",
    ),
    (
        "TERM, COLORTERM",
        "Which colours a terminal has; dumb has none.",
    ),
    (
        "COLUMNS",
        "The width of the layout, unless --width is given.",
    ),
    (
        "CONVO_THEME, COLORFGBG",
        "The colours, unless --theme is given.",
    ),
    (
        "CONVO_PAGER, PAGER, LESS",
        "The pager; less gets -R -F -X where LESS is not set.",
    ),
    ("FORCE_HYPERLINK", "0 or 1: whether links can be clicked."),
    (
        "ACCESSIBLE, LC_ALL, LC_CTYPE, LANG",
        "ACCESSIBLE, or a locale without UTF-8: no drawing characters.",
    ),
];

const FILES: [(&str, &str); 2] = [
    (
        ".jp/conversations/ID-SLUG/events.json",
        "A stored conversation; its directory will do as an input.",
    ),
    (
        ".jp/conversations/ID-SLUG/base_config.json",
        "The configuration it starts from, taken along where it stands beside events.json.",
    ),
];

fn table(page: &mut Vec<u8>, rows: &[(&str, &str)]) {
    for (term, text) in rows {
        let _ = write!(page, ".TP\n\\fB{}\\fR\n{}\n", escaped(term), escaped(text));
    }
}

/// Text as roff takes it for text (groff_char(7)): a quote or a dot that opens a line
/// would be a request, `-` would be a hyphen that cannot be pasted.
fn escaped(text: &str) -> String {
    let text = text
        .replace('\\', "\\e")
        .replace('-', "\\-")
        .replace('\'', "\\(aq")
        .replace('^', "\\(ha")
        .replace('~', "\\(ti")
        .replace('`', "\\(ga");
    if text.starts_with(['.', '\'']) {
        return format!("\\&{text}");
    }
    text
}
