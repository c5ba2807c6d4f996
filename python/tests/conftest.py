"""A loopback server that answers as Anthropic and OpenAI do, streams included."""

from __future__ import annotations

import gzip
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

pytest_plugins = ["pytester"]

USAGE = {"input_tokens": 12, "cache_creation_input_tokens": 2048, "cache_read_input_tokens": 0, "output_tokens": 3}


def message(usage):
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-5",
        "content": [{"type": "text", "text": "Hello."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": usage,
    }


def messages_stream():
    start = message({**USAGE, "output_tokens": 1})
    yield "message_start", {"message": {**start, "content": [], "stop_reason": None}}
    yield "content_block_start", {"index": 0, "content_block": {"type": "text", "text": ""}}
    yield "content_block_delta", {"index": 0, "delta": {"type": "text_delta", "text": "Hello."}}
    yield "content_block_stop", {"index": 0}
    yield "message_delta", {"delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 3}}
    yield "message_stop", {}


RESPONSES_USAGE = {
    "input_tokens": 1500,
    "input_tokens_details": {"cached_tokens": 1024},
    "output_tokens": 3,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 1503,
}


def response(status="completed"):
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": status,
        "model": "gpt-5-mini",
        "output": [
            {
                "id": "msg_1",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "Hello.", "annotations": []}],
            }
        ],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": RESPONSES_USAGE if status == "completed" else None,
    }


CHAT_USAGE = {
    "prompt_tokens": 1500,
    "completion_tokens": 3,
    "total_tokens": 1503,
    "prompt_tokens_details": {"cached_tokens": 1024},
}


def chat(delta=False):
    text = {"role": "assistant", "content": "Hello."}
    return {
        "id": "chatcmpl_1",
        "object": "chat.completion.chunk" if delta else "chat.completion",
        "created": 1,
        "model": "gpt-4.1",
        "choices": [{"index": 0, ("delta" if delta else "message"): text, "finish_reason": "stop"}],
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        raw = self.rfile.read(int(self.headers["content-length"]))
        self.server.seen.append((self.path, dict(self.headers), raw))
        body = json.loads(raw)
        stream = body.get("stream")
        path = self.path.partition("?")[0]
        if body.get("model") == "refuse":
            error = {"type": "error", "error": {"type": "invalid_request_error", "message": "no such model"}}
            return self.json(error, 400)
        if path.endswith("/messages"):
            if stream:
                return self.events((name, {"type": name, **data}) for name, data in messages_stream())
            return self.json(message(USAGE))
        if path.endswith("/responses"):
            if stream:
                events = [("response.created", response("in_progress")), ("response.completed", response())]
                return self.events(
                    (name, {"type": name, "sequence_number": n, "response": data})
                    for n, (name, data) in enumerate(events)
                )
            return self.json(response())
        if stream:
            last = {**chat(True), "choices": [], "usage": CHAT_USAGE}
            return self.events([(None, chat(True)), (None, last)], done=True)
        return self.json({**chat(), "usage": CHAT_USAGE})

    def json(self, value, status=200):
        # Compressed where the client takes that: usage must be found all the same.
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("request-id", "req_1")
        self.send_header("set-cookie", "session=secret-cookie")
        if "gzip" in self.headers.get("accept-encoding", ""):
            content = gzip.compress(content)
            self.send_header("content-encoding", "gzip")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def events(self, events, done=False):
        text = "".join(
            (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n" for name, data in events
        )
        content = (text + ("data: [DONE]\n\n" if done else "")).encode()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        for at in range(0, len(content), 40):
            self.wfile.write(content[at : at + 40])
            self.wfile.flush()


@pytest.fixture
def server():
    """An address to send to; ``.seen`` is what came."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        http.seen = []
        http.url = f"http://127.0.0.1:{http.server_address[1]}"
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield http
        http.shutdown()
