"""The base of strategies that learn: one search for each scenario, batch after batch."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, cast

from pydantic import Field, JsonValue

from sparring.documents.checking import nearest
from sparring.errors import StoredRunError
from sparring.interfaces.plugin import ConfigT, PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring.model.verdict import Verdict
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.sampling import for_each_scenario
from sparring_plugins.search.strategies.scenario_search import (
    OUTCOME,
    Evaluation,
    Objectives,
    Repeated,
    ScenarioSearch,
)


class SearchingConfig(PluginConfig):
    """Settings of every strategy that learns."""

    objectives: tuple[str, ...] | None = Field(
        default=None,
        min_length=1,
        max_length=20,
        description="Checks whose scores are minimised, by name (check or oracle/check); by "
        "default all that have a score, or else whether a case failed.",
    )
    mode: Literal["generational", "steady-state"] = Field(
        default="generational",
        description="Whether a whole batch is judged before the next one is made, or each case "
        "is learnt from as it ends. Which case ends first depends on the app, so that only "
        "generational runs are equal at any concurrency.",
    )


class SearchingStrategy(SearchStrategy[ConfigT]):
    """Asks the searches of the scenarios in turn for batches, and reports the verdicts to them.

    A case that is refused before it is played is replaced by another one of the same batch.
    """

    Config: ClassVar[type[PluginConfig]] = SearchingConfig
    learns: ClassVar[Literal["never", "per-batch", "per-case"]] = "per-batch"
    refuses: ClassVar[Literal["archive", "population", "none"]] = "archive"

    _seed: int = 0
    _searches: Sequence[ScenarioSearch] = ()
    _turn: int = 0
    _current: int | None = None
    _wanted: int = 0
    _settled: bool = False

    @abstractmethod
    def search(self, cases: CaseSpace, seed: int) -> ScenarioSearch:
        """Return the search over a scenario with variables."""

    @property
    def settings(self) -> SearchingConfig:
        """The settings that all these strategies share."""
        return cast("SearchingConfig", self.config)

    def unknown_checks(self, known: frozenset[str]) -> Sequence[str]:
        unknown = (name for name in self.settings.objectives or () if name not in known)
        names = [OUTCOME, *sorted(known)]
        return [
            f"no oracle tells of the objective {name!r}.{nearest(name, names)}"
            for name in unknown
            if name != OUTCOME
        ]

    def learning(self) -> Literal["never", "per-batch", "per-case"]:
        return "per-case" if self.settings.mode == "steady-state" else "per-batch"

    def start(self, space: Space, seed: int) -> None:
        self._searches = for_each_scenario(space, lambda scenario: self._search(scenario, seed))
        self._seed, self._turn = seed, 0
        self.objectives, self._settled = Objectives(self.settings.objectives), False
        self._current, self._wanted = None, 0
        self._open: dict[str, tuple[int, Indices]] = {}
        self._told: dict[str, Sequence[Verdict]] = {}
        self._repeats: dict[int, int] = {}

    def _search(self, scenario: Scenario, seed: int) -> ScenarioSearch:
        cases = CaseSpace(scenario, self.context)
        return self.search(cases, seed) if cases.names else Repeated(cases, seed)

    # asking

    def ask(self, n: int) -> Sequence[Case]:
        if n <= 0 or self.done:
            return []
        if self.learning() == "per-case":
            return self._asked_of(self._next_turn(), n)
        if self._told:
            return []
        if self._current is None:
            self._current = self._next_turn()
            self._wanted = 0 if self._current is None else self._searches[self._current].batch
        return self._asked_of(self._current, self._wanted - len(self._open))

    def _asked_of(self, at: int | None, number: int) -> list[Case]:
        if at is None or number <= 0:
            return []
        asked = [self._case(at, row) for row in self._searches[at].propose(number)]
        if not asked and not self._open:
            self._current = None
            # the next scenario: this one has nothing more to propose
            return [] if self.done else list(self.ask(max(1, self._wanted)))
        return asked

    def _next_turn(self) -> int | None:
        at = self._turn_from(self._turn)
        if at is not None:
            self._turn = (at + 1) % len(self._searches)
        return at

    def _turn_from(self, first: int) -> int | None:
        count = len(self._searches)
        turns = ((first + step) % count for step in range(count))
        return next((at for at in turns if not self._searches[at].exhausted), None)

    def _case(self, at: int, row: Indices) -> Case:
        cases = self._searches[at].cases
        repeat = 1
        if not row:
            repeat = self._repeats[at] = self._repeats.get(at, 0) + 1
        case = cases.case(cases.params(row), run_seed=self._seed, repeat=repeat)
        self._open[case.id] = (at, row)
        return case

    def upcoming(self) -> int | None:
        """Return the number of the search that answers the next `ask`."""
        if self._told and self.learning() == "per-batch":
            return None
        if self.learning() == "per-batch" and self._current is not None:
            return self._current
        return self._turn_from(self._turn)

    # learning

    def refused(self, case: Case) -> None:
        entry = self._open.pop(case.id, None)
        if entry is not None and entry[1]:
            self._searches[entry[0]].refused(entry[1])
        self._close_if_told()

    def tell(self, case: Case, verdicts: Sequence[Verdict]) -> None:
        if case.id not in self._open or case.id in self._told:
            return
        self._told[case.id] = tuple(verdicts)
        if self.learning() == "per-case":
            at, row = self._open.pop(case.id)
            evaluations = self._evaluate_cases([self._told.pop(case.id)])
            if row:
                self._searches[at].learn([(row, evaluations[0])])
        else:
            self._close_if_told()

    def _close_if_told(self) -> None:
        """Learn from the batch once all of it was reported, in the order in which it was asked."""
        if (
            self.learning() == "per-case"
            or self._current is None
            or len(self._told) < len(self._open)
        ):
            return
        rows = [row for _, row in self._open.values()]
        evaluations = self._evaluate_cases([self._told[name] for name in self._open])
        search = self._searches[self._current]
        self._open, self._told, self._current = {}, {}, None
        pairs = [pair for pair in zip(rows, evaluations, strict=True) if pair[0]]
        if pairs:
            search.learn(pairs)

    def _evaluate_cases(self, several: Sequence[Sequence[Verdict]]) -> list[Evaluation]:
        if several and not self._settled:
            self._settled = True
            for name in self.objectives.settle(several):
                self.context.warn(
                    f"no verdict so far is on the objective {name!r}: it counts as 1 (nothing to "
                    "go after)"
                )
        return [self.objectives.evaluated(verdicts) for verdicts in several]

    # ending, saving

    @property
    def done(self) -> bool:
        return not self._open and all(search.exhausted for search in self._searches)

    def state(self) -> JsonValue:
        return {
            "searches": [cast("JsonValue", search.state()) for search in self._searches],
            "turn": self._turn,
            "current": self._current,
            "wanted": self._wanted,
            "open": [[name, at, list(row)] for name, (at, row) in self._open.items()],
            "told": {
                name: [verdict.model_dump(mode="json") for verdict in verdicts]
                for name, verdicts in self._told.items()
            },
            "repeats": [[at, number] for at, number in self._repeats.items()],
            "settled": self._settled,
            "objectives": None if self.objectives.names is None else list(self.objectives.names),
        }

    def restore(self, state: JsonValue) -> None:
        try:
            self._restore(cast("dict[str, Any]", state))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as err:
            raise StoredRunError(
                f"the saved state of the strategy {type(self).__name__!r} is of another suite: "
                f"{type(err).__name__}: {err}"
            ) from err

    def _restore(self, saved: Mapping[str, Any]) -> None:
        if len(saved["searches"]) != len(self._searches):
            raise ValueError("it has other scenarios")
        for search, own in zip(self._searches, saved["searches"], strict=True):
            search.restore(own)
        count = max(1, len(self._searches))
        self._turn = int(saved["turn"]) % count
        self._current = None if saved["current"] is None else int(saved["current"]) % count
        self._wanted = int(saved["wanted"])
        self._open = {
            str(name): (int(at) % count, tuple(map(int, row))) for name, at, row in saved["open"]
        }
        self._told = {
            name: tuple(Verdict.model_validate(verdict) for verdict in verdicts)
            for name, verdicts in saved["told"].items()
        }
        self._repeats = {int(at): int(number) for at, number in saved["repeats"]}
        names = saved["objectives"]
        self.objectives = Objectives(self.settings.objectives)
        self._settled = bool(saved["settled"])
        self.objectives.names = None if names is None else tuple(map(str, names))


__all__ = ["Evaluation", "SearchingConfig", "SearchingStrategy"]
