//! What a list says of a conversation: when, how long, which models, its first words.

use crate::config::{Config, Delta, Mode, ModelChoice, Warnings};
use crate::event::{Event, EventKind, Timestamp};
use crate::import::Usage;
use crate::json::Raw;
use crate::stream::{Conversation, TurnCounter};

/// Characters of the first words that are kept.
const WORDS: usize = 200;

/// The facts of one conversation that a list shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// Its id: that of the program it comes from, else the stored one.
    pub id: Option<String>,
    /// What its source is called (`metadata.import.format`); `None` for a stored one.
    pub format: Option<String>,
    /// When it began, as written.
    pub started: Option<String>,
    /// When its last entry was stored, as written.
    pub ended: Option<String>,
    /// Its turns.
    pub turns: usize,
    /// Entries that are conversation events.
    pub events: usize,
    /// The models that answered, as `provider/name`, in the order of their first
    /// answers; the configured one where nothing was answered.
    pub models: Vec<String>,
    /// Its title.
    pub title: Option<String>,
    /// The beginning of the first text that a person typed, on one line.
    pub first_words: Option<String>,
    /// Tokens, where the source counts them.
    pub usage: Usage,
    /// Whether it is a subagent's.
    pub is_subagent: bool,
}

impl Summary {
    /// Reads the facts; `None` where no entry is a conversation event, which is no
    /// conversation to a person. Entries of a bad shape are passed over: that they
    /// are bad is for `validate` to say.
    pub fn of(conversation: &Conversation<'_>) -> Option<Self> {
        let mut summary = Self::default();
        let mut warnings = Warnings::default();
        let base = Config::resolve(conversation.base, Mode::Convo, &mut warnings);
        let mut models = Models {
            choice: base.model().clone(),
            seen: Vec::new(),
        };
        let mut turns = TurnCounter::default();
        let mut injected = None;
        for raw in conversation.entries.as_array().into_iter().flatten() {
            let Ok(event) = Event::read(raw) else {
                continue;
            };
            let kind = event.kind();
            turns.next(kind);
            summary.events += usize::from(kind.is_conversation());
            if kind != EventKind::Unknown
                && let Some(stamp) = event.text("timestamp")
                && !is_made_up(raw)
            {
                summary.at(&stamp.decode());
            }
            match kind {
                EventKind::ConfigDelta => {
                    models.choice.follow(&Delta::read(raw, &mut warnings));
                }
                EventKind::ChatResponse | EventKind::ToolCallRequest => models.answer(),
                EventKind::ChatRequest if summary.first_words.is_none() => {
                    let text =
                        event.text("content").and_then(|text| words(&text.decode()));
                    let put_in = raw.at(&["metadata", "foreign", "injected"]).is_some();
                    match put_in {
                        true => injected = injected.or(text),
                        false => summary.first_words = text,
                    }
                }
                _ => {}
            }
        }
        if summary.events == 0 {
            return None;
        }
        if models.seen.is_empty() {
            models.answer();
        }
        summary.turns = turns.count();
        summary.models = models.seen;
        summary.first_words = summary.first_words.or(injected);
        summary.beside(conversation.value);
        Some(summary)
    }

    /// The share of input tokens that were read from a cache.
    pub fn cache_share(&self) -> Option<f64> {
        self.usage.cache_share()
    }

    fn at(&mut self, stamp: &str) {
        if Timestamp::parse(stamp).is_none() {
            return;
        }
        if self.started.is_none() {
            self.started = Some(stamp.to_owned());
        }
        self.ended = Some(stamp.to_owned());
    }

    /// What a bundle says of itself.
    fn beside(&mut self, value: Raw<'_>) {
        let text =
            |path: &[&str]| value.at(path)?.as_str().map(std::borrow::Cow::into_owned);
        let imported = |path: &[&str]| {
            let whole: Vec<&str> =
                ["metadata", "import"].iter().chain(path).copied().collect();
            text(&whole)
        };
        self.format = imported(&["format"]);
        self.title = text(&["metadata", "title"]);
        self.id = imported(&["sidechain"])
            .or_else(|| imported(&["session", "id"]))
            .or_else(|| imported(&["session", "sessionId"]))
            .or_else(|| imported(&["common", "sessionId"]))
            .or_else(|| text(&["id"]));
        if let Some(created) = text(&["inputs", "created_at"])
            && self.started.is_none()
            && Timestamp::parse(&created).is_some()
        {
            self.started = Some(created);
        }
        let import = value.at(&["metadata", "import"]);
        self.is_subagent = import.is_some_and(|import| {
            import.get("sidechain").is_some() || import.get("parent").is_some()
        });
        if let Some(usage) = import.and_then(|import| import.get("usage")) {
            self.usage = Usage::read(usage);
        }
    }
}

struct Models<'a> {
    choice: ModelChoice<'a>,
    seen: Vec<String>,
}

impl Models<'_> {
    fn answer(&mut self) {
        if let Ok(Some(model)) = self.choice.resolve() {
            let name = format!("{}/{}", model.provider, model.name);
            if !self.seen.contains(&name) {
                self.seen.push(name);
            }
        }
    }
}

/// Whether an import had to put a time into an entry that must have one.
fn is_made_up(entry: Raw<'_>) -> bool {
    let made = entry.at(&["metadata", "foreign", "made"]);
    let mut fields = made.and_then(Raw::as_array).into_iter().flatten();
    fields.any(|field| field.as_text().is_some_and(|name| name.is("timestamp")))
}

/// The first words of a text, white space as single spaces; `None` if it is blank.
fn words(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut left = WORDS;
    for word in text.split_whitespace() {
        if left == 0 {
            break;
        }
        if !out.is_empty() {
            out.push(' ');
            left -= 1;
        }
        let end = word
            .char_indices()
            .nth(left)
            .map_or(word.len(), |(at, _)| at);
        out.push_str(&word[..end]);
        left -= word[..end].chars().count();
    }
    (!out.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Container;

    fn of(json: &str) -> Option<Summary> {
        let raw = Raw::parse(json.as_bytes()).expect("JSON");
        match Conversation::read(raw) {
            Ok(Container::Conversation(conversation)) => Summary::of(&conversation),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn models_are_those_that_answered() {
        let summary = of(
            r#"{"id":"7","base_config":{"assistant":{"model":{"id":"a/one"}}},"events":[
            {"type":"turn_start","timestamp":"2026-01-01T00:00:00Z"},
            {"type":"chat_request","timestamp":"2026-01-01T00:00:00Z","content":"  say\n hi "},
            {"type":"config_delta","timestamp":"2026-01-01T00:00:01Z","delta":{"assistant":{"model":{"id":"b/two"}}}},
            {"type":"chat_response","timestamp":"2026-01-01T00:00:02Z","message":"hi"}]}"#,
        )
        .expect("a conversation");
        assert_eq!(summary.models, ["b/two"]);
        assert_eq!(summary.first_words.as_deref(), Some("say hi"));
        assert_eq!((summary.turns, summary.events), (1, 3));
        assert_eq!(summary.started.as_deref(), Some("2026-01-01T00:00:00Z"));
        assert_eq!(summary.ended.as_deref(), Some("2026-01-01T00:00:02Z"));
        assert_eq!(summary.id.as_deref(), Some("7"));
    }

    #[test]
    fn typed_words_come_before_injected_ones() {
        let summary = of(
            r#"{"base_config":{},"events":[
            {"type":"chat_request","content":"<env/>","metadata":{"foreign":{"injected":"environment_context"}}},
            {"type":"chat_request","content":"Fix it."}]}"#,
        )
        .expect("a conversation");
        assert_eq!(summary.first_words.as_deref(), Some("Fix it."));
        assert!(of(r#"[]"#).is_none());
        assert!(of(r#"{"base_config":{},"events":[{"type":"foreign"}]}"#).is_none());
    }

    #[test]
    fn words_are_cut_between_characters() {
        let long = "é".repeat(300);
        assert_eq!(words(&long).map(|text| text.chars().count()), Some(WORDS));
        assert_eq!(words(" \n\t"), None);
    }
}
