"""Functions of what was said and in which order: phrases, repeated answers, steps, questions."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import cast

from sparring.interfaces.rule_function import Explained, rule_function
from sparring.model.talk import Listen, Trace, act_text
from sparring_plugins.language.similarity import (
    MEASURES,
    Measure,
    NoWords,
    exact,
    tf_idf,
    word_counts,
)
from sparring_plugins.rules.functions.plain_values import SPEAKERS, short, texts_of


def answers(trace: Trace) -> Iterator[tuple[int, int, str]]:
    """Each answer: its index among all messages of both sides, its turn, and its text."""
    index = 0
    for number, turn in enumerate(trace.turns):
        index += not isinstance(turn.act, Listen)
        if turn.observation is not None:
            yield index, number, turn.observation.text
            index += 1


def text_cost(trace: Trace, *_: object, **__: object) -> int:
    """The work of reading all answers once."""
    return 2 + sum(2 + (len(text) >> 6) for _, _, text in answers(trace))


@rule_function(conversation=True, cost=text_cost)
def chatbot_returns(trace: Trace, what: str, and_not: str | None = None) -> list[int]:
    """Where the chatbot says `what`: the indexes in `interaction`, which start at 0.

    `what` is plain text, upper and lower case distinguished. With `and_not`, only answers in
    which that text does not come after the first `what`.
    """
    indexes: list[int] = []
    for index, _, text in answers(trace):
        at = text.find(what)
        if at >= 0 and (and_not is None or text.find(and_not, at + len(what)) < 0):
            indexes.append(index)
    return indexes


@rule_function(conversation=True, cost=text_cost)
def empty_responses(trace: Trace) -> list[int]:
    """Where the chatbot's answer is empty or blank: the indexes in `interaction`."""
    return [index for index, _, text in answers(trace) if not text.strip()]


# Whether the chatbot repeats itself: `repeated_answers` and `not_repeated_answers`.


def group_repeats(
    phrases: Sequence[str], measure: Measure, threshold: float
) -> dict[str, list[str]]:
    """Phrases and the later ones similar to them; each joins the first that is similar enough."""
    # Equal or not, by a table: comparing each with each takes the square of a long conversation.
    if measure is exact and 0 < threshold <= 1:
        return _equal(phrases)
    groups: dict[str, list[str]] = {}
    for phrase in phrases:
        for head, later in groups.items():
            if measure(phrase, head) >= threshold:
                later.append(phrase)
                break
        else:
            groups[phrase] = []
    return {head: later for head, later in groups.items() if later}


def _equal(phrases: Sequence[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for phrase in phrases:
        if phrase in groups:
            groups[phrase].append(phrase)
        else:
            groups[phrase] = []
    return {head: later for head, later in groups.items() if later}


def repeats_cost(trace: Trace, method: str = "exact", *_: object, **__: object) -> int:
    """The work of comparing all answers with each other, in microseconds."""
    sizes = [len(text) for _, _, text in answers(trace)]
    total, number = sum(sizes), len(sizes)
    match str(method).lower():
        case "exact":
            return 1 + number + (total >> 6)
        case "sequence-matcher":  # it has a limit of its own, at a few seconds
            return 1 + min(total * total // 64, 400_000)
        case _:
            return 1 + (total >> 3) + number * (total >> 4)


@rule_function(conversation=True, cost=repeats_cost)
def repeated_answers(
    trace: Trace, method: str = "exact", threshold: float = 0.4
) -> dict[str, list[str]]:
    """The answers that the chatbot repeats: each first one with the later ones like it.

    `method` is ``exact``, ``tf-idf``, ``jaccard`` or ``sequence-matcher``; two answers are alike
    when their similarity, from 0 to 1, is at least `threshold`. Two texts without any word
    are alike when they are equal. Raises ValueError for another method.
    """
    make = MEASURES.get(method.lower())
    if make is None:
        raise ValueError(f"repeated_answers() knows {', '.join(MEASURES)}, not {method!r}")
    phrases = [text for _, _, text in answers(trace)]
    return group_repeats(phrases, _or_equal(make()), threshold)


@rule_function(conversation=True, cost=repeats_cost)
def not_repeated_answers(trace: Trace, method: str = "exact", threshold: float = 0.4) -> bool:
    """Whether the chatbot never repeats an answer (SENSEI, table 3); see `repeated_answers`."""
    return not repeated_answers.call(trace, method, threshold)


def _or_equal(measure: Measure) -> Measure:
    if measure is exact:
        return measure

    def total(first: str, second: str) -> float:
        try:
            return measure(first, second)
        except (NoWords, ZeroDivisionError):
            return exact(first, second)

    return total


# In which order a conversation goes: `index_of`, `before`, `step_order` and `asked_twice`.
#
# Messages of both sides are counted from 0, as in `interaction`. A step is named by what is said in
# it: a text, upper and lower case alike, or a list of texts of which one is enough.

Step = str | Sequence[str]

# "¿" begins a question: "Bien. ¿Qué talla?" asks "Qué talla?" alone.
_END = re.compile(r"([.!?\n¿。\uff01\uff1f])")
# A "?" at the end of a whole paragraph without full stops is no question to compare.
_LONGEST_QUESTION = 300
_MOST_QUESTIONS = 200


def said(trace: Trace, who: str = "both") -> Iterator[tuple[int, int, str]]:
    """Each message of a side: its index among those of both, its turn, and its text."""
    speaker = who.lower()
    if speaker not in SPEAKERS:
        raise ValueError(f"the speakers are {', '.join(SPEAKERS)}, not {who!r}")
    index = 0
    for number, turn in enumerate(trace.turns):
        if not isinstance(turn.act, Listen):
            if speaker in ("both", "user"):
                yield index, number, act_text(turn.act)
            index += 1
        if turn.observation is not None:
            if speaker != "user":
                yield index, number, turn.observation.text
            index += 1


def _cost(trace: Trace, *_: object, **__: object) -> int:
    return 4 + sum(2 + (len(text) >> 4) for _, _, text in said(trace))


def _cost_of_steps(trace: Trace, steps: object = (), *_: object, **__: object) -> int:
    number = len(cast("list[object]", steps)) if isinstance(steps, (list, tuple)) else 1
    return (1 + number) * _cost(trace)


def _cost_of_questions(trace: Trace, *_: object, **__: object) -> int:
    questions = sum(text.count("?") for _, _, text in said(trace, "assistant"))
    return 4 * _cost(trace) + 10 * questions * min(questions, _MOST_QUESTIONS)


def _finder(step: Step) -> Callable[[str], bool]:
    phrases = [text.casefold() for text in texts_of(step)]
    if not phrases or not all(text.strip() for text in phrases):
        raise ValueError("a step is named by a text that is said in it, found none")

    def finds(text: str) -> bool:
        folded = text.casefold()
        return any(phrase in folded for phrase in phrases)

    return finds


def _first(trace: Trace, step: Step, who: str, start: int = 0) -> tuple[int, int] | None:
    """The index and the turn of the first message from `start` on in which a step is taken."""
    finds = _finder(step)
    places = ((index, turn) for index, turn, text in said(trace, who) if finds(text))
    return next((place for place in places if place[0] >= start), None)


@rule_function(conversation=True, cost=_cost)
def index_of(trace: Trace, what: Step, who: str = "assistant", start: int = 0) -> int | None:
    """The index, from 0, of the first message in which `who` says `what`; `None` if none does.

    `who` is ``user``, ``assistant`` or ``both``; the search begins at the index `start`.
    """
    place = _first(trace, what, who, start)
    return place[0] if place else None


@rule_function(conversation=True, cost=_cost)
def before(trace: Trace, first: Step, then: Step, who: str = "assistant") -> Explained:
    """Whether `then` is said only after `first`, or in the same message.

    True if `then` is never said.
    """
    later = _first(trace, then, who)
    if later is None:
        return Explained(True, f"{_show_step(then)} is never said")
    earlier = _first(trace, first, who)
    if earlier is not None and _is_before(trace, earlier, later, first, then):
        return Explained(True)
    why = f"{_show_step(then)} is said in message {later[0]}"
    why += (
        f", {_show_step(first)} in message {earlier[0]}"
        if earlier
        else f", never {_show_step(first)}"
    )
    return Explained(False, why, (later[1],))


def _is_before(
    trace: Trace, earlier: tuple[int, int], later: tuple[int, int], first: Step, then: Step
) -> bool:
    """Whether a step comes first; within one message, whether it stands further to the front."""
    if earlier[0] != later[0]:
        return earlier[0] < later[0]
    text = next(text for index, _, text in said(trace) if index == later[0]).casefold()
    return _at(text, first) <= _at(text, then)


def _at(text: str, step: Step) -> int:
    places = [text.find(phrase.casefold()) for phrase in texts_of(step)]
    return min(place for place in places if place >= 0)


@rule_function(conversation=True, cost=_cost_of_steps)
def step_order(
    trace: Trace, steps: Sequence[Step], who: str = "assistant", complete: bool = False
) -> Explained:
    """Whether the steps, as far as they are taken, are first taken in this order.

    With `complete`, all of them have to be taken. Two steps of one message are in order.
    """
    if isinstance(steps, str) or len(steps) < 2:
        raise ValueError("step_order() needs a list of at least two steps")
    reached: tuple[Step, int] | None = None
    for step in steps:
        place = _first(trace, step, who)
        if place is None:
            if complete:
                return Explained(False, f"{_show_step(step)} is never said")
            continue
        if reached is not None and place[0] < reached[1]:
            earlier, later = _show_step(step), _show_step(reached[0])
            why = f"{earlier} is said in message {place[0]}, before {later} in message {reached[1]}"
            return Explained(False, why, (place[1],))
        reached = (step, place[0])
    return Explained(True)


@rule_function(conversation=True, cost=_cost_of_questions)
def asked_twice(trace: Trace, threshold: float = 0.95) -> list[str]:
    """The questions that the chatbot asks again after the user has answered.

    Two questions are the same when the similarity of their words (tf-idf, from 0 to 1) is at
    least `threshold`. Of many questions the first 200 are compared.
    """
    earlier: list[str] = []
    again: dict[str, None] = {}
    for _, _, text in said(trace, "assistant"):
        questions = _questions(text)
        # Those of earlier messages: two alike questions in one message were not asked again.
        compared = earlier[:_MOST_QUESTIONS]
        again |= dict.fromkeys(
            question
            for question in questions
            if any(_alike(question, other, threshold) for other in compared)
        )
        earlier += questions
    return list(again)


def _questions(text: str) -> list[str]:
    """The sentences that end with a question mark, of at most 300 characters."""
    parts = _END.split(text)
    ends = zip(parts[::2], parts[1::2], strict=False)
    texts = (part.strip() for part, end in ends if end in ("?", "\uff1f"))
    # "OK?" and "?" ask for nothing that has an answer.
    return [f"{question}?" for question in texts if 3 <= len(question) <= _LONGEST_QUESTION]


def _alike(text: str, other: str, threshold: float) -> bool:
    if text == other:
        return True
    if not word_counts(text)[0] or not word_counts(other)[0]:
        return False
    return tf_idf(text, other) >= threshold


def _show_step(step: Step) -> str:
    return " or ".join(short(text, 40) for text in texts_of(step))
