//! Cache control (`docs/lint.md#sources`).
//!
//! Breakpoints are collected in the order the prompt is rendered in: tools,
//! system, messages; the automatic one falls on the last block that can carry
//! one. What a mark, a position and a length are is in [`crate::cache`].

use super::catalogue::page::CACHING;
use super::marks::{self, Mark};
use super::report::{Report, Spot};
use super::volatile;
use crate::body::{Block, Body, Place, Role, Tool, is_change, is_thinking};
use crate::cache::{
    self, Positions, Run, Ttl, can_end, estimate, inner_mark, is_short, may_be_short,
};
use crate::error::Severity;
use crate::finding::family;
use crate::json::{Kind, Raw};
use crate::term::counted;
use crate::term::quoted;

family! { "cache";
    BREAKPOINT_BUDGET: Error "breakpoint-budget", CACHING;
    "there are more breakpoints than one request may have";
    "four are allowed over tools, system and messages, the automatic one included";
    "keep the last tool's, the last system block's and those of the newest turns";

    BREAKPOINT_AUTO_TTL_CONFLICT: Error "breakpoint-auto-ttl-conflict", CACHING;
    "the automatic breakpoint falls on a block that is marked with another lifetime";
    "one block ends one entry, with one lifetime";
    "use the same `ttl` in both, or take the block's mark off";

    TTL_ORDER: Error "ttl-order", CACHING;
    "a breakpoint of one hour stands behind one of five minutes";
    "in the order tools, system, messages the longer lifetime comes first";
    "give the earlier breakpoints `\"ttl\":\"1h\"` too, or shorten the later one";

    CACHE_CONTROL_THINKING: Error "cache-control-thinking", CACHING;
    "a thinking block carries a breakpoint";
    "the API does not know the field there";
    "mark the block behind it";

    CACHE_CONTROL_EMPTY_TEXT: Error "cache-control-empty-text", CACHING;
    "an empty text block carries a breakpoint";
    "an empty block ends no prefix";
    "drop the block and mark the one before it";

    CACHE_OFF: Warning "cache-off", CACHING;
    "the body has directives and no `cache_control` anywhere";
    "directives keep the prefix stable, which saves nothing while nothing is cached";
    "set a top-level `cache_control`";

    BELOW_MINIMUM: Warning "below-minimum", CACHING;
    "the prefix up to the last breakpoint seems shorter than the model caches";
    "short prefixes are not cached, and no error says so (tokens are estimated from bytes)";
    "nothing, if the conversation grows; else leave the breakpoint out";

    LOOKBACK_WINDOW: Warning "lookback-window" [pair], CACHING;
    "the last write is out of reach of every breakpoint";
    "a breakpoint looks back over 20 positions; what was written before them is not found, although nothing changed";
    "set another breakpoint at the end of the previous user turn";

    VOLATILE_PREFIX: Warning "volatile-prefix" [guess], CACHING;
    "a time, a UUID or a request id stands in front of the last breakpoint";
    "what changes from request to request costs all that stands behind it (a guess by its form)";
    "move it to the end of `messages`, or leave it out";
}

pub(super) struct Cache<'a> {
    auto: Option<Raw<'a>>,
    marks: Vec<Mark<'a>>,
    /// The last block that can end an entry, with its own mark.
    target: Option<(Spot<'a>, Option<Raw<'a>>, usize)>,
    directive: Option<Spot<'a>>,
    tokens: usize,
    marked_tokens: usize,
    /// Whether something of unknown length went by.
    unsure: bool,
    turn_scoped: bool,
    role: Option<Role>,
    positions: Positions,
    /// The position at which the request before presumably wrote.
    written: usize,
    reached: bool,
    marked_last: bool,
    late: Option<Spot<'a>>,
    volatile: Vec<(Spot<'a>, &'static str, usize)>,
}

impl<'a> Cache<'a> {
    pub(super) fn new(report: &mut Report<'_>, body: &Body<'a>) -> Self {
        let profile = report.profile;
        let runs = profile.table.runs_count_once(profile.platform);
        let auto = body.fields.given("cache_control");
        if let Some(mark) = auto {
            marks::shape(report, Place::Root, &["cache_control"], mark);
        }
        Self {
            auto,
            marks: Vec::new(),
            target: None,
            directive: None,
            tokens: 0,
            marked_tokens: 0,
            unsure: false,
            turn_scoped: false,
            role: None,
            positions: Positions::new(runs),
            written: 1,
            reached: false,
            marked_last: false,
            late: None,
            volatile: Vec::new(),
        }
    }

    pub(super) fn tool(
        &mut self,
        report: &mut Report<'_>,
        tool: &Tool<'a>,
        hidden: bool,
    ) {
        let spot = Spot {
            place: tool.place,
            raw: tool.raw,
        };
        let mark = tool.fields.given("cache_control");
        if !hidden {
            self.tokens += estimate::tokens(estimate::bytes(spot.raw));
            self.target = Some((spot, mark, 0));
            let text = tool.fields.text("description");
            if let Some(what) = text.and_then(|text| volatile::find(&text)) {
                self.suspect(spot, what);
            }
        }
        if let Some(mark) = mark {
            marks::shape(report, spot.place, &["cache_control"], mark);
            self.mark(spot, mark);
        }
    }

    pub(super) fn system(&mut self, report: &mut Report<'_>, block: &Block<'a>) {
        let spot = Spot {
            place: block.place,
            raw: block.raw,
        };
        let text = block.text().and_then(Raw::as_str);
        if let Some(what) = text.and_then(|text| volatile::find(&text)) {
            self.suspect(spot, what);
        }
        self.carrier(report, block, 0);
    }

    /// Keeps a few places where something volatile seems to stand.
    fn suspect(&mut self, spot: Spot<'a>, what: &'static str) {
        if self.volatile.len() < 100 {
            self.volatile.push((spot, what, self.marks.len()));
        }
    }

    pub(super) fn message(&mut self, role: Role, turn_scoped: bool) {
        self.turn_scoped = turn_scoped;
        if role == Role::Assistant && self.role != Some(Role::Assistant) {
            self.written = self.positions.at().max(1);
            self.reached = self.marked_last;
            self.late = None;
        }
        if role != Role::System {
            self.role = Some(role);
        }
    }

    pub(super) fn block(
        &mut self,
        report: &mut Report<'_>,
        role: Role,
        block: &Block<'a>,
    ) {
        let kind = block.kind.as_ref();
        let spot = Spot {
            place: block.place,
            raw: block.raw,
        };
        if role == Role::System {
            let content = !block.bare || block.raw.bytes().len() > 2;
            if content && (kind == "text" || is_change(kind)) {
                self.directive.get_or_insert(spot);
            }
        }
        let position = self.positions.next(Run::of(kind));
        self.marked_last = false;
        let before = self.marks.len();
        self.carrier(report, block, position);
        if kind == "tool_result" {
            for (inner, mark) in inner_mark(block) {
                let spot = Spot {
                    place: inner.place,
                    raw: inner.raw,
                };
                marks::shape(report, spot.place, &["cache_control"], mark);
                self.mark(spot, mark);
            }
        }
        if self.marks.len() > before {
            self.marked_last = true;
            self.reaches(report, position, spot);
        }
    }

    fn reaches(&mut self, report: &Report<'_>, position: usize, spot: Spot<'a>) {
        let back = report.profile.limits().lookback;
        if position < self.written + back {
            self.reached = true;
        } else {
            self.late = Some(spot);
        }
    }

    /// A block that is or could be marked.
    fn carrier(&mut self, report: &mut Report<'_>, block: &Block<'a>, position: usize) {
        let kind = block.kind.as_ref();
        let spot = Spot {
            place: block.place,
            raw: block.raw,
        };
        self.tokens += self.weigh(block);
        let own = block.fields.given("cache_control");
        let mark = cache::mark(block);
        if let Some(mark) = mark {
            let keys: &[&str] = match own {
                Some(_) => &["cache_control"],
                None => &["tool", "definition", "cache_control"],
            };
            marks::shape(report, spot.place, keys, mark);
        }
        let ends = can_end(block);
        let empty = !ends && !is_thinking(kind);
        if let Some(mark) = mark {
            if is_thinking(kind) {
                let text = format!("`cache_control` on a `{kind}` block");
                report.at(&CACHE_CONTROL_THINKING, spot.place, spot.raw, text);
            }
            if empty {
                let text = "`cache_control` on an empty text block";
                let target = self.target.map(|(spot, ..)| report.path(spot.place));
                let rule = &CACHE_CONTROL_EMPTY_TEXT;
                let finding = report.at(rule, spot.place, spot.raw, text);
                if let Some(path) = target {
                    finding.hint(format!("drop the block and mark {path}"));
                }
            }
            self.mark(spot, mark);
        }
        if ends && !self.turn_scoped {
            self.target = Some((spot, mark, position));
        }
    }

    fn weigh(&mut self, block: &Block<'_>) -> usize {
        let bytes = block.raw.bytes();
        match block.kind.as_ref() {
            "image" => estimate::PICTURE,
            "document" | "tool_result"
                if memchr::memmem::find(bytes, b"base64").is_some() =>
            {
                self.unsure = true;
                0
            }
            _ => estimate::tokens(estimate::bytes(block.raw)),
        }
    }

    fn mark(&mut self, spot: Spot<'a>, mark: Raw<'a>) {
        self.marked_tokens = self.tokens;
        self.marks.push(Mark {
            spot,
            ttl: Ttl::of(mark),
        });
    }

    pub(super) fn finish(mut self, report: &mut Report<'_>) {
        let spot = Spot {
            place: Place::Root,
            raw: self.auto.unwrap_or(Raw::checked(b"")),
        };
        let auto = self.auto.filter(|mark| mark.kind() == Kind::Object);
        // No-op where the target has a mark of its own.
        let target = auto.and(self.target);
        let own = target.and_then(|(_, own, _)| own);
        if let (Some(auto), Some((at, Some(own), _))) = (auto, target)
            && marks::hour(auto) != marks::hour(own)
        {
            let text = format!(
                "the automatic breakpoint falls on {}, whose own has another ttl",
                report.path(at.place)
            );
            let rule = &BREAKPOINT_AUTO_TTL_CONFLICT;
            let related = report.related(at);
            report
                .under(rule, Place::Root, &["cache_control"], auto, text)
                .relate([related]);
        }
        let adds = target.is_some() && own.is_none();
        self.budget(report, spot, adds, own.is_some());
        self.order(report, auto.filter(|_| adds));
        if let Some((at, _, position)) = target.filter(|_| adds) {
            self.marked_tokens = self.tokens;
            if at.place.message().is_some() {
                self.reaches(report, position, spot);
            }
        }
        let any = !self.marks.is_empty() || adds;
        if !any {
            if let Some(spot) = self.directive.filter(|_| self.auto.is_none()) {
                let text = "a directive, and nothing is cached";
                report.at(&CACHE_OFF, spot.place, spot.raw, text);
            }
            return;
        }
        for (at, what, marks) in &self.volatile {
            if self.marks.len() > *marks || adds {
                let text = format!("{what} in front of the last breakpoint");
                report.at(&VOLATILE_PREFIX, at.place, at.raw, text);
            }
        }
        let last = self.marks.last().map(|mark| mark.spot);
        let (at, keys): (_, &[&str]) = match (adds, last) {
            (false, Some(last)) => (last, &[]),
            _ => (spot, &["cache_control"]),
        };
        self.length(report, at, keys);
        if let Some(late) = self.late.filter(|_| !self.reached) {
            let keys: &[&str] = match late.place {
                Place::Root => &["cache_control"],
                _ => &[],
            };
            let back = report.profile.limits().lookback;
            let text = format!(
                "the breakpoint is {back} or more positions behind the turn before, \
                 where the last write presumably is"
            );
            report.under(&LOOKBACK_WINDOW, late.place, keys, late.raw, text);
        }
    }

    fn budget(&self, report: &mut Report<'_>, auto: Spot<'_>, adds: bool, no_op: bool) {
        let most = report.profile.limits().breakpoints;
        let count = self.marks.len() + usize::from(adds);
        let full = no_op && self.marks.len() == most;
        if count <= most && !full {
            return;
        }
        const LISTED: usize = 32;
        let shown = self.marks.iter().take(LISTED);
        let mut paths: Vec<_> =
            shown.map(|mark| report.path(mark.spot.place)).collect();
        if self.marks.len() > LISTED {
            paths.push(format!("{} more", self.marks.len() - LISTED));
        }
        if adds || full {
            paths.push("the automatic one".to_owned());
        }
        let related: Vec<_> = self
            .marks
            .iter()
            .take(LISTED)
            .map(|mark| report.related(mark.spot))
            .collect();
        let rule = &BREAKPOINT_BUDGET;
        let (text, severity) = match full {
            true => {
                let why = "the automatic one repeats the last; sources differ whether \
                           that is refused";
                (format!("{most} breakpoints, and {why}"), Severity::Warning)
            }
            false => {
                let text = counted(count, "breakpoint");
                let paths = paths.join(", ");
                (
                    format!("{text}, {most} are allowed: {paths}"),
                    Severity::Error,
                )
            }
        };
        let finding = match self.marks.get(most) {
            Some(mark) => report.at(rule, mark.spot.place, mark.spot.raw, text),
            None => report.under(rule, auto.place, &["cache_control"], auto.raw, text),
        };
        finding.weigh(severity).relate(related);
    }

    fn order(&self, report: &mut Report<'_>, auto: Option<Raw<'_>>) {
        let rule = &TTL_ORDER;
        let Some(short) = self
            .marks
            .iter()
            .position(|mark| mark.ttl != Some(Ttl::Hour))
        else {
            return;
        };
        let short_spot = self.marks[short].spot;
        let text = format!(
            "a breakpoint with ttl `1h` behind one with `5m` at {}",
            report.path(short_spot.place)
        );
        let related = report.related(short_spot);
        let most = report.profile.limits().breakpoints;
        let long = self.marks[short..]
            .iter()
            .filter(|mark| mark.ttl == Some(Ttl::Hour));
        for mark in long.take(most) {
            report
                .at(rule, mark.spot.place, mark.spot.raw, text.as_str())
                .relate([related.clone()]);
        }
        if let Some(auto) = auto.filter(|auto| marks::hour(*auto)) {
            report
                .under(rule, Place::Root, &["cache_control"], auto, text)
                .relate([related]);
        }
    }

    fn length(&self, report: &mut Report<'_>, at: Spot<'_>, keys: &[&str]) {
        let model = &report.profile.model;
        let platform = report.profile.platform;
        let least = report.profile.table.min_cacheable(model, platform);
        let tokens = self.marked_tokens;
        if self.unsure || !may_be_short(tokens, least) {
            return;
        }
        let id = quoted(&model.id);
        let near = !is_short(tokens, least);
        let text = format!(
            "about {} up to the last breakpoint, {id} caches from {least} on",
            counted(tokens, "token")
        );
        let severity = if near {
            Severity::Note
        } else {
            Severity::Warning
        };
        report
            .under(&BELOW_MINIMUM, at.place, keys, at.raw, text)
            .weigh(severity);
    }
}
