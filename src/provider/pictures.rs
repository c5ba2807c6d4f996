//! Pictures in the results of tools: which of them go as they are.
//!
//! A picture goes to a model whose results may hold one (`docs/bodies.md#pictures`), by
//! the kind its bytes have, within the limits that the API sets. What does not go is
//! a line of text with kind and size, and that is told. What was sent once is sent
//! again: whether a picture goes depends on those before it alone.

use super::request::Request;
use crate::block::picture::{self, MANY, SIDE, SIDE_OF_MANY, TAKEN};
use crate::block::{Block, BlockKind, Content, Role};
use crate::body::Provider;
use crate::config::Mode;
use crate::error::{Diagnostic, Position};
use crate::json::Raw;
use crate::model::{Platform, Support};
use crate::thread::{Item, Part, Payload, ResultContent};
use crate::view::provider::{Piece, bytes_of, pieces};

/// What Gemini takes of them in the response of a function.
const OF_GEMINI: [&str; 3] = ["image/jpeg", "image/png", "image/webp"];

/// Most bytes of base64 where the API names no limit for one picture.
const BYTES: usize = 20 * 1024 * 1024;

/// The pictures of one body, counted.
#[derive(Debug)]
pub(super) struct Pictures {
    /// The kinds taken; none where results are text.
    kinds: &'static [&'static str],
    /// Most bytes of base64 in one.
    bytes: usize,
    /// Whether sides are limited, and failures text alone (Anthropic's rules).
    strict: bool,
    /// How many the model takes.
    most: usize,
    count: usize,
    /// Whether one so far has a side that many pictures may not have.
    wide: bool,
    silent: bool,
}

impl Pictures {
    /// The pictures of a body before its first result.
    pub(super) fn of(request: &Request<'_, '_>) -> Self {
        let provider = request.rules.provider;
        let known = request.model.tool_pictures.map(Support::taken);
        let jp = request.rules.mode == Mode::Jp;
        let kinds: &[&str] = match provider {
            _ if jp => &[],
            // Every model of theirs since Claude 3 reads pictures.
            Provider::Anthropic => &TAKEN,
            Provider::OpenAi if known != Some(false) => &TAKEN,
            Provider::Google if known == Some(true) => &OF_GEMINI,
            _ => &[],
        };
        let strict = provider == Provider::Anthropic;
        let limit = |platform| request.table.limits_on(platform).image_bytes;
        let attached = request.thread.attachments.iter().filter(|one| {
            matches!(one.payload, Payload::Binary { media_type, .. }
                if !media_type.is("application/pdf"))
        });
        Self {
            kinds,
            // What every platform takes: a body moves from one to the other.
            bytes: match strict {
                true => Platform::ALL.map(limit).into_iter().min().unwrap_or(BYTES),
                false => BYTES,
            },
            strict,
            most: match strict {
                true => request.model.images,
                false => usize::MAX,
            },
            count: attached.count(),
            wide: false,
            silent: jp,
        }
    }

    /// The parts of a result with pictures that go; `None` where all of it is text.
    pub(super) fn pieces<'a>(
        &mut self,
        item: &Item<'a>,
        told: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Piece<'a>>> {
        let mut shown = Vec::new();
        let found = self.parts(item, &mut shown, told);
        told.append(&mut shown);
        found
    }

    /// As [`Pictures::pieces`], for a body that writes the text of the result, too.
    pub(super) fn beside<'a>(
        &mut self,
        item: &Item<'a>,
        told: &mut Vec<Diagnostic>,
    ) -> Vec<Piece<'a>> {
        // What the text leaves out is told where it is written.
        self.parts(item, &mut Vec::new(), told).unwrap_or_default()
    }

    fn parts<'a>(
        &mut self,
        item: &Item<'a>,
        shown: &mut Vec<Diagnostic>,
        told: &mut Vec<Diagnostic>,
    ) -> Option<Vec<Piece<'a>>> {
        let Part::Result {
            is_error,
            content: ResultContent::Stored(content @ Content::Blocks(blocks)),
            ..
        } = &item.part
        else {
            return None;
        };
        let holds = |block: Block<'_>| bytes_of(&block).is_some();
        if self.silent || !blocks.as_array()?.map(Block::read).any(holds) {
            return None;
        }
        let mut left = Vec::new();
        let found = pieces(*content, item.index, shown, |block| {
            let data = bytes_of(block)?;
            match self.take(block, *is_error) {
                Ok(media_type) => Some(Piece::Picture { media_type, data }),
                Err(why) => {
                    left.push((block.raw, why));
                    None
                }
            }
        });
        for (block, why) in left {
            told.push(left_out(block, item.index, why));
        }
        found
    }

    /// The kind of a picture that goes, counted; else why it does not.
    fn take(
        &mut self,
        block: &Block<'_>,
        is_error: bool,
    ) -> Result<&'static str, &'static str> {
        if self.kinds.is_empty() {
            return Err("results of tools are text here");
        }
        let data = bytes_of(block).ok_or("it has no data")?;
        if block.kind == BlockKind::Audio {
            return Err("results hold no sound");
        }
        if is_error && self.strict {
            return Err("a result that is an error is text alone");
        }
        let found =
            picture::read(data).ok_or("its bytes are no picture that is taken")?;
        if !self.kinds.contains(&found.media_type) {
            return Err("its bytes are no picture that is taken");
        }
        if data.decode().len() > self.bytes {
            return Err("it is larger than the API takes");
        }
        if self.count >= self.most {
            return Err("the body holds as many pictures as the model takes");
        }
        if self.strict {
            let side = found.side.unwrap_or_default();
            if side > SIDE {
                return Err("a side is longer than 8,000 pixels");
            }
            let wide = self.wide || side > SIDE_OF_MANY;
            if wide && self.count >= MANY {
                return Err(
                    "with more than 20 pictures none may be wider than 2,000 pixels",
                );
            }
            self.wide = wide;
        }
        self.count += 1;
        Ok(found.media_type)
    }
}

fn left_out(block: Raw<'_>, index: usize, why: &str) -> Diagnostic {
    let what = match Block::read(block).kind {
        BlockKind::Audio => "a sound",
        BlockKind::Image => "a picture",
        _ => "a file that is no text",
    };
    Diagnostic {
        position: Position {
            event: Some(index),
            ..Position::default()
        },
        ..Diagnostic::note(
            "block-as-line",
            format!("{what} is sent as a line with its kind and size: {why}"),
        )
    }
}

/// Tells what of a result goes as a line where results are text.
pub(super) fn tell(item: &Item<'_>, mode: Mode, told: &mut Vec<Diagnostic>) {
    let Part::Result {
        content: ResultContent::Stored(Content::Blocks(blocks)),
        ..
    } = &item.part
    else {
        return;
    };
    if mode == Mode::Jp {
        return;
    }
    for raw in blocks.as_array().into_iter().flatten() {
        let block = Block::read(raw);
        if block.addressed_to(Role::Assistant) && bytes_of(&block).is_some() {
            told.push(left_out(raw, item.index, "results of tools are text here"));
        }
    }
}
