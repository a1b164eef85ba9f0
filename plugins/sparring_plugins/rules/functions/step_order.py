"""In which order a conversation goes: `index_of`, `before`, `step_order` and `asked_twice`.

Messages of both sides are counted from 0, as in `interaction`. A step is named by what is said in
it: a text, upper and lower case alike, or a list of texts of which one is enough.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import cast

from sparring.interfaces.rule_function import Explained, rule_function
from sparring.model.talk import Listen, Trace, act_text
from sparring_plugins.language.similarity import tf_idf, word_counts
from sparring_plugins.rules.functions.explanations import short
from sparring_plugins.rules.functions.lengths import SPEAKERS, texts_of

Step = str | Sequence[str]

_END = re.compile(r"([.!?\n¿。\uff01\uff1f])")
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
    asked = sum(text.count("?") for _, _, text in said(trace, "assistant"))
    return 4 * _cost(trace) + 10 * asked * min(asked, _MOST_QUESTIONS)


def _finder(step: Step) -> Callable[[str], bool]:
    wanted = [text.casefold() for text in texts_of(step)]
    if not wanted or not all(text.strip() for text in wanted):
        raise ValueError("a step is named by a text that is said in it, found none")

    def finds(text: str) -> bool:
        folded = text.casefold()
        return any(one in folded for one in wanted)

    return finds


def _first(trace: Trace, step: Step, who: str, start: int = 0) -> tuple[int, int] | None:
    """The index and the turn of the first message from `start` on in which a step is taken."""
    finds = _finder(step)
    found = ((index, turn) for index, turn, text in said(trace, who) if finds(text))
    return next((one for one in found if one[0] >= start), None)


@rule_function(conversation=True, cost=_cost)
def index_of(trace: Trace, what: Step, who: str = "assistant", start: int = 0) -> int | None:
    """The index, from 0, of the first message in which `who` says `what`; None where none does.

    `who` is ``user``, ``assistant`` or ``both``; the search begins at the index `start`.
    """
    found = _first(trace, what, who, start)
    return found[0] if found else None


@rule_function(conversation=True, cost=_cost)
def before(trace: Trace, first: Step, then: Step, who: str = "assistant") -> Explained:
    """Whether nobody says `then` who has not said `first` earlier, in the same message at least.

    True where `then` is never said.
    """
    later = _first(trace, then, who)
    if later is None:
        return Explained(True, f"{_shown(then)} is never said")
    earlier = _first(trace, first, who)
    if earlier is not None and _is_before(trace, earlier, later, first, then):
        return Explained(True)
    why = f"{_shown(then)} is said in message {later[0]}"
    why += f", {_shown(first)} in message {earlier[0]}" if earlier else f", never {_shown(first)}"
    return Explained(False, why, (later[1],))


def _is_before(
    trace: Trace, earlier: tuple[int, int], later: tuple[int, int], first: Step, then: Step
) -> bool:
    """Whether a step comes first; within one message, whether it is said further to the front."""
    if earlier[0] != later[0]:
        return earlier[0] < later[0]
    text = next(text for index, _, text in said(trace) if index == later[0]).casefold()
    return _at(text, first) <= _at(text, then)


def _at(text: str, step: Step) -> int:
    places = [text.find(one.casefold()) for one in texts_of(step)]
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
        found = _first(trace, step, who)
        if found is None:
            if complete:
                return Explained(False, f"{_shown(step)} is never said")
            continue
        if reached is not None and found[0] < reached[1]:
            why = f"{_shown(step)} is said in message {found[0]}, before {_shown(reached[0])} in "
            return Explained(False, f"{why}message {reached[1]}", (found[1],))
        reached = (step, found[0])
    return Explained(True)


@rule_function(conversation=True, cost=_cost_of_questions)
def asked_twice(trace: Trace, threshold: float = 0.95) -> list[str]:
    """The questions that the chatbot asks again after the user has answered.

    Two questions are the same when the similarity of their words (tf-idf, from 0 to 1) is at
    least `threshold`. Of many questions the first 200 are compared.
    """
    asked: list[str] = []
    again: dict[str, None] = {}
    for _, _, text in said(trace, "assistant"):
        questions = _questions(text)
        known = asked[:_MOST_QUESTIONS]
        again |= dict.fromkeys(
            one for one in questions if any(_alike(one, other, threshold) for other in known)
        )
        asked += questions
    return list(again)


def _questions(text: str) -> list[str]:
    """The sentences that end with a question mark, of at most 300 characters."""
    parts = _END.split(text)
    ends = zip(parts[::2], parts[1::2], strict=False)
    asked = (part.strip() for part, end in ends if end in ("?", "\uff1f"))
    return [f"{one}?" for one in asked if 3 <= len(one) <= _LONGEST_QUESTION]


def _alike(one: str, other: str, threshold: float) -> bool:
    if one == other:
        return True
    if not word_counts(one)[0] or not word_counts(other)[0]:
        return False
    return tf_idf(one, other) >= threshold


def _shown(step: Step) -> str:
    return " or ".join(short(text, 40) for text in texts_of(step))
