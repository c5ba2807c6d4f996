"""Inputs of a wanted size, one shape each: every structure that a stream or a body can
have, many times over, long, or deep.

`SHAPES` maps a name to (kind, make): kind is "stream" or "body", and make(size) gives
about that many bytes. One conversation (or body) each, so that what is held for one
shows. They are made, not collected: the same size gives the same bytes.
"""

import base64
import json

TIME = "2026-09-01 10:00:00.0"
MODEL = {"assistant": {"model": {"id": "anthropic/claude-opus-4-6"}}}


def dump(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def stored(text):
    return base64.b64encode(text.encode()).decode()


def event(kind, **fields):
    return {"type": kind, "timestamp": TIME, **fields}


HEAD = [event("config_delta", delta=MODEL), event("turn_start")]


def repeated(*events, head=HEAD):
    """A stream that says `events` again and again; `#` in a string is a number."""
    unit = ",".join(dump(one) for one in events)

    def make(size):
        parts, length, count = [dump(one) for one in head], 0, 0
        while length < size:
            part = unit.replace("#", str(count))
            parts.append(part)
            length += len(part)
            count += 1
        return ("[" + ",\n".join(parts) + "]\n").encode()

    return make


ASK = event("chat_request", content="question #")
SAY = event("chat_response", message="answer #")
CALL = event("tool_call_request", id="c#", name="read", arguments={"path": stored("a/b#")})
RESULT = event("tool_call_response", id="c#", content=stored("line of output #\n" * 5),
               is_error=False)


def one(before, fill, after):
    """A stream of a few entries, one of which holds a value as long as the size."""

    def make(size):
        return ("[" + ",".join(dump(e) for e in HEAD) + "," + before + fill(size) + after
                + "]\n").encode()

    return make


def string(unit):
    return lambda size: dump(unit * (size // len(unit.encode()) + 1))


def base64_string(unit):
    return lambda size: dump(stored(unit * (size * 3 // 4 // len(unit) + 1)))


def call_with(arguments):
    return one('{"type":"chat_request","timestamp":"%s","content":"q"},{"type":'
               '"tool_call_request","timestamp":"%s","id":"c","name":"t","arguments":'
               % (TIME, TIME), arguments, '},{"type":"tool_call_response","timestamp":"%s",'
               '"id":"c","content":"b2s=","is_error":false}' % TIME)


def answer(fill):
    return one('{"type":"chat_request","timestamp":"%s","content":"q"},{"type":'
               '"chat_response","timestamp":"%s","message":' % (TIME, TIME), fill, "}")


def result(fill):
    return one('{"type":"chat_request","timestamp":"%s","content":"q"},{"type":'
               '"tool_call_request","timestamp":"%s","id":"c","name":"t","arguments":{}},'
               '{"type":"tool_call_response","timestamp":"%s","id":"c","is_error":false,'
               '"content":' % (TIME, TIME, TIME), fill, "}")


def deep(open_, close):
    return lambda size: open_ * (size // (len(open_) + len(close))) + "1" \
        + close * (size // (len(open_) + len(close)))


def listed(item):
    return lambda size: "[" + ",".join([item] * (size // (len(item) + 1))) + "]"


def keyed(size):
    count = size // 16
    return "{" + ",".join(f'"key{n:08}":1' for n in range(count)) + "}"


def paragraphs(size):
    text = ("Some *words* with `code`, a [link](https://example.org/a) and **more** of it, "
            "as answers have them, so that lines wrap.\n\n- one\n- two\n\n")
    return string(text)(size)


def fenced(size):
    return dump("```rust\n" + "fn main() { let x = \"text\"; } // note\n" * (size // 40)
                + "```\n")


def table(size):
    return dump("| a | b | c |\n|---|---|---|\n" + "| 1 | `2` | *3* |\n" * (size // 18))


def short_rows(size):
    columns = 200
    return dump("|a" * columns + "|\n" + "|-" * columns + "|\n" + "|x|\n" * (size // 5))


STREAMS = {
    "turns": repeated(event("turn_start"), ASK, SAY),
    "calls": repeated(event("turn_start"), ASK, CALL, RESULT, SAY),
    "parallel calls": repeated(CALL, RESULT, head=[*HEAD, ASK]),
    "thinking": repeated(event("turn_start"), ASK, event("chat_response", reasoning="think #",
                         metadata={"anthropic_thinking_signature": "c2ln#"}), SAY),
    "blocks": repeated(ASK, CALL, event("tool_call_response", id="c#", is_error=False, content=[
        {"type": "text", "text": "for both"},
        {"type": "text", "text": "for you", "annotations": {"audience": ["user"]}},
        {"type": "resource", "resource": {"uri": "file:///a", "text": "x"}}]), SAY),
    "deltas": repeated(event("config_delta", delta={"conversation": {"tools": {"t#": {
        "enable": True, "description": "d", "source": "local"}}}}), ASK, SAY),
    "sections": repeated(event("config_delta", delta={"assistant": {"system_prompt_sections": [
        {"tag": "s#", "content": "text of it"}]}}), ASK, SAY),
    "compactions": repeated(ASK, SAY, ASK, SAY, event("compaction", from_turn=0, to_turn=1,
                            summary={"policy": "replace", "summary": "sum #"})),
    "unknown": repeated(event("later_kind", anything={"of": ["any", "shape", "#"]}), ASK, SAY),
    "bad results": repeated(ASK, event("tool_call_response", id="none#", content="", is_error=False)),
    "long text": answer(paragraphs),
    "long base64": result(base64_string("plain text of a result\n")),
    "long escapes": answer(string("\"\\\u0001\u00e9\U0001f600")),
    "one line": answer(string("word")),
    "code": answer(fenced),
    "table": answer(table),
    "short rows": answer(short_rows),
    "emphasis": answer(string("*a _b ")),
    "open links": answer(string("[a](")),
    "brackets": answer(string("[[")),
    "quotes": answer(lambda size: dump("> " * 20 + "x\n") if size < 60 else
                     string("> > > > x\n")(size)),
    "list levels": answer(string("- a\n  - b\n    - c\n      - d\n")),
    "near rules": answer(string("- - - a\n")),
    "html": answer(string("<b>x</b><!-- ")),
    "entities": answer(string("&amp;&#27;&lt;")),
    "footnotes": answer(string("[^1]: a\n\n")),
    "deep arguments": call_with(deep('{"a":', "}")),
    "deep list": call_with(deep("[", "]")),
    "many arguments": call_with(keyed),
    "empty objects": call_with(listed("{}")),
    "numbers": call_with(listed("1.5e3")),
}


def body(part, fill, rest=""):
    def make(size):
        return ('{"model":"claude-opus-4-6","max_tokens":9' + rest + ',"' + part + '":'
                + fill(size) + "}\n").encode()

    return make


def many(*units):
    def fill(size):
        parts, length, count = [], 0, 0
        while length < size:
            part = ",".join(dump(u) for u in units).replace("#", str(count))
            parts.append(part)
            length += len(part)
            count += 1
        return "[" + ",".join(parts) + "]"

    return fill


def user(content):
    return {"role": "user", "content": content}


def assistant(content):
    return {"role": "assistant", "content": content}


def text_message(fill):
    return body("messages", lambda size: '[{"role":"user","content":' + fill(size) + "}]")


BODIES = {
    "messages": body("messages", many(user("question #"), assistant("answer #"))),
    "tool runs": body("messages", many(
        assistant([{"type": "tool_use", "id": "c#", "name": "t", "input": {"a": "#"}}]),
        user([{"type": "tool_result", "tool_use_id": "c#", "content": "out #"}]))),
    "empty messages": body("messages", listed("{}")),
    "empty blocks": body("messages", lambda size: '[{"role":"user","content":'
                         + listed("{}")(size) + "}]"),
    "tools": body("tools", many({"name": "t#", "description": "what it does", "input_schema": {
        "type": "object", "properties": {"a": {"type": "string"}}}}), ',"messages":[]'),
    "system blocks": body("system", many({"type": "text", "text": "part #"}), ',"messages":[]'),
    "marks": body("messages", many(user([{"type": "text", "text": "q #",
                  "cache_control": {"type": "ephemeral"}}]), assistant("a"))),
    "long text": text_message(string("plain words of a question, ")),
    "long escapes": text_message(string("\"\\\u0001\u00e9")),
    "deep input": body("messages", lambda size: '[{"role":"assistant","content":[{"type":'
                       '"tool_use","id":"c","name":"t","input":' + deep('{"a":', "}")(size)
                       + "}]}]"),
    "many keys": body("metadata", keyed, ',"messages":[]'),
    "picture": text_message(lambda size: dump([{"type": "image", "source": {"type": "base64",
               "media_type": "image/png", "data": stored("\x00" * (size * 3 // 4))}}])),
    "thinking": body("messages", many(user("q #"), assistant([
        {"type": "thinking", "thinking": "t #", "signature": "c2ln"},
        {"type": "text", "text": "a #"}]))),
}

SHAPES = {**{name: ("stream", make) for name, make in STREAMS.items()},
          **{"body: " + name: ("body", make) for name, make in BODIES.items()}}
