#!/usr/bin/env python3
"""An archive to try things on: `archive.py COUNT [BROKEN]` writes conversations, one a line,
each behind its id and a tab. Every BROKENth (100 by default) cannot be read, in one of four
ways. The same arguments give the same bytes."""

import json
import random
import sys

BREAKS = (
    lambda text: text[: len(text) // 2],  # cut off
    lambda text: text.replace('"content":', '"content":5,"was":', 1),  # a content that is a number
    lambda text: '"' + text,  # no JSON
    lambda text: '{"events":7}',  # another shape
)


def conversation(index):
    at = random.Random(index)
    words = lambda n: " ".join(at.choice(WORDS) for _ in range(n))
    events = []
    for turn in range(1 + at.randrange(4)):
        call = f"call_{turn}"
        stamp = f"2026-0{1 + at.randrange(9)}-1{turn}T09:00:0{turn}Z"
        events += [
            {"type": "turn_start", "timestamp": stamp},
            {"type": "chat_request", "content": words(12)},
            {"type": "chat_response", "reasoning": words(20)},
            {"type": "tool_call_request", "id": call, "name": "read", "arguments": {"path": words(1)}},
            {
                "type": "tool_call_response",
                "id": call,
                "content": [
                    {"type": "text", "text": words(30), "annotations": {"audience": ["assistant"]}},
                    {"type": "text", "text": words(9), "annotations": {"audience": ["user"]}},
                ],
            },
            {"type": "chat_response", "message": words(25)},
        ]
    return json.dumps({"data": events}, separators=(",", ":"))


WORDS = "the a parser importer test line file reader says drops keeps last first byte why who 猫 naïve".split()


def main():
    count = int(sys.argv[1])
    broken = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    for index in range(count):
        text = conversation(index)
        if index % broken == broken - 1:
            text = BREAKS[index // broken % len(BREAKS)](text)
        sys.stdout.write(f"c{index:07}\t{text}\n")


main()
