//! One entry: who it is from, who saw it, what it says.

use super::{code, text};
use crate::block::media::{essence, language};
use crate::block::{Block, BlockKind, Content, Decoder, Encoding, Role};
use crate::config::{Config, Delta, Mode, ModelChoice, Warnings};
use crate::event::{Answer, Event, EventKind, Timestamp};
use crate::json::{Raw, Text, write};
use crate::term::words;
use maud::{Markup, html};
use std::collections::HashMap;

/// An entry as the page shows it.
pub(super) struct Entry {
    /// Its class: user, assistant, tool, other.
    pub(super) class: &'static str,
    /// What the switches call it: speech, reasoning, tools, other.
    pub(super) kind: &'static str,
    /// Who saw it: both, user, model, none.
    pub(super) who: &'static str,
    /// Whose it is.
    pub(super) name: String,
    /// What is said beside the name.
    pub(super) note: Option<String>,
    /// The call it is.
    pub(super) call: Option<String>,
    /// First words of the user's.
    pub(super) words: Option<String>,
    /// What it says.
    pub(super) body: Markup,
}

/// What the entries of a conversation are shown with.
pub(super) struct Talk<'a> {
    decoder: Decoder,
    /// Names of the tools called, by call.
    calls: HashMap<String, String>,
    model: ModelChoice<'a>,
}

impl<'a> Talk<'a> {
    /// At the start of a conversation with this base configuration.
    pub(super) fn new(decoder: Decoder, base: Option<Raw<'a>>) -> Self {
        let mut warnings = Warnings::default();
        let config = Config::resolve(base, Mode::Convo, &mut warnings);
        Self {
            decoder,
            calls: HashMap::new(),
            model: config.model().clone(),
        }
    }

    /// Takes notice of an entry that is not shown.
    pub(super) fn pass(&mut self, event: &Event<'a>) {
        match event.kind() {
            EventKind::ToolCallRequest => {
                self.called(event);
            }
            EventKind::ConfigDelta => self.follow(event),
            _ => {}
        }
    }

    /// The entry, if there is something to show.
    pub(super) fn entry(&mut self, event: &Event<'a>) -> Option<Entry> {
        let speech = |class, name: String, body| Entry {
            class,
            kind: "speech",
            who: "both",
            name,
            note: None,
            call: None,
            words: None,
            body,
        };
        match event.kind() {
            EventKind::ChatRequest => Some(self.request(event)),
            EventKind::ChatResponse => {
                let name = self.assistant();
                Some(match event.answer()? {
                    Answer::Message(said) => {
                        let said = said.decode();
                        if said.trim().is_empty() {
                            return None;
                        }
                        speech("assistant", name, text::message(&said))
                    }
                    Answer::Structured(data) => speech(
                        "assistant",
                        name,
                        code::folded("json", &pretty(data), "data"),
                    ),
                    Answer::Reasoning(thought) => {
                        let thought = thought.decode();
                        let body = match thought.trim().is_empty() {
                            true => {
                                html! { p.facts { "Reasoning that is kept from view." } }
                            }
                            false => html! {
                                details {
                                    summary { "Reasoning, " (words::size(thought.len() as u64)) }
                                    (text::message(&thought))
                                }
                            },
                        };
                        let entry = speech("assistant", name, body);
                        Entry {
                            kind: "reasoning",
                            who: "model",
                            ..entry
                        }
                    }
                })
            }
            EventKind::ToolCallRequest => {
                let (id, name) = self.called(event);
                let body = match event.get("arguments") {
                    Some(arguments) => {
                        let mut plain = Vec::new();
                        self.decoder.write_leaves(
                            &mut plain,
                            arguments,
                            Encoding::Plain,
                        );
                        code::folded("json", &pretty(Raw::checked(&plain)), "arguments")
                    }
                    None => html! {},
                };
                let note = server(event).then(|| "run by the provider".to_owned());
                let entry = speech("tool", format!("call {name}"), body);
                Some(Entry {
                    kind: "tools",
                    who: "model",
                    call: Some(id),
                    note,
                    ..entry
                })
            }
            EventKind::ToolCallResponse => Some(self.result(event)),
            EventKind::InquiryRequest | EventKind::InquiryResponse => {
                let asked = event.kind() == EventKind::InquiryRequest;
                let name = if asked { "question" } else { "answer" };
                let body = code::folded("json", &pretty(event.raw()), name);
                let entry = speech("other", name.to_owned(), body);
                Some(Entry {
                    kind: "other",
                    who: "user",
                    ..entry
                })
            }
            EventKind::ConfigDelta => {
                self.follow(event);
                let delta = event.get("delta").unwrap_or(event.raw());
                let body = html! {
                    details {
                        summary { "Changes, " (words::size(delta.bytes().len() as u64)) }
                        (code::block("json", &pretty(delta)))
                    }
                };
                let entry = speech("other", "configuration".to_owned(), body);
                Some(Entry {
                    kind: "other",
                    who: "model",
                    ..entry
                })
            }
            EventKind::Compaction => {
                let turn = |key| {
                    event
                        .get(key)
                        .and_then(Raw::as_u64)
                        .map_or(0, |turn| turn + 1)
                };
                let summary = event
                    .raw()
                    .at(&["summary", "summary"])
                    .and_then(Raw::as_str);
                let body = html! {
                    @if let Some(summary) = &summary {
                        details { summary { "Summary, " (words::size(summary.len() as u64)) } (text::message(summary)) }
                    }
                };
                let entry = speech("other", "compaction".to_owned(), body);
                let note =
                    format!("turns {} to {}", turn("from_turn"), turn("to_turn"));
                Some(Entry {
                    kind: "other",
                    who: "model",
                    note: Some(note),
                    ..entry
                })
            }
            EventKind::TurnStart | EventKind::Unknown => None,
        }
    }

    fn follow(&mut self, event: &Event<'a>) {
        let mut warnings = Warnings::default();
        self.model.follow(&Delta::read(event.raw(), &mut warnings));
    }

    fn assistant(&self) -> String {
        let model = self.model.resolve().ok().flatten();
        model.map_or_else(
            || "assistant".to_owned(),
            |model| {
                text::plain(&format!("assistant · {}/{}", model.provider, model.name))
            },
        )
    }

    /// The id and the tool of a call, kept for its result.
    fn called(&mut self, event: &Event<'a>) -> (String, String) {
        let field = |key| event.text(key).map(|text| text.decode().into_owned());
        let (id, name) = (
            field("id").unwrap_or_default(),
            field("name").unwrap_or_default(),
        );
        let name = text::plain(&name);
        self.calls.insert(id.clone(), name.clone());
        (id, name)
    }

    fn request(&mut self, event: &Event<'a>) -> Entry {
        let content = event.text("content").map(Text::decode).unwrap_or_default();
        let author = event.text("author").map(Text::decode);
        let injected = event.raw().at(&["metadata", "foreign", "injected"]);
        let injected = injected.and_then(Raw::as_str);
        let files = event
            .get("resources")
            .and_then(Raw::as_array)
            .into_iter()
            .flatten();
        let words: String = content
            .split_whitespace()
            .take(20)
            .collect::<Vec<_>>()
            .join(" ");
        let shown = match &injected {
            // What a program put in is long and nobody's speech.
            Some(_) => code::folded("", &text::plain(&content), "text"),
            None => text::message(&content),
        };
        let name = author
            .as_deref()
            .filter(|author| !author.is_empty())
            .unwrap_or("user");
        Entry {
            class: if injected.is_some() { "other" } else { "user" },
            kind: if injected.is_some() {
                "other"
            } else {
                "speech"
            },
            who: "both",
            name: text::plain(name),
            note: injected
                .map(|why| format!("put in, not typed: {}", text::plain(&why))),
            call: None,
            words: Some(text::plain(&words)),
            body: html! {
                (shown)
                @for resource in files { (file(resource)) }
            },
        }
    }

    fn result(&mut self, event: &Event<'a>) -> Entry {
        let id = event.text("id").map(Text::decode).unwrap_or_default();
        let name = self.calls.get(&*id).cloned().unwrap_or_default();
        let mut who = [false; 2];
        let body = match Content::of(event) {
            Content::Text(said) => {
                who = [true; 2];
                let said = self.decoder.text(said).into_owned();
                code::folded("", &text::plain(&said), "result")
            }
            Content::Structured(data) => {
                who = [true; 2];
                code::folded("json", &pretty(data), "result")
            }
            Content::Blocks(blocks) => {
                let blocks: Vec<_> = blocks
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(Block::read)
                    .collect();
                for block in &blocks {
                    if block.kind != BlockKind::Question {
                        who[0] |= block.addressed_to(Role::User);
                        who[1] |= block.addressed_to(Role::Assistant);
                    }
                }
                html! { @for block in &blocks { (self::block(block)) } }
            }
            Content::Missing => html! {},
        };
        Entry {
            class: "tool",
            kind: "tools",
            who: whom(who[0], who[1]),
            name: format!("result {name}").trim_end().to_owned(),
            note: event.is_error().then(|| "failed".to_owned()),
            call: None,
            words: None,
            body,
        }
    }
}

fn whom(user: bool, model: bool) -> &'static str {
    match (user, model) {
        (true, true) => "both",
        (true, false) => "user",
        (false, true) => "model",
        (false, false) => "none",
    }
}

/// What the badge of an entry says.
pub(super) fn seen(who: &str) -> &'static str {
    match who {
        "user" => "the user saw it",
        "model" => "the model saw it",
        _ => "nobody was shown it",
    }
}

fn server(event: &Event<'_>) -> bool {
    let mark = event.raw().at(&["metadata", "foreign", "server"]);
    mark.and_then(Raw::as_bool) == Some(true)
}

/// A block of a result.
fn block(block: &Block<'_>) -> Markup {
    let raw = block.raw;
    let string = |path: &[&str]| raw.at(path).and_then(Raw::as_str);
    let who = match block.kind {
        BlockKind::Question => "user",
        _ => whom(
            block.addressed_to(Role::User),
            block.addressed_to(Role::Assistant),
        ),
    };
    let body = match block.kind {
        BlockKind::Text => {
            let said = string(&["text"]).unwrap_or_default();
            code::folded("", &text::plain(&said), "text")
        }
        BlockKind::Resource => file(raw.get("resource").unwrap_or(raw)),
        BlockKind::Image | BlockKind::Audio => media(
            &string(&["mimeType"]).unwrap_or_default(),
            &string(&["data"]).unwrap_or_default(),
        ),
        BlockKind::ResourceLink => {
            html! { p { "File: " code { (text::plain(&string(&["uri"]).unwrap_or_default())) } } }
        }
        BlockKind::Question | BlockKind::Malformed | BlockKind::Unknown => {
            code::folded("json", &pretty(raw), "block")
        }
    };
    html! {
        div data-who=(who) {
            @if who != "both" { p.facts { span.who { (seen(who)) } } }
            (body)
        }
    }
}

/// A file: its text, its picture, or its name.
fn file(resource: Raw<'_>) -> Markup {
    let string = |key: &str| resource.get(key).and_then(Raw::as_str);
    let uri = string("uri").unwrap_or_default();
    let mime = string("mimeType");
    html! {
        p.facts { code { (text::plain(&uri)) } }
        @if let Some(said) = string("text") {
            (code::folded(language(mime.as_deref()), &text::plain(&said), "file"))
        } @else if let Some(blob) = string("blob") {
            (media(mime.as_deref().unwrap_or_default(), &blob))
        }
    }
}

/// Pictures that a browser shows without running anything.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// A picture, inline; anything else by its size.
fn media(mime: &str, base64: &str) -> Markup {
    let kind = essence(mime).to_ascii_lowercase();
    let is_base64 =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    match PICTURES.iter().find(|one| **one == kind) {
        Some(kind) if !base64.is_empty() && base64.bytes().all(is_base64) => {
            html! { img src={ "data:" (kind) ";base64," (base64) } alt="A picture of the conversation" loading="lazy"; }
        }
        _ => html! {
            p.facts { (text::plain(&kind)) ", " (words::size(base64.len() as u64 / 4 * 3)) }
        },
    }
}

fn pretty(raw: Raw<'_>) -> String {
    let mut out = Vec::new();
    write::pretty(&mut out, raw);
    text::plain(&String::from_utf8_lossy(&out))
}

/// A time to the second, in UTC where it can be read.
pub(super) fn time(stamp: &str) -> String {
    match Timestamp::parse(stamp) {
        Some(time) => time
            .to_rfc3339()
            .chars()
            .take(19)
            .collect::<String>()
            .replace('T', " "),
        None => text::plain(stamp),
    }
}
