"""Whether the app's words show that a goal is met which the model takes for met."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Listen, Turn, act_text, meant_by
from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.similarity import Fallbacks
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import concepts, has_cue
from sparring_plugins.users.agenda.replies.app_reply import AppReply, read_app_reply
from sparring_plugins.users.agenda.state.open_form import leaves_form_open
from sparring_plugins.users.agenda.state.user_goals import (
    UserGoal,
    is_conditional,
    user_goals_of,
)
from sparring_plugins.users.model_user.quotations import Place, find_quotation

_SIMILAR = 0.75


class Tick(BaseModel):
    """A wish that is met."""

    model_config = ConfigDict(extra="forbid")

    number: int
    quotation: str = Field(description="the chatbot's words")


@dataclass(frozen=True)
class GoalTicks:
    """Holds the ticks of a move against what the app said.

    A tick counts if the app said the words quoted for it, these are no fallback, no choice on
    offer, no mere question and no echo of the user, and the goal was spoken of by then. A goal that
    wants something done is also not met by a refusal, anything that was said before the user
    spoke, or words of a form that is still open: "That comes to £95. Shall I book it?" books
    nothing.
    """

    task: UserTask

    def met(self, ticks: Iterable[Tick]) -> set[int]:
        """Return the indexes of the goals whose ticks count, and of those that they replace.

        "if that does not work, find out what to do now" settles the goal before it, too.
        """
        met = {tick.number - 1 for tick in ticks if self.objection(tick) is None}
        goals = user_goals_of(self.task)
        return met | {index - 1 for index in met if index and is_conditional(goals[index])}

    def objection(self, tick: Tick) -> str | None:
        """Return why a tick does not count, in words for the model; `None` if it does."""
        index = tick.number - 1
        if not 0 <= index < len(self.task.goals):
            return f"There is no wish {tick.number}."
        place = find_quotation(tick.quotation, self.task.turns)
        if place is None:
            return (
                f"Wish {tick.number}: the chatbot did not say {tick.quotation[:80]!r}. Quote its"
                " words letter for letter, or leave the wish out."
            )
        reason = self._why_not(place, user_goals_of(self.task)[index])
        return reason and f"Wish {tick.number} is not met: {reason}."

    def _why_not(self, place: Place, goal: UserGoal) -> str | None:
        turn, quoted = self.task.turns[place.turn], folded(place.text)
        reply = read_app_reply(turn.observation)
        if reply.fallback or Fallbacks(self.task.fallbacks, _SIMILAR).match(reply.text):
            return "the chatbot did not understand"
        # "Prices" in a menu promises the prices and names none
        if quoted in map(folded, reply.menu):
            return "those words are only a choice on offer"
        if _is_echo(turn, reply):
            return "the chatbot only repeats what was said to it"
        # "Pick-up: Harbour, usually within 4 days." may be read as two options, and asks nothing
        asked = [question.words for question in reply.questions if "?" in question.text]
        # "Is £20 all right?" names a price all the same, "Shall I book it?" books nothing
        is_asked = any(contains(words, quoted) for words in asked)
        if is_asked and not (goal.asks and any(char.isdigit() for char in quoted)):
            return "the chatbot only asks about it"
        if not self._was_brought_up(place, goal):
            return "nothing was said of it"
        return None if goal.asks else self._why_not_done(place, goal)

    def _was_brought_up(self, place: Place, goal: UserGoal) -> bool:
        """Whether the user has spoken of a goal by then, or the words quoted do."""
        turns = self.task.turns[: place.turn + 1]
        said = " ".join((place.text, *(meant_by(turn.act) for turn in turns)))
        about = goal.subject
        named = concepts(place.text)
        if find_money(place.text) or has_cue(folded(place.text), "free"):
            named |= _costs()
        # "Total: £24." is about the price that the goal asks for, though it shares no subject
        if named & _costs() & goal.concepts:
            return True
        return not about or bool(about & concepts(said)) or is_conditional(goal)

    def _why_not_done(self, place: Place, goal: UserGoal) -> str | None:
        quoted = folded(place.text)
        if place.turn < _first_spoken(self.task.turns):
            return "those words were said before anything was asked for"
        # "Sorry, we are full." meets no goal, unless the next one says what to do then
        if has_cue(quoted, "turned_down") and not self._may_be_refused(goal):
            return "the chatbot turned it down"
        begins = form_begins(self.task.turns)
        if begins is not None and place.turn >= begins:
            return "the chatbot still waits for an answer before it does that"
        return None

    def _may_be_refused(self, goal: UserGoal) -> bool:
        """Whether a goal may be turned down: a later one says what the user does then."""
        goals = user_goals_of(self.task)
        return any(is_conditional(other) for other in goals[goals.index(goal) + 1 :])


def form_begins(turns: Sequence[Turn]) -> int | None:
    """Return the turn in which the form begins that the app has open; `None` if it has none."""
    last = turns[-1].observation if turns else None
    if last is None or last.ended:
        return None
    replies = [read_app_reply(turn.observation) for turn in turns]
    begins = None
    for count in range(len(replies), 0, -1):
        if not leaves_form_open(replies[:count]):
            break
        begins = count - 1
    return begins


@lru_cache(maxsize=1)
def _costs() -> frozenset[str]:
    """The concepts of what things cost: "Total: 24 €" answers "What does it cost?"."""
    return concepts("price cost total pay charge fee money refund")


def _is_echo(turn: Turn, reply: AppReply) -> bool:
    """Whether a reply has no other words than the user's message."""
    return len(reply.words.split()) > 1 and contains(folded(act_text(turn.act)), reply.words)


def _first_spoken(turns: Sequence[Turn]) -> int:
    spoken = (index for index, turn in enumerate(turns) if not isinstance(turn.act, Listen))
    return next(spoken, len(turns))
