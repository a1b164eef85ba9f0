"""What answers draw on: the task, the user's goals, the memory, and how to say things."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Choice
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.profile.slots import Slot
from sparring_plugins.users.agenda.replies.answer_formats import yes_and_no
from sparring_plugins.users.agenda.replies.app_reply import AppReply, is_no, is_yes
from sparring_plugins.users.agenda.state.known_values import KnownValue, known_values
from sparring_plugins.users.agenda.state.memory import Memory
from sparring_plugins.users.agenda.state.open_form import OpenForm
from sparring_plugins.users.agenda.state.user_goals import (
    Style,
    UserGoal,
    is_service,
    joined,
    keywords,
    phrasings,
    said,
)
from sparring_plugins.users.agenda.words.persons import first_person
from sparring_plugins.users.agenda.words.phrase_book import PhraseBook, phrases, stop, word_lists

NextWords = Callable[..., str | None]
"""What the user would bring up next, in words, or None; ``only_goals=True`` leaves out outputs."""

_LONGEST_TELLING = 12
"""Words of a sentence that is said beside the first goal."""

_ABOUT = 0.34
"""Least share of a question's concepts that a goal it is about has."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to one question: a text, or a choice to press, and the reason for it.

    An `exact` text is a value that a form asks for, sent as it is.
    """

    text: str
    reason: str
    press: Choice | None = None
    exact: bool = False

    @property
    def label(self) -> str:
        """What is pressed, else what is said."""
        return self.press.label if self.press is not None else self.text


def joined_texts(answers: Sequence[Answer]) -> str:
    """Return the different texts of answers as sentences; a single one as it is."""
    texts = list(dict.fromkeys(answer.text for answer in answers if answer.text))
    return texts[0] if len(texts) == 1 else " ".join(stop(text) for text in texts)


@dataclass
class DialogueState:
    """One point of a conversation.

    `times` is how often the question was asked before, `form` is what the app is collecting.
    """

    task: UserTask
    goals: Sequence[UserGoal]
    slots: Sequence[Slot]
    memory: Memory
    next_words: NextWords
    style: Style
    times: int = 0
    form: OpenForm | None = None

    @cached_property
    def values(self) -> Sequence[KnownValue]:
        """All values that the profile holds; most turns ask for none of them."""
        return known_values(self.task, self.goals, self.slots)

    @property
    def background(self) -> tuple[str, ...]:
        """The context and the role: what the profile says about the user besides its goals."""
        return (*self.task.context, self.task.role)

    @property
    def phrases(self) -> PhraseBook:
        """What the user says in the language it speaks now."""
        return phrases(self.style.language)

    # --- Wording

    def say(self, what: str, turn: int = 0) -> str:
        """Return one of the phrases called `what`, another one for another turn."""
        return said(self.style, what, self.task.seed, turn)

    def fresh(self, what: str) -> str | None:
        """Return one of the phrases called `what` that was not said yet, or None if all were."""
        ways = (self.say(what, turn) for turn in range(len(getattr(self.phrases, what))))
        return next((way for way in ways if not self.memory.said(way)), None)

    def own_words(self, text: str) -> str:
        """Return a sentence of the profile in the first person: "I do not eat fish"."""
        book = self.phrases
        words = first_person(text, book.persons, english=bool(book.verbs))
        return words[:1].upper() + words[1:]

    def join(self, values: Sequence[str]) -> str:
        """Return values as people list them: "ham, olives and cheese"."""
        return joined(list(values), self.style.language)

    def with_reference(self, words: str) -> str:
        """Return the first words of all, with what the profile's own number is of.

        It is added if no goal says it.

        "We will be six. The booking has the reference KT-31." spares a question what it is about.
        """
        memory = self.memory
        # a menu takes the name of an entry: "Change a booking", and no sentence beside it
        if memory.last is not None and memory.last.menu:
            return words
        in_goals = {name for goal in self.goals for name, _ in goal.values}
        codes = [
            value.text
            for value in self.values
            if value.slot and value.slot not in in_goals and "code" in value.kinds
        ]
        with_code = [text for text in self.task.context if any(code in text for code in codes)]
        # two numbers would leave it open which of them the wish is about
        if len(with_code) != 1 or len(with_code[0].split()) > _LONGEST_TELLING:
            return words
        return f"{stop(words)} {stop(self.own_words(with_code[0]))}"

    def phrase(self, goal: UserGoal) -> str:
        """Return the first way to say a goal that was not used yet, else its bare words."""
        ways = phrasings(goal, self.task.seed, self.style)
        return next((way for way in ways if not self.memory.said(way)), goal.words)

    def idly(self, what: str, reason: str) -> Answer:
        """Return an answer that says little, another one each time, with the next goal if possible.

        It is possible if the app collects nothing for a service, and had its turn to answer the
        last act. Nobody says nothing in particular twice in a row.
        """
        busy = self.is_collecting() or self.awaits_answer()
        more = None if busy else self.next_goal()
        text = self.fresh(what)
        if more is None:
            return Answer(text or self.say(what, self.times), reason)
        # "I don't know." twice in a row reads like a stuck machine; the next goal is said alone
        if text is None or self.memory.idle:
            return Answer(more, "goes on")
        return Answer(f"{stop(text)} {more}", "goes on")

    def press(self, reply: AppReply, fits: Callable[[str], bool]) -> Answer | None:
        """Return the answer that presses the first choice whose label fits, or None."""
        choice = next((choice for choice in reply.choices if fits(choice.label[:200])), None)
        return Answer("", f"presses {choice.label[:40]!r}", choice) if choice else None

    def agree(self, reply: AppReply, reason: str, *, offered: bool = False) -> Answer:
        """Return a yes, in a word or by a button."""
        words = self.say("yes_please" if offered else "yes")
        return (
            self.press(reply, is_yes)
            or self.shown_decision(reply, reason, yes=True)
            or Answer(words, reason)
        )

    def decline(self, reply: AppReply, reason: str, *, offered: bool = True) -> Answer:
        """Return a no, in a word or by a button; with thanks if something was offered."""
        words = self.say("no") if offered else self.phrases.no[0]
        return (
            self.press(reply, is_no)
            or self.shown_decision(reply, reason, yes=False)
            or Answer(words, reason)
        )

    def shown_decision(self, reply: AppReply, reason: str, *, yes: bool) -> Answer | None:
        """Return the word for yes or no that a reply shows ("Y/N"); None if it shows none."""
        words = yes_and_no(reply.text)
        return Answer(words[not yes], reason, exact=True) if words is not None else None

    # --- Goals

    def goal_using(self, names: set[str]) -> UserGoal | None:
        """Return the first goal that uses one of these variables, or None."""
        return next((g for g in self.goals if names & {name for name, _ in g.values}), None)

    def goal_about(self, question: str) -> UserGoal | None:
        """Return the goal that a folded question is about, or None."""
        # "Which booking do you want?": booking and wanting are about any goal, and so about none
        asked = concepts(question) - word_lists().generic_concepts
        scores: list[tuple[float, int]] = []
        for index, goal in enumerate(self.goals):
            values = dict(goal.values)
            slots = [slot for slot in self.slots if slot.name in values]
            names = frozenset(concept for slot in slots for concept in slot.own)
            common = asked & (goal.concepts | names)
            # of equals the first goal, because apps mostly follow the order of what was said
            scores.append((len(common) / max(1, len(asked)), -index))
        score, index = max(scores, default=(0.0, 0))
        return self.goals[-index] if score >= _ABOUT else None

    def goal_offered(self, reply: AppReply) -> UserGoal | None:
        """Return the first open goal that is about one of the options in a reply, or None."""
        generic = word_lists().generic_concepts
        named = concepts(" ".join(reply.options)) - generic
        for goal in self.memory.open_goals():
            about = goal.concepts - generic
            # "We have saunas and pools." is an occasion to ask for the sauna, once
            if not self.memory.mentioned(goal) and len(named & about) >= _ABOUT * len(about) > 0:
                return goal
        return None

    def next_goal(self) -> str | None:
        """Return what the user brings up instead of an answer, or None; in a service no output."""
        return self.next_words(only_goals=self.memory.being_served())

    def unanswered_goal(self) -> str | None:
        """Return a goal, in words, that the user brought up and that got no response.

        Returns None if there is none left, or if it was said often enough.
        """
        memory = self.memory
        # an app that has done something understands; what it left out is asked for in its turn
        if any(reply.done for reply in memory.replies):
            return None
        for goal in self.goals:
            if goal.key in memory.met | memory.closed or memory.tries[goal.key] > memory.patience:
                continue
            if memory.mentioned(goal):
                bare = [keywords(goal.words), goal.words]
                ways = [*phrasings(goal, self.task.seed, self.style), *bare]
                return next((way for way in ways if way and not memory.said(way)), None)
        return None

    # --- What the app is doing

    def reworded_question(self) -> str | None:
        """Return the user's last question in other words, if the app asks instead of answering."""
        active, reply = self.memory.active, self.memory.last
        if active is None or reply is None or not self.awaits_answer():
            return None
        # "Open until 8. Which branch?" has answered, "Which branch?" alone has not
        if reply.informative or reply.done or not active.asks:
            return None
        if self.memory.tries[active.key] >= self.memory.patience:
            return None
        ways = phrasings(active, self.task.seed, self.style)
        return next((way for way in ways if not self.memory.said(way)), None)

    def awaits_answer(self) -> bool:
        """Whether the app's question may lead to the answer of what the user just asked for."""
        active = self.memory.active
        return (
            active is not None
            and self.memory.topics[-1:] == [active.key]
            and active.key not in self.memory.met
        )

    def is_collecting(self) -> bool:
        """Whether the app is collecting data for a service that the user asked for."""
        return self.memory.being_served() or any(
            is_service(goal) and self.memory.mentioned(goal) for goal in self.memory.open_goals()
        )
