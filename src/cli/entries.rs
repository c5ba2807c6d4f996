//! Bare entries, one after the other: form F (`docs/formats.md#forms`).
//!
//! They are one conversation. A filter that can take them as they arrive gets
//! them one by one, each result out before the next entry is waited for; for the
//! others they are gathered into an array, positions kept. A stream that breaks
//! off ends after the last good entry.

use super::filter::{Answer, Live};
use super::origin::{Origin, Site};
use super::run::{Run, Stop};
use super::source::unreadable;
use super::told::Repeats;
use crate::block::Encoding;
use crate::error::{Diagnostic, Error, ErrorKind};
use crate::event::Event;
use crate::event::check::check;
use crate::json::Raw;
use crate::stream::{Conversation, Form, Gap, Piece, Splitter};
use std::io;

/// Runs the filter over the entries of one input.
pub(super) fn run(
    run: &mut Run<'_>,
    splitter: &mut Splitter<Box<dyn io::Read>>,
    origin: &Origin,
) -> Result<(), Stop> {
    splitter.expect_entries();
    match run.filter.live() {
        Some(live) => one_by_one(run, splitter, origin, live),
        None => gathered(run, splitter, origin),
    }
}

fn one_by_one(
    run: &mut Run<'_>,
    splitter: &mut Splitter<Box<dyn io::Read>>,
    origin: &Origin,
    mut live: Box<dyn Live + '_>,
) -> Result<(), Stop> {
    let mut told = Vec::new();
    let mut good = 0;
    let mut repeats = Repeats::default();
    let mut tell = |run: &Run<'_>, told: &mut Vec<Diagnostic>, offset| {
        for mut diagnostic in told.drain(..) {
            origin.site(0, offset).place(&mut diagnostic.position);
            repeats.tell(run.messages, &diagnostic);
        }
    };
    let base = origin.base();
    // What could not be read, told once it is known how far it goes: the entry it
    // would have been, and its first byte.
    let mut gap: Option<(Error, u64)> = None;
    let mut bad = 0;
    let strict = run.strict;
    let ended = loop {
        if let Some((error, from)) = gap.take() {
            let more = splitter.more();
            if !more && good == 0 && bad == 1 {
                break Err((error, 0));
            }
            let gap = left_out(error, from, splitter.position(), more);
            run.messages.tell(&origin.gap(gap, 0, NEXT_LINE));
        }
        let piece = splitter.next();
        let (bytes, offset) = match piece {
            Ok(Some(
                Piece::Value { bytes, offset } | Piece::Salvaged { bytes, offset, .. },
            )) => (bytes, offset),
            Ok(Some(Piece::Broken { error, offset, .. })) => {
                let mut error = at_entry(error, good);
                bad += 1;
                if strict {
                    break Err((error, 0));
                }
                error.position.event = Some(good);
                gap = Some((error, offset));
                continue;
            }
            Ok(None) => break Ok(()),
            Err(error) => break Err((unreadable(&error), 0)),
        };
        let mut conversation = entries_of(Raw::checked(bytes), origin);
        conversation.base = base;
        let (mark, length) = (run.output.bytes.len(), bytes.len());
        let done = live.entry(&conversation, good, &mut run.output.bytes, &mut told);
        tell(run, &mut told, offset);
        if let Err(error) = done {
            if error.kind == ErrorKind::Output {
                return Err(Stop::Output(run.output.failure(&error)));
            }
            run.output.bytes.truncate(mark);
            bad += 1;
            if strict || (good == 0 && bad == 1 && !splitter.more()) {
                break Err((error, offset));
            }
            let mut error = error;
            error.position.event = Some(good);
            error.position.byte = error.position.byte.map(|byte| byte + offset);
            let gap = left_out(error, offset, offset + length as u64, true);
            run.messages.tell(&origin.gap(gap, 0, NEXT_LINE));
            continue;
        }
        good += 1;
        run.output.flush()?;
        run.progress.at(splitter.position(), &run.tally);
    };
    if good > 0 {
        let closed = live.close(&mut run.output.bytes, &mut told);
        tell(run, &mut told, 0);
        repeats.finish(run.messages);
        if let Err(error) = closed {
            return Err(Stop::Output(run.output.failure(&error)));
        }
        run.output.flush()?;
    }
    match ended {
        Ok(()) => {
            run.tally.seen += 1;
            // There is a result, and it is short.
            run.tally.no |= bad > 0 && good > 0;
            run.tally.refused += usize::from(bad > 0 && good == 0);
            Ok(())
        }
        Err((mut error, offset)) => {
            // The good entries are out: there is a result, and it is short.
            run.tally.cut |= good > 0;
            error.position.event = Some(good);
            origin.site(0, offset).place(&mut error.position);
            run.refuse(error)
        }
    }
}

fn gathered(
    run: &mut Run<'_>,
    splitter: &mut Splitter<Box<dyn io::Read>>,
    origin: &Origin,
) -> Result<(), Stop> {
    let mut array = vec![b'['];
    let mut starts: Vec<(usize, u64)> = Vec::new();
    let mut gaps: Vec<Diagnostic> = Vec::new();
    loop {
        let (mut error, from, to) = match splitter.next() {
            Ok(Some(
                Piece::Value { bytes, offset } | Piece::Salvaged { bytes, offset, .. },
            )) => match shape(run, bytes, starts.len()) {
                None => {
                    if !starts.is_empty() {
                        array.push(b',');
                    }
                    starts.push((array.len(), offset));
                    array.extend_from_slice(bytes);
                    continue;
                }
                Some(mut error) => {
                    error.position.byte = error.position.byte.map(|byte| byte + offset);
                    (error, offset, Some(offset + bytes.len() as u64))
                }
            },
            Ok(Some(Piece::Broken { error, offset, .. })) => {
                (at_entry(error, starts.len()), offset, None)
            }
            Ok(None) => break,
            Err(error) => {
                let mut error = unreadable(&error);
                error.position.event = Some(starts.len());
                return run.refuse(origin.refuse(error, 0));
            }
        };
        error.position.event = Some(starts.len());
        let more = splitter.more();
        if run.strict || (!more && starts.is_empty() && gaps.is_empty()) {
            return run.refuse(origin.refuse(error, 0));
        }
        let to = to.unwrap_or_else(|| splitter.position());
        let gap = left_out(error, from, to, more);
        gaps.push(origin.gap(gap, 0, NEXT_LINE));
    }
    let mut told = Vec::new();
    if starts.is_empty() {
        for gap in &gaps {
            run.messages.tell(gap);
        }
        let error = Error::new(
            ErrorKind::Input,
            "empty-input",
            "expected entries, found none that can be read",
        );
        return run.refuse(origin.refuse(error, 0));
    }
    array.push(b']');
    let conversation = entries_of(Raw::checked(&array), origin);
    let site = Site {
        starts: &starts,
        ..origin.site(0, 0)
    };
    let mark = run.output.bytes.len();
    let filter = run.filter;
    let done =
        origin.filtered(filter, Ok(conversation), site, &mut run.output, &mut told);
    // There is a result, and it is short.
    let done = done.map(|answer| match gaps.is_empty() {
        true => answer,
        false => Answer::No,
    });
    told.splice(..0, gaps);
    run.finish(done, mark, &mut told)
}

/// What ends up in the hint of a gap between lines.
const NEXT_LINE: &str = "the next line goes on";

fn left_out(error: Error, from: u64, to: u64, more: bool) -> Gap {
    Gap {
        error,
        from,
        length: to.saturating_sub(from),
        last: !more,
    }
}

/// Why the gathered entry would be refused, where it is not for the filter to say.
fn shape(run: &Run<'_>, bytes: &[u8], index: usize) -> Option<Error> {
    if run.args.lenient || run.filter.judges_entries() {
        return None;
    }
    let entry = Raw::checked(bytes);
    let found = Event::read(entry).and_then(|event| check(&event)).err()?;
    let error = Error::new(ErrorKind::Contract, "entry-shape", found.message)
        .path(format!("/{index}{}", found.path))
        .byte(found.at.offset_in(bytes));
    Some(error)
}

/// A path that counts from an entry, moved to count from the stream.
fn at_entry(mut error: Error, index: usize) -> Error {
    let path = error.position.path.unwrap_or_default();
    error.position.path = Some(format!("/{index}{path}"));
    error
}

fn entries_of<'a>(value: Raw<'a>, origin: &Origin) -> Conversation<'a> {
    Conversation {
        form: Form::Entries,
        encoding: origin.encoding.unwrap_or(Encoding::Storage),
        ..Conversation::of_array(value)
    }
}
