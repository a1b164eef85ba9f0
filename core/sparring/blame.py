"""Says where an error of somebody's part came from."""

import traceback
from pathlib import Path


def described(err: BaseException) -> str:
    """An error in one line, with the file, line and function that raised it."""
    text = f"{type(err).__name__}: {err}" if str(err) else type(err).__name__
    frames = traceback.extract_tb(err.__traceback__)
    if not frames:
        return text
    last = frames[-1]
    return f"{text} ({Path(last.filename).name}:{last.lineno}, in {last.name})"
