//! A body cut into the units its provider renders, in the order it hashes them.
//!
//! Tools, then system, then messages block by block (`docs/prefix.md#kinds-of-cache`,
//! `docs/prefix.md#kinds-of-cache`). Deferred tools stand apart: they are rendered only
//! once a message refers to them. System text that stands at the head of
//! `messages`, as chat dialects have it, belongs to the system level. A segment
//! holds no copy of what it was cut from.

use crate::body::{Block, Body, Dialect, Message, Place, is_thinking};
use crate::cache::{self, Run, Ttl, can_end, estimate, inner_mark};
use crate::json::{Kind, Raw, pointer};
use crate::prefix::values::digest::{self, Manner, join};
use crate::prefix::values::text::Masks;
use crate::prefix::values::zone::{Zone, plain_text};
use std::borrow::Cow;
use std::collections::HashMap;

/// One rendered unit.
#[derive(Debug, Clone)]
pub(super) struct Segment<'a> {
    pub(super) place: Place,
    /// An entry of a list inside the unit at `place`, as Gemini groups tools.
    pub(super) inner: Option<usize>,
    pub(super) raw: Raw<'a>,
    pub(super) zone: Zone,
    pub(super) mark: Option<Ttl>,
    /// A string that stands for one text block.
    pub(super) bare: bool,
    pub(super) thinking: bool,
    pub(super) image: bool,
    /// Whether automatic caching may end an entry here.
    pub(super) eligible: bool,
    pub(super) run: Option<Run>,
}

impl<'a> Segment<'a> {
    fn new(place: Place, raw: Raw<'a>, zone: Zone) -> Self {
        Self {
            place,
            inner: None,
            raw,
            zone,
            mark: None,
            bare: false,
            thinking: false,
            image: false,
            eligible: true,
            run: None,
        }
    }

    /// Its hash as it is rendered.
    pub(super) fn digest(&self, masks: &Masks) -> u64 {
        let manner = Manner {
            ordered: true,
            loose: true,
            masks,
        };
        let text = match self.bare {
            true => Some(self.raw),
            false => plain_text(self.raw).filter(|_| self.zone != Zone::Tool),
        };
        match text.and_then(Raw::as_str) {
            Some(text) => join(11, digest::text(&text, masks)),
            None => digest::digest(self.raw, self.zone, manner),
        }
    }

    pub(super) fn path(&self, dialect: Dialect) -> String {
        let mut path = self.place.pointer(dialect);
        if let Some(index) = self.inner {
            pointer::push_key(&mut path, "functionDeclarations");
            pointer::push_index(&mut path, index);
        }
        path
    }

    /// Its length.
    pub(super) fn amount(&self) -> super::report::Amount {
        let bytes = estimate::bytes(self.raw);
        super::report::Amount {
            bytes,
            tokens: match self.image {
                true => estimate::PICTURE,
                false => estimate::tokens(bytes),
            },
        }
    }
}

/// One message, without what is cut into segments.
#[derive(Debug, Clone)]
pub(super) struct Turn<'a> {
    pub(super) place: Place,
    pub(super) raw: Raw<'a>,
    pub(super) role: Cow<'a, str>,
    /// Its segments in [`Prefix::messages`].
    pub(super) from: usize,
    pub(super) to: usize,
    /// Whether it is rendered only until the next user message.
    pub(super) scoped: bool,
    /// Whether a later user message has cleared it.
    pub(super) cleared: bool,
    /// Whether it brings text of the user's, not results alone.
    pub(super) says: bool,
}

/// A body's prompt, cut into segments.
#[derive(Debug, Clone)]
pub(super) struct Prefix<'a> {
    pub(super) dialect: Dialect,
    pub(super) tools: Vec<Segment<'a>>,
    pub(super) deferred: HashMap<Cow<'a, str>, Segment<'a>>,
    /// Deferred tools in the order declared.
    pub(super) hidden: Vec<Cow<'a, str>>,
    pub(super) system: Vec<Segment<'a>>,
    pub(super) turns: Vec<Turn<'a>>,
    pub(super) messages: Vec<Segment<'a>>,
    /// Deferred tools that a segment of `messages` refers to.
    pub(super) references: Vec<(usize, Cow<'a, str>)>,
    /// The automatic breakpoint asked for.
    pub(super) auto: Option<Ttl>,
    pub(super) citations: bool,
}

/// The mark of a tool, in either spelling.
fn marker(raw: Raw<'_>) -> Option<Ttl> {
    let mut found = None;
    for (key, value) in raw.as_object().into_iter().flatten() {
        if key.is("cache_control") || key.is("prompt_cache_breakpoint") {
            found = Ttl::of(value);
        }
    }
    found
}

/// Whether a tool is out of the prompt until something refers to it.
pub(super) fn is_deferred(raw: Raw<'_>) -> bool {
    let flag = |raw: Raw<'_>| raw.get("defer_loading").and_then(Raw::as_bool);
    let set = flag(raw).or_else(|| raw.get("default_config").and_then(flag));
    set == Some(true)
}

/// What a tool is called, whatever the dialect.
pub(super) fn tool_name(raw: Raw<'_>) -> Option<Cow<'_, str>> {
    let text = |keys: &[&str]| raw.at(keys).and_then(Raw::as_str);
    text(&["name"])
        .or_else(|| text(&["function", "name"]))
        .or_else(|| text(&["mcp_server_name"]))
        .or_else(|| text(&["type"]))
        .or_else(|| raw.as_object()?.next().map(|(key, _)| key.decode()))
}

impl<'a> Prefix<'a> {
    /// Cuts a body.
    pub(super) fn cut(body: &Body<'a>) -> Self {
        let dialect = body.dialect;
        let mut prefix = Self {
            dialect,
            tools: Vec::new(),
            deferred: HashMap::new(),
            hidden: Vec::new(),
            system: Vec::new(),
            turns: Vec::new(),
            messages: Vec::new(),
            references: Vec::new(),
            auto: body.fields.given("cache_control").and_then(Ttl::of),
            citations: false,
        };
        prefix.cut_tools(body);
        for block in body.system() {
            prefix.system.push(segment(&block));
        }
        for message in body.messages() {
            prefix.cut_message(&message);
        }
        prefix.clear();
        for turn in prefix.turns.iter().filter(|turn| turn.scoped) {
            for segment in &mut prefix.messages[turn.from..turn.to] {
                segment.eligible = false;
            }
        }
        prefix.automatic();
        prefix
    }

    /// Notes which messages a later one of the user's has cleared.
    fn clear(&mut self) {
        let mut user = false;
        for turn in self.turns.iter_mut().rev() {
            turn.cleared = turn.scoped && user;
            user |= turn.role == "user";
        }
    }

    /// The same prompt as it was so many messages ago, with the marks it had then.
    pub(super) fn rewound(mut self, turns: usize, marks: &[(usize, Ttl)]) -> Self {
        self.turns.truncate(turns);
        let end = self.turns.last().map_or(0, |turn| turn.to);
        self.messages.truncate(end);
        self.references.retain(|(at, _)| *at < end);
        let all = self.tools.iter_mut().chain(&mut self.system);
        for (at, segment) in all.chain(&mut self.messages).enumerate() {
            let mark = marks.iter().find(|(marked, _)| *marked == at);
            segment.mark = mark.map(|(_, ttl)| *ttl);
        }
        self.clear();
        self
    }

    fn cut_tools(&mut self, body: &Body<'a>) {
        for tool in body.tools() {
            let list = tool.get("functionDeclarations");
            if let Some(list) = list.and_then(Raw::as_array) {
                for (index, raw) in list.enumerate() {
                    let mut found = Segment::new(tool.place, raw, Zone::Tool);
                    found.inner = Some(index);
                    self.tools.push(found);
                }
                continue;
            }
            let mut found = Segment::new(tool.place, tool.raw, Zone::Tool);
            if self.dialect == Dialect::Messages && is_deferred(tool.raw) {
                let name = tool_name(tool.raw).unwrap_or_default();
                self.hidden.push(name.clone());
                self.deferred.insert(name, found);
                continue;
            }
            found.mark = marker(tool.raw);
            self.tools.push(found);
        }
    }

    fn cut_message(&mut self, message: &Message<'a>) {
        let role = message.role.as_ref();
        let leads = matches!(role, "system" | "developer")
            && self.turns.is_empty()
            && self.dialect != Dialect::Messages;
        if leads {
            self.system
                .extend(message.blocks().map(|block| segment(&block)));
            return;
        }
        let from = self.messages.len();
        let mut says = false;
        for block in message.blocks() {
            says |= !matches!(block.kind.as_ref(), "tool_result" | "functionResponse");
            self.refer(&block);
            let found = segment(&block);
            self.citations |= block
                .get("citations")
                .and_then(|citations| citations.get("enabled"))
                .and_then(Raw::as_bool)
                == Some(true);
            self.messages.push(found);
        }
        for call in message.calls() {
            let mut found = Segment::new(call.place, call.raw, Zone::Inside);
            found.run = Some(Run::Call);
            self.messages.push(found);
        }
        if self.messages.len() == from && self.dialect != Dialect::Messages {
            // An item that holds no blocks is one unit.
            let whole = Segment::new(message.place, message.raw, Zone::Head);
            self.messages.push(whole);
        }
        let scoped = message.fields.text("clear_at");
        self.turns.push(Turn {
            place: message.place,
            raw: message.raw,
            role: message.role.clone(),
            from,
            to: self.messages.len(),
            scoped: scoped.as_deref() == Some("next_user_message"),
            cleared: false,
            says,
        });
    }

    /// Takes note of deferred tools that a block brings into the prompt.
    fn refer(&mut self, block: &Block<'a>) {
        if self.deferred.is_empty() {
            return;
        }
        let at = self.messages.len();
        match block.kind.as_ref() {
            "tool_addition" => {
                let name = block.get("tool").and_then(|tool| tool.get("name"));
                let name = name.and_then(Raw::as_str);
                self.references.extend(name.map(|name| (at, name)));
            }
            "tool_result" => {
                for inner in block.inner().filter(|one| one.kind == "tool_reference") {
                    let name = inner.fields.text("tool_name");
                    self.references.extend(name.map(|name| (at, name)));
                }
            }
            "tool_search_tool_result" => {
                let list = block.get("content");
                let list = list.and_then(|content| content.get("tool_references"));
                for one in list.and_then(Raw::as_array).into_iter().flatten() {
                    let name = one.get("tool_name").and_then(Raw::as_str);
                    self.references.extend(name.map(|name| (at, name)));
                }
            }
            _ => {}
        }
    }

    /// Sets the automatic breakpoint on the last segment that can carry one.
    fn automatic(&mut self) {
        let Some(ttl) = self.auto else { return };
        let segments = self
            .messages
            .iter_mut()
            .rev()
            .chain(self.system.iter_mut().rev())
            .chain(self.tools.iter_mut().rev());
        for segment in segments {
            if segment.eligible {
                segment.mark.get_or_insert(ttl);
                return;
            }
        }
    }

    /// All segments in the order they are hashed.
    pub(super) fn all(&self) -> impl Iterator<Item = &Segment<'a>> {
        self.tools
            .iter()
            .chain(&self.system)
            .chain(self.messages.iter())
    }

    /// The segment at a place in that order.
    pub(super) fn segment(&self, at: usize) -> Option<&Segment<'a>> {
        let (tools, system) = (self.tools.len(), self.system.len());
        match at {
            _ if at < tools => self.tools.get(at),
            _ if at < tools + system => self.system.get(at - tools),
            _ => self.messages.get(at - tools - system),
        }
    }

    /// How many segments come before the messages.
    pub(super) fn head(&self) -> usize {
        self.tools.len() + self.system.len()
    }

    /// How many segments there are.
    pub(super) fn len(&self) -> usize {
        self.head() + self.messages.len()
    }

    /// Whether a picture stands anywhere in the prompt.
    pub(super) fn pictured(&self) -> bool {
        self.messages.iter().any(|segment| segment.image)
    }
}

fn segment<'a>(block: &Block<'a>) -> Segment<'a> {
    let mut found = Segment::new(block.place, block.raw, Zone::Block(0));
    found.bare = block.bare;
    let kind = block.kind.as_ref();
    found.thinking = is_thinking(kind);
    found.run = Run::of(kind);
    found.image = matches!(kind, "image" | "image_url" | "input_image")
        || kind == "tool_result" && block.inner().any(|inner| inner.kind == "image");
    found.eligible = can_end(block);
    let own = cache::mark(block).and_then(Ttl::of);
    let inner = || {
        inner_mark(block)
            .filter_map(|(_, mark)| Ttl::of(mark))
            .max()
    };
    found.mark = own.or_else(inner);
    found
}

/// Whether a message with no segment still holds something of its own.
pub(super) fn is_whole(turn: &Turn<'_>) -> bool {
    turn.from == turn.to && turn.raw.kind() == Kind::Object
}
