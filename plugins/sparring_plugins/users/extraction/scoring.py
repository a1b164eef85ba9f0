"""The linear scorer of candidates, and the choice among all outputs of a conversation."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.extraction.features import Passage


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
    """The weights beside this module."""
    return Weights.model_validate(bundled_yaml("sparring_plugins.users.extraction", "weights.yaml"))


def score(values: Mapping[str, float], table: Mapping[str, float]) -> float:
    """The weighted sum of features."""
    return sum(table[name] * value for name, value in values.items() if value)


def assign(
    scored: Sequence[Sequence[tuple[Passage, float]]], nothing: float
) -> list[Passage | None]:
    """The best candidate of each output, of those that score above `nothing`.

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
    taken: set[tuple[int, int]] = set()
    for _, output, _, passage in pairs:
        place = (passage.exchange.index, passage.candidate.start)
        # a value that another output has is given up only for one that is nearly as good
        if output in settled or (
            place in taken and _has_other(scored[output], taken, best[output])
        ):
            continue
        chosen[output] = passage
        settled.add(output)
        taken.add(place)
    return chosen


_NEARLY = 1.0


def _has_other(
    candidates: Sequence[tuple[Passage, float]], taken: set[tuple[int, int]], best: float
) -> bool:
    return any(
        value >= best - _NEARLY and (passage.exchange.index, passage.candidate.start) not in taken
        for passage, value in candidates
    )
