"""The sentences that the goals of a profile become, and goals that no good sentence says.

Who writes a profile sees goals and not sentences: "wants a room" would be asked as "Can you tell me
about wants a room?". ``sparring lint`` shows the sentences, and ``sparring validate`` refuses such
a goal. A language model finds its own words, so this concerns the user without one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.state.user_goals import UserGoal, phrasings, user_goal
from sparring_plugins.users.agenda.words.goal_verbs import goal_words
from sparring_plugins.users.profiles.goals import goals_of
from sparring_plugins.users.profiles.profile import Profile

_FRAMED = frozenset({"request", "about", "topic"})
"""Forms whose words stand as a thing in a phrase: "Can you tell me about ...?"."""

# "order_pizza", "order()", "{{size}} pizza" and "<b>pizza</b>" are names, templates and markup, no
# words. Within a sentence an app may have taught such a name: "a pizza of size_l".
_CODE = re.compile(r"[{}<>=\[\]|\\]|\w\(\)|^\w+_\w+$")


@dataclass(frozen=True, slots=True)
class GoalSentences:
    """A goal of a profile with its first values, and what the user says for it.

    `number` counts from 1; `sentences` are all ways to say it, the first of which come first in a
    conversation. `problem` says why none of them is a good one; empty if they are.
    """

    number: int
    goal: str
    sentences: tuple[str, ...]
    problem: str = ""


def goal_sentences(profile: Profile) -> Iterator[GoalSentences]:
    """Yield each goal of a profile with the sentences that it becomes.

    Raises ConfigurationError if a goal uses a variable without a value.
    """
    params: dict[str, JsonValue] = {
        variable.name: variable.domain[0] for variable in profile.variables if variable.domain
    }
    for index, goal in enumerate(goals_of(profile, params)):
        own = user_goal(index, goal, params, profile.language)
        # The last ones are a goal's own words and their keywords, for an app that has not
        # understood any sentence.
        sentences = [text for text in phrasings(own, 0) if text[-1:] in ".?!"]
        # Values that a function or a model would still have to give stand in for none.
        problem = "" if profile.unresolved else _problem(own, goal.phrase)
        yield GoalSentences(index + 1, goal.phrase, tuple(sentences), problem)


def _problem(goal: UserGoal, phrase: str) -> str:
    """Why no good sentence says a goal; empty if one does."""
    if not any(char.isalpha() for char in phrase):
        return "it has no words: say what is wanted"
    code = _CODE.search(phrase)
    if code is not None:
        return f"{code.group()!r} is no word that a person says: write the goal as a sentence"
    if goal.language != "English" or goal.form not in _FRAMED:
        return ""
    first = folded(goal.words).partition(" ")[0]
    if first in goal_words().no_things:
        return (
            f"{first!r} begins no thing that one asks for or about: begin with a verb, as in "
            "'ask for ...', or write a whole sentence, as in 'you need ...'"
        )
    return ""
