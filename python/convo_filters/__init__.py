"""Filters for stored LLM conversations, on Python values.

>>> import convo_filters
>>> events = [{"type": "chat_request", "content": "Hi"},
...           {"type": "chat_response", "reasoning": "hm"},
...           {"type": "chat_response", "message": "Hello."}]
>>> [event["type"] for event in convo_filters.project(events)]
['chat_request', 'chat_response']

Every function runs the ``convo`` program that came with this package: what it refuses
is an exception with path and byte, what it mends a :class:`ConvoWarning`.

A conversation is a list of events, a bundle or envelope (``dict``), JSON text as
``bytes``, or the path of a file or conversation directory (``str`` or ``os.PathLike``).
A body is a ``dict``, JSON text as ``bytes``, or a path; a recorded line
(``{"request": {"body": ..., "headers": ...}}``) will do for a body everywhere.
"""

from __future__ import annotations

from ._api import (
    Body,
    Conversation,
    ConvoError,
    ConvoWarning,
    Finding,
    compare,
    compare_series,
    flatten,
    lint,
    place_directives,
    project,
)
from ._binary import find_convo
from .recorder import Recorder
from .stable import assert_prefix_stable

__all__ = [
    "Body",
    "Conversation",
    "ConvoError",
    "ConvoWarning",
    "Finding",
    "Recorder",
    "assert_prefix_stable",
    "compare",
    "compare_series",
    "find_convo",
    "flatten",
    "lint",
    "place_directives",
    "project",
]
