"""Whether the model keeps to its part: reasons to send a move of the user back."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Choice, Listen, act_text
from sparring_plugins.language.text import contains, folded, plain, sentences
from sparring_plugins.users.agenda.slots import slots_of
from sparring_plugins.users.model_user.language_check import other_language
from sparring_plugins.users.model_user.moves import NextMove, named, pressed
from sparring_plugins.users.model_user.single_checks import once
from sparring_plugins.users.model_user.transcript import labels, said_by_app
from sparring_plugins.users.model_user.user_description import styles_in_words
from sparring_plugins.users.model_user.value_conflicts import other_value

MOST = 1_500
"""Characters of a message; with long phrases twice as many."""

RUN = 5
"""Words of a sentence that nobody repeats by coincidence."""

_HOLES = re.compile(
    r"\{\{?[^{}\n]{0,60}\}\}?|<[a-z][a-z _-]{1,40}>"
    r"|\[(?:(?:your|my|the|insert|enter|any|some)\b[^\[\]\n]{0,40}|[^\[\]\n]{0,20}\b(?:name|date|"
    r"time|address|number|phone|e-?mail|city|product|amount|size|order)\b[^\[\]\n]{0,10})\]",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"^\W{0,3}(?:assistant|chatbot|bot|ai|agent|system|support|asistente)\W{0,2}\s*:", re.I | re.M
)
_SERVING = (
    "how can i help you", "how may i help you", "how can i assist", "how may i assist",
    "what can i do for you", "is there anything else i can help", "im here to help you",
    "i am here to help you", "happy to assist you", "thank you for contacting", "as an ai",
    "en que puedo ayudar", "como puedo ayudar", "puedo ayudarte en algo",
    "wie kann ich ihnen helfen", "wie kann ich dir helfen", "comment puis je vous aider",
    "come posso aiutar", "como posso ajudar",
)  # fmt: skip
_GIVEN_AWAY = (
    "language model", "simulated user", "role play", "roleplay", "stay in character",
    "system prompt", "test case", "this is a test", "im testing", "i am testing", "my instructions",
    "my goals are", "as instructed", "json",
)  # fmt: skip


@dataclass(frozen=True)
class Conduct:
    """What a move of the user is held against.

    `telltale` are sentences of the prompt that the user would not say, folded. `styles` are the
    names of the styles of the case.
    """

    task: UserTask
    language: str
    styles: frozenset[str] = frozenset()
    telltale: tuple[str, ...] = ()

    def checkers(self) -> tuple[Callable[[NextMove], str | None], ...]:
        """The checks of one question, those that go by mere signs only once."""
        return (
            self.says_something,
            self.presses_what_is_offered,
            self.leaves_no_blank,
            self.is_the_user,
            self.is_not_too_long,
            once(self.gives_nothing_away),
            once(self.says_it_anew),
            once(self.keeps_to_its_values),
            once(self.speaks_the_language),
        )

    @property
    def choices(self) -> Sequence[Choice]:
        """What can be pressed now."""
        last = self.task.turns[-1].observation if self.task.turns else None
        return last.choices if last else ()

    def says_something(self, move: NextMove) -> str | None:
        """Whether there is anything to do."""
        if move.text or move.leaves or pressed(move, self.choices):
            return None
        return "There is no message: write one, press a choice that is offered, or leave."

    def presses_what_is_offered(self, move: NextMove) -> str | None:
        """Whether a choice that is named can be pressed."""
        if not move.choice or named(move.choice, self.choices):
            return None
        offered = ", ".join(repr(label) for label in labels(self.choices)) or "nothing"
        return f"There is no such choice to press. Offered now: {offered}."

    def leaves_no_blank(self, move: NextMove) -> str | None:
        """Whether the message is whole."""
        found = _HOLES.search(move.text)
        if found is None or found.group() in self._own_words() or self._was_said(found.group()):
            return None
        return f"{found.group()!r} in the message is a blank: write what the person really says."

    def is_the_user(self, move: NextMove) -> str | None:
        """Whether the message is the user's and not the chatbot's."""
        said = folded(move.text)
        if _SPEAKER.search(move.text) or "\nuser:" in move.text.lower():
            return "Write the person's next message only, with no names in front and no dialogue."
        if any(contains(said, words) or said.startswith(words) for words in _SERVING):
            return "That is what the chatbot would say. Write what the person says."
        return None

    def is_not_too_long(self, move: NextMove) -> str | None:
        """Whether the message has a length that people type."""
        most = 2 * MOST if "long phrases" in self.styles else MOST
        if len(move.text) <= most:
            return None
        return f"The message has {len(move.text):,} characters; people write at most {most:,}."

    def gives_nothing_away(self, move: NextMove) -> str | None:
        """Whether the message keeps the prompt to itself."""
        said, known = folded(move.text), folded(self._own_words())
        away = next((words for words in _GIVEN_AWAY if contains(said, words)), None)
        if away is not None and not contains(known, away) and not self._was_said(away):
            return f"The person knows nothing of {away!r}. Write what they would say."
        about = (*self.task.context, self.task.role)
        own = [folded(one) for text in about for one in sentences(plain(text))]
        style = [folded(one) for one in styles_in_words(self.styles)]
        for sentence in (*self.telltale, *own, *style, "whatever language was spoken before"):
            if len(sentence.split()) >= RUN and contains(said, sentence):
                return "The message repeats what you were told. Put it in the person's own words."
        return None

    def says_it_anew(self, move: NextMove) -> str | None:
        """Whether the message differs from the last one, unless it answers another question."""
        turns = [turn for turn in self.task.turns if not isinstance(turn.act, Listen)]
        if not turns or folded(move.text) != folded(act_text(turns[-1].act)) or move.leaves:
            return None
        if pressed(move, self.choices) is not None or not move.text:
            return None
        answers = [folded(said_by_app(turn.observation)) for turn in self.task.turns[-2:]]
        short = len(folded(move.text).split()) < 3
        if short and self.task.situation == "normal" and len(set(answers)) == len(answers):
            return None
        return "That is the person's last message again. Say it in other words, or something else."

    def keeps_to_its_values(self, move: NextMove) -> str | None:
        """Whether the message names no other value than the case has."""
        if "change your mind" in self.styles or not move.text:
            return None
        found = other_value(move.text, slots_of(self.task))
        if found is None:
            return None
        slot, other = found
        return (
            f"The message says {other}, but the person's is {', '.join(slot.values)}: keep to it."
        )

    def speaks_the_language(self, move: NextMove) -> str | None:
        """Whether the message is in the language of the turn, as far as can be told cheaply."""
        if pressed(move, self.choices) is not None:
            return None
        known = [*self.task.fallbacks, self._own_words()]
        found = other_language(move.text, self.language, known=" ".join(known))
        return found and f"The message is in {found}: write it in {self.language}."

    def _own_words(self) -> str:
        """What the author gave the user to say."""
        return "\n".join((*(goal.phrase for goal in self.task.goals), *self.task.context))

    def _was_said(self, words: str) -> bool:
        """Whether the app used some words itself."""
        last = self.task.turns[-1].observation if self.task.turns else None
        return words.lower() in said_by_app(last).lower()
