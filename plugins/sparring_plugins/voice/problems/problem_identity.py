"""What a problem is, whatever session shows it: so that one that is played again is recognised."""

from collections.abc import Sequence

from sparring.model.faults import normalised
from sparring_plugins.voice.outputs.similarity import SAME, likeness
from sparring_plugins.voice.problems.problem_types import VoiceProblem
from sparring_plugins.voice.problems.session_view import Heard

_LONGEST = 600
_PARTS = 3
_CRASH = "crash"


def problem_key(one: VoiceProblem, turns: Sequence[Heard]) -> str:
    """The kind, the form, and what tells it from others of that form.

    For a crash that is its message, for a request what is asked, for a question that nobody hears
    the answer of that question; else what the app had said before, which is where it was.
    """
    return f"{one.kind}: {one.form}: {_about(one, turns)[:_LONGEST]}"


def problem_kind(one: VoiceProblem) -> str:
    """What tells it from others wherever it shows: kind, form, and the message of a crash."""
    told = f"{one.kind}: {one.form}"
    return f"{told}: {normalised(one.reason)[:_LONGEST]}" if one.form == _CRASH else told


def same_problem(one: str, other: str) -> bool:
    """Whether two keys are of one problem: what was said need only do the same, errors be equal."""
    first, second = one.split(": ", _PARTS - 1), other.split(": ", _PARTS - 1)
    if first == second:
        return True
    if first[:2] != second[:2] or len(first) != len(second) or first[1:2] == [_CRASH]:
        return False
    return likeness(first[-1], second[-1]) >= SAME


def _about(one: VoiceProblem, turns: Sequence[Heard]) -> str:
    number = next((place for place, turn in enumerate(turns) if turn.turn == one.turn), 0)
    if one.form == _CRASH:
        return normalised(one.reason)
    if one.kind == "privacy_violation":
        return one.reason
    if one.form == "dead question":
        return turns[number].output if turns else ""
    if one.kind in ("unexpected_exit", "unstoppable"):
        return next((turn.output for turn in reversed(turns[:number]) if turn.output), "start")
    return ""
