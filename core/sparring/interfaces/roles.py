"""The typed tasks and answers of the agents' roles other than ``player``."""

from datetime import date
from typing import Literal

from pydantic import JsonValue

from sparring.model.base import AppText, Value
from sparring.model.talk import Act, Output, Turn


class Goal(Value):
    """Something the user wants: `phrase` with the case's values filled into `template`."""

    phrase: str
    template: str
    inputs: tuple[str, ...] = ()


class OutputSpec(Value):
    """A value that the user wants to learn; `type` is one of the declared output types."""

    name: str
    type: str = "str"
    description: str = ""


class UserTask(Value):
    """Role ``user``: what the user should do next in the conversation so far.

    `situation` is ``start`` before anything was said, ``rephrase`` after an answer that was
    a fallback, ``change_topic`` after several, else ``normal``. `seed` is the case's; the
    answer must depend on nothing but the task, so that a run can be repeated. `goals_met`
    are the indexes of the goals that were met before this turn. `domains` has for each input
    all values that it might have had, if they are known. `temperature` is what the author
    wants a language model to be asked with, if the suite says nothing else. `traits` say by
    name how the user's persona speaks and behaves, as far as that can be measured.
    """

    goals: tuple[Goal, ...]
    inputs: dict[str, JsonValue] = {}
    domains: dict[str, tuple[JsonValue, ...]] = {}
    outputs: tuple[OutputSpec, ...] = ()
    language: str = "English"
    role: str = ""
    context: tuple[str, ...] = ()
    style: tuple[JsonValue, ...] = ()
    fallbacks: tuple[str, ...] = ()
    turns: tuple[Turn, ...] = ()
    situation: Literal["start", "normal", "rephrase", "change_topic"] = "normal"
    goals_met: tuple[int, ...] = ()
    seed: int = 0
    temperature: float | None = None
    traits: dict[str, JsonValue] = {}


class Revision(Value):
    """A value that the user wants in the place of the case's own, in its shape."""

    variable: str
    value: JsonValue


class UserMove(Value):
    """Role ``user``: the next act; None when the user leaves the conversation.

    `goals_met` are the indexes of all goals that are met by now, as far as the user can tell.
    `revised` has, for inputs that the user has changed its mind about or was talked out of, the
    value it wants by now.
    """

    act: Act | None = None
    goals_met: tuple[int, ...] = ()
    reason: str = ""
    revised: tuple[Revision, ...] = ()


class GoalTask(Value):
    """Role ``goal_checker``: which of the goals the app has met in the conversation so far.

    A goal is met when the app has answered it or confirmed it. `goals_met` are the indexes of
    those that were met before and need no new check. All else is as in `UserTask`.
    """

    goals: tuple[Goal, ...]
    turns: tuple[Turn, ...]
    goals_met: tuple[int, ...] = ()
    inputs: dict[str, JsonValue] = {}
    domains: dict[str, tuple[JsonValue, ...]] = {}
    outputs: tuple[OutputSpec, ...] = ()
    fallbacks: tuple[str, ...] = ()
    language: str = "English"
    seed: int = 0


class MetGoal(Value):
    """A goal, by its index, that the app has met, with its words that show it.

    `quotation` stands in the answer of the 0-based `turn`; it is empty if the checker goes
    by more than one sentence.
    """

    goal: int
    quotation: AppText = ""
    turn: int | None = None


class GoalCheck(Value):
    """Role ``goal_checker``: the goals found met, each once; those met before may be left out."""

    met: tuple[MetGoal, ...] = ()


class ExtractTask(Value):
    """Role ``extractor``: find the declared outputs in the conversation.

    `today` is the day that relative dates count from. `inputs`, `domains` and `seed` are as in
    `UserTask`.
    """

    turns: tuple[Turn, ...]
    outputs: tuple[OutputSpec, ...]
    inputs: dict[str, JsonValue] = {}
    domains: dict[str, tuple[JsonValue, ...]] = {}
    language: str = "English"
    today: date
    seed: int = 0


class Extraction(Value):
    """Role ``extractor``: one output per specification, in order, value None if missing."""

    outputs: tuple[Output, ...]


class JudgeTask(Value):
    """Role ``judge``: a question with given answers, on a conversation or on a text.

    `options` are the answers to choose from, in the order in which they are shown. `subject` is
    what is judged if it is no conversation: a text, or plain data. `criterion` says what each
    option means, in words. `sample` tells independent judgements of one task apart.
    """

    question: str
    options: tuple[str, ...] = ("yes", "no")
    criterion: str = ""
    turns: tuple[Turn, ...] = ()
    subject: JsonValue = None
    sample: int = 0
    seed: int = 0


class Judgement(Value):
    """Role ``judge``: the answer, one of the options; None if the judge cannot decide.

    `score` in [0, 1] is how far the judge would go, 1 for the first option, if it says so;
    `turns` are the 0-based turns that show it.
    """

    answer: str | None
    score: float | None = None
    reason: str = ""
    turns: tuple[int, ...] = ()
