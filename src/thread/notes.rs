//! What is told while a thread is made of a stream.

use crate::finding::family;

const MENDS: &str = "docs/bodies.md#mends";
const POINTS: &str = "docs/bodies.md#request-points";
const TOOLS: &str = "docs/formats.md#tool-definitions";

family! { "threads";
    CALL_INTERRUPTED: Warning "call-interrupted", MENDS;
    "a call was still open at a later request";
    "every provider refuses an open call: the bodies answer it with `Tool call was interrupted.`";
    "nothing, if it was interrupted";

    CALL_ID_CHANGED: Note "call-id-changed", MENDS;
    "a call, and its result, are sent under another id";
    "the stored one is empty, too long, used twice or has characters that the provider refuses";
    "nothing needs to be done";

    CHARACTER_REPLACED: Warning "character-replaced", MENDS;
    "half of a surrogate pair is sent as U+FFFD";
    "it is no character: strict readers refuse the whole body. Mostly a text was cut inside an emoji";
    "cut texts between characters";

    RESULT_LEFT_OUT: Warning "result-left-out", MENDS;
    "a result answers no open call";
    "every provider refuses it";
    "look whether its call was lost, or answered twice";

    RESOURCES_LEFT_OUT: Warning "resources-left-out", "docs/bodies.md#request-points";
    "resources of a stored request are not sent";
    "no body has a place for them";
    "give them as attachments with --inputs";

    BEFORE_FIRST_REQUEST: Warning "before-first-request", POINTS;
    "events stand before the first message of the user";
    "no request could begin with them";
    "nothing, if the stream was cut at its front";

    REASONING_LEFT_OUT: Note "reasoning-left-out", "docs/bodies.md#reasoning";
    "reasoning of another provider or model is left out";
    "only the one who signed it can read it";
    "nothing needs to be done";

    TOOLS_MISSING: Warning "tools-missing", TOOLS;
    "the stream does not hold the definitions of some tools";
    "tools of MCP servers are defined by the servers alone";
    "give them with --catalogue, or in `tools` with --inputs";

    TOOL_UNRESOLVABLE: Warning "tool-unresolvable", TOOLS;
    "a tool's `source` is missing or unknown";
    "nothing says what defines it, so it is left out";
    "correct the `source`";

    TOOL_CHOICE: Warning "tool-choice", MENDS;
    "the forced tool is not among those sent";
    "a provider refuses a choice that it cannot make";
    "name a tool that is enabled there";

    TOOL_NAME: Warning "tool-name", MENDS;
    "a tool's name is one the provider refuses";
    "a rename would change the history, so the tool is left out";
    "rename the tool where it is defined";

    INPUTS_SHAPE: Error "inputs-shape", "docs/formats.md#bundle";
    "a part of the inputs is of another type";
    "they say what the stream does not hold";
    "compare it with `inputs` in `convo schema bundle`";
}
