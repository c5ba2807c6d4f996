//! Files of facts laid over the table: the built-in ones, then the user's.

use super::caching::{Caching, PlatformFacts};
use super::entry::{Model, unknown_key, wrong};
use super::feature::{Feature, Platform, Way};
use super::names::Names;
use super::source::{Layer, Sources};
use super::{CLAUDE, Table};
use crate::error::{Error, ErrorKind};
use crate::json::{Kind, Raw};
use std::sync::Arc;

const BUILT_IN: [&str; 5] = [
    include_str!("facts/anthropic.json"),
    include_str!("facts/openai.json"),
    include_str!("facts/google.json"),
    include_str!("facts/others.json"),
    include_str!("facts/caches.json"),
];

const BUILT_IN_TITLE: &str = "built in";

/// What a file may hold.
const KEYS: &[&str] = &[
    "models",
    "families",
    "caches",
    "features",
    "platforms",
    "limits",
    "sources",
    "cited",
];

impl Table {
    /// The table the program was built with.
    pub fn built_in() -> Self {
        let mut table = Self::default();
        for file in BUILT_IN {
            let read = table.merge_file(file.as_bytes(), BUILT_IN_TITLE);
            debug_assert!(read.is_ok(), "the built-in table: {read:?}");
        }
        table
    }

    /// Lays a file over this table: an object of `models`, `families`, `caches`,
    /// `features`, `platforms` and `limits`, each optional; an array of models; or
    /// one model.
    ///
    /// A model of a known `id` (or `name`) changes in the fields given, with every
    /// provider that has it unless the entry names one. A new one starts as a copy
    /// of the model its `like` names; else a Claude model as a copy of the newest,
    /// any other with nothing known.
    ///
    /// # Errors
    ///
    /// Bytes that are not JSON, or not of that shape; a key that is no fact.
    pub fn merge(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.merge_file(bytes, "--model-details")
    }

    /// [`Self::merge`] of a file that reports call `title`.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn merge_file(&mut self, bytes: &[u8], title: &str) -> Result<(), Error> {
        let root = Raw::parse(bytes).map_err(|error| {
            let message = error.to_string();
            Error::new(ErrorKind::Input, "json-syntax", message).byte(error.offset)
        })?;
        let sources = Arc::new(Sources::read(root, title));
        let entries = match root.kind() {
            Kind::Array => return self.merge_models(root, "", &sources),
            Kind::Object => root,
            _ => return Err(wrong("", "an object or an array of models", root)),
        };
        if entries.get("id").or_else(|| entries.get("name")).is_some() {
            return self.merge_model(entries, "", &sources);
        }
        for (key, value) in entries.as_object().into_iter().flatten() {
            let key = key.decode();
            let path = format!("/{key}");
            match &*key {
                "models" => self.merge_models(value, &path, &sources)?,
                "families" => self.merge_families(value, &path, &sources)?,
                "caches" => self.merge_caches(value, &path, &sources)?,
                "features" => {
                    self.merge_features(value, &path)?;
                    self.say("features", value, &sources);
                }
                "platforms" => self.merge_platforms(value, &path, &sources)?,
                "limits" => {
                    self.limits.read(value, &path)?;
                    self.say("limits", value, &sources);
                }
                "sources" | "cited" => {}
                _ => return Err(unknown_key("", &key, KEYS)),
            }
        }
        Ok(())
    }

    fn say(&mut self, of: &'static str, value: Raw<'_>, sources: &Arc<Sources>) {
        Arc::make_mut(&mut self.said).push((of, Layer::new(value, sources)));
    }

    fn merge_models(
        &mut self,
        list: Raw<'_>,
        path: &str,
        sources: &Arc<Sources>,
    ) -> Result<(), Error> {
        for (index, entry) in entries(list, path)? {
            self.merge_model(entry, &format!("{path}/{index}"), sources)?;
        }
        Ok(())
    }

    fn merge_model(
        &mut self,
        entry: Raw<'_>,
        path: &str,
        sources: &Arc<Sources>,
    ) -> Result<(), Error> {
        let text = |key| entry.get(key).and_then(Raw::as_str);
        let id = text("id").or_else(|| text("name"));
        let id =
            id.ok_or_else(|| wrong(path, "a model with an `id` or `name`", entry))?;
        let provider = text("provider");
        let layer = Layer::new(entry, sources);
        let models = Arc::make_mut(&mut self.models);
        let mut found = false;
        for known in models.iter_mut().filter(|model| model.is(&id)) {
            if provider.as_deref().is_none_or(|one| one == known.provider) {
                let (own, known) = (known.id.clone(), Arc::make_mut(known));
                known.read_entry(entry, path, layer.clone())?;
                // Told apart by one of its other names, it keeps its own.
                known.id = own;
                found = true;
            }
        }
        if found {
            return Ok(());
        }
        let is_claude = match provider.as_deref() {
            Some(provider) => provider == CLAUDE,
            None => id.contains("claude"),
        };
        let like = match text("like") {
            Some(name) => {
                let mut all = self.models.iter();
                let like = all.find(|model| model.is(&name));
                let path = format!("{path}/like");
                Some(like.ok_or_else(|| wrong(&path, "a model of the table", entry))?)
            }
            // What the program was built with says all it knows of each.
            None if is_claude && !sources.are_of(BUILT_IN_TITLE) => self.newest(),
            None => None,
        };
        let mut model = match like {
            Some(like) => Model::clone(like).renamed(&id),
            None => Model::unknown(&id),
        };
        if is_claude && model.provider.is_empty() {
            CLAUDE.clone_into(&mut model.provider);
        }
        model.read_entry(entry, path, layer)?;
        Arc::make_mut(&mut self.models).push(Arc::new(model));
        Ok(())
    }

    fn merge_families(
        &mut self,
        list: Raw<'_>,
        path: &str,
        sources: &Arc<Sources>,
    ) -> Result<(), Error> {
        let mut new = Vec::new();
        for (index, entry) in entries(list, path)? {
            let mut model = Model::unknown("");
            let layer = Layer::new(entry, sources);
            model.read_entry(entry, &format!("{path}/{index}"), layer)?;
            model.is_known = false;
            model.names.clear();
            new.push((Names::read(entry), Arc::new(model)));
        }
        // The first that fits counts: what is laid over goes in front.
        let families = Arc::make_mut(&mut self.families);
        families.splice(0..0, new);
        Ok(())
    }

    fn merge_caches(
        &mut self,
        list: Raw<'_>,
        path: &str,
        sources: &Arc<Sources>,
    ) -> Result<(), Error> {
        let mut new = Vec::new();
        for (index, entry) in entries(list, path)? {
            let path = format!("{path}/{index}");
            let id = entry.get("id").and_then(Raw::as_str);
            let id = id.ok_or_else(|| wrong(&path, "a cache with an `id`", entry))?;
            let layer = Layer::new(entry, sources);
            let caches = Arc::make_mut(&mut self.caches);
            match caches.iter_mut().find(|one| one.id == id) {
                Some(known) => Arc::make_mut(known).read(entry, &path, layer)?,
                None => {
                    let mut caching = Caching::default();
                    caching.read(entry, &path, layer)?;
                    new.push(Arc::new(caching));
                }
            }
        }
        Arc::make_mut(&mut self.caches).splice(0..0, new);
        Ok(())
    }

    fn merge_features(&mut self, all: Raw<'_>, path: &str) -> Result<(), Error> {
        let members = all.as_object();
        for (name, ways) in members.ok_or_else(|| wrong(path, "an object", all))? {
            let name = name.decode();
            let Some(feature) = Feature::parse(&name) else {
                let known = Feature::ALL.map(Feature::name);
                return Err(unknown_key(path, &name, &known));
            };
            let path = format!("{path}/{name}");
            let mut read = Vec::new();
            for (index, way) in entries(ways, &path)? {
                read.push(Way::read(way, &format!("{path}/{index}"))?);
            }
            let features = Arc::make_mut(&mut self.features);
            features.retain(|(one, _)| *one != feature);
            features.push((feature, read));
        }
        Ok(())
    }

    fn merge_platforms(
        &mut self,
        all: Raw<'_>,
        path: &str,
        sources: &Arc<Sources>,
    ) -> Result<(), Error> {
        let members = all.as_object();
        for (name, entry) in members.ok_or_else(|| wrong(path, "an object", all))? {
            let name = name.decode();
            if Platform::parse(&name).is_none() {
                let known = Platform::ALL.map(Platform::name);
                return Err(unknown_key(path, &name, &known));
            }
            let path = format!("{path}/{name}");
            if let Some(limits) = entry.get("limits") {
                self.limits
                    .clone()
                    .read(limits, &format!("{path}/limits"))?;
            }
            let platforms = Arc::make_mut(&mut self.platforms);
            let at = platforms.iter().position(|one| one.name == name);
            let at = at.unwrap_or_else(|| {
                platforms.push(PlatformFacts {
                    name: name.clone().into_owned(),
                    ..PlatformFacts::default()
                });
                platforms.len() - 1
            });
            platforms[at].read(entry, &path, Layer::new(entry, sources))?;
        }
        Ok(())
    }
}

fn entries<'a>(
    list: Raw<'a>,
    path: &str,
) -> Result<impl Iterator<Item = (usize, Raw<'a>)>, Error> {
    let list = list
        .as_array()
        .ok_or_else(|| wrong(path, "an array", list))?;
    Ok(list.enumerate())
}
