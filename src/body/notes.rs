//! Why an input is no request body.

use crate::finding::family;

const SHAPES: &str = "docs/lint.md#bodies-of-several-shapes";
const CAPTURE: &str = "docs/capture.md#recording-requests";

family! { "requests";
    NOT_A_BODY: Error "not-a-body", SHAPES;
    "a value is no request body";
    "a body has `messages`, `input` or `contents`";
    "give what was sent, bare or with its headers";

    OTHER_PROVIDER: Error "other-provider", SHAPES;
    "the body is for another provider than said";
    "each has its own rules";
    "leave --provider out, or correct it";

    BATCH: Error "batch", SHAPES;
    "the value is a batch of requests";
    "one body at a time is judged";
    "take the requests out of it, one a line";

    TRANSCRIPT: Error "transcript", SHAPES;
    "the value is a stored conversation";
    "requests are made from one, it is none";
    "make bodies of it first: `convo flatten`";

    RESPONSE: Error "response", SHAPES;
    "the value is what an API answered";
    "requests alone are judged";
    "give the request";

    EMPTY_INPUT: Error "empty-input", CAPTURE;
    "the input is empty";
    "there is nothing in it to work on";
    "give what was sent or stored";

    NOT_JSON: Error "not-json", CAPTURE;
    "the input is something else than JSON, or packed";
    "conversations and requests are read as JSON, JSON Lines or HAR";
    "unpack it, or name the file meant";

    JSON_SYNTAX: Error "json-syntax", "https://www.rfc-editor.org/rfc/rfc8259";
    "the bytes are not JSON";
    "nothing behind them can be read as it was meant";
    "mend them at the byte told; a record cut short lacks its end";

    CUT_SHORT: Error "cut-short", CAPTURE;
    "a record ends before its value does";
    "the recording was broken off, or shortened by a log";
    "record the whole body";
}
