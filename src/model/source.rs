//! Where facts come from: every one has a source, and a source a date.

use super::entry::{ASIDE, Shared};
use crate::json::Raw;
use std::sync::Arc;

/// A page, or a file given by the user, that a fact was read in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// What it is called.
    pub title: String,
    /// Where it is, if anybody can go there.
    pub url: Option<String>,
    /// Its date, or when it was read: a year, a month or a day.
    pub date: Option<String>,
}

impl Source {
    /// A source of which only the title is known, such as a file of the user's.
    pub(super) fn titled(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            url: None,
            date: None,
        }
    }

    fn read(raw: Raw<'_>) -> Self {
        let text = |key| raw.get(key).and_then(Raw::as_str).map(Into::into);
        Self {
            title: text("title").unwrap_or_default(),
            url: text("url"),
            date: text("date"),
        }
    }
}

/// The sources of one file, and which of its keys cite which.
#[derive(Debug, Clone, Default)]
pub(super) struct Sources {
    named: Vec<(String, Arc<Source>)>,
    cited: Vec<(String, String)>,
    default: Option<Arc<Source>>,
}

impl Sources {
    /// Reads the `sources` and `cited` of a file called `title`.
    pub(super) fn read(root: Raw<'_>, title: &str) -> Self {
        let members =
            |key| root.get(key).and_then(Raw::as_object).into_iter().flatten();
        Self {
            named: members("sources")
                .map(|(id, raw)| (id.decode().into(), Arc::new(Source::read(raw))))
                .collect(),
            cited: members("cited")
                .filter_map(|(key, id)| {
                    Some((key.decode().into(), id.as_str()?.into()))
                })
                .collect(),
            default: Some(Arc::new(Source::titled(title))),
        }
    }

    /// Whether they are of the file called `title`.
    pub(super) fn are_of(&self, title: &str) -> bool {
        self.default.as_ref().is_some_and(|one| one.title == title)
    }

    /// The source of a key in `entry`: what the entry says of the key, then of
    /// itself, then what the file says of the key, or of all.
    pub(super) fn of(&self, entry: Raw<'_>, key: &str) -> Option<Arc<Source>> {
        let own = entry.get("sources").and_then(|all| all.get(key));
        let own = own.or_else(|| entry.get("source")).and_then(Raw::as_str);
        let cited = |wanted: &str| {
            let found = self.cited.iter().find(|(one, _)| one == wanted);
            found.map(|(_, id)| id.as_str())
        };
        let id = own.as_deref().or_else(|| cited(key)).or_else(|| cited("*"));
        let named = id.and_then(|id| {
            let found = self.named.iter().find(|(one, _)| one == id);
            found.map(|(_, source)| Arc::clone(source))
        });
        named.or_else(|| self.default.clone())
    }
}

/// An entry as it was read, kept to show what is believed and why.
#[derive(Debug, Clone)]
pub(super) struct Layer {
    entry: Shared,
    sources: Arc<Sources>,
}

impl Layer {
    pub(super) fn new(entry: Raw<'_>, sources: &Arc<Sources>) -> Self {
        Self {
            entry: String::from_utf8_lossy(entry.bytes()).into(),
            sources: Arc::clone(sources),
        }
    }

    /// Its facts.
    pub(super) fn facts(&self) -> impl Iterator<Item = Fact<'_>> {
        let entry = Raw::checked(self.entry.as_bytes());
        let members = entry.as_object().into_iter().flatten();
        members.filter_map(move |(key, value)| {
            let key = key.decode().into_owned();
            let aside =
                ASIDE.contains(&&*key) || ["id", "name", "provider"].contains(&&*key);
            (!aside).then(|| Fact {
                source: self.sources.of(entry, &key),
                key,
                value,
            })
        })
    }
}

/// The facts that count: of two that speak of one thing the later one, in the place
/// of the first.
pub(super) fn latest<'t>(facts: impl Iterator<Item = Fact<'t>>) -> Vec<Fact<'t>> {
    let mut all: Vec<Fact<'t>> = Vec::new();
    for fact in facts {
        match all.iter_mut().find(|one| one.key == fact.key) {
            Some(one) => *one = fact,
            None => all.push(fact),
        }
    }
    all
}

/// One thing that is believed.
#[derive(Debug, Clone)]
pub struct Fact<'t> {
    /// What it is about.
    pub key: String,
    /// The value, as the entry has it.
    pub value: Raw<'t>,
    /// Where it was read.
    pub source: Option<Arc<Source>>,
}
