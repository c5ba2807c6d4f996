"""The recorder, with the real client packages, against a loopback server."""

from __future__ import annotations

import asyncio
import json
import subprocess

import convo_filters
import pytest
from convo_filters import Recorder, recorder

anthropic = pytest.importorskip("anthropic")
openai = pytest.importorskip("openai")

KEY = "sk-secret-key"
PROMPT = {"model": "claude-opus-5", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "requests.jsonl"


def sync_anthropic(server):
    return anthropic.Anthropic(api_key=KEY, base_url=server.url, max_retries=0)


def sync_openai(server):
    return openai.OpenAI(api_key=KEY, base_url=f"{server.url}/v1", max_retries=0)


def test_a_message(server, path):
    client = Recorder(path).attach(sync_anthropic(server))
    answer = client.beta.messages.create(**PROMPT, betas=["inline-tools-2026-09-15"])
    assert answer.content[0].text == "Hello."
    [line] = lines(path)
    assert line["request"]["body"] == PROMPT
    assert line["request"]["url"].startswith(f"{server.url}/v1/messages")
    assert line["request"]["headers"]["anthropic-beta"] == "inline-tools-2026-09-15"
    assert line["response"]["usage"]["cache_creation_input_tokens"] == 2048
    assert line["response"]["headers"]["request-id"] == "req_1"
    assert (line["response"]["status"], line["response"]["id"]) == (200, "msg_1")
    assert line["time"] >= line["timings"]["wait"] >= 0


def test_bytes_are_those_that_were_sent(server, path):
    client = Recorder(path).attach(sync_anthropic(server))
    client.messages.create(**{**PROMPT, "messages": [{"role": "user", "content": "zäh 1e2 \u2028"}]})
    [(_, _, sent)] = server.seen
    assert sent in path.read_bytes()


def test_no_credential_is_written(server, path):
    rec = Recorder(path)
    rec.attach(sync_anthropic(server)).messages.create(**PROMPT)
    rec.attach(sync_openai(server)).responses.create(
        model="gpt-5-mini",
        input="hi",
        tools=[{"type": "mcp", "server_label": "m", "server_url": "https://mcp.example", "authorization": "mcp-secret"}],
    )
    rec.attach(sync_anthropic(server)).beta.messages.create(
        **PROMPT,
        betas=["mcp-client-2025-11-20"],
        mcp_servers=[{"type": "url", "name": "m", "url": "https://mcp.example", "authorization_token": "mcp-secret"}],
    )
    sent = b"".join(raw + repr(headers).encode() for _, headers, raw in server.seen)
    assert KEY.encode() in sent and b"mcp-secret" in sent
    written = path.read_text("utf-8")
    for secret in (KEY, "mcp-secret", "secret-cookie", "Bearer"):
        assert secret not in written, secret
    assert len(lines(path)) == 3
    assert recorder.address("https://u:p@h.example/v1?key=k&alt=sse#f") == "https://h.example/v1?alt=sse"


def test_a_streamed_message(server, path):
    client = Recorder(path).attach(sync_anthropic(server))
    with client.messages.stream(**PROMPT) as stream:
        assert "".join(stream.text_stream) == "Hello."
    events = client.messages.create(**PROMPT, stream=True)
    assert [event.type for event in events][-1] == "message_stop"
    assert len(lines(path)) == 2
    for line in lines(path):
        usage = line["response"]["usage"]
        assert (usage["cache_creation_input_tokens"], usage["output_tokens"]) == (2048, 3)
        assert line["response"]["model"] == "claude-opus-5"


def test_a_stream_that_is_left(server, path):
    client = Recorder(path).attach(sync_anthropic(server))
    with client.messages.stream(**PROMPT) as stream:
        next(iter(stream))
    [line] = lines(path)
    assert line["request"]["body"]["stream"] is True


def test_asynchronous_clients(server, path):
    async def talk():
        rec = Recorder(path)
        async with anthropic.AsyncAnthropic(api_key=KEY, base_url=server.url) as client:
            rec.attach(client)
            await asyncio.gather(*(client.messages.create(**PROMPT) for _ in range(4)))
            async with client.messages.stream(**PROMPT) as stream:
                assert await stream.get_final_text() == "Hello."
        async with openai.AsyncOpenAI(api_key=KEY, base_url=f"{server.url}/v1") as client:
            rec.attach(client)
            events = await client.responses.create(model="gpt-5-mini", input="hi", stream=True)
            assert [event.type async for event in events][-1] == "response.completed"

    asyncio.run(talk())
    assert len(lines(path)) == 6
    assert all(line["response"]["usage"] for line in lines(path))


def test_responses_and_chat(server, path):
    client = Recorder(path).attach(sync_openai(server))
    client.responses.create(model="gpt-5-mini", input="hi")
    list(client.responses.create(model="gpt-5-mini", input="hi", stream=True))
    ask = dict(model="gpt-4.1", messages=[{"role": "user", "content": "hi"}])
    client.chat.completions.create(**ask)
    list(client.chat.completions.create(**ask, stream=True, stream_options={"include_usage": True}))
    found = [line["response"] for line in lines(path)]
    assert [one["id"] for one in found] == ["resp_1", "resp_1", "chatcmpl_1", "chatcmpl_1"]
    assert [one["usage"]["total_tokens"] for one in found] == [1503] * 4


def test_refusals_and_dead_servers(server, path):
    rec = Recorder(path)
    with pytest.raises(anthropic.BadRequestError):
        rec.attach(sync_anthropic(server)).messages.create(**{**PROMPT, "model": "refuse"})
    dead = anthropic.Anthropic(api_key=KEY, base_url="http://127.0.0.1:9", max_retries=0)
    with pytest.raises(anthropic.APIConnectionError):
        rec.attach(dead).messages.create(**PROMPT)
    refused, lost = lines(path)
    assert refused["response"]["status"] == 400
    assert refused["response"]["error"]["type"] == "invalid_request_error"
    assert lost["response"]["status"] is None
    assert lost["response"]["error"]["type"] == "ConnectError"


@pytest.mark.parametrize("name", ["httpx", "httpx2"])
def test_plain_clients_of_either_generation(server, path, name):
    module = pytest.importorskip(name)
    before = module.Client.send
    with Recorder(path).everywhere():
        with module.Client() as client:
            client.post(f"{server.url}/v1/messages", json=PROMPT, headers={"x-api-key": KEY})
            with client.stream("POST", f"{server.url}/v1/messages", json={**PROMPT, "stream": True}) as got:
                assert b"message_stop" in got.read()
            client.post(f"{server.url}/v1/messages", content=b"{}", headers={"x-api-key": KEY})
    assert module.Client.send is before
    found = lines(path)
    assert [bool(line["response"]["usage"]) for line in found] == [True, True, True]
    assert KEY not in path.read_text("utf-8")


def test_the_program_reads_a_recording_as_it_is(server, path):
    client = Recorder(path).attach(sync_anthropic(server))
    for minute in (41, 57):
        system = [{"type": "text", "text": f"Be brief. It is 10:{minute}. " + "Mind the gap. " * 900, "cache_control": {"type": "ephemeral"}}]
        client.messages.create(**PROMPT, system=system)
    for command, status in (("lint", 0), ("diff-cache-prefix", 1)):
        ran = subprocess.run([convo_filters.find_convo(), command, str(path)], capture_output=True, text=True)
        assert ran.returncode == status, ran.stdout + ran.stderr
    assert "clock" in ran.stdout, ran.stdout
    [report] = convo_filters.compare_series(path)
    assert report["divergences"][0]["cause"] == "clock"
