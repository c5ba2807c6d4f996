"""Conversations and requests to look at in a browser, made up."""

import json
import pathlib
import sys

HOSTILE = [
    "<script>window.ran = 1</script>", "</script><script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 1'>", "\"><svg onload=\"window.ran = 1\">",
    "[the](javascript:window.ran=1)", "</style><script>window.ran = 1</script>",
    "![x](https://example.com/x.png)", "<iframe srcdoc='<script>parent.ran = 1</script>'></iframe>",
    "' onmouseover='window.ran = 1' x='", "<details open ontoggle='window.ran = 1'>",
    "<math><mtext><script>window.ran = 1</script></mtext></math>",
]
STAMP = "2026-03-01T09:%02d:%02dZ"
MODEL = {"assistant": {"model": {"id": {"provider": "anthropic", "name": "claude-opus-5"}}}}
CODE = "fn double(numbers: &[u32]) -> Vec<u32> {\n    // One pass is enough.\n    numbers.iter().map(|n| n * 2).collect()\n}"


def bundle(events, **more):
    return {"id": "17723556000", "base_config": MODEL, "encoding": "plain", "events": events, **more}


def conversation():
    events = []

    def add(**event):
        events.append({**event, "timestamp": STAMP % (len(events) // 60 % 60, len(events) % 60)})

    tasks = ["Make the parser twice as fast, please.", "Now the tests: which of them are slow?", "Write the note for the change log."]
    for turn, task in enumerate(tasks):
        add(type="turn_start")
        add(type="chat_request", content=task, event_id=f"ask-{turn}")
        add(type="chat_response", reasoning="The loop over the numbers allocates. A map would not.")
        add(type="tool_call_request", id=f"call-{turn}", name="run", arguments={"command": "cargo test", "timeout": 60})
        add(type="tool_call_response", id=f"call-{turn}", is_error=turn == 1, content=[
            {"type": "text", "text": "running the tests\n" + "test parser::numbers ... ok\n" * 40, "annotations": {"audience": ["assistant"]}},
            {"type": "text", "text": "40 tests passed.", "annotations": {"audience": ["user"]}}])
        add(type="chat_response", message=f"Done: the numbers are doubled in **one pass**.\n\n```rust\n{CODE}\n```\n\n| what | before | after |\n|---|---|---|\n| time | 8 s | 4 s |\n")
    return bundle(events, metadata={"title": "A faster parser"})


def hostile():
    events = []
    for text in HOSTILE:
        events += [{"type": "turn_start"}, {"type": "chat_request", "content": "the " + text, "author": text},
                   {"type": "chat_response", "message": text}, {"type": "chat_response", "reasoning": text},
                   {"type": "tool_call_request", "id": text, "name": text, "arguments": {text: text}},
                   {"type": "tool_call_response", "id": text, "is_error": False, "content": [
                       {"type": "text", "text": text, "annotations": {"audience": ["user"]}},
                       {"type": "resource", "resource": {"uri": text, "mimeType": text, "text": text}},
                       {"type": "image", "mimeType": "image/png", "data": text}]}]
    return bundle(events, metadata={"title": HOSTILE[0]})


def requests(count):
    system = "Mind the gap between the train and the platform. " * 300
    for number in range(count):
        # Every twentieth request tells another time of day.
        clock = "10:%02d" % (number // 20)
        messages = []
        for turn in range(number % 20 + 1):
            messages.append({"role": "user", "content": f"Question {turn}: " + "what next? " * 20})
            messages.append({"role": "assistant", "content": [{"type": "text", "text": f"Answer {turn}. " * 20}]})
        yield {"model": "claude-opus-5", "max_tokens": 9, "messages": messages[:-1],
               "system": [{"type": "text", "text": f"It is {clock}. {system}", "cache_control": {"type": "ephemeral"}}],
               "cache_control": {"type": "ephemeral"}}


folder = pathlib.Path(sys.argv[1])
(folder / "conversation.json").write_text(json.dumps(conversation()))
(folder / "hostile.json").write_text(json.dumps(hostile()))
with (folder / "run.jsonl").open("w") as out:
    for body in requests(200):
        out.write(json.dumps(body) + "\n")
