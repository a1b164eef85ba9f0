"""What the step runner keeps of each step in a trace, for the oracles and reports that read it."""

from typing import Literal

from pydantic import Field

from sparring.model.base import AppText, Value
from sparring.model.verdict import Owner
from sparring_plugins.web.roles.page_agents import Candidate, Judged
from sparring_plugins.web.roles.step import Step

Outcome = Literal["done", "true", "false", "inconclusive", "not_reached"]
Phase = Literal["setup", "test", "teardown"]
TestVerdict = Literal["pass", "fail", "inconclusive"]

#: The key of `Trace.meta` under which the record of a test case lies.
META = "gui"

#: The reason of the steps that were not over when an incident ended the test case.
BROKEN_OFF = "the test case was broken off"


def _is_none(value: object) -> bool:
    return value is None


def _is_zero(value: object) -> bool:
    return value == 0


class StepRecord(Value):
    """One step, and what the agents said of it.

    `outcome` is ``done`` for a navigation step that was carried out, ``true`` or ``false`` for an
    assertion, ``inconclusive`` for a step that could not be decided (`reason` says why), and
    ``not_reached``. `turns` are the 0-based turns of its acts, `target` what it acted upon in
    words. `vacuous` says of a true assertion what makes it weak: that it was true before the last
    act too, or on every page. `frozen` tells how a frozen step was found again. Times are in
    seconds since the conversation began. `digest` is that of the page that the step met. Steps of
    the file around those of the test case have another `phase`, and numbers below 1 before it.
    `owner` is who has to act on an inconclusive step, if it is not the author of the test case;
    `starved_s` for how many seconds the machine gave no processor time meanwhile.
    """

    step: Step
    outcome: Outcome
    phase: Phase = "test"
    expected: bool | None = None
    reason: AppText = ""
    readiness: Judged | None = None
    navigation: Judged | None = None
    observed: Judged | None = None
    assertion: Judged | None = None
    candidates: tuple[Candidate, ...] = ()
    target: AppText = ""
    turns: tuple[int, ...] = ()
    started_s: float = 0.0
    duration_s: float = 0.0
    screenshot: str | None = None
    vacuous: Literal["before", "everywhere"] | None = None
    frozen: Literal["found", "healed", "lost"] | None = None
    digest: str = ""
    url: AppText = ""
    owner: Owner | None = Field(default=None, exclude_if=_is_none)
    starved_s: float = Field(default=0.0, exclude_if=_is_zero)

    @property
    def asserts(self) -> bool:
        """Whether the step is an assertion, also one that the grammar does not understand."""
        from sparring_plugins.web.grammar.assertions import is_assertion  # reports do without

        return is_assertion(self.step)


class GuiRecord(Value):
    """A test case as it was run: its steps, and its verdict by Algorithm 1.

    `verdict` is pass where all assertions held, fail where one did not, inconclusive(step, why)
    otherwise. `numbering` says how `expected` was read where the test case has it. `sentences` has
    the steps as they are written, by number, that hold values of this case in the place of names.
    """

    test: str
    source: str | None = None
    steps: tuple[StepRecord, ...]
    verdict: TestVerdict
    reason: AppText = ""
    expected: tuple[bool, ...] | None = None
    numbering: str = ""
    strict: bool = True
    sentences: dict[int, str] = {}
