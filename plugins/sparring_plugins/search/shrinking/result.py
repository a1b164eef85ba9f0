"""What shrinking found of a run: its causes, stored in the run's folder."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue, ValidationError

from sparring.errors import StoredRunError
from sparring.model.base import SCHEMA_VERSION, AppText, Value
from sparring_plugins.search.shrinking.words import counted

FILE = "shrunk.json"


class Mattering(Value):
    """A feature that matters: with its simplest value the failure is gone.

    `also` are the other values of it that failed, too, `without` those that did not; `given` says
    that every value that was tried failed, so that it is enough that the feature is given. `said`
    are the words for it that matter: in plainer ones there is no failure.
    """

    name: str
    value: JsonValue
    label: AppText
    also: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    given: bool = False
    said: AppText = ""


class Cause(Value):
    """One smallest failing case, and what it stands for.

    `kind` is what of the failure was kept while it was reduced. `case_id` is the failed case of the
    run that it was made from, `params` and `seed` those of the smallest one. `original` and
    `smallest` are what is said in both, `written` the latter before perturbations; `words` those of
    `smallest` that must stay, beside those that say features, and `changed` the perturbed words
    that matter, old and new. `missing` are words that a perturbation that matters took away.
    `length` is how many words there have to be, where that matters and not which. `variants` are
    other such words with which cases of the same values fail in the same way. `single` says that
    there is one utterance, which was reduced; `turns` how long both conversations are.
    `probed` are random cases with the same mattering values and words, of which `hits` failed in
    this way. `case_ids` are failed cases of the run with the same mattering values, words and
    kind, `cases` how many there are.
    """

    kind: AppText
    oracle: str
    check: str
    reason: AppText = ""
    case_id: str
    scenario: str
    params: dict[str, JsonValue] = {}
    seed: int = 0
    features: tuple[Mattering, ...] = ()
    original: AppText = ""
    smallest: AppText = ""
    written: AppText = ""
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
        """What is said in the smallest case, for people."""
        return counted(self.smallest)


class Unshrunk(Value):
    """A failed case that could not be reduced, and why."""

    case_id: str
    kind: AppText
    why: AppText


class Shrunk(Value):
    """The causes of a run's failures, the most frequent first."""

    schema_version: int = SCHEMA_VERSION
    run: str
    seed: int = 0
    failures: int = 0
    explained: int = 0
    executions: int = 0
    budget: int = 0
    causes: tuple[Cause, ...] = ()
    unshrunk: tuple[Unshrunk, ...] = ()
    notes: tuple[str, ...] = ()

    def told(self, check: tuple[str, str]) -> list[str]:
        """The causes of failures of a check of an oracle, as sentences."""
        return [f"{one.kind}: {one.sentence}" for one in self.causes
                if (one.oracle, one.check) == check]  # fmt: skip


def stored(folder: Path) -> Shrunk | None:
    """What was found of the run in a folder; None where it was not shrunk.

    Raises StoredRunError where the file is damaged or newer.
    """
    path = folder / FILE
    try:
        text = path.read_bytes()
    except OSError:
        return None
    try:
        found = Shrunk.model_validate_json(text)
    except ValidationError as err:
        raise StoredRunError(f"{path} is damaged: {err.errors()[0]['msg']}") from err
    if found.schema_version > SCHEMA_VERSION:
        raise StoredRunError(f"{path} was written by a newer sparring")
    return found


def listed(names: Sequence[str], joint: str = "or") -> str:
    """Names as a sentence lists them."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"
