//! A recording: each request judged as it arrives, beside the one it goes on from.
//!
//! Held are one body a live thread and hashes of the rest ([`Lineage`]), so that a
//! long recording takes the memory of a few bodies, and `tail -f` of one is answered
//! line by line.

use super::held::{Held, entries};
use super::pairs::{Run, multipart, name, unreadable};
use crate::body::foreign;
use crate::error::{Error, ErrorKind};
use crate::json::Raw;
use crate::prefix::{History, Lineage, Link, Opening, Place};
use crate::stream::split::{Piece, Splitter};
use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

/// A conversation that can be gone on from.
struct Thread {
    last: Held,
    history: History,
}

/// The conversations of a recording, so far.
pub(super) struct Series {
    lineage: Lineage,
    /// Whether each request is compared with the one before it, whatever it holds.
    consecutive: bool,
    threads: HashMap<usize, Thread>,
    /// What the requests are called that can still be a parent.
    names: HashMap<usize, String>,
    seen: usize,
    window: usize,
}

impl Series {
    pub(super) fn new(window: usize, consecutive: bool) -> Self {
        Self {
            lineage: Lineage::new(window),
            consecutive,
            threads: HashMap::new(),
            names: HashMap::new(),
            seen: 0,
            window,
        }
    }

    /// How many threads were told apart.
    pub(super) fn threads(&self) -> usize {
        self.lineage.threads()
    }

    fn named(&self, number: usize) -> String {
        self.names.get(&number).cloned().unwrap_or_default()
    }

    /// Judges the next request; whether to go on.
    fn take(&mut self, run: &mut Run<'_>, held: Held) -> io::Result<bool> {
        let found = match held.found() {
            Ok(found) => found,
            Err(error) => return Ok(run.refuse_in(error, held.file.as_ref())),
        };
        let taken = match run.comparer.read(&found) {
            Ok(taken) => taken,
            Err(error) => return Ok(run.refuse_in(error, held.file.as_ref())),
        };
        let number = self.seen;
        self.seen += 1;
        let place = match self.consecutive {
            true if number == 0 => Place::Opens(Opening::default()),
            true => Place::Follows(Link {
                parent: number - 1,
                ..Link::default()
            }),
            false => {
                let units = run.comparer.comparison.units(&taken);
                self.lineage.place(&units, found.times)
            }
        };
        self.names.insert(number, held.name.clone());
        self.names.remove(&number.wrapping_sub(self.window + 1));
        let mut go_on = true;
        let (thread, history) = match place {
            Place::Follows(link) => {
                let mut history = History::default();
                if let Some(parent) = self.threads.get_mut(&link.held) {
                    if link.cut.is_none() {
                        history = std::mem::take(&mut parent.history);
                    }
                    let parent = &self.threads[&link.held];
                    let before = self.named(link.parent);
                    let early = link.early.map(|number| self.named(number));
                    let fork = link.cut.is_some().then_some(link.held);
                    let told = super::compare::Told {
                        before,
                        early,
                        fork,
                        lineage: !self.consecutive,
                    };
                    go_on = run.linked(
                        &parent.last,
                        &found,
                        &taken,
                        &link,
                        told,
                        &mut history,
                    )?;
                }
                (link.thread, history)
            }
            Place::Opens(opening) => {
                if number > 0 {
                    let like = opening.like.map(|(number, segments)| {
                        let amount = run.comparer.comparison.length(&taken, segments);
                        (self.named(number), amount)
                    });
                    let resumes = opening.resumes.map(|number| self.named(number));
                    let early = opening.early.map(|number| self.named(number));
                    run.opens(&found, &taken, opening.thread, [resumes, early], like)?;
                }
                (opening.thread, History::default())
            }
        };
        drop(taken);
        drop(found);
        self.threads.insert(
            thread,
            Thread {
                last: held,
                history,
            },
        );
        if !self.consecutive {
            let lineage = &self.lineage;
            self.threads.retain(|thread, _| lineage.lives(*thread));
        }
        Ok(go_on)
    }

    /// The only two requests of an input, if they are of two threads.
    fn strangers(&self) -> Option<[&Held; 2]> {
        let both = [self.threads.get(&0)?, self.threads.get(&1)?];
        (self.seen == 2 && self.threads.len() == 2).then(|| both.map(|one| &one.last))
    }
}

impl Run<'_> {
    /// Compares the requests of one input, each with the one it goes on from.
    pub(super) fn many(&mut self, path: &Path) -> io::Result<()> {
        let opened: Result<Box<dyn Read>, io::Error> = match path.as_os_str() == "-" {
            true => Ok(Box::new(io::stdin().lock())),
            false => match path.is_dir() {
                true => Err(io::Error::from(io::ErrorKind::IsADirectory)),
                false => File::open(path).map(|file| Box::new(file) as Box<dyn Read>),
            },
        };
        match opened {
            Ok(reader) => self.series(path, reader),
            Err(error) => {
                self.refuse(unreadable(path, &error));
                Ok(())
            }
        }
    }

    fn series(&mut self, path: &Path, reader: Box<dyn Read>) -> io::Result<()> {
        let lines = Lines::default();
        let mut splitter = Splitter::new(Counted {
            reader,
            lines: lines.clone(),
        });
        splitter.expect_entries();
        let head = splitter.head(|bytes, _| {
            bytes.trim_ascii_start().len() >= 1024 || bytes.contains(&b'\n')
        });
        let head = match head {
            Ok((bytes, _)) => bytes.to_vec(),
            Err(error) => {
                self.refuse(unreadable(path, &error));
                return Ok(());
            }
        };
        let known = multipart(&head, path).or_else(|| foreign(head.trim_ascii_start()));
        if let Some(mut error) = known {
            error.position.input = name(path);
            self.refuse(error);
            return Ok(());
        }
        let mut series =
            Series::new(self.comparer.args.window, self.comparer.consecutive());
        let mut index = 0;
        loop {
            let (bytes, offset) = match splitter.next() {
                Ok(Some(Piece::Value { bytes, offset })) => (bytes, offset),
                Ok(Some(Piece::Broken { error, .. })) => {
                    index += 1;
                    if self.refuse_in(error, name(path).as_ref()) {
                        continue;
                    }
                    return Ok(());
                }
                // Only conversations are salvaged.
                Ok(Some(Piece::Salvaged { .. })) => continue,
                Ok(None) => break,
                Err(error) => {
                    self.refuse(unreadable(path, &error));
                    break;
                }
            };
            let offset = usize::try_from(offset).unwrap_or(usize::MAX);
            let value = Raw::checked(bytes);
            for (entry, within) in entries(value) {
                index += 1;
                let start = entry.offset_in(bytes);
                let held = Held {
                    bytes: entry.bytes().to_vec(),
                    base: offset + start,
                    line: lines.at(offset)
                        + memchr::memchr_iter(b'\n', &bytes[..start]).count(),
                    path: within,
                    name: format!("{}:{index}", path.display()),
                    file: name(path),
                };
                if !series.take(self, held)? {
                    return Ok(());
                }
            }
        }
        self.finish(path, &series)
    }

    fn finish(&mut self, path: &Path, series: &Series) -> io::Result<()> {
        if self.summary.pairs == 0
            && let Some([a, b]) = series.strangers()
        {
            // Two bodies are meant to be compared, whatever they share.
            if let (Ok(a), Ok(b)) = (a.found(), b.found()) {
                self.pair(&a, &b, &mut History::default())?;
            }
        }
        if self.summary.pairs == 0 && self.tally.refused == 0 {
            let (text, hint) = match series.seen {
                0 | 1 => (
                    format!(
                        "expected at least two requests to compare, found {}",
                        if series.seen == 0 { "none" } else { "one" }
                    ),
                    "give two files, or one body a line",
                ),
                count => (
                    format!("none of the {count} requests goes on from another"),
                    "compare them in order with --pairs consecutive",
                ),
            };
            let mut error = Error::new(ErrorKind::Contract, "no-pair", text).hint(hint);
            error.position.input = name(path);
            self.refuse(error);
        }
        self.summary.threads = series.threads();
        self.comparer
            .write_summary(&mut self.output.bytes, &self.summary);
        Ok(())
    }
}

/// Where the lines of an input begin that have been read and not passed yet.
#[derive(Debug, Clone, Default)]
struct Lines(Rc<RefCell<(usize, VecDeque<usize>, usize)>>);

impl Lines {
    /// The line of a byte, from 1; bytes are asked for in order.
    fn at(&self, byte: usize) -> usize {
        let (passed, ends, _) = &mut *self.0.borrow_mut();
        while ends.front().is_some_and(|end| *end < byte) {
            ends.pop_front();
            *passed += 1;
        }
        *passed + 1
    }
}

/// A reader that takes note of line ends.
struct Counted {
    reader: Box<dyn Read>,
    lines: Lines,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        let (_, ends, at) = &mut *self.lines.0.borrow_mut();
        ends.extend(memchr::memchr_iter(b'\n', &buffer[..count]).map(|end| *at + end));
        *at += count;
        Ok(count)
    }
}
