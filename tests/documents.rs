//! Every ```` ```console ```` block of the documents, run: `$ ` opens a command, what follows
//! is what it prints, on both streams. A line `...` stands for any number of lines.
//! `UPDATE_DOCUMENTS=1` writes what came out instead of comparing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The documents that hold examples.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = std::fs::read_dir(root.join("docs")).expect("docs");
    let mut all: Vec<_> = docs
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    all.push(root.join("README.md"));
    all.push(root.join("python/README.md"));
    all.sort();
    all
}

/// What a command prints, on both streams.
fn printed(command: &str) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_convo"))
        .parent()
        .expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let shell = Command::new("bash")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("LC_ALL", "C.UTF-8")
        .env_remove("FORCE_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env_remove("COLUMNS")
        .output()
        .expect("bash");
    String::from_utf8(shell.stdout).expect("UTF-8")
}

/// Whether the lines fit, `...` for any number of them.
fn fits(expected: &[&str], found: &[&str]) -> bool {
    match expected {
        [] => found.is_empty(),
        ["...", rest @ ..] => (0..=found.len()).any(|skip| fits(rest, &found[skip..])),
        [line, rest @ ..] => found.first() == Some(line) && fits(rest, &found[1..]),
    }
}

/// The text of a document with its examples run, and the commands that went wrong.
fn run(text: &str, counted: &mut usize) -> (String, Vec<String>) {
    let (mut out, mut wrong) = (String::new(), Vec::new());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let _ = writeln!(out, "{line}");
        if line != "```console" {
            continue;
        }
        while let Some(line) = lines.next_if(|line| *line != "```") {
            let mut command = line.strip_prefix("$ ").unwrap_or(line).to_owned();
            let _ = writeln!(out, "{line}");
            while command.ends_with(['\\', '|']) {
                let more = lines.next().expect("the rest of a command");
                let _ = writeln!(out, "{more}");
                let _ = write!(command, "\n{more}");
            }
            let mut expected = Vec::new();
            let opens = |line: &&str| line.starts_with("$ ") || *line == "```";
            while let Some(line) = lines.next_if(|line| !opens(line)) {
                expected.push(line);
            }
            let found = printed(&command);
            *counted += 1;
            if fits(&expected, &found.lines().collect::<Vec<_>>()) {
                let all = expected.iter().map(|line| format!("{line}\n"));
                out.extend(all);
            } else {
                wrong.push(format!("$ {command}\n{found}"));
                out.push_str(&found);
            }
        }
    }
    (out, wrong)
}

#[test]
fn every_example_prints_what_it_says() {
    let (mut counted, mut wrong) = (0, String::new());
    let update = std::env::var_os("UPDATE_DOCUMENTS").is_some();
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("a document");
        let (now, failed) = run(&text, &mut counted);
        if update && now != text {
            std::fs::write(&path, now).expect("written");
        } else {
            for one in failed {
                let _ = writeln!(wrong, "{}\n{one}", path.display());
            }
        }
    }
    assert!(counted >= 6, "{counted} examples alone");
    assert!(
        wrong.is_empty(),
        "{wrong}UPDATE_DOCUMENTS=1 writes these into the documents; read them first"
    );
}

/// Every path of the repository that a document names is there.
#[test]
fn every_file_that_is_named_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).expect("a document");
        for word in
            text.split(|c: char| c.is_whitespace() || "()`\"'<>[],;:".contains(c))
        {
            let word = word.trim_end_matches(['.', '#']);
            let named = [
                "fixtures/",
                "benches/",
                "examples/",
                "schemas/",
                "packaging/",
            ];
            let is_path = named.iter().any(|folder| word.starts_with(folder));
            if is_path && !word.contains(['*', '$', '{']) && !root.join(word).exists() {
                missing.push(format!("{}: {word}", document.display()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
