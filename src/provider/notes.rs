//! What is told while bodies are written: what is mended, left out, and what it costs.

use crate::finding::family;

const MENDS: &str = "docs/bodies.md#mends";
const REASONING: &str = "docs/bodies.md#reasoning";
const PARAMETERS: &str = "docs/bodies.md#parameters";
const SCHEMAS: &str = "docs/bodies.md#schemas";
const GATES: &str = "docs/directives.md#gates";
const LAW: &str = "docs/directives.md#the-law";
const POINTS: &str = "docs/bodies.md#request-points";
const MODELS: &str = "docs/commands.md#models";

family! { "bodies";
    NO_MODEL: Error "no-model", MODELS;
    "no model is named";
    "neither the configuration nor an option says for which model the body is to be";
    "name it with --model PROVIDER/NAME";

    NO_PROVIDER: Error "no-provider", MODELS;
    "nothing says which provider the body is for";
    "each has its own body";
    "name it with --provider, or write the model as PROVIDER/NAME";

    UNKNOWN_PROVIDER: Error "unknown-provider", MODELS;
    "the configuration names a provider that no body is known of";
    "each has its own body";
    "choose a known one with --provider";

    NO_REQUEST: Error "no-request", POINTS;
    "the stream holds no place where a request was sent";
    "without a message of the user there is no request";
    "--requests end takes the whole stream";

    NO_SUCH_REQUEST: Error "no-such-request", POINTS;
    "the stream has fewer requests than the number asked for";
    "requests are counted from 1";
    "ask for one of those there are";

    ENDS_WITH_ASSISTANT: Note "ends-with-assistant", POINTS;
    "the body ends with the assistant";
    "most models refuse to go on from there";
    "add a message of the user before it is sent";

    ATTACHMENTS_MISSING: Note "attachments-missing", POINTS;
    "the configuration names attachments whose content the stream does not hold";
    "the bodies lack them";
    "give them with --inputs";

    ATTACHMENT_LEFT_OUT: Warning "attachment-left-out", MENDS;
    "an attachment is of a kind the provider does not take";
    "the request would be refused";
    "give it as text or as a picture";

    BLOCK_AS_LINE: Note "block-as-line", MENDS;
    "a picture or file of a result is sent as a line with its kind and size";
    "the provider's results are text, or do not take it";
    "give it as an attachment, if the model must see it";

    ERROR_IN_TEXT: Note "error-in-text", MENDS;
    "that a call failed is said in the text of its result";
    "the provider's results have no field for it";
    "nothing needs to be done";

    FORCED_CHOICE: Note "forced-choice", PARAMETERS;
    "a forced tool became a request in words";
    "the model does not take a forced choice beside its reasoning";
    "nothing needs to be done";

    GATE_CLOSED: Note "gate-closed", GATES;
    "what keeps the prefix is not open to this model, platform or set of betas";
    "the change is flattened, and costs the prefix";
    "the message names the beta or model that opens it";

    NOT_MESSAGES: Warning "not-messages", GATES;
    "the request is for a provider that takes no changes in place";
    "changes are flattened there, and cost the prefix";
    "name a model of Claude, or use `flatten`";

    BETA_PLATFORM: Warning "beta-platform", GATES;
    "a beta is left out that the platform does not have";
    "a platform refuses names it does not know";
    "send the request elsewhere, or do without it";

    TOOL_MODE: Error "tool-mode", GATES;
    "the mode of tool changes is not offered there";
    "`inline` needs the Claude API and its beta";
    "take `--tool-mode deferred`";

    HEAD_CHANGED: Warning "head-changed", LAW;
    "the front of the body changed since the request before";
    "all that was cached behind it is processed once more";
    "keep system prompt and tools as they were in one conversation";

    FIRST_TOOL: Warning "first-tool", LAW;
    "the first tool of the conversation appears";
    "`tools` is empty before and not behind: the prefix is lost once";
    "enable a tool from the first request on";

    MESSAGES_COST: Note "messages-cost", LAW;
    "a parameter changed that costs the cached messages";
    "it reaches the prompt in front of them";
    "keep it as it was, or pass --effort-messages where the model takes that";

    PREFIX_KEPT: Note "prefix-kept", LAW;
    "how much of the body is the prefix that the request before left";
    "it is what a cache can read";
    "nothing needs to be done";

    PROMPT_PLACED: Note "prompt-placed", "docs/directives.md#effort-and-personas";
    "another system prompt is said in place";
    "at the head it would cost the cached prefix";
    "nothing needs to be done";

    DELTA_SHAPE: Error "delta-shape", "docs/directives.md#preview";
    "the planned change is no configuration";
    "what it would cost cannot be told";
    "give a partial configuration as a JSON object, or a stored config_delta";

    NO_CHANGE: Note "no-change", "docs/directives.md#preview";
    "the conversation holds no change of its configuration";
    "there is nothing to preview";
    "judge a planned one with --delta";

    PREFIX_SWITCHED: Note "prefix-switched", LAW;
    "another model or platform answers from here on";
    "nothing cached before is read";
    "nothing, if the change was meant";

    NO_CACHE_KEY: Note "no-cache-key", PARAMETERS;
    "`prompt_cache_key` is left out";
    "it is made from when the conversation began, which nothing says";
    "give `created_at` with --inputs";

    PARAMETER_LEFT_OUT: Warning "parameter-left-out", PARAMETERS;
    "a parameter does not reach the body";
    "the provider does not know it, or no beta opens it";
    "take it out of the configuration, or name a provider that knows it";

    SAMPLING_LEFT_OUT: Warning "sampling-left-out", PARAMETERS;
    "sampling parameters are left out";
    "the model refuses them beside its reasoning";
    "nothing needs to be done";

    EFFORT_CHANGED: Warning "effort-changed", PARAMETERS;
    "the effort became another one";
    "the model does not take the one asked for";
    "ask for one it takes";

    THINKING_OFF: Warning "thinking-off", REASONING;
    "thinking is sent as disabled";
    "with a budget the API asks for what the body does not have: signed thinking, or room for it";
    "raise the limit of tokens, or start a new turn";

    REASONING_AS_TEXT: Warning "reasoning-as-text", REASONING;
    "reasoning is sent as text";
    "it is no item of this vendor's, or lacks what proves it";
    "nothing needs to be done";

    REASONING_UNSIGNED: Note "reasoning-unsigned", REASONING;
    "reasoning without a signature is sent as it is";
    "the provider takes it, and cannot check it";
    "nothing needs to be done";

    CALL_UNSIGNED: Warning "call-unsigned", REASONING;
    "a call has no thought signature";
    "the model refuses it without one: the documented stand-in is sent";
    "nothing needs to be done";

    RESULTS_REORDERED: Note "results-reordered", MENDS;
    "results are sent in the order of their calls";
    "the provider knows them by nothing else";
    "nothing needs to be done";

    KEEP_ALIVE: Warning "keep-alive", PARAMETERS;
    "`keep_alive` is left out";
    "the server takes a number with s, m or h";
    "write one";

    TOOL_NOT_STRICT: Note "tool-not-strict", SCHEMAS;
    "a tool is sent without `strict`";
    "a parameter leaves open what it holds, which strict mode refuses";
    "say in the schema what it holds";

    SCHEMA_NOT_STRICT: Warning "schema-not-strict", SCHEMAS;
    "the schema of a structured answer is sent without `strict`";
    "a reference in it leads nowhere, or to itself";
    "mend the reference";

    SCHEMA_REFERENCE: Error "schema-reference", SCHEMAS;
    "a reference in a structured answer's schema leads nowhere, or to itself";
    "the provider takes no references, and this one cannot be written out";
    "mend the schema";

    SCHEMA_ROOT: Error "schema-root", SCHEMAS;
    "a structured answer's schema is no object";
    "the provider takes no other root";
    "wrap it in an object";
}
