#!/usr/bin/env python3
"""Times convo against jq, jaq and wc on the same job, in interleaved rounds.

    cargo build --release
    benches/compare.py [--rounds N] [--megabytes N] [JOB...]

Each round runs every program once, in turn, on input in the page cache and with
output to a file; what counts is the CPU time (user and system) of the median
round. The archive is made of the corpus' stored conversations ($CONVO_CORPUS, or
../shared/corpus beside the project), or of the fixtures where there is none.
Programs that are not installed are passed over. Nothing is asserted here.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONVO = str(ROOT / "target/release/convo")

# The user view as a jq program: the same rules, without the base64.
PROJECT = r"""
def named($a): if ($a|type) == "string" then [$a] elif ($a|type) == "array" then $a
  else [] end | if length == 0 then null else . end;
def seen: .type != "question" and
  (named((.annotations // .resource.annotations // {}).audience)
   | . == null or any(. == "user"));
{data: map(
  if .type == "turn_start" or .type == "chat_request" then .
  elif .type == "chat_response" then select(has("message") or has("data"))
  elif .type == "tool_call_response" then
    if (.content|type) == "string" then .
    else .content |= map(select(seen)) | select(.content|length > 0) end
  else empty end)}
"""

# Rebuilds the messages array of a request body, nothing else of it.
FLATTEN = r"""
{messages: [.[] |
  if .type == "chat_request" then {role: "user", content: [{type: "text", text: .content}]}
  elif .type == "chat_response" then
    {role: "assistant", content: [{type: "text", text: (.message // .reasoning)}]}
  elif .type == "tool_call_request" then
    {role: "assistant", content: [{type: "tool_use", id, name, input:
      (.arguments | walk(if type == "string" then (. as $s | try @base64d catch $s) else . end))}]}
  elif .type == "tool_call_response" then
    {role: "user", content: [{type: "tool_result", tool_use_id: .id,
      content: (.content as $s | try ($s | @base64d) catch $s), is_error: .is_error}]}
  else empty end]}
"""


def conversations():
    corpus = os.environ.get("CONVO_CORPUS") or str(ROOT.parent / "shared/corpus")
    homes = sorted(pathlib.Path(corpus).glob("conversations/*/events.json"))
    if not homes:
        homes = sorted((ROOT / "fixtures").glob("workspace/.jp/conversations/*/events.json"))
    return [json.loads(path.read_text()) for path in homes]


def archive(path, megabytes, **style):
    texts = [json.dumps(c, ensure_ascii=False, **style) + "\n" for c in conversations()]
    size = 0
    with open(path, "w") as out:
        while size < megabytes * 1_000_000:
            for text in texts:
                out.write(text)
                size += len(text)
    return path


def cpu(command, output):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(output, "wb") as out:
        subprocess.run(command, stdout=out, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def race(name, commands, rounds, scratch):
    commands = {k: c for k, c in commands.items() if shutil.which(c[0])}
    times = {key: [] for key in commands}
    for _ in range(rounds):
        for key, command in commands.items():
            times[key].append(cpu(command, scratch / "out"))
    ours = statistics.median(times["convo"])
    print(f"{name}: convo {ours:.3f} s CPU (median of {rounds})")
    for key, values in times.items():
        if key != "convo":
            median = max(statistics.median(values), 1e-4)
            print(f"  {key:<6} {median:.3f} s, ratio {ours / median:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("jobs", nargs="*", default=["lines", "pretty", "flatten", "jobs", "start"])
    args = parser.parse_args()
    if not os.path.exists(CONVO):
        sys.exit("build it first: cargo build --release")
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        lines = archive(scratch / "lines", args.megabytes, separators=(",", ":"))
        pretty = archive(scratch / "pretty", args.megabytes, indent=2)
        jq = lambda program, path: {
            tool: [tool, "-c", program, str(path)] for tool in ("jq", "jaq")
        }
        project = lambda path: {"convo": [CONVO, "project", str(path)], **jq(PROJECT, path)}
        if "lines" in args.jobs:
            wc = {"wc": ["wc", "-l", str(lines)], "cat": ["cat", str(lines)]}
            race("project, one a line", {**project(lines), **wc}, args.rounds, scratch)
        if "pretty" in args.jobs:
            race("project, pretty-printed", project(pretty), args.rounds, scratch)
        if "flatten" in args.jobs:
            flatten = [CONVO, "flatten", "-q", "--provider", "anthropic", "--model",
                       "claude-haiku-4-5", str(lines)]
            commands = {"convo": flatten, **jq(FLATTEN, lines)}
            race("flatten", commands, args.rounds, scratch)
        if "jobs" in args.jobs:
            two = {"convo": [CONVO, "project", "-j", "2", str(lines)],
                   CONVO: [CONVO, "project", str(lines)]}
            race("project -j 2 against -j 1", two, args.rounds, scratch)
        if "start" in args.jobs:
            start(args.rounds * 30, scratch)


def start(rounds, scratch):
    source = scratch / "empty.rs"
    source.write_text("fn main() {}\n")
    empty = scratch / "empty"
    built = subprocess.run(["rustc", "-O", "-o", str(empty), str(source)], check=False)
    if built.returncode == 0:
        (scratch / "one").write_text("[]\n")
        commands = {"convo": [CONVO, "project", str(scratch / "one")], str(empty): [str(empty)]}
        race("cold start", commands, rounds, scratch)


if __name__ == "__main__":
    main()
