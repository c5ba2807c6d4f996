//! The inputs a command was given: files, standard input, directories.
//!
//! A conversation directory, or an `events.json` with a `base_config.json` beside
//! it, brings its base along (`design.md` 2.1).

use crate::error::{Error, ErrorKind};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

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
}

/// The files beside an `events.json`.
#[derive(Debug, Clone, Default)]
pub struct Beside {
    /// The bytes of the base configuration: `--base-config`, else
    /// `base_config.json`.
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
                reader: Box::new(io::stdin().lock()),
                size: None,
                beside: given(),
            });
        }
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
        if directory && !events.is_file() {
            return Err(at(not_a_conversation(path)));
        }
        let file = File::open(&events).map_err(|error| at(unreadable(&error)))?;
        let size = file
            .metadata()
            .ok()
            .filter(std::fs::Metadata::is_file)
            .map(|d| d.len());
        let mut beside = given();
        let stored =
            directory || events.file_name().is_some_and(|n| n == "events.json");
        if stored {
            let home = events.parent().unwrap_or(Path::new(""));
            let base = home.join("base_config.json");
            if !no_base && base_config.is_none() && base.is_file() {
                let bytes = std::fs::read(&base).map_err(|error| {
                    at(Error {
                        message: format!("base_config.json: {}", unreadable(&error)),
                        ..unreadable(&error)
                    })
                })?;
                beside.base_config = Some(bytes);
                beside.base_path = Some(base);
            }
            beside.directory = Some(home.to_owned());
        }
        Ok(Self {
            name: Some(name),
            reader: Box::new(file),
            size,
            beside,
        })
    }
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
