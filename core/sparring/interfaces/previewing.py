"""Optional abilities of players: saying beforehand what a case would say, and saying it again."""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from pydantic import JsonValue

from sparring.model.base import AppText, Value
from sparring.model.case import Case


class Preview(Value):
    """What a player would say to the app for a case, before it is played.

    `text` is the utterance, `written` the one before perturbations, and `before` what is said in
    advance where that differs from case to case. `wording` is for `Recalling`, where a model found
    the words: another time it may find others.
    """

    text: AppText
    written: AppText = ""
    before: AppText = ""
    wording: dict[str, JsonValue] = {}


@runtime_checkable
class Previewing(Protocol):
    """A player that can tell what it would say first, without the app: the door for strategies
    and engines that refuse duplicates before they are executed.
    """  # noqa: D205 -- one sentence

    async def preview(self, case: Case) -> Preview:
        """What it would say first to the app for `case`; the same as when the case is played."""
        ...


@runtime_checkable
class Recalling(Protocol):
    """A player that can say a case in words that were found before.

    A resumed run, a case that is confirmed and one that is shrunk are said as they were at first.
    """

    def recall(self, case: Case, wording: Mapping[str, JsonValue] | None) -> None:
        """Say `case` in these words from now on, or forget them.

        `wording` is that of a `Preview`, or the `meta` of a trace that this player made. What it
        cannot use is left aside.
        """
        ...
