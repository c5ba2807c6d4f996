//! `convo completions`: shell completions on standard output.

use super::{CommonArgs, Exit};
use crate::render::theme::THEMES;
use crate::schema::SCHEMAS;
use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command, ValueHint};
use clap_complete::Shell;

/// Write completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  convo completions bash > ~/.local/share/bash-completion/completions/convo
  convo completions fish | source")]
pub struct CompletionsArgs {
    /// The shell to complete in
    shell: Shell,
}

/// Writes the completions.
pub fn run(args: &CompletionsArgs, common: &CommonArgs) -> Exit {
    let mut command = command();
    let mut script = Vec::new();
    if args.shell == Shell::Bash {
        script = in_bash(&command).into_bytes();
    } else {
        clap_complete::generate(args.shell, &mut command, "convo", &mut script);
        if args.shell == Shell::Fish {
            script.extend_from_slice(fish_operands(&command).as_bytes());
        }
    }
    super::write_text(&common.messages("completions"), &script)
}

/// The command with what a shell can offer. More than what is parsed: a rule that is
/// not known, say, is no bad usage but an answer that names the nearest one.
fn command() -> Command {
    let names: Vec<String> = super::command()
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    super::command().mut_subcommands(|command| {
        let name = command.get_name().to_owned();
        command.mut_args(|arg| offered(arg, &name, &names))
    })
}

fn offered(arg: Arg, command: &str, names: &[String]) -> Arg {
    let id = arg.get_id().as_str().to_owned();
    let values: Vec<String> = match (command, id.as_str()) {
        ("lint", "explain" | "enable" | "ignore") => crate::show::rules::all()
            .map(|rule| rule.id.to_owned())
            .collect(),
        ("man", "command") => names.to_vec(),
        ("schema", _) | (_, "schema") => SCHEMAS
            .iter()
            .map(|schema| schema.name.to_owned())
            .collect(),
        (_, "theme") => std::iter::once("auto")
            .chain(THEMES)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    };
    if !values.is_empty() && arg.get_action().takes_values() {
        return arg.value_parser(PossibleValuesParser::new(values));
    }
    if !arg.get_action().takes_values() {
        return arg;
    }
    let called = arg
        .get_value_names()
        .and_then(|names| names.first())
        .map(|name| name.as_str().to_owned());
    let hint = match called.as_deref() {
        Some("DIR" | "DIRECTORY" | "WORKSPACE") => ValueHint::DirPath,
        Some("FILE" | "INPUT" | "INPUTS" | "PATH" | "A" | "B") => ValueHint::AnyPath,
        _ if arg.is_positional() => ValueHint::AnyPath,
        _ => ValueHint::Other,
    };
    arg.value_hint(hint)
}

/// What fish offers for operands that are one of several words: the crate's script
/// offers files there.
fn fish_operands(root: &Command) -> String {
    let mut out = String::new();
    for command in root.get_subcommands() {
        let operands = command.get_positionals();
        let words: Vec<String> = operands
            .flat_map(Arg::get_possible_values)
            .filter(|value| !value.is_hide_set())
            .map(|value| value.get_name().to_owned())
            .collect();
        if !words.is_empty() {
            out.push_str(&format!(
                "complete -c convo -n \"__fish_convo_using_subcommand {}\" -f -a '{}'\n",
                command.get_name(),
                words.join(" ")
            ));
        }
    }
    out
}

/// The script for bash. The crate's own offers options where a file is wanted, files
/// where a number is, and nothing behind `--option=`, which bash cuts into three words.
fn in_bash(root: &Command) -> String {
    let mut out = String::from(BASH);
    let subcommands: Vec<&Command> = root
        .get_subcommands()
        .filter(|command| !command.is_hide_set())
        .collect();
    let names: Vec<&str> = subcommands.iter().map(|one| one.get_name()).collect();
    let commands = subcommands
        .iter()
        .map(|command| (command.get_name(), *command));
    for (name, command) in std::iter::once(("", root)).chain(commands) {
        // Global options are the root's.
        let args: Vec<&Arg> = command
            .get_arguments()
            .chain(root.get_arguments().filter(|arg| arg.is_global_set()))
            .collect();
        let mut options = vec!["--help".to_owned(), "-h".to_owned()];
        let mut values = String::new();
        let mut operand = "files".to_owned();
        for arg in args {
            let offer = offer(arg);
            if arg.is_positional() {
                operand = offer;
                continue;
            }
            let long = arg.get_long().map(|long| format!("--{long}"));
            let short = arg.get_short().map(|short| format!("-{short}"));
            let spelled: Vec<String> = long.into_iter().chain(short).collect();
            if arg.get_action().takes_values() {
                values.push_str(&format!("{}) {offer} ;;\n", spelled.join("|")));
            }
            options.extend(spelled);
        }
        options.sort();
        options.dedup();
        if name.is_empty() {
            operand = format!("words '{} help'", names.join(" "));
        } else if name == "completions" || name == "man" {
            operand = operand.replace("files", ":");
        }
        out.push_str(&format!(
            "    '{name}')\n        case $prev in\n        {}        *)\n            case $cur in\n            \
             -*) words '{}' ;;\n            *) {operand} ;;\n            esac ;;\n        esac ;;\n",
            values.replace('\n', "\n        ").trim_end_matches("    "),
            options.join(" ")
        ));
    }
    out.push_str("    esac\n}\ncomplete -o filenames -o nosort -F _convo convo\n");
    out
}

/// What the value of an argument may be, as a call in the script.
fn offer(arg: &Arg) -> String {
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| value.get_name().to_owned())
        .collect();
    if !values.is_empty() {
        return format!("words '{}'", values.join(" "));
    }
    match arg.get_value_hint() {
        ValueHint::DirPath => "folders".to_owned(),
        ValueHint::AnyPath => "files".to_owned(),
        _ => ":".to_owned(),
    }
}

const BASH: &str = r#"# Completions of convo for bash.
_convo() {
    words() { COMPREPLY=($(compgen -W "$1" -- "$cur")); compopt +o filenames 2>/dev/null; }
    files() { mapfile -t COMPREPLY < <(compgen -f -- "$cur"); }
    folders() { mapfile -t COMPREPLY < <(compgen -d -- "$cur"); }
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' word
    COMPREPLY=()
    # `--option=value` comes as three words.
    if [[ $cur == '=' ]]; then
        cur=''
    elif [[ $prev == '=' ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        case $word in
        -*) ;;
        *) command=$word && break ;;
        esac
    done
    case $command in
"#;
