"""The root causes of a run's failures, stored in the run's folder, and as sentences."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue, ValidationError

from sparring.errors import StoredRunError
from sparring.model.base import SCHEMA_VERSION, AppText, Value
from sparring_plugins.search.shrinking.words import shorten_padding, strip_punctuation

FILE = "shrunk.json"


class CauseFeature(Value):
    """A feature that matters: with its simplest value the failure does not occur.

    `also` are its other values that failed, too, `without` those that did not; `given` is true if
    every value that was tried failed, so that it suffices that the feature is given. `said` are the
    words for it that matter: with plainer ones there is no failure.
    """

    name: str
    value: JsonValue
    label: AppText
    also: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    given: bool = False
    said: AppText = ""


class RootCause(Value):
    """One smallest failing case, and what it stands for.

    `kind` is the part of the failure class that was kept while the case was reduced. `case_id` is
    the failed case of the run that it was made from, `params` and `seed` those of the smallest one.
    `original` and `smallest` are what is said in both, `written` the latter before perturbations;
    `worded` is how the writer words the values of the smallest case anew, if that fails, too;
    `words` those of `smallest` that must stay, beside those that express features, and `changed`
    the perturbed words that matter, old and new. `missing` are words that a relevant perturbation
    removed. `length` is the required number of words, if only their number matters. `variants` are
    other such words with which cases of the same values fail in the same way. `single` is true if
    there is one utterance, which was reduced; `turns` are the lengths of both conversations.
    `probed` random cases had the same relevant values and words, of which `hits` failed in this
    way. `case_ids` are failed cases of the run with the same relevant values, words and class,
    `cases` is their number.
    """

    kind: AppText
    oracle: str
    check: str
    reason: AppText = ""
    case_id: str
    scenario: str
    params: dict[str, JsonValue] = {}
    seed: int = 0
    features: tuple[CauseFeature, ...] = ()
    original: AppText = ""
    smallest: AppText = ""
    written: AppText = ""
    worded: AppText = ""
    answer: AppText = ""
    words: tuple[AppText, ...] = ()
    changed: tuple[tuple[AppText, AppText], ...] = ()
    missing: tuple[AppText, ...] = ()
    length: int = 0
    variants: tuple[AppText, ...] = ()
    single: bool = True
    turns: tuple[int, int] = (0, 0)
    probed: int = 0
    hits: int = 0
    cases: int = 1
    case_ids: tuple[str, ...] = ()
    executions: int = 0
    complete: bool = True
    notes: tuple[str, ...] = ()
    sentence: AppText = ""

    @property
    def shown(self) -> str:
        """The words of the smallest case, for people."""
        return shorten_padding(self.smallest)


class UnshrunkFailure(Value):
    """A failed case that could not be reduced, and why."""

    case_id: str
    kind: AppText
    why: AppText


class ShrinkResult(Value):
    """The root causes of a run's failures, the most frequent first."""

    schema_version: int = SCHEMA_VERSION
    run: str
    seed: int = 0
    failures: int = 0
    explained: int = 0
    executions: int = 0
    budget: int = 0
    causes: tuple[RootCause, ...] = ()
    unshrunk: tuple[UnshrunkFailure, ...] = ()
    notes: tuple[str, ...] = ()

    def told(self, check: tuple[str, str]) -> list[str]:
        """Return the root causes of failures of a check of an oracle, as sentences."""
        return [f"{cause.kind}: {cause.sentence}" for cause in self.causes
                if (cause.oracle, cause.check) == check]  # fmt: skip


def stored_result(folder: Path) -> ShrinkResult | None:
    """Return the root causes in a run's folder; None if it was not shrunk.

    Raises StoredRunError if the file is damaged or newer.
    """
    path = folder / FILE
    try:
        text = path.read_bytes()
    except OSError:
        return None
    try:
        result = ShrinkResult.model_validate_json(text)
    except ValidationError as err:
        raise StoredRunError(f"{path} is damaged: {err.errors()[0]['msg']}") from err
    if result.schema_version > SCHEMA_VERSION:
        raise StoredRunError(f"{path} was written by a newer sparring")
    return result


def join_names(names: Sequence[str], joint: str = "or") -> str:
    """Join names as in a sentence."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"


# "city is Rome, Paris or 14 other values" is read; a list of 16 is not.
_MOST_VALUES = 4
_MOST_WORDS = 6


def sentence(cause: RootCause) -> str:
    """Return when it fails, as a sentence without its end: ``fails whenever rating is given``."""
    length = [f"the request has {cause.length} words or more"] if cause.length else []
    when = join_names([*(_feature(feature) for feature in cause.features), *length], "and")
    words = join_names([phrase for phrase in (in_words(cause), *cause.variants) if phrase])
    if not when and not words:
        return f"fails {_often(cause, 'whatever is asked')}"
    conditions = (
        " with ".join(part for part in (when, words) if part)
        if when
        else f"{words} {_are(cause)} said"
    )
    return f"fails {_often(cause, '')}{conditions}".strip()


def _are(cause: RootCause) -> str:
    several = len(_phrases(cause)) + len(cause.changed) + len(cause.missing) > 1
    return "are" if several and not cause.variants else "is"


def _often(cause: RootCause, otherwise: str) -> str:
    """Return ``whenever``, or how often, by the random cases that were tried."""
    if not cause.probed:
        return otherwise or "when "
    if cause.hits == cause.probed:
        return otherwise or "whenever "
    # "fails in 3 of 10 random cases when ..." says how far the root cause explains the failure
    share = f"in {cause.hits} of {cause.probed} random cases"
    if not cause.hits:
        share = f"here, but in none of {cause.probed} random cases"
    return f"{share}, {otherwise}" if otherwise else f"{share} when "


def _feature(feature: CauseFeature) -> str:
    text = f"{feature.name} is given" if feature.given else _describe_value(feature)
    return f"{text} (said as “{feature.said}”)" if feature.said else text


def _describe_value(feature: CauseFeature) -> str:
    values = [feature.label, *feature.also]
    if len(values) > _MOST_VALUES:
        values = [*values[:_MOST_VALUES], f"{len(values) - _MOST_VALUES} other values"]
    return f"{feature.name} is {join_names(values)}"


def in_words(cause: RootCause) -> str:
    """Return the words that matter, quoted."""
    changed = [f"“{new}” for “{old}”" if old else f"“{new}”" for old, new in cause.changed]
    changed = list(dict.fromkeys(changed))
    left_out = [f"“{word}” left out" for word in cause.missing]
    return _listed_briefly([*changed, *left_out, *(f"“{phrase}”" for phrase in _phrases(cause))])


def _phrases(cause: RootCause) -> list[str]:
    """Return the words that matter; adjacent ones of the smallest request form one phrase."""
    relevant = [word.casefold() for word in cause.words]
    phrases: list[list[str]] = []
    together = False
    for word in cause.smallest.split():
        core = strip_punctuation(word)
        matters = core.casefold() in relevant
        if matters and together:
            phrases[-1].append(core)
        elif matters:
            phrases.append([core])
        # of "are you? Bye" the words "are you" form a phrase, but "Bye" begins another sentence
        together = matters and not word.endswith((".", "!", "?"))
    return list(dict.fromkeys(" ".join(phrase) for phrase in phrases))


def _listed_briefly(words: Sequence[str]) -> str:
    """Join words as in a sentence; of very many only the first ones."""
    if len(words) <= _MOST_WORDS:
        return join_names(words, "and")
    return join_names(
        [*words[: _MOST_WORDS - 1], f"{len(words) - _MOST_WORDS + 1} other words"], "and"
    )
