"""Which entry of a script a question is for."""

from collections import deque
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

import regex
from rapidfuzz import fuzz

from sparring.documents.checking import shown
from sparring.errors import ModelError
from sparring.model.chat import ChatRequest
from sparring_plugins.llm.script import Entry, When, listed

_PATTERN_S = 2.0
_COMPARED = 5_000


def groups_where_it_fits(when: When, request: ChatRequest) -> dict[str, str] | None:
    """What the named groups found, where all conditions hold, else None.

    Raises ModelError where a pattern needs more than two seconds.
    """
    groups: dict[str, str] = {}
    return groups if next(unmet(when, request, groups), None) is None else None


def unmet(when: When, request: ChatRequest, groups: dict[str, str]) -> Iterator[str]:
    """The conditions that a question does not meet, in words; fills the groups as it goes."""
    named = {"asker": request.asker, "prompt": request.prompt, "case": request.case_id or ""}
    for name, value in named.items():
        wanted = listed(getattr(when, name))
        if wanted and not any(fnmatchcase(value, pattern) for pattern in wanted):
            yield f"{name} {_either(wanted)}, not {shown(value)}"
    for name, number in (("sample", request.sample), ("round", request.round)):
        if getattr(when, name) not in (None, number):
            yield f"{name} {getattr(when, name)}, not {number}"
    text = looked_at(when, request)
    for part in listed(when.contains):
        if part not in text:
            yield f"a prompt that contains {shown(part)}"
    for part in listed(when.lacks):
        if part in text:
            yield f"a prompt that lacks {shown(part)}"
    for pattern in listed(when.matches):
        found = _last_match(pattern, text)
        if found is None:
            yield f"a prompt that matches {shown(pattern)}"
        else:
            groups.update({name: value or "" for name, value in found.groupdict().items()})


def looked_at(when: When, request: ChatRequest) -> str:
    """The text of a question that an entry looks at."""
    messages = request.messages[-1:] if when.where == "last" else request.messages
    if when.where == "system":
        messages = tuple(one for one in messages if one.role == "system")
    return "\n\n".join(one.content for one in messages)


def nearest_entry(entries: Sequence[Entry], request: ChatRequest) -> int | None:
    """The number of the entry that lacks least to be for a question; None where there is none."""

    def likeness(number: int) -> tuple[int, float]:
        when = entries[number].when
        missing = len(list(unmet(when, request, {})))
        texts = (*listed(when.contains), *listed(when.matches))
        said = looked_at(when, request)[-_COMPARED:]
        return -missing, max((fuzz.partial_ratio(one, said) for one in texts), default=0.0)

    return max(range(len(entries)), key=likeness, default=None)


def _last_match(pattern: str, text: str) -> Any:
    """The last match; a pattern that backtracks without end is stopped."""
    module: Any = regex
    try:
        last: deque[Any] = deque(module.finditer(pattern, text, timeout=_PATTERN_S), maxlen=1)
    except TimeoutError as err:
        raise ModelError(
            f"the script's pattern {shown(pattern)} takes longer than {_PATTERN_S:g} s"
        ) from err
    return last[0] if last else None


def _either(wanted: Sequence[str]) -> str:
    return " or ".join(shown(one) for one in wanted)
