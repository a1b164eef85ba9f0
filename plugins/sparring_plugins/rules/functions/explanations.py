"""What functions that judge give back besides their value: a reason, and what shows it."""

from dataclasses import dataclass

from sparring.errors import AnswerInvalid
from sparring.interfaces.rule_function import Explained


@dataclass(frozen=True, slots=True)
class ExplainedByTexts(Explained):
    """A value of a function that was given texts, and not the conversation that they are from.

    `texts` are those that show it: a verdict refers to the turns in which they were said.
    """

    texts: tuple[str, ...] = ()


class CannotSay(AnswerInvalid):
    """A function that judges without a model cannot decide: the verdict is inconclusive."""


def counted(number: int, what: str) -> str:
    """A number of things, in words."""
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def short(text: str, longest: int = 80) -> str:
    """A text of others in a reason: quoted, on one line, clipped."""
    line = " ".join(text[: longest * 20].split())
    return repr(line if len(line) <= longest else line[: longest - 3] + "...")
