"""What speaks for and against a candidate being the value of a declared output, and its weight."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.candidates import ValueCandidate
from sparring_plugins.language.similarity import overlap
from sparring_plugins.language.text import folded
from sparring_plugins.language.vocabulary import concepts, has_cue, stem
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.extraction.exchanges import Exchange, expected_kind
from sparring_plugins.users.extraction.output_form import OutputForm, word_lists

_CURRENCY = re.compile(r"(?:[$\u20ac\u00a3]|\b(?:usd|eur|gbp)\b)\s?$", re.IGNORECASE)
_MONEY_AFTER = re.compile(
    r"\s?(?:[$\u20ac\u00a3]|(?:euros?|dollars?|pounds?|usd|eur|gbp|cents?)\b)", re.IGNORECASE
)
_NEXT_WORD = re.compile(r"(?:\s?(?:-|\u2013|to|or|a|o)\s?\d{1,4})?[\s-]{1,3}([^\W\d_]{2,20})")
_SENTENCE_ENDS = ("\n", ". ", "! ", "? ", "; ", " | ")
_CLAUSE_MARKS = (", ", ": ", " (", ") ", " \u2013 ", " - ", " / ", " and ", " und ", " y ", " et ")
_NEAR = 60
"""Characters beside a value that are its own clause at most."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A candidate with the text around it.

    `before` and `after` reach to its neighbours of the same form and to the end of the sentence,
    `label` is the last clause before it, `tail` the first after it.
    """

    candidate: ValueCandidate
    exchange: Exchange
    before: str
    label: str
    after: str
    tail: str
    sentence: str
    line: str
    neighbours: int
    gap: str

    @property
    def is_money(self) -> bool:
        """Whether a currency stands before or after it."""
        text = self.exchange.said
        before = text[max(0, self.candidate.start - 5) : self.candidate.start]
        return bool(_CURRENCY.search(before) or _MONEY_AFTER.match(text, self.candidate.end))

    @property
    def unit(self) -> str:
        """The stem of the word after it, also after "2 to 3"; empty if there is none."""
        match = _NEXT_WORD.match(self.exchange.said, self.candidate.end)
        return stem(match[1].lower()) if match else ""


def passages(exchange: Exchange, candidates: Sequence[ValueCandidate]) -> list[Passage]:
    """Return the candidates of one reply with the text around each."""
    # the neighbours of a value limit which words belong to it
    in_order = sorted(candidates, key=lambda candidate: candidate.start)
    return _share_lead([_locate(exchange, place, in_order) for place in range(len(in_order))])


def _locate(exchange: Exchange, place: int, in_order: Sequence[ValueCandidate]) -> Passage:
    """One candidate with the text around it, up to its neighbours."""
    text, candidate = exchange.said, in_order[place]
    start, end = _sentence_bounds(text, candidate)
    # "Adults $24, children $11": "Adults" describes the first price alone
    left = max([start, *(o.end for o in in_order[:place] if o.end <= candidate.start)])
    right = min([end, *(o.start for o in in_order[place + 1 :] if o.start >= candidate.end)])
    before = _PARENTHESES.sub(" ", text[left : candidate.start][-300:])
    after = text[candidate.end : right][:300]
    if left > start:  # "$24 per adult, $11 for kids": the first clause is the neighbour's
        before = _own_clauses(before)
    line_start = text.rfind("\n", 0, candidate.start) + 1
    line_end = text.find("\n", candidate.end)
    return Passage(
        candidate,
        exchange,
        before,
        _last_clause(before),
        after,
        _first_clause(after),
        text[start:end][:600],
        text[line_start : line_end if line_end >= 0 else len(text)][:2_000],
        len(in_order),
        text[left : candidate.start],
    )


def _sentence_bounds(text: str, candidate: ValueCandidate) -> tuple[int, int]:
    """Where the sentence of a candidate begins and ends."""
    starts = [
        place + len(mark)
        for mark in _SENTENCE_ENDS
        if (place := text.rfind(mark, 0, candidate.start)) >= 0
    ]
    start = max(starts, default=0)
    if text[candidate.end - 1] == "." and text[candidate.end : candidate.end + 1].isspace():
        return start, candidate.end  # "until 30 Nov. Back on 1 Dec."
    ends = [text.find(mark, candidate.end) for mark in _SENTENCE_ENDS]
    end = min((mark for mark in ends if mark >= 0), default=len(text))
    return start, end + (text[end : end + 1] in ("!", "?"))


def _share_lead(located: list[Passage]) -> list[Passage]:
    """Passages with the words before the first value for all values of a coordination.

    "The minimum is $900 on weekdays and $1,400 at weekends" says of both that they are minimums. It
    is one if words follow each value and none stand before the second.
    """
    shared = list(located)
    for place, passage in enumerate(located[1:], 1):
        first = shared[place - 1]
        follows = first.sentence == passage.sentence and not concepts(passage.before)
        coordinated = bool(concepts(first.tail) and concepts(passage.tail))
        if follows and (coordinated or _is_second(passage)):  # also "from 10:00 to 17:30"
            shared[place] = replace(passage, label=first.label, before=first.before)
    return shared


_PARENTHESES = re.compile(r"\([^()]{0,60}\)")


def _last_clause(before: str) -> str:
    cuts = [place + len(mark) for mark in _CLAUSE_MARKS
            if (place := before.rstrip(" :,(").rfind(mark)) >= 0]  # fmt: skip
    return before[max(cuts, default=0) :][-_NEAR:]


def _own_clauses(between: str) -> str:
    """What stands between two values, without the first clause if that belongs to the former."""
    # "$24, children $11": nothing of what stands between belongs to the first price
    if any(between.startswith(mark) for mark in (*_CLAUSE_MARKS, ",")):
        return between
    cuts = [place for mark in _CLAUSE_MARKS if (place := between.find(mark, 1)) >= 0]
    return between[min(cuts, default=0) :]


def _first_clause(after: str) -> str:
    cuts = [place for mark in _CLAUSE_MARKS if (place := after.find(mark, 1)) >= 0]
    return after[: min([*cuts, _NEAR])]


@dataclass(frozen=True, slots=True)
class Context:
    """What is the same for all candidates of an output.

    `rivals` are the other outputs, `last` the last turn, `done_until` the last turn that closed
    something, `own_values` the user's numbers, `user_values` the values that the user said, as
    keys of `value_key`, `distinct` how many values of the form the app said, `asked_for`
    whether the user asked for the output in so many words.
    """

    rivals: tuple[OutputForm, ...]
    last: int
    done_until: int
    own_values: frozenset[str]
    user_values: frozenset[str]
    distinct: int
    asked_for: bool


def subject(output: OutputForm) -> frozenset[str]:
    """Return the concepts that an output is about, without those that most outputs have."""
    return output.specific - word_lists().general_concepts


def features(
    output: OutputForm, passage: Passage, context: Context, value_key: str
) -> dict[str, float]:
    """Return the features of a candidate by name; each is about 0 to 1."""
    about = subject(output) or output.specific or output.wanted
    return {
        **_subject_features(output, about, passage, context),
        **_settling_features(output, passage, context, value_key),
        **_form_features(output, about, passage, context),
        **_boundaries(output, passage),
        **_numeric(output, passage, context),
    }


def _subject_features(
    output: OutputForm, about: frozenset[str], passage: Passage, context: Context
) -> dict[str, float]:
    """Whether the text around a candidate, and what was asked, is about the output."""
    label, tail = concepts(passage.label), concepts(passage.tail)
    before, sentence = concepts(passage.before), concepts(passage.sentence)
    line, message = concepts(passage.line), concepts(passage.exchange.said)
    asked, own_words = passage.exchange.asked_concepts, output.own_words
    everywhere = sentence | asked | message | line
    return {
        "label": overlap(about, label),
        "tail": overlap(about, tail),
        "before": overlap(about, before),
        "after": overlap(about, concepts(passage.after)),
        "sentence": overlap(about, sentence),
        "line": overlap(about, line),
        "message": overlap(about, message),
        "same_label": overlap(own_words, _word_stems(passage.label)),
        "same_tail": overlap(own_words, _word_stems(passage.tail)),
        "asked": overlap(about, asked),
        "wanted_asked": overlap(output.wanted, asked),
        "wanted_near": overlap(output.wanted, before | tail),
        "head_near": float(output.head in label | tail),
        "no_subject": float(not (about | output.wanted) & everywhere),
        "elsewhere": float(context.asked_for and overlap(about, sentence | line | asked) <= 0.5),
        **_rivalry(about, context.rivals, label | tail | before, sentence | label, asked),
    }


def _settling_features(
    output: OutputForm, passage: Passage, context: Context, value_key: str
) -> dict[str, float]:
    """How late a value was said, whether the app settles or offers it, and whether the user had it.

    "The booked time" is settled once the app says so; what it only offers is not.
    """
    exchange = passage.exchange
    said = folded(exchange.said)
    is_settled = bool(output.words & word_lists().settled)
    done = has_cue(said, "done") or bool(concepts(passage.sentence) & word_lists().settling)
    # "How about 15:00?" does not settle "the booked time"
    open_still = is_settled and not done and exchange.index > context.done_until
    proposes = _proposes(said, exchange.said)
    recency = exchange.index / max(1, context.last)
    return {
        "recency": recency,
        "recency_final": recency * (output.final or is_settled),
        "done": float(done),
        "done_settled": float(done and is_settled),
        "unsettled": float(open_still),
        "open_settled": float(open_still and proposes),
        "offered": float(proposes and passage.neighbours > 1),
        **_echo(output, passage, context, value_key, is_settled=is_settled),
    }


def _echo(
    output: OutputForm, passage: Passage, context: Context, value_key: str, *, is_settled: bool
) -> dict[str, float]:
    """Whether the user had said the value: a choice for a booked time, an echo for a price."""
    asked, text = passage.exchange.asked.lower(), passage.candidate.text.lower()
    # a price that the user named was a guess; a time that the user named was a wish
    echoed = value_key in context.user_values or text in asked
    kind = "echo_settled" if is_settled else "echo"
    if output.form in ("date", "time") and not is_settled:
        kind = "echo_moment"
    names = ("echo_settled", "echo", "echo_moment")
    return {name: float(echoed and name == kind) for name in names}


def _form_features(
    output: OutputForm, about: frozenset[str], passage: Passage, context: Context
) -> dict[str, float]:
    """How sure the form is, and what else the candidate may be."""
    exchange, candidate = passage.exchange, passage.candidate
    near = concepts(passage.label) | concepts(passage.tail) | concepts(passage.sentence)
    # "We open at 9. Your table is booked for 19:30." has one booked time
    hours = "~open" in concepts(passage.sentence) and "~open" not in output.wanted
    begins = exchange.said.find(candidate.text) == candidate.start
    return {
        "uncertain": 1 - candidate.certainty,
        "question": float(passage.sentence.rstrip("\"')*_ ").endswith("?")),
        "options": float(has_cue(folded(passage.sentence), "options")),
        "other_form": float(candidate.certainty <= 0.2 and not about & near),
        "expected": float(expected_kind(exchange.asked) == output.form),
        "no_content": float(not exchange.informative),
        "old": float(_stands_beside(passage, "replaced")),
        "opening": float(output.form == "time" and hours),
        "sole": 1 / max(1, context.distinct),
        "rare_form": float(output.form in ("email", "phone", "url", "id")),
        "first": float(begins and not concepts(passage.before)),
    }


def _rivalry(
    about: frozenset[str],
    rivals: Sequence[OutputForm],
    near: frozenset[str],
    sentence: frozenset[str],
    asked: frozenset[str],
) -> dict[str, float]:
    """Whether the text around is about another output, and whether it names a foreign thing."""
    others = [subject(rival) - about for rival in rivals]
    # of "price of the room" and "price of breakfast" only room and breakfast decide
    own = about.difference(*(subject(rival) for rival in rivals))
    foreign = [other for other in others if other and other <= sentence | asked]
    said_own = own & (sentence | asked)
    return {
        "rival_instead": float(bool(foreign) and bool(own) and not said_own),
        "rival_near": max((overlap(other, near) for other in others if other), default=0.0),
        "rival_sentence": max((overlap(other, sentence) for other in others if other), default=0.0),
    }


@lru_cache(maxsize=2048)
def _word_stems(text: str) -> frozenset[str]:
    """The stems of a text's words: families of synonyms are too wide for "fee" and "total"."""
    return frozenset(stem(word) for word in folded(text).split())


def asks_for(output: OutputForm, exchange: Exchange) -> bool:
    """Whether the user asked for an output."""
    asked = exchange.asked_concepts
    # "What does the sauna cost?" asks for the price of the sauna, not for all prices
    return overlap(subject(output), asked) >= 0.99 and overlap(output.wanted, asked) >= 0.6


def _proposes(words: str, text: str) -> bool:
    """Whether a reply offers or asks, rather than says how it is."""
    return text.rstrip("\"')*_ ").endswith("?") or any(
        f" {cue} " in f" {words} " for cue in word_lists().proposing
    )


def is_rival(output: OutputForm, other: OutputForm) -> bool:
    """Whether another output may have the same value: of the same form, or a text about one."""
    shared = word_lists().form_concepts[output.form] & other.wanted
    return other.form == output.form or (other.form == "statement" and bool(shared))


def foreign_labels(output: OutputForm, located: Sequence[Passage]) -> bool:
    """Whether the amounts of a reply are those of a list of other things than the one sought."""
    about = subject(output)
    labels = [concepts(passage.label) - word_lists().general_concepts for passage in located]
    if output.form != "money" or not about or len(located) < 2:
        return False
    # "Single $40, double $60" lists rooms and says nothing of the price of parking
    named = any(about & concepts(passage.sentence + passage.tail) for passage in located)
    return not named and all(label - output.wanted for label in labels)


def _boundaries(output: OutputForm, passage: Passage) -> dict[str, float]:
    """Whether start or end is sought, and which of both the words beside the value say."""
    lists = word_lists()
    wants = [side for side, words in lists.side_words.items() if output.words & words]
    # "when it starts and ends" seeks both, so neither word speaks against a value
    if len(wants) != 1:
        return {"side": 0.0, "wrong_side": 0.0}
    said = folded(passage.before[-40:])
    written: dict[str, bool] = {
        side: any(f" {said} ".endswith(f" {phrase} ") or f" {phrase} " in f" {said[-28:]} "
                  for phrase in phrases)
        for side, phrases in lists.side_phrases.items()
    }  # fmt: skip
    if _is_second(passage):
        written = {"start": False, "end": True}
    elif _is_first(passage):
        written = {"start": True, "end": False}
    other = "end" if wants[0] == "start" else "start"
    return {
        "side": float(written[wants[0]] and not written[other]),
        "wrong_side": float(written[other] and not written[wants[0]]),
    }


_DASH = re.compile(r"\s?(?:-|\u2013|\u2014|to|until|till|bis|a|\u00e0|hasta)\s?", re.IGNORECASE)


def _is_second(passage: Passage) -> bool:
    """Whether the value ends a range: "10:00-14:00"."""
    return bool(_DASH.fullmatch(passage.gap))


def _is_first(passage: Passage) -> bool:
    """Whether the value begins a range."""
    return bool(_DASH.fullmatch(passage.after) and passage.after)


def _stands_beside(passage: Passage, name: str) -> bool:
    near = f" {folded(passage.label[-30:])} "
    return any(f" {phrase} " in near for phrase in getattr(word_lists(), name))


_NUMERIC = ("unit", "money_for_count", "own_number", "label_next", "number_off")


def _numeric(output: OutputForm, passage: Passage, context: Context) -> Mapping[str, float]:
    """What counts for bare numbers only."""
    if output.form not in ("int", "float"):
        return dict.fromkeys(_NUMERIC, 0.0)
    # "number of nights" is the 3 of "3 nights", not the 2 of "2 guests"
    units = {stem(word) for word in output.words}
    return {
        "unit": float(bool(passage.unit) and passage.unit in units),
        "money_for_count": float("~price" not in output.wanted and passage.is_money),
        "own_number": float(str(passage.candidate.value) in context.own_values),
        "label_next": float(bool(concepts(passage.before[-20:]) & output.wanted)),
        "number_off": float(
            bool(output.specific)
            and not output.specific
            & (passage.exchange.asked_concepts | concepts(passage.exchange.said))
        ),
    }


# --- The linear scorer of candidates, and the choice among all outputs of a conversation


class Weights(BaseModel):
    """The data file: what each feature counts.

    `prior` is set by judgement and says the sign of each weight; `trained` are the weights after
    training on public conversations. `prior_nothing` and `nothing` are the scores of finding no
    value. `tests/evaluation/extraction/train_weights.py` writes the trained ones.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    prior: dict[str, float]
    prior_nothing: float
    trained: dict[str, float]
    nothing: float


@lru_cache(maxsize=1)
def weights() -> Weights:
    """Return the weights of the data file beside this module."""
    return Weights.model_validate(bundled_yaml("sparring_plugins.users.extraction", "weights.yaml"))


def score(values: Mapping[str, float], table: Mapping[str, float]) -> float:
    """Return the weighted sum of features."""
    return sum(table[name] * value for name, value in values.items() if value)


def assign(
    scored: Sequence[Sequence[tuple[Passage, float]]], nothing: float
) -> list[Passage | None]:
    """Return the best candidate of each output that scores above `nothing`, or None for it.

    Two outputs of one conversation are rarely the same place of a reply: the surer one has it, and
    the other takes its next best if that scores nearly as well.
    """
    chosen: list[Passage | None] = [None] * len(scored)
    pairs = sorted(
        (
            (-value, output, order, passage)
            for output, candidates in enumerate(scored)
            for order, (passage, value) in enumerate(candidates)
            if value > nothing
        ),
        key=lambda pair: pair[:3],
    )
    best = {output: max((value for _, value in c), default=0.0) for output, c in enumerate(scored)}
    settled: set[int] = set()
    used: set[tuple[int, int]] = set()
    for _, output, _, passage in pairs:
        place = (passage.exchange.index, passage.candidate.start)
        # a value that another output has is given up only for one that is nearly as good
        if output in settled or (place in used and _has_other(scored[output], used, best[output])):
            continue
        chosen[output] = passage
        settled.add(output)
        used.add(place)
    return chosen


_NEARLY = 1.0


def _has_other(
    candidates: Sequence[tuple[Passage, float]], used: set[tuple[int, int]], best: float
) -> bool:
    return any(
        value >= best - _NEARLY and (passage.exchange.index, passage.candidate.start) not in used
        for passage, value in candidates
    )
