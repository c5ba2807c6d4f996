//! What the bytes of a picture say of it: its kind, and its sides.
//!
//! Names lie: a media type is often taken from a file name, and the API then refuses
//! the whole body. Writer and lint go by the same bytes and the same limits
//! (<https://platform.claude.com/docs/en/build-with-claude/vision>).

use crate::json::Text;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;

/// The kinds of picture that are taken.
pub const TAKEN: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// The longest side of a picture.
pub const SIDE: usize = 8_000;
/// The longest side among many pictures.
pub const SIDE_OF_MANY: usize = 2_000;
/// More pictures than this are many.
pub const MANY: usize = 20;

/// What one base64 payload turned out to be.
#[derive(Debug)]
pub enum Bytes {
    /// Not base64.
    Not,
    /// The first bytes.
    Head(Vec<u8>),
}

/// Decodes the start of a base64 string, and looks at the rest.
///
/// `length` says how many bytes of the start are wanted.
pub fn head(data: &[u8], length: usize) -> Bytes {
    let legal = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    if data.is_empty() || !data.iter().all(legal) || !data.len().is_multiple_of(4) {
        return Bytes::Not;
    }
    let body = data.iter().position(|b| *b == b'=').unwrap_or(data.len());
    if data.len() - body > 2 {
        return Bytes::Not;
    }
    let take = data.len().min(length.div_ceil(3) * 4);
    match STANDARD.decode(&data[..take]) {
        Ok(bytes) => Bytes::Head(bytes),
        Err(_) => Bytes::Not,
    }
}

/// The bytes of a string as meant: some writers escape every slash.
pub fn base64_of(text: Text<'_>) -> Cow<'_, [u8]> {
    if let Some(plain) = text.plain() {
        return Cow::Borrowed(plain);
    }
    match text.decode() {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// The media type that the first bytes belong to.
pub fn magic(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        [b'%', b'P', b'D', b'F', ..] => Some("application/pdf"),
        [b'B', b'M', ..] => Some("image/bmp"),
        _ => None,
    }
}

/// Bytes of a picture that are decoded to find its size: JPEG puts it behind
/// previews and colour profiles.
pub const HEADER: usize = 256 * 1024;

/// A picture by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Picture {
    /// Its media type, whatever it is called.
    pub media_type: &'static str,
    /// Its longest side in pixels, where that can be seen.
    pub side: Option<usize>,
}

/// What `data` is a picture of; `None` where it is no base64 of a picture.
pub fn read(data: Text<'_>) -> Option<Picture> {
    let data = base64_of(data);
    let Bytes::Head(start) = head(&data, HEADER) else {
        return None;
    };
    let media_type = magic(&start).filter(|found| found.starts_with("image/"))?;
    let size = imagesize::blob_size(&start).ok();
    let side = size.map(|size| size.width.max(size.height));
    Some(Picture { media_type, side })
}
