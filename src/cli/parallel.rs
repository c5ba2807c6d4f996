//! The batch loop over several threads (`--jobs`).
//!
//! The calling thread cuts the input, packs conversations into loads, hands them
//! to workers and writes what comes back in input order. Loads under way are
//! bounded in number and bytes, so memory grows with `--jobs` and the longest
//! conversation, not with the archive.

use super::filter::{Answer, Filter};
use super::origin::Origin;
use super::output::Output;
use super::run::{Run, Stop};
use crate::error::{Diagnostic, Error};
use crate::stream::{Gap, Piece, Splitter};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::ops::Range;
use std::sync::mpsc::{Receiver, channel};

/// A load is handed on when it holds this many bytes.
const LOAD: usize = 512 * 1024;

/// Conversations packed for one worker.
#[derive(Default)]
struct Load {
    bytes: Vec<u8>,
    records: Vec<Result<Cut, Error>>,
    first: usize,
}

/// Where one conversation stands in a load and in the input, and what is missing.
struct Cut {
    range: Range<usize>,
    offset: u64,
    starts: Vec<(usize, u64)>,
    gaps: Vec<Gap>,
}

impl Load {
    fn put(
        &mut self,
        bytes: &[u8],
        offset: u64,
        starts: &[(usize, u64)],
        gaps: &[Gap],
    ) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.records.push(Ok(Cut {
            range: start..self.bytes.len(),
            offset,
            starts: starts.to_vec(),
            gaps: gaps.to_vec(),
        }));
    }
}

/// What became of one conversation of a load.
struct Done {
    result: Result<Answer, Error>,
    told: Vec<Diagnostic>,
    end: usize,
    /// Whether results stand although the conversation was refused.
    cut: bool,
}

/// What became of a load, with its buffers to be used again.
struct Finished {
    output: Vec<u8>,
    done: Vec<Done>,
    load: Load,
}

/// Runs the filter over all conversations of one input.
pub(super) fn run(
    run: &mut Run<'_>,
    splitter: &mut Splitter<Box<dyn Read>>,
    origin: &Origin,
    jobs: usize,
) -> Result<(), Stop> {
    let pool = super::pool::threads(jobs)?;
    let filter = run.filter;
    pool.in_place_scope(|scope| {
        Feeder {
            run,
            filter,
            origin,
            scope,
            waiting: VecDeque::new(),
            spare: Vec::new(),
            jobs,
            largest: LOAD,
        }
        .feed(splitter, origin)
    })
}

/// Packs loads and books what came of them. The pool's own iterators keep neither
/// order nor bounds while they stream, so the loads are handed over one by one.
struct Feeder<'f, 'r, 's> {
    run: &'f mut Run<'r>,
    filter: &'s dyn Filter,
    origin: &'s Origin,
    scope: &'f rayon::Scope<'s>,
    waiting: VecDeque<(usize, Receiver<Finished>)>,
    spare: Vec<Load>,
    jobs: usize,
    largest: usize,
}

impl Feeder<'_, '_, '_> {
    fn feed(
        &mut self,
        splitter: &mut Splitter<Box<dyn Read>>,
        origin: &Origin,
    ) -> Result<(), Stop> {
        let mut load = Load::default();
        for index in 0.. {
            match splitter.next() {
                Ok(None) => break,
                Ok(Some(Piece::Value { bytes, offset })) => {
                    load.put(bytes, offset, &[], &[]);
                }
                Ok(Some(Piece::Salvaged {
                    bytes,
                    offset,
                    starts,
                    gaps,
                })) => load.put(bytes, offset, starts, gaps),
                Ok(Some(piece @ Piece::Broken { .. })) => {
                    let mut output = Output::held();
                    let refused = origin.conversation(
                        self.run.filter,
                        piece,
                        index,
                        &mut output,
                        &mut Vec::new(),
                    );
                    load.records.extend(refused.err().map(Err));
                }
                Err(error) => {
                    let error = super::source::unreadable(&error);
                    load.records.push(Err(origin.refuse(error, index)));
                    break;
                }
            }
            if load.bytes.len() >= LOAD || load.records.len() >= 4096 {
                let sent = self.send(&mut load, index + 1);
                if sent.is_err() {
                    self.run.tally.cut |= !load.records.is_empty() || splitter.more();
                }
                sent?;
                self.run.progress.at(splitter.position(), &self.run.tally);
            }
        }
        let sent = self.send(&mut load, 0);
        self.run.tally.cut |= sent.is_err() && !load.records.is_empty();
        sent?;
        while !self.waiting.is_empty() {
            self.take()?;
        }
        Ok(())
    }

    /// Hands a load on, taking finished ones back while too much is under way.
    fn send(&mut self, load: &mut Load, next: usize) -> Result<(), Stop> {
        self.largest = self.largest.max(load.bytes.len());
        while !self.waiting.is_empty() && self.is_full(load.bytes.len()) {
            self.take()?;
        }
        let mut empty = self.spare.pop().unwrap_or_default();
        empty.first = next;
        let sent = std::mem::replace(load, empty);
        if sent.records.is_empty() {
            return Ok(());
        }
        let (reply, finished) = channel();
        self.waiting.push_back((sent.bytes.len(), finished));
        let (filter, origin) = (self.filter, self.origin);
        self.scope.spawn(move |_| {
            // Nobody waits any more when the work has stopped early.
            let _ = reply.send(work(filter, origin, sent));
        });
        Ok(())
    }

    /// Whether one more load of `bytes` would be too much under way.
    fn is_full(&self, bytes: usize) -> bool {
        let under_way: usize = self.waiting.iter().map(|&(bytes, _)| bytes).sum();
        self.waiting.len() > 2 * self.jobs
            || under_way + bytes > self.jobs * self.largest.max(2 * LOAD)
    }

    /// Books the oldest load under way.
    fn take(&mut self) -> Result<(), Stop> {
        let Some((_, finished)) = self.waiting.pop_front() else {
            return Ok(());
        };
        let Ok(mut finished) = finished.recv() else {
            return Err(Stop::Output(io::Error::other(
                "a worker thread ended early",
            )));
        };
        let mut start = 0;
        let mut outcome = Ok(());
        let mut done = finished.done.into_iter();
        for mut one in done.by_ref() {
            let mark = self.run.output.bytes.len();
            // What a refused conversation did not release is gone already.
            let bytes = &finished.output[start..one.end];
            self.run.output.bytes.extend_from_slice(bytes);
            start = one.end;
            if one.cut {
                self.run
                    .output
                    .release()
                    .map_err(|error| Stop::Output(self.run.output.failure(&error)))?;
            }
            outcome = self.run.finish(one.result, mark, &mut one.told);
            if outcome.is_err() {
                break;
            }
        }
        if outcome.is_err() {
            self.run.tally.cut |= done.next().is_some() || !self.waiting.is_empty();
        }
        finished.load.bytes.clear();
        finished.load.records.clear();
        finished.load.bytes.shrink_to(2 * LOAD);
        self.spare.push(finished.load);
        outcome
    }
}

/// Runs the filter over a load.
fn work(filter: &dyn Filter, origin: &Origin, mut load: Load) -> Finished {
    let mut output = Output::held();
    let mut done = Vec::with_capacity(load.records.len());
    for (place, record) in load.records.drain(..).enumerate() {
        let mark = output.bytes.len();
        let mut told = Vec::new();
        let result = record.and_then(|cut| {
            let (bytes, offset) = (&load.bytes[cut.range], cut.offset);
            let piece = match cut.gaps.as_slice() {
                [] => Piece::Value { bytes, offset },
                gaps => Piece::Salvaged {
                    bytes,
                    offset,
                    starts: &cut.starts,
                    gaps,
                },
            };
            let index = load.first + place;
            origin.conversation(filter, piece, index, &mut output, &mut told)
        });
        let cut = result.is_err() && output.take_back(mark);
        output.keep();
        done.push(Done {
            result,
            told,
            cut,
            end: output.bytes.len(),
        });
    }
    Finished {
        output: output.bytes,
        done,
        load,
    }
}
