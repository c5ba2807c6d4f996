//! The proof: all sequences up to length 5 over the alphabet.
//!
//! At every request point of every sequence, in both tool modes: the linter has no
//! objection, each change is said once, in order, at its place or behind it, each
//! result that came in time is there, the operator's words and the tools offered are
//! those of the flattened body, the body is that of the stream cut there, and from
//! one point to the next the law holds.

use super::law::{directives, keeps, offered, texts};
use super::{Open, place, refusals};
use convo::directive::ToolMode;
use convo::lint::Profile;
use convo::provider::{Options, Requests};
use std::collections::HashSet;

/// What a sequence is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Letter {
    Turn,
    Request,
    Empty,
    Message,
    Reasoning,
    Call,
    Result,
    Other,
    Section,
    Tools,
    Compaction,
}

pub(super) const ALPHABET: [Letter; 11] = [
    Letter::Turn,
    Letter::Request,
    Letter::Empty,
    Letter::Message,
    Letter::Reasoning,
    Letter::Call,
    Letter::Result,
    Letter::Other,
    Letter::Section,
    Letter::Tools,
    Letter::Compaction,
];

const HEAD: &str = r#"{"encoding":"plain","base_config":{"assistant":{"system_prompt":"P","system_prompt_sections":[{"content":"B"}]},"conversation":{"tools":{"f":{"source":"local","enable":true,"description":"F"},"g":{"source":"local","enable":false,"description":"G"}}}},"events":["#;

/// One tool delta after another: everything off, a new tool, an edit, the new one
/// again, all by way of `*`.
const TOOLS: [&str; 5] = [
    r#"{"f":{"enable":false},"g":{"enable":true}}"#,
    r#"{"h":{"source":"local","description":"H"}}"#,
    r#"{"g":{"enable":true,"description":"edited"},"h":{"enable":false}}"#,
    r#"{"*":{"enable":false},"f":{"enable":true},"k":{"source":"local"}}"#,
    r#"{"ghost":{"enable":true},"h":{"enable":true},"g":{"enable":false}}"#,
];

/// The entry of a letter at an index; `count` letters of its kind are before it.
pub(super) fn entry(letter: Letter, index: usize, count: usize) -> String {
    match letter {
        Letter::Turn => r#"{"type":"turn_start"}"#.to_owned(),
        Letter::Request => format!(r#"{{"type":"chat_request","content":"q{index}."}}"#),
        Letter::Empty => r#"{"type":"chat_request","content":""}"#.to_owned(),
        Letter::Message => format!(r#"{{"type":"chat_response","message":"m{index}."}}"#),
        Letter::Reasoning => {
            format!(r#"{{"type":"chat_response","reasoning":"r{index}."}}"#)
        }
        Letter::Call => {
            r#"{"type":"tool_call_request","id":"a","name":"f","arguments":{}}"#.to_owned()
        }
        Letter::Result => format!(
            r#"{{"type":"tool_call_response","id":"a","content":"o{index}."}}"#
        ),
        Letter::Other => format!(
            r#"{{"type":"tool_call_response","id":"b","content":"o{index}."}}"#
        ),
        Letter::Section => format!(
            r#"{{"type":"config_delta","delta":{{"assistant":{{"system_prompt_sections":[{{"content":"S{index}."}}]}}}}}}"#
        ),
        Letter::Tools => {
            let tools = TOOLS[count % TOOLS.len()];
            format!(
                r#"{{"type":"config_delta","delta":{{"conversation":{{"tools":{tools}}}}}}}"#
            )
        }
        Letter::Compaction => {
            r#"{"type":"compaction","summary":{"summary":"so far"},"from_turn":0,"to_turn":0}"#
                .to_owned()
        }
    }
}

/// A conversation of entries.
pub(super) fn bytes(entries: &[String]) -> Vec<u8> {
    format!("{HEAD}{}]}}", entries.join(",")).into_bytes()
}

/// The request points of a sequence without compaction, and the results that came
/// in time with the call's index.
pub(super) struct Oracle {
    pub(super) points: Vec<usize>,
    pub(super) results: Vec<usize>,
    pub(super) first: Option<usize>,
}

pub(super) fn oracle(letters: &[Letter]) -> Oracle {
    let mut found = Oracle {
        points: Vec::new(),
        results: Vec::new(),
        first: letters.iter().position(|one| *one == Letter::Request),
    };
    let Some(first) = found.first else {
        return found;
    };
    let (mut user, mut open) = (false, 0);
    for (index, letter) in letters.iter().enumerate().skip(first) {
        match letter {
            Letter::Request => user = true,
            Letter::Message | Letter::Reasoning | Letter::Call => {
                if user {
                    found.points.push(index);
                    open = 0;
                }
                open += usize::from(*letter == Letter::Call);
                user = false;
            }
            Letter::Result if open > 0 => {
                open -= 1;
                user = true;
                found.results.push(index);
            }
            Letter::Turn => open = 0,
            _ => {}
        }
    }
    if user {
        found.points.push(letters.len());
    }
    found
}

/// What one mode has to show for it.
struct Side {
    open: Open,
    profile: Option<Profile>,
    /// Bodies that the linter has seen.
    judged: HashSet<Vec<u8>>,
    /// The last body of each prefix of the sequence at hand.
    last: Vec<Option<Vec<u8>>>,
}

pub(super) struct Proof {
    sides: Vec<Side>,
    letters: Vec<Letter>,
    entries: Vec<String>,
    pub(super) bodies: usize,
}

impl Proof {
    pub(super) fn new(opens: Vec<Open>) -> Self {
        let side = |open| Side {
            open,
            profile: None,
            judged: HashSet::new(),
            last: vec![None],
        };
        Self {
            sides: opens.into_iter().map(side).collect(),
            letters: Vec::new(),
            entries: Vec::new(),
            bodies: 0,
        }
    }

    /// Puts a letter behind the sequence and checks it.
    pub(super) fn push(&mut self, letter: Letter) {
        let count = self.letters.iter().filter(|one| **one == letter).count();
        self.entries.push(entry(letter, self.letters.len(), count));
        self.letters.push(letter);
        self.check();
    }

    pub(super) fn pop(&mut self) {
        self.letters.pop();
        self.entries.pop();
        for side in &mut self.sides {
            side.last.pop();
        }
    }

    /// All sequences that begin with this one and have `more` letters more at most.
    pub(super) fn all(&mut self, more: usize) {
        if more > 0 {
            for letter in ALPHABET {
                self.push(letter);
                self.all(more - 1);
                self.pop();
            }
        }
    }

    fn check(&mut self) {
        let letters = &self.letters;
        let bytes = bytes(&self.entries);
        let compacted = letters.contains(&Letter::Compaction);
        let oracle = oracle(letters);
        if oracle.first.is_none() {
            let side = &self.sides[0];
            assert!(place(&bytes, &side.open.options(Requests::All)).is_err());
            self.sides.iter_mut().for_each(|side| side.last.push(None));
            return;
        }
        // Only a point at the end is new.
        let is_new = compacted || oracle.points.last() == Some(&letters.len());
        let flat = Options {
            place: None,
            ..self.sides[0].open.options(Requests::All)
        };
        let flat = is_new.then(|| place(&bytes, &flat));
        for side in &mut self.sides {
            let found = place(&bytes, &side.open.options(Requests::All));
            let Ok((bodies, _)) = found else {
                // Compaction has taken every request away.
                assert!(compacted, "{letters:?}");
                assert!(flat.as_ref().is_some_and(Result::is_err), "{letters:?}");
                side.last.push(None);
                continue;
            };
            let flat = flat.as_ref().map(|flat| &flat.as_ref().expect("bodies").0);
            assert!(flat.is_none_or(|flat| flat.len() == bodies.len()));
            let fail = |why: &str, at: usize| -> ! {
                let body = String::from_utf8_lossy(&bodies[at]);
                panic!("{letters:?} {:?}, body {at}: {why}\n{body}", side.open.mode)
            };
            if !compacted {
                assert_eq!(bodies.len(), oracle.points.len(), "{letters:?}");
            }
            for (at, body) in bodies.iter().enumerate() {
                // The stream cut there has been seen before, with this body.
                let cut = if compacted {
                    usize::MAX
                } else {
                    oracle.points[at]
                };
                if cut < letters.len() {
                    if side.last[cut].as_ref() != Some(body) {
                        fail("the stream cut there has another body", at);
                    }
                    continue;
                }
                self.bodies += 1;
                let profile =
                    side.profile.get_or_insert_with(|| side.open.profile(body));
                if !side.judged.contains(body) {
                    let why = refusals(body, profile);
                    if !why.is_empty() {
                        fail(&why.join("; "), at);
                    }
                    if let Err(why) = said(body) {
                        fail(&why, at);
                    }
                    side.judged.insert(body.clone());
                }
                let flat = &flat.expect("flattened bodies")[at];
                if let Err(why) = same(body, flat, side.open.mode) {
                    fail(&why, at);
                }
                if compacted {
                    continue;
                }
                if let Err(why) = placed(body, letters, &oracle, cut) {
                    fail(&why, at);
                }
                if at > 0
                    && let Err(why) = keeps(&bodies[at - 1], body)
                {
                    fail(&why, at);
                }
            }
            side.last.push(bodies.last().cloned());
        }
    }
}

/// Every section is said once, in the order of the stream.
fn said(body: &[u8]) -> Result<(), String> {
    let texts = texts(body);
    let mut sections = texts.iter().filter_map(|text| {
        let digits = text.strip_prefix('S')?.strip_suffix('.')?;
        digits.parse::<usize>().ok()
    });
    let mut last = None;
    let ascends = sections.all(|index| last.replace(index) < Some(index));
    match ascends && texts.iter().filter(|text| *text == "B").count() == 1 {
        true => Ok(()),
        false => Err(format!("not once and in order: {texts:?}")),
    }
}

/// The operator's words and the tools offered are those of the flattened body.
fn same(body: &[u8], flat: &[u8], mode: ToolMode) -> Result<(), String> {
    let words = |body: &[u8]| {
        let mut words = texts(body);
        words.retain(|text| !text.contains("Tool Usage"));
        words.sort();
        words
    };
    if words(body) != words(flat) {
        return Err(format!("{:?} are not {:?}", words(body), words(flat)));
    }
    let flat = offered(flat);
    let found = offered(body);
    let equal = match mode {
        ToolMode::Inline => found == flat,
        ToolMode::Deferred => found
            .iter()
            .map(|(name, _)| name)
            .eq(flat.iter().map(|(name, _)| name)),
    };
    match equal {
        true => Ok(()),
        false => Err(format!("{found:?} are not {flat:?}")),
    }
}

/// Each section stands at the first request point behind its place, each result
/// that came in time is there.
fn placed(
    body: &[u8],
    letters: &[Letter],
    oracle: &Oracle,
    point: usize,
) -> Result<(), String> {
    let first = oracle.first.unwrap_or_default();
    let directives = directives(body);
    for (index, letter) in letters[..point].iter().enumerate().skip(first) {
        if *letter != Letter::Section {
            continue;
        }
        let text = format!("S{index}.");
        let slot = oracle.points.iter().filter(|one| **one <= index).count();
        let found = directives.iter().find(|(_, texts)| texts.contains(&text));
        if found.map(|(slot, _)| *slot) != Some(slot) {
            return Err(format!("{text} is not at request {slot}: {directives:?}"));
        }
    }
    let text = String::from_utf8_lossy(body);
    for index in oracle.results.iter().filter(|index| **index < point) {
        if !text.contains(&format!("\"o{index}.\"")) {
            return Err(format!("the result at {index} is missing"));
        }
    }
    Ok(())
}

fn both() -> Vec<Open> {
    vec![
        Open::usual(ToolMode::Deferred),
        Open::usual(ToolMode::Inline),
    ]
}

/// The sequences are shared out by their first letter, to run side by side.
fn five(letters: &[Letter]) {
    let mut bodies = 0;
    for letter in letters {
        let mut proof = Proof::new(both());
        proof.push(*letter);
        proof.all(4);
        bodies += proof.bodies;
    }
    assert!(bodies > 0);
}

#[test]
fn all_sequences_of_five_that_begin_with_a_request() {
    five(&[Letter::Request]);
}

#[test]
fn all_sequences_of_five_that_begin_with_a_delta() {
    five(&[Letter::Section, Letter::Tools]);
}

#[test]
fn all_sequences_of_five_that_begin_with_the_assistant() {
    five(&[Letter::Message, Letter::Reasoning, Letter::Call]);
}

#[test]
fn all_sequences_of_five_that_begin_otherwise() {
    five(&[
        Letter::Turn,
        Letter::Empty,
        Letter::Result,
        Letter::Other,
        Letter::Compaction,
    ]);
}

#[test]
fn all_sequences_of_two_behind_a_request_for_every_open_profile() {
    let all = Open::all();
    assert_eq!(all.len(), 11 * 5);
    let mut proof = Proof::new(all);
    proof.push(Letter::Request);
    proof.all(2);
}
