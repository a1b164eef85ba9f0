"""Values in the place of ``%name%``.

Plain values are filled in before a sentence is read, so that it is read as it will be done. One
that holds quotes is filled in afterwards: it could not be told from the sentence's own.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from sparring_plugins.web.roles.step import Step

MARK = re.compile(r"%(\w[\w.-]{0,79})%")
_UNSAFE = re.compile(r"[\n\r'\"`´‘’‚‛“”„‟«»‹›「」『』\\]|^\s|\s$|^$")


def filled_text(text: str, values: Mapping[str, str], *, safe_only: bool = False) -> str:
    """A text with the values of known names; with `safe_only` those that fit in a sentence."""

    def value(mark: re.Match[str]) -> str:
        found = values.get(mark[1])
        if found is None or (safe_only and _UNSAFE.search(found)):
            return mark[0]
        return found

    return MARK.sub(value, text) if "%" in text else text


def filled_step(step: Step, values: Mapping[str, str]) -> Step:
    """A step with the values of known names in its text and in its readings."""
    if not any(mark[1] in values for mark in MARK.finditer(step.text)):
        return step
    return Step.model_validate(_filled(step.model_dump(), values))


def _filled(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return filled_text(value, values)
    if isinstance(value, (list, tuple)):
        return [_filled(item, values) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _filled(item, values) for key, item in cast("dict[str, Any]", value).items()}
    return value


def names_in(text: str) -> Iterator[str]:
    """The names that stand in a text as ``%name%``."""
    return (mark[1] for mark in MARK.finditer(text))
