"""Where the ``convo`` program is, and how it is run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Iterator, Sequence

NAME = "convo" + (sysconfig.get_config_var("EXE") or "")


def _candidates() -> Iterator[Path]:
    """The script folders a wheel may have been installed into, likeliest first."""
    yield Path(sysconfig.get_path("scripts")) / NAME
    yield Path(sys.executable).parent / NAME
    if hasattr(sysconfig, "get_preferred_scheme"):
        user = sysconfig.get_preferred_scheme("user")
    else:  # Python 3.9
        user = "nt_user" if os.name == "nt" else "posix_user"
    yield Path(sysconfig.get_path("scripts", scheme=user)) / NAME
    # `pip install --target DIR` puts scripts beside the packages.
    yield Path(__file__).resolve().parent.parent / "bin" / NAME


def find_convo() -> str:
    """The path of the program: ``CONVO_BINARY``, this wheel's, or that on the ``PATH``."""
    chosen = os.environ.get("CONVO_BINARY")
    if chosen:
        return chosen
    for path in _candidates():
        if path.is_file():
            return str(path)
    found = shutil.which("convo")
    if found:
        return found
    raise FileNotFoundError(
        "the convo program is not installed; reinstall convo-filters or set CONVO_BINARY"
    )


def run(args: Sequence[str], stdin: bytes | None) -> subprocess.CompletedProcess[bytes]:
    """Runs ``convo ARGS`` on ``stdin`` and gives what it wrote."""
    return subprocess.run(
        [find_convo(), *args],
        input=b"" if stdin is None else stdin,
        capture_output=True,
        check=False,
    )
