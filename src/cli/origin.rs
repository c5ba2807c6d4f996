//! Where a conversation comes from, and how its positions are told.
//!
//! The library counts bytes from a conversation's own value; people and tools
//! need the byte of the input. [`Site`] knows the way.

use super::filter::{Answer, Filter};
use super::output::Output;
use super::source::Beside;
use crate::block::Encoding;
use crate::error::{Diagnostic, Error, ErrorKind, Position};
use crate::json::Raw;
use crate::stream::{Container, Conversation, Gap, Piece, foreign_bytes};

/// One conversation as it was cut from an input.
#[derive(Debug, Clone, Copy)]
pub struct Record<'b> {
    /// The conversation.
    pub conversation: Conversation<'b>,
    /// What stands beside it on disk.
    pub beside: &'b Beside,
    /// Where it stands in its input.
    pub site: Site<'b>,
}

impl Record<'_> {
    /// Whether the bytes of the conversation are those the input begins with, so that
    /// lines count alike in both.
    pub fn starts_input(&self) -> bool {
        let site = &self.site;
        site.offset == 0 && site.starts.is_empty() && !site.imported
    }

    /// Completes a position that counts from the conversation's value.
    pub fn place(&self, position: &mut Position) {
        self.site.place(position);
    }
}

/// Where one conversation stands in its input.
#[derive(Debug, Clone, Copy)]
pub struct Site<'b> {
    pub(super) name: Option<&'b str>,
    pub(super) index: usize,
    /// Byte of the input at the value's first byte.
    pub(super) offset: u64,
    /// For gathered entries: where each starts in the value, and in the input.
    pub(super) starts: &'b [(usize, u64)],
    /// Whether the conversation was made from a transcript.
    pub(super) imported: bool,
}

impl Site<'_> {
    /// Whether the conversation was made from a transcript.
    pub fn is_imported(&self) -> bool {
        self.imported
    }

    /// Completes a position that counts from the conversation's value.
    pub fn place(&self, position: &mut Position) {
        position.input = self.name.map(str::to_owned);
        position.conversation = Some(self.index);
        if self.imported {
            position.byte = None;
        }
        let Some(byte) = &mut position.byte else {
            return;
        };
        let before = self
            .starts
            .partition_point(|&(start, _)| start as u64 <= *byte);
        match before.checked_sub(1).and_then(|last| self.starts.get(last)) {
            Some(&(start, offset)) => *byte = *byte - start as u64 + offset,
            None => *byte += self.offset,
        }
    }
}

/// What all conversations of one input share.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub(super) name: Option<String>,
    pub(super) beside: Beside,
    pub(super) encoding: Option<Encoding>,
    pub(super) any_value: bool,
    /// Whether what can be read of a broken conversation is given.
    pub(super) salvage: bool,
    /// Whether conversations are made from a transcript: bytes of them are no
    /// bytes of the input.
    pub(super) imported: bool,
}

impl Origin {
    pub(super) fn site(&self, index: usize, offset: u64) -> Site<'_> {
        Site {
            name: self.name.as_deref(),
            index,
            offset,
            starts: &[],
            imported: self.imported,
        }
    }

    /// Runs `filter` on one piece of the input.
    pub(super) fn conversation(
        &self,
        filter: &dyn Filter,
        piece: Piece<'_>,
        index: usize,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        let (bytes, offset) = match piece {
            Piece::Value { bytes, offset } => (bytes, offset),
            Piece::Salvaged {
                bytes,
                offset,
                starts,
                gaps,
            } => {
                let site = Site {
                    starts,
                    ..self.site(index, offset)
                };
                let read = self.read(Raw::checked(bytes));
                let done = self.filtered(filter, read, site, output, told)?;
                let gaps = gaps.iter().map(|gap| {
                    let next = "the next entry that can be read goes on";
                    self.gap(gap.clone(), index, next)
                });
                told.splice(..0, gaps);
                // There is a result, and it is short.
                return Ok(done.max(Answer::No));
            }
            Piece::Broken {
                error,
                head,
                offset,
            } => {
                let guess = (offset == 0).then(|| foreign_bytes(head)).flatten();
                let entries = !self.salvage && !self.any_value && !self.imported;
                let error = match error.hint {
                    None if entries && matches!(head, [b'[' | b'{', ..]) => error.hint(
                        "--lenient gives the entries that can be read; \
                         convo validate --salvage FILE writes them",
                    ),
                    _ => error,
                };
                return Err(self.refuse(guess.unwrap_or(error), index));
            }
        };
        let site = self.site(index, offset);
        let read = self.read(Raw::checked(bytes));
        self.filtered(filter, read, site, output, told)
    }

    /// Runs `filter` on a conversation and completes all positions.
    pub(super) fn filtered(
        &self,
        filter: &dyn Filter,
        read: Result<Conversation<'_>, Error>,
        site: Site<'_>,
        output: &mut Output,
        told: &mut Vec<Diagnostic>,
    ) -> Result<Answer, Error> {
        let done = read.and_then(|mut conversation| {
            conversation.base = self.base().or(conversation.base);
            conversation.encoding = self.encoding.unwrap_or(conversation.encoding);
            let record = Record {
                conversation,
                beside: &self.beside,
                site,
            };
            filter.conversation(&record, output, told)
        });
        for diagnostic in told.iter_mut() {
            site.place(&mut diagnostic.position);
        }
        done.map_err(|mut error| {
            site.place(&mut error.position);
            error
        })
    }

    /// The diagnostic for a gap in the conversation `index`; `next` says where reading
    /// goes on.
    pub(super) fn gap(&self, gap: Gap, index: usize, next: &str) -> Diagnostic {
        let mut told = gap.told(next);
        self.site(index, 0).place(&mut told.position);
        told
    }

    fn read<'b>(&self, value: Raw<'b>) -> Result<Conversation<'b>, Error> {
        if self.any_value {
            return Ok(Conversation::of_array(value));
        }
        match Conversation::read(value)? {
            Container::Conversation(conversation) => Ok(conversation),
            Container::Entry(_) => Err(Error::new(
                ErrorKind::Input,
                "bare-entry",
                "expected a conversation, found a bare entry among conversations",
            )
            .hint("an input is either all bare entries or all conversations")
            .byte(0)),
        }
    }

    /// The base configuration given beside the conversation.
    pub(super) fn base(&self) -> Option<Raw<'_>> {
        let bytes = self.beside.base_config.as_deref()?;
        Some(Raw::checked(bytes.trim_ascii_end()))
    }

    /// An error at conversation `index` whose byte counts from the input already.
    pub(super) fn refuse(&self, mut error: Error, index: usize) -> Error {
        self.site(index, 0).place(&mut error.position);
        error
    }
}
