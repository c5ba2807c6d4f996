//! Running the binary: arguments and input in, everything it says out.

use assert_cmd::Command;
use std::path::Path;
use std::process::Output;

/// What a run of `convo` left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: i32,
}

impl Ran {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            status: output.status.code().unwrap_or(-1),
        }
    }

    /// Output, messages and status as one text, each end marked.
    pub(crate) fn shown(&self) -> String {
        format!(
            "{}[out]\n{}[err]\n[{}]\n",
            self.stdout, self.stderr, self.status
        )
    }

    /// Panics unless the run ended as said; gives the standard output.
    #[track_caller]
    pub(crate) fn ok(self, status: i32) -> String {
        assert_eq!(self.status, status, "{}", self.shown());
        self.stdout
    }
}

/// `convo` in the crate's own directory, with a plain environment.
pub(crate) fn convo() -> Command {
    Command::from_std(process())
}

/// The same for a test that holds the running process: streams of its own, a kill.
pub(crate) fn process() -> std::process::Command {
    let mut command =
        std::process::Command::new(assert_cmd::cargo::cargo_bin!("convo"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    for name in [
        "NO_COLOR",
        "CLICOLOR_FORCE",
        "FORCE_COLOR",
        "COLUMNS",
        "RUST_BACKTRACE",
    ] {
        command.env_remove(name);
    }
    command
}

/// Runs `convo` with `args` on `input`.
pub(crate) fn run(args: &[&str], input: &[u8]) -> Ran {
    feed(convo().args(args), input)
}

/// Runs `convo` with `args` in another directory.
pub(crate) fn run_in(directory: &Path, args: &[&str], input: &[u8]) -> Ran {
    feed(convo().args(args).current_dir(directory), input)
}

/// Runs a prepared command on `input`; it may end before it has read everything.
pub(crate) fn feed(command: &mut Command, input: &[u8]) -> Ran {
    let ran = command.write_stdin(input).output();
    Ran::of(&ran.expect("the binary starts"))
}

/// Runs a line of shell, where `"$@"` is `convo` with `args`: for streams that are
/// closed or full, and for limits.
#[cfg(unix)]
pub(crate) fn shell(line: &str, args: &[&str], input: &[u8]) -> Ran {
    let mut command = Command::new("bash");
    command
        .args(["-c", line, "bash"])
        .arg(process().get_program());
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args);
    command.env_remove("RUST_BACKTRACE");
    feed(&mut command, input)
}
