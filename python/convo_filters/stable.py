"""The check that a prompt prefix holds from request to request."""

from __future__ import annotations

import os
from typing import Any, Iterable, Sequence

from . import _api, _binary


def assert_prefix_stable(
    requests: Iterable[_api.Body] | str | os.PathLike[str],
    *,
    fail_on: Sequence[str] = ("lost", "binding"),
    **options: Any,
) -> None:
    """Fails with the human report unless each request keeps the cached prefix.

    ``requests`` are bodies or recorded requests in the order in which they were sent, or
    the path of a recording (:class:`convo_filters.Recorder`). ``options`` are those of
    ``convo diff-cache-prefix``, such as ``mask`` for a known nonce.
    """
    __tracebackhide__ = True
    operand, stdin = _api.series(requests)
    args = ["diff-cache-prefix", "--color", "never"]
    args += _api._options(fail_on=list(fail_on), **options)
    ran = _binary.run([*args, *operand], stdin)
    report = ran.stdout.decode("utf-8", "replace").rstrip()
    told = ran.stderr.decode("utf-8", "replace").strip()
    if ran.returncode == 0:
        return
    if ran.returncode == 1 and report:
        raise AssertionError("the prompt prefix does not hold\n\n" + report)
    raise _api.ConvoError(told or f"convo ended with status {ran.returncode}")
