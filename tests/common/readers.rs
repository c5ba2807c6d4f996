//! Every reader on any bytes, in process: the work of the commands without their
//! process. The fuzz targets and the mutation test run these.

use convo::block::{Decoder, Encoding};
use convo::body::{Body, captures, records};
use convo::config::{Config, Mode, Warnings};
use convo::directive::{CatalogueFile, ToolMode};
use convo::event::EventKind;
use convo::import;
use convo::json::Raw;
use convo::lint::{self, Profile, Wanted};
use convo::model::Table;
use convo::prefix::{Comparison, History, Sent};
use convo::provider::{Options, PlaceOptions, Requests, flatten, place_directives};
use convo::render::{Pieces, Replay, Settings};
use convo::schema;
use convo::stream::compaction::{Rules, plan};
use convo::stream::{Container, Conversation, Entries, Piece, Splitter};
use convo::view::{EntryWriter, View};
use serde_json::json;
use std::sync::LazyLock;

static TABLE: LazyLock<Table> = LazyLock::new(Table::built_in);

/// An input of the stream commands: cut, and each conversation through all of them.
/// Says how many there were.
pub fn streams(data: &[u8]) -> usize {
    let mut splitter = Splitter::new(data);
    let _ = splitter.peek();
    let mut count = 0;
    while let Ok(Some(piece)) = splitter.next() {
        let Piece::Value { bytes, .. } = piece else {
            continue;
        };
        let conversation = match Conversation::read(Raw::checked(bytes)) {
            Ok(Container::Conversation(conversation)) => conversation,
            Ok(Container::Entry(_)) => Conversation::of_array(Raw::checked(bytes)),
            Err(_) => continue,
        };
        count += 1;
        views(&conversation);
        bodies_of(&conversation);
        rendered(&conversation);
        let _ = schema::each_finding(&conversation, &mut |_| Ok::<(), ()>(()));
    }
    count
}

fn views(conversation: &Conversation<'_>) {
    let view = View::User {
        addressed_only: false,
    };
    for (view, lenient) in [(view, true), (View::Raw, false)] {
        let entries = Entries::new(conversation, lenient);
        let Ok(events) = entries.collect(&mut Vec::new()) else {
            continue;
        };
        let decoder = Decoder::new(conversation.encoding, false);
        let mut writer = EntryWriter::new(view, decoder, Encoding::Plain);
        let mut out = Vec::new();
        for (event, fate) in events.iter().zip(plan(&events, Rules::Standard)) {
            writer.write(&mut out, event);
            writer.write_compacted(&mut out, event, &fate, &mut |out| out.push(b','));
        }
        std::str::from_utf8(&out).expect("what is written is UTF-8");
    }
}

fn bodies_of(conversation: &Conversation<'_>) {
    let names = ["anthropic", "openai", "google", "ollama"];
    for provider in names {
        let options = Options {
            provider: convo::body::Provider::parse(provider),
            model: Some("m"),
            requests: Requests::All,
            lenient: true,
            ..Options::new(&TABLE)
        };
        let mut out = Vec::new();
        if flatten(&mut out, conversation, &options, &mut Vec::new()).is_ok() {
            all_json(&out);
        }
        if provider != "anthropic" {
            continue;
        }
        let options = Options {
            model: Some("claude-opus-5-5"),
            place: Some(PlaceOptions::default()),
            ..options
        };
        let mut out = Vec::new();
        if place_directives(&mut out, conversation, &options, &mut Vec::new()).is_ok() {
            all_json(&out);
        }
    }
}

fn all_json(lines: &[u8]) {
    for line in lines.split(|byte| *byte == b'\n').filter(|l| !l.is_empty()) {
        Raw::parse(line).expect("a body is JSON");
    }
}

fn rendered(conversation: &Conversation<'_>) {
    let Ok(events) = Entries::new(conversation, true).collect(&mut Vec::new()) else {
        return;
    };
    let settings = Settings::default();
    let mut warnings = Warnings::default();
    let mut config = Config::new(conversation.base, Mode::Convo, &mut warnings);
    let mut replay = Replay::new(&settings, conversation.encoding);
    let (mut pieces, mut told) = (Pieces::default(), Vec::new());
    for event in &events {
        if event.kind() == EventKind::ConfigDelta {
            config.apply(event.raw(), &mut warnings);
        }
        replay.event(event, &config, &mut pieces, &mut told);
    }
    replay.finish(&mut pieces, &mut told);
    std::str::from_utf8(&pieces.bytes).expect("what is shown is UTF-8");
}

/// An input of `lint` and `diff-cache-prefix`: bodies, captures, recordings. Says how
/// many there were.
pub fn bodies(data: &[u8]) -> usize {
    let comparison = Comparison::new(&TABLE).model(Some("claude-opus-5-5"));
    let mut last = None;
    let mut count = 0;
    for capture in records(data)
        .filter_map(Result::ok)
        .flat_map(|record| captures(data, record))
        .filter_map(Result::ok)
    {
        count += 1;
        if let Ok(body) = Body::read(capture.raw(), None, None) {
            let headers = capture.headers.as_ref();
            let profile = Profile::new(&TABLE, &Wanted::default(), &body, headers);
            for finding in lint::check(&body, capture.bytes(), &profile) {
                let inside = |byte: usize| byte <= capture.bytes().len();
                assert!(finding.byte.is_none_or(inside), "{finding:?}");
            }
        }
        if let Some(before) = last.replace(capture.clone()) {
            let sent = |capture| Sent {
                name: String::new(),
                capture,
                times: convo::prefix::Times::default(),
            };
            let mut history = History::default();
            let _ = comparison.pair(&sent(&before), &sent(&capture), &mut history);
        }
    }
    count
}

/// A file of `--model-details`.
pub fn details(data: &[u8]) -> usize {
    usize::from(Table::built_in().merge(data).is_ok())
}

/// The same bodies inside a recording, where each is a string: every place in it is
/// found through escapes.
pub fn recorded(data: &[u8]) -> usize {
    let lines = data.split(|byte| *byte == b'\n');
    let entries: Vec<_> = lines
        .map(|body| {
            let text = String::from_utf8_lossy(body);
            let url = "https://api.anthropic.com/v1/messages";
            json!({"request": {"url": url, "postData": {"text": text}}})
        })
        .collect();
    bodies(json!({"log": {"entries": entries}}).to_string().as_bytes())
}

/// A file of `--catalogue`, and what it makes of a conversation with tools.
pub fn catalogue(data: &[u8]) -> usize {
    let Ok(file) = CatalogueFile::read(data) else {
        return 0;
    };
    const TALK: &[u8] = br#"[
        {"type":"config_delta","timestamp":"2026-09-01 10:00:00.0","delta":{
          "assistant":{"model":{"id":"anthropic/claude-opus-5-5"}},
          "conversation":{"tools":{"a":{"source":"mcp.s.a","enable":true},
            "b":{"source":"mcp","enable":true}}}}},
        {"type":"chat_request","timestamp":"2026-09-01 10:00:02.0","content":"q"},
        {"type":"chat_response","timestamp":"2026-09-01 10:00:03.0","message":"r"},
        {"type":"config_delta","timestamp":"2026-09-01 10:00:04.0","delta":{
          "conversation":{"tools":{"a":{"enable":false}}}}},
        {"type":"chat_request","timestamp":"2026-09-01 10:00:05.0","content":"q"}]"#;
    let conversation = Conversation::of_array(Raw::checked(TALK));
    for tool_mode in [ToolMode::Deferred, ToolMode::Inline] {
        let options = Options {
            requests: Requests::All,
            catalogue: Some(&file),
            place: Some(PlaceOptions {
                tool_mode,
                ..PlaceOptions::default()
            }),
            ..Options::new(&TABLE)
        };
        let mut out = Vec::new();
        if place_directives(&mut out, &conversation, &options, &mut Vec::new()).is_ok()
        {
            all_json(&out);
        }
    }
    1
}

/// Another tool's transcript: recognised, and made a bundle or refused.
pub fn transcripts(data: &[u8]) -> usize {
    let head = import::values(data, true);
    let import::Found::Foreign(shape, _) = import::recognise(&head, None) else {
        return 0;
    };
    let mut made = 0;
    let mut take = |one: import::Imported| {
        if let Ok(bundle) = one.bundle {
            made += 1;
            Raw::parse(&bundle).expect("a bundle is JSON");
        }
    };
    let mut table = |_| {};
    let mut sink = import::Sink::new(&mut take, &mut table);
    let mut importer = import::Importer::new(import::Options::default(), shape);
    if importer.wants_all() {
        importer.all(data, &mut sink);
    } else {
        for value in head {
            importer.value(value, 0, &mut sink);
        }
        importer.end(&mut sink);
    }
    made
}

/// Any value against each published schema.
pub fn schemas(data: &[u8]) -> usize {
    let Ok(value) = Raw::parse(data) else {
        return 0;
    };
    for schema in &schema::SCHEMAS {
        for finding in schema::findings_of(schema, value) {
            let inside = |byte: usize| byte <= data.len();
            assert!(finding.byte.is_none_or(inside), "{finding:?}");
        }
    }
    1
}
