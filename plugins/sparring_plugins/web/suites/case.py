"""A test case: its steps as the grammar reads them, and what belongs to it."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from sparring.model.base import Value
from sparring_plugins.web.grammar.assertions import is_assertion
from sparring_plugins.web.grammar.steps import read_steps
from sparring_plugins.web.roles.step import Step
from sparring_plugins.web.suites.variables import filled_step, filled_text

Indexing = Literal["step", "assertion"]


class TestCase(Value):
    """A test case of a file.

    `name` is unique in what was loaded together; `title` is the name as it is written. `start` is
    the address to begin at; None where the steps open one, or the app's own. `setup` and
    `teardown` are the file's steps around those of the case; steps are numbered from 1 within each
    of the three. `expected` has an entry for each of `steps`: whether it is expected to hold (an
    assertion) or to be possible (an action), None where the file does not say; `indexing` tells
    how the file gave it. `variables` are those whose values stand in the steps by now; `secrets`
    the names that stay ``%name%``, whose values only the connector knows. `vary` are variables that
    stay ``%name%`` until a strategy has chosen a value (`with_values`), such that `where` holds.
    `notes` tell what was made of dirty data.
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

    @property
    def assertions(self) -> tuple[Step, ...]:
        """The steps that assert."""
        return tuple(step for step in self.steps if is_assertion(step))

    def with_values(self, values: Mapping[str, str]) -> "TestCase":
        """The test case with values for what varies, in its steps and its start."""
        parts = {
            name: tuple(_with_values(step, values) for step in steps)
            for name, steps in (
                ("setup", self.setup), ("steps", self.steps), ("teardown", self.teardown),
            )
        }  # fmt: skip
        start = None if self.start is None else filled_text(self.start, values)
        variables = {**self.variables, **values}
        return self.model_copy(update={**parts, "start": start, "variables": variables})


def _with_values(step: Step, values: Mapping[str, str]) -> Step:
    """A step with values in it, read as it is then where that is one step."""
    text = filled_text(step.text, values, safe_only=True)
    if text == step.text:
        return filled_step(step, values)
    read = read_steps(text, number=step.number, line=step.line)
    return filled_step(read[0] if len(read) == 1 else step, values)


def aligned(
    given: tuple[bool, ...], steps: tuple[Step, ...]
) -> tuple[tuple[bool | None, ...], Indexing] | None:
    """Values for every step from one per step, or one per assertion; None where neither fits.

    Which of the two it is follows from how many there are. Per step is asked first: where all
    steps are assertions it is the same.
    """
    if len(given) == len(steps):
        return tuple(given), "step"
    if len(given) == sum(is_assertion(step) for step in steps):
        left = iter(given)
        return tuple(next(left) if is_assertion(step) else None for step in steps), "assertion"
    return None
