//! Third-party data: read where it is, told how much of it was, never required of
//! a stranger's clone (`CONTRIBUTING.md`).

use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The corpus folder: `$CONVO_CORPUS`, else `../shared/corpus`, if it is there.
pub(crate) fn corpus() -> Option<PathBuf> {
    let named = std::env::var_os("CONVO_CORPUS").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus")
    });
    folder.is_dir().then_some(folder)
}

/// The sorted paths in a folder of the corpus; none without a corpus.
pub(crate) fn cases(folder: &str) -> Vec<PathBuf> {
    let Some(corpus) = corpus() else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(corpus.join(folder))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("a directory entry").path())
        .collect();
    paths.sort();
    paths
}

/// Says how many cases a corpus test ran. Goes past the test runner's capture.
#[track_caller]
pub(crate) fn report(test: &str, count: usize) {
    let line = match (corpus(), count) {
        (None, _) => format!("{test}: corpus absent: 0 cases\n"),
        (Some(_), count) => format!("{test}: {count} corpus cases\n"),
    };
    let _ = std::io::stderr().write_all(line.as_bytes());
    assert!(corpus().is_none() || count > 0, "{test} ran no case");
}
