"""``python -m convo_filters``: the program itself."""

import os
import subprocess
import sys

from ._binary import find_convo


def main() -> None:
    """Runs the program with this process's arguments and standard streams."""
    program = find_convo()
    args = [program, *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(args, check=False).returncode)
    os.execv(program, args)


if __name__ == "__main__":
    main()
