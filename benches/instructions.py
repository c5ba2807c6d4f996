#!/usr/bin/env python3
"""Instructions of each command on one archive, counted by valgrind's callgrind.

    cargo build --release
    benches/instructions.py [--against BINARY] [--megabytes N] [COMMAND...]

The count is the same on every run, so that two binaries compare to the tenth of a per
cent. The archive is that of `compare.py`; bodies are written from it.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from compare import ROOT, archive

COMMANDS = {
    "project": ["project", "ARCHIVE"],
    "project raw": ["project", "--view", "raw", "ARCHIVE"],
    "project --compacted": ["project", "--compacted", "ARCHIVE"],
    "render": ["render", "ARCHIVE"],
    "render full, colours": ["render", "--style", "full", "--color", "always", "ARCHIVE"],
    "flatten": ["flatten", "-q", "--provider", "anthropic", "--model", "claude-haiku-4-5", "ARCHIVE"],
    "flatten openai": ["flatten", "-q", "--provider", "openai", "--model", "gpt-5.5", "ARCHIVE"],
    "place-directives": ["place-directives", "-q", "--model", "claude-opus-4-6", "ARCHIVE"],
    "validate": ["validate", "ARCHIVE"],
    "lint": ["lint", "--provider", "anthropic", "BODIES"],
    "diff-cache-prefix": ["diff-cache-prefix", "--provider", "anthropic", "BODIES"],
    "cold start": ["project", "EMPTY"],
}


def count(binary, arguments, scratch):
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={scratch}/cg", binary]
    ran = subprocess.run([*command, *arguments], stdout=subprocess.DEVNULL,
                         stderr=subprocess.PIPE, text=True, check=False)
    found = re.search(r"Collected\s*:\s*(\d+)", ran.stderr)
    return int(found.group(1)) if found else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--against", help="another convo, the baseline")
    parser.add_argument("--binary", default=str(ROOT / "target/release/convo"))
    parser.add_argument("--megabytes", type=float, default=1)
    parser.add_argument("commands", nargs="*", default=list(COMMANDS))
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        one = archive(scratch / "archive", args.megabytes, separators=(",", ":"))
        (scratch / "empty").write_text("[]\n")
        bodies = scratch / "bodies"
        with open(bodies, "wb") as out:
            subprocess.run([args.against or args.binary, "flatten", "-q", "--provider", "anthropic",
                            "--model", "claude-haiku-4-5", "--requests", "last", str(one)], stdout=out, check=False)
        paths = {"ARCHIVE": one, "BODIES": bodies, "EMPTY": scratch / "empty"}
        print(f"archive of {os.path.getsize(one):,} bytes, bodies of {os.path.getsize(bodies):,}")
        for name in args.commands:
            arguments = [str(paths.get(a, a)) for a in COMMANDS[name]]
            now = count(args.binary, arguments, scratch)
            line = f"{name:<22} {now:>15,}"
            if args.against:
                before = count(args.against, arguments, scratch)
                line += f" {before:>15,} {100 * (now / before - 1):+7.1f} %"
            print(line, flush=True)


if __name__ == "__main__":
    main()
