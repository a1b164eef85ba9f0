"""What the user remembers of the conversation: what was said, asked, answered, and settled.

Also which goals an act is about, and whether the user would repeat itself.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts
from sparring_plugins.users.agenda.profile.facts import names_in
from sparring_plugins.users.agenda.profile.formats import days_in
from sparring_plugins.users.agenda.profile.slots import Slot
from sparring_plugins.users.agenda.profile.stances import has_denial, stance
from sparring_plugins.users.agenda.replies.app_reply import AppReply
from sparring_plugins.users.agenda.replies.named_options import hours_named
from sparring_plugins.users.agenda.state.user_goals import (
    UserGoal,
    is_conditional,
    is_service,
    named_moments,
    names_value,
)
from sparring_plugins.users.agenda.state.value_matching import (
    lies_within,
    says_value,
)
from sparring_plugins.users.agenda.words.knowledge import knowledge
from sparring_plugins.users.agenda.words.phrase_book import LANGUAGES, idle_words, phrases

# --- Which goals an act is about


# What was said belongs to the goal with most of its words in common.
_TOPIC_OVERLAP = 0.6


def topic_of(text: str, goals: Sequence[UserGoal], slots: Sequence[Slot]) -> str | None:
    """The goal that an act brings up; None for a mere answer."""
    said = _said_in_full(text, goals)
    if said is not None and not goals_said_at_once(text, goals):
        return said
    spoken = concepts(text)
    values = value_concepts(slots)
    best, score = None, 0.0
    for goal in goals:
        if not goal.concepts and contains(text, folded(goal.words)):
            return goal.key
        similarity = _topic_similarity(goal, spoken, values)
        if similarity >= _TOPIC_OVERLAP and similarity > score:
            best, score = goal.key, similarity
    return best


def _said_in_full(text: str, goals: Sequence[UserGoal]) -> str | None:
    """The question whose own words an act has in it, of several the longest one, or None."""
    found = [
        (len(words), goal.key)
        for goal in goals
        if goal.asks and not goal.is_output
        for words in goal.own_words
        if text == words or (len(words.split()) > 1 and contains(text, words))
    ]
    return max(found)[1] if found else None


def _topic_similarity(goal: UserGoal, spoken: frozenset[str], values: frozenset[str]) -> float:
    """How much the concepts of an act are those of a goal, from 0 to 1.

    An act of nothing but values brings no goal up, unless these are the whole goal.
    """
    meant = goal.concepts
    if not spoken & meant or (spoken <= values and not meant <= spoken):
        return 0.0
    if goal.asks and not spoken & goal.subject:
        return 0.0
    similarity = overlap(meant, spoken)
    if len(spoken) > 1 or len(meant) == 1:
        similarity = max(similarity, 0.95 * overlap(spoken, meant))
    return similarity


def menu_topic(option: str, goals: Sequence[UserGoal], slots: Sequence[Slot]) -> str | None:
    """The goal that an option of a menu is part of, if that is one alone."""
    named = concepts(option)
    if not named or named <= value_concepts(slots):
        return None
    keys = [goal.key for goal in goals if not goal.is_output and named <= goal.concepts]
    return keys[0] if len(keys) == 1 else None


def questions_of_label(label: str, goals: Sequence[UserGoal]) -> list[str]:
    """The questions that a chosen entry names in full: the hours of "Opening hours and prices"."""
    named = concepts(label)
    return [
        goal.key
        for goal in goals
        if goal.asks and not goal.is_output and goal.subject and goal.subject <= named
    ]


def value_concepts(slots: Sequence[Slot]) -> frozenset[str]:
    """Return the concepts of all values of some variables."""
    return frozenset(
        concept for slot in slots for value in slot.values for concept in concepts(value)
    )


def goals_said_at_once(text: str, goals: Sequence[UserGoal]) -> list[str]:
    """The goals of an act that brings up several at once, each in its own words."""
    keys = [
        goal.key
        for goal in goals
        if not goal.is_output
        and goal.concepts
        and any(contains(text, words) for words in goal.own_words)
    ]
    return keys if len(keys) > 1 else []


# --- Memory


_BRIEF = 3
"""Words up to which what ends an act may be an answer of its own, and was not said before."""


@dataclass(slots=True)
class Memory:
    """The conversation as the user remembers it; made anew from the turns each time.

    `acts` has what the user said, folded, and `replies` what came back. `topics` has for each turn
    the goal that the user spoke of, `active` the last one. A goal in `met` was answered or
    granted, one in `closed` was refused or asked for in vain. `goals` include declared outputs.
    `closings` has for each goal that was met by the end of a form, with no word that anything was
    done, the last question of that form. A user is `yielding` whose profile says that it takes
    something else than it asked for. A goal in `agreed` was brought up by a yes or a no, and one in
    `reported` was reported as done by the app.
    """

    goals: Sequence[UserGoal]
    slots: Sequence[Slot]
    patience: int
    acts: list[str] = field(default_factory=list[str])
    replies: list[AppReply] = field(default_factory=list[AppReply])
    topics: list[str | None] = field(default_factory=list[str | None])
    tries: Counter[str] = field(default_factory=Counter[str])
    met: set[str] = field(default_factory=set[str])
    closed: set[str] = field(default_factory=set[str])
    closings: dict[str, str] = field(default_factory=dict[str, str])
    yielding: bool = False
    agreed: set[str] = field(default_factory=set[str])
    reported: set[str] = field(default_factory=set[str])

    @property
    def last(self) -> AppReply | None:
        """The app's last reply."""
        return self.replies[-1] if self.replies else None

    @property
    def active(self) -> UserGoal | None:
        """The goal that the user spoke of last."""
        key = next((topic for topic in reversed(self.topics) if topic is not None), None)
        return next((goal for goal in self.goals if goal.key == key), None)

    def said(self, text: str) -> bool:
        """Whether the user said this before, but for case and punctuation; also after a "Yes."."""
        words = folded(text)
        if words in self.acts:
            return True
        # "Yes. I would like a cabin for two." says "I would like a cabin for two." again;
        # "No. Two nights." may be a new answer
        return len(words.split()) > _BRIEF and any(act.endswith(f" {words}") for act in self.acts)

    @property
    def idle(self) -> bool:
        """Whether the user's last act said little: that it does not know, or does not mind."""
        return bool(self.acts) and self.acts[-1] in idle_words()

    def answered_text(self) -> bool:
        """Whether the app has answered anything that the user typed."""
        pairs = zip(self.acts, self.replies, strict=False)
        # an app that only reacts to the entries of its menu does not read sentences
        menus = {folded(label) for reply in self.replies for label in reply.menu}
        return any(act and act not in menus and not reply.fallback for act, reply in pairs)

    def times_asked(self) -> int:
        """How often the app's last reply was given before, in a row."""
        count = 0
        for reply in reversed(self.replies[:-1]):
            if self.last is None or reply.words != self.last.words:
                break
            count += 1
        return count

    def open_goals(self) -> list[UserGoal]:
        """The goals that are neither met nor closed, in order, without outputs.

        Those for some case count only once something was refused.
        """
        settled = self.met | self.closed
        return [
            goal
            for goal in self.goals
            if not goal.is_output
            and goal.key not in settled
            # "if there is no cabin, ask about tents" is open once cabins were refused
            and (not is_conditional(goal) or (goal.asks and self.refused))
            and (not goal.follows or self._is_case_open(goal))
        ]

    def _is_case_open(self, goal: UserGoal) -> bool:
        """Whether a goal is to be pursued: its case has come, or may have in what was refused."""
        has_come = self.case_has_come(goal)
        return self.refused and goal.follows in self.met if has_come is None else has_come

    def case_has_come(self, goal: UserGoal) -> bool | None:
        """Whether the answer to a question is the case of a goal; None if that is not certain.

        "It contains no nuts." and "No." are the case of "if it has no nuts, order it".
        """
        answers = [
            reply
            for reply, topic in zip(self.replies, self.topics, strict=True)
            if topic == goal.follows
        ]
        if goal.follows not in self.met or not answers:
            return None
        first = answers[-1].words.partition(" ")[0]
        if first in knowledge().yes_words | knowledge().no_words:
            truth: bool | None = first in knowledge().yes_words
        else:
            truth = stance(goal.case, [text for reply in self.replies for text in reply.statements])
        return None if truth is None else truth is not has_denial(goal.case)

    @property
    def refused(self) -> bool:
        """Whether the app has turned the user down in what it asked for."""
        return any(reply.turns_down for reply in self.replies)

    def being_served(self) -> bool:
        """Whether a service that the user asked for is not done yet."""
        services = {goal.key for goal in self.goals if is_service(goal)}
        asked = [index for index, topic in enumerate(self.topics) if topic in services]
        if not asked:
            return any(is_service(goal) and self.mentioned(goal) for goal in self.goals)
        return not any(reply.done for reply in self.replies[asked[-1] :])

    def mentioned(self, goal: UserGoal) -> bool:
        """Whether the user has brought up a goal, in one piece or value by value."""
        # a question is brought up as a whole; its words in another sentence ask nothing
        if self.tries[goal.key] or goal.asks:
            return bool(self.tries[goal.key])
        texts = goal.texts or (named_moments(goal) if goal.form == "statement" else [])
        if goal.form == "statement" and self.states_moment(goal):
            return True
        return bool(texts) and all(
            any(says_value(act, text) or names_value(act, text) for act in self.acts)
            # "Both days" of a menu is "both days of the fair"; one word, "Both", may be anything
            or self.chose(text, least=_BRIEF - 1)
            for text in texts
        )

    def states_moment(self, goal: UserGoal) -> bool:
        """Whether the user has said or chosen the one day, or part of the day, of a goal.

        "01.05.2027" tells that something "is to begin on 1 May", "8 to 12" that somebody "should
        call in the morning".
        """
        days = days_in(goal.words, goal.language)
        if len(days) == 1:
            return any(days & days_in(act, goal.language) for act in self.chosen_or_said())
        parts = hours_named(folded(goal.words))
        return bool(parts) and any(lies_within(label, goal.words) for label in self.chosen_labels())

    def chosen_or_said(self) -> list[str]:
        """What the user said, as it was said, and the labels that it chose."""
        labels = [label for reply in self.replies for label in reply.options]
        return [*(label for label in labels if folded(label) in self.acts), *self.acts]

    def chose(self, text: str, *, least: int = 1) -> bool:
        """Whether the user chose an option of a text's words: "Next bill" of "the next bill"."""
        chosen = [
            names_in(act)
            for act, reply in zip(self.acts[1:], self.replies, strict=False)
            if act in map(folded, (*reply.menu, *reply.options))
        ]
        return any(len(names) >= least and names <= names_in(text) for names in chosen)

    def chosen_labels(self) -> list[str]:
        """The labels of the options that the user chose, also by their numbers or letters."""
        labels: list[str] = []
        for act, reply in zip(self.acts[1:], self.replies, strict=False):
            for question in reply.questions:
                # "2", "b" and the label itself choose the same option
                named = (*question.options, *question.options)
                keys = (*map(folded, question.options), *map(folded, question.marks))
                labels += [label for label, key in zip(named, keys, strict=False) if key == act]
        return labels

    def misunderstood(self, goal: UserGoal) -> bool:
        """Whether the app did not understand what the user said last of a goal."""
        turns = [index for index, topic in enumerate(self.topics) if topic == goal.key]
        return bool(turns) and (self.replies[turns[-1]].fallback or self._is_asked_again(turns[-1]))

    def _is_asked_again(self, index: int) -> bool:
        """Whether the same options are offered again, because the answer was none of them."""
        before = self.replies[index - 1].options if index else ()
        # "Prices" leads from the main menu to the main menu once they were shown
        answered = self.acts[index] in map(folded, before)
        return bool(before) and not answered and self.replies[index].options == before


# --- Whether the user would go in circles or say the same again


MOST_ALIKE = 2
"""How often the user may say the same to different replies, or press the same in one menu."""


def goes_in_circles(label: str, memory: Memory) -> bool:
    """Whether the user chose the same from the same menu again and again."""
    last = memory.last
    if last is None or not last.menu:
        return False
    for question in last.questions:
        # "1" and "Prices" are the same choice
        if label in question.marks:
            label = question.options[question.marks.index(label)]
    turns = zip(memory.replies, memory.acts[1:], strict=False)
    same = sum(act == folded(label) and reply.menu == last.menu for reply, act in turns)
    return same > MOST_ALIKE


def said_too_often(text: str, memory: Memory, language: str) -> bool:
    """Whether the user would repeat itself: twice in a row, or again and again.

    What the app asks in the same words again may be answered in the same words again. That this
    was all is not said again in another language.
    """
    acts, words = memory.acts, folded(text)
    # "That is all." again would be the answer to a question that was not understood
    if _says_nothing(text, language) and acts[-1:] == [words]:
        return True
    if acts[-2:].count(words) > 1 or _said_in_other_language(text, memory, language):
        return True
    different_replies = {reply.words for reply in memory.replies}
    return acts.count(words) > 1 and len(different_replies) > MOST_ALIKE


def _says_nothing(text: str, language: str) -> bool:
    """Whether a text says only that there is nothing to say."""
    book = phrases(language)
    return text in (*book.thats_all, *book.indifferent, *book.unknown)


def _said_in_other_language(text: str, memory: Memory, language: str) -> bool:
    """Whether the last act already said, in another language, that this is all."""
    if not memory.acts or text not in phrases(language).thats_all:
        return False
    others = [phrases(other) for other in LANGUAGES if other != language]
    return any(memory.acts[-1] in map(folded, book.thats_all) for book in others)
