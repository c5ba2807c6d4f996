//! `convo project` as the crate does it, on one conversation in memory.

use super::oracle::Options;
use convo::block::{Decoder, Encoding};
use convo::json::Raw;
use convo::stream::compaction::{Fate, Rules, plan};
use convo::stream::{Container, Conversation, Entries};
use convo::view::{EntryWriter, View};
use serde_json::Value;

/// The view, strings plain; `None` if the text is no valid conversation.
pub(crate) fn project(
    text: &[u8],
    options: Options,
    strict: bool,
) -> Option<Vec<Value>> {
    let raw = Raw::parse(text).ok()?;
    let Ok(Container::Conversation(conversation)) = Conversation::read(raw) else {
        return None;
    };
    let mut events = Entries::new(&conversation, false)
        .collect(&mut Vec::new())
        .ok()?;
    if conversation.embedded_base().is_some() {
        events.remove(0);
    }
    let view = match options.raw {
        true => View::Raw,
        false => View::User {
            addressed_only: options.addressed_only,
        },
    };
    let decoder = Decoder::new(conversation.encoding, strict);
    let mut writer = EntryWriter::new(view, decoder, Encoding::Plain);
    let fates = match options.compacted {
        true => plan(&events, Rules::Standard),
        false => vec![Fate::Keep; events.len()],
    };
    let mut out = Vec::new();
    for (event, fate) in events.iter().zip(&fates) {
        writer.write_compacted(&mut out, event, fate, &mut |out| out.push(b'\n'));
    }
    let entries = serde_json::Deserializer::from_slice(&out)
        .into_iter()
        .collect::<Result<_, _>>()
        .expect("entries one after the other");
    Some(entries)
}
