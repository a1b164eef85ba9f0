"""What answering a question draws on: the task, the wants, the memory, and how to say things."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Choice
from sparring_plugins.language.stems import concepts
from sparring_plugins.users.agenda.app_reply import Reading, is_no, is_yes
from sparring_plugins.users.agenda.frames import Frames, frames
from sparring_plugins.users.agenda.goal_literals import serves
from sparring_plugins.users.agenda.memory import Memory
from sparring_plugins.users.agenda.phrasing import joined, keywords, phrasings, said
from sparring_plugins.users.agenda.slots import Slot
from sparring_plugins.users.agenda.style import Manner
from sparring_plugins.users.agenda.user_goals import Want

NextWords = Callable[..., str | None]
"""What the user would bring up next, in words; with ``goals=True`` no outputs. None for nothing."""

GENERIC = frozenset(
    {"~order", "~help", "~service", "~type", "~number", "~time", "~name", "add", "choos",
     "select", "other", "continu"}
)  # fmt: skip
"""Concepts of questions that are about nothing in particular."""

_ABOUT = 0.34


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer to one question: a text, or a choice to press."""

    text: str
    reason: str
    press: Choice | None = None


@dataclass(slots=True)
class Scene:
    """One point of a conversation. `times` says how often the question was asked before."""

    task: UserTask
    goals: Sequence[Want]
    slots: Sequence[Slot]
    memory: Memory
    next_words: NextWords
    manner: Manner
    times: int = 0

    @property
    def frames(self) -> Frames:
        """What the user says in the language it speaks now."""
        return frames(self.manner.language)

    def say(self, what: str, turn: int = 0) -> str:
        """One of the frames called `what`."""
        return said(self.manner, what, self.task.seed, turn)

    def fresh(self, what: str) -> str | None:
        """One of the frames called `what` that was not said yet; None where all were."""
        ways = (self.say(what, turn) for turn in range(len(getattr(self.frames, what))))
        return next((way for way in ways if not self.memory.said(way)), None)

    def idly(self, what: str, reason: str) -> Reply:
        """An answer that says little, differently each time, and what is next where that may be.

        It may be where the app collects nothing for a service, and has had its turn to answer what
        the user said last. Nobody says nothing in particular twice in a row.
        """
        more = None if self.collecting() or self.waiting() else self.next_goal()
        text = self.fresh(what)
        if more is not None:
            idle = text is None or self.memory.idle
            return Reply(more if idle else f"{stop(text or '')} {more}", "goes on")
        return Reply(text or self.say(what, self.times), reason)

    def asks_again(self) -> str | None:
        """What the user just asked, in other words, where the app asks for it instead."""
        active, reading = self.memory.active, self.memory.last
        if active is None or reading is None or not self.waiting():
            return None
        if reading.informative or reading.done or not active.asks:
            return None
        if self.memory.tries[active.key] >= self.memory.patience:
            return None
        ways = phrasings(active, self.task.seed, self.manner)
        return next((way for way in ways if not self.memory.said(way)), None)

    def waiting(self) -> bool:
        """Whether the app's question may lead to the answer of what the user just asked for."""
        active = self.memory.active
        return (
            active is not None
            and self.memory.topics[-1:] == [active.key]
            and active.key not in self.memory.met
        )

    def join(self, values: Sequence[str]) -> str:
        """Values as people list them."""
        return joined(list(values), self.manner.language)

    def phrase(self, want: Want) -> str:
        """The first way to say a want that was not used yet, else its bare words."""
        ways = phrasings(want, self.task.seed, self.manner)
        return next((way for way in ways if not self.memory.said(way)), want.words)

    def press(self, reading: Reading, fits: Callable[[str], bool]) -> Reply | None:
        """Press the first choice whose label fits."""
        found = next((one for one in reading.choices if fits(one.label[:200])), None)
        return Reply("", f"presses {found.label[:40]!r}", found) if found else None

    def agree(self, reading: Reading, reason: str, *, offered: bool = False) -> Reply:
        """Yes, in a word or by a button."""
        words = self.say("yes_please" if offered else "yes")
        return self.press(reading, is_yes) or Reply(words, reason)

    def decline(self, reading: Reading, reason: str, *, offered: bool = True) -> Reply:
        """No, in a word or by a button; with thanks where something was offered."""
        words = self.say("no") if offered else self.frames.no[0]
        return self.press(reading, is_no) or Reply(words, reason)

    def want_of(self, names: set[str]) -> Want | None:
        """The first goal that uses one of these variables."""
        return next((w for w in self.goals if names & {name for name, _ in w.values}), None)

    def want_in(self, question: str) -> Want | None:
        """The goal that a folded question is about."""
        asked = concepts(question) - GENERIC
        scored: list[tuple[float, int]] = []
        for index, want in enumerate(self.goals):
            names = frozenset(
                one for slot in self.slots if slot.name in dict(want.values) for one in slot.own
            )
            common = asked & (want.concepts | names)
            scored.append((len(common) / max(1, len(asked)), -index))
        score, index = max(scored, default=(0.0, 0))
        return self.goals[-index] if score >= _ABOUT else None

    def want_offered(self, reading: Reading) -> Want | None:
        """The first open goal that is about one of the options an answer names."""
        named = concepts(" ".join(option for option in reading.options)) - GENERIC
        for want in self.memory.open_wants():
            about = want.concepts - GENERIC
            if not self.memory.mentioned(want) and len(named & about) >= _ABOUT * len(about) > 0:
                return want
        return None

    def next_goal(self) -> str | None:
        """What the user brings up instead of an answer: only goals while it is being served."""
        return self.next_words(goals=self.memory.being_served())

    def unheard(self) -> str | None:
        """A goal, in words, that the user brought up and nothing was said or done about.

        None where there is none left, or where it was said often enough.
        """
        memory = self.memory
        for want in self.goals:
            if want.key in memory.met or memory.tries[want.key] > memory.patience:
                continue
            if memory.mentioned(want) and not any(one.done for one in memory.readings):
                bare = [keywords(want.words), want.words]
                ways = [*phrasings(want, self.task.seed, self.manner), *bare]
                fresh = (way for way in ways if way and not memory.said(way))
                return next(fresh, None)
        return None

    def collecting(self) -> bool:
        """Whether the app is collecting data for a service that the user asked for."""
        return self.memory.being_served() or any(
            serves(want) and self.memory.mentioned(want) for want in self.memory.open_wants()
        )


def stop(text: str) -> str:
    """A short answer as a sentence, so that another can follow it."""
    return text if text[-1:] in (".", "!", "?") else f"{text}."
