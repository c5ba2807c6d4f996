//! What is reported of two requests (`docs/prefix.md`).

use super::rules;
use crate::error::Severity;
use crate::finding::{Finding, Rule};

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$inner])* $variant,)* }

        impl $name {
            /// The word reports use.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }
        }
    };
}

words! {
    /// Whether what the first request cached still serves the second.
    Verdict {
        /// The second is a strict prefix of the first.
        Shorter = "shorter",
        /// Nothing diverged, but something whose effect is not published changed.
        Unknown = "unknown",
        /// Nothing was cached, or nothing is asked for.
        Uncached = "uncached",
        /// All that was cached is still a prefix and within reach.
        Hit = "hit",
        /// Something that was cached survives.
        Partial = "partial",
        /// Nothing does.
        Miss = "miss",
    }
}

words! {
    /// The parts of a prompt, in the order they are hashed.
    Level {
        /// The tools.
        Tools = "tools",
        /// The system text.
        System = "system",
        /// The messages.
        Messages = "messages",
    }
}

words! {
    /// What became of a level.
    State {
        /// All that the first request has there.
        Kept = "kept",
        /// Nothing of it can be used.
        Lost = "lost",
        /// Something from its start on.
        Partial = "partial",
        /// Neither request has anything there.
        Empty = "empty",
    }
}

words! {
    /// Why a prefix broke, as far as its bytes tell.
    Cause {
        /// A value has become another.
        Edited = "edited",
        /// An entry is new where nothing may be.
        Added = "added",
        /// An entry is gone.
        Removed = "removed",
        /// The same entries stand in another order.
        Reordered = "reordered",
        /// The same members of an object stand in another order.
        KeyOrder = "key_order",
        /// White space alone differs.
        Whitespace = "whitespace",
        /// A date or a time of day.
        Clock = "clock",
        /// A number that counts.
        Counter = "counter",
        /// A hash, a nonce, an id made anew.
        RandomId = "random_id",
        /// The same picture or file, written anew.
        Reencoded = "reencoded",
        /// Messages gone, or put in, at the front; the rest intact.
        Shifted = "shifted",
        /// The end cut off, of a text or of the list.
        Truncated = "truncated",
        /// The same content in another form.
        Form = "form",
        /// Another model.
        Model = "model",
        /// A parameter outside the three levels.
        Parameter = "parameter",
        /// Something switched on or off.
        Toggle = "toggle",
        /// The first picture came, or the last one went.
        Images = "images",
        /// Another set of betas.
        Betas = "betas",
        /// Too far behind every breakpoint.
        OutOfReach = "out_of_reach",
        /// Longer ago than the entry lives.
        Expired = "expired",
        /// Shorter than the model caches.
        BelowMinimum = "below_minimum",
        /// Stands behind the newest turn of each request, not where it stood.
        Moved = "moved",
        /// Reasoning that was sent back before, and is not any more.
        ReasoningLeftOut = "reasoning_left_out",
    }
}

words! {
    /// What becomes of the second request at the check of thinking blocks.
    Outcome {
        /// It is taken.
        Accepted = "accepted",
        /// It is refused.
        Rejected = "rejected",
        /// It is taken, without some blocks.
        Dropped = "dropped",
        /// Old accounts and new ones differ.
        DependsOnAccount = "depends_on_account",
        /// The model checks nothing.
        NotChecked = "not_checked",
        /// Nothing published decides.
        Uncertain = "uncertain",
    }
}

words! {
    /// What the check finds of one thinking block.
    BlockState {
        /// It stands behind what it was made behind.
        Valid = "valid",
        /// Something before it has changed.
        InvalidPrefix = "invalid_prefix",
        /// A block between it and those before it is gone, back or moved.
        InvalidChain = "invalid_chain",
        /// It has no usable signature.
        InvalidSignature = "invalid_signature",
        /// The model cannot read it.
        DroppedModel = "dropped_model",
        /// Nothing published decides.
        Uncertain = "uncertain",
    }
}

words! {
    /// The reason codes of the API's own cache diagnostics.
    Reason {
        /// Another model.
        Model = "model_changed",
        /// Other tools.
        Tools = "tools_changed",
        /// Another system text.
        System = "system_changed",
        /// An earlier message changed.
        Messages = "messages_changed",
        /// Another parameter that reaches the prompt.
        Unavailable = "unavailable",
    }
}

/// A short piece of both sides of a divergence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sample {
    /// Lines of the first.
    pub a: Vec<String>,
    /// Lines of the second.
    pub b: Vec<String>,
}

/// One place where content differs.
#[derive(Debug, Clone)]
pub struct Divergence {
    /// Where in the prompt.
    pub level: Level,
    /// JSON Pointer; into the first body where the second has nothing there.
    pub path: String,
    /// Characters before the difference, where two strings part.
    pub offset: Option<usize>,
    /// Byte of the first input.
    pub byte_a: usize,
    /// Byte of the second input.
    pub byte_b: usize,
    /// Why, as far as it shows.
    pub cause: Cause,
    /// The pair rule that names it.
    pub rule: &'static Rule,
    /// What differs, in words.
    pub detail: String,
    /// How to keep the prefix.
    pub hint: String,
    /// Both sides around the place.
    pub sample: Sample,
    /// Digests of both values, in reports without text.
    pub hashes: [Option<u64>; 2],
}

/// A length of prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// In bytes of the body.
    pub bytes: usize,
    /// In tokens, estimated.
    pub tokens: usize,
}

impl Amount {
    /// What is left without `other`.
    #[must_use]
    pub fn without(self, other: Amount) -> Amount {
        Amount {
            bytes: self.bytes.saturating_sub(other.bytes),
            tokens: self.tokens.saturating_sub(other.tokens),
        }
    }

    /// Adds another length.
    pub fn add(&mut self, other: Amount) {
        self.bytes += other.bytes;
        self.tokens += other.tokens;
    }
}

/// What the second request can still read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reusable {
    /// Where the entry ends, as a JSON Pointer into the first body.
    pub breakpoint: String,
    /// How much it holds.
    pub amount: Amount,
}

/// What the check finds of one thinking block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    /// JSON Pointer into the second body.
    pub path: String,
    /// What the check finds.
    pub state: BlockState,
    /// The path of what changed, or of the block that is missing.
    pub cause: Option<String>,
}

/// The answer of the binding pass.
#[derive(Debug, Clone)]
pub struct Binding {
    /// What becomes of the request.
    pub outcome: Outcome,
    /// The first failing block.
    pub first: Option<String>,
    /// Every thinking block, in order.
    pub blocks: Vec<Bound>,
    /// With `drop_block`, the fewest and the most blocks that go.
    pub dropped: Option<(usize, usize)>,
    /// What the answer rests on.
    pub notes: Vec<String>,
    /// How to mend it.
    pub hint: Option<String>,
}

/// What the second request cost, for the sum over a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Read from the cache.
    pub read: Amount,
    /// Written to it.
    pub written: Amount,
    /// Behind the last breakpoint.
    pub fresh: Amount,
    /// What could have been read, had nothing broken.
    pub best: Amount,
    /// Price of a read, as a factor of the input's.
    pub read_price: f64,
    /// Price of a write.
    pub write_price: f64,
}

/// Everything about one pair of requests.
#[derive(Debug, Clone)]
pub struct Report {
    /// The thread of the recording it belongs to, counted from 0; none for a lone
    /// pair.
    pub thread: Option<usize>,
    /// What the first request is called.
    pub a: String,
    /// What the second is called.
    pub b: String,
    /// Whose bodies they are.
    pub provider: &'static str,
    /// The second request's model, if known.
    pub model: Option<String>,
    /// Whether the model is one of the table.
    pub known_model: bool,
    /// `old`, `new` or `unknown`.
    pub account: &'static str,
    /// The answer.
    pub verdict: Verdict,
    /// What became of tools, system and messages.
    pub levels: [State; 3],
    /// The share of each level that is still equal, in bytes.
    pub shares: [Amount; 3],
    /// All that the first request has in each level.
    pub totals: [Amount; 3],
    /// The code that the API's diagnostics would give.
    pub reason: Option<Reason>,
    /// Where content differs.
    pub divergences: Vec<Divergence>,
    /// What can still be read.
    pub reusable: Option<Reusable>,
    /// What was cached and cannot be read.
    pub lost: Amount,
    /// The check of thinking blocks.
    pub binding: Binding,
    /// What else costs, fails or is good to know.
    pub findings: Vec<Finding>,
    /// What it cost.
    pub usage: Usage,
}

impl Report {
    /// Notes that a request with more of the prompt had no answer yet.
    pub fn note_early(&mut self, name: &str) {
        let text = format!(
            "sent before the answer to {name} began: what that request writes cannot be \
             read yet"
        );
        self.findings
            .push(Finding::new(&rules::SENT_EARLY, "", None, text));
    }

    /// Notes that the request leaves a thread, counted from 0, and opens another.
    pub fn note_fork(&mut self, from: usize, to: usize) {
        let text = format!("leaves thread {} and opens thread {}", from + 1, to + 1);
        let mut note = Finding::new(&rules::THREAD_OPENED, "", None, text);
        note.hint.clear();
        self.findings.push(note);
    }

    /// The whole verdict as findings on the second request, in the order of its
    /// bytes: what differs, what that costs, which thinking fails, and what is
    /// wrong with the request alone.
    pub fn into_findings(self) -> Vec<Finding> {
        let kept = matches!(self.verdict, Verdict::Hit | Verdict::Shorter);
        let mut all = self.findings;
        for one in self.divergences {
            let mut found =
                Finding::new(one.rule, one.path, Some(one.byte_b), one.detail);
            found.cause = Some(one.cause.name());
            found.hint = one.hint;
            // What nothing cached depends on costs nothing.
            if kept {
                found.severity = Severity::Note;
            }
            all.push(found);
        }
        let severity = match self.binding.outcome {
            Outcome::Rejected => Some(Severity::Error),
            Outcome::Dropped | Outcome::DependsOnAccount => Some(Severity::Warning),
            Outcome::Accepted | Outcome::NotChecked | Outcome::Uncertain => None,
        };
        let failing = self.binding.blocks.into_iter();
        for block in failing.filter(|one| {
            !matches!(one.state, BlockState::Valid | BlockState::Uncertain)
        }) {
            let Some(severity) = severity else { break };
            let because = block
                .cause
                .map_or(String::new(), |cause| format!(", because of {cause}"));
            let text = format!("this thinking is {}{because}", block.state.name());
            let mut found =
                Finding::new(&rules::THINKING_BOUND, block.path, None, text);
            found.severity = severity;
            if let Some(hint) = &self.binding.hint {
                found.hint.clone_from(hint);
            }
            all.push(found);
        }
        all.sort_by_key(|one| one.byte);
        all
    }
}
