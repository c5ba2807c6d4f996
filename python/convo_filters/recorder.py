"""A recorder of what LLM clients send: one JSON object a line, without credentials.

The clients of Anthropic and OpenAI stand on ``httpx2``, older ones on ``httpx``. Both
are hooked at ``send``, the one method that every request passes, with streams tapped as
they are read: nothing is delayed, and nothing is changed.

>>> from convo_filters import Recorder                         # doctest: +SKIP
>>> client = anthropic.Anthropic()                             # doctest: +SKIP
>>> Recorder("requests.jsonl").attach(client)                  # doctest: +SKIP

A line is shaped like an entry of a HAR file, so that ``convo diff-cache-prefix`` and
``convo lint`` read it as it is::

    {"startedDateTime": "...", "time": 812.4, "timings": {"wait": 403.1},
     "request": {"method": "POST", "url": "...", "headers": {...}, "body": {...}},
     "response": {"status": 200, "headers": {...}, "id": "...", "model": "...",
                  "usage": {...}, "error": null}}
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import json
import os
import re
import sys
import threading
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Callable, Iterator, TypeVar

Json = Any
Client = TypeVar("Client")

#: Headers that say something of the request or the answer, and nothing of who asks.
_HEADERS = re.compile(
    r"(accept|content-type|date|user-agent|anthropic-(version|beta)|openai-(beta|version|processing-ms)"
    r"|request-id|x-request-id|retry-after|x-should-retry|x-stainless-[a-z-]+)\Z"
)
#: Parts of an address's query that are no key.
_QUERY = re.compile(r"(alt|beta|api-version)\Z")
#: Keys inside a body that hold what opens a door (MCP servers and connectors).
_SECRET = re.compile(r"(authorization(_token)?|api[-_]?key|access[-_]?token|password|headers)\Z", re.I)
_MASK = "***"


class Recorder:
    """Appends each request and what came back to ``path``; safe among threads and tasks."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()

    def attach(self, client: Client) -> Client:
        """Records what ``client`` sends from now on, and gives the client back.

        ``client`` is one of Anthropic's or OpenAI's, synchronous or not, or an ``httpx`` or
        ``httpx2`` client.
        """
        http = getattr(client, "_client", client)
        if not callable(getattr(http, "send", None)):
            raise TypeError(f"{type(client).__name__} stands on no httpx client")
        http.send = self._wrapped(http.send, inspect.iscoroutinefunction(http.send))
        return client

    @contextlib.contextmanager
    def everywhere(self) -> Iterator[Recorder]:
        """Records what every client sends while the block runs."""
        with contextlib.ExitStack() as stack:
            for name in ("httpx", "httpx2"):
                with contextlib.suppress(ImportError):
                    module = importlib.import_module(name)
                    for kind in (module.Client, module.AsyncClient):
                        stack.callback(setattr, kind, "send", kind.send)
                        kind.send = self._wrapped(kind.send, kind is module.AsyncClient)
            yield self

    def _wrapped(self, send: Callable[..., Any], is_async: bool) -> Callable[..., Any]:
        def starting(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Exchange | None:
            # Bound: `request`; a function of the class: `self, request`.
            given = [*args, kwargs.get("request")]
            request = next((one for one in given if hasattr(one, "method")), None)
            return _Exchange.begin(self, request)

        if is_async:

            @functools.wraps(send)
            async def recorded_async(*args: Any, **kwargs: Any) -> Any:
                exchange = starting(args, kwargs)
                if exchange is None:
                    return await send(*args, **kwargs)
                try:
                    response = await send(*args, **kwargs)
                except BaseException as error:
                    exchange.failed(error)
                    raise
                return exchange.answered(response)

            return recorded_async

        @functools.wraps(send)
        def recorded(*args: Any, **kwargs: Any) -> Any:
            exchange = starting(args, kwargs)
            if exchange is None:
                return send(*args, **kwargs)
            try:
                response = send(*args, **kwargs)
            except BaseException as error:
                exchange.failed(error)
                raise
            return exchange.answered(response)

        return recorded

    def _append(self, line: bytes) -> None:
        # One write of one line, so that processes that share the file do not mix theirs.
        with self._lock, open(self.path, "ab") as file:
            file.write(line)


class _Exchange:
    """One request on its way, and what has come back."""

    def __init__(self, recorder: Recorder, request: Any, body: bytes) -> None:
        self._recorder = recorder
        self._request = request
        self._body = body
        self._at = datetime.now(timezone.utc)
        self._began = time.monotonic()
        self._wait: float | None = None
        self._done = False

    @classmethod
    def begin(cls, recorder: Recorder, request: Any) -> _Exchange | None:
        """An exchange, if the request posts a JSON object."""
        if request is None or request.method != "POST":
            return None
        try:
            body = masked(request.content)
        except Exception:  # A stream, or no JSON: nothing that a prompt travels in.
            return None
        return None if body is None else cls(recorder, request, body)

    def failed(self, error: BaseException) -> None:
        """No answer came."""
        self._write(None, None, {"type": type(error).__name__, "message": str(error)})

    def answered(self, response: Any) -> Any:
        """An answer began; it is complete, or is tapped while it is read."""
        self._wait = time.monotonic() - self._began
        if response.is_closed or response.is_stream_consumed:
            # Closed but never read: an empty answer.
            with contextlib.suppress(Exception):
                self._write(response, response.content, None)
            return response
        response.stream = _tapped(response, self)
        return response

    def finished(self, response: Any, raw: bytes) -> None:
        """A tapped answer was read to its end, or left."""
        try:
            # The client's own class knows how the answer was compressed.
            decoded = type(response)(200, headers=response.headers, content=raw).content
        except Exception:
            decoded = b""
        self._write(response, decoded, None)

    def _write(self, response: Any, content: bytes | None, error: Json) -> None:
        if self._done:
            return
        self._done = True
        request = {
            "method": self._request.method,
            "url": address(self._request.url),
            "headers": headers(self._request.headers),
        }
        answer: dict[str, Json] = {"status": None, "headers": {}}
        if response is not None:
            answer = {"status": response.status_code, "headers": headers(response.headers)}
            answer.update(told(content or b""))
        if error is not None:
            answer["error"] = error
        timings = {} if self._wait is None else {"wait": round(self._wait * 1000, 3)}
        line = {
            "startedDateTime": self._at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "time": round((time.monotonic() - self._began) * 1000, 3),
            "timings": timings,
            "request": request,
        }
        # The body goes in as it was sent, byte for byte: key order is what a cache sees.
        head = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode()
        tail = json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        self._recorder._append(head[:-2] + b',"body":' + self._body + b'},"response":' + tail + b"}\n")


def _tapped(response: Any, exchange: _Exchange) -> Any:
    """The response's stream, copied while it is read."""
    module = sys.modules[type(response).__module__.partition(".")[0]]
    inner = response.stream
    seen: list[bytes] = []

    def end() -> None:
        with contextlib.suppress(Exception):
            exchange.finished(response, b"".join(seen))

    if isinstance(inner, module.AsyncByteStream):

        class Asynchronous(module.AsyncByteStream):  # type: ignore[name-defined, misc]
            async def __aiter__(self) -> Any:
                async for chunk in inner:
                    seen.append(chunk)
                    yield chunk
                end()

            async def aclose(self) -> None:
                try:
                    await inner.aclose()
                finally:
                    end()

        return Asynchronous()

    class Synchronous(module.SyncByteStream):  # type: ignore[name-defined, misc]
        def __iter__(self) -> Any:
            for chunk in inner:
                seen.append(chunk)
                yield chunk
            end()

        def close(self) -> None:
            try:
                inner.close()
            finally:
                end()

    return Synchronous()


def headers(given: Any) -> dict[str, str]:
    """The headers that are kept."""
    return {name: value for name, value in given.items() if _HEADERS.match(name.lower())}


def address(url: Any) -> str:
    """The address without user, password and keys."""
    text = str(url).partition("#")[0]
    text, _, query = text.partition("?")
    text = re.sub(r"(?<=//)[^/@]*@", "", text)
    kept = [part for part in query.split("&") if _QUERY.match(part.partition("=")[0])]
    return "?".join([text, "&".join(kept)]) if kept else text


def masked(content: bytes) -> bytes | None:
    """A JSON object as it was sent, secrets masked; None for anything else."""
    value = json.loads(content)
    if not isinstance(value, dict):
        return None
    if any(key in content for key in (b'"mcp_servers"', b'"mcp"')):
        hidden = [_mask(part) for key in ("mcp_servers", "tools") for part in value.get(key) or ()]
        if any(hidden):
            return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    # Inside of JSON a line break is white space between tokens only.
    return content.replace(b"\r", b" ").replace(b"\n", b" ")


def _mask(part: Json) -> bool:
    """Masks what opens an MCP server; whether there was something."""
    if not isinstance(part, dict) or not ("url" in part or "server_url" in part or "connector_id" in part):
        return False
    found = [key for key in part if _SECRET.match(key)]
    for key in found:
        part[key] = _MASK
    return bool(found)


def told(content: bytes) -> dict[str, Json]:
    """What an answer, whole or streamed, says of itself: id, model, usage, error."""
    text = content.decode("utf-8", "replace")
    events = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")]
    said: dict[str, Json] = {"id": None, "model": None, "usage": None, "error": None}
    for event in events or [text]:
        try:
            value = json.loads(event)
        except ValueError:
            continue
        if isinstance(value, list):  # Gemini streams one array.
            parts = value
        else:
            parts = [value]
        for part in parts:
            if isinstance(part, dict):
                _collect(part, said)
    return said


def _collect(value: dict[str, Json], said: dict[str, Json]) -> None:
    # Messages: `message_start` has `message`; Responses: `response.completed` has `response`.
    for inner in (value.get("message"), value.get("response"), value):
        if not isinstance(inner, dict):
            continue
        for key, name in (("id", "id"), ("model", "model"), ("responseId", "id"), ("modelVersion", "model")):
            if isinstance(inner.get(key), str) and (said[name] is None or inner is not value):
                said[name] = inner[key]
        for key in ("usage", "usageMetadata"):
            if isinstance(inner.get(key), dict):
                # A later event counts on from an earlier one.
                said["usage"] = {**(said["usage"] or {}), **inner[key]}
        if isinstance(inner.get("error"), (dict, str)):
            said["error"] = inner["error"]
        for key in ("diagnostics", "prompt_cache_diagnostics"):
            if inner.get(key) is not None:
                said[key] = inner[key]
