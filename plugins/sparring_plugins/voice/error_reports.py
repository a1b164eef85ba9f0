"""Errors that an app's own log tells of: exceptions with the place in the app's code.

Skills often catch an exception, log its trace, and say "Sorry, I had trouble": the user hears no
crash, and only the log tells what was wrong.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

MAX_LOG = 20_000
"""Characters of a log that are looked at, the last ones."""

PROGRAMMING_ERRORS = frozenset({
    "KeyError", "TypeError", "NameError", "IndexError", "AttributeError", "UnboundLocalError",
    "ZeroDivisionError", "ReferenceError", "RangeError", "RecursionError", "AssertionError",
    "LookupError",
})  # fmt: skip
"""Exceptions that no correct program raises on purpose, whatever the world around it does."""

_PYTHON = re.compile(r"^Traceback \(most recent call last\):$", re.MULTILINE)
_PYTHON_PLACE = re.compile(r'^\s+File "([^"\n]+)", line (\d+)')
# "KeyError: 'city'" or "botocore.exceptions.ClientError: …", the last line of a traceback.
_PYTHON_ERROR = re.compile(r"^((?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?:: (.*))?$")
# "TypeError: x is undefined" with the lines "    at handle (index.js:12:3)" after it.
_NODE = re.compile(r"\b((?:[A-Z]\w*)?Error): ([^\n]{0,500})\n((?:\s+at [^\n]+\n?)+)")
_NODE_PLACE = re.compile(r"\(?([^\s()]+):(\d+):\d+\)?\s*$")
_LIBRARIES = ("site-packages", "node_modules", "/lib/python", "node:", "<frozen")
_PLACE = re.compile(
    r"\s*\((?:File \"(?P<python>[^\"]+)\", line (?P<line>\d+)[^)]*"
    r"|at [^()]*?\(?(?P<node>[^\s()]+):(?P<row>\d+):\d+\)?)\)\s*$"
)


@dataclass(frozen=True, slots=True)
class ErrorReport:
    """An exception: its type, its message, and the last place in the app's own code (or empty)."""

    kind: str
    message: str
    place: str = ""

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place else ""
        return f"{self.kind}: {self.message}".rstrip(": ") + where

    @property
    def is_programming_error(self) -> bool:
        """Whether no correct program raises it."""
        return self.kind.rpartition(".")[2] in PROGRAMMING_ERRORS


def logged_errors(log: str) -> list[ErrorReport]:
    """Return the exceptions whose traces a log contains, each once, in order."""
    text = log[-MAX_LOG:]
    reports = [*_python_errors(text), *_node_errors(text)]
    return list(dict.fromkeys(reports))


def described_error(text: str) -> ErrorReport:
    """Return the exception of a line such as ``KeyError: 'x' (File "a.py", line 3, in f)``."""
    match = _PLACE.search(text)
    place = ""
    if match is not None:
        file, line = match["python"] or match["node"], match["line"] or match["row"]
        place = _short_place(file, line)
        text = text[: match.start()]
    kind, _, message = text.partition(": ")
    return ErrorReport(kind.strip(), message.strip(), place)


def _python_errors(text: str) -> Iterator[ErrorReport]:
    starts = [match.end() for match in _PYTHON.finditer(text)]
    for start, end in pairwise([*starts, len(text)]):
        place = ""
        for line in text[start:end].splitlines():
            at = _PYTHON_PLACE.match(line)
            if at is not None:
                place = _short_place(at[1], at[2]) if _is_own(at[1]) else place
            error = _PYTHON_ERROR.match(line)
            if error is not None:
                yield ErrorReport(error[1], (error[2] or "").strip()[:500], place)
                break


def _node_errors(text: str) -> Iterator[ErrorReport]:
    for match in _NODE.finditer(text):
        places = (_NODE_PLACE.search(line) for line in match[3].splitlines())
        own = (at for at in places if at is not None and _is_own(at[1]))
        at = next(own, None)
        yield ErrorReport(match[1], match[2].strip(), _short_place(at[1], at[2]) if at else "")


def _is_own(file: str) -> bool:
    return not any(part in file for part in _LIBRARIES)


def _short_place(file: str, line: str) -> str:
    """The file's name and line: the folder differs from machine to machine."""
    name = file.replace("\\", "/").rpartition("/")[2]
    return f"{name}:{line}"
