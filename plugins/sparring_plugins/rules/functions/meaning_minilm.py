"""The meaning of texts by the similarity of MiniLM embeddings: no model judges.

Embeddings tell subjects apart, and hardly facts: not one price from another, not a *not*. So each
function has two thresholds on the cosine: from one on it says yes, below the other no, and between
them it cannot say. English is understood best.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from pydantic import Field

from sparring.interfaces.rule_function import Explained, rule_function
from sparring.model.talk import Trace
from sparring_plugins.language.embeddings import MAX_CHARACTERS, embedder, model_folder
from sparring_plugins.rules.functions.model_judgements import keeps_to_topics
from sparring_plugins.rules.functions.model_questions import SpokenMessage, messages, speaker
from sparring_plugins.rules.functions.plain_values import (
    CannotSay,
    ExplainedByTexts,
    is_missing,
    short,
    texts_of,
)

Cosine = Annotated[float, Field(ge=-1, le=1)]
"""A threshold on the similarity of two texts."""

SAYS, SAYS_NOT = 0.5, 0.35
"""`semantic_content`: of 47 right and 1,534 wrong pairs of an answer and a description from the
conversations with four chatbots, 96 % and 3 % reached the first, 100 % and 6 % the second."""

ABOUT, NOT_ABOUT = 0.5, 0.3
"""`utterance_index`: as `semantic_content`, with a wider gap, for descriptions of what is done."""

ON_TOPIC, OFF_TOPIC = 0.3, 0.15
"""`only_talks_about`: of the answers of six chatbots, beside their own topics, 81 % reached the
first, and 1 % did not reach the second."""

SMALL_TALK = (
    "a greeting",
    "saying goodbye",
    "thanking",
    "asking to rephrase or to clarify",
    "not understanding the question",
    "not being able to help",
    "offering help",
    "asking what the user would like",
    "confirming",
)
"""What a chatbot may always do, whatever its topics; it has to be clearer than these by a bit."""

_CLEARER = 0.1
_MOST_PIECES = 12
_PIECE = re.compile(r"(?<=[.!?。!?])\s+|\n+")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_MOST_SHOWN = 3


def pieces(text: str) -> list[str]:
    """A text, and its sentences if it has several: what is compared."""
    read = " ".join(text[:MAX_CHARACTERS].split(" "))
    sentences = (word.strip() for word in _PIECE.split(read))
    return list(dict.fromkeys([read.strip(), *(sentence for sentence in sentences if sentence)]))[
        :_MOST_PIECES
    ]


def embedding_cost(texts: Iterable[str]) -> int:
    """The work of embedding texts that were not embedded before, with all their pieces."""
    parts = [part for text in texts for part in pieces(text)]
    return 15_000 + sum(1_500 + 80 * min(len(part), 1_100) for part in parts)


def alike(texts: Sequence[str], others: Sequence[str]) -> list[list[float]]:
    """The similarity of each text, or of its most similar sentence, to each of the others."""
    parts = [pieces(text) for text in texts]
    scores = embedder().alike([part for parts_of_text in parts for part in parts_of_text], others)
    rows = iter(scores)
    return [
        [max(column) for column in zip(*(next(rows) for _ in parts_of_text), strict=True)]
        for parts_of_text in parts
    ]


def _cost_of_value(value: Any, description: str, **_: object) -> int:
    return embedding_cost([str(value), description])


@rule_function(cost=_cost_of_value, prepare=model_folder)
def semantic_content(
    value: Any, description: str, *, threshold: Cosine = SAYS, unclear: Cosine = SAYS_NOT
) -> ExplainedByTexts:
    """Whether `value` says what `description` says, as far as embeddings can tell.

    Raises CannotSay between `unclear` and `threshold`, and if `value` lacks a number that
    `description` has: embeddings do not tell numbers apart.
    """
    text = "" if is_missing(value) else str(value)
    score = alike([text], [description])[0][0] if text.strip() and description.strip() else 0.0
    basis = _basis(f"alike {score:.2f}", threshold, unclear)
    if unclear <= score < threshold:
        raise CannotSay(f"MiniLM cannot tell whether {short(text, 60)} says it; {basis}")
    missing = sorted(numbers(description) - numbers(text))
    if score >= threshold and missing:
        raise CannotSay(
            f"{short(text, 60)} lacks the number {missing[0]}, which embeddings do not see; {basis}"
        )
    return ExplainedByTexts(score >= threshold, basis, texts=(text,))


def numbers(text: str) -> set[str]:
    """The numbers in a text, without zeros that mean nothing: 9:00 is 9, and 1.50 is 1.5."""
    digits: set[str] = set()
    for number in _NUMBER.findall(text[:MAX_CHARACTERS]):
        whole, _, rest = number.replace(",", ".").replace(":", ".").partition(".")
        rest = rest.rstrip("0.")
        digits.add((whole.lstrip("0") or "0") + (f".{rest}" if rest else ""))
    return digits


def _cost_of_search(trace: Trace, who: str, what: str, **_: object) -> int:
    return embedding_cost([what, *(message.text for message in messages(trace))])


@rule_function(conversation=True, cost=_cost_of_search, prepare=model_folder)
def utterance_index(
    trace: Trace, who: str, what: str, *, threshold: Cosine = ABOUT, unclear: Cosine = NOT_ABOUT
) -> Explained:
    """The number, from 1, of the message in which `who` first talks about `what`; -1 for none.

    Raises CannotSay if an earlier message, or any, is between `unclear` and `threshold`.
    """
    name = speaker("utterance_index", who)
    spoken = [
        message for message in messages(trace) if message.speaker == name and message.text.strip()
    ]
    if not spoken:
        return Explained(-1, f"the {name.lower()} said nothing")
    scores = [row[0] for row in alike([candidate.text for candidate in spoken], [what])]
    for candidate, score in zip(spoken, scores, strict=True):
        basis = _basis(f"{short(candidate.text, 60)} is alike {score:.2f}", threshold, unclear)
        if score >= threshold:
            return Explained(candidate.number, basis, (candidate.turn,))
        if score >= unclear:
            raise CannotSay(
                f"MiniLM cannot tell whether message {candidate.number} is about it; {basis}"
            )
    return Explained(-1, _basis(f"alike {max(scores):.2f} at most", threshold, unclear))


def _cost_of_topics(trace: Trace, topics: Any, fallback: Any = None, **_: object) -> int:
    texts = [*texts_of(topics), *SMALL_TALK, *([fallback] if isinstance(fallback, str) else [])]
    return embedding_cost([*texts, *(answer.text for answer in answers_of(trace))])


@rule_function(conversation=True, cost=_cost_of_topics, prepare=model_folder)
def only_talks_about(
    trace: Trace,
    topics: str | Sequence[str],
    fallback: str | None = None,
    *,
    threshold: Cosine = ON_TOPIC,
    unclear: Cosine = OFF_TOPIC,
) -> Explained:
    """True if the chatbot keeps to the topics; else a text that names its stray answers.

    Each topic is compared by itself: give several as a list, or with commas between them. Raises
    CannotSay if no answer strays and one is between `unclear` and `threshold`.
    """
    answers = answers_of(trace)
    allowed = [part.strip() for topic in texts_of(topics) for part in topic.split(",")]
    allowed = [*(part for part in allowed if part), *([fallback] if fallback else [])]
    scores = _on_topic([answer.text for answer in answers], allowed)
    strays = [answer for answer, score in zip(answers, scores, strict=True) if score < unclear]
    least = sorted(zip(scores, (short(answer.text, 60) for answer in answers), strict=True))[
        :_MOST_SHOWN
    ]
    shown = ", ".join(f"{text} alike {score:.2f}" for score, text in least) or "no answers"
    basis = _basis(shown, threshold, unclear)
    if not strays and least and least[0][0] < threshold:
        raise CannotSay(f"MiniLM cannot tell whether {least[0][1]} keeps to the topics; {basis}")
    verdict = keeps_to_topics(strays, len(answers), ())
    return Explained(verdict.value, basis, verdict.turns)


def answers_of(trace: Trace) -> list[SpokenMessage]:
    """The answers of the chatbot that say something."""
    return [
        message
        for message in messages(trace)
        if message.speaker == "Assistant" and message.text.strip()
    ]


def _on_topic(texts: Sequence[str], topics: Sequence[str]) -> list[float]:
    if not texts:
        return []
    rows = alike(texts, [*topics, *SMALL_TALK])
    count = len(topics)
    return [max([*row[:count], *(score - _CLEARER for score in row[count:])]) for row in rows]


def _basis(score: str, threshold: float, unclear: float) -> str:
    """The basis of a judgement, for its reason."""
    return (
        f"no model judged: MiniLM finds {score}; yes is from {threshold:g} on, no below {unclear:g}"
    )
