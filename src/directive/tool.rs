//! Which tools are known, and which are offered.
//!
//! Tools enter when a delta makes them resolvable, one by one, and are compared at
//! boundaries, only those that something was said of (D-30: a change of `*` speaks
//! of all that have no opinion of their own). What the limits of one request leave
//! no room for stays outside (`docs/directives.md#catalogue`).

use super::catalogue::{Catalogue, Entry};
use super::{Offered, Setup, ToolChange, ToolMode};
use crate::config::{Config, ToolChoice};
use crate::model::Limits;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Bytes that an entry of `tools` may have beside its definition.
const MARK: usize = 64;

/// A tool that has a definition.
#[derive(Debug)]
struct Known {
    entry: Entry,
    /// The definition last declared or sent.
    sent: Arc<[u8]>,
    /// The definition in force.
    current: Arc<[u8]>,
    /// Whether `tools` holds it.
    declared: bool,
    /// Whether a message has held its definition.
    in_message: bool,
    /// Whether the configuration still has a definition of it.
    resolves: bool,
    offered: bool,
    /// Whether it is told that its definition was edited.
    told: bool,
    /// Whether a request has offered it, or a lock file holds it: what `tools` says
    /// of it stays.
    fixed: bool,
}

impl Known {
    fn bytes(&self) -> usize {
        self.sent.len() + MARK
    }
}

/// What has been found out at a boundary, to be told.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Tools whose definition was edited and is sent as it was.
    pub(super) edited: Vec<Arc<str>>,
    /// Tools that the limits leave no room for.
    pub(super) crowded: Vec<Arc<str>>,
    /// Whether a definition that comes by value moves the start of the prompt, for
    /// `tools` has no entry that is not deferred.
    pub(super) pays: bool,
}

/// The tools of a conversation so far.
#[derive(Debug)]
pub(super) struct Tools {
    mode: ToolMode,
    limits: Limits,
    known: Vec<Known>,
    index: HashMap<Arc<str>, usize>,
    anchor: Option<usize>,
    /// Those something was said of since the last boundary.
    dirty: BTreeSet<usize>,
    /// Those whose state is that of `*`.
    inheriting: BTreeSet<usize>,
    /// Those that are to be offered and for which there was no room.
    crowded: BTreeSet<usize>,
    /// Whether there is more room than when they were last looked at.
    freed: bool,
    /// Whether an edited definition may come by value in every mode.
    values: bool,
    /// Whether the first definition by value has yet to cost the prompt.
    unpaid: bool,
    offered: usize,
    offered_bytes: usize,
    later: usize,
    later_bytes: usize,
    /// The state of `*` and the tool that must be called, at the last boundary.
    common: (Option<bool>, Option<String>),
    /// Tools given from outside are all offered, whatever the configuration says.
    given: bool,
    /// Whether none is offered for now.
    silent: bool,
}

impl Tools {
    pub(super) fn new(setup: &Setup<'_>) -> Self {
        // What is flattened is written whole, whatever one request holds.
        let limits = match setup.flat_tools {
            true => Limits {
                deferred_tools: usize::MAX,
                tool_text_bytes: usize::MAX,
                later_tools: usize::MAX,
                later_tool_bytes: usize::MAX,
                ..setup.limits
            },
            false => setup.limits,
        };
        Self {
            mode: setup.mode,
            limits,
            known: Vec::new(),
            index: HashMap::new(),
            anchor: None,
            dirty: BTreeSet::new(),
            inheriting: BTreeSet::new(),
            crowded: BTreeSet::new(),
            freed: false,
            values: setup.values || setup.flat_tools,
            unpaid: false,
            offered: 0,
            offered_bytes: 0,
            later: 0,
            later_bytes: 0,
            common: (None, None),
            given: setup.given.is_some(),
            silent: false,
        }
    }

    /// Whether any tool is known.
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Whether a tool of that name is known.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.index.contains_key(name)
    }

    /// Whether nobody needs the definition in force.
    pub(super) fn is_settled(&self, name: &str) -> bool {
        let at = self.index.get(name);
        let sent = self.mode == ToolMode::Deferred && !self.values;
        at.is_some_and(|&at| sent && self.known[at].told)
    }

    /// What `tools` says of a tool stays, offered or not.
    pub(super) fn fix(&mut self, name: &str) {
        if let Some(&at) = self.index.get(name) {
            self.known[at].fixed = true;
        }
    }

    /// Whether any tool is offered.
    pub(super) fn any(&self) -> bool {
        self.offered > 0
    }

    /// Whether a configuration offers any of the tools known.
    pub(super) fn wants_any(&self, config: &Config<'_>, choice: Option<&str>) -> bool {
        let mut names = self.known.iter().map(|one| &one.entry.name);
        names.any(|name| self.wants(config, name, choice))
    }

    /// Takes in a tool, or the definition that a known one has now; false if the
    /// limits leave no room for another.
    pub(super) fn define(&mut self, name: &str, definition: &Arc<[u8]>) -> bool {
        if let Some(&at) = self.index.get(name) {
            let one = &mut self.known[at];
            one.current = definition.clone();
            one.resolves = true;
            let deferred = self.mode == ToolMode::Deferred && self.anchor != Some(at);
            if deferred && !one.fixed {
                one.sent = definition.clone();
                one.entry.definition = definition.clone();
            }
            self.dirty.insert(at);
            return true;
        }
        let declares = self.mode == ToolMode::Deferred || self.anchor.is_none();
        let room = self.known.len() <= self.limits.deferred_tools || !declares;
        if !room || definition.len() + MARK > self.limits.tool_text_bytes {
            return false;
        }
        let at = self.known.len();
        let name: Arc<str> = name.into();
        self.index.insert(name.clone(), at);
        self.dirty.insert(at);
        self.known.push(Known {
            entry: Entry {
                name,
                definition: definition.clone(),
            },
            sent: definition.clone(),
            current: definition.clone(),
            declared: declares,
            in_message: false,
            resolves: true,
            offered: false,
            told: false,
            fixed: false,
        });
        true
    }

    /// Whether a known tool has a definition, whatever it is.
    pub(super) fn resolve(&mut self, name: &str, resolves: bool) {
        if let Some(&at) = self.index.get(name) {
            self.known[at].resolves = resolves;
            self.dirty.insert(at);
        }
    }

    /// Something else was said of a tool.
    pub(super) fn touch(&mut self, config: &Config<'_>, name: &str) {
        let Some(&at) = self.index.get(name) else {
            return;
        };
        self.dirty.insert(at);
        let own = config.tools().get(name);
        match own.is_some_and(|tool| tool.enable.state.is_none()) {
            true => self.inheriting.insert(at),
            false => self.inheriting.remove(&at),
        };
    }

    /// Makes a tool the anchor, the one that is offered unless it is removed:
    /// `wanted`, or the first one that is to be offered, or the first.
    pub(super) fn settle(
        &mut self,
        config: &Config<'_>,
        function: Option<&str>,
        wanted: Option<usize>,
    ) {
        if self.anchor.is_some() || self.known.is_empty() {
            return;
        }
        let first = || {
            let names = self.known.iter().map(|one| &one.entry.name);
            let mut names = names.enumerate();
            names.find(|(_, name)| self.wants(config, name, function))
        };
        let anchor = wanted.or_else(|| first().map(|(at, _)| at)).unwrap_or(0);
        self.anchor = Some(anchor);
        self.offer(anchor, true);
    }

    /// As [`Tools::settle`] where no tool was there at first: an inline array stays
    /// without one.
    pub(super) fn settle_late(
        &mut self,
        config: &Config<'_>,
        function: Option<&str>,
    ) -> bool {
        if self.anchor.is_some() || self.known.is_empty() {
            return false;
        }
        if self.mode == ToolMode::Inline {
            self.known.iter_mut().for_each(|one| one.declared = false);
            // Nothing is declared, now or later.
            self.anchor = Some(usize::MAX);
            self.unpaid = true;
            return false;
        }
        self.settle(config, function, None);
        true
    }

    fn wants(&self, config: &Config<'_>, name: &str, choice: Option<&str>) -> bool {
        let tools = config.tools();
        let is_available = || {
            let tool = tools.get(name);
            tool.is_some_and(|tool| tools.is_available(tool, choice))
        };
        !self.silent && (self.given || is_available())
    }

    fn offer(&mut self, at: usize, offered: bool) {
        let one = &mut self.known[at];
        if one.offered == offered {
            return;
        }
        one.offered = offered;
        one.fixed = true;
        self.freed |= !offered;
        let (bytes, later) = (one.bytes(), !one.declared);
        let count = |count: &mut usize, by: usize| {
            *count = match offered {
                true => *count + by,
                false => count.saturating_sub(by),
            };
        };
        count(&mut self.offered, 1);
        count(&mut self.offered_bytes, bytes);
        if later {
            count(&mut self.later, 1);
            count(&mut self.later_bytes, bytes);
        }
    }

    /// About how many bytes the changes take that speak of each tool that is offered.
    pub(super) fn naming(&self) -> usize {
        const AROUND: usize =
            r#"{"type":"tool_removal","tool":{"type":"tool_reference","name":""}},"#
                .len();
        let offered = self.known.iter().filter(|one| one.offered);
        offered.map(|one| AROUND + one.entry.name.len()).sum()
    }

    /// Compares what is offered with what `config` wants; nothing is where `silent`.
    pub(super) fn update(
        &mut self,
        config: &Config<'_>,
        choice: &ToolChoice<'_>,
        silent: bool,
        findings: &mut Findings,
    ) -> Vec<ToolChange> {
        let state = config.tools().defaults().enable.state;
        let function = choice.function().map(str::to_owned);
        if self.common.0 != state {
            self.dirty.extend(&self.inheriting);
        }
        if self.common.1 != function {
            let names = [self.common.1.as_deref(), function.as_deref()];
            let named = names.into_iter().flatten();
            self.dirty
                .extend(named.filter_map(|one| self.index.get(one)));
        }
        self.common = (state, function);
        if std::mem::replace(&mut self.silent, silent) != silent {
            self.dirty.extend(0..self.known.len());
        }
        let mut changes = Vec::new();
        let mut look = std::mem::take(&mut self.dirty);
        // Removals make room: then what there was none for has its turn.
        while !look.is_empty() {
            for at in look {
                let name = self.known[at].entry.name.clone();
                self.crowded.remove(&at);
                let wants = self.known[at].resolves
                    && self.wants(config, &name, choice.function());
                changes.extend(self.change(at, wants, findings).map(|one| (at, one)));
            }
            look = match std::mem::take(&mut self.freed) {
                true => self.crowded.clone(),
                false => BTreeSet::new(),
            };
        }
        changes.sort_by_key(|(at, _)| *at);
        changes.into_iter().map(|(_, change)| change).collect()
    }

    fn change(
        &mut self,
        at: usize,
        wants: bool,
        findings: &mut Findings,
    ) -> Option<ToolChange> {
        let one = &mut self.known[at];
        let name = one.entry.name.clone();
        let values = self.values || self.mode == ToolMode::Inline;
        let edited = one.current != one.sent;
        if edited && !values && !std::mem::replace(&mut one.told, true) {
            findings.edited.push(name.clone());
        }
        if one.offered == wants && !(wants && edited && values) {
            return None;
        }
        if !wants {
            self.offer(at, false);
            return Some(ToolChange::Removal { name });
        }
        let one = &self.known[at];
        let unknown = self.mode == ToolMode::Inline && !one.declared && !one.in_message;
        let by_value = values && edited || unknown;
        if !self.has_room(at, by_value) {
            findings.crowded.push(name);
            self.crowded.insert(at);
            return None;
        }
        let definition = by_value.then(|| self.known[at].current.clone());
        if let Some(definition) = &definition {
            self.offer(at, false);
            let one = &mut self.known[at];
            (one.sent, one.declared) = (definition.clone(), false);
            one.in_message = true;
            findings.pays |= std::mem::take(&mut self.unpaid);
        }
        self.offer(at, true);
        Some(ToolChange::Addition { name, definition })
    }

    fn has_room(&self, at: usize, by_value: bool) -> bool {
        let one = &self.known[at];
        let new = match by_value {
            true => one.current.len() + MARK,
            false => one.bytes(),
        };
        let old = if one.offered { one.bytes() } else { 0 };
        let limits = &self.limits;
        if self.offered_bytes - old + new > limits.tool_text_bytes {
            return false;
        }
        if !by_value && one.declared {
            return true;
        }
        let (count, old) = match one.offered && !one.declared {
            true => (self.later, old),
            false => (self.later + 1, 0),
        };
        count <= limits.later_tools
            && self.later_bytes - old + new <= limits.later_tool_bytes
    }

    /// The `tools` of a body made now.
    pub(super) fn catalogue(&self, declared: usize) -> Option<Catalogue> {
        let anchor = self.anchor.filter(|&anchor| anchor < self.known.len())?;
        let count = match self.mode {
            ToolMode::Deferred => self.known.len(),
            ToolMode::Inline => declared,
        };
        Some(Catalogue {
            entries: self.known[..count]
                .iter()
                .map(|one| one.entry.clone())
                .collect(),
            anchor,
        })
    }

    /// How many tools are known.
    pub(super) fn len(&self) -> usize {
        self.known.len()
    }

    /// Which choices can be made.
    pub(super) fn offered(&self, choice: &ToolChoice<'_>) -> Offered {
        let named = choice.function().and_then(|name| self.index.get(name));
        Offered {
            any: self.offered > 0,
            by_parameter: self.anchor.is_some_and(|anchor| anchor < self.known.len())
                && named.is_none_or(|&at| {
                    self.mode == ToolMode::Deferred || self.known[at].declared
                }),
        }
    }

    /// Whether the tool of that name is offered.
    pub(super) fn offers(&self, name: &str) -> bool {
        let at = self.index.get(name);
        at.is_some_and(|&at| self.known[at].offered)
    }
}
