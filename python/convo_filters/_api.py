"""The filters as functions."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence, Union, cast

from . import _binary

Json = Any
#: A conversation: events, a bundle or an envelope; JSON text; or a path.
Conversation = Union[Sequence[Mapping[str, Json]], Mapping[str, Json], bytes, str, "os.PathLike[str]"]
#: A request body or a recorded request; JSON text; or a path.
Body = Union[Mapping[str, Json], bytes, str, "os.PathLike[str]"]


class ConvoWarning(UserWarning):
    """Something was mended or is doubtful; the result stands."""


class ConvoError(Exception):
    """The program refused its input, or an option.

    ``path`` is a JSON Pointer to the place, ``byte`` where it is in the JSON text that
    was given (or that the value was written as), ``event`` the index of the entry,
    ``code`` a word for programs; each is None where it says nothing.
    """

    def __init__(self, message: str, diagnostic: Mapping[str, Json] | None = None) -> None:
        super().__init__(message)
        told = diagnostic or {}
        self.code: str | None = told.get("code")
        self.path: str | None = told.get("path")
        self.byte: int | None = told.get("byte")
        self.event: int | None = told.get("event")
        self.hint: str | None = told.get("hint")


@dataclass(frozen=True)
class Finding:
    """One thing that a rule of ``convo lint`` has to say of a body."""

    rule: str
    severity: str
    path: str
    message: str
    hint: str | None = None
    byte: int | None = None
    related: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return f"{self.severity}[{self.rule}] at {self.path or '/'}: {self.message}"


def text_of(value: Json) -> bytes | None:
    """JSON text of a value; None for a path."""
    if isinstance(value, (str, os.PathLike)):
        return None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _operand(value: Json) -> tuple[list[str], bytes | None]:
    """Arguments and standard input that hand a value over."""
    text = text_of(value)
    if text is not None:
        return ["-"], text
    return ["--", os.fspath(value)], None


def _diagnostics(stderr: bytes) -> tuple[list[dict[str, Json]], str]:
    """The messages of a run, and what is no message (usage errors)."""
    told, rest = [], []
    for line in stderr.decode("utf-8", "replace").splitlines():
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if isinstance(message, dict) and "severity" in message:
            told.append(message)
        else:
            rest.append(line)
    return told, "\n".join(rest).strip()


def _sentence(message: Mapping[str, Json]) -> str:
    place = []
    if message.get("path"):
        place.append(f"at {message['path']}")
    if message.get("byte") is not None:
        place.append(f"byte {message['byte']}")
    text = f"{', '.join(place)}: {message['message']}" if place else str(message["message"])
    return f"{text} ({message['hint']})" if message.get("hint") else text


def _run(args: list[str], stdin: bytes | None, answers: Iterable[int] = (0,), level: int = 3) -> bytes:
    """Runs the program; raises what it refuses and warns of what it mends."""
    ran = _binary.run([args[0], "--message-format", "json", *args[1:]], stdin)
    told, rest = _diagnostics(ran.stderr)
    errors = [message for message in told if message["severity"] == "error"]
    if ran.returncode not in answers or (errors and not ran.stdout):
        if errors:
            raise ConvoError(_sentence(errors[0]), errors[0])
        raise ConvoError(rest or f"convo ended with status {ran.returncode}")
    for message in told:
        if message["severity"] != "note":
            warnings.warn(_sentence(message), ConvoWarning, stacklevel=level)
    return ran.stdout


def _options(**options: Json) -> list[str]:
    """Long options: None and False are left out, True is a flag, lists repeat."""
    args: list[str] = []
    for name, value in options.items():
        name = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        values = value if isinstance(value, (list, tuple, set)) else [value]
        for one in values:
            args.append(name)
            if one is not True:
                args.append(os.fspath(one) if isinstance(one, os.PathLike) else str(one))
    return args


class _Files:
    """Values that an option wants as a file."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="convo-")

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def path(self, name: str, value: Json) -> str | None:
        if value is None:
            return None
        text = text_of(value)
        if text is None:
            return os.fspath(value)
        path = Path(self._folder.name, name)
        path.write_bytes(text)
        return str(path)


def project(
    conversation: Conversation,
    *,
    view: str = "user",
    addressed_only: bool = False,
    compacted: bool = False,
    lenient: bool = False,
    base_config: Json = None,
    encoding: str | None = None,
) -> list[dict[str, Json]]:
    """The entries of one view of a conversation: what the user saw, or ``view="raw"``.

    Strings come out plain. ``encoding`` says how those of the conversation are stored,
    where its form does not.
    """
    with _Files() as files:
        operand, stdin = _operand(conversation)
        options = _options(
            view=view,
            addressed_only=addressed_only,
            compacted=compacted,
            lenient=lenient,
            base_config=files.path("base_config.json", base_config),
            encoding=encoding,
        )
        out = _run(["project", "--output", "envelope", *options, *operand], stdin)
    return cast("list[dict[str, Json]]", json.loads(out)["data"])


def _bodies(
    command: str,
    conversation: Conversation,
    requests: str | int,
    base_config: Json,
    inputs: Json,
    model_details: Json,
    options: Mapping[str, Json],
) -> Json:
    with _Files() as files:
        operand, stdin = _operand(conversation)
        args = _options(
            requests=requests,
            base_config=files.path("base_config.json", base_config),
            inputs=files.path("inputs.json", inputs),
            model_details=files.path("model_details.json", model_details),
            **options,
        )
        out = _run([command, *args, *operand], stdin, level=4)
    bodies = [json.loads(line) for line in out.splitlines() if line]
    if requests == "all":
        return bodies
    if not bodies:
        raise ConvoError("the conversation has no such request")
    return bodies[0]


def flatten(
    conversation: Conversation,
    *,
    provider: str | None = None,
    model: str | None = None,
    requests: str | int = "last",
    format: str = "body",
    beta: Sequence[str] = (),
    platform: str | None = None,
    base_config: Json = None,
    inputs: Json = None,
    model_details: Json = None,
    parity: str | None = None,
    **options: Json,
) -> Json:
    """The request body that was, or would be, sent; a list of them for ``requests="all"``.

    ``options`` are further ones of ``convo flatten``, underscores for hyphens.
    """
    given = dict(provider=provider, model=model, format=format, beta=list(beta), platform=platform)
    given.update(parity=parity, **options)
    return _bodies("flatten", conversation, requests, base_config, inputs, model_details, given)


def place_directives(
    conversation: Conversation,
    *,
    model: str | None = None,
    requests: str | int = "last",
    format: str = "body",
    beta: Sequence[str] = (),
    platform: str | None = None,
    base_config: Json = None,
    inputs: Json = None,
    model_details: Json = None,
    **options: Json,
) -> Json:
    """The Anthropic body with changes placed in the conversation, so that the prefix holds."""
    given = dict(model=model, format=format, beta=list(beta), platform=platform, **options)
    return _bodies(
        "place-directives", conversation, requests, base_config, inputs, model_details, given
    )


def lint(
    body: Body,
    *,
    provider: str | None = None,
    model: str | None = None,
    platform: str | None = None,
    beta: Sequence[str] = (),
    **options: Json,
) -> list[Finding]:
    """What the API's published rules have to say of a body; empty where that is nothing.

    >>> [str(finding.rule) for finding in lint({
    ...     "model": "claude-opus-5", "max_tokens": 9,
    ...     "messages": [{"role": "user", "content": "go"},
    ...                  {"role": "assistant", "content": "Sure"}]})]
    ['prefill-unsupported']
    """
    operand, stdin = _operand(body)
    args = _options(provider=provider, model=model, platform=platform, beta=list(beta), **options)
    out = _run(["lint", "--format", "json", *args, *operand], stdin, answers=(0, 1))
    found = []
    for line in out.splitlines():
        for one in json.loads(line)["findings"]:
            found.append(
                Finding(
                    rule=one["rule"],
                    severity=one["severity"],
                    path=one["path"],
                    message=one["message"],
                    hint=one.get("hint"),
                    byte=one.get("byte"),
                    related=tuple(place["path"] for place in one.get("related") or ()),
                )
            )
    return found


def compare(a: Body, b: Body, **options: Json) -> dict[str, Json]:
    """Where body ``b`` leaves the prefix of ``a``: one report (``convo schema prefix-report``).

    ``options`` are those of ``convo diff-cache-prefix``: ``provider``, ``model``, ``beta``,
    ``mask``, ``least_length``...
    """
    with _Files() as files:
        paths = [cast(str, files.path("a.json", a)), cast(str, files.path("b.json", b))]
        args = ["diff-cache-prefix", "--format", "json", *_options(**options), "--", *paths]
        out = _run(args, None, answers=(0, 1))
    return cast("dict[str, Json]", json.loads(out.splitlines()[0]))


def compare_series(requests: Iterable[Body] | str | os.PathLike[str], **options: Json) -> list[dict[str, Json]]:
    """Requests in the order in which they were sent: one report for each compared pair.

    ``requests`` are bodies or recorded requests, or the path of a recording.
    """
    operand, stdin = series(requests)
    args = ["diff-cache-prefix", "--format", "json", *_options(**options), *operand]
    out = _run(args, stdin, answers=(0, 1))
    lines = [json.loads(line) for line in out.splitlines()]
    return [line for line in lines if str(line.get("schema", "")).startswith("convo/prefix-report/")]


def series(requests: Iterable[Body] | str | os.PathLike[str]) -> tuple[list[str], bytes | None]:
    """Arguments and standard input that hand a recording over."""
    if isinstance(requests, (str, os.PathLike)):
        return ["--", os.fspath(requests)], None
    lines = []
    for request in requests:
        text = text_of(request)
        if text is None:
            text = Path(cast(str, request)).read_bytes()
        lines.append(b" ".join(text.splitlines()) if b"\n" in text else text)
    return ["-"], b"".join(line + b"\n" for line in lines)
