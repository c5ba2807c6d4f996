//! The faults of a user view by name: a schema can only say that no shape fits.

use crate::block::{Block, BlockKind, Role};
use crate::json::{Kind, Raw, pointer};

/// Names what makes `at` no part of a user view; false where that is something else,
/// and the schema's own words must do.
pub(super) fn faults(
    at: Raw<'_>,
    path: &str,
    put: &mut impl FnMut(Raw<'_>, &str, String),
) -> bool {
    let key = path.rsplit('/').next().unwrap_or_default();
    if key == "content" && at.kind() == Kind::Array {
        return blocks(at, path, put);
    }
    let reasons = at
        .get("reasoning")
        .is_some_and(|r| r.kind() == Kind::String);
    if at.kind() == Kind::Object && reasons && at.get("message").is_none() {
        let message = "the entry is reasoning, which no user view has";
        put(at, path, message.to_owned());
        return true;
    }
    if key == "type" && path.matches('/').count() == 1 {
        let name = at.as_str().unwrap_or_default();
        let message = format!(
            "an entry of type {} is in no user view; it has turn_start, chat_request, \
             chat_response and tool_call_response",
            crate::term::quoted(&name)
        );
        put(at, path, message);
        return true;
    }
    false
}

/// The blocks of a result that are not for the user.
fn blocks(
    content: Raw<'_>,
    path: &str,
    put: &mut impl FnMut(Raw<'_>, &str, String),
) -> bool {
    let mut any = false;
    let mut count = 0;
    for (index, raw) in content.as_array().into_iter().flatten().enumerate() {
        count += 1;
        let block = Block::read(raw);
        let message = if block.kind == BlockKind::Question {
            "a question is in no user view"
        } else if !block.addressed_to(Role::User) {
            "the block is not for the user: its audience does not name `user`"
        } else {
            continue;
        };
        let mut at = path.to_owned();
        pointer::push_index(&mut at, index);
        put(raw, &at, message.to_owned());
        any = true;
    }
    if count == 0 {
        let message = "no block is left: a result that says nothing to the user is in \
                       no user view";
        put(content, path, message.to_owned());
    }
    any || count == 0
}
