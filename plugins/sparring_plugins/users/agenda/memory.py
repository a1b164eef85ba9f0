"""What the user remembers of the conversation: what was said, asked, answered, and settled."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.app_reply import AppReply
from sparring_plugins.users.agenda.facts import names_in
from sparring_plugins.users.agenda.own_phrases import idle_words
from sparring_plugins.users.agenda.slots import Slot
from sparring_plugins.users.agenda.user_goals import (
    UserGoal,
    is_conditional,
    is_service,
    named_moments,
    names_value,
)
from sparring_plugins.users.agenda.value_matching import (
    says_value,
)

_BRIEF = 3


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
        return len(words.split()) > _BRIEF and any(act.endswith(f" {words}") for act in self.acts)

    @property
    def idle(self) -> bool:
        """Whether the user's last act said little: that it does not know, or does not mind."""
        return bool(self.acts) and self.acts[-1] in idle_words()

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
            and (not is_conditional(goal) or (goal.asks and self.refused))
        ]

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
        if self.tries[goal.key] or goal.asks:
            return bool(self.tries[goal.key])
        texts = goal.texts or (named_moments(goal) if goal.form == "statement" else [])
        return bool(texts) and all(
            any(says_value(act, text) or names_value(act, text) for act in self.acts)
            or self.chose(text, least=_BRIEF - 1)
            for text in texts
        )

    def chose(self, text: str, *, least: int = 1) -> bool:
        """Whether the user chose an option of a text's words: "Next bill" of "the next bill"."""
        chosen = [
            names_in(act)
            for act, reply in zip(self.acts[1:], self.replies, strict=False)
            if act in map(folded, reply.menu)
        ]
        return any(len(names) >= least and names <= names_in(text) for names in chosen)

    def chosen_labels(self) -> list[str]:
        """The labels of the options that the user chose, also by their numbers or letters."""
        labels: list[str] = []
        for act, reply in zip(self.acts[1:], self.replies, strict=False):
            for question in reply.questions:
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
        answered = self.acts[index] in map(folded, before)
        return bool(before) and not answered and self.replies[index].options == before


# --- Which goals an act is about


# --- What a reply settles
