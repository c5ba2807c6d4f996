//! Rules on messages: pairs, texts, thinking, images.

use super::page::{CALLS, ERRORS, MESSAGES, THINKING, TOOLS, VISION};
use crate::finding::family;

family! { "messages";
    TOOL_USE_UNANSWERED: Error "tool-use-unanswered", CALLS;
    "a call has no result in the next message";
    "every `tool_use` must be answered right behind its message";
    "add a `tool_result` for it, with `\"is_error\":true` if it was interrupted";

    TOOL_RESULT_ORPHAN: Error "tool-result-orphan", CALLS;
    "a result answers no open call of the assistant turn before it";
    "every result needs its call in the previous message, once";
    "leave the result out, or put its call back";

    TOOL_RESULT_NOT_FIRST: Error "tool-result-not-first", CALLS;
    "something stands before a result in its user turn";
    "results come first, text behind them";
    "move the results to the front";

    TOOL_USE_ID_DUPLICATE: Error "tool-use-id-duplicate", CALLS;
    "two calls have one id";
    "ids are unique over the whole request";
    "rename the later call, and the result that answers it";

    TOOL_USE_ID_PATTERN: Error "tool-use-id-pattern", TOOLS;
    "the id of a call has characters the API refuses";
    "ids are letters, digits, `_` and `-`; those of server tools begin with `srvtoolu_`";
    "replace the other characters by `_`, in the result too";

    SERVER_TOOL_RESULT_SENT: Error "server-tool-result-sent", CALLS;
    "a `tool_result` answers the call of a server tool";
    "the server answers its own calls";
    "leave the result out";

    TOOL_USE_UNDECLARED: Warning "tool-use-undeclared", TOOLS;
    "the history calls a tool that is declared nowhere";
    "the model sees calls of a tool it knows nothing of; with deferred tools it was refused";
    "keep the tool in `tools`";

    TEXT_EMPTY: Error "text-empty", MESSAGES;
    "a text block is empty";
    "the API refuses empty text blocks";
    "leave the block out";

    TEXT_WHITESPACE: Error "text-whitespace", MESSAGES;
    "a text is nothing but white space";
    "the API refuses texts without a visible character";
    "leave the block out";

    CONTENT_EMPTY: Error "content-empty", MESSAGES;
    "a message is empty";
    "only a final assistant message may be";
    "leave the message out";

    MESSAGES_EMPTY: Error "messages-empty", MESSAGES;
    "there is no message";
    "a request needs at least one";
    "add a user message";

    PREFILL_UNSUPPORTED: Error "prefill-unsupported", ERRORS;
    "the last message is the assistant's, where it may not be";
    "models since 4.6, and thinking, do not go on from given words";
    "end with a user message";

    PREFILL_TRAILING_SPACE: Error "prefill-trailing-space", MESSAGES;
    "the final assistant text ends in white space";
    "the API refuses it in last position; anywhere else it is legal and must stay";
    "trim the end of the last text";

    THINKING_SIGNATURE_MISSING: Error "thinking-signature-missing", THINKING;
    "a thinking block has no signature";
    "a block without its signature cannot be checked, and is refused";
    "send the block as it came, or leave it out";

    THINKING_FIRST: Error "thinking-first", THINKING;
    "with thinking of type `enabled`, the last assistant turn that calls tools does not open with a thinking block";
    "the API wants the thinking that led to the calls";
    "send the turn with its thinking, or switch thinking off for this request";

    SERVER_TOOL_PENDING: Error "server-tool-pending", CALLS;
    "a user turn holds more than results while a server tool is still at work";
    "behind a turn with an unfinished `server_tool_use` the user may only answer calls";
    "send the results alone, and the text in a later message";

    BLOCK_ROLE: Error "block-role", MESSAGES;
    "a block stands in a message of a role that cannot carry it";
    "calls and thinking are the assistant's, results the user's";
    "move the block to a message of the right role";

    IMAGE_COUNT: Error "image-count", VISION;
    "there are more images than the model takes";
    "images inside results and documents count too";
    "leave out the oldest images";
}
