//! One conversation: its facts, the list of its turns, its entries.

use super::entry::{self, Entry, Talk};
use super::frame::{Body, page, switches};
use super::text;
use crate::block::Decoder;
use crate::event::{Event, EventKind};
use crate::json::Raw;
use crate::render::Turns;
use crate::stream::{Conversation, TurnCounter};
use crate::term::{width, words};
use crate::view::Summary;
use maud::{Markup, PreEscaped, html};
use std::collections::HashSet;
use std::fmt::Write as _;

/// Columns of a turn's first words in the list of turns.
const WORDS: usize = 60;

/// What a page is asked to be.
#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    /// Whether base64 is decoded by the letter only.
    pub strict_base64: bool,
    /// The turns to show.
    pub turns: Turns,
}

/// Writes conversations into one page.
#[derive(Debug, Default)]
pub struct Conversations {
    /// Ids given on the page.
    ids: HashSet<String>,
    count: usize,
}

impl Conversations {
    /// The frame of a page that opens with this conversation.
    pub fn frame(conversation: &Conversation<'_>) -> Body {
        page(&title(Summary::of(conversation).as_ref()), &switches())
    }

    /// Appends a conversation, whose entries are `events`.
    pub fn write(
        &mut self,
        out: &mut String,
        conversation: &Conversation<'_>,
        events: &[Event<'_>],
        settings: Settings,
    ) {
        self.count += 1;
        let summary = Summary::of(conversation);
        let mut talk = Talk::new(
            Decoder::new(conversation.encoding, settings.strict_base64),
            conversation.base,
        );
        let mut body = String::new();
        let mut turns: Vec<(usize, String, String)> = Vec::new();
        let mut counter = TurnCounter::default();
        let mut open = None;
        let mut skipped = 0;
        for (index, event) in events.iter().enumerate() {
            let kind = event.kind();
            let turn = counter.next(kind);
            if !settings.turns.holds(turn) {
                talk.pass(event);
                continue;
            }
            let Some(entry) = talk.entry(event) else {
                skipped += usize::from(kind == EventKind::Unknown);
                continue;
            };
            if open != Some(turn) {
                if open.is_some() {
                    body.push_str("</section>");
                }
                open = Some(turn);
                let id = self.id(&format!("turn-{}", turn + 1));
                let heading = html! { h2 { "Turn " (turn + 1) } };
                let _ = write!(
                    body,
                    "<section class=\"turn\" id=\"{id}\">{}",
                    heading.into_string()
                );
                turns.push((turn, id, String::new()));
            }
            if let Some((_, _, words)) = turns.last_mut()
                && words.is_empty()
                && let Some(first) = &entry.words
            {
                words.clone_from(first);
            }
            let named = event.text("event_id").map(|id| id.decode().into_owned());
            let id = self.id(&named.unwrap_or_else(|| format!("entry-{index}")));
            body.push_str(&shown(&entry, &id, event).into_string());
        }
        if open.is_some() {
            body.push_str("</section>");
        }
        let parent = conversation
            .value
            .at(&["metadata", "import", "parent", "tool_use_id"])
            .and_then(Raw::as_str);
        let article = html! {
            section.page.conversation data-parent=[parent.as_deref()] {
                nav aria-label="Turns" {
                    ol {
                        @for (turn, id, words) in &turns {
                            li { a href={ "#" (id) } { (turn + 1) " " (width::cut(words, WORDS, "…")) } }
                        }
                    }
                }
                div.talk {
                    @if self.count > 1 {
                        h2 { (title(summary.as_ref())) }
                    }
                    (facts(summary.as_ref(), skipped))
                    @if let Some(call) = &parent {
                        p.facts { "A subagent of the call " code { (text::plain(call)) } "." }
                    }
                    (PreEscaped(body))
                }
            }
        };
        out.push_str(&article.into_string());
    }

    /// An id that the page has not given yet, of characters that need no escape.
    fn id(&mut self, wanted: &str) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let clean: String = wanted.chars().filter(|&c| plain(c)).take(80).collect();
        // The page's own ids are one word; these all have a sign in them.
        let base = match self.count {
            1 => format!("c-{clean}"),
            count => format!("c{count}-{clean}"),
        };
        let mut id = base.clone();
        let mut more = 1;
        while !self.ids.insert(id.clone()) {
            more += 1;
            id = format!("{base}.{more}");
        }
        id
    }
}

/// What a conversation is called: its title, else its first words.
pub(super) fn title(summary: Option<&Summary>) -> String {
    let summary = summary.map(|s| (s.title.as_deref(), s.first_words.as_deref()));
    let (title, words) = summary.unwrap_or_default();
    let title = title.or(words).unwrap_or("A conversation");
    width::cut(&text::plain(title).replace(['\n', '\t'], " "), 100, "…")
}

fn facts(summary: Option<&Summary>, skipped: usize) -> Markup {
    let Some(summary) = summary else {
        return html! { p.facts { "No conversation event." } };
    };
    let mut facts = Vec::new();
    facts.extend(summary.id.as_ref().map(|id| text::plain(id)));
    facts.extend(summary.format.as_ref().map(|format| text::plain(format)));
    facts.extend(summary.started.as_ref().map(|time| entry::time(time)));
    facts.push(words::counted(summary.turns, "turn"));
    facts.extend(summary.models.iter().map(|model| text::plain(model)));
    if let Some((input, cached)) = summary.usage.input() {
        let number = |n: u64| words::grouped(usize::try_from(n).unwrap_or(usize::MAX));
        facts.push(format!(
            "{} input tokens, {} of them read from the cache",
            number(input),
            number(cached)
        ));
    }
    if skipped > 0 {
        facts.push(format!(
            "{} that take no part in it left out",
            words::counted(skipped, "entry")
        ));
    }
    html! { p.facts { (facts.join(" · ")) } }
}

fn shown(entry: &Entry, id: &str, event: &Event<'_>) -> Markup {
    let stamp = event
        .text("timestamp")
        .map(|stamp| stamp.decode().into_owned());
    html! {
        article id=(id) class={ "entry " (entry.class) } data-kind=(entry.kind) data-who=(entry.who)
            data-call=[entry.call.as_deref()] {
            header {
                span.name { (entry.name) }
                @if let Some(note) = &entry.note { span { (note) } }
                @if let Some(stamp) = &stamp { time datetime=(stamp) { (entry::time(stamp)) } }
                @if entry.who != "both" { span.who { (entry::seen(entry.who)) } }
                a.self href={ "#" (id) } aria-label="Link to this entry" { "#" }
            }
            (entry.body)
        }
    }
}
