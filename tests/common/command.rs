//! Running the binary: arguments and input in, everything it says out.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// What a run of `convo` left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: i32,
}

impl Ran {
    fn of(output: &Output) -> Self {
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
    let mut command = Command::new(env!("CARGO_BIN_EXE_convo"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    for name in ["NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "COLUMNS"] {
        command.env_remove(name);
    }
    command
}

/// Runs `convo` with `args` on `input`.
pub(crate) fn run(args: &[&str], input: &[u8]) -> Ran {
    let mut command = convo();
    command.args(args);
    feed(&mut command, input)
}

/// Runs `convo` with `args` in another directory.
pub(crate) fn run_in(directory: &Path, args: &[&str], input: &[u8]) -> Ran {
    let mut command = convo();
    command.args(args).current_dir(directory);
    feed(&mut command, input)
}

/// Runs a prepared command on `input`.
pub(crate) fn feed(command: &mut Command, input: &[u8]) -> Ran {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    // The program may answer and end before it has read everything.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the binary ends");
    feeder.join().expect("the feeder ends");
    Ran::of(&output)
}
