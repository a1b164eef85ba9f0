"""Finding the way through menus of buttons, where an app understands nothing that is typed."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sparring_plugins.language.stems import concepts, overlap
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import cue_phrases, has_cue
from sparring_plugins.users.agenda.app_reply import Reading, is_no
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.user_goals import Want
from sparring_plugins.users.agenda.value_matching import likeness

_FITS, _FITS_WELL = 0.5, 0.9
Screen = tuple[str, ...]
"""A menu as the user knows it again: the folded labels of its choices."""


@dataclass(frozen=True, slots=True)
class _Option:
    """A choice to try: how well it fits, the presses up to it, its place in its menu."""

    fit: float
    steps: tuple[str, ...]
    place: int

    @property
    def order(self) -> tuple[float, int, int]:
        """What fits comes first; among the rest the nearest."""
        return (-self.fit if self.fit >= _FITS else 0.0, len(self.steps), self.place)


class Explorer:
    """The menus seen so far, and where each choice led."""

    def __init__(self, memory: Memory, misunderstood: Callable[[Reading], bool]) -> None:
        self._memory = memory
        self._screens = [_screen(reading) for reading in memory.readings]
        self._led: dict[tuple[Screen, str], Screen] = {}
        self._pressed: Counter[str] = Counter()
        self._typed_in_vain = False
        turns = zip(self._screens, memory.acts[1:], memory.readings[1:], strict=False)
        for screen, act, reading in turns:
            if act in screen:
                self._led[screen, act] = _screen(reading)
                self._pressed[act] += 1
            elif screen and act and misunderstood(reading):
                self._typed_in_vain = True
        if any(_by_number(reading) for reading in memory.readings):
            self._typed_in_vain = True

    def press(self, wants: Sequence[Want]) -> int | None:
        """The place in the menu of what leads to what fits a want, or to what was never tried.

        None where typing was not found to be in vain, or nothing is left to try.
        """
        last = self._memory.last
        if last is None or not last.menu or not wants or not self._typed_in_vain:
            return None
        found = min(self._untried(wants), key=lambda one: one.order, default=None)
        if found is None:
            return None
        return next((at for at, one in enumerate(last.menu) if folded(one) == found.steps[0]), None)

    def _untried(self, wants: Sequence[Want]) -> list[_Option]:
        """Every choice to try that can be reached from here, by known presses."""
        ways: dict[Screen, tuple[str, ...]] = {self._screens[-1]: ()}
        options: list[_Option] = []
        for screen in (queue := [self._screens[-1]]):
            for place, label in enumerate(screen):
                steps = (*ways[screen], label)
                led = self._led.get((screen, label))
                fresh = led is None and (label in cue_phrases(label, "back") or not is_no(label))
                if fresh or self._wanted_again(label, wants):
                    options.append(_Option(_fit(label, wants), steps, place))
                if led and led not in ways:
                    ways[led] = steps
                    queue.append(led)
        return options

    def _wanted_again(self, label: str, wants: Sequence[Want]) -> bool:
        """Whether a choice that was pressed fits more wants than it was pressed for."""
        fitting = sum(_fit(label, [want]) >= _FITS_WELL for want in self._memory.wants)
        return 0 < self._pressed[label] < fitting and _fit(label, wants) >= _FITS_WELL


def _screen(reading: Reading) -> Screen:
    return tuple(folded(label) for label in reading.menu)


def _by_number(reading: Reading) -> bool:
    """Whether an answer wants the number of one of its options."""
    return not reading.choices and bool(reading.menu) and has_cue(reading.words, "number_reply")


def _fit(label: str, wants: Sequence[Want]) -> float:
    """How well a label fits one of the wants; the better, the more of the want it says."""
    named = concepts(label)
    return max(
        max(overlap(named, concepts(want.words)), likeness(label, want.words) - 0.2)
        + overlap(concepts(want.words), named) / 10
        for want in wants
    )
