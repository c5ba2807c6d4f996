//! Diagnostics that say the same again are told once, then counted.
//!
//! Of one conversation, the same words are told once and words of one kind
//! twenty times; a last line says how many more there were. A conversation of some megabytes
//! can hold hundreds of thousands, which nobody reads and which hide the others.

use super::message::Messages;
use crate::error::{Diagnostic, Position, Severity};
use crate::term::grouped;

/// How many of one kind are told in full.
const TOLD: usize = 20;

/// What one conversation has been told of so far.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    kinds: Vec<Kind>,
}

#[derive(Debug)]
struct Kind {
    severity: Severity,
    code: &'static str,
    told: Vec<(String, Option<String>)>,
    more: usize,
    /// Where the last one counted stood, to name input and conversation.
    place: Position,
}

impl Repeats {
    /// Tells a diagnostic, or counts it.
    pub(super) fn tell(&mut self, messages: &Messages, diagnostic: &Diagnostic) {
        if messages.verbose || self.is_new(diagnostic) {
            messages.tell(diagnostic);
        }
    }

    /// Tells how many were counted, and begins anew.
    pub(super) fn finish(&mut self, messages: &Messages) {
        for kind in self.kinds.drain(..).filter(|kind| kind.more > 0) {
            messages.tell(&Diagnostic {
                severity: kind.severity,
                code: kind.code,
                position: Position {
                    input: kind.place.input,
                    conversation: kind.place.conversation,
                    ..Position::default()
                },
                message: format!("... and {} more like it", grouped(kind.more)),
                hint: (!messages.verbose).then(|| "-v tells each".to_owned()),
            });
        }
    }

    fn is_new(&mut self, diagnostic: &Diagnostic) -> bool {
        let Diagnostic {
            severity,
            code,
            message,
            hint,
            ..
        } = diagnostic;
        let found = self
            .kinds
            .iter_mut()
            .find(|kind| kind.severity == *severity && kind.code == *code);
        let Some(kind) = found else {
            self.kinds.push(Kind {
                severity: *severity,
                code,
                told: vec![(message.clone(), hint.clone())],
                more: 0,
                place: Position::default(),
            });
            return true;
        };
        let same =
            |(told, way): &(String, Option<String>)| told == message && way == hint;
        if kind.told.len() < TOLD && !kind.told.iter().any(same) {
            kind.told.push((message.clone(), hint.clone()));
            return true;
        }
        if kind.more == 0 {
            kind.place = diagnostic.position.clone();
        }
        kind.more += 1;
        false
    }
}
