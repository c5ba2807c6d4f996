//! Anchors of `docs/formats.md`: rendered sections and available tools,
//! base and final.

use crate::common::corpus::{cases, report};
use convo::config::{Config, Mode, Warnings};
use convo::event::EventKind;
use convo::json::Raw;
use convo::stream::{Conversation, Entries};

/// Rendered sections and available tools, then the number of tools.
type Counts = ((usize, usize), (usize, usize), usize);

const ANCHORS: [(&str, Counts); 5] = [
    ("17727391057", ((44, 15), (48, 17), 34)),
    ("17800836875", ((116, 37), (128, 43), 57)),
    ("17662304290", ((3, 28), (3, 0), 28)),
    ("17653152345", ((3, 2), (3, 2), 27)),
    ("17648402467", ((3, 25), (3, 25), 25)),
];

#[test]
fn sections_and_tools_of_stored_conversations() {
    let mut count = 0;
    for folder in cases("conversations") {
        let name = folder
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let anchor = ANCHORS.iter().find(|(id, _)| name.starts_with(id));
        let Some((_, expected)) = anchor else {
            continue;
        };
        let events = std::fs::read(folder.join("events.json")).expect("events");
        let base = std::fs::read(folder.join("base_config.json")).ok();
        let base = base
            .as_deref()
            .map(|bytes| Raw::parse(bytes).expect("JSON"));
        let mut conversation =
            Conversation::of_array(Raw::parse(&events).expect("JSON"));
        conversation.base = base;
        let embedded = conversation.embedded_base();
        let base = base.or(embedded.as_ref().map(convo::event::Event::raw));
        let entries = Entries::new(&conversation, false);
        let entries = entries.collect(&mut Vec::new()).expect("entries");
        let mut warnings = Warnings::default();
        let mut config = Config::new(base, Mode::Convo, &mut warnings);
        let first = counts(&config);
        let skip = usize::from(embedded.is_some());
        for entry in &entries[skip..] {
            if entry.kind() == EventKind::ConfigDelta {
                config.apply(entry.raw(), &mut warnings);
            }
        }
        let found = (first, counts(&config), config.tools().len());
        assert_eq!(found, *expected, "{name}");
        assert!(warnings.list.is_empty(), "{name}: {:?}", warnings.list);
        count += 1;
    }
    report("configuration anchors", count);
}

fn counts(config: &Config<'_>) -> (usize, usize) {
    let tools = config.tools();
    let choice = config.tool_choice();
    let available =
        |tool: &&convo::config::Tool<'_>| tools.is_available(tool, choice.function());
    let mut rendered = 0;
    for section in config.sections() {
        let mut out = Vec::new();
        section.render(&mut out);
        rendered += usize::from(!out.is_empty());
    }
    for instruction in config.instructions() {
        let mut out = Vec::new();
        instruction.render(&mut out);
        rendered += usize::from(!out.is_empty());
    }
    (rendered, tools.iter().filter(available).count())
}
