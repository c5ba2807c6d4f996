"""The other ways of docs/capture.md to record requests, against a loopback server."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import time

import pytest
from convo_filters._binary import find_convo

PROMPT = "You are careful. It is 10:{}. " + "Mind the gap between the words and the things. " * 600


def compared(path):
    ran = subprocess.run(
        [find_convo(), "diff-cache-prefix", "--format", "json", str(path)],
        capture_output=True,
        text=True,
    )
    reports = [json.loads(line) for line in ran.stdout.splitlines()]
    assert reports, ran.stderr
    return reports[0], ran


def test_litellm(server, tmp_path):
    litellm = pytest.importorskip("litellm")
    path = tmp_path / "requests.jsonl"

    # As in docs/capture.md.
    def record(kwargs, response, start, end):
        line = {
            "provider": kwargs["litellm_params"]["custom_llm_provider"],
            "body": kwargs["additional_args"]["complete_input_dict"],
        }
        with open(path, "a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    litellm.success_callback = [record]
    for minute in (41, 57):
        litellm.completion(
            model="anthropic/claude-opus-5",
            api_key="sk-secret-key",
            api_base=server.url,
            max_tokens=9,
            messages=[
                {
                    "role": "system",
                    "content": [
                        {"type": "text", "text": PROMPT.format(minute), "cache_control": {"type": "ephemeral"}}
                    ],
                },
                {"role": "user", "content": "hi"},
            ],
        )
        # Callbacks run behind the answer.
        for _ in range(100):
            if path.exists() and len(path.read_text("utf-8").splitlines()) == (1 if minute == 41 else 2):
                break
            time.sleep(0.1)
    report, ran = compared(path)
    assert (report["provider"], report["verdict"]) == ("anthropic", "miss"), ran.stderr
    assert report["divergences"][0]["cause"] == "clock"
    sent = [json.loads(raw) for _, _, raw in server.seen]
    written = [json.loads(line)["body"] for line in path.read_text("utf-8").splitlines()]
    assert [body["system"] for body in written] == [body["system"] for body in sent]


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_mitmproxy(server, tmp_path):
    mitmdump = os.environ.get("MITMDUMP") or shutil.which("mitmdump")
    if not mitmdump:
        pytest.skip("mitmdump is not installed")
    anthropic = pytest.importorskip("anthropic")
    path, port = tmp_path / "requests.har", free_port()
    proxy = subprocess.Popen(
        [mitmdump, "-q", "--listen-host", "127.0.0.1", "-p", str(port), "--mode", f"reverse:{server.url}"]
        + ["--set", f"hardump={path}", "--set", f"confdir={tmp_path}"]
    )
    try:
        for _ in range(300):
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        client = anthropic.Anthropic(api_key="sk-secret-key", base_url=f"http://127.0.0.1:{port}", max_retries=0)
        for minute in (41, 57):
            client.messages.create(
                model="claude-opus-5",
                max_tokens=9,
                system=[{"type": "text", "text": PROMPT.format(minute), "cache_control": {"type": "ephemeral"}}],
                messages=[{"role": "user", "content": "hi"}],
            )
    finally:
        proxy.terminate()
        proxy.wait(30)
    report, ran = compared(path)
    assert (report["provider"], report["verdict"]) == ("anthropic", "miss"), ran.stderr
    assert report["divergences"][0]["cause"] == "clock"
