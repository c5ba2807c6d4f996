//! Where JP keeps conversations on disk (`docs/formats.md#on-disk`).
//!
//! `<workspace>/.jp/conversations/<id>[-<slug>]/`, archived ones under
//! `.archive`. Other entries that begin with a dot are never looked into.

use std::io;
use std::path::{Path, PathBuf};

/// One conversation's directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Home {
    /// The id as a number, for order and for the time of creation; `None` when the
    /// directory's name does not begin with digits.
    pub number: Option<u64>,
    /// The id as the directory spells it: the part before the first `-`.
    pub id: String,
    /// The directory.
    pub path: PathBuf,
}

impl Home {
    /// What a directory's name says.
    pub fn of(path: &Path) -> Self {
        // A link is called what the link is called, as JP would read it.
        let named = match path.file_name() {
            Some(_) => path.to_owned(),
            None => path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        };
        let name = named.file_name().unwrap_or_default().to_string_lossy();
        let id = name.split('-').next().unwrap_or_default().to_owned();
        Self {
            number: id
                .bytes()
                .all(|b| b.is_ascii_digit())
                .then(|| id.parse().ok())
                .flatten(),
            id,
            path: path.to_owned(),
        }
    }
}

/// Whether a directory holds an `events.json`.
///
/// # Errors
///
/// It cannot be said: a directory that may not be entered, a link to itself.
pub fn holds_events(directory: &Path) -> io::Result<bool> {
    match std::fs::metadata(directory.join("events.json")) {
        Ok(data) => Ok(data.is_file()),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(false),
            _ => Err(error),
        },
    }
}

/// The folder of conversations that `path` is or holds: a workspace, its `.jp`, or
/// the folder itself.
pub fn conversations(path: &Path) -> Option<PathBuf> {
    if path.file_name().is_some_and(|name| name == "conversations") && path.is_dir() {
        return Some(path.to_owned());
    }
    [".jp/conversations", "conversations"]
        .iter()
        .map(|inner| path.join(inner))
        .find(|folder| folder.is_dir())
}

/// The conversations in a folder, by id; archived ones behind the others.
///
/// # Errors
///
/// The folder cannot be read.
pub fn list(folder: &Path, archived: bool) -> io::Result<Vec<Home>> {
    let mut homes = directories(folder)?;
    let archive = folder.join(".archive");
    if archived && archive.is_dir() {
        homes.extend(directories(&archive)?);
    }
    Ok(homes)
}

/// Reads a file of a conversation; a pipe or device, which may never end, is none.
///
/// # Errors
///
/// It cannot be read, or it is no regular file.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let data = std::fs::metadata(path)?;
    if data.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !data.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
    std::fs::read(path)
}

fn directories(folder: &Path) -> io::Result<Vec<Home>> {
    let mut homes = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let path = folder.join(entry.file_name());
        if hidden {
            continue;
        }
        // What cannot be looked at is kept: opening it says why, where passing it
        // over would lose a conversation with a good status.
        match std::fs::metadata(&path) {
            Ok(data) if !data.is_dir() => {}
            Ok(_) | Err(_) => homes.push(Home::of(&path)),
        }
    }
    homes.sort();
    Ok(homes)
}
