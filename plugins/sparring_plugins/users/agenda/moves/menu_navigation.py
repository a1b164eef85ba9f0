"""Looking through the menus of an app that understands nothing that is typed."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts, cue_phrases, has_cue
from sparring_plugins.users.agenda.choosing.choices import FITS_GOAL
from sparring_plugins.users.agenda.choosing.held_things import is_for_others
from sparring_plugins.users.agenda.choosing.menu_ranking import (
    best_entry,
    option_fit,
    rank_entries,
    tells,
)
from sparring_plugins.users.agenda.choosing.option_wishes import DEEDS, intents_of, is_for_another
from sparring_plugins.users.agenda.moves.next_goals import wants_numbers
from sparring_plugins.users.agenda.moves.number_menus import NumberMenus
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.replies.app_reply import AppReply, is_no
from sparring_plugins.users.agenda.replies.named_options import shared_roots
from sparring_plugins.users.agenda.state.memory import Memory
from sparring_plugins.users.agenda.state.user_goals import UserGoal

_FITS_WELL = 0.9

Screen = tuple[str, ...]
"""A menu as the user recognises it: the folded labels of its choices."""


@dataclass(frozen=True, slots=True)
class _MenuOption:
    """A choice to try: how well it fits, the presses up to it, its place in its menu."""

    fit: float
    steps: tuple[str, ...]
    place: int
    shared: int = 0

    @property
    def order(self) -> tuple[float, int, int, int]:
        """What fits comes first; among the rest the nearest, and what shares a word with a goal."""
        fit = -self.fit if self.fit >= FITS_GOAL else 0.0
        return (fit, len(self.steps), -self.shared, self.place)


class MenuNavigator:
    """The menus seen so far, and where each choice led."""

    def __init__(
        self,
        memory: Memory,
        misunderstood: Callable[[AppReply], bool],
        background: Sequence[str] = (),
    ) -> None:
        self._memory = memory
        self._background = background
        self._screens = [_screen(reply) for reply in memory.replies]
        self._targets: dict[tuple[Screen, str], Screen] = {}
        self._pressed: Counter[str] = Counter()
        self._typed_without_effect = any(_wants_number(reply) for reply in memory.replies)
        refused, understood = 0, False
        turns = zip(self._screens, memory.acts[1:], memory.replies[1:], strict=False)
        for screen, act, reply in turns:
            if act in screen:
                self._targets[screen, act] = _screen(reply)
                self._pressed[act] += 1
            elif screen and act and misunderstood(reply):
                refused += 1
            elif screen and act:
                understood = True
        # an app that understood anything typed is asked in words, and its menus are not explored;
        # one that took what was typed into its forms is asked once more in other words
        replies = zip(self._screens, memory.acts[1:], memory.replies[1:], strict=False)
        took_text = any(
            act and not screen and not misunderstood(reply) for screen, act, reply in replies
        )
        self._refused_text = refused > 0
        self._typed_without_effect = self._typed_without_effect or (
            refused > took_text and not understood
        )

    @property
    def _is_over(self) -> bool:
        """Whether anything was done: then nobody wanders into what fits no goal."""
        return any(reply.done for reply in self._memory.replies)

    def press(self, goals: Sequence[UserGoal]) -> int | None:
        """The place in the menu of what leads to what fits a goal, or to what was never tried.

        None if typing was not found to be in vain, or nothing is left to try.
        """
        last = self._memory.last
        if last is not None and wants_numbers(last):
            return NumberMenus(self._memory, self._background).press(goals)
        if last is None or not last.menu or not goals or not self._typed_without_effect:
            return None
        if all(goal.asks for goal in goals) and not self._refused_text:
            return None  # a question is typed before menus are looked through for its answer
        best = min(self._untried(goals), key=lambda option: option.order, default=None)
        if best is None:
            return None
        labels = enumerate(map(folded, last.menu))
        return next((place for place, label in labels if label == best.steps[0]), None)

    def _untried(self, goals: Sequence[UserGoal]) -> list[_MenuOption]:
        """Every choice to try that can be reached from here, by known presses."""
        ways: dict[Screen, tuple[str, ...]] = {self._screens[-1]: ()}
        options: list[_MenuOption] = []
        for screen in (queue := [self._screens[-1]]):
            for place, label in enumerate(screen):
                steps = (*ways[screen], label)
                target = self._targets.get((screen, label))
                fit, near = self._fit(screen, label, goals)
                # "Cancel an appointment" declines nothing if that is what the user came for
                leads_on = label in cue_phrases(label, "back") or not is_no(label)
                leads_on = leads_on or _begins_as_goal(label, goals)
                leads_on = leads_on and not self._is_beside(screen, label, goals)
                leads_on = leads_on and not _only_does(label, goals)
                leads_on = (leads_on or fit >= FITS_GOAL) and (
                    fit >= FITS_GOAL or not self._is_over
                )
                if (target is None and leads_on) or self._wanted_again(label, goals):
                    options.append(_MenuOption(fit, steps, place, near))
                if target and target not in ways:
                    ways[target] = steps
                    queue.append(target)
        return options

    def _fit(self, screen: Screen, label: str, goals: Sequence[UserGoal]) -> tuple[float, int]:
        """How well a choice fits the goals, and how many words it shares with one at least."""
        if self._is_for_others(label, goals):
            return 0.0, -1
        fit = max(_menu_fit(label, goals), self._rank(screen, label, goals))
        return fit, _slight_fit(label, goals)

    def _is_for_others(self, label: str, goals: Sequence[UserGoal]) -> bool:
        """Whether a choice is for those who have something already, or for those who have not."""
        services = [goal for goal in goals if not goal.asks] or goals
        return all(
            is_for_others(label, goal.described, self._background, asks=goal.asks)
            for goal in services
        )

    def _rank(self, screen: Screen, label: str, goals: Sequence[UserGoal]) -> float:
        """How clearly a choice leads to one of the goals, among the others of its menu."""
        best = 0.0
        for goal in goals:
            place = best_entry(screen, goal.described, self._background, asks=goal.asks)
            if place is not None and screen[place] == label:
                best = max(
                    best,
                    rank_entries(screen, goal.described, self._background, asks=goal.asks)[place],
                )
        return min(best, 1.0)

    def _is_beside(self, screen: Screen, label: str, goals: Sequence[UserGoal]) -> bool:
        """Whether an option has nothing to do with a goal, and one that has is under way.

        What was tried and led back to this menu did not help: "Track a parcel" brings no parcel. As
        soon as anything was done, nobody wanders into forms of something else any more.
        """
        led_back = screen == self._screens[-1] and not any(r.done for r in self._memory.replies)
        if _is_near(label, goals) or led_back:
            return False
        return any(self._pressed[other] and _is_near(other, goals) for other in screen)

    def _wanted_again(self, label: str, goals: Sequence[UserGoal]) -> bool:
        """Whether a choice that was pressed fits more goals than it was pressed for."""
        fitting = sum(_menu_fit(label, [goal]) >= _FITS_WELL for goal in self._memory.goals)
        return 0 < self._pressed[label] < fitting and _menu_fit(label, goals) >= _FITS_WELL


def _only_does(label: str, goals: Sequence[UserGoal]) -> bool:
    """Whether an entry does something, and all that is wanted are answers.

    Nobody books a course to learn the opening times.
    """
    return all(goal.asks for goal in goals) and bool(intents_of(label) & DEEDS)


def _slight_fit(label: str, goals: Sequence[UserGoal]) -> int:
    """How many words of a goal a label shares at least by their roots: "charges" of "charge"."""
    shared = (
        shared_roots(names_in(label), names_in(goal.words))
        for goal in goals
        if not is_for_another(label, goal.words)
    )
    return max(shared, default=0)


def _is_near(label: str, goals: Sequence[UserGoal]) -> bool:
    return _menu_fit(label, goals) >= FITS_GOAL or _slight_fit(label, goals) > 0


def _begins_as_goal(label: str, goals: Sequence[UserGoal]) -> bool:
    """Whether a goal has the word that a label begins with: "cancel" of "cancel your visit"."""
    verb = concepts(label.partition(" ")[0])
    return bool(verb) and any(verb <= goal.concepts for goal in goals)


def _screen(reply: AppReply) -> Screen:
    return tuple(folded(label) for label in reply.menu)


def _wants_number(reply: AppReply) -> bool:
    """Whether a reply wants the number of one of its options."""
    return not reply.choices and bool(reply.menu) and has_cue(reply.words, "number_reply")


def _menu_fit(label: str, goals: Sequence[UserGoal]) -> float:
    """How well a label fits one of the goals; the better, the more of the goal it says."""
    named = concepts(label)
    # nothing is done under "Office hours"
    goals = [goal for goal in goals if goal.asks] or goals if tells(label) else goals
    if tells(label) and not any(goal.asks for goal in goals):
        return 0.0
    return max(
        max(option_fit(label, goal.words), _phrase_fit(label, goal))
        + overlap(goal.concepts, named) / 10
        for goal in goals
    )


def _phrase_fit(label: str, goal: UserGoal) -> float:
    """How much of a label the profile's own words for a goal say.

    "Report damage to something" fits "report that the roof is damaged", which the user tells as
    "The roof is damaged".
    """
    return overlap(names_in(label), names_in(goal.phrase)) if goal.phrase else 0.0
