//! `--check-catalogue`: has what servers list now drifted from a lock file?

use crate::cli::filter::{Answer, Filter};
use crate::cli::origin::Record;
use crate::cli::output::Output;
use crate::cli::place_args::parsed;
use crate::cli::request::{options_for, read};
use crate::cli::{CommonArgs, Exit, StreamArgs};
use crate::directive::CatalogueFile;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::json::{Kind, Raw};
use crate::provider::{Options, definitions};
use crate::term::{counted, counted_are, line};
use std::collections::HashMap;
use std::path::Path;

/// Holds the tools of each input against the lock file.
///
/// # Errors
///
/// A lock file that cannot be read or is none.
pub(super) fn run(
    path: &Path,
    options: &Options<'_>,
    stream: &StreamArgs,
    common: &CommonArgs,
) -> Result<Exit, Error> {
    let refuse = |what: &str| {
        let error = Error::new(ErrorKind::Usage, "check-catalogue", what);
        Err(error.hint(
            "give the lock file with --check-catalogue, and what servers list now with \
             --catalogue",
        ))
    };
    if options.catalogue.is_some_and(|file| file.lock().is_some()) {
        return refuse("--check-catalogue: --catalogue names a lock file too");
    }
    let bytes = read(path, "--check-catalogue")?;
    let lock = parsed(&bytes, path)?;
    if lock.lock().is_none() {
        return refuse("--check-catalogue: not a file that --write-catalogue wrote");
    }
    let check = Check {
        options: *options,
        lock: &lock,
    };
    Ok(common.run(&check, stream, "place-directives"))
}

struct Check<'a> {
    options: Options<'a>,
    lock: &'a CatalogueFile<'a>,
}

impl Filter for Check<'_> {
    fn conversation(
        &self,
        record: &Record<'_>,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        let options = options_for(&self.options, record);
        let found = definitions(&record.conversation, &options, told)?;
        let mut now: HashMap<String, Option<Vec<u8>>> = found.into_iter().collect();
        let (mut drifted, mut idle) = (0, 0);
        let mut say = |name: &str, what: &str| {
            drifted += 1;
            let text = format!("{}: {}\n", line(name), line(what));
            output.bytes.extend_from_slice(text.as_bytes());
        };
        let entries = self.lock.lock().map_or(&[][..], |lock| &lock.entries);
        for entry in entries {
            match now.remove(&*entry.name) {
                None => idle += 1,
                Some(None) => say(&entry.name, "gone: nobody lists it"),
                Some(Some(now)) if *now == *entry.definition => {}
                Some(Some(now)) => {
                    let (old, new) =
                        (Raw::checked(&entry.definition), Raw::checked(&now));
                    let mut paths = Vec::new();
                    differences(old, new, &mut String::new(), &mut paths);
                    let what = match paths.is_empty() {
                        true => "changed: its bytes, not its values".to_owned(),
                        false => format!("changed at {}", paths.join(", ")),
                    };
                    say(&entry.name, &what);
                }
            }
        }
        let mut new: Vec<_> =
            now.into_iter().filter(|(_, one)| one.is_some()).collect();
        new.sort();
        for (name, _) in &new {
            say(name, "new: the lock file does not hold it");
        }
        if idle > 0 {
            let text = format!(
                "{} not in the configuration, and not looked at",
                counted_are(idle, "tool of the lock file")
            );
            told.push(Diagnostic::note("catalogue-unused", text));
        }
        if drifted == 0 {
            return Ok(Answer::Good);
        }
        let text = format!("{} drifted from the lock file", counted(drifted, "tool"));
        told.push(Diagnostic::warning("catalogue-drifted", text).hint(
            "write it anew with --write-catalogue, which costs the cached prefix once",
        ));
        Ok(Answer::No)
    }
}

/// How deep two definitions are compared, and how many places are named.
const DEPTH: usize = 64;
const PLACES: usize = 8;

/// The places where two values differ, as JSON Pointers.
fn differences(a: Raw<'_>, b: Raw<'_>, path: &mut String, out: &mut Vec<String>) {
    let depth = path.bytes().filter(|byte| *byte == b'/').count();
    let both = a.kind() == Kind::Object && b.kind() == Kind::Object;
    if !both || depth >= DEPTH {
        let same = match (a.as_str(), b.as_str()) {
            (Some(a), Some(b)) => a == b,
            _ => a.bytes() == b.bytes(),
        };
        if !same && out.len() < PLACES {
            out.push(path.clone());
        }
        return;
    }
    let keys = |one: Raw<'_>| -> Vec<String> {
        let members = one.as_object().into_iter().flatten();
        members.map(|(key, _)| key.decode().into_owned()).collect()
    };
    let mut all = keys(a);
    all.extend(keys(b).into_iter().filter(|key| a.get(key).is_none()));
    for key in all {
        let length = path.len();
        path.push('/');
        path.push_str(&key.replace('~', "~0").replace('/', "~1"));
        match (a.get(&key), b.get(&key)) {
            (Some(a), Some(b)) => differences(a, b, path, out),
            _ if out.len() < PLACES => out.push(path.clone()),
            _ => {}
        }
        path.truncate(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(a: &str, b: &str) -> Vec<String> {
        let mut out = Vec::new();
        let read = |text| Raw::parse(text).expect("JSON");
        let (a, b) = (read(a.as_bytes()), read(b.as_bytes()));
        differences(a, b, &mut String::new(), &mut out);
        out
    }

    #[test]
    fn differences_are_named_by_their_place() {
        assert_eq!(places(r#"{"a":1}"#, r#"{"a":1}"#), [""; 0]);
        assert_eq!(places(r#"{"a":"A"}"#, r#"{"a":"\u0041"}"#), [""; 0]);
        let found = places(r#"{"a":{"x/y":1},"b":2}"#, r#"{"a":{"x/y":2},"c":2}"#);
        assert_eq!(found, ["/a/x~1y", "/b", "/c"]);
    }
}
