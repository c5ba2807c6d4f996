//! The net difference between boundaries, as directives.
//!
//! `docs/directives.md`. A [`Deriver`] starts from the configuration at the first
//! `chat_request` and merges delta after delta; at each boundary it writes down
//! what changed since the one before. What it found is kept, so that the bodies of
//! successive request points cost one walk; boundaries that are not those of the
//! body before, which only a compaction brings about, begin the walk again.

use super::tell::{self, Missing, Tally};
use super::text::Texts;
use super::tool::{Findings, Tools};
use super::{
    Boundary, Catalogue, CatalogueFile, Dialect, Directive, Entry, Offered, ToolChange,
    ToolMode, Voice, Withdrawals,
};
use crate::config::{
    Config, Replay, Source, TOOL_USAGE, ToolChoice, Touched, Warnings,
};
use crate::error::Diagnostic;
use crate::model::Limits;
use std::sync::Arc;

/// What lifts the line for a forced choice.
const LIFTED: &str =
    "The instruction given earlier that you MUST call a tool no longer applies.";

/// What is derived, and from what beside the stream.
#[derive(Debug, Clone, Default)]
pub struct Setup<'s> {
    /// The parts of a prelude from outside, which stand for the sections at the first
    /// `chat_request`.
    pub parts: Option<Vec<Arc<[u8]>>>,
    /// Whether texts are flattened: changes are found all the same, for they move the
    /// head.
    pub flat_texts: bool,
    /// Whether tools are flattened.
    pub flat_tools: bool,
    /// How tools that appear later are made known.
    pub mode: ToolMode,
    /// Whether an edited definition may come by value in every mode.
    pub values: bool,
    /// Whether a text may hold until the user speaks again.
    pub scoped: bool,
    /// Whether changes of effort are said in messages of their own.
    pub efforts: bool,
    /// Whether a changed system prompt is said in place.
    pub personas: bool,
    /// What is said of a section that goes away.
    pub withdrawals: Withdrawals,
    /// What one request may hold.
    pub limits: Limits,
    /// Definitions from outside.
    pub file: Option<&'s CatalogueFile<'s>>,
    /// Tools given from outside, which replace those of the configuration.
    pub given: Option<Vec<Entry>>,
}

/// What was found at one boundary.
#[derive(Debug, Clone)]
pub struct Stop {
    /// The boundary's entry.
    pub entry: usize,
    /// What is said there.
    pub directive: Arc<Directive>,
    /// What a request sent there says beside its messages.
    pub voice: Voice,
    /// The effort that is said before the user's message.
    pub effort: Option<&'static str>,
    /// Whether another system prompt is said there.
    pub persona: bool,
    /// Whether the system prompt is another than at the boundary before.
    pub new_prompt: bool,
    /// Whether the first tool of all appears there.
    pub new_anchor: bool,
    /// Whether sections that are flattened have changed.
    pub new_sections: bool,
    /// Whether tools that are flattened have changed.
    pub new_tools: bool,
    /// Whether the line for a forced choice stands in the prelude, and changed there.
    pub new_nudge: bool,
}

impl Stop {
    /// What of the head of a body is another than at the boundary before.
    pub fn moves_head(&self) -> Option<&'static str> {
        [
            (self.new_prompt, "the system prompt changed"),
            (self.new_anchor, "the first tool appeared"),
            (self.new_sections, "sections changed that are flattened"),
            (self.new_tools, "tools changed that are flattened"),
            (
                self.new_nudge,
                "a forced tool choice is said in the system prompt",
            ),
        ]
        .into_iter()
        .find_map(|(is, why)| is.then_some(why))
    }
}

/// Derives the directives of one conversation.
pub struct Deriver<'a, 'b> {
    points: &'b [usize],
    setup: Setup<'a>,
    choice: Option<ToolChoice<'a>>,
    head: Replay<'a>,
    /// Whether the prelude says how to use tools.
    usage: bool,
    /// Whether that has been said in a directive.
    usage_said: bool,
    /// The line for a forced choice that stands.
    forced: Option<String>,
    /// The effort last said.
    effort: Option<&'static str>,
    /// Whether the choice at the last boundary was to call nothing, and whether that is
    /// said by taking the tools away.
    barred: bool,
    silent: bool,
    crowded: Tally,
    stripped: Tally,
    replay: Replay<'a>,
    system: u32,
    prompt: (u32, String),
    texts: Option<Texts>,
    tools: Option<Tools>,
    declared: usize,
    new_anchor: bool,
    moved: bool,
    /// Whether there was a delta on the way to the boundary at work.
    advanced: bool,
    stops: Vec<Stop>,
    spoiled: bool,
}

/// Two questions about boundaries: whether the user message of one begins a turn, and how
/// many bytes the entries before one are.
type Asked<'q> = (&'q dyn Fn(&Boundary) -> bool, &'q dyn Fn(usize) -> usize);

impl<'a, 'b> Deriver<'a, 'b> {
    /// A deriver before the first boundary. `head` stands before the first entry,
    /// `first` is the index of the first `chat_request`, `choice` the tool choice if it
    /// is given from outside.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        mut head: Replay<'a>,
        first: usize,
        points: &'b [usize],
        setup: Setup<'a>,
        choice: Option<ToolChoice<'a>>,
        dialect: &dyn Dialect<'a>,
        warnings: &mut Warnings,
    ) -> Self {
        head.to(first);
        let mut deriver = Self {
            points,
            setup,
            choice,
            replay: head.clone(),
            head,
            usage: false,
            usage_said: false,
            forced: None,
            effort: None,
            barred: false,
            silent: false,
            crowded: Tally::default(),
            stripped: Tally::default(),
            system: 0,
            prompt: (0, String::new()),
            texts: None,
            tools: None,
            declared: 0,
            new_anchor: false,
            moved: false,
            advanced: false,
            stops: Vec::new(),
            spoiled: false,
        };
        deriver.start(dialect, warnings);
        deriver
    }

    /// Back to the first `chat_request`.
    fn start(&mut self, dialect: &dyn Dialect<'a>, warnings: &mut Warnings) {
        self.replay = self.head.clone();
        self.replay.config_mut().take_kept();
        let config = self.config();
        let (versions, prompt) = (config.versions(), config.system_prompt().to_owned());
        self.system = versions.system;
        self.prompt = (versions.prompt, prompt);
        self.texts = None;
        self.usage_said = false;
        self.forced = None;
        (self.effort, self.barred, self.silent) = (None, false, false);
        self.stops.clear();
        self.spoiled = false;
        self.new_anchor = false;
        self.moved = false;
        warnings.event = None;
        // Who flattens tools tells what there is to tell of them.
        let quiet = &mut Warnings::default();
        let warnings = if self.setup.flat_tools {
            quiet
        } else {
            warnings
        };
        let given = self.setup.given.clone();
        let mut tools = Tools::new(&self.setup);
        let (locked, anchor) = self.locked();
        let mut crowded = Vec::new();
        let outside = given.as_deref().unwrap_or(locked);
        let is_locked = given.is_none();
        for entry in outside {
            if !tools.define(&entry.name, &entry.definition) {
                crowded.push(entry.name.clone());
            } else if is_locked {
                tools.fix(&entry.name);
            }
        }
        if given.is_none() {
            let missing = self.define_all(&mut tools, dialect, &mut crowded, warnings);
            missing.tell(warnings);
        }
        let anchor = anchor.filter(|_| given.is_none() && crowded.is_empty());
        let choice = self.stored_choice();
        tools.settle(self.config(), choice.function(), anchor);
        tell::crowded(&crowded, &mut self.crowded, warnings);
        self.declared = tools.len();
        self.usage = tools.wants_any(self.replay.config(), choice.function());
        self.tools = Some(tools);
    }

    fn locked(&self) -> (&[Entry], Option<usize>) {
        match self.setup.file.and_then(CatalogueFile::lock) {
            Some(lock) => (&lock.entries, Some(lock.anchor)),
            None => (&[], None),
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
        let all = self.config().tools();
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
            tools.touch(self.config(), &tool.name);
        }
        missing.unstored = locked.len() - found;
        missing
    }

    /// The configuration at the first `chat_request`.
    pub fn head(&self) -> &Config<'a> {
        self.head.config()
    }

    fn config(&self) -> &Config<'a> {
        self.replay.config()
    }

    /// Whether the prelude of the body last derived says how to use tools.
    pub fn says_usage(&self) -> bool {
        self.usage
    }

    /// Whether texts are written where they happened.
    pub fn places_texts(&self) -> bool {
        !self.setup.flat_texts
    }

    /// Whether the prelude keeps the prompt that it had at the first `chat_request`.
    pub fn keeps_prompt(&self) -> bool {
        self.setup.personas && !self.setup.flat_texts
    }

    /// The efforts that are said in messages, with the index of their boundary, and
    /// whether they are.
    pub fn efforts(&self) -> Option<impl Iterator<Item = (usize, &'static str)>> {
        let stops = self.stops.iter().enumerate();
        let said = stops.filter_map(|(at, stop)| Some((at, stop.effort?)));
        self.setup.efforts.then_some(said)
    }

    /// The last boundary of the body last derived, by its entry, at which its head
    /// became another, and how.
    pub fn head_moved(&self) -> Option<(usize, &'static str)> {
        let later = self.stops.iter().skip(1).rev();
        let mut moved = later.map(|stop| (stop.entry, stop.moves_head()));
        moved.find_map(|(entry, why)| Some((entry, why?)))
    }

    /// Tells how much more there was of what has been told once.
    pub fn finish(&mut self, warnings: &mut Warnings) {
        tell::more(&self.crowded, &self.stripped, warnings);
    }

    /// What was found at the boundaries of the body last derived.
    pub fn stops(&self) -> &[Stop] {
        &self.stops
    }

    /// The `tools` of that body.
    pub fn catalogue(&self) -> Option<Catalogue> {
        let placed = self.tools.as_ref().filter(|_| !self.setup.flat_tools);
        placed?.catalogue(self.declared)
    }

    /// The tool choice in force, `auto` if it names a tool that is not offered.
    pub fn choice(&self, warnings: &mut Warnings) -> ToolChoice<'a> {
        if self.silent {
            return ToolChoice::Auto;
        }
        let choice = self.stored_choice();
        let placed = self.tools.as_ref().filter(|_| !self.setup.flat_tools);
        if let Some(tools) = placed.filter(|tools| !tools.is_empty())
            && let ToolChoice::Function(name) = &choice
            && !tools.offers(name)
        {
            warnings.list.push(Diagnostic::warning(
                "tool-choice",
                format!("tool choice `{name}` names no tool on offer; sent as `auto`"),
            ));
            return ToolChoice::Auto;
        }
        choice
    }

    /// Which choices can be made of the tools of the body last derived.
    pub fn offered(&self, choice: &ToolChoice<'_>) -> Option<Offered> {
        let placed = self.tools.as_ref().filter(|_| !self.setup.flat_tools);
        placed.map(|tools| tools.offered(choice))
    }

    /// The choice in force and the tools it can be made of; where tools are not
    /// placed, those that the configuration offers.
    fn options(&self, dialect: &dyn Dialect<'a>) -> (ToolChoice<'a>, Offered) {
        let quiet = &mut Warnings::default();
        let choice = self.choice(quiet);
        if let Some(offered) = self.offered(&choice) {
            return (choice, offered);
        }
        let mut offered = Offered {
            any: false,
            by_parameter: true,
        };
        if let Some(given) = &self.setup.given {
            offered.any = !given.is_empty();
            return (choice, offered);
        }
        let all = self.config().tools();
        let function = choice.function();
        let mut is_offered = |tool| {
            all.is_available(tool, function) && dialect.define(tool, quiet).is_some()
        };
        offered.any = match &choice {
            ToolChoice::Auto | ToolChoice::None => false,
            ToolChoice::Required => all.iter().any(is_offered),
            ToolChoice::Function(name) => all.get(name).is_some_and(&mut is_offered),
        };
        (choice, offered)
    }

    fn stored_choice(&self) -> ToolChoice<'a> {
        let given = self.choice.clone();
        given.unwrap_or_else(|| self.config().tool_choice())
    }

    /// Goes to each of the boundaries of a body made from the entries before `end`.
    /// `is_turn` says of a boundary whether its user message begins a turn, `length`
    /// how many bytes the entries before one are.
    pub fn derive(
        &mut self,
        boundaries: &[Boundary],
        end: usize,
        (is_turn, length): Asked<'_>,
        dialect: &dyn Dialect<'a>,
        warnings: &mut Warnings,
    ) {
        let same = |(stop, boundary): (&Stop, &Boundary)| stop.entry == boundary.entry;
        let goes_on = self.stops.len() <= boundaries.len()
            && self.stops.iter().zip(boundaries).all(same);
        if self.spoiled || !goes_on {
            self.start(dialect, warnings);
        }
        for boundary in &boundaries[self.stops.len()..] {
            let is_turn = self.setup.efforts && is_turn(boundary);
            self.bar(boundary.entry, length, dialect, warnings);
            self.stop(boundary.entry, is_turn, end, dialect, warnings);
        }
        if self.advance(end, dialect, warnings) {
            self.spoiled = true;
            let directive = self.changes(false, warnings);
            tell::held(&directive, warnings);
        }
        warnings.event = None;
    }

    /// Finds out whether a choice to call nothing is said by taking the tools away,
    /// which costs their names, where the parameter costs the cached messages.
    fn bar(
        &mut self,
        entry: usize,
        length: &dyn Fn(usize) -> usize,
        dialect: &dyn Dialect<'a>,
        warnings: &mut Warnings,
    ) {
        self.advanced = self.advance(entry, dialect, warnings);
        let bars = self.stored_choice() == ToolChoice::None;
        let before = std::mem::replace(&mut self.barred, bars);
        if !bars {
            self.silent = false;
            return;
        }
        let placed = self.tools.as_ref().filter(|_| !self.setup.flat_tools);
        let (Some(tools), Some(last)) = (placed, self.stops.last()) else {
            return;
        };
        if before || self.setup.given.is_some() || !tools.any() {
            return;
        }
        // They go, and come back.
        let (price, saved) = (2 * tools.naming(), length(last.entry));
        if price >= saved {
            return;
        }
        self.silent = true;
        warnings.list.push(Diagnostic::note(
            "choice-silent",
            format!(
                "`tool_choice` none is said by taking the tools away and giving them back, \
                 about {price} bytes: the parameter would cost the cached messages, \
                 about {saved} bytes"
            ),
        ));
    }

    fn stop(
        &mut self,
        entry: usize,
        is_turn: bool,
        end: usize,
        dialect: &dyn Dialect<'a>,
        warnings: &mut Warnings,
    ) {
        let moved = std::mem::take(&mut self.advanced);
        let mut directive = match moved || self.stops.is_empty() {
            true => self.changes(self.silent, warnings),
            false => Directive::default(),
        };
        let voice = match self.stops.last().filter(|_| !moved) {
            Some(last) => last.voice.clone(),
            None => {
                let (choice, offered) = self.options(dialect);
                dialect.voice(self.config(), &choice, offered)
            }
        };
        let is_point = entry == end || self.points.binary_search(&entry).is_ok();
        self.say_usage(&mut directive);
        let (mut new_sections, mut new_tools, mut new_nudge) = (false, false, false);
        if self.setup.flat_tools {
            new_tools = !directive.changes.is_empty();
            new_tools |= std::mem::take(&mut self.new_anchor);
            directive.changes.clear();
        }
        if self.setup.flat_texts {
            new_sections = std::mem::take(&mut self.moved);
            new_nudge = self
                .stops
                .last()
                .is_some_and(|last| last.voice.nudge != voice.nudge);
            directive.texts.clear();
        } else {
            self.say_forced(voice.nudge.as_deref(), is_point, &mut directive);
        }
        let prompt = self.config().versions().prompt;
        let mut new_prompt = false;
        if prompt != self.prompt.0 {
            let text = self.config().system_prompt().to_owned();
            new_prompt = text != self.prompt.1;
            let old = std::mem::replace(&mut self.prompt, (prompt, text)).1;
            if new_prompt && self.keeps_prompt() {
                let said = persona(&old, &self.prompt.1);
                directive.texts.insert(0, said);
            }
        }
        let persona = new_prompt && self.keeps_prompt();
        new_prompt &= !persona;
        let effort = self.say_effort(voice.effort, is_turn);
        self.stops.push(Stop {
            entry,
            effort,
            persona,
            directive: Arc::new(directive),
            voice,
            new_prompt: new_prompt && !self.stops.is_empty(),
            new_anchor: std::mem::take(&mut self.new_anchor),
            new_sections,
            new_tools,
            new_nudge,
        });
    }

    /// Merges the deltas of the entries before `entry`; whether there was one.
    fn advance(
        &mut self,
        entry: usize,
        dialect: &dyn Dialect<'a>,
        warnings: &mut Warnings,
    ) -> bool {
        let from = self.replay.merged();
        while let Some((index, delta)) = self.replay.peek(entry) {
            warnings.event = Some(*index);
            if self.tools.is_none() || self.setup.given.is_some() {
                self.replay.step();
            } else if self.setup.flat_tools {
                let touched = self.config().touched(delta);
                self.merge_tools(&touched, dialect, &mut Warnings::default());
            } else {
                let touched = self.config().touched(delta);
                self.merge_tools(&touched, dialect, warnings);
            }
        }
        self.replay.merged() > from
    }

    fn merge_tools(
        &mut self,
        touched: &[Touched<'a>],
        dialect: &dyn Dialect<'a>,
        warnings: &mut Warnings,
    ) {
        let choice = self.stored_choice();
        let available = |config: &Config<'a>, name: &str| {
            let tools = config.tools();
            let tool = tools.get(name);
            tool.is_some_and(|tool| tools.is_available(tool, choice.function()))
        };
        let before: Vec<bool> = touched
            .iter()
            .map(|one| available(self.config(), &one.name))
            .collect();
        self.replay.step();
        let after = self.stored_choice();
        let Some(tools) = &mut self.tools else {
            return;
        };
        let config = self.replay.config();
        let was_empty = tools.is_empty();
        let (mut stripped, mut crowded) = (Vec::new(), Vec::new());
        for (one, before) in touched.iter().zip(before) {
            let name = &one.name;
            let tool = config.tools().get(name);
            match tool {
                None => tools.resolve(name, false),
                Some(_) if !one.definition => {}
                Some(tool) if tool.is_resolvable() && tools.is_settled(name) => {
                    tools.resolve(name, true);
                }
                Some(tool) => match dialect.define(tool, warnings) {
                    Some(definition) => {
                        if !tools.define(name, &definition.into()) {
                            crowded.push((&**name).into());
                            continue;
                        }
                    }
                    None => tools.resolve(name, false),
                },
            }
            tools.touch(config, name);
            if !tools.knows(name) && before != available(config, name) {
                let name: Arc<str> = (&**name).into();
                if !stripped.contains(&name) {
                    stripped.push(name);
                }
            }
        }
        if was_empty && tools.settle_late(config, after.function()) {
            self.new_anchor = true;
        }
        tell::stripped(&stripped, &mut self.stripped, warnings);
        tell::crowded(&crowded, &mut self.crowded, warnings);
    }

    /// Says how to use tools, once the first of them is offered: in the prelude,
    /// where no request has been sent yet or this one costs the prefix anyway, else
    /// here.
    fn say_usage(&mut self, directive: &mut Directive) {
        let offers = |one: &ToolChange| matches!(one, ToolChange::Addition { .. });
        let begins = self.new_anchor || self.stops.is_empty() || self.setup.flat_tools;
        let offered = directive.changes.iter().any(offers)
            || begins && self.tools.as_ref().is_some_and(Tools::any);
        if self.usage || self.usage_said || !offered {
            return;
        }
        if begins {
            self.usage = true;
        } else {
            self.usage_said = true;
            directive.texts.push(TOOL_USAGE.as_bytes().into());
        }
    }

    /// Says that a tool must be called: for one request, or until it is lifted.
    fn say_forced(
        &mut self,
        nudge: Option<&str>,
        is_point: bool,
        directive: &mut Directive,
    ) {
        let text = |text: &str| -> Arc<[u8]> {
            let mut bytes = Vec::new();
            crate::json::write::escaped(&mut bytes, text);
            bytes.into()
        };
        if self.setup.scoped {
            directive.scoped = nudge.filter(|_| is_point).map(text);
            return;
        }
        if self.forced.is_some() && self.forced.as_deref() != nudge {
            self.forced = None;
            directive.texts.insert(0, text(LIFTED));
        }
        if let Some(nudge) = nudge.filter(|_| is_point && self.forced.is_none()) {
            self.forced = Some(nudge.to_owned());
            directive.texts.push(text(nudge));
        }
    }

    /// The effort to be said in a message before the user's: one that is another than
    /// that last said, at the begin of a turn, for it holds from there on.
    fn say_effort(
        &mut self,
        level: Option<&'static str>,
        is_turn: bool,
    ) -> Option<&'static str> {
        if !self.setup.efforts {
            return None;
        }
        if self.stops.is_empty() {
            self.effort = level;
            return None;
        }
        let level = level.filter(|_| is_turn)?;
        let old = self.effort.replace(level);
        (old != Some(level)).then_some(level)
    }

    /// What changed since the last boundary; `silent`: no tool is offered.
    fn changes(&mut self, silent: bool, warnings: &mut Warnings) -> Directive {
        let mut directive = Directive::default();
        let system = self.config().versions().system;
        if system != self.system {
            self.system = system;
            let (head, parts) = (self.head.config(), self.setup.parts.as_deref());
            let texts = self.texts.get_or_insert_with(|| Texts::of(head, parts));
            let withdrawals = self.setup.withdrawals;
            let config = self.replay.config_mut();
            let updated = texts.update(config, withdrawals, &mut directive);
            self.moved |= updated.moved;
            if withdrawals == Withdrawals::Report && !self.setup.flat_texts {
                for name in updated.gone {
                    let told = tell::withdrawn(&name, warnings.event);
                    warnings.list.push(told);
                }
            }
        }
        let choice = self.stored_choice();
        if let Some(tools) = &mut self.tools {
            let mut findings = Findings::default();
            directive.changes =
                tools.update(self.replay.config(), &choice, silent, &mut findings);
            self.new_anchor |= findings.pays;
            let quiet = &mut Warnings::default();
            let warnings = if self.setup.flat_tools {
                quiet
            } else {
                warnings
            };
            tell::crowded(&findings.crowded, &mut self.crowded, warnings);
            for name in findings.edited {
                warnings.list.push(tell::edited(&name, warnings.event));
            }
        }
        directive
    }
}

/// A system prompt that takes the place of another, in words.
fn persona(old: &str, new: &str) -> Arc<[u8]> {
    let said = match (old.trim().is_empty(), new.trim().is_empty()) {
        (_, true) => "The system prompt given earlier no longer applies.".to_owned(),
        (true, false) => new.to_owned(),
        (false, false) => {
            format!(
                "These instructions replace the system prompt given earlier:\n\n{new}"
            )
        }
    };
    let mut bytes = Vec::new();
    crate::json::write::escaped(&mut bytes, &said);
    bytes.into()
}
