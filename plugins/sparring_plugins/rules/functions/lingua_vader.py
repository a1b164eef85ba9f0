"""Languages by lingua and the tone of English texts by VADER: no model judges.

`language.lingua` and `responds_in_same_language.lingua` know twenty languages; a suite may name
others, and fewer are easier to distinguish. What lingua is not sure of is not judged: short texts,
mostly. Its detector takes some 300 MB once it has seen texts of all these languages.
"""

# pyright: reportMissingImports=false, reportMissingTypeStubs=false
# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Annotated, Any

from pydantic import Field

from sparring.errors import ConfigurationError, MissingExtra
from sparring.interfaces.rule_function import Explained, rule_function
from sparring.model.talk import Trace
from sparring_plugins.rules.functions.model_judgements import (
    LANGUAGES,
    OTHER,
    compare,
    spoken,
    toned,
)
from sparring_plugins.rules.functions.plain_values import (
    CannotSay,
    ExplainedByTexts,
    counted,
    short,
    texts_of,
)

# lingua is optional, and known by name only when a detector is made.

Confidence = Annotated[float, Field(gt=0, le=1)]
"""How sure lingua must be, from 0 to 1: its share for the likeliest of the languages."""

Codes = Annotated[list[str], Field(min_length=2)]
"""Languages by their codes of ISO 639-1."""

SURE = 0.7
"""At this confidence lingua was never wrong on 3,335 different texts of real conversations.

They are in English and Spanish, from 14 chatbots and their users; it was sure of 91 % of them.
"""

KNOWN = (*LANGUAGES, "ar", "el", "he", "hi", "ko", "nl", "pl", "ru", "sv", "th", "tr", "uk")
"""The languages to distinguish, unless a suite names others."""

# Of a long answer the beginning tells the language; lingua takes longer for each character.
_READ = 1_000


def need_lingua() -> None:
    """Raise MissingExtra if lingua is not installed."""
    if find_spec("lingua") is None:
        raise MissingExtra(
            "languages without a model need lingua-language-detector: pip install 'sparring[text]'"
        )


def reading_cost(texts: Iterable[str]) -> int:
    """The work of looking at texts."""
    return sum(200 + 2 * min(len(text), _READ) for text in texts)


def _cost_of_texts(text: Any, **_: object) -> int:
    return reading_cost(texts_of(text))


def _cost_of_trace(trace: Trace, **_: object) -> int:
    return reading_cost(message.text for message in spoken(trace))


@rule_function(cost=_cost_of_texts, prepare=need_lingua)
def language(
    text: str | Sequence[str], *, confidence: Confidence = SURE, languages: Codes | None = None
) -> ExplainedByTexts:
    """The language of a text or of several together: ENG ESP FR GER IT POR CHI JAP or OTHER.

    Raises CannotSay below the confidence.
    """
    texts = texts_of(text)
    code, share = detected("\n".join(texts), tuple(languages or KNOWN))
    if code is None or share < confidence:
        raise CannotSay(
            f"lingua cannot tell the language of {short(' '.join(texts), 60)}: confidence "
            f"{share:.2f}, and {confidence:g} is needed (no model judged)"
        )
    reason = f"no model judged: lingua finds {code!r} with confidence {share:.2f}"
    name = LANGUAGES.get(code, OTHER)
    return ExplainedByTexts(name, f"{reason} (from {confidence:g} on)", texts=tuple(texts))


@rule_function(conversation=True, cost=_cost_of_trace, prepare=need_lingua)
def responds_in_same_language(
    trace: Trace, *, confidence: Confidence = SURE, languages: Codes | None = None
) -> Explained:
    """Whether the chatbot always answers in the user's language.

    Answers are left out if lingua is not sure of their language or of that of the user's words
    before them. Raises CannotSay if more answers are left out than compared, and all of those are
    right.
    """
    messages = spoken(trace)
    if len(messages) <= 1:
        return Explained(True, "there is nothing to compare")
    codes: dict[int, str | None] = {}
    for message in messages:
        code, share = detected(message.text, tuple(languages or KNOWN))
        codes[message.number] = code if share >= confidence else None
    compared = compare(messages, codes, unknown_hides=True)
    answers = sum(message.speaker == "Assistant" for message in messages)
    judged = len(compared.same) + len(compared.others)
    basis = (
        f"no model judged: lingua compared {judged} of {counted(answers, 'answer')} "
        f"(confidence from {confidence:g} on)"
    )
    # "Ok" and "12:30" are in no certain language: of these alone nothing follows.
    if not compared.others and judged * 2 < answers:
        raise CannotSay(f"{basis}, too few to say whether all are in the user's language")
    return Explained(not compared.others, f"{basis}; {compared.reason()}", compared.turns)


def detected(text: str, languages: tuple[str, ...] = KNOWN) -> tuple[str | None, float]:
    """The likeliest language of a text, and how sure lingua is; `None` if there are no words."""
    shares = shares_of(text, languages)
    code = max(shares, key=shares.__getitem__, default=None)
    return code, shares[code] if code is not None else 0.0


@lru_cache(maxsize=4096)
def shares_of(text: str, languages: tuple[str, ...] = KNOWN) -> Mapping[str, float]:
    """The likelihood of each language by its code, together 1; empty if there are no words."""
    read = text[:_READ]
    if not any(character.isalpha() for character in read):
        return {}
    values = detector(languages).compute_language_confidence_values(read)
    return {v.language.iso_code_639_1.name.lower(): round(float(v.value), 4) for v in values}


@cache
def detector(languages: tuple[str, ...]) -> Any:
    """The detector of some languages; raises MissingExtra and ConfigurationError."""
    need_lingua()
    from lingua import IsoCode639_1, LanguageDetectorBuilder

    unknown = [code for code in languages if not hasattr(IsoCode639_1, code.upper())]
    if unknown:
        raise ConfigurationError(f"lingua knows no language with the code {unknown[0]!r}")
    codes = [getattr(IsoCode639_1, code.upper()) for code in dict.fromkeys(languages)]
    return LanguageDetectorBuilder.from_iso_codes_639_1(*codes).build()


# The tone of English texts by the lexicon VADER (Hutto and Gilbert 2014): no model judges.

# vaderSentiment is optional and has no types.

Threshold = Annotated[float, Field(ge=0, le=1)]
"""How far the compound score must be from 0 for a text not to be neutral."""

USUAL = 0.05
"""The threshold that VADER's authors give."""

ENGLISH = 0.05
"""A text to which lingua gives less than this share of English is not judged."""


def need_vader() -> None:
    """Raise MissingExtra if a library is not installed."""
    need_lingua()
    if find_spec("vaderSentiment") is None:
        raise MissingExtra(
            "the tone of texts without a model needs vaderSentiment: pip install 'sparring[text]'"
        )


def _cost(item: Any, **_: object) -> int:
    texts = [text[:_READ] for text in texts_of(item)]
    symbols = (sum(not character.isascii() for character in text) for text in texts)
    return reading_cost(texts) + sum(number * number // 3 for number in symbols)


@rule_function(cost=_cost, prepare=need_vader)
def tone(item: str | Sequence[str], *, threshold: Threshold = USUAL) -> ExplainedByTexts:
    """The tone of an English text or of each of several: POSITIVE, NEGATIVE or NEUTRAL.

    Raises CannotSay if a text is hardly English, as far as lingua can tell.
    """
    texts = texts_of(item)
    for text in texts:
        if shares_of(text).get("en", 1.0) < ENGLISH:
            raise CannotSay(
                f"VADER judges English alone, and {short(text, 60)} is none as far as lingua can "
                f"tell (no model judged)"
            )
    scores = [compound(text) for text in texts]
    tones = [_tone(score, threshold) for score in scores]
    basis = f"no model judged: VADER's score is positive from {threshold:g} and negative from "
    reasons = [f"score {score:+.2f}" for score in scores]
    return toned(texts, tones, reasons, f"{basis}-{threshold:g} on")


@lru_cache(maxsize=4096)
def compound(text: str) -> float:
    """VADER's compound score of the beginning of a text, from -1 to 1."""
    return float(_analyzer().polarity_scores(text[:_READ])["compound"])


@cache
def _analyzer() -> Any:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    return SentimentIntensityAnalyzer()


def _tone(score: float, threshold: float) -> str:
    if score >= threshold and score > 0:
        return "POSITIVE"
    return "NEGATIVE" if score <= -threshold and score < 0 else "NEUTRAL"
