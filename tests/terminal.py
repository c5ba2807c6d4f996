"""convo on a pseudo-terminal: pager, width, colours, a live stream.

Usage: terminal.py PATH-TO-CONVO. Ends with a message and status 1 at the first fault.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import tempfile
import termios
import time

CONVO = sys.argv[1]
EVENTS = [
    {"type": "turn_start"},
    {"type": "chat_request", "content": "list it"},
    {"type": "tool_call_request", "id": "a", "name": "ls", "arguments": {}},
    {"type": "tool_call_response", "id": "a", "is_error": False, "content": "a.txt"},
    {"type": "chat_response", "message": "**One** file."},
]


def start(args, columns, **variables):
    return program([CONVO, *args], columns, **variables)


def program(args, columns, **variables):
    pid, terminal = pty.fork()
    if pid == 0:
        for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS",
                     "LESS", "PAGER", "CONVO_PAGER", "ACCESSIBLE", "COLORTERM"):
            os.environ.pop(name, None)
        os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8", **variables)
        # Ignored where the tests run in the background, and that is inherited.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        # The size is set before anything looks at it.
        size = struct.pack("HHHH", 40, columns, 0, 0)
        fcntl.ioctl(0, termios.TIOCSWINSZ, size)
        os.execvp(args[0], args)
    return pid, terminal


def read(terminal, until=None, limit=60):
    """What comes, to the end or to a text."""
    seen, end = b"", time.monotonic() + limit
    while time.monotonic() < end:
        if until and until in seen:
            return seen.decode()
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                piece = b""
            if not piece:
                return seen.decode()
            seen += piece
    raise SystemExit(f"nothing more after {seen!r}, expected {until!r}")


def check(fine, what, shown):
    if not fine:
        raise SystemExit(f"{what}:\n{shown}")
    print(f"ok: {what}")


def header_width(shown):
    line = next(line for line in shown.splitlines() if "user" in line)
    plain, inside = "", False
    for char in line:
        inside = True if char == "\x1b" else inside
        plain += "" if inside else char
        inside = inside and char != "m"
    return len(plain.strip("\r"))


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "events.json")
    with open(path, "w") as file:
        json.dump(EVENTS, file)

    for columns in (40, 72):
        pid, terminal = start(["render", "--paging", "never", path], columns)
        shown = read(terminal)
        os.waitpid(pid, 0)
        check(header_width(shown) == columns, f"{columns} columns wide", shown)
        check("\x1b[1m" in shown, "colours and weights on a terminal", shown)
        order = [shown.find(part) for part in ("list it", "ls", "a.txt", "One")]
        check(order == sorted(order) and -1 not in order, "both streams in order", shown)

    pid, terminal = start(["render", "--color", "never", path], 60,
                          CONVO_PAGER="tr a-z A-Z")
    shown = read(terminal)
    os.waitpid(pid, 0)
    check("A.TXT" in shown and "LIST IT" in shown, "the pager gets both streams", shown)
    check("a.txt" not in shown, "nothing is written beside the pager", shown)

    pid, terminal = start(["render", "--color", "never", "-"], 60, CONVO_PAGER="false")
    for event in EVENTS:
        os.write(terminal, json.dumps(event).encode() + b"\n")
    # The terminal echoes what is typed; the answer is the line without quotes.
    shown = read(terminal, until=b"\n**One** file.")
    check(True, "a live stream is shown as it arrives, without a pager", shown)
    os.write(terminal, b"\x04")
    read(terminal)
    os.waitpid(pid, 0)

    # A file that grows, read by `tail -f`: each entry is there before the next is.
    grown = os.path.join(folder, "grown.jsonl")
    with open(grown, "w") as file:
        file.write(json.dumps(EVENTS[0]) + "\n")
    line = f"tail -n +1 -f '{grown}' | '{CONVO}' render --color never -"
    pid, terminal = program(["sh", "-c", line], 50)
    for event, said in zip(EVENTS[1:], ("list it", "ls", "a.txt", "**One** file.")):
        with open(grown, "a") as file:
            file.write(json.dumps(event) + "\n")
        shown = read(terminal, until=said.encode())
        check(True, f"tail -f: {said}", shown)
    os.write(terminal, b"\x03")
    os.waitpid(pid, 0)

    # A document that goes into a file leaves the terminal alone.
    out = os.path.join(folder, "out.md")
    line = f"'{CONVO}' render --format markdown '{path}' > '{out}'"
    pid, terminal = program(["sh", "-c", line], 60)
    shown = read(terminal)
    os.waitpid(pid, 0)
    check("ls" not in shown, "no chrome beside a document", shown)
    with open(out) as file:
        check("**One** file." in file.read(), "the document is in the file", out)
    for command in ("render", "project", "lint", "flatten", "validate", "tell-user"):
        pid, terminal = start([command], 80)
        shown = read(terminal, until=b"Ctrl-D")
        os.write(terminal, b"\x04\x04")
        read(terminal)
        os.waitpid(pid, 0)
        check("reading what is typed" in shown, f"{command} says that it waits", shown)
