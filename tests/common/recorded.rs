//! Corpus files as values.

use super::corpus::cases;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The files of a corpus folder with that ending, sorted.
pub(crate) fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = cases(folder);
    found.retain(|path| path.to_string_lossy().ends_with(ending));
    found
}

/// The last component of a path.
pub(crate) fn file_name(path: &Path) -> String {
    let name = path.file_name().expect("a name");
    name.to_string_lossy().into_owned()
}

/// A JSON file, gzip or not.
pub(crate) fn json(path: &Path) -> Value {
    use std::io::Read as _;
    let mut bytes = std::fs::read(path).expect("a corpus file");
    if path.extension().is_some_and(|end| end == "gz") {
        let packed = std::mem::take(&mut bytes);
        let mut decoder = flate2::read::GzDecoder::new(&packed[..]);
        decoder.read_to_end(&mut bytes).expect("a gzip file");
    }
    serde_json::from_slice(&bytes).expect("JSON")
}

/// A stored conversation: its separate base, if it has one, and its entries.
pub(crate) fn conversation(folder: &Path) -> (Option<Value>, Vec<Value>) {
    let events = json(&folder.join("events.json"));
    let base = folder.join("base_config.json");
    let base = base.exists().then(|| json(&base));
    let events = events.as_array().expect("an array").clone();
    (base, events)
}
