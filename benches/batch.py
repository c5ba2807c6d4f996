#!/usr/bin/env python3
"""A batch of a million conversations (and of bodies), one in a hundred broken.

    cargo build --release
    benches/batch.py [--count N] [--jobs N] [COMMAND...]

Each command reads the batch from a pipe and writes to /dev/null. Told: conversations a
second, CPU time, peak memory, exit status, and how many were refused, which must be the
broken ones and no others.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONVO = str(ROOT / "target/release/convo")
TIME = "2026-09-01 10:00:00.0"
BODY = ["--provider", "anthropic", "--model", "claude-haiku-4-5"]
COMMANDS = {
    "project": ("streams", ["project"]),
    "render": ("streams", ["render"]),
    "flatten": ("streams", ["flatten", *BODY]),
    "place-directives": ("streams", ["place-directives", *BODY]),
    "validate": ("streams", ["validate"]),
    "lint": ("bodies", ["lint", "-q", *BODY]),
    "diff-cache-prefix": ("bodies", ["diff-cache-prefix", "-q", *BODY]),
}


def stream(number):
    if number % 100 == 50:
        # In turn: no JSON, no conversation, an entry that breaks the contract.
        return ['[{"type":"turn_start",]', '{"no":"conversation"}',
                '[{"type":"chat_request","timestamp":5}]'][number // 100 % 3]
    return json.dumps([
        {"type": "turn_start", "timestamp": TIME},
        {"type": "chat_request", "timestamp": TIME, "content": f"question {number}"},
        {"type": "tool_call_request", "timestamp": TIME, "id": "c1", "name": "read",
         "arguments": {"path": "c3JjL2xpYi5ycw=="}},
        {"type": "tool_call_response", "timestamp": TIME, "id": "c1", "content":
         "cHViIG1vZCBhOwpwdWIgbW9kIGI7Cg==", "is_error": False},
        {"type": "chat_response", "timestamp": TIME, "message": f"**answer** {number}"},
    ], separators=(",", ":"))


def body(number):
    if number % 100 == 50:
        return ["{", '{"no":"body"}', "[]"][number // 100 % 3]
    return json.dumps({
        "model": "claude-haiku-4-5", "max_tokens": 1000, "system": "Be brief.",
        "messages": [{"role": "user", "content": f"question {number}"}]},
        separators=(",", ":"))


def feed(path, pipe):
    with open(path, "rb") as batch:
        while part := batch.read(1 << 20):
            try:
                pipe.write(part)
            except BrokenPipeError:
                return
    pipe.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("commands", nargs="*", default=list(COMMANDS))
    args = parser.parse_args()
    broken = args.count // 100
    with tempfile.TemporaryDirectory() as folder:
        batches = {}
        for kind, make in (("streams", stream), ("bodies", body)):
            if any(COMMANDS[name][0] == kind for name in args.commands):
                batches[kind] = pathlib.Path(folder) / kind
                with open(batches[kind], "w") as out:
                    out.writelines(make(n) + "\n" for n in range(args.count))
        for name in args.commands:
            kind, arguments = COMMANDS[name]
            told = pathlib.Path(folder) / "told"
            began = time.monotonic()
            with open(told, "wb") as err:
                child = subprocess.Popen(
                    [CONVO, *arguments, "-j", str(args.jobs), "--message-format", "json"],
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=err)
                writer = threading.Thread(target=feed, args=(batches[kind], child.stdin))
                writer.start()
                _, status, used = os.wait4(child.pid, 0)
                writer.join()
            wall = time.monotonic() - began
            refused = 0
            with open(told, "rb") as lines:
                for line in lines:
                    refused += b'"severity":"error"' in line
            print(f"{name:<18} {args.count / wall:>9,.0f} a second, {wall:6.1f} s, "
                  f"{used.ru_utime + used.ru_stime:6.1f} s CPU, {used.ru_maxrss / 1024:6.1f} MiB, "
                  f"status {os.waitstatus_to_exitcode(status)}, "
                  f"{refused:,} refused of {broken:,} broken, "
                  f"{told.stat().st_size / 1e6:.1f} MB told", flush=True)


if __name__ == "__main__":
    sys.exit(main())
