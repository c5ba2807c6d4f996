//! Rules for the other providers: pairs, order, reasoning.

use crate::finding::family;

const OPENAI: &str = "https://developers.openai.com/api/docs/guides/reasoning";
const GEMINI: &str = "https://ai.google.dev/gemini-api/docs/thought-signatures";
const CALLING: &str = "https://ai.google.dev/gemini-api/docs/function-calling";
const CHAT: &str = "https://developers.openai.com/api/docs/guides/function-calling";
const OLLAMA: &str = "https://github.com/ollama/ollama/issues/17774";

family! { "other";
    CALL_UNANSWERED: Error "call-unanswered", CHAT;
    "a call has no result where the provider wants it";
    "a history with an open call is refused, or misread";
    "add a result that says the call was interrupted";

    RESULT_ORPHAN: Error "result-orphan", CHAT;
    "a result answers no call before it";
    "a result without its call is refused, or misread";
    "leave the result out, or put its call back";

    CALL_ID_DUPLICATE: Warning "call-id-duplicate", CHAT;
    "two calls have one id";
    "the results cannot be told apart";
    "rename the later call, and the result that answers it";

    ARGUMENTS_TYPE: Error "arguments-type", CHAT;
    "the arguments of a call are of the wrong kind";
    "chat completions and Responses want a string that holds JSON, Ollama and Gemini an object";
    "write them in the other form";

    ROLE_UNKNOWN: Error "role-unknown", CHAT;
    "a message has a role the provider does not take";
    "Gemini knows `user` and `model`; the others `system`, `user`, `assistant` and `tool`, some `developer`";
    "use the provider's own field or role for it";

    SYSTEM_LATE: Warning "system-late", OLLAMA;
    "a system message stands behind other messages";
    "the model's template decides what becomes of it: some refuse it, some use one only";
    "put all system text at the head";

    CHOICE_OBJECT: Warning "choice-object", CHAT;
    "`tool_choice` is an object";
    "llama.cpp is reported to read an object as `auto`";
    "offer that tool alone and say `required`";

    REASONING_DETACHED: Error "reasoning-detached", OPENAI;
    "a reasoning item is not followed by the item it led to";
    "reasoning must stay with its neighbour: the API refuses it alone";
    "send the item that followed it, or leave the reasoning out";

    REASONING_MISSING: Warning "reasoning-missing", OPENAI;
    "an item with a server-side id is sent without the reasoning that led to it";
    "if the model reasoned before it, the API refuses the item";
    "leave the item's `id` out, or send the reasoning item before it";

    REASONING_NOT_STORED: Warning "reasoning-not-stored", OPENAI;
    "a reasoning item has no `encrypted_content` while `store` is false";
    "nothing was kept that its id could lead to";
    "ask for it with `\"include\":[\"reasoning.encrypted_content\"]` and replay it";

    THOUGHT_SIGNATURE: Error "thought-signature", GEMINI;
    "the first call of a step in the current turn has no `thoughtSignature`";
    "Gemini 3 and later refuse such a call, at every thinking level";
    "send the signature the call came with, or the documented value that skips the check";

    CONTENTS_ORDER: Error "contents-order", CALLING;
    "a turn with calls does not follow a user turn or results";
    "Gemini refuses a history that opens with the model's call, or has two in a row";
    "open with a user turn";
}
