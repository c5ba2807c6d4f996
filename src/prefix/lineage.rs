//! Who follows whom in a recording: the conversations in it told apart, each request
//! laid beside the earlier one whose prompt it shares most of.
//!
//! Recordings of production hold several conversations at once: a main agent, its
//! subagents, calls for a title. [`Lineage::place`] knows requests by one hash a unit
//! of their prompt ([`Taken::units`](super::Taken::units)) and says of a new one to
//! which thread it belongs and which request of it comes before; the caller keeps one
//! body a thread, the last. What is older than the window can be no parent any more.

use super::report::Amount;
use super::segment::Prefix;
use super::values::digest::{self, Manner, join};
use super::values::text::Masks;
use super::values::zone::Zone;
use crate::cache::Ttl;
use crate::json::Kind;
use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

/// Seconds for which what was sent can be a parent, where times are known and no
/// cache keeps it longer.
const HOUR: u64 = 3600;

/// A prompt as hashes, one a segment in the order rendered.
#[derive(Debug, Clone, Default)]
pub struct Units {
    /// Model and provider: what has a cache of its own.
    key: u64,
    provider: u64,
    /// A hash and a length in bytes each.
    list: Vec<(u64, u32)>,
    /// How many stand before the messages.
    head: usize,
    turns: usize,
    /// The entries that the request itself ends.
    marks: Vec<(usize, Ttl)>,
    /// Seconds for which its cache may keep it.
    keeps: u64,
}

/// Whose cache a prompt is in, and for how long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whose<'n> {
    pub(super) provider: &'n str,
    pub(super) model: &'n str,
    pub(super) keeps: u64,
}

impl Units {
    pub(super) fn of(
        prefix: &Prefix<'_>,
        whose: Whose<'_>,
        masks: &Masks,
        marks: Vec<(usize, Ttl)>,
    ) -> Self {
        let manner = Manner {
            ordered: false,
            loose: true,
            masks,
        };
        let one = |segment: &super::segment::Segment<'_>| {
            let length = u32::try_from(segment.raw.bytes().len());
            (segment.digest(masks), length.unwrap_or(u32::MAX))
        };
        let before = prefix.tools.iter().chain(&prefix.system);
        let mut list: Vec<(u64, u32)> = before.map(one).collect();
        let head = list.len();
        // Role and the like of a message go into its first segment's hash.
        let mut plain = None;
        for turn in &prefix.turns {
            if turn.raw.kind() == Kind::Object {
                let sum = digest::digest(turn.raw, Zone::Head, manner);
                plain = Some(plain.map_or(sum, |before| join(before, sum)));
            }
            for segment in &prefix.messages[turn.from..turn.to] {
                let (sum, length) = one(segment);
                let sum = plain.take().map_or(sum, |plain| join(plain, sum));
                list.push((sum, length));
            }
        }
        let text = |text: &str| digest::text(text, &Masks::default());
        Self {
            key: join(text(whose.provider), text(whose.model)),
            provider: text(whose.provider),
            list,
            head,
            turns: prefix.turns.len(),
            marks,
            keeps: whose.keeps.max(HOUR),
        }
    }

    /// The hash of the prompt up to and with each segment.
    fn sums(&self) -> Rc<[u64]> {
        let mut state = self.key;
        let each = self.list.iter().map(|(one, _)| {
            state = join(state, *one);
            state
        });
        each.collect()
    }
}

/// When a request was sent, and when its answer began, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// When it was sent.
    pub sent: Option<i64>,
    /// When its answer began: before that nobody can read what it writes.
    pub answered: Option<i64>,
}

/// An entry that an earlier request of a thread wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The segment it ends at, in hashing order.
    pub segment: usize,
    /// How long it lives.
    pub ttl: Ttl,
    /// When it was written or read last, in milliseconds since 1970.
    pub at: Option<i64>,
}

/// A request laid beside an earlier one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Link {
    /// The thread, counted from 0.
    pub thread: usize,
    /// The request before it, counted from 0.
    pub parent: usize,
    /// The thread whose last body holds the parent.
    pub held: usize,
    /// How many messages of that body are the parent's, and the segments that it
    /// marked, where the parent is not the thread's last.
    pub cut: Option<(usize, Vec<(usize, Ttl)>)>,
    /// Entries of requests before the parent that the parent's prompt goes through.
    pub written: Vec<Written>,
    /// The request that shares more of its prompt and had no answer yet.
    pub early: Option<usize>,
}

/// A request that nothing before it holds the messages of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Opening {
    /// The thread, counted from 0.
    pub thread: usize,
    /// The request that shares most of tools and system text, and how many segments.
    pub like: Option<(usize, usize)>,
    /// The request of the thread before it, too old for any cache.
    pub resumes: Option<usize>,
    /// The request before it, whose answer had not begun.
    pub early: Option<usize>,
}

/// Where a request belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// It goes on from an earlier one.
    Follows(Link),
    /// It opens a thread.
    Opens(Opening),
}

/// A request that opens a thread, as reports say it.
#[derive(Debug, Clone)]
pub struct Opened {
    /// What it is called.
    pub request: String,
    /// Whose body it is.
    pub provider: &'static str,
    /// The thread, counted from 0.
    pub thread: usize,
    /// The request of the thread before it, too old for any cache.
    pub resumes: Option<String>,
    /// The request before it, whose answer had not begun.
    pub early: Option<String>,
    /// The request that shares the start of its prompt, and how much of it.
    pub like: Option<(String, Amount)>,
}

/// A request that can still be a parent.
#[derive(Debug)]
struct Node {
    number: usize,
    thread: usize,
    times: Times,
    sums: Rc<[u64]>,
    turns: usize,
    marks: Vec<(usize, Ttl)>,
    /// Entries of those before it.
    written: Vec<Written>,
    keeps: u64,
}

impl Node {
    /// Whether its answer had begun when another request was sent.
    fn ready(&self, times: Times) -> bool {
        match (self.times.answered, times.sent) {
            (Some(answered), Some(sent)) => answered <= sent,
            _ => true,
        }
    }

    fn old(&self, times: Times) -> bool {
        match (self.times.sent, times.sent) {
            (Some(before), Some(now)) => {
                u64::try_from(now - before).is_ok_and(|gap| gap > self.keeps * 1000)
            }
            _ => false,
        }
    }
}

/// The newest request of a thread.
#[derive(Debug)]
struct Last {
    number: usize,
    key: u64,
    provider: u64,
    /// The lengths of its messages by their hashes.
    held: HashMap<u64, u32>,
}

/// The conversations of a recording.
#[derive(Debug)]
pub struct Lineage {
    window: usize,
    next: usize,
    threads: usize,
    nodes: VecDeque<Node>,
    /// The newest request whose prompt goes through a state.
    through: HashMap<u64, usize>,
    last: HashMap<usize, Last>,
    swept: usize,
}

impl Lineage {
    /// None seen. `window`: how many requests back a parent is looked for.
    pub fn new(window: usize) -> Self {
        Self {
            window: window.max(1),
            next: 0,
            threads: 0,
            nodes: VecDeque::new(),
            through: HashMap::new(),
            last: HashMap::new(),
            swept: 0,
        }
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Whether a thread can still be gone on from, so that its last body is needed.
    pub fn lives(&self, thread: usize) -> bool {
        self.last.contains_key(&thread)
    }

    /// Places the next request.
    pub fn place(&mut self, units: &Units, times: Times) -> Place {
        while self.nodes.len() >= self.window {
            self.forget();
        }
        let number = self.next;
        self.next += 1;
        let sums = units.sums();
        let place = self.find(units, &sums, times);
        let (thread, written) = match &place {
            Place::Follows(link) => {
                (link.thread, self.inherited(link.parent, &sums, times))
            }
            Place::Opens(opening) => (opening.thread, Vec::new()),
        };
        for sum in sums.iter() {
            self.through.insert(*sum, number);
        }
        let last = Last {
            number,
            key: units.key,
            provider: units.provider,
            held: units.list[units.head..].iter().copied().collect(),
        };
        self.last.insert(thread, last);
        self.nodes.push_back(Node {
            number,
            thread,
            times,
            sums,
            turns: units.turns,
            marks: units.marks.clone(),
            written,
            keeps: units.keeps,
        });
        self.sweep();
        place
    }

    fn forget(&mut self) {
        let Some(node) = self.nodes.pop_front() else {
            return;
        };
        let last = self.last.get(&node.thread);
        if last.is_some_and(|last| last.number == node.number) {
            self.last.remove(&node.thread);
        }
    }

    fn node(&self, number: usize) -> Option<&Node> {
        let first = self.nodes.front()?.number;
        self.nodes.get(number.checked_sub(first)?)
    }

    /// Entries of a request and of those before it that a prompt goes through. The
    /// longest is the one that is read, which keeps it alive.
    fn inherited(&self, parent: usize, sums: &[u64], times: Times) -> Vec<Written> {
        let Some(node) = self.node(parent) else {
            return Vec::new();
        };
        let shared = common(&node.sums, sums);
        let own = node.marks.iter().map(|(segment, ttl)| Written {
            segment: *segment,
            ttl: *ttl,
            at: node.times.sent,
        });
        let mut kept: Vec<Written> = node.written.iter().copied().chain(own).collect();
        kept.retain(|one| one.segment < shared);
        if let Some(read) = kept.iter_mut().max_by_key(|one| one.segment) {
            read.at = times.sent;
        }
        kept
    }

    fn opens(&mut self, like: Option<(usize, usize)>) -> Opening {
        self.threads += 1;
        Opening {
            thread: self.threads - 1,
            like,
            ..Opening::default()
        }
    }

    fn find(&mut self, units: &Units, sums: &[u64], times: Times) -> Place {
        // The longest part of the prompt that an earlier one goes through.
        let mut like = None;
        for (at, sum) in sums.iter().enumerate() {
            let known = self.through.get(sum).copied();
            let Some(number) = known.filter(|one| self.node(*one).is_some()) else {
                break;
            };
            like = Some((number, at + 1));
        }
        let within = like.filter(|(_, shared)| *shared > units.head);
        let thread = match within {
            Some((number, _)) => self.node(number).map(|node| node.thread),
            None => self.by_messages(units),
        };
        let newest = thread.and_then(|thread| {
            let last = self.last.get(&thread)?;
            self.node(last.number)
        });
        let Some(newest) = newest else {
            return Place::Opens(self.opens(like));
        };
        let thread = newest.thread;
        if newest.old(times) {
            let resumes = Some(newest.number);
            return Place::Opens(Opening {
                thread,
                resumes,
                ..Opening::default()
            });
        }
        let shared = common(&newest.sums, sums);
        // What leaves the thread where an earlier request of it ended goes on from
        // that one, unless it meets again what came later.
        let ended = |node: &&Node| {
            node.number != newest.number
                && node.sums.len() <= shared
                && node.ready(times)
                && node.sums.last() == newest.sums[..node.sums.len()].last()
                && !node.sums.is_empty()
        };
        let ready = newest.ready(times);
        let fork = match within.is_some() && shared < newest.sums.len() && ready {
            true => {
                let whole = |node: &&Node| ended(node) && node.sums.len() == shared;
                let found = self.nodes.iter().rev().find(whole);
                found.filter(|_| !self.meets_again(thread, units, shared))
            }
            false => None,
        };
        let earlier = match ready {
            true => None,
            false => {
                let found = self.nodes.iter().filter(ended);
                found.max_by_key(|node| (node.sums.len(), node.number))
            }
        };
        let early = (!ready).then_some(newest.number);
        if early.is_some() && earlier.is_none() {
            return Place::Opens(Opening {
                early,
                ..self.opens(like)
            });
        }
        let parent = fork.or(earlier).unwrap_or(newest);
        let link = Link {
            thread,
            parent: parent.number,
            held: thread,
            cut: (parent.number != newest.number)
                .then(|| (parent.turns, parent.marks.clone())),
            written: parent.written.clone(),
            early,
        };
        Place::Follows(match link.cut.is_some() {
            true => {
                self.threads += 1;
                Link {
                    thread: self.threads - 1,
                    ..link
                }
            }
            false => link,
        })
    }

    /// The thread of the same provider that holds most of the messages, the same
    /// model's first: what a changed head leaves to go by.
    fn by_messages(&self, units: &Units) -> Option<usize> {
        let messages = &units.list[units.head..];
        let all: u64 = messages.iter().map(|(_, length)| u64::from(*length)).sum();
        let weigh = |last: &Last| -> u64 {
            let known = messages
                .iter()
                .filter(|(sum, _)| last.held.contains_key(sum));
            known.map(|(_, length)| u64::from(*length)).sum()
        };
        let threads = self.last.iter();
        let found = threads
            .filter(|(_, last)| last.provider == units.provider)
            .map(|(thread, last)| {
                (last.key == units.key, weigh(last), last.number, *thread)
            })
            // Of another model's prompt most must be this one's.
            .filter(|(same, weight, ..)| *weight > 0 && (*same || weight * 2 > all))
            .max()?;
        Some(found.3)
    }

    /// Whether a prompt holds segments of a thread's last behind where they part.
    fn meets_again(&self, thread: usize, units: &Units, shared: usize) -> bool {
        let Some(last) = self.last.get(&thread) else {
            return false;
        };
        let known: HashSet<u64> =
            units.list[..shared].iter().map(|one| one.0).collect();
        let mut rest = units.list[shared..].iter();
        rest.any(|(sum, _)| last.held.contains_key(sum) && !known.contains(sum))
    }

    /// Lets go of states that no request is left to go through.
    fn sweep(&mut self) {
        if self.through.len() < 2 * self.swept + 4096 {
            return;
        }
        let first = self.nodes.front().map_or(0, |node| node.number);
        self.through.retain(|_, number| *number >= first);
        self.swept = self.through.len();
    }
}

/// How many states two prompts have in common.
fn common(a: &[u64], b: &[u64]) -> usize {
    let pairs = a.iter().zip(b);
    pairs.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A prompt of letters; what stands before a `|` is its head.
    fn units(text: &str) -> Units {
        let head = text.find('|').unwrap_or(0);
        let list: Vec<(u64, u32)> = text
            .bytes()
            .filter(|b| *b != b'|')
            .map(|b| (u64::from(b), 10))
            .collect();
        Units {
            key: 1,
            provider: 1,
            head,
            turns: list.len() - head,
            marks: vec![(list.len() - 1, Ttl::Minutes)],
            list,
            keeps: HOUR,
        }
    }

    fn places(prompts: &[&str]) -> Vec<String> {
        let mut lineage = Lineage::new(1000);
        let place =
            |prompt: &&str| match lineage.place(&units(prompt), Times::default()) {
                Place::Follows(link) => {
                    let cut = if link.cut.is_some() { "!" } else { "" };
                    format!("{}<{}{cut}", link.thread, link.parent)
                }
                Place::Opens(opening) => format!("{}", opening.thread),
            };
        prompts.iter().map(place).collect()
    }

    #[test]
    fn requests_follow_the_one_they_share_most_with() {
        for (prompts, expected) in [
            // Two conversations, interleaved, one with the other's head.
            (
                &["S|a", "S|x", "S|abc", "S|xyz", "S|abcde"][..],
                &["0", "1", "0<0", "1<1", "0<2"][..],
            ),
            // A fork goes on from where it left.
            (
                &[
                    "S|a",
                    "S|abc",
                    "S|abcde",
                    "S|abcxy",
                    "S|abcdefg",
                    "S|abcxyzw",
                ],
                &["0", "0<0", "0<1", "1<1!", "0<2", "1<3"],
            ),
            // An edit is none: what came later is met again.
            (&["S|a", "S|abc", "S|abXcde"], &["0", "0<0", "0<1"]),
            // Another head, the same messages; a window that slides.
            (&["S|abc", "T|abcde", "T|cdefg"], &["0", "0<0", "0<1"]),
            (&["S|a", "T|b"], &["0", "1"]),
        ] {
            assert_eq!(places(prompts), expected, "{prompts:?}");
        }
    }

    #[test]
    fn a_request_cannot_read_what_had_no_answer_yet() {
        let mut lineage = Lineage::new(1000);
        let mut at = |prompt: &str, sent: i64, answered: i64| {
            let times = Times {
                sent: Some(sent),
                answered: Some(answered),
            };
            lineage.place(&units(prompt), times)
        };
        at("S|a", 0, 1_000);
        at("S|abc", 2_000, 9_000);
        let Place::Follows(link) = at("S|abcde", 3_000, 4_000) else {
            panic!("it follows");
        };
        assert_eq!((link.parent, link.early), (0, Some(1)));
        assert_eq!(link.cut.expect("cut").0, 1);
    }

    #[test]
    fn entries_of_earlier_requests_stay_and_old_threads_are_resumed() {
        let mut lineage = Lineage::new(1000);
        let mut at = |prompt: &str, seconds: i64| {
            let times = Times {
                sent: Some(seconds * 1000),
                answered: None,
            };
            lineage.place(&units(prompt), times)
        };
        at("S|a", 0);
        at("S|abc", 10);
        let Place::Follows(link) = at("S|abXY", 20) else {
            panic!("it follows")
        };
        let written: Vec<_> = link.written.iter().map(|one| one.segment).collect();
        assert_eq!(written, [1]);
        let Place::Opens(opening) = at("S|abXYz", 9_000) else {
            panic!("too old")
        };
        assert_eq!((opening.thread, opening.resumes), (0, Some(2)));
    }

    #[test]
    fn no_more_than_the_window_is_held() {
        let mut lineage = Lineage::new(2);
        for prompt in ["a|b", "c|d", "e|f", "g|h"] {
            lineage.place(&units(prompt), Times::default());
        }
        assert_eq!((lineage.nodes.len(), lineage.threads()), (2, 4));
        assert!(!lineage.lives(0) && lineage.lives(3));
        let Place::Opens(_) = lineage.place(&units("a|bc"), Times::default()) else {
            panic!("its parent is forgotten");
        };
    }
}
