"""Repeating one case of a run, in a process of its own, as ``sparring replay`` does it."""

import asyncio
import sys
from pathlib import Path

# A case is one conversation; a page that hangs would keep the button busy for ever.
_LONGEST_S = 120.0
_MOST_OUTPUT = 20_000


async def replay_case(run: Path, case_id: str, runs: Path, *, trusted: bool) -> dict[str, object]:
    """Repeat a case from the log, without the app; returns the exit code and what was printed.

    The new run is stored beside the others. A run that is not `trusted` came from elsewhere: it is
    held to what the suite of a stranger may do.
    """
    command = [sys.executable, "-m", "sparring", "replay", str(run.resolve())]
    process = await asyncio.create_subprocess_exec(
        *command,
        *(f"--case={case_id}", f"--runs={runs.resolve()}"),
        *(() if trusted else ("--untrusted",)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), _LONGEST_S)
    except TimeoutError:
        process.kill()
        await process.wait()
        return {"code": None, "output": f"ended after {_LONGEST_S:.0f} seconds"}
    text = output.decode("utf-8", "replace")
    return {"code": process.returncode, "output": text[-_MOST_OUTPUT:]}
