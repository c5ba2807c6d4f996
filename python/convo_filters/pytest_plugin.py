"""Fixtures for pytest: ``assert_prefix_stable`` and ``convo_recorder``.

The plugin is there as soon as the package is installed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from . import stable
from .recorder import Recorder


@pytest.fixture
def assert_prefix_stable() -> Callable[..., None]:
    """Fails with the human report unless each request keeps the cached prefix."""

    def check(requests: Any, **options: Any) -> None:
        __tracebackhide__ = True
        # A recorder is the recording it has written.
        path = requests.path if isinstance(requests, Recorder) else requests
        stable.assert_prefix_stable(path, **options)

    return check


@pytest.fixture
def convo_recorder(tmp_path: Path) -> Iterator[Recorder]:
    """Records what every ``httpx`` and ``httpx2`` client sends during the test."""
    with Recorder(tmp_path / "requests.jsonl").everywhere() as recorder:
        yield recorder
