//! Bytes of JSON in, the same out with secrets masked.

use super::rules::Rules;
use super::text::{self, Edit};
use crate::json::{Raw, pointer};
use std::ops::Range;
use std::sync::Arc;

/// A secret that was masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The rule that found it.
    pub rule: String,
    /// JSON Pointer to its string, from the value it stands in.
    pub path: String,
    /// The line its string stands in, from 1.
    pub line: u64,
    /// Byte of the input at the string's first byte.
    pub byte: u64,
    /// Whether it stood in base64.
    pub encoded: bool,
    /// Whether it stood in the name of a member.
    pub in_key: bool,
}

/// Works on a list of tasks, be it on several at a time; results in order.
pub type Work<'w> =
    &'w dyn Fn(&[Task], &(dyn Fn(&Task) -> Vec<Masked> + Sync)) -> Vec<Vec<Masked>>;

/// One string to be looked at.
#[derive(Debug)]
pub struct Task {
    /// Where it stands in the buffer, without its quotes.
    range: Range<usize>,
    /// The name of the member it is the value of.
    key: Vec<u8>,
    bare: bool,
}

/// One piece of a string as written, and what goes there.
#[derive(Debug)]
pub struct Masked {
    range: Range<usize>,
    edit: Edit,
}

/// Masks what the rules find in a stream of JSON.
#[derive(Debug)]
pub struct Redactor {
    rules: Arc<Rules>,
    buffer: Vec<u8>,
    /// Bytes at the buffer's start that are out already.
    base: u64,
    place: Place,
    /// How far into an unfinished string the end was looked for.
    looked: usize,
}

/// Where the reader stands.
#[derive(Debug, Clone, Default)]
struct Place {
    stack: Vec<Level>,
    line: u64,
}

#[derive(Debug, Clone)]
enum Level {
    Array(usize),
    /// The name of the member, and whether its value comes next.
    Object(Vec<u8>, bool),
}

impl Redactor {
    /// A redactor at the start of an input.
    pub fn new(rules: Arc<Rules>) -> Self {
        Self {
            rules,
            buffer: Vec::new(),
            base: 0,
            place: Place::default(),
            looked: 0,
        }
    }

    /// Takes more bytes; appends what is finished to `out`, and what was found to
    /// `hits`. At the `last` call everything is finished.
    pub fn push(
        &mut self,
        bytes: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        hits: &mut Vec<Hit>,
    ) {
        let alone = |tasks: &[Task], work: &(dyn Fn(&Task) -> Vec<Masked> + Sync)| {
            tasks.iter().map(work).collect()
        };
        self.push_with(bytes, last, out, hits, &alone);
    }

    /// The same, with `work` to look at strings.
    pub fn push_with(
        &mut self,
        bytes: &[u8],
        last: bool,
        out: &mut Vec<u8>,
        hits: &mut Vec<Hit>,
        work: Work<'_>,
    ) {
        self.buffer.extend_from_slice(bytes);
        let before = self.place.clone();
        let mut tasks = Vec::new();
        let (done, looked) =
            self.place.walk(&self.buffer, self.looked, last, |task, _| {
                tasks.push(task);
            });
        let (rules, buffer) = (&*self.rules, &*self.buffer);
        let masked = work(&tasks, &|task| masked(rules, buffer, task, 0));
        if masked.iter().any(|one| !one.is_empty()) {
            // Where each stands is worked out again, now that it is wanted.
            let mut index = 0;
            let mut place = before;
            let base = self.base;
            place.walk(buffer, 0, last, |task, place| {
                for one in masked.get(index).into_iter().flatten() {
                    for (rule, encoded) in &one.edit.rules {
                        hits.push(Hit {
                            rule: rule.clone(),
                            path: text::masked(rules, &place.pointer()),
                            line: place.line + 1,
                            byte: base + task.range.start as u64,
                            encoded: *encoded,
                            in_key: place.at_key(),
                        });
                    }
                }
                index += 1;
            });
        }
        let mut at = 0;
        for one in masked.iter().flatten() {
            out.extend_from_slice(&self.buffer[at..one.range.start]);
            out.extend_from_slice(one.edit.with.as_bytes());
            at = one.range.end;
        }
        out.extend_from_slice(&self.buffer[at..done]);
        self.buffer.drain(..done);
        self.base += done as u64;
        self.looked = looked.saturating_sub(done);
    }
}

/// What is to be masked in the strings of a JSON text, by its own bytes.
pub(super) fn inside(rules: &Rules, json: &[u8], depth: usize) -> Vec<Edit> {
    let mut tasks = Vec::new();
    Place::default().walk(json, 0, true, |task, _| tasks.push(task));
    let masked = tasks
        .iter()
        .flat_map(|task| masked(rules, json, task, depth));
    let moved = |one: Masked| Edit {
        range: one.range,
        ..one.edit
    };
    masked.map(moved).collect()
}

fn masked(rules: &Rules, buffer: &[u8], task: &Task, depth: usize) -> Vec<Masked> {
    let raw = &buffer[task.range.clone()];
    let quoted = task
        .range
        .start
        .checked_sub(1)
        .map(|start| start..task.range.end + 1);
    let whole = quoted
        .filter(|_| !task.bare)
        .and_then(|range| buffer.get(range));
    // What is no good string is looked at as it is written.
    let text = whole
        .and_then(|bytes| Raw::parse(bytes).ok())
        .and_then(Raw::as_text);
    let decoded = text.map(crate::json::Text::decode);
    let plain = decoded.as_ref().is_none_or(|text| text.len() == raw.len());
    let meant = decoded.as_ref().map_or(raw, |text| text.as_bytes());
    let edits = text::edits(rules, &task.key, meant, depth);
    let places: Vec<usize> = edits
        .iter()
        .flat_map(|e| [e.range.start, e.range.end])
        .collect();
    let places = match plain {
        true => places,
        false => text::written(raw, &places),
    };
    let start = task.range.start;
    let ranges = places
        .chunks_exact(2)
        .map(|pair| start + pair[0]..start + pair[1]);
    ranges
        .zip(edits)
        .map(|(range, edit)| Masked { range, edit })
        .collect()
}

/// Bytes outside strings that are looked at: broken lines have them.
const BARE: usize = 16;

impl Place {
    /// Hands out the strings of `buffer`; how much is done, and how much of the rest
    /// has been looked at for the end of a string.
    fn walk(
        &mut self,
        buffer: &[u8],
        looked: usize,
        last: bool,
        mut task: impl FnMut(Task, &Self),
    ) -> (usize, usize) {
        let mut at = 0;
        while at < buffer.len() {
            let byte = buffer[at];
            if byte == b'"' {
                let Some(end) = string_end(buffer, (at + 1).max(looked)) else {
                    if !last {
                        return (at, buffer.len().saturating_sub(1).max(at));
                    }
                    task(self.task(at + 1..buffer.len()), self);
                    return (buffer.len(), 0);
                };
                task(self.task(at + 1..end), self);
                match buffer[end] {
                    b'"' => {
                        self.name(&buffer[at + 1..end]);
                        at = end + 1;
                    }
                    // A broken line leaves nothing open for the next one.
                    _ => {
                        self.stack.clear();
                        at = end;
                    }
                }
                continue;
            }
            let bare = buffer[at..]
                .iter()
                .take_while(|byte| !is_structure(**byte))
                .count();
            if bare > 0 {
                if at + bare == buffer.len() && !last && bare < 64 * 1024 {
                    return (at, 0);
                }
                if bare >= BARE {
                    let mut one = self.task(at..at + bare);
                    one.bare = true;
                    task(one, self);
                }
                at += bare;
                continue;
            }
            self.structure(byte);
            at += 1;
        }
        (at, 0)
    }

    fn task(&self, range: Range<usize>) -> Task {
        let key = match self.stack.last() {
            Some(Level::Object(key, true)) => key.clone(),
            _ => Vec::new(),
        };
        Task {
            range,
            key,
            bare: false,
        }
    }

    /// A string that was read: the name of a member, unless its value is due.
    fn name(&mut self, raw: &[u8]) {
        if let Some(Level::Object(key, value)) = self.stack.last_mut()
            && !*value
        {
            key.clear();
            key.extend_from_slice(raw);
        }
    }

    fn structure(&mut self, byte: u8) {
        match byte {
            b'{' => self.stack.push(Level::Object(Vec::new(), false)),
            b'[' => self.stack.push(Level::Array(0)),
            b'}' | b']' => {
                self.stack.pop();
            }
            b':' => {
                if let Some(Level::Object(_, value)) = self.stack.last_mut() {
                    *value = true;
                }
            }
            b',' => match self.stack.last_mut() {
                Some(Level::Array(index)) => *index += 1,
                Some(Level::Object(_, value)) => *value = false,
                None => {}
            },
            b'\n' => self.line += 1,
            _ => {}
        }
    }

    fn at_key(&self) -> bool {
        matches!(self.stack.last(), Some(Level::Object(_, false)))
    }

    /// The JSON Pointer to what is read. Where a name itself is, the pointer of its
    /// object: the name may be the secret.
    fn pointer(&self) -> String {
        let mut path = String::new();
        for level in &self.stack {
            match level {
                Level::Array(index) => pointer::push_index(&mut path, *index),
                Level::Object(_, false) => {}
                Level::Object(key, true) => {
                    let name = String::from_utf8_lossy(key);
                    path.push('/');
                    path.push_str(&name.replace('~', "~0").replace('/', "~1"));
                }
            }
        }
        path
    }
}

fn is_structure(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"')
        || byte.is_ascii_whitespace()
}

/// Where the string that `from` is in ends: at its quote, or at the line break that no
/// good string has.
fn string_end(buffer: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    // An escape may straddle where the last look ended.
    let slashes = buffer[..at]
        .iter()
        .rev()
        .take_while(|byte| **byte == b'\\')
        .count();
    if slashes % 2 == 1 {
        at += 1;
    }
    loop {
        let found = at + memchr::memchr3(b'"', b'\\', b'\n', buffer.get(at..)?)?;
        match buffer[found] {
            b'\\' => at = found + 2,
            _ => return Some(found),
        }
    }
}
