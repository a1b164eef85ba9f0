"""Menus of numbers: which number leads to a goal, over all screens seen so far.

An app whose buttons bear only numbers understands nothing else, so that no goal is typed there.
Entries that do something are for services, entries that tell something for questions; what is asked
is looked for on all pages of a list of topics before a topic is tried that fits badly.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sparring_plugins.language.candidates import date_spans, find_times
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.choosing.menu_ranking import (
    CLEAR,
    entry_taken,
    leads_to_page,
    menu_screen,
    menu_words,
    names_any,
    rank_entries,
    takes_any_question,
    takes_questions,
    tells,
    topic_fit,
)
from sparring_plugins.users.agenda.choosing.option_wishes import intents_of
from sparring_plugins.users.agenda.replies.app_reply import AppReply
from sparring_plugins.users.agenda.state.memory import Memory
from sparring_plugins.users.agenda.state.open_form import is_closing, is_main_menu, open_form
from sparring_plugins.users.agenda.state.user_goals import UserGoal
from sparring_plugins.users.agenda.words.knowledge import knowledge, says

_ANY_QUESTION = 0.45
_NEXT_PAGE = 0.48
_AGAIN = 0.35
_LEAST_TOPIC = 0.2
_LEAST_SERVICE = 0.05
_OF_OWN = 0.6
_OF_MOMENT = 0.4
_STEP = 0.02
"""What entries are worth that lead on, and what each step to an entry costs."""

Screen = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Way:
    """An entry to choose: how good it is, and the first entry on the way to it."""

    worth: float
    first: str


class NumberMenus:
    """The menus of numbers seen so far, and where each entry led."""

    def __init__(self, memory: Memory, background: Sequence[str]) -> None:
        self._memory = memory
        self._background = background
        self._screens = [menu_screen(reply) for reply in memory.replies]
        self._targets: dict[tuple[Screen, str], Screen] = {}
        self._pressed: Counter[str] = Counter()
        self._topics: set[Screen] = set()
        turns = zip(memory.replies, self._screens, memory.acts[1:], self._screens[1:], strict=False)
        for reply, screen, act, target in turns:
            label = entry_taken(reply, act)
            if label is None:
                continue
            self._targets[screen, label] = target
            self._pressed[label] += 1
            if takes_any_question(label) or (screen in self._topics and leads_to_page(label)):
                self._topics.add(target)

    def press(self, goals: Sequence[UserGoal]) -> int | None:
        """Return the place of the entry that leads to the first goal which any entry is for."""
        memory, last = self._memory, self._memory.last
        if last is None or not goals or not self._is_hub(last):
            return None
        services_first = sorted(goals, key=lambda goal: goal.asks)
        # once anything was done or refused, nobody tries what does not fit
        served = any(reply.done or reply.declines for reply in memory.replies[1:])
        for clear in (True,) if served else (True, False):
            for goal in services_first:
                best = max(self._ways(goal), key=lambda way: way.worth, default=None)
                least = (CLEAR if goal.asks or served else _LEAST_SERVICE) if clear else 0.0
                if best is not None and best.worth >= least:
                    return self._screens[-1].index(best.first)
        return None

    def _is_hub(self, last: AppReply) -> bool:
        """Whether a menu is none of a form: the main menu, topics, what comes after an answer."""
        if is_main_menu(last, self._memory.replies) or self._screens[-1] in self._topics:
            return True
        return open_form(self._memory.replies) is None or any(
            says(label, "main_menu") for label in self._screens[-1][:-1]
        )

    def _ways(self, goal: UserGoal) -> Iterator[_Way]:
        """The entries for a goal that can be reached from here by known ways."""
        ways: dict[Screen, tuple[str, ...]] = {self._screens[-1]: ()}
        for screen in (queue := [self._screens[-1]]):
            scores = self._scores(screen, goal)
            for label, score in zip(screen, scores, strict=True):
                steps = (*ways[screen], label)
                target = self._target(screen, label)
                if score is not None:
                    yield _Way(score - _STEP * len(steps), steps[0])
                if target and target not in ways:
                    ways[target] = steps
                    queue.append(target)

    def _target(self, screen: Screen, label: str) -> Screen | None:
        """The screen that an entry leads to; that of "Main menu" is known before it is chosen."""
        known = self._targets.get((screen, label))
        if known is None and _leads_back(label):
            return next((shown for shown in self._screens if shown), None)
        return known

    def _scores(self, screen: Screen, goal: UserGoal) -> list[float | None]:
        """How well each entry of a menu fits a goal; None for what is not to be chosen for it."""
        if screen in self._topics:
            return [self._topic_score(screen, label, goal) for label in screen]
        ranks = rank_entries(screen, _wanted(goal), self._background, asks=goal.asks)
        return [
            self._entry_score(screen, label, rank, goal)
            for label, rank in zip(screen, ranks, strict=True)
        ]

    def _topic_score(self, screen: Screen, label: str, goal: UserGoal) -> float | None:
        tried = (screen, label) in self._targets
        if not goal.asks or tried:
            return None
        if leads_to_page(label):
            return _NEXT_PAGE
        fit = topic_fit(label, goal.words)
        return fit if fit >= _LEAST_TOPIC else None

    def _entry_score(self, screen: Screen, label: str, rank: float, goal: UserGoal) -> float | None:
        known = (screen, label) in self._targets
        if _is_end(label) or _leads_back(label):
            return None
        if says(label, "once_more") and not names_any(label, "moments"):
            return _AGAIN if goal.asks and not known else None
        if takes_any_question(label) or takes_questions(label):
            return _ANY_QUESTION if goal.asks and not known else None
        if _is_of_other_use(label, goal, rank) or self._is_spent(screen, label, goal):
            return None
        return (
            _worth_for_question(label, rank) if goal.asks else _worth_for_service(label, rank, goal)
        )

    def _is_spent(self, screen: Screen, label: str, goal: UserGoal) -> bool:
        """Whether an entry was chosen for each goal that it may be for."""
        goals = [g for g in self._memory.goals if g.asks == goal.asks and not g.is_output]
        places = [rank_entries(screen, _wanted(g), self._background, asks=g.asks) for g in goals]
        fitting = sum(screen[ranks.index(max(ranks))] == label for ranks in places)
        return self._pressed[label] >= max(1, fitting)


def _worth_for_question(label: str, rank: float) -> float:
    return max(rank, _OF_OWN) if _looks_up(label) and rank > 0 else rank


def _worth_for_service(label: str, rank: float, goal: UserGoal) -> float:
    return rank + _OF_MOMENT * bool(names_any(label, "moments") and _has_moment(goal.words))


def _is_of_other_use(label: str, goal: UserGoal, rank: float) -> bool:
    """Whether an entry changes something for a question, or only informs for a service."""
    if _looks_up(label):
        # "Track a parcel" informs about a parcel of one's own, not about parcels in general
        own = goal.asks or names_any(folded(goal.words), "looking_up")
        return not own or not _of_own_thing(f"{goal.words} {goal.phrase}")
    if goal.asks and intents_of(label):
        return True  # nobody reports a lost card to learn what a new one costs
    return tells(label) is not goal.asks and (tells(label) or rank < CLEAR)


def _of_own_thing(words: str) -> bool:
    return names_any(folded(words), "own") or any(map(str.isdigit, words))


def _has_moment(words: str) -> bool:
    """Whether words want something at a moment: "on Saturday", but not "that comes today"."""
    for span in (*date_spans(words), *find_times(words)):
        before = words[: span.start].split()[-1:]
        near = (folded(text) for text in (*before, span.text.split()[0]))
        if any(word in menu_words("before_moments") for word in near):
            return True
    return False


def _looks_up(label: str) -> bool:
    return names_any(label, "looking_up")


def _leads_back(label: str) -> bool:
    return says(label, "main_menu") or label in knowledge().going_back


def _wanted(goal: UserGoal) -> str:
    """A goal in words; "report that it is torn" with its verb, which the user need not say."""
    return f"{goal.phrase}\n{goal.words}" if goal.form == "statement" else goal.described


def _is_end(label: str) -> bool:
    return is_closing(label) or says(label, "ending")
