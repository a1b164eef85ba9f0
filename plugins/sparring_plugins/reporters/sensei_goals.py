"""SENSEI's table of goals: which were met in a conversation, and the words that show it."""

import csv
import io
from typing import TypeGuard

from pydantic import JsonValue

from sparring.model.talk import Trace
from sparring_plugins.reporters.visible import one_line

_LONGEST = 2_000
_FORMULA = ("=", "+", "-", "@", "\t", "＝", "＋", "－", "＠")  # noqa: RUF001


def goal_table(trace: Trace) -> str | None:
    """The table as the text of a CSV file; None where its goals were not checked, or not asked for.

    It is asked for by ``all_answered: {export: true}`` in the profile. A row has the goal with
    underscores for blanks, True or False, and what the chatbot said.
    """
    checks = trace.meta.get("goal_checks")
    if not _is_list(checks) or not _wanted(trace):
        return None
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";", lineterminator="\n")
    writer.writerow(("", "verification", "data"))
    for check in checks:
        if isinstance(check, dict):
            goal = str(check.get("goal") or "").replace(" ", "_")
            shown = str(check.get("quotation") or "")
            writer.writerow((_safe(goal), str(check.get("met") is True), _safe(shown)))
    return text.getvalue()


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
