//! The inputs a command was given: files, standard input, directories.
//!
//! A conversation directory, or an `events.json` with a `base_config.json` beside
//! it, brings its base along (`docs/commands.md`).

use super::workspace;
use crate::error::{Error, ErrorKind};
use crate::json::{Kind, Raw};
use std::fs::File;
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether it is said that a command waits for somebody to type: not under `--quiet`.
static SAYS_THAT_IT_WAITS: AtomicBool = AtomicBool::new(false);

/// From here on [`standard_input`] says so once.
pub(super) fn say_when_waiting() {
    SAYS_THAT_IT_WAITS.store(true, Ordering::Relaxed);
}

/// Standard input. Where that is a terminal nobody sees otherwise that it is read.
pub(super) fn standard_input() -> io::StdinLock<'static> {
    let stdin = io::stdin();
    if stdin.is_terminal()
        && io::stderr().is_terminal()
        && SAYS_THAT_IT_WAITS.swap(false, Ordering::Relaxed)
    {
        let told =
            "convo: reading what is typed here, up to Ctrl-D; or name a file (--help)";
        let _ = writeln!(io::stderr(), "{told}");
    }
    stdin.lock()
}

/// One input, opened.
pub struct Source {
    /// What messages call it; `None` for standard input.
    pub name: Option<String>,
    /// Where its bytes come from.
    pub reader: Box<dyn Read>,
    /// Its size in bytes, if known.
    pub size: Option<u64>,
    /// What stands beside its events.
    pub beside: Beside,
    /// What is wrong with the base configuration beside it.
    pub broken_base: Option<Error>,
}

/// The files beside an `events.json`.
#[derive(Debug, Clone, Default)]
pub struct Beside {
    /// The base configuration, checked: `--base-config`, else `base_config.json`.
    pub base_config: Option<Vec<u8>>,
    /// Where the base configuration came from, if not from a flag.
    pub base_path: Option<PathBuf>,
    /// The conversation's directory.
    pub directory: Option<PathBuf>,
}

impl Source {
    /// Opens one input; `-` is standard input.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or a directory holds no conversation.
    pub fn open(
        path: &Path,
        base_config: Option<&[u8]>,
        no_base: bool,
    ) -> Result<Self, Error> {
        let given = || Beside {
            base_config: base_config.map(<[u8]>::to_vec),
            ..Beside::default()
        };
        if path.as_os_str() == "-" {
            return Ok(Self {
                name: None,
                reader: Box::new(standard_input()),
                size: None,
                beside: given(),
                broken_base: None,
            });
        }
        let found = by_id(path);
        let path = found.as_deref().unwrap_or(path);
        let name = path.display().to_string();
        let at = |error: Error| Error {
            position: crate::error::Position {
                input: Some(name.clone()),
                ..error.position
            },
            ..error
        };
        let directory = path.is_dir();
        let events = if directory {
            path.join("events.json")
        } else {
            path.to_owned()
        };
        if directory {
            let holds = workspace::holds_events(path);
            if !holds.map_err(|error| at(unreadable(&error)))? {
                return Err(at(not_a_conversation(path)));
            }
        }
        let file = File::open(&events).map_err(|error| at(unreadable(&error)))?;
        let size = file
            .metadata()
            .ok()
            .filter(std::fs::Metadata::is_file)
            .map(|d| d.len());
        let mut beside = given();
        let mut broken_base = None;
        let stored =
            directory || events.file_name().is_some_and(|n| n == "events.json");
        if stored {
            let home = events.parent().unwrap_or(Path::new(""));
            let base = home.join("base_config.json");
            if !no_base && base_config.is_none() && base.is_file() {
                let read = std::fs::read(&base).map_err(|error| unreadable(&error));
                match read.and_then(checked_base) {
                    Ok(bytes) => {
                        beside.base_config = Some(bytes);
                        beside.base_path = Some(base);
                    }
                    Err(error) => {
                        let message = format!("base_config.json: {}", error.message);
                        broken_base = Some(at(Error { message, ..error }));
                    }
                }
            }
            beside.directory = Some(home.to_owned());
        }
        Ok(Self {
            name: Some(name),
            reader: Box::new(file),
            size,
            beside,
            broken_base,
        })
    }
}

/// The directory of the conversation that `path` is the id of, in the workspace here
/// or above: `17800836875`, or `jp-c17800836875` as the program that stored it says.
pub(super) fn by_id(path: &Path) -> Option<PathBuf> {
    let name = path.to_str()?;
    let id = name.strip_prefix("jp-c").unwrap_or(name);
    let digits = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    // A file of that name is what was meant.
    if !digits || path.symlink_metadata().is_ok() {
        return None;
    }
    let here = std::env::current_dir().ok()?;
    let folder = here.ancestors().find_map(workspace::conversations)?;
    let homes = workspace::list(&folder, true).ok()?;
    let home = homes.into_iter().find(|home| home.id == id)?;
    Some(match home.path.strip_prefix(&here) {
        Ok(short) => short.to_owned(),
        Err(_) => home.path,
    })
}

/// The bytes of a base configuration, found to be one JSON object.
///
/// # Errors
///
/// They are something else.
pub fn checked_base(mut bytes: Vec<u8>) -> Result<Vec<u8>, Error> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    let found = match Raw::parse(&bytes) {
        Ok(value) if value.kind() == Kind::Object => return Ok(bytes),
        Ok(value) => format!("found {}", value.kind().name()),
        Err(error) => format!("byte {}: {error}", error.offset),
    };
    Err(Error::new(
        ErrorKind::Input,
        "base-config",
        format!("the base configuration is no JSON object: {found}"),
    ))
}

/// An input that the system will not give.
pub fn unreadable(error: &io::Error) -> Error {
    Error::new(
        ErrorKind::Input,
        "unreadable",
        format!("cannot be read: {error}"),
    )
}

fn not_a_conversation(path: &Path) -> Error {
    let error = Error::new(
        ErrorKind::Input,
        "no-events",
        "expected a conversation directory, found one without events.json",
    );
    let workspace = path.join(".jp/conversations").is_dir()
        || path.join("conversations").is_dir()
        || path.file_name().is_some_and(|name| name == "conversations");
    match workspace {
        true => error.hint("this looks like a workspace: convo bundle DIR | convo ..."),
        false => error,
    }
}
