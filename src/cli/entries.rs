//! Bare entries, one after the other: form F (`docs/formats.md#forms`).
//!
//! They are one conversation. A filter that can take them as they arrive gets
//! them one by one, each result out before the next entry is waited for; for the
//! others they are gathered into an array, positions kept. A stream that breaks
//! off ends after the last good entry.

use super::filter::Live;
use super::origin::{Origin, Site};
use super::run::{Run, Stop};
use super::source::unreadable;
use super::told::Repeats;
use crate::block::Encoding;
use crate::error::{Diagnostic, Error, ErrorKind, Severity};
use crate::json::Raw;
use crate::stream::{Conversation, Form, Piece, Splitter};
use crate::term::counted_are;
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
        let piece = splitter.next();
        let at = match &piece {
            Ok(Some(Piece::Value { offset, .. } | Piece::Broken { offset, .. })) => {
                Some(*offset)
            }
            _ => None,
        };
        if let Some((error, from)) = gap.take() {
            // The last gap ends with the input.
            let length = at.map(|at| at.saturating_sub(from));
            let hint = match length {
                Some(length) => {
                    format!(
                        "{} left out; the next line goes on",
                        counted_are(length, "byte")
                    )
                }
                None => "nothing behind it can be read".to_owned(),
            };
            if at.is_none() && good == 0 && bad == 1 {
                break Err((error, 0));
            }
            let mut told = Diagnostic::from(error.hint(hint));
            told.severity = Severity::Error;
            origin.site(0, 0).place(&mut told.position);
            run.messages.tell(&told);
        }
        let (bytes, offset) = match piece {
            Ok(Some(Piece::Value { bytes, offset })) => (bytes, offset),
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
            if error.hint.is_none() {
                error = error.hint(format!(
                    "{} left out; the next line goes on",
                    counted_are(length, "byte")
                ));
            }
            let mut refused = Diagnostic::from(error);
            refused.severity = Severity::Error;
            origin.site(0, offset).place(&mut refused.position);
            run.messages.tell(&refused);
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
    let mut starts = Vec::new();
    loop {
        let mut error = match splitter.next() {
            Ok(Some(Piece::Value { bytes, offset })) => {
                if !starts.is_empty() {
                    array.push(b',');
                }
                starts.push((array.len(), offset));
                array.extend_from_slice(bytes);
                continue;
            }
            Ok(Some(Piece::Broken { error, .. })) => at_entry(error, starts.len()),
            Ok(None) => break,
            Err(error) => unreadable(&error),
        };
        error.position.event = Some(starts.len());
        return run.refuse(origin.refuse(error, 0));
    }
    array.push(b']');
    let conversation = entries_of(Raw::checked(&array), origin);
    let site = Site {
        starts: &starts,
        ..origin.site(0, 0)
    };
    let mut told = Vec::new();
    let mark = run.output.bytes.len();
    let filter = run.filter;
    let done =
        origin.filtered(filter, Ok(conversation), site, &mut run.output, &mut told);
    run.finish(done, mark, &mut told)
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
