//! The lines of a rollout as events.

use super::super::content::{compact, quoted};
use super::super::foreign::{Foreign, Origin, text, with, without};
use super::super::options::Compaction;
use super::super::record::{Head, Record, stamp};
use super::super::responses::{Place, item, kind, texts};
use super::super::system::section_delta;
use super::entry::{Entry, What};
use super::injected;
use crate::json::{Kind, Raw, write};
use std::borrow::Cow;
use std::collections::HashSet;

/// Who speaks where nobody typed.
const AUTHOR: &[u8] = b"\"codex\"";

/// Lines around an item in which an event says the same.
const NEAR: usize = 4;

/// Writes one path of a rollout.
pub(super) struct Writer<'w, 'a, 'o> {
    record: Record<'o>,
    lines: &'w [&'w Entry<'a>],
    typed: &'w [bool],
    provider: String,
    meta: bool,
    answered: bool,
    model: Option<String>,
    effort: Option<Vec<u8>>,
    /// Texts of reasoning items, joined as events have them.
    reasons: HashSet<String>,
    has_items: bool,
    usage: Option<Raw<'a>>,
}

/// Which lines are requests a person typed.
pub(super) fn typed(entries: &[Entry<'_>]) -> Vec<bool> {
    (0..entries.len())
        .map(|at| {
            let entry = &entries[at];
            let Some(payload) = entry.payload else {
                return false;
            };
            match entry.what {
                What::Item if is_user(payload) => {
                    proven(entries, at, payload) || words(payload).is_none()
                }
                What::Event("user_message") => {
                    let near = around(at, entries.len());
                    !near.into_iter().any(|other| {
                        entries[other].what == What::Item
                            && entries[other].payload.is_some_and(|item| {
                                is_user(item) && says(item, payload)
                            })
                    })
                }
                _ => false,
            }
        })
        .collect()
}

fn around(at: usize, len: usize) -> Vec<usize> {
    (at.saturating_sub(NEAR)..(at + NEAR + 1).min(len))
        .filter(|&other| other != at)
        .collect()
}

fn is_user(item: Raw<'_>) -> bool {
    let role = item.get("role").and_then(Raw::as_text);
    kind(item) == "message" && role.is_some_and(|role| role.is("user"))
}

/// Whether a user item holds the text of an event, alone or as one of its texts.
fn says(item: Raw<'_>, event: Raw<'_>) -> bool {
    let Some(said) = event.get("message").and_then(Raw::as_str) else {
        return false;
    };
    let texts = item_texts(item);
    texts.contains(&said) || texts.concat() == said
}

fn item_texts(item: Raw<'_>) -> Vec<Cow<'_, str>> {
    let Some(content) = item.get("content") else {
        return Vec::new();
    };
    if let Some(text) = content.as_str() {
        return vec![text];
    }
    let parts = content.as_array().into_iter().flatten();
    parts
        .filter_map(|part| part.get("text")?.as_str())
        .collect()
}

/// Whether an event near an item proves it typed.
fn proven(entries: &[Entry<'_>], at: usize, item: Raw<'_>) -> bool {
    around(at, entries.len()).into_iter().any(|other| {
        entries[other].what == What::Event("user_message")
            && entries[other]
                .payload
                .is_some_and(|event| says(item, event))
    })
}

/// The word for a user item all of whose texts are injected.
fn words(item: Raw<'_>) -> Option<&'static str> {
    let texts = item_texts(item);
    let first = injected::word(texts.first()?)?;
    let all = texts.iter().all(|text| injected::word(text).is_some());
    all.then_some(first)
}

impl<'w, 'a, 'o> Writer<'w, 'a, 'o> {
    pub(super) fn new(
        record: Record<'o>,
        lines: &'w [&'w Entry<'a>],
        typed: &'w [bool],
    ) -> Self {
        let items = || lines.iter().filter(|line| line.what == What::Item);
        let reasons = items()
            .filter_map(|line| line.payload.filter(|item| kind(*item) == "reasoning"))
            .flat_map(|item| {
                ["summary", "content"].map(|key| item.get(key).and_then(Raw::as_array))
            })
            .flatten()
            .flatten()
            .filter_map(|part| Some(part.get("text")?.as_str()?.into_owned()))
            .collect();
        Self {
            has_items: items().next().is_some(),
            record,
            lines,
            typed,
            provider: "openai".to_owned(),
            meta: false,
            answered: false,
            model: None,
            effort: None,
            reasons,
            usage: None,
        }
    }

    pub(super) fn write(mut self) -> Record<'o> {
        let from = self.cut();
        for at in from..self.lines.len() {
            self.line(at);
        }
        if let Some(usage) = self.usage {
            let turn = self.record.turn();
            self.record.meter.answer(b"", turn, usage);
        }
        if self.record.system.is_empty() {
            self.record.unknown.push("system");
        }
        self.record.unknown.push("tools");
        self.record
    }

    /// Under `cut`: writes what the last compaction left, and gives the line where
    /// the rest starts. Headers and settings before it still hold.
    fn cut(&mut self) -> usize {
        if self.record.options.compaction != Compaction::Cut {
            return 0;
        }
        let summary = |line: &Entry<'_>| {
            let message = line.payload?.get("message")?;
            (line.what == What::Compacted && !message.as_str()?.is_empty())
                .then_some(())
        };
        let Some(at) = self.lines.iter().rposition(|line| summary(line).is_some())
        else {
            return 0;
        };
        for before in 0..at {
            if matches!(self.lines[before].what, What::Meta | What::Context) {
                self.line(before);
            }
        }
        let line = self.lines[at];
        let Some(payload) = line.payload else {
            return 0;
        };
        let history = payload.get("replacement_history").and_then(Raw::as_array);
        let mut cut = b"{".to_vec();
        super::super::foreign::number(&mut cut, "boundary_line", line.number);
        super::super::foreign::number(&mut cut, "lines_before", at);
        cut.push(b'}');
        self.record.import.push(("cut", cut));
        if let Some(history) = history {
            for (index, one) in history.enumerate() {
                let path = format!("/replacement_history/{index}");
                self.replaced(line, one, &path);
            }
            return at + 1;
        }
        self.record.note(
            "replaced-history",
            || {
                "what the model saw after the compaction is rebuilt, not recorded"
                    .into()
            },
            None,
        );
        for before in 0..at {
            if self.typed[before] {
                self.line(before);
            }
        }
        let text = payload.get("message").map_or(&b"\"\""[..], Raw::bytes);
        let mut foreign = Foreign::line(line.number);
        foreign.injected = Some("compact-summary".to_owned());
        self.record.before_injected(line.stamp.as_deref());
        let head = head(line, foreign);
        self.record.request(&head, text, Some(AUTHOR), b"");
        at + 1
    }

    /// An item of a replaced history.
    fn replaced(&mut self, line: &Entry<'a>, one: Raw<'a>, path: &str) {
        let foreign = Foreign {
            origin: Origin::LineAt(line.number, path.to_owned()),
            ..Foreign::default()
        };
        let place = Place {
            foreign: foreign.clone(),
            stamp: line.stamp.clone(),
            at: format!("{}{path}", line.number),
            number: line.number,
        };
        if item(&mut self.record, one, place) {
            self.answered = true;
        } else if is_user(one) {
            self.user(line, one, words(one), foreign);
        } else if kind(one) == "message" {
            self.system(line, one);
        }
    }

    fn line(&mut self, at: usize) {
        let line = self.lines[at];
        if let Some((bytes, cut)) = line.broken {
            return self.record.broken(line.number, line.offset, bytes, cut);
        }
        let Some(payload) = line.payload else { return };
        match line.what {
            What::Meta if !self.meta => self.header(line, payload),
            What::Meta => self.keep(line, "session_meta"),
            What::Context => {
                self.context(line, payload);
                self.keep(line, "turn_context");
            }
            What::Item => self.item(at, payload),
            What::Compacted => self.compacted(line, payload),
            What::Agent => self.agent(line, payload),
            What::Event(name) => self.event(at, payload, name),
            What::Other(name) => {
                let known = [
                    "state",
                    "world_state",
                    "token_usage_record",
                    "realtime_item",
                    "security_risk_score",
                    "inter_agent_communication_metadata",
                ];
                if !known.contains(&name) {
                    self.record.unknown_kind(name);
                }
                self.keep(line, name);
            }
            What::Broken => {}
        }
    }

    fn header(&mut self, line: &Entry<'a>, payload: Raw<'a>) {
        self.meta = true;
        if let Some(provider) = payload.get("model_provider").and_then(Raw::as_str) {
            self.provider = provider.into_owned();
        }
        let created = stamp(payload.get("timestamp")).or_else(|| line.stamp.clone());
        self.record.created = created.map(Cow::into_owned);
        let base = payload.get("base_instructions");
        let prompt = base
            .and_then(|base| base.get("text"))
            .filter(|text| text.kind() == Kind::String);
        let mut session = match prompt {
            Some(prompt) => {
                self.record.system.push(prompt.bytes().to_vec());
                let left = base.map_or_else(Vec::new, |base| without(base, &["text"]));
                with(
                    without(payload, &["base_instructions"]),
                    "base_instructions",
                    &left,
                )
            }
            None => compact(payload),
        };
        if line.bare && payload.get("type").is_none() {
            session = with(session, "era", b"\"bare\"");
        }
        self.record.import.push(("session", session));
        let mut at = b"{".to_vec();
        super::super::foreign::number(&mut at, "line", line.number);
        if let Some(time) = &line.stamp {
            text(&mut at, "timestamp", time);
        }
        if !line.around.is_empty() {
            write::key(&mut at, "around");
            at.extend_from_slice(&line.around);
        }
        at.push(b'}');
        self.record.import.push(("session_at", at));
        let mode = payload.get("history_mode").and_then(Raw::as_str);
        let whole =
            mode.is_none_or(|mode| matches!(&*mode, "full" | "legacy" | "paginated"));
        if payload
            .get("history_base")
            .is_some_and(|base| !base.is_null())
            || !whole
        {
            self.record.warn("history-elsewhere", line.offset, || {
                "part of the history is in another file".into()
            });
        }
    }

    fn context(&mut self, line: &Entry<'a>, payload: Raw<'a>) {
        let time = line.stamp.as_deref();
        if self.record.system.is_empty() && !self.answered {
            let keys = [
                "base_instructions",
                "developer_instructions",
                "user_instructions",
            ];
            for key in keys {
                let value = payload.get(key);
                let text =
                    value.filter(|v| v.kind() == Kind::String && v.bytes() != b"\"\"");
                self.record
                    .system
                    .extend(text.map(|text| text.bytes().to_vec()));
            }
        }
        if let Some(model) = payload.get("model").and_then(Raw::as_str) {
            let provider = self.provider.clone();
            self.record.model(time, &provider, &model);
            self.model = Some(model.into_owned());
        }
        let Some(effort) = payload.get("effort").filter(|e| e.kind() == Kind::String)
        else {
            return;
        };
        let effort = effort.bytes().to_vec();
        if self.effort.as_ref() == Some(&effort) {
            return;
        }
        let value = match effort.as_slice() {
            b"\"none\"" => b"\"off\"".to_vec(),
            _ => [b"{\"effort\":", effort.as_slice(), b"}"].concat(),
        };
        match self.answered || self.effort.is_some() {
            false => self.record.parameters.push(("reasoning", value)),
            true => {
                let start =
                    b"{\"assistant\":{\"model\":{\"parameters\":{\"reasoning\":";
                let delta = [start, value.as_slice(), b"}}}}"].concat();
                self.record.delta(time, &delta, b"");
            }
        }
        self.effort = Some(effort);
    }

    fn item(&mut self, at: usize, payload: Raw<'a>) {
        let line = self.lines[at];
        let foreign = Foreign {
            message: line.around.clone(),
            ..Foreign::line(line.number)
        };
        if is_user(payload) {
            let word = match self.typed[at] {
                true => None,
                false => words(payload),
            };
            return self.user(line, payload, word, foreign);
        }
        let kind = kind(payload);
        if kind == "message" {
            let role = payload.get("role").and_then(Raw::as_text);
            if role.is_some_and(|role| role.is("developer") || role.is("system")) {
                return self.system(line, payload);
            }
        }
        if kind == "agent_message" {
            return self.agent(line, payload);
        }
        let place = Place {
            foreign,
            stamp: line.stamp.clone(),
            at: line.number.to_string(),
            number: line.number,
        };
        if item(&mut self.record, payload, place) {
            self.answered = true;
            return;
        }
        let sealed = payload.get("encrypted_content").is_some();
        let compaction = ["compaction", "compaction_summary", "context_compaction"];
        if compaction.contains(&&*kind) && sealed {
            self.unreadable(line);
        }
        let known = [
            "ghost_snapshot",
            "additional_tools",
            "configuration_update",
            "compaction_trigger",
        ];
        if !known.contains(&&*kind) && !compaction.contains(&&*kind) {
            self.record.unknown_kind(&format!("response_item/{kind}"));
        }
        self.keep(line, &format!("response_item/{kind}"));
    }

    fn unreadable(&mut self, line: &Entry<'_>) {
        let number = line.number;
        self.record.warn("compaction-unreadable", line.offset, || {
            format!("the summary of the compaction at line {number} cannot be read")
        });
    }

    /// A user message: typed, or with the word for who put it there.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "spent on the one item it places"
    )]
    fn user(
        &mut self,
        line: &Entry<'a>,
        payload: Raw<'a>,
        word: Option<&'static str>,
        base: Foreign<'_>,
    ) {
        let found = texts(payload, &line.number.to_string());
        if found.list.is_empty() {
            return self.keep(line, "response_item/message");
        }
        let time = line.stamp.as_deref();
        match word {
            Some(_) => self.record.before_injected(time),
            None => self.record.before_typed(time),
        }
        let many = found.list.len() > 1;
        let mut rest = found.rest;
        if payload
            .get("content")
            .is_some_and(|c| c.kind() == Kind::String)
        {
            // Items have a list of parts; this one has its text outright.
            rest = with(rest, "content", b"\"\"");
        }
        for (said, index, files) in &found.list {
            let mut foreign = base.clone();
            if let Some(index) = index.filter(|_| many) {
                foreign.origin =
                    Origin::LineAt(line.number, format!("/content/{index}"));
            }
            foreign.rest = std::mem::take(&mut rest);
            foreign.injected = word.map(str::to_owned);
            if payload.get("type").is_none() {
                foreign.absent.push("type");
            }
            if !files.is_empty() {
                foreign.parts.clone_from(&files.parts);
            }
            let author = word.map(|_| AUTHOR);
            let head = head(line, foreign);
            self.record.request(&head, said, author, files.json());
        }
    }

    /// A developer or system message: a part, or behind an answer a change.
    fn system(&mut self, line: &Entry<'a>, payload: Raw<'a>) {
        let content = payload.get("content").unwrap_or(Raw::checked(b"[]"));
        let role = payload
            .get("role")
            .and_then(Raw::as_str)
            .unwrap_or_default();
        let parts: Vec<Raw<'_>> = match content.kind() {
            Kind::String => vec![content],
            _ => content
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|part| part.get("text"))
                .filter(|text| text.kind() == Kind::String)
                .collect(),
        };
        let mut aside = b"{".to_vec();
        super::super::foreign::number(&mut aside, "line", line.number);
        text(&mut aside, "role", &role);
        if self.answered {
            aside.push(b'}');
            return section_delta(
                &mut self.record,
                line.stamp.as_deref(),
                &parts,
                &aside,
            );
        }
        for part in &parts {
            self.record.system.push(part.bytes().to_vec());
        }
        write::key(&mut aside, "parts");
        write::integer(&mut aside, parts.len() as u64);
        if let Some(time) = &line.stamp {
            text(&mut aside, "timestamp", time);
        }
        let rest = without(payload, &["type", "role", "content"]);
        if !rest.is_empty() {
            write::key(&mut aside, "rest");
            aside.extend_from_slice(&rest);
        }
        aside.push(b'}');
        match self
            .record
            .import
            .iter_mut()
            .find(|(key, _)| *key == "system")
        {
            Some((_, list)) => {
                list.pop();
                list.push(b',');
                list.extend_from_slice(&aside);
                list.push(b']');
            }
            None => {
                let list = [b"[", aside.as_slice(), b"]"].concat();
                self.record.import.push(("system", list));
            }
        }
    }

    fn compacted(&mut self, line: &Entry<'a>, payload: Raw<'a>) {
        let message = payload
            .get("message")
            .filter(|message| message.as_str().is_some_and(|text| !text.is_empty()));
        let Some(message) = message else {
            self.unreadable(line);
            return self.keep(line, "compacted");
        };
        let foreign = Foreign {
            rest: without(payload, &["message"]),
            message: line.around.clone(),
            ..Foreign::line(line.number)
        };
        self.record
            .compaction(line.stamp.as_deref(), message.bytes(), foreign);
    }

    /// What another agent said.
    fn agent(&mut self, line: &Entry<'a>, payload: Raw<'a>) {
        let said = ["content", "message", "text"]
            .iter()
            .find_map(|key| payload.get(key))
            .filter(|said| said.kind() == Kind::String);
        let Some(said) = said else {
            return self.keep(line, "inter_agent_communication");
        };
        let author = payload
            .get("author")
            .and_then(Raw::as_str)
            .unwrap_or_default();
        let name = quoted(&format!("codex:{author}"));
        let foreign = Foreign {
            injected: Some("agent".to_owned()),
            rest: without(payload, &["content", "message", "text"]),
            message: line.around.clone(),
            ..Foreign::line(line.number)
        };
        self.record.before_injected(line.stamp.as_deref());
        let head = head(line, foreign);
        self.record.request(&head, said.bytes(), Some(&name), b"");
    }

    fn event(&mut self, at: usize, payload: Raw<'a>, name: &str) {
        let line = self.lines[at];
        let said = ["message", "text"].iter().find_map(|key| payload.get(key));
        let said = said.filter(|said| said.kind() == Kind::String);
        match (name, said) {
            ("user_message", Some(said)) if self.typed[at] => {
                self.record.before_typed(line.stamp.as_deref());
                let files = pictures(payload, line.number);
                let foreign = self.event_foreign(line, payload, name);
                let head = head(line, foreign);
                self.record.request(&head, said.bytes(), None, files.json());
            }
            ("agent_message", Some(said)) if !self.item_says(at, said) => {
                let mut head = head(line, self.event_foreign(line, payload, name));
                if let Some(phase) =
                    payload.get("phase").filter(|p| p.kind() == Kind::String)
                {
                    head.meta.push(("openai_phase", phase));
                }
                self.record.message(&head, said.bytes());
                self.answered = true;
            }
            ("agent_reasoning" | "agent_reasoning_raw_content", Some(said))
                if said
                    .as_str()
                    .is_some_and(|text| !self.reasons.contains(&*text)) =>
            {
                let head = head(line, self.event_foreign(line, payload, name));
                self.record.reasoning(&head, said.bytes());
                self.answered = true;
            }
            ("item_completed", _) if !self.has_items => self.completed(line, payload),
            ("token_count", _) => {
                let total = payload.at(&["info", "total_token_usage"]);
                self.usage = total.or(self.usage);
                self.keep(line, "event_msg/token_count");
            }
            _ => self.keep(line, &format!("event_msg/{name}")),
        }
    }

    fn event_foreign(
        &self,
        line: &Entry<'_>,
        payload: Raw<'_>,
        name: &str,
    ) -> Foreign<'a> {
        Foreign {
            rest: with(
                without(payload, &["type", "message", "text", "phase"]),
                "event",
                &quoted(name),
            ),
            message: line.around.clone(),
            ..Foreign::line(line.number)
        }
    }

    /// Whether an assistant item near the line says the same.
    fn item_says(&self, at: usize, said: Raw<'_>) -> bool {
        let said = said.as_str().unwrap_or_default();
        around(at, self.lines.len()).into_iter().any(|other| {
            let line = self.lines[other];
            line.what == What::Item
                && line.payload.is_some_and(|item| {
                    let role = item.get("role").and_then(Raw::as_text);
                    role.is_some_and(|role| role.is("assistant"))
                        && item_texts(item).concat() == said
                })
        })
    }

    /// A finished item of a paginated session, which has no other items.
    fn completed(&mut self, line: &Entry<'a>, payload: Raw<'a>) {
        let Some(done) = payload.get("item") else {
            return self.keep(line, "event_msg/item_completed");
        };
        let kind = done.get("type").and_then(Raw::as_str).unwrap_or_default();
        let kind = kind.replace('_', "").to_lowercase();
        let texts: Vec<_> = ["content", "summary_text", "raw_content"]
            .iter()
            .filter_map(|key| done.get(key)?.as_array())
            .flatten()
            .filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()))
            .collect();
        let text = quoted(&texts.join(if kind == "reasoning" { "\n\n" } else { "" }));
        let foreign = Foreign {
            rest: compact(payload),
            message: line.around.clone(),
            ..Foreign::line(line.number)
        };
        let head = head(line, foreign);
        match &*kind {
            "usermessage" => {
                self.record.before_typed(line.stamp.as_deref());
                self.record.request(&head, &text, None, b"");
            }
            "agentmessage" => self.record.message(&head, &text),
            "reasoning" => self.record.reasoning(&head, &text),
            _ => return self.keep(line, "event_msg/item_completed"),
        }
        self.answered |= kind != "usermessage";
    }

    fn keep(&mut self, line: &Entry<'_>, kind: &str) {
        let Some(payload) = line.payload else { return };
        self.record.foreign_in(
            line.stamp.as_deref(),
            line.number,
            kind,
            payload,
            &line.around,
        );
    }
}

fn head<'h>(line: &Entry<'h>, foreign: Foreign<'h>) -> Head<'h> {
    Head {
        stamp: line.stamp.clone(),
        foreign,
        ..Head::default()
    }
}

/// The pictures an event names.
fn pictures(payload: Raw<'_>, number: usize) -> super::super::content::Resources {
    let mut files = super::super::content::Resources::default();
    for key in ["images", "local_images"] {
        let list = payload.get(key).and_then(Raw::as_array);
        for (index, one) in list.into_iter().flatten().enumerate() {
            let Some(url) = one.as_str() else { continue };
            let at = format!("/{key}/{index}");
            match super::super::content::data_uri(&url) {
                Some((media, data)) => {
                    let uri = format!("import:{number}{at}");
                    files.blob(&uri, Some(Raw::checked(&media)), &data, &at);
                }
                None => files.address(one.bytes(), None, &at),
            }
        }
    }
    files
}
