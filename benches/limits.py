#!/usr/bin/env python3
"""Peak memory and growth of every command on every shape of `shapes.py`.

    cargo build --release
    benches/limits.py [--sizes 1,64] [--rounds N] [--markdown] [COMMAND...]

For each shape and command: the peak of the resident memory beyond 8 MiB as a multiple
of the input (one conversation or body, so that is the longest), and the CPU time of a
byte at the largest size as a multiple of that at the smallest. Nothing is asserted.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import shapes

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONVO = os.environ.get("CONVO", str(ROOT / "target/release/convo"))
FREE = 8 * 2**20
MODEL = ["--model", "claude-opus-4-6"]
COMMANDS = {
    "project": ("stream", ["project"]),
    "compacted": ("stream", ["project", "--compacted"]),
    "render": ("stream", ["render"]),
    "colour": ("stream", ["render", "--style", "full", "--color", "always"]),
    "flatten": ("stream", ["flatten", *MODEL]),
    "place": ("stream", ["place-directives", *MODEL]),
    "validate": ("stream", ["validate"]),
    "redact": ("stream", ["redact"]),
    "lint": ("body", ["lint"]),
    "diff": ("body", ["diff-cache-prefix"]),
}


def run(arguments, scratch):
    """CPU seconds, peak bytes and status of one run."""
    with open(scratch / "out", "wb") as out:
        child = subprocess.Popen([CONVO, *arguments], stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return used.ru_utime + used.ru_stime, peak, child.returncode


def measure(command, path, kind, rounds, scratch):
    inputs = [str(path)] * (2 if command[0] == "diff-cache-prefix" else 1)
    if command[0] == "diff-cache-prefix":
        # Equal files are held once: the second differs in its end.
        other = scratch / "other"
        other.write_bytes(path.read_bytes().replace(b'"max_tokens":9', b'"max_tokens":8'))
        inputs[1] = str(other)
    runs = [run([*command, *inputs], scratch) for _ in range(rounds)]
    return min(cpu for cpu, _, _ in runs), max(peak for _, peak, _ in runs), runs[0][2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sizes", default="1,16", help="megabytes, smallest and largest")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--shapes", help="only shapes whose name has this")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("commands", nargs="*")
    args = parser.parse_args()
    least, most = (int(float(size) * 1e6) for size in args.sizes.split(","))
    resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
    row = "| {} | {} | {:.1f} | {:.2f} |" if args.markdown else "{:<24} {:<10} {:>8.1f} {:>8.2f}"
    head = "| shape | command | memory | growth |\n|---|---|---|---|" if args.markdown else \
        "{:<24} {:<10} {:>8} {:>8}".format("shape", "command", "memory", "growth")
    print(head, flush=True)
    worst = {}
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        nothing = scratch / "nothing"
        nothing.write_text("[]\n")
        start = min(run(["project", str(nothing)], scratch)[0] for _ in range(9))
        for name, (kind, make) in shapes.SHAPES.items():
            if args.shapes and args.shapes not in name:
                continue
            small, large = scratch / "small", scratch / "large"
            small.write_bytes(make(least))
            large.write_bytes(make(most))
            for command, (wanted, arguments) in COMMANDS.items():
                if wanted != kind or (args.commands and command not in args.commands):
                    continue
                few, _, _ = measure(arguments, small, kind, args.rounds, scratch)
                many, peak, status = measure(arguments, large, kind, 1, scratch)
                if status < 0:
                    print(name, command, "ended by signal", -status, flush=True)
                    continue
                memory = max(0, peak - FREE) / large.stat().st_size
                rate = lambda cpu, path: max(cpu - start, 1e-3) / path.stat().st_size
                growth = rate(many, large) / rate(few, small)
                print(row.format(name, command, memory, growth), flush=True)
                for index, value in enumerate((memory, growth)):
                    best = worst.setdefault(command, [(0, ""), (0, "")])
                    best[index] = max(best[index], (value, name))
    print()
    for command, ((memory, shape), (growth, grown)) in worst.items():
        print(f"worst of {command}: memory {memory:.1f} ({shape}), growth {growth:.2f} ({grown})")


main()
