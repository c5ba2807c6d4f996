//! Where deriving begins: the configuration at the first `chat_request`, and the
//! catalogue there.

use super::derive::Deriver;
use super::tell::{self, Missing};
use super::tool::Tools;
use super::{CatalogueFile, Dialect, Entry};
use crate::config::{Source, Warnings};
use std::sync::Arc;

impl<'a> Deriver<'a, '_> {
    /// Back to the first `chat_request`.
    pub(super) fn start(&mut self, dialect: &dyn Dialect<'a>, warnings: &mut Warnings) {
        self.config = (*self.head).clone();
        self.config.take_kept();
        self.next = self.head_delta;
        self.system = self.config.versions().system;
        let prompt = self.config.system_prompt().to_owned();
        self.prompt = (self.config.versions().prompt, prompt);
        self.texts = None;
        self.stops.clear();
        self.spoiled = false;
        self.new_anchor = false;
        warnings.event = None;
        let Some(mode) = self.setup.tools else {
            self.head_has_tools = match &self.setup.given {
                Some(given) => !given.is_empty(),
                None => {
                    let locked = !self.locked().0.is_empty();
                    let mut tools = self.head.tools().iter();
                    locked || tools.any(|one| dialect.define(one, warnings).is_some())
                }
            };
            return;
        };
        let given = self.setup.given.clone();
        let mut tools = Tools::new(mode, self.setup.limits, given.is_some());
        let (locked, anchor) = self.locked();
        let mut crowded = Vec::new();
        let outside = given.as_deref().unwrap_or(locked);
        for entry in outside {
            if !tools.define(&entry.name, &entry.definition) {
                crowded.push(entry.name.clone());
            }
        }
        if given.is_none() {
            let missing = self.define_all(&mut tools, dialect, &mut crowded, warnings);
            missing.tell(warnings);
        }
        let anchor = anchor.filter(|_| given.is_none() && crowded.is_empty());
        let choice = self.stored_choice();
        tools.settle(&self.config, choice.function(), anchor);
        tell::crowded(&crowded, warnings);
        self.declared = tools.len();
        self.head_has_tools = !tools.is_empty();
        self.tools = Some(tools);
    }

    fn locked(&self) -> (&[Entry], Option<usize>) {
        match self.setup.file {
            Some(CatalogueFile::Lock(lock, _)) => (&lock.entries, Some(lock.anchor)),
            _ => (&[], None),
        }
    }

    /// Takes in the tools of the configuration at the first `chat_request`.
    fn define_all(
        &self,
        tools: &mut Tools,
        dialect: &dyn Dialect<'a>,
        crowded: &mut Vec<Arc<str>>,
        warnings: &mut Warnings,
    ) -> Missing {
        let mut missing = Missing::default();
        let (locked, _) = self.locked();
        let all = self.config.tools();
        let choice = self.stored_choice();
        let mut found = 0;
        for tool in all.iter() {
            let is_locked = !locked.is_empty() && tools.knows(&tool.name);
            found += usize::from(is_locked);
            match dialect.define(tool, warnings) {
                Some(definition) => {
                    let is_new = !locked.is_empty() && !is_locked;
                    missing
                        .unlocked
                        .extend(is_new.then(|| tool.name.to_string()));
                    if !tools.define(&tool.name, &definition.into()) {
                        crowded.push((&*tool.name).into());
                    }
                }
                None if !is_locked && all.is_available(tool, choice.function()) => {
                    match tool.source() {
                        Some(Source::Mcp) => missing.mcp.push(tool.name.to_string()),
                        None => missing.sourceless.push(tool.name.to_string()),
                        Some(Source::Builtin | Source::Local) => {}
                    }
                }
                None => {}
            }
            tools.touch(&self.config, &tool.name);
        }
        missing.unstored = locked.len() - found;
        missing
    }
}
