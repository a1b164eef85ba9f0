"""SENSEI's table of goals: which were met in a conversation, and the words that show it."""

import csv
import io
import re
from collections.abc import Iterator
from typing import TypeGuard

from pydantic import JsonValue

from sparring.model.talk import Trace
from sparring_plugins.language.visible import one_line

_LONGEST = 2_000
_VARIABLE = re.compile(r"\{\{\s*([^{}]*?)\s*\}\}")
_FORMULA = ("=", "+", "-", "@", "\t", "＝", "＋", "－", "＠")  # noqa: RUF001


def goal_table(trace: Trace) -> str | None:
    """The table as the text of a CSV file; None where it is not asked for, or nothing is known.

    It is asked for by ``all_answered: {export: true}`` in the profile. A row has the goal with
    underscores for blanks, True or False, and what the chatbot said. Without a goal checker the
    user's own word counts, which quotes nobody.
    """
    if not _wanted(trace):
        return None
    checks = trace.meta.get("goal_checks")
    rows = list(_checked(checks) if _is_list(checks) else _believed(trace))
    if not rows:
        return None
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    writer.writerow(("", "verification", "data"))
    for goal, met, shown in rows:
        writer.writerow((_safe(goal.replace(" ", "_")), str(met), _safe(shown)))
    return text.getvalue()


def _checked(checks: list[JsonValue]) -> Iterator[tuple[str, bool, str]]:
    """Goal, verdict and quotation of each check."""
    for check in checks:
        if isinstance(check, dict):
            goal, shown = str(check.get("goal") or ""), str(check.get("quotation") or "")
            yield goal, check.get("met") is True, shown


def _believed(trace: Trace) -> Iterator[tuple[str, bool, str]]:
    """The goals with their values in them, and which of them the user said were met."""
    goals, met = trace.meta.get("goals"), trace.meta.get("goals_met")
    if _is_list(goals) and _is_list(met):
        for index, goal in enumerate(goals):
            yield _VARIABLE.sub(lambda m: _value(trace, m), str(goal)), index in met, ""


def _value(trace: Trace, variable: re.Match[str]) -> str:
    value = trace.inputs.get(variable[1], variable[0])
    return ", ".join(str(one) for one in value) if isinstance(value, list) else str(value)


def _wanted(trace: Trace) -> bool:
    blocks = trace.meta.get("conversation")
    answered = (_entry(block, "all_answered") for block in blocks) if _is_list(blocks) else ()
    return any(_entry(one, "export") is True for one in answered)


def _is_list(value: JsonValue) -> TypeGuard[list[JsonValue]]:
    return isinstance(value, list)


def _entry(value: JsonValue, key: str) -> JsonValue:
    return value.get(key) if isinstance(value, dict) else None


def _safe(text: str) -> str:
    """A cell on one line that no spreadsheet takes for a formula."""
    shown = one_line(text, _LONGEST)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
