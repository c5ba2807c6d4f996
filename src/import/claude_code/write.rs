//! The lines of one path as events.

use super::super::anthropic::{Piece, Plan, Says, plan, write};
use super::super::content::quoted;
use super::super::foreign::{Foreign, Origin, rests, with};
use super::super::lines::Value;
use super::super::options::Compaction;
use super::super::record::{Head, Record, stamp};
use super::index::{Index, Kind, text_of};
use super::injected;
use super::path::{Boundary, Path};
use super::rest::{Change, Changes, of_line, of_message};
use crate::json::{Raw, write as json};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Who speaks where nobody typed.
const AUTHOR: &[u8] = b"\"claude-code\"";

/// Kinds of lines that are known to stand outside a conversation.
const OUTSIDE: [&str; 23] = [
    "summary",
    "custom-title",
    "ai-title",
    "queue-operation",
    "file-history-snapshot",
    "last-prompt",
    "mode",
    "permission-mode",
    "agent-name",
    "agent-color",
    "agent-setting",
    "tag",
    "pr-link",
    "bridge-session",
    "worktree-state",
    "cost-state",
    "atis-latch",
    "attribution-snapshot",
    "speculation-accept",
    "relocated",
    "continued-in",
    "history-suppression",
    "content-replacement",
];

/// Writes the lines of one path.
pub(super) struct Writer<'w, 'a, 'o> {
    pub(super) index: &'w Index<'a>,
    pub(super) record: Record<'o>,
    /// Which record a call opened, by the call's id as written.
    pub(super) opened: &'w HashMap<&'a [u8], String>,
    /// Whether the path is a subagent's: its first line is a prompt.
    pub(super) is_side: bool,
    changes: Changes<'a>,
    queued: HashSet<&'a [u8]>,
    attachments: Vec<(String, usize)>,
}

impl<'w, 'a, 'o> Writer<'w, 'a, 'o> {
    pub(super) fn new(
        index: &'w Index<'a>,
        record: Record<'o>,
        opened: &'w HashMap<&'a [u8], String>,
        is_side: bool,
    ) -> Self {
        let queued = (0..index.lines.len())
            .filter(|&at| index.kinds[at] == Kind::Attachment)
            .filter_map(|at| queued_prompt(index, at)?.as_text())
            .map(crate::json::Text::escaped)
            .collect();
        Self {
            index,
            record,
            opened,
            is_side,
            changes: Changes::default(),
            queued,
            attachments: Vec::new(),
        }
    }

    /// Writes a path and the lines outside the tree that stand along it.
    pub(super) fn path(mut self, path: &Path, outside: &[usize]) -> Record<'o> {
        let mut sorted = path.lines.clone();
        sorted.sort_unstable();
        let index = self.index;
        // Lines that stand in the record whole name the line behind them, too.
        let own = path
            .boundaries
            .iter()
            .flat_map(|b| b.summary.into_iter().chain([b.line]));
        let mut all: Vec<usize> = sorted.iter().copied().chain(own).collect();
        all.extend_from_slice(outside);
        all.sort_unstable();
        let on: HashSet<usize> = sorted.iter().copied().collect();
        let spoken = |at| on.contains(&at) && speaks(index, at);
        self.changes = Changes::follow(index, &all, spoken);
        let common = self.changes.common();
        self.record.import.push(("common", common));
        let from = self.cut(path);
        // Lines outside the tree stand behind the path line before them.
        let mut behind: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        let own = path.boundaries.iter().map(|boundary| boundary.line);
        let mut loose: Vec<usize> = outside.iter().copied().chain(own).collect();
        loose.sort_unstable();
        for at in loose {
            let before = sorted.partition_point(|&line| line < at).checked_sub(1);
            behind
                .entry(before.map(|p| sorted[p]))
                .or_default()
                .push(at);
        }
        if from == 0 {
            self.loose(behind.remove(&None));
        }
        let overlay = self.record.options.compaction == Compaction::Overlay;
        for (place, &at) in path.lines.iter().enumerate().skip(from) {
            if overlay {
                for boundary in &path.boundaries {
                    if boundary.before == Some(at) {
                        self.compaction(boundary);
                    }
                }
            }
            self.line(at, place == 0);
            self.loose(behind.remove(&Some(at)));
        }
        if overlay {
            for boundary in &path.boundaries {
                if boundary.before.is_none() {
                    self.compaction(boundary);
                }
            }
        }
        self.unsent();
        self.record
    }

    /// Under `cut`: tells the summary and gives the place where the rest starts.
    fn cut(&mut self, path: &Path) -> usize {
        if self.record.options.compaction != Compaction::Cut {
            return 0;
        }
        let readable = path.boundaries.iter().rev();
        let Some((boundary, summary)) = readable
            .filter_map(|boundary| Some((boundary, boundary.summary?)))
            .next()
        else {
            return 0;
        };
        let from = boundary
            .before
            .and_then(|before| path.lines.iter().position(|&at| at == before))
            .unwrap_or(path.lines.len());
        let line = &self.index.lines[summary];
        let time = stamp(line.get("timestamp"));
        self.record.open_turn(time.as_deref());
        let head = Head {
            id: line.text("uuid").map(|id| (id, None)),
            foreign: Foreign {
                injected: Some("compact-summary".to_owned()),
                ..Foreign::line(line.number)
            },
            stamp: time,
            ..Head::default()
        };
        let text = self.summary_text(summary);
        self.record.request(&head, &text, Some(AUTHOR), b"");
        let mut cut = b"{".to_vec();
        let number = self.index.lines[boundary.line].number;
        super::super::foreign::number(&mut cut, "boundary_line", number);
        super::super::foreign::number(&mut cut, "lines_before", from);
        cut.push(b'}');
        self.record.import.push(("cut", cut));
        from
    }

    /// The summary as the model got it, a JSON string.
    fn summary_text(&self, at: usize) -> Vec<u8> {
        let content = self.index.message(at, "content");
        if let Some(text) = content.filter(|content| content.as_text().is_some()) {
            return text.bytes().to_vec();
        }
        let texts: Vec<_> = self
            .index
            .blocks(at)
            .filter_map(|block| Some(text_of(block)?.decode()))
            .collect();
        quoted(&texts.join("\n\n"))
    }

    fn compaction(&mut self, boundary: &Boundary) {
        let index = self.index;
        let line = &index.lines[boundary.line];
        let time = stamp(line.get("timestamp"));
        let Some(summary) = boundary.summary else {
            let number = line.number;
            return self.record.warn("compaction-unreadable", line.offset, || {
                format!("the compaction at line {number} has no summary in the file")
            });
        };
        let below = &index.lines[summary];
        let mut foreign = Foreign::line(below.number);
        foreign
            .more
            .push(("boundary", line.number.to_string().into_bytes()));
        if let Some(id) = below.get("uuid").filter(|id| id.as_text().is_some()) {
            foreign.more.push(("event_id", id.bytes().to_vec()));
        }
        foreign.rest = super::super::foreign::without(
            below.raw().unwrap_or(Raw::checked(b"{}")),
            &["type", "uuid", "message"],
        );
        if index
            .message(summary, "content")
            .is_some_and(|c| c.as_text().is_none())
        {
            let message = below.get("message").unwrap_or(Raw::checked(b"{}"));
            let rest = std::mem::take(&mut foreign.rest);
            foreign.rest = with(rest, "message", message.bytes());
        }
        let text = self.summary_text(summary);
        self.record.compaction(time.as_deref(), &text, foreign);
    }

    fn loose(&mut self, lines: Option<Vec<usize>>) {
        for at in lines.into_iter().flatten() {
            self.outside(at);
        }
    }

    /// A line of the path.
    fn line(&mut self, at: usize, first: bool) {
        match self.index.kinds[at] {
            Kind::User if self.index.flag(at, "isVisibleInTranscriptOnly") => {
                self.keep(at, "user/transcript-only");
            }
            Kind::User => self.user(at, first),
            Kind::Assistant if self.index.flag(at, "isApiErrorMessage") => {
                self.keep(at, "assistant/api-error");
            }
            Kind::Assistant => self.assistant(at),
            _ => self.outside(at),
        }
    }

    fn user(&mut self, at: usize, first: bool) {
        let line = &self.index.lines[at];
        let content = self.index.message(at, "content");
        let place = format!("{}/message/content", line.number);
        let Some(plan) = content.and_then(|content| plan(content, &place)) else {
            return self.keep(at, "user");
        };
        let mut word = injected::of_line(self.index, at);
        if word.is_none() && self.index.is_summary(at) {
            word = Some("compact-summary".to_owned());
        }
        if word.is_none() && first && self.is_side {
            word = Some("prompt".to_owned());
        }
        self.pieces(at, &plan, true, word.as_deref(), None);
    }

    fn assistant(&mut self, at: usize) {
        let line = &self.index.lines[at];
        let place = format!("{}/message/content", line.number);
        let content = self.index.message(at, "content");
        let Some(plan) = content.and_then(|content| plan(content, &place)) else {
            return self.keep(at, "assistant");
        };
        let time = stamp(line.get("timestamp"));
        let model = self.index.message(at, "model").and_then(Raw::as_str);
        if let Some(model) = model.filter(|name| name != "<synthetic>")
            && !plan.pieces.is_empty()
        {
            self.record.before_answer();
            self.record.model(time.as_deref(), "anthropic", &model);
        }
        self.pieces(at, &plan, false, None, None);
        if let Some(usage) = self.index.message(at, "usage") {
            let id = self.index.message(at, "id").map_or(&b""[..], Raw::bytes);
            let request = line.get("requestId").map_or(&b""[..], Raw::bytes);
            let turn = self.record.turn();
            self.record
                .meter
                .answer(&[id, request].concat(), turn, usage);
        }
    }

    /// Writes the events of one line.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "spent on the one item it places"
    )]
    fn pieces(
        &mut self,
        at: usize,
        plan: &Plan<'a>,
        is_user: bool,
        word: Option<&str>,
        steering: Option<(&str, Vec<u8>)>,
    ) {
        let index = self.index;
        let line = &index.lines[at];
        if plan.pieces.is_empty() {
            let kind = if is_user { "user" } else { "assistant" };
            return self.keep(at, kind);
        }
        for &block in &plan.odd {
            let number = line.number;
            self.record.warn("odd-block", line.offset, || {
                format!(
                    "block {} of line {number} has no rule; it is kept aside",
                    block + 1
                )
            });
        }
        let time = stamp(line.get("timestamp"));
        let mut change = self.changes.at(at);
        let rest = match &steering {
            Some((_, rest)) => rest.clone(),
            None => self.rest(at, plan, is_user, &mut change, time.is_some()),
        };
        // A result carries the rest of its line: most of it is about the result.
        let is_result = |piece: &Piece<'_>| matches!(piece.says, Says::Result { .. });
        let bearer = plan.pieces.iter().position(is_result).unwrap_or(0);
        let many = plan.pieces.len() > 1;
        let mut opened = false;
        for (number, piece) in plan.pieces.iter().enumerate() {
            let text = matches!(piece.says, Says::Text(_));
            let mut foreign = self.foreign(line.number, piece, many, is_user && text);
            if number == bearer {
                foreign.rest.clone_from(&rest);
                foreign.absent.append(&mut change.absent);
            }
            if let Says::Call { id, .. } = &piece.says {
                let id = id.as_text().map(crate::json::Text::escaped);
                foreign.sidechain = id.and_then(|id| self.opened.get(id)).cloned();
            }
            let mut author = None;
            if is_user && text {
                let own = self.injected(piece, word);
                match &own {
                    Some(_) => self.record.before_injected(time.as_deref()),
                    None if steering.is_none() && !opened => {
                        opened = true;
                        self.record.before_typed(time.as_deref());
                    }
                    None => {}
                }
                author = own.is_some().then_some(AUTHOR);
                foreign.injected = own;
            }
            let head = Head {
                stamp: time.clone(),
                id: line.text("uuid").map(|id| (id, many.then_some(number))),
                foreign,
                ..Head::default()
            };
            write(&mut self.record, piece, is_user, author, head);
        }
    }

    fn injected(&self, piece: &Piece<'_>, word: Option<&str>) -> Option<String> {
        if let Some(word) = word {
            return Some(word.to_owned());
        }
        let Says::Text(text) = &piece.says else {
            return None;
        };
        let text = Raw::checked(text).as_str()?;
        injected::of_text(&text).map(str::to_owned)
    }

    fn foreign(
        &self,
        number: usize,
        piece: &Piece<'a>,
        many: bool,
        is_text: bool,
    ) -> Foreign<'a> {
        let path = |index: usize| format!("/message/content/{index}");
        let mut foreign = Foreign::line(number);
        if !piece.resources.is_empty() {
            foreign.parts.clone_from(&piece.resources.parts);
            foreign
                .parts
                .extend(piece.block.map(|(index, _)| path(index)));
        } else if let Some((index, _)) = piece.block.filter(|_| many || is_text) {
            foreign.origin = Origin::LineAt(number, path(index));
        }
        foreign
    }

    fn rest(
        &self,
        at: usize,
        plan: &Plan<'_>,
        is_user: bool,
        change: &mut Change,
        stamped: bool,
    ) -> Vec<u8> {
        let index = self.index;
        let message = index.lines[at]
            .get("message")
            .unwrap_or(Raw::checked(b"{}"));
        let model = index.message(at, "model").and_then(Raw::as_str);
        let carried = !is_user && model.as_deref().is_some_and(|m| m != "<synthetic>");
        if !is_user && model.is_none() {
            change.absent.push("message.model");
        }
        let role = if is_user { "user" } else { "assistant" };
        let blocks = rests(&plan.rests);
        let absent = &mut change.absent;
        let message = of_message(message, role, carried, &blocks, absent);
        of_line(index, at, change, &message, stamped)
    }

    /// A line that makes no event of its own, or one outside the tree.
    fn outside(&mut self, at: usize) {
        let index = self.index;
        let line = &index.lines[at];
        if let Value::Broken { bytes, cut } = line.value {
            return self.record.broken(line.number, line.offset, bytes, cut);
        }
        let tag = line.text("type").map(crate::json::Text::decode);
        let tag = tag.as_deref().unwrap_or("untyped");
        match index.kinds[at] {
            Kind::Odd => {
                let number = line.number;
                self.record.warn("odd-line", line.offset, || {
                    format!("line {number} has no readable message; it is kept aside")
                });
                self.keep(at, tag);
            }
            Kind::Duplicate => self.keep(at, "duplicate"),
            Kind::Repeated => self.record.drop_kind("duplicate-line"),
            Kind::System => {
                let subtype = line.text("subtype").map(crate::json::Text::decode);
                if subtype.as_deref() == Some("microcompact_boundary") {
                    self.record.note(
                        "microcompacted",
                        || {
                            "old results were cleared for the model; which is not told"
                                .into()
                        },
                        None,
                    );
                }
                match subtype {
                    Some(subtype) => self.keep(at, &format!("system/{subtype}")),
                    None => self.keep(at, "system"),
                }
            }
            Kind::Attachment => self.attachment(at),
            Kind::Progress => self.keep(at, "progress"),
            _ => self.other(at, tag),
        }
    }

    fn attachment(&mut self, at: usize) {
        let line = &self.index.lines[at];
        let about = line.get("attachment");
        let kind = about.and_then(|a| a.get("type")).and_then(Raw::as_str);
        let kind = kind.unwrap_or(Cow::Borrowed("unknown"));
        if let Some(prompt) = queued_prompt(self.index, at)
            && let Some(plan) =
                plan(prompt, &format!("{}/attachment/prompt", line.number))
            && !plan.pieces.is_empty()
        {
            let about = about.unwrap_or(Raw::checked(b"{}"));
            let inner = super::super::foreign::without(about, &["prompt"]);
            let rest =
                super::super::foreign::residual(line.fields().iter().copied(), |key| {
                    ["type", "uuid", "timestamp", "attachment"]
                        .iter()
                        .any(|k| key.is(k))
                });
            let rest = with(rest, "attachment", &inner);
            let rest = with(rest, "steering", b"\"attachment\"");
            return self.pieces(at, &plan, true, None, Some(("attachment", rest)));
        }
        match self.attachments.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, count)) => *count += 1,
            None => self.attachments.push((kind.to_string(), 1)),
        }
        self.keep(at, &format!("attachment/{kind}"));
    }

    /// Attachments reached the model as text that the file does not hold.
    fn unsent(&mut self) {
        if self.attachments.is_empty() {
            return;
        }
        let kinds: Vec<_> = self
            .attachments
            .iter()
            .map(|(kind, count)| format!("{kind} ({count})"))
            .collect();
        self.record.note(
            "attachments-unsent",
            || {
                format!(
                    "the text the model got for attachments is not in the file: {}",
                    kinds.join(", ")
                )
            },
            None,
        );
    }

    fn other(&mut self, at: usize, tag: &str) {
        let line = &self.index.lines[at];
        match tag {
            "queue-operation" if self.is_steering(at) => {
                let rest = super::super::foreign::without(
                    line.raw().unwrap_or(Raw::checked(b"{}")),
                    &["type", "timestamp", "content"],
                );
                let rest = with(rest, "steering", b"\"queue-operation\"");
                let content = line.get("content").unwrap_or(Raw::checked(b"\"\""));
                if let Some(plan) = plan(content, &format!("{}/content", line.number)) {
                    let steering = Some(("queue-operation", rest));
                    return self.pieces(at, &plan, true, None, steering);
                }
            }
            "content-replacement" => self.record.note(
                "results-replaced",
                || {
                    "results were replaced for the model; they stand as they came"
                        .into()
                },
                None,
            ),
            _ => {}
        }
        let known = OUTSIDE.contains(&tag) || tag.starts_with("marble-origami-");
        if !known {
            self.record.unknown_kind(tag);
        }
        self.keep(at, tag);
    }

    /// Whether a queue line tells text sent while the model worked, which no
    /// attachment repeats.
    fn is_steering(&self, at: usize) -> bool {
        let line = &self.index.lines[at];
        let removed = line.text("operation").is_some_and(|o| o.is("remove"));
        let Some(text) = line.text("content").filter(|_| removed) else {
            return false;
        };
        !text.decode().trim().is_empty() && !self.queued.contains(text.escaped())
    }

    fn keep(&mut self, at: usize, kind: &str) {
        let line = &self.index.lines[at];
        let time = stamp(line.get("timestamp"));
        if let Some(raw) = line.raw() {
            self.record.foreign(time.as_deref(), line.number, kind, raw);
        }
    }
}

/// The text of a queued command.
fn queued_prompt<'a>(index: &Index<'a>, at: usize) -> Option<Raw<'a>> {
    let about = index.lines[at].get("attachment")?;
    let queued = about.get("type")?.as_text()?.is("queued_command");
    queued.then(|| about.get("prompt")).flatten()
}

/// Whether a line makes an event.
fn speaks(index: &Index<'_>, at: usize) -> bool {
    let message = match index.kinds[at] {
        Kind::User => !index.flag(at, "isVisibleInTranscriptOnly"),
        Kind::Assistant => !index.flag(at, "isApiErrorMessage"),
        _ => false,
    };
    message
        && (index
            .message(at, "content")
            .is_some_and(|c| c.as_text().is_some())
            || index.blocks(at).any(says_something))
}

fn says_something(block: Raw<'_>) -> bool {
    let Some(kind) = block.get("type").and_then(Raw::as_text) else {
        return block.as_text().is_some();
    };
    let known = [
        "text",
        "image",
        "document",
        "thinking",
        "redacted_thinking",
        "tool_use",
        "server_tool_use",
        "mcp_tool_use",
        "compaction",
    ];
    known.iter().any(|name| kind.is(name)) || kind.decode().ends_with("tool_result")
}

/// The title of a session: what people called it, else what the program did.
pub(super) fn title(index: &Index<'_>) -> Option<Vec<u8>> {
    let mut found: [Option<Raw<'_>>; 3] = [None; 3];
    for line in &index.lines {
        let Some(tag) = line.text("type") else {
            continue;
        };
        let (slot, key) = match () {
            () if tag.is("custom-title") => (0, "customTitle"),
            () if tag.is("ai-title") => (1, "aiTitle"),
            () if tag.is("summary") => {
                let leaf = line.text("leafUuid").and_then(|id| index.find(id));
                if leaf.is_none() {
                    continue;
                }
                (2, "summary")
            }
            () => continue,
        };
        if let Some(text) = line.get(key).filter(|value| value.as_text().is_some()) {
            found[slot] = Some(text);
        }
    }
    let text = found.into_iter().flatten().next()?;
    let mut out = Vec::new();
    json::compact(&mut out, text);
    Some(out)
}
