//! What several test modules share.

pub(crate) mod bodies;
pub(crate) mod command;
pub(crate) mod compare;
pub(crate) mod corpus;
pub(crate) mod fast;
pub(crate) mod generate;
pub(crate) mod markdown;
pub(crate) mod oracle;
pub(crate) mod outline;
#[allow(unreachable_pub)] // The fuzz targets see it as their own.
pub(crate) mod readers;
pub(crate) mod recorded;
pub(crate) mod screen;
pub(crate) mod spell;

use std::path::{Path, PathBuf};

/// A path below `fixtures/`.
pub(crate) fn fixture_path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures")
        .join(name)
}

/// The bytes of a file below `fixtures/`.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let path = fixture_path(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder below `fixtures/` with one extension, sorted.
pub(crate) fn fixtures(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = fixture_path(folder);
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("a directory entry").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    paths.sort();
    paths
}
