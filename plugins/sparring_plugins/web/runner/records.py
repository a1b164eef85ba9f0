"""The record of a test case that the step runner keeps in a trace, and the same as an IOLTS.

An input/output labelled transition system as in Salva and Taguelmimt, Section 3: states are joined
by inputs (``?act``), which the tester gives to the app, outputs (``!evidence``), which the app
gives back, and internal steps (``tau``), here the agents' decisions. A run is one path that ends
in ``pass``, ``fail`` or ``inconclusive``. It is written as JSON, as DOT, and in the Aldebaran
format (``.aut``) that model checkers read.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from sparring.model.base import AppText, Value, storable
from sparring.model.verdict import Owner
from sparring_plugins.web.roles import Candidate, Judged
from sparring_plugins.web.step import Step

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
    """One step, and the agents' answers about it.

    `outcome` is ``done`` for a navigation step that was carried out, ``true`` or ``false`` for an
    assertion, ``inconclusive`` for a step that could not be decided (`reason` says why), and
    ``not_reached``. `turns` are the 0-based turns of its acts, `target` what it acted upon in
    words. `vacuous` says why a true assertion shows little: it was true before the last act too,
    or on every page. `frozen` is how a frozen step was found again. Times are in seconds since
    the conversation began. `digest` is that of the page on which the step began. Steps of the
    file around those of the test case have another `phase`, and numbers below 1 before it.
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

    @property
    def opens_page(self) -> bool:
        """Whether the step opens an address."""
        return self.step.reading is not None and self.step.reading.action == "open"

    @property
    def strict(self) -> bool:
        """Whether plain rules decided the step, and no language model."""
        answers = (self.readiness, self.navigation, self.assertion)
        return all(answer is None or answer.strict for answer in answers)


def not_played(step: Step, phase: Phase, reason: str, expected: bool | None) -> StepRecord:
    """Return the record of a step that was not reached, and why."""
    return StepRecord(
        step=step, outcome="not_reached", phase=phase, reason=reason, expected=expected
    )


def not_recorded(
    phases: Sequence[tuple[Phase, Sequence[Step]]],
    records: Sequence[StepRecord],
    expected: Mapping[int, bool],
) -> tuple[StepRecord, ...]:
    """Return records for the steps that have none because the test case was broken off."""
    recorded = {record.step.number for record in records}
    return tuple(
        not_played(step, phase, BROKEN_OFF, expected.get(step.number))
        for phase, steps in phases
        for step in steps
        if step.number not in recorded
    )


def verdict_of(records: Sequence[StepRecord]) -> tuple[TestVerdict, str]:
    """Return the verdict and its step: fail if one is false, else inconclusive if undecided."""
    for record in records:
        if record.outcome == "false":
            return "fail", f"step {record.step.number}: {record.reason}"
    for record in records:
        if record.outcome == "inconclusive":
            return "inconclusive", f"step {record.step.number}: {record.reason}"
    return "pass", ""


class GuiRecord(Value):
    """A test case as it was run: its steps, and its verdict by Algorithm 1.

    `verdict` is pass if all assertions held, fail if one did not, inconclusive otherwise.
    `numbering` says how `expected` was read if the test case has it. `sentences` has the steps as
    they are written, by number, if they hold values of this case in place of names.
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


_MAX_LABEL = 160


@dataclass(frozen=True)
class Transition:
    """One step from a state to the next."""

    source: int
    label: str
    target: int


@dataclass(frozen=True)
class Iolts:
    """States are numbered from 0, the initial one; `names` says what each is."""

    names: tuple[str, ...]
    transitions: tuple[Transition, ...]

    def as_json(self) -> str:
        """Return the system as a JSON object."""
        data = {
            "initial": 0,
            "states": [{"id": n, "name": name} for n, name in enumerate(self.names)],
            "transitions": [
                {"from": t.source, "label": t.label, "to": t.target} for t in self.transitions
            ],
        }
        return json.dumps(storable(data), indent=1, ensure_ascii=False) + "\n"

    def as_dot(self) -> str:
        """Return the system in Graphviz's language."""
        lines = ["digraph iolts {", "  rankdir=TB;", '  node [shape=box, fontname="sans-serif"];']
        lines += [f"  s{n} [label={_quote_dot(name)}];" for n, name in enumerate(self.names)]
        lines += [
            f"  s{t.source} -> s{t.target} [label={_quote_dot(t.label)}];" for t in self.transitions
        ]
        return "\n".join([*lines, "}", ""])

    def as_aldebaran(self) -> str:
        """Return the system in the Aldebaran format: a header, and one transition per line.

        The format has no escapes, so quotation marks become apostrophes; ``tau`` is ``i``.
        """
        head = f"des (0, {len(self.transitions)}, {len(self.names)})"
        rows = [f"({t.source}, {_quote_aldebaran(t.label)}, {t.target})" for t in self.transitions]
        return "\n".join([head, *rows, ""])


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def _quote_dot(text: str) -> str:
    return '"' + _printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _quote_aldebaran(label: str) -> str:
    if label.startswith("tau"):
        return "i"
    return '"' + _printable(label).replace('"', "'").replace("\\", "/") + '"'


def iolts(record: GuiRecord) -> Iolts:
    """Return the system of a test case's run."""
    names, transitions = ["start"], list[Transition]()
    for label, name in _moves(record):
        names.append(name)
        transitions.append(Transition(len(names) - 2, label, len(names) - 1))
    return Iolts(tuple(names), tuple(transitions))


def _moves(record: GuiRecord) -> Iterator[tuple[str, str]]:
    """Yield each move's label, and the name of the state that it leads to."""
    for step in record.steps:
        if step.outcome != "not_reached":
            yield from _assertion_moves(step) if step.asserts else _navigation_moves(step)
    reason = f": {record.reason}" if record.reason else ""
    yield _shorten(f"!{record.verdict}{reason}"), record.verdict


def _navigation_moves(record: StepRecord) -> Iterator[tuple[str, str]]:
    number, readiness = record.step.number, record.readiness
    if readiness is not None:
        word = {True: "ready", False: "not ready", None: "readiness unknown"}[readiness.truth]
        yield _shorten(f"tau {word}"), f"{number} {word}"
    if record.target or record.turns:
        yield _shorten(f"?{record.step.text}"), f"{number} acted"
    if record.observed is not None:
        output = "; ".join(record.observed.facts[:3]) or record.observed.reason or "nothing"
        yield _shorten(f"!{output}"), _shorten(f"{number} {record.url or 'page'}")


def _assertion_moves(record: StepRecord) -> Iterator[tuple[str, str]]:
    number = record.step.number
    yield _shorten(f"tau {record.step.text}"), f"{number} asserted"
    yield _shorten(f"!{record.outcome}: {record.reason}"), f"{number} {record.outcome}"


def _shorten(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_LABEL else line[: _MAX_LABEL - 3] + "..."
