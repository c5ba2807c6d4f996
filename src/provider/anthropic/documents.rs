//! Which attachments the Messages API takes.

use crate::provider::request::Request;
use crate::thread::{Attachment, Payload};

/// The kinds of picture that go inside a document.
const PICTURES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// The attachments that can be sent.
pub(super) fn documents<'r>(
    request: &'r Request<'_, '_>,
) -> impl Iterator<Item = Attachment<'r>> {
    request.thread.attachments.iter().copied().filter(|one| {
        let Payload::Binary { media_type, .. } = one.payload else {
            return true;
        };
        let media_type = media_type.decode();
        media_type == "application/pdf" || PICTURES.contains(&&*media_type)
    })
}
