//! What all commands share: help, man pages, completions, bad usage, closed
//! pipes, message formats.

use crate::common::command::{process, run};
use std::io::Read as _;
use std::process::Stdio;

fn commands() -> Vec<String> {
    convo::cli::command()
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect()
}

#[test]
fn man_pages_are_up_to_date() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/man");
    let pages = convo::cli::man::pages();
    for (name, page) in &pages {
        let found = std::fs::read(format!("{folder}/{name}")).unwrap_or_default();
        assert!(
            found == *page,
            "man/{name} is stale: cargo run -- man --all man"
        );
    }
    let count = std::fs::read_dir(folder).expect("man/").count();
    assert_eq!(count, pages.len(), "a page of a command that is gone");
}

#[test]
fn every_help_ends_with_two_worked_examples() {
    for command in commands() {
        let help = run(&[&command, "--help"], b"").ok(0);
        let (_, examples) = help
            .split_once("Examples:\n")
            .unwrap_or_else(|| panic!("{help}"));
        let count = examples
            .lines()
            .filter(|line| line.contains("convo "))
            .count();
        assert!(count >= 2, "{command}: {examples}");
        assert!(
            !examples.contains("Options:"),
            "{command}: examples come last"
        );
        let short = run(&[&command, "-h"], b"").ok(0);
        assert!(short.contains("Usage: convo"), "{short}");
    }
}

#[test]
fn the_command_reference_is_reviewed() {
    let mut reference = run(&["--help"], b"").ok(0);
    for command in commands() {
        reference.push_str(&format!("\n======== {command}\n"));
        reference.push_str(&run(&[&command, "--help"], b"").ok(0));
    }
    insta::assert_snapshot!("command-reference", reference);
}

#[test]
fn completions_exist_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell], b"").ok(0);
        for command in commands() {
            assert!(script.contains(&command), "{shell}: {command}");
        }
    }
}

/// What bash offers for `line`, the cursor at its end.
fn offered(line: &str) -> Vec<String> {
    let script = run(&["completions", "bash"], b"").ok(0);
    let ask = format!(
        "{script}\nCOMP_WORDS=({line}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); _convo; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let shell = std::process::Command::new("bash")
        .args(["--norc", "-c", &ask])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("bash");
    let out = String::from_utf8_lossy(&shell.stdout).into_owned();
    out.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_files_values_rules_and_commands() {
    assert!(offered("convo render ''").contains(&"Cargo.toml".to_owned()));
    assert!(offered("convo rend").contains(&"render".to_owned()));
    assert_eq!(offered("convo render --style = c"), ["chat"]);
    assert_eq!(offered("convo render --sty"), ["--style"]);
    assert_eq!(offered("convo lint --explain ttl-o"), ["ttl-order"]);
    assert_eq!(offered("convo render --theme li"), ["light"]);
    assert_eq!(offered("convo man pro"), ["project"]);
    assert_eq!(offered("convo schema lint"), ["lint-report"]);
    assert_eq!(offered("convo completions fi"), ["fish"]);
}

/// What must be offered in every shell: a line, and the word it becomes.
const COMPLETED: [(&str, &str); 8] = [
    ("convo rend", "render"),
    ("convo render --sty", "--style"),
    ("convo render --style=ch", "--style=chat"),
    ("convo render --theme li", "light"),
    ("convo render Cargo.t", "Cargo.toml"),
    ("convo lint --explain ttl-o", "ttl-order"),
    ("convo man pro", "project"),
    ("convo schema lint-", "lint-report"),
];

/// What a shell prints, unless it is not installed.
fn asked(shell: &str, args: &[&str]) -> Option<String> {
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_convo")).parent();
    let path = std::env::var("PATH").unwrap_or_default();
    let ran = std::process::Command::new(shell)
        .args(args)
        .env(
            "PATH",
            format!("{}:{path}", bin.expect("a folder").display()),
        )
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output();
    match ran {
        Ok(ran) => Some(String::from_utf8_lossy(&ran.stdout).into_owned()),
        Err(_) => {
            println!("{shell} is not installed: not asked");
            None
        }
    }
}

#[test]
fn fish_completes_files_values_rules_and_commands() {
    for (line, word) in COMPLETED {
        let ask = format!("convo completions fish | source; complete -C '{line}'");
        let Some(out) = asked("fish", &["--no-config", "-c", &ask]) else {
            return;
        };
        let offered = out.lines().map(|line| line.split('\t').next());
        assert_eq!(offered.collect::<Vec<_>>(), [Some(word)], "{line}");
    }
}

/// A terminal of zsh's own is asked, as completion works on the line being typed.
#[test]
fn zsh_completes_files_values_rules_and_commands() {
    let script = r#"
        zmodload zsh/zpty || exit 1
        zpty z zsh -f -i
        zpty -w z "PROMPT='' RPROMPT=''; autoload -U compinit; compinit -u -D
            source <(convo completions zsh); compdef _convo convo; echo REA''DY"
        while zpty -r z line; do [[ $line == *READY* ]] && break; done
        for asked in "$@"; do
            zpty -w -n z $asked$'\t'$'\x01'"print -r -- 'GOT:"$'\x05'"'"$'\n'
            while zpty -r z line; do
                [[ $line == *GOT:convo* ]] && { print -r -- $line; break; }
            done
        done
        zpty -d z"#;
    let lines = COMPLETED.map(|(line, _)| line);
    let args = [&["-f", "-c", script, "zsh"][..], &lines].concat();
    let Some(out) = asked("zsh", &args) else {
        return;
    };
    let got: Vec<_> = out.lines().filter(|line| line.contains("GOT:")).collect();
    assert_eq!(got.len(), COMPLETED.len(), "{out}");
    for (line, (_, word)) in got.iter().zip(COMPLETED) {
        let line = line.trim().trim_end_matches('\'').trim_end();
        assert!(line.ends_with(word), "{line}: {word}");
    }
}

#[test]
fn man_pages_have_the_usual_sections_and_unbroken_examples() {
    for command in commands() {
        let page = run(&["man", &command], b"").ok(0);
        for section in [
            "EXIT STATUS",
            "ENVIRONMENT",
            "FILES",
            "EXAMPLES",
            "SEE ALSO",
        ] {
            assert!(
                page.contains(&format!(".SH {section}")),
                "{command}: {section}"
            );
        }
        assert!(page.contains(".SH EXAMPLES\n.nf\n"), "{command}");
        assert!(!page.contains(".SH EXTRA"), "{command}");
    }
}

#[test]
fn man_prints_one_page_or_says_which_there_are() {
    assert!(run(&["man"], b"").ok(0).contains(".TH convo 1"));
    assert!(
        run(&["man", "project"], b"")
            .ok(0)
            .contains("convo\\-project")
    );
    let unknown = run(&["man", "nothing"], b"");
    assert!(
        unknown.stderr.contains("expected one of project"),
        "{}",
        unknown.stderr
    );
    assert_eq!(unknown.status, 2);
}

#[test]
fn bad_usage_is_status_two() {
    for args in [
        &["nothing"][..],
        &[],
        &["project", "--nothing"],
        &["project", "--view", "other"],
        &["project", "-j", "0"],
        &["project", "-q", "-v"],
    ] {
        let ran = run(args, b"[]");
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(!ran.stderr.is_empty());
    }
    let json = run(
        &["project", "--view", "other", "--message-format", "json"],
        b"",
    );
    let message: serde_json::Value = serde_json::from_str(&json.stderr).expect("JSON");
    assert_eq!(message["code"], "usage");
}

#[test]
fn messages_can_be_json() {
    let ran = run(
        &["project", "--message-format", "json"],
        b"[]\n[{\"type\":\"chat_request\",\"content\":5}]\n",
    );
    let message: serde_json::Value = serde_json::from_str(&ran.stderr).expect("JSON");
    assert_eq!(
        message,
        serde_json::json!({
            "severity": "error", "code": "entry-shape", "input": null, "conversation": 1,
            "event": 0, "path": "/0/content", "offset": null, "byte": 37,
            "message": "expected a string, found a number 5",
            "hint": "--lenient carries such an entry as unknown instead"
        })
    );
}

#[test]
fn messages_do_not_carry_control_characters_of_the_input() {
    let ran = run(
        &["project"],
        "{\"type\":\"error\",\"message\":\"\\u001b[2J\\u202e\"}".as_bytes(),
    );
    assert!(
        !ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\u{202e}'),
        "{:?}",
        ran.stderr
    );
}

#[test]
fn quiet_tells_errors_only() {
    let input = b"[{\"type\":\"tool_call_response\",\"id\":\"1\"}]\n[5]\n";
    let loud = run(&["project"], input).stderr;
    assert!(loud.contains("warning:") && loud.contains("expected an object"));
    let quiet = run(&["project", "-q"], input).stderr;
    assert!(!quiet.contains("warning:") && quiet.contains("expected an object"));
}

#[test]
fn colour_is_for_terminals_or_on_request() {
    assert!(!run(&["project"], b"[5]").stderr.contains('\u{1b}'));
    assert!(
        run(&["project", "--color", "always"], b"[5]")
            .stderr
            .contains('\u{1b}')
    );
}

#[test]
fn a_reader_that_goes_away_ends_the_work_quietly() {
    for jobs in ["1", "3"] {
        let mut child = process()
            .args(["project", "--jobs", jobs])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let feeder = std::thread::spawn(move || {
            use std::io::Write as _;
            let line = format!(
                "[{{\"type\":\"chat_response\",\"message\":\"{}\"}}]\n",
                "x".repeat(1000)
            );
            for _ in 0..50_000 {
                if stdin.write_all(line.as_bytes()).is_err() {
                    return;
                }
            }
        });
        let mut stdout = child.stdout.take().expect("a pipe");
        let mut first = [0; 100];
        stdout.read_exact(&mut first).expect("some output");
        drop(stdout);
        let output = child.wait_with_output().expect("the binary ends");
        feeder.join().expect("the feeder ends");
        assert_eq!(output.status.code(), Some(0), "-j {jobs}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "-j {jobs}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_is_status_two() {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .expect("a device");
    let output = process()
        .args(["project", "fixtures/streams/tour.json"])
        .stdout(full)
        .output()
        .expect("the binary runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot be written"));
}

#[test]
fn paths_and_findings_do_not_carry_control_characters_either() {
    let input = b"[{\"type\":\"inquiry_request\",\"id\":\"1\",\"\\u001b[2J\":{\"\\u009b\":\"\\ud800\"},\"\\u001b[2J\":5}]";
    let out = run(&["validate"], input).ok(1);
    assert!(
        out.contains("duplicate-key") && out.contains("lone-surrogate"),
        "{out}"
    );
    assert!(!out.contains(['\u{1b}', '\u{9b}']), "{out:?}");
}

#[test]
fn verbose_says_how_many_conversations_there_were() {
    let input = b"[]\n[5]\n[]\n";
    assert!(!run(&["project"], input).stderr.contains("note:"));
    let told = run(&["project", "-v"], input).stderr;
    assert!(told.contains("note: 3 conversations, 1 refused"), "{told}");
}
