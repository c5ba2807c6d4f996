//! What the commands themselves tell: of options, files, and what they did.
//!
//! Their texts stand here because nothing below the commands knows of them, and the
//! registry must not depend on the commands.

use crate::finding::family;

const INPUTS: &str = "docs/commands.md#inputs";
const STATUS: &str = "docs/commands.md#exit-status";
const MODELS: &str = "docs/commands.md#models";
const DISK: &str = "docs/formats.md#on-disk";
const FORMS: &str = "docs/formats.md#forms";
const FORMATS: &str = "docs/formats.md#other-formats";
const SECRETS: &str = "docs/redact.md";

family! { "commands";
    USAGE: Error "usage", STATUS;
    "the command line asks for what does not go together";
    "nothing was done";
    "see `--help`";

    UNREADABLE: Error "unreadable", INPUTS;
    "a file cannot be read";
    "there is nothing to work on";
    "correct its name or its permissions";

    OUTPUT: Error "output", STATUS;
    "the result cannot be written";
    "what was written may be cut short";
    "make room, or write elsewhere";

    BROKEN_PIPE: Error "broken-pipe", STATUS;
    "the reader of the result went away";
    "there is nobody to write for";
    "nothing needs to be done";

    REPORT: Error "report", STATUS;
    "the file for the report cannot be written";
    "what the import left out would go untold";
    "name another file";

    TALLY: Note "tally", STATUS;
    "how many conversations were read and refused";
    "-v asks for it";
    "nothing needs to be done";

    NO_WORKSPACE: Error "no-workspace", DISK;
    "the directory is no workspace";
    "a workspace has its conversations below `.jp/conversations`";
    "name the directory that holds `.jp`";

    BASE_CONFIG: Error "base-config", INPUTS;
    "a base configuration was found, or cannot be read";
    "a stream's deltas are laid over it";
    "--no-base leaves it out, --base-config names another";

    NO_EVENTS: Error "no-events", DISK;
    "the directory has no `events.json`";
    "it is no conversation";
    "name a conversation directory";

    NOT_STORED: Error "not-stored", DISK;
    "`events.json` is no array of entries";
    "nothing stores it so";
    "give the file itself as an input";

    NO_CONVERSATIONS: Note "no-conversations", DISK;
    "a workspace holds no conversation";
    "there is nothing to bundle in it";
    "nothing needs to be done";

    BARE_ENTRY: Error "bare-entry", FORMS;
    "a bare entry stands among conversations";
    "an input is either all bare entries or all conversations";
    "separate them";

    STORED_STREAM: Error "stored-stream", FORMATS;
    "the input is a stored conversation already";
    "it needs no import";
    "`convo bundle` makes one line of a directory";

    LEFT_OUT: Note "left-out", FORMATS;
    "some conversations or files of the directory are not listed";
    "they are subagents of others, or nothing that can be read";
    "--subagents lists those of a session";

    SALVAGE: Error "salvage", "docs/formats.md#salvage";
    "what can be read cannot be written there";
    "no stored file is ever changed, and conversations are written in order";
    "name a file that is not there, and leave --jobs out";

    READ_AS: Note "read-as", FORMATS;
    "the input was read as another program's transcript";
    "conversations were made from it on the way";
    "`convo import` has options for it";

    SKIPPED: Note "skipped", FORMATS;
    "a file of the directory was passed over";
    "it is none that can be read as a conversation";
    "nothing, if it is something else";

    TOOLS_FILE: Error "tools", FORMATS;
    "the file of tools holds none";
    "it is to be an array of definitions, or a body with `tools`";
    "give a captured body";

    MODEL_DETAILS: Error "model-details", MODELS;
    "a file of model details says what is no fact, or in another type";
    "a fact that is not read would be believed to hold";
    "compare it with `convo models --format json`";

    NO_TURN: Warning "no-turn", "docs/render.md#turns";
    "the turns asked for are not there";
    "the result is empty";
    "ask for fewer, or others";

    NO_KNOWN_ENTRY: Warning "no-known-entry", "docs/formats.md#entries";
    "no entry of the input is of a known kind";
    "it may be no stored conversation at all";
    "look whether the right file was given";

    ARGUMENTS: Error "arguments", "docs/views.md#tell-user";
    "the tool's arguments hold no message";
    "there is nothing to tell the user";
    "give `{\"message\": \"...\"}`";

    PAGER: Error "pager", "docs/render.md#pager";
    "the pager cannot be started";
    "the output was to go through it";
    "--paging never does without one";

    UNKNOWN_COMMAND: Error "unknown-command", STATUS;
    "there is no command of that name";
    "no page can be written for it";
    "take one of those listed";

    MENDED: Note "mended", "docs/lint.md#mending";
    "a body was mended";
    "the mend loses no meaning";
    "nothing needs to be done";

    NO_PAIR: Error "no-pair", "docs/prefix.md#why-did-the-cache-miss";
    "there are not two requests to compare";
    "a prefix holds between one request and the next";
    "give two files, or one body a line";

    SEVERAL: Error "several", "docs/prefix.md#why-did-the-cache-miss";
    "one of the two files holds several requests";
    "it does not say which to compare";
    "give the file alone: its requests are compared in turn";

    MULTIPART: Error "multipart", "docs/capture.md#recording-requests";
    "the recorded request is a form of several parts";
    "the body is one of them";
    "take the part that holds the body out of it";

    SECRET: Error "secret", SECRETS;
    "a secret stands in a string";
    "who gets the file gets the secret";
    "mask it: `convo redact`; leave what is none with --allow";

    REDACTED: Note "redacted", SECRETS;
    "a secret was masked";
    "what is shared should not hold it";
    "leave what is none with --allow";

    SECRET_COUNT: Note "secrets", SECRETS;
    "how many secrets were found, by rule";
    "no rule knows a secret without a form of its own";
    "look at what is shared before it is";

    SECRET_RULES: Error "secret-rules", SECRETS;
    "the rules for secrets cannot be used";
    "a rule that is not understood finds nothing";
    "correct the file given with --rules, or the expression of --allow";

    DIRECTORY: Error "directory", SECRETS;
    "a directory is given where one file comes out";
    "its files would run into each other";
    "give a file, or look through it with --check";
}
