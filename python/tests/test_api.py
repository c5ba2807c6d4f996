"""The filters as functions: Python values in and out, refusals as exceptions."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from importlib.metadata import entry_points

import convo_filters
import pytest

EVENTS = [
    {"type": "turn_start"},
    {"type": "chat_request", "content": "Hi é"},
    {"type": "chat_response", "reasoning": "hm"},
    {"type": "tool_call_request", "id": "c", "name": "ls", "arguments": {}},
    {"type": "tool_call_response", "id": "c", "content": [
        {"type": "text", "text": "for you", "annotations": {"audience": ["user"]}},
        {"type": "text", "text": "for it", "annotations": {"audience": ["assistant"]}}]},
    {"type": "chat_response", "message": "Hello."},
]


def test_project():
    view = convo_filters.project(EVENTS)
    assert [event["type"] for event in view] == ["turn_start", "chat_request", "tool_call_response", "chat_response"]
    assert view[2]["content"] == [EVENTS[4]["content"][0]]
    assert convo_filters.project(EVENTS, view="raw") == EVENTS
    assert convo_filters.project({"base_config": {}, "events": EVENTS}) == view
    assert convo_filters.project(json.dumps(EVENTS).encode()) == view


def test_paths(tmp_path):
    path = tmp_path / "-events.json"
    path.write_text(json.dumps(EVENTS), "utf-8")
    assert convo_filters.project(path) == convo_filters.project(str(path)) == convo_filters.project(EVENTS)


def test_refusals_have_a_place():
    with pytest.raises(convo_filters.ConvoError, match="expected a string") as caught:
        convo_filters.project([{"type": "chat_request", "content": 5}])
    error = caught.value
    assert (error.path, error.event, error.byte) == ("/0/content", 0, 34)
    assert error.code and error.hint
    with pytest.raises(convo_filters.ConvoError, match="colour"):
        convo_filters.lint({"model": "claude-opus-5"}, colour="x")
    with pytest.raises(convo_filters.ConvoError):
        convo_filters.project(b"not JSON")


def test_flatten():
    body = convo_filters.flatten(EVENTS, provider="anthropic", model="claude-haiku-4-5")
    assert body["model"] == "claude-haiku-4-5"
    assert body["messages"][0]["content"][0]["text"] == "Hi é"
    assert "for you" not in json.dumps(body)
    bodies = convo_filters.flatten(EVENTS, provider="openai", model="gpt-5-mini", requests="all", format="request")
    assert [one["path"] for one in bodies] == ["/v1/responses"] * 2


def test_mends_are_warnings():
    cut = [*EVENTS[:4], {"type": "chat_request", "content": "go on"}]
    with pytest.warns(convo_filters.ConvoWarning):
        body = convo_filters.flatten(cut, provider="anthropic", model="claude-haiku-4-5")
    assert "interrupted" in json.dumps(body)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        convo_filters.project(EVENTS)


def test_place_directives():
    delta = {"type": "config_delta", "delta": {"assistant": {"system_prompt_sections": [{"content": "Be kind."}]}}}
    stream = [*EVENTS, delta, {"type": "chat_request", "content": "more"}]
    body = convo_filters.place_directives(stream, model="anthropic/claude-opus-5")
    assert [message["role"] for message in body["messages"]][-1] == "system"


def test_lint():
    body = {"model": "claude-opus-5", "max_tokens": 9, "messages": [{"role": "user", "content": "go"}]}
    assert convo_filters.lint(body) == []
    body["messages"].append({"role": "assistant", "content": "Sure"})
    [finding] = convo_filters.lint(body)
    assert (finding.rule, finding.severity, finding.path) == ("prefill-unsupported", "error", "/messages/1")
    assert "prefill-unsupported" in str(finding)


def body(system):
    text = {"type": "text", "text": system + " Mind the gap." * 900, "cache_control": {"type": "ephemeral"}}
    return {"model": "claude-opus-5", "max_tokens": 9, "system": [text], "messages": [{"role": "user", "content": "hi"}]}


def test_compare():
    assert convo_filters.compare(body("It is 10:41."), body("It is 10:41."))["verdict"] == "hit"
    report = convo_filters.compare(body("It is 10:41."), body("It is 10:57."))
    assert (report["verdict"], report["divergences"][0]["cause"]) == ("miss", "clock")
    masked = convo_filters.compare(body("It is 10:41."), body("It is 10:57."), mask=r"\d\d:\d\d")
    assert masked["verdict"] == "hit"


def test_assert_prefix_stable(tmp_path):
    good, bad = body("It is 10:41."), body("It is 10:57.")
    convo_filters.assert_prefix_stable([good, good])
    convo_filters.assert_prefix_stable([good, bad], mask=r"\d\d:\d\d")
    convo_filters.assert_prefix_stable([good, bad], fail_on=["never"])
    with pytest.raises(AssertionError, match="clock at /system/0/text"):
        convo_filters.assert_prefix_stable([good, bad])
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps({"request": {"body": one}}) + "\n" for one in (good, bad)), "utf-8")
    with pytest.raises(AssertionError, match="hint"):
        convo_filters.assert_prefix_stable(path)
    with pytest.raises(convo_filters.ConvoError):
        convo_filters.assert_prefix_stable([good, good], mask="(")


def test_the_plugin_shows_the_report(pytester, monkeypatch):
    pytester.makepyfile(
        f"""
        BODIES = [{body("It is 10:41.")!r}, {body("It is 10:57.")!r}]
        def test_holds(assert_prefix_stable):
            assert_prefix_stable(BODIES[:1] * 2)
        def test_breaks(assert_prefix_stable):
            assert_prefix_stable(BODIES)
        def test_recorded(convo_recorder, assert_prefix_stable):
            convo_recorder.path.write_text("".join(__import__("json").dumps(b) + "\\n" for b in BODIES[:1] * 2))
            assert_prefix_stable(convo_recorder)
        """
    )
    # An installed wheel brings the plugin along; a checkout names it.
    found = entry_points()
    points = found.get("pytest11", ()) if isinstance(found, dict) else found.select(group="pytest11")
    installed = any(point.value == "convo_filters.pytest_plugin" for point in points)
    named = [] if installed else ["-p", "convo_filters.pytest_plugin"]
    ran = pytester.runpytest_subprocess("-p", "no:cacheprovider", *named)
    ran.assert_outcomes(passed=2, failed=1)
    ran.stdout.fnmatch_lines(["*the prompt prefix does not hold*", "*system clock at /system/0/text*"])


def test_the_module_is_the_program():
    ran = subprocess.run([sys.executable, "-m", "convo_filters", "--version"], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout.split()[0]) == (0, "convo")
