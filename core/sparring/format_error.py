"""Texts for exceptions of foreign code: formatting never raises, nor has control characters."""

import traceback
from pathlib import Path

from sparring.errors import PartError

_LONGEST = 2_000
"""Characters of an error's text that are kept: a hostile part may put a whole page into it."""


def error_text(err: BaseException) -> str:
    """Return the text of an error on clean lines; empty if it has none or cannot say it.

    An exception's ``__str__`` is somebody else's code and may raise itself.
    """
    try:
        text = str(err)
    except BaseException as second:  # noqa: BLE001 - see the docstring
        return f"(its text cannot be read: str() raised {type(second).__name__})"
    clean = "".join(c if c.isprintable() or c == "\n" else " " for c in text[: 2 * _LONGEST])
    return clean if len(clean) <= _LONGEST else clean[: _LONGEST - 3] + "..."


def describe_error(err: BaseException) -> str:
    """Return an error in one line, with the file, line and function that raised it.

    A `PartError` says that already, of the error that it was made from.
    """
    text = " ".join(error_text(err).split())
    if isinstance(err, PartError):
        return text
    text = f"{type(err).__name__}: {text}" if text else type(err).__name__
    frames = traceback.extract_tb(err.__traceback__)
    if not frames:
        return text
    last = frames[-1]
    return f"{text} ({Path(last.filename).name}:{last.lineno}, in {last.name})"
