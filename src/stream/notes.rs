//! What is told of inputs and stored streams.

use crate::finding::family;

const FORMS: &str = "docs/formats.md#forms";
const ENTRIES: &str = "docs/formats.md#entries";

family! { "streams";
    MISSING_CONTENT: Warning "missing-content", ENTRIES;
    "a result has no content";
    "it is read as an empty one";
    "add `content`, if only as `[]`";

    ENTRY_SHAPE: Error "entry-shape", ENTRIES;
    "an entry of a known kind has another shape";
    "what it means is not known";
    "mend the entry, or carry it as unknown with --lenient";

    MORE_WARNINGS: Warning "more-warnings", ENTRIES;
    "more entries are of a bad shape or lack content than are told one by one";
    "one kind of fault in many entries is one fault";
    "`convo validate` tells them all";

    NOT_A_CONVERSATION: Error "not-a-conversation", FORMS;
    "a value is no conversation";
    "an array of entries, an envelope or a bundle is expected";
    "give the stored stream, or import what another tool wrote";

    BUNDLE_SHAPE: Error "bundle-shape", "docs/formats.md#bundle";
    "a part of a bundle is of another type";
    "a bundle holds all that one conversation needs";
    "compare it with `convo schema bundle`";

    ERROR_ENVELOPE: Error "error-envelope", "docs/formats.md#plugin-protocol";
    "the envelope tells an error, and holds no entries";
    "what was asked for could not be read";
    "see what it says, and ask again";

    USER_VIEW_STREAM: Error "user-view", "docs/formats.md#user-view";
    "the input is a user view, not a stream";
    "a view leaves out what the model was told: no request can be made of it";
    "give the stored stream itself";

    FOREIGN_FORMAT: Error "foreign-format", "docs/formats.md#other-formats";
    "the input seems to be written by another program";
    "it is no stored stream";
    "`convo import` reads transcripts and captured bodies of many tools";

    FOREIGN_LOG_LINE: Error "foreign-log", "docs/formats.md#other-formats";
    "the input is the log of another program";
    "its lines are no stored entries";
    "`convo import` reads transcripts and captured bodies of many tools";
}
