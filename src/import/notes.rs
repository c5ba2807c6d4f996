//! What is told of transcripts and captured bodies that are imported.

use crate::finding::family;

const FORMATS: &str = "docs/formats.md#other-formats";
const SESSION: &str = "docs/formats.md#what-becomes-of-a-session";
const BESIDE: &str = "docs/formats.md#what-stands-beside-the-events";
const BACK: &str = "docs/formats.md#there-and-back";

family! { "imports";
    BROKEN_LINE: Warning "broken-line", FORMATS;
    "a line of the transcript is no JSON object";
    "it is left out; the lines around it stand";
    "look at the line at the byte told";

    CUT_LINE: Note "cut-line", FORMATS;
    "the last line of the transcript is cut short";
    "the program was still writing, or was ended";
    "nothing, if the session goes on";

    DUPLICATE_LINE: Note "duplicate-line", SESSION;
    "a line repeats an earlier one";
    "some versions write lines again when a session is resumed";
    "nothing needs to be done";

    DUPLICATE_UUID: Warning "duplicate-uuid", SESSION;
    "two lines have one uuid and say different things";
    "lines refer to each other by it: the later one is kept aside";
    "look which of the two was meant";

    MISSING_PARENT: Note "missing-parent", SESSION;
    "a line's parent is not in the file";
    "the conversation is taken to begin there";
    "give the file that the session was resumed from";

    PARENT_CYCLE: Warning "parent-cycle", SESSION;
    "the parents of a line lead back to it";
    "there is no first line: the circle is cut there";
    "look at the lines it names";

    LINEAR: Note "linear", SESSION;
    "the lines do not name each other";
    "they are taken in the order of the file";
    "nothing needs to be done";

    OFF_PATH: Note "off-path", SESSION;
    "messages stand off the path that was gone on with";
    "they were rewound, replaced or answered twice";
    "--branch chooses another path, where the format has any";

    BRANCH_UNKNOWN: Error "branch-unknown", SESSION;
    "no line of the session has the name asked for";
    "a path is named by its last line";
    "name one of those that the message lists";

    SIDECHAINS: Note "sidechains", SESSION;
    "the session started subagents";
    "each is a conversation of its own";
    "--sidechains says what becomes of them";

    SIDECHAIN_UNLINKED: Note "sidechain-unlinked", SESSION;
    "nothing says which call started the subagent";
    "it stands alone";
    "nothing needs to be done";

    COMPACTION_UNREADABLE: Warning "compaction-unreadable", SESSION;
    "the summary of a compaction cannot be read";
    "what the model knew behind it is not known";
    "nothing can be done: it is encrypted or lost";

    MICROCOMPACTED: Note "microcompacted", SESSION;
    "old results were cleared for the model";
    "which ones the file does not tell: bodies hold more than the model saw";
    "nothing can be done";

    ATTACHMENTS_UNSENT: Note "attachments-unsent", SESSION;
    "the text that the model got for attachments is not in the file";
    "bodies lack it";
    "give what is known with --system";

    RESULTS_REPLACED: Note "results-replaced", SESSION;
    "results were replaced for the model";
    "they stand here as they came";
    "nothing can be done";

    REPLACED_HISTORY: Note "replaced-history", SESSION;
    "what the model saw behind a compaction is rebuilt, not recorded";
    "it may differ in its words";
    "nothing can be done";

    HISTORY_ELSEWHERE: Warning "history-elsewhere", BACK;
    "the body goes on from history that the provider keeps";
    "it is not in the body";
    "record the requests before it too";

    MORE_CHOICES: Note "more-choices", BACK;
    "the answer has further choices";
    "a conversation goes on from one";
    "nothing needs to be done";

    ODD_BLOCK: Warning "odd-block", BACK;
    "a block is of a kind that no entry has";
    "it is kept aside, under `_foreign`";
    "nothing needs to be done";

    ODD_LINE: Warning "odd-line", BACK;
    "a line or message cannot be read as one";
    "it is left out";
    "look at it at the byte told";

    ODD_MESSAGE: Note "odd-message", BACK;
    "a message makes no event";
    "it holds nothing that an entry could";
    "nothing needs to be done";

    PROVIDER_TOOLS: Note "provider-tools", BESIDE;
    "tools that the provider runs are kept aside";
    "the configuration has no place for them";
    "nothing needs to be done";

    SCHEMA_SIMPLIFIED: Note "schema-simplified", BESIDE;
    "tool schemas stand in a simpler form";
    "the configuration cannot say them whole; beside it they stand as they came";
    "nothing needs to be done";

    UNKNOWN: Note "unknown", BESIDE;
    "the source does not tell all that a request holds";
    "what is missing is taken as absent";
    "--system and --tools take it from a captured body";

    BEDROCK_CONVERSE: Error "bedrock-converse", FORMATS;
    "the body is one of Bedrock's Converse API";
    "conversations are not made of it; `convo lint` judges it";
    "give a body of InvokeModel, with `anthropic_version`";

    EMPTY_SESSION: Error "empty-session", FORMATS;
    "the transcript or recording holds no message";
    "there is no conversation in it";
    "give the file that holds the messages";

    MIXED_INPUT: Error "mixed-input", FORMATS;
    "one input holds two formats";
    "each is read by its own rules";
    "give the others as inputs of their own";

    NO_CONVERSATION: Error "no-conversation", FORMATS;
    "the value holds a text, not a list of messages";
    "there is no conversation in it";
    "a dataset is read when it has `messages` or `conversations`";
}
