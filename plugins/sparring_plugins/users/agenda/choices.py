"""Choosing among options: by the user's values, by its goals, and by trying out menus."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from sparring_plugins.language.text import folded, sentences
from sparring_plugins.language.vocabulary import concepts, cue_phrases, has_cue, overlap
from sparring_plugins.users.agenda.app_reply import AppQuestion, AppReply, is_no
from sparring_plugins.users.agenda.dialogue_state import Answer, DialogueState
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.open_questions import answer_open_question, answer_with_values
from sparring_plugins.users.agenda.personal_details import asked_details, private_details
from sparring_plugins.users.agenda.slots import Slot, asked_slots
from sparring_plugins.users.agenda.user_goals import UserGoal, named_option, only_fitting
from sparring_plugins.users.agenda.value_matching import (
    best_option,
    contradicted_slots,
    mentions,
    similarity,
    stated_text,
)

_FITS_GOAL = 0.5
"""Least fit of an option that leads to a goal."""

_FITS_WELL = 0.9
_COUNTED = re.compile(r"\b\d+(?:[.,]\d+)?\s+\w+")


@dataclass(frozen=True, slots=True)
class Chooser:
    """Chooses an option of one question: the user's value, the way to its goal, or any."""

    state: DialogueState
    question: AppQuestion
    reply: AppReply

    def answer(self) -> Answer:
        """The choice, pressed or said."""
        state, question = self.state, self.question
        asked = asked_slots(question.words, state.slots) if question.text else []
        certain = self._certain_choice(asked)
        if certain is not None:
            return certain
        if not self.reply.choices:
            if asked and not state.times:
                return answer_with_values(state, asked)
            if question.text and private_details(question.words):
                return answer_open_question(state, question)
        words = state.next_goal()
        index = self._way_to_goal(words)
        if index is not None:
            return self.take(index, "fits the goal")
        is_free = not asked_details(question.words) and not state.times
        is_form = state.is_collecting() and bool(question.text)
        if words is not None and is_free and not is_form:
            return Answer(words, "brings up what is next")
        return self._any_choice()

    def _certain_choice(self, asked: Sequence[Slot]) -> Answer | None:
        """What the task decides: the mistake to correct, a value, the context, a goal's words."""
        state, options = self.state, self.question.options
        mistaken = self._mistaken_option()
        if mistaken is not None:
            return self.take(mistaken, "names what is wrong")
        valued = self._options_with_values(asked) or self._options_with_values(state.slots)
        if valued:
            return self._take_values(valued, asked)
        true = self._option_true_of_user()
        if true is not None:
            return self.take(true, "is true of the user")
        named = named_option(options, state.goals)
        if named is not None and not state.memory.said(options[named]):
            return self.take(named, "is what a goal says")
        return None

    def _way_to_goal(self, words: str | None) -> int | None:
        """The way to what the user spoke of last, else to what it brings up next."""
        active = self.state.memory.active
        if active is not None and active in self.state.memory.open_goals():
            index = self.way_to(active.words)
            if index is not None and not self.state.memory.said(self.question.options[index]):
                return index
        return self.way_to(words) if words else None

    def way_to(self, words: str) -> int | None:
        """The index of the option that names what the user brings up next; None if none does."""
        meant = concepts(words)
        subject = concepts(_COUNTED.sub(" ", words))
        scores = [
            (
                _option_fit(option, words),
                overlap(concepts(option), subject),  # "a room for 2 hours" is about rooms
                overlap(meant, concepts(option)),  # of two that fit, the one that says more of it
                -index,
            )
            for index, option in enumerate(self.question.options)
            if not is_no(option)
        ]
        score, *_, index = max(scores, default=(0.0, 0.0, 0.0, 0))
        return -index if score >= _FITS_GOAL else None

    def take(self, index: int, reason: str) -> Answer:
        """Press an option, or say it, or its number if the app wants that."""
        question = self.question
        if index < len(self.reply.choices):
            return Answer("", reason, self.reply.choices[index])
        by_number = has_cue(self.reply.words, "number_reply") or self.state.times
        if question.numbered and by_number:
            shown = question.options[index][:40]
            return Answer(question.marks[index], f"chooses {shown!r} by its number")
        return Answer(question.options[index], reason)

    def _take_values(self, indexes: Sequence[int], asked: Sequence[Slot]) -> Answer:
        """Take the options that say the user's values, or say the values if these are understood.

        "big" is said as such at first; if the app does not have that size, its own "large" is.
        """
        options, memory = self.question.options, self.state.memory
        if self.reply.choices or self.question.numbered:
            fresh = [index for index in indexes if not memory.said(options[index])]
            return self.take((fresh or list(indexes))[0], "is its value")
        first = folded(options[indexes[0]])
        says_value = any(mentions(first, value) for slot in asked for value in slot.values)
        insists = self.state.times > 0 or self.reply.refusal
        if asked and (says_value or not insists):
            return answer_with_values(self.state, asked)
        return Answer(self.state.join([options[index] for index in indexes]), "is its value")

    def _mistaken_option(self) -> int | None:
        """The option that names what the app got wrong, right after the user has said no to it."""
        replies = self.state.memory.replies
        if len(replies) < 2 or not replies[-2].asks("confirm"):
            return None
        for slot in contradicted_slots(stated_text(replies[-2]), self.state.slots):
            names = slot.own | {f"~{kind}" for kind in slot.kinds}
            for index, option in enumerate(self.question.options):
                if concepts(option) & names:
                    return index
        return None

    def _options_with_values(self, slots: Sequence[Slot]) -> list[int]:
        """The options that say the values of the first slot that any option fits."""
        for slot in slots:
            best = [best_option(self.question.options, value) for value in slot.values]
            indexes = [index for index in best if index is not None]
            if indexes:
                return list(dict.fromkeys(indexes))
        return []

    def _option_true_of_user(self) -> int | None:
        """The one option that the context or the role tells of the user, else None."""
        task = self.state.task
        about_user = frozenset(
            concept
            for text in (*task.context, task.role)
            for sentence in sentences(text)
            if not has_cue(folded(sentence), "deny")
            for concept in concepts(sentence)
        )
        return only_fitting(self.question.options, [about_user])

    def _any_choice(self) -> Answer:
        """Some sensible option: none that declines or leads away, another each time."""
        options = self.question.options
        sensible = [index for index, option in enumerate(options) if not is_no(option)]
        pool = sensible or list(range(len(options)))
        start = Random(f"{self.state.task.seed} {self.question.words}").randrange(len(pool))
        return self.take(pool[(start + self.state.times) % len(pool)], "has no preference")


def _option_fit(option: str, words: str) -> float:
    """How well an option's label fits the words of a goal, from 0 to 1."""
    return max(overlap(concepts(option), concepts(words)), similarity(option, words) - 0.2)


# --- Menus of buttons, if an app understands nothing that is typed

Screen = tuple[str, ...]
"""A menu as the user recognises it: the folded labels of its choices."""


@dataclass(frozen=True, slots=True)
class _MenuOption:
    """A choice to try: how well it fits, the presses up to it, its place in its menu."""

    fit: float
    steps: tuple[str, ...]
    place: int

    @property
    def order(self) -> tuple[float, int, int]:
        """What fits comes first; among the rest the nearest."""
        return (-self.fit if self.fit >= _FITS_GOAL else 0.0, len(self.steps), self.place)


class MenuNavigator:
    """The menus seen so far, and where each choice led."""

    def __init__(self, memory: Memory, misunderstood: Callable[[AppReply], bool]) -> None:
        self._memory = memory
        self._screens = [_screen(reply) for reply in memory.replies]
        self._targets: dict[tuple[Screen, str], Screen] = {}
        self._pressed: Counter[str] = Counter()
        self._typed_in_vain = any(_wants_number(reply) for reply in memory.replies)
        turns = zip(self._screens, memory.acts[1:], memory.replies[1:], strict=False)
        for screen, act, reply in turns:
            if act in screen:
                self._targets[screen, act] = _screen(reply)
                self._pressed[act] += 1
            elif screen and act and misunderstood(reply):
                self._typed_in_vain = True

    def press(self, goals: Sequence[UserGoal]) -> int | None:
        """The place in the menu of what leads to what fits a goal, or to what was never tried.

        None if typing was not found to be in vain, or nothing is left to try.
        """
        last = self._memory.last
        if last is None or not last.menu or not goals or not self._typed_in_vain:
            return None
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
                leads_on = label in cue_phrases(label, "back") or not is_no(label)
                if (target is None and leads_on) or self._wanted_again(label, goals):
                    options.append(_MenuOption(_menu_fit(label, goals), steps, place))
                if target and target not in ways:
                    ways[target] = steps
                    queue.append(target)
        return options

    def _wanted_again(self, label: str, goals: Sequence[UserGoal]) -> bool:
        """Whether a choice that was pressed fits more goals than it was pressed for."""
        fitting = sum(_menu_fit(label, [goal]) >= _FITS_WELL for goal in self._memory.goals)
        return 0 < self._pressed[label] < fitting and _menu_fit(label, goals) >= _FITS_WELL


def _screen(reply: AppReply) -> Screen:
    return tuple(folded(label) for label in reply.menu)


def _wants_number(reply: AppReply) -> bool:
    """Whether a reply wants the number of one of its options."""
    return not reply.choices and bool(reply.menu) and has_cue(reply.words, "number_reply")


def _menu_fit(label: str, goals: Sequence[UserGoal]) -> float:
    """How well a label fits one of the goals; the better, the more of the goal it says."""
    named = concepts(label)
    return max(
        _option_fit(label, goal.words) + overlap(goal.concepts, named) / 10 for goal in goals
    )
