"""The run of a test case as an input/output labelled transition system.

Salva and Taguelmimt, Section 3: states are joined by inputs (``?act``), which the tester gives to
the app, outputs (``!evidence``), which the app gives back, and internal steps (``tau``), here the
agents' decisions. A run is one path that ends in ``pass``, ``fail`` or ``inconclusive``. It is
written as JSON, as DOT, and in the Aldebaran format (``.aut``) that model checkers read.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from sparring.model.base import storable
from sparring_plugins.web.runner.records import GuiRecord, StepRecord

_LONGEST = 160


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
        """The system as a JSON object."""
        data = {
            "initial": 0,
            "states": [{"id": n, "name": name} for n, name in enumerate(self.names)],
            "transitions": [
                {"from": one.source, "label": one.label, "to": one.target}
                for one in self.transitions
            ],
        }
        return json.dumps(storable(data), indent=1, ensure_ascii=False) + "\n"

    def as_dot(self) -> str:
        """The system in Graphviz's language."""
        lines = ["digraph iolts {", "  rankdir=TB;", '  node [shape=box, fontname="sans-serif"];']
        lines += [f"  s{n} [label={_quoted(name)}];" for n, name in enumerate(self.names)]
        lines += [
            f"  s{one.source} -> s{one.target} [label={_quoted(one.label)}];"
            for one in self.transitions
        ]
        return "\n".join([*lines, "}", ""])

    def as_aldebaran(self) -> str:
        """The system in the Aldebaran format: a header, and one transition per line.

        The format has no escapes, so quotation marks become apostrophes; ``tau`` is ``i``.
        """
        head = f"des (0, {len(self.transitions)}, {len(self.names)})"
        rows = [
            f"({one.source}, {_aldebaran(one.label)}, {one.target})" for one in self.transitions
        ]
        return "\n".join([head, *rows, ""])


def _quoted(text: str) -> str:
    plain = "".join(c if c.isprintable() else " " for c in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _aldebaran(label: str) -> str:
    if label.startswith("tau"):
        return "i"
    plain = "".join(c if c.isprintable() else " " for c in label)
    return '"' + plain.replace('"', "'").replace("\\", "/") + '"'


def iolts(record: GuiRecord) -> Iolts:
    """The system of a test case's run."""
    names, transitions = ["start"], list[Transition]()
    for label, name in _moves(record):
        names.append(name)
        transitions.append(Transition(len(names) - 2, label, len(names) - 1))
    return Iolts(tuple(names), tuple(transitions))


def _moves(record: GuiRecord) -> Iterator[tuple[str, str]]:
    """Each move's label, and the name of the state that it leads to."""
    for one in record.steps:
        if one.outcome == "not_reached":
            continue
        yield from _asserted(one) if one.asserts else _navigated(one)
    reason = f": {record.reason}" if record.reason else ""
    yield _short(f"!{record.verdict}{reason}"), record.verdict


def _navigated(one: StepRecord) -> Iterator[tuple[str, str]]:
    number = one.step.number
    if one.readiness is not None:
        word = {True: "ready", False: "not ready", None: "readiness unknown"}[one.readiness.truth]
        yield _short(f"tau {word}"), f"{number} {word}"
    if one.target or one.turns:
        yield _short(f"?{one.step.text}"), f"{number} acted"
    if one.observed is not None:
        seen = "; ".join(one.observed.facts[:3]) or one.observed.reason or "nothing"
        yield _short(f"!{seen}"), _short(f"{number} {one.url or 'page'}")


def _asserted(one: StepRecord) -> Iterator[tuple[str, str]]:
    yield _short(f"tau {one.step.text}"), f"{one.step.number} asserted"
    yield _short(f"!{one.outcome}: {one.reason}"), f"{one.step.number} {one.outcome}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 3] + "..."
