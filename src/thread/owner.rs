//! Whose model an event was made with or for.

use super::item::{Item, Part};
use crate::body::Provider;
use crate::config::ModelChoice;
use crate::event::Event;

/// The provider that the configuration at an event names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// One that bodies can be written for.
    Known(Provider),
    /// Another one.
    Other,
    /// The configuration names no model, or an alias that leads nowhere.
    Unnamed,
}

/// Metadata keys that only one provider writes.
const SIGNATURES: [(&str, Provider); 6] = [
    ("anthropic_thinking_signature", Provider::Anthropic),
    ("anthropic_redacted_thinking", Provider::Anthropic),
    ("google_thought_signature", Provider::Google),
    ("openai_item_id", Provider::OpenAi),
    ("openai_encrypted_content", Provider::OpenAi),
    ("openai_phase", Provider::OpenAi),
];

/// Whether an item is thinking that its maker has sealed, and may check again.
pub(super) fn is_sealed(item: &Item<'_>) -> bool {
    let anthropic = SIGNATURES
        .iter()
        .filter(|(_, owner)| *owner == Provider::Anthropic);
    matches!(item.part, Part::Reasoning(_))
        && item.owner == Some(Provider::Anthropic)
        && item.metadata.is_some_and(|metadata| {
            let mut keys = anthropic.map(|(key, _)| key);
            keys.any(|key| metadata.get(key).is_some())
        })
}

/// Whether an entry is thinking that some maker has sealed.
pub fn holds_seal(event: &Event<'_>) -> bool {
    let keys = [SIGNATURES[0].0, SIGNATURES[1].0];
    let metadata = event.get("metadata");
    metadata.is_some_and(|one| keys.iter().any(|key| one.get(key).is_some()))
}

impl Owner {
    /// The owner that a model choice makes.
    pub fn of(choice: &ModelChoice<'_>) -> Self {
        match choice.resolve() {
            Ok(Some(model)) => {
                Provider::parse(&model.provider).map_or(Owner::Other, Owner::Known)
            }
            Ok(None) | Err(_) => Owner::Unnamed,
        }
    }

    /// The provider an event belongs to: the one its configuration names, or,
    /// where that names nothing, the one whose signature it carries
    /// (`docs/bodies.md#request-points`).
    pub fn provider(self, event: &Event<'_>) -> Option<Provider> {
        match self {
            Owner::Known(provider) => Some(provider),
            Owner::Other => None,
            Owner::Unnamed => {
                let metadata = event.get("metadata")?;
                let mut keys = SIGNATURES.iter();
                let signed = keys.find(|(key, _)| metadata.get(key).is_some());
                signed.map(|(_, provider)| *provider)
            }
        }
    }
}

/// The owner of the event at `index`; `owners` holds who owns from where on.
pub(super) fn owner_at(owners: &[(usize, Owner)], index: usize) -> Owner {
    let next = owners.partition_point(|(from, _)| *from <= index);
    let last = owners[..next].last();
    last.map_or(Owner::Unnamed, |(_, owner)| *owner)
}
