"""A test case: its steps as the grammar reads them, and the values in place of ``%name%``.

Plain values are filled in before a sentence is read, so that it is read as it will be done. Values
with quotes are filled in afterwards, because they would be taken for quotes of the sentence.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Literal, cast

from pydantic import Field

from sparring.model.base import Value
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.steps import read_steps
from sparring_plugins.web.step import Step

MARK = re.compile(r"%(\w[\w.-]{0,79})%")
# A value with a quotation mark would end the quotation of the step that it is put into.
_UNSAFE = re.compile(r"[\n\r'\"`´‘’‚‛“”„‟«»‹›「」『』\\]|^\s|\s$|^$")


def fill_text(text: str, values: Mapping[str, str], *, safe_only: bool = False) -> str:
    """Return a text with the values of its names; with `safe_only` those without quotes only."""

    def value_of(mark: re.Match[str]) -> str:
        value = values.get(mark[1])
        return mark[0] if value is None or (safe_only and _UNSAFE.search(value)) else value

    return MARK.sub(value_of, text) if "%" in text else text


def fill_step(step: Step, values: Mapping[str, str]) -> Step:
    """Return a step with the values of its names, in its text and in its readings."""
    if not any(mark[1] in values for mark in MARK.finditer(step.text)):
        return step
    return Step.model_validate(_fill_value(step.model_dump(), values))


def _fill_value(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return fill_text(value, values)
    if isinstance(value, (list, tuple)):
        return [_fill_value(item, values) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {
            key: _fill_value(item, values) for key, item in cast("dict[str, Any]", value).items()
        }
    return value


def names_in(text: str) -> Iterator[str]:
    """Yield the names that stand in a text as ``%name%``."""
    return (mark[1] for mark in MARK.finditer(text))


Indexing = Literal["step", "assertion"]


class SentencePlace(Value):
    """A sentence of a file, with the place and the text that it has there.

    `own` are the steps that the grammar makes of it, `played` those that are played: the same, or
    those of its translation. `is_stale` says that it changed since it was translated; `by` who
    translated it. `of` is its digest now.
    """

    at: tuple[str | int, ...]
    text: str
    own: tuple[Step, ...]
    played: tuple[Step, ...]
    of: str
    by: str = ""
    is_stale: bool = False
    review: str = ""

    @property
    def is_translated(self) -> bool:
        """Whether the steps that are played are those of a translation."""
        return any(step.by for step in self.played)


class TestCase(Value):
    """A test case of a file.

    `name` is unique in what was loaded together; `title` is the name as it is written. `start` is
    the address to begin at; None if the steps open one, or the app's own is meant. `setup` and
    `teardown` are the file's steps around those of the case; steps are numbered from 1 within each
    of the three. `expected` has an entry for each of `steps`: whether it is expected to hold (an
    assertion) or to be possible (an action), None if the file does not say; `indexing` is how the
    file's list was read. `variables` are those whose values stand in the steps by now; `secrets`
    the names that stay ``%name%``, whose values only the connector knows. `vary` are variables that
    stay ``%name%`` until a strategy has chosen a value (`with_values`) for which `where` holds.
    `notes` describe what was mended in dirty data. `places` are its sentences in a YAML file,
    those around its own included.
    """

    __test__: ClassVar[bool] = False  # pytest takes any class called Test... for tests

    name: str
    title: str
    description: str = ""
    tags: tuple[str, ...] = ()
    start: str | None = None
    setup: tuple[Step, ...] = ()
    steps: tuple[Step, ...] = ()
    teardown: tuple[Step, ...] = ()
    expected: tuple[bool | None, ...] = ()
    indexing: Indexing | None = None
    variables: dict[str, str] = {}
    secrets: tuple[str, ...] = ()
    vary: dict[str, tuple[str, ...]] = {}
    where: tuple[str, ...] = ()
    repeat: int = 1
    skip: str | None = None
    notes: tuple[str, ...] = ()
    file: str | None = None
    line: int | None = None
    places: tuple[SentencePlace, ...] = Field(default=(), repr=False)

    @property
    def assertions(self) -> tuple[Step, ...]:
        """The steps that assert."""
        return tuple(step for step in self.steps if is_assertion(step))

    def with_values(self, values: Mapping[str, str]) -> "TestCase":
        """Return the test case with values for what varies, in its steps and its start."""
        parts = {
            name: tuple(_with_values(step, values) for step in steps)
            for name, steps in (
                ("setup", self.setup), ("steps", self.steps), ("teardown", self.teardown),
            )
        }  # fmt: skip
        start = None if self.start is None else fill_text(self.start, values)
        variables = {**self.variables, **values}
        return self.model_copy(update={**parts, "start": start, "variables": variables})


def _with_values(step: Step, values: Mapping[str, str]) -> Step:
    """Return a step with values in it; it is read again, unless that makes several steps of it."""
    text = fill_text(step.text, values, safe_only=True)
    if text == step.text or step.by:  # a translation has one reading, whatever the values
        return fill_step(step, values)
    steps = read_steps(text, number=step.number, line=step.line)
    return fill_step(steps[0] if len(steps) == 1 else step, values)


def align_expected(
    values: tuple[bool, ...], steps: tuple[Step, ...]
) -> tuple[tuple[bool | None, ...], Indexing] | None:
    """Assign a list of expected values to the steps.

    The number of values decides whether there is one per step or one per assertion, which is the
    same if all steps are assertions. Returns a value for each step (None for actions if there is
    one per assertion) and how the list was read, or None if neither fits.
    """
    if len(values) == len(steps):
        return tuple(values), "step"
    if len(values) == sum(is_assertion(step) for step in steps):
        rest = iter(values)
        return tuple(next(rest) if is_assertion(step) else None for step in steps), "assertion"
    return None
