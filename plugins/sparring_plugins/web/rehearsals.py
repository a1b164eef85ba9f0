"""Trials within a trace: the turns between two acts `rehearse` belong to copies of the page."""

from collections.abc import Iterator, Sequence

from sparring.model.talk import GuiAction, Turn

REHEARSE = "rehearse"


def without_rehearsals(turns: Sequence[Turn]) -> Iterator[tuple[int, Turn]]:
    """Yield the turns of a case itself with their numbers, and not those of its trials."""
    is_trial = False
    for number, turn in enumerate(turns):
        if isinstance(turn.act, GuiAction) and turn.act.action == REHEARSE:
            is_trial = turn.act.value not in ("end", "stay")
        elif not is_trial:
            yield number, turn
