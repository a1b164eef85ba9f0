"""Keeps a command from outliving its caller: ``python keeper.py SECONDS COMMAND ...``.

It is run as a script, in a session of its own. When its standard input ends, because the caller
closed it or is gone, everything in its process group is asked to stop, and killed after SECONDS.
It ends as the command ends. It imports nothing of ours, so that it is cheap.
"""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress


def main() -> int:
    """Run the command; its exit code, 127 if it cannot be started."""
    patience = float(sys.argv[1])
    signal.signal(signal.SIGTERM, _ignore_signal)
    try:
        child = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL)
    except OSError as err:
        sys.stderr.write(f"cannot start {sys.argv[2]}: {err.strerror or err}\n")
        return 127
    threading.Thread(target=_watch, args=(child, patience), daemon=True).start()
    code = child.wait()
    return code if code >= 0 else 128 - code


def _ignore_signal(_number: int, _frame: object) -> None:
    pass


def _watch(child: "subprocess.Popen[bytes]", patience: float) -> None:
    while os.read(0, 1024):
        pass
    os.killpg(0, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        child.wait(patience)
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
