"""Reduce a failing case to few features away from their simplest values, and few words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from sparring.errors import SparringError
from sparring.interfaces.agent import Player
from sparring.model.case import Case
from sparring.model.space import Scenario, Variable
from sparring.model.talk import Trace
from sparring_plugins.search.features.model import FeatureSpace, FeatureSpec
from sparring_plugins.search.shrinking.case_runner import CaseRunner, Execution, Rewording
from sparring_plugins.search.shrinking.words import OTHER_PAD, ReducibleUtterance, fewest_words
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices

PLAIN = ("none", "neutral", "default", "normal", "plain", "standard", "explicit", "off", "no")
"""Names of values that leave a feature out or mean nothing special."""


@dataclass(frozen=True)
class Wordings:
    """How the cases of a scenario are put into words, as far as it is known.

    `space` is the feature space behind it; None for players of other kinds.
    """

    scenario: Scenario
    space: FeatureSpace | None

    @classmethod
    def of(cls, player: Player[Any], scenario: Scenario) -> "Wordings":
        """Return the wordings of a player's scenario."""
        spaces: object = getattr(player, "spaces", None)
        by_name = cast("dict[str, object]", spaces) if isinstance(spaces, dict) else {}
        space = by_name.get(scenario.name)
        return cls(scenario, space if isinstance(space, FeatureSpace) else None)

    def simplest(self) -> Indices:
        """Return the number of the simplest value of each variable.

        That is the one that leaves a feature out; else one whose name means nothing special
        (`PLAIN`); else the first one.
        """
        nones: Mapping[str, int] = {}
        if self.space is not None:
            nones = {
                feature.name: feature.none
                for feature in self.space.features
                if feature.none is not None
            }
        return tuple(
            nones.get(variable.name, _plainest(variable)) for variable in self.scenario.variables
        )

    def words(self, name: str, at: int) -> str | None:
        """Return the usual words for a value of a feature; empty for one that is left out."""
        feature = self._feature(name)
        if feature is None or at >= len(feature.values):
            return None
        if at == feature.none:
            return ""
        value = feature.values[at]
        return value.words[0] if value.words else value.shown

    def said(self, trace: Trace) -> ReducibleUtterance | None:
        """Return the only utterance of a conversation; None if there are several or none."""
        if "goals" in trace.meta:
            return None
        return ReducibleUtterance.of(trace.meta, self._mentions(trace))

    def _mentions(self, trace: Trace) -> dict[str, tuple[str, ...]]:
        """Return words that may express the content features of a case, from its space."""
        mentions: dict[str, tuple[str, ...]] = {}
        for feature in self.space.features if self.space is not None else ():
            at = feature.at(trace.case.params[feature.name])
            if feature.group == "content" and at != feature.none:
                value = feature.values[at]
                mentions[feature.name] = (
                    *value.words, *(value.mentions or ()), value.shown, *value.hints,
                )  # fmt: skip
        return mentions

    def _feature(self, name: str) -> FeatureSpec | None:
        if self.space is None:
            return None
        return next((feature for feature in self.space.features if feature.name == name), None)


def _plainest(variable: Variable) -> int:
    for name in PLAIN:
        for at, value in enumerate(variable.domain):
            if value is None or (isinstance(value, str) and value.casefold() == name):
                return at
    return 0


def label(variable: Variable, at: int) -> str:
    """Return a value for people."""
    if at < len(variable.labels) and variable.labels[at]:
        return variable.labels[at]
    value = variable.domain[at]
    return value if isinstance(value, str) else str(value)


_LONG = 12
"""The number of words of a long request."""

_ALTERNATIVES = 3
"""The number of other values of a feature that are tried to make a conversation shorter."""


@dataclass
class Attempt:
    """A case that shows a failure, as small as it is so far.

    `kind` is the part of the failure class that must stay; `seed` is that of the original case, so
    that what is not changed is said as before. `said` is the utterance if the case has a single
    one, and `phrases` has the words for relevant features, by feature. `length` is the required
    number of words, if only their number matters.
    """

    runner: CaseRunner
    cases: CaseSpace
    simplest: Indices
    wordings: Wordings
    kind: str
    seed: int
    row: Indices
    last: Execution
    said: ReducibleUtterance | None = None
    length: int = 0
    phrases: dict[str, str] = field(default_factory=dict[str, str])
    tried: set[tuple[Indices, str | None]] = field(default_factory=set[tuple[Indices, str | None]])

    @property
    def turns(self) -> int:
        """The number of turns of the conversation."""
        return len(self.last.trace.turns)

    @property
    def active(self) -> tuple[int, ...]:
        """The variables that are away from their simplest values."""
        return active_in(self.row, self.simplest)

    def case(self, row: Indices) -> Case:
        """Return the case of a row, with the seed of the original."""
        case = self.cases.case(self.cases.params(row), run_seed=0)
        return case.model_copy(update={"seed": self.seed})

    async def shows(self, row: Indices, said: ReducibleUtterance | None = None) -> Execution | None:
        """Return the execution of a row, in these words, if it fails in this way; else None."""
        words = None if said is None else Rewording(said.text, said.written())
        execution = await self.runner.execute(self.case(row), words)
        return execution if self.kind in execution.kinds else None

    def told_by(self, execution: Execution) -> ReducibleUtterance | None:
        """Return the utterance of an execution in the player's own words."""
        return self.wordings.said(execution.trace)

    async def reduce(self) -> None:
        """Remove words and features until none can be removed; raises OutOfBudget."""
        await self._unperturbed()
        await self._shorten()
        await self._fewest_features()
        # an app that hears no more than fifteen words fails with any sixteen of them
        if self.said is not None and not self.length and self.said.length >= 2 * _LONG:
            self.length = self.said.length  # are all these features but words to this failure?
            if not await self._fewest_features():
                self.length = 0
        await self._plainer()
        await self._shorten()

    async def worded_anew(self) -> str:
        """Return the player's own words for the reduced row; empty if it does not fail with them.

        What is left after words were removed ("please hazelnut") may be no sentence any more.
        """
        if self.said is None:
            return ""
        execution = await self.shows(self.row)
        own = None if execution is None else self.told_by(execution)
        return "" if own is None or own.text == self.said.text else own.text

    async def _fewest_features(self) -> bool:
        """Remove features until none can be removed; returns whether any was."""
        before = self.row
        while True:
            for row in self._candidates():
                if await self._take(row):
                    break
            else:
                return self.row != before

    async def _unperturbed(self) -> None:
        """Go back to the text before perturbations if none of them matters."""
        variables = self.cases.scenario.variables
        perturbed = tuple(at for at in self.active if variables[at].group == "perturbation")
        row, written = self._back(perturbed), self.last.trace.meta.get("written")
        if self.said is None or row is None or not isinstance(written, str) or not written:
            return
        said = replace(self.said, text=written, changes=())
        execution = await self.shows(row, said)
        if execution is not None:
            self.row, self.said, self.last = row, said, execution

    async def _try(self, said: ReducibleUtterance) -> bool:
        """Take other words for the row if it fails with them, too."""
        execution = await self.shows(self.row, said)
        if execution is not None:
            self.said, self.last = said, execution
        return execution is not None

    async def _plainer(self) -> None:
        """Express features in their usual words if the failure does not need others."""
        for number in self.active:
            name = self.cases.names[number]
            words = self.wordings.words(name, self.row[number])
            if self.said is None or not words or name not in self.said.spoken:
                continue
            plain = self.said.put(name, words)
            if plain is None or plain.text == self.said.text:
                continue
            execution = await self.shows(self.row, plain)
            if execution is not None:
                self.said, self.last = plain, execution
            else:
                self.phrases[name] = self.said.phrase(name)

    async def _shorten(self) -> None:
        """Remove words that the failure does not need.

        If it needs many, but any words do, their number is minimised.
        """
        said = self.said
        if said is None:
            return
        if self.length:
            await self._fewest_of_any()
            return
        if said.length >= _LONG and said.free() and not await self._try(said.without_free()):
            other = await self.shows(self.row, said.replaced(OTHER_PAD))
            self.length = said.length if other and await self._try(said.replaced()) else 0
        if not self.length:
            await fewest_words(self.said or said, self._try)

    async def _fewest_of_any(self) -> None:
        """Minimise the number of words of each run, whatever the words are (binary search)."""
        assert self.said is not None
        for first, number in reversed(self.said.runs()):
            said, fewest, most = self.said, 0, number
            while fewest < most:
                middle = (fewest + most) // 2
                if await self._try(said.without_words(first, number - middle)):
                    most = middle
                else:
                    fewest = middle + 1
        self.length = self.said.length if self.said.runs() else 0

    async def _take(self, row: Indices) -> bool:
        """Take a smaller row if it fails, too: in the same words, or else in the player's own.

        As a last resort, features that the words do not express change without them.
        """
        for said in self._ways(row):
            key = (row, None if said is None else said.text)
            if key in self.tried:
                continue
            self.tried.add(key)
            execution = await self.shows(row, said)
            if execution is None or not self._is_smaller(row, execution):
                continue
            self.row, self.last = row, execution
            if self.said is not None:
                self.said = said if said is not None else self.told_by(execution)
            return True
        return False

    def _ways(self, row: Indices) -> list[ReducibleUtterance | None]:
        """Return the words to try a row in; None stands for the player's own."""
        edited = self.edited(row)
        if self.said is None:
            return [None]
        ways = [edited, None] if edited is not None else [None, self.edited(row, unsaid=True)]
        return [way for way in ways if way is not None] if self.length else ways

    def _is_smaller(self, row: Indices, execution: Execution) -> bool:
        size = (len(execution.trace.turns), len(active_in(row, self.simplest)))
        return size < (self.turns, len(self.active))

    def edited(self, row: Indices, *, unsaid: bool = False) -> ReducibleUtterance | None:
        """Return the current utterance with the words for another row; None if that is not known.

        With `unsaid`, features that it does not express are left so.
        """
        said = self.said
        for number, value in enumerate(row):
            if said is None:
                return None
            if value == self.row[number]:
                continue
            variable = self.cases.scenario.variables[number]
            if variable.group == "perturbation":
                said = self._undone(said, number) if value == self.simplest[number] else None
            elif variable.group == "content":
                if unsaid and not said.phrase(variable.name):
                    continue
                words = self.wordings.words(variable.name, value)
                replace_words = said.put_as_long if self.length else said.put
                said = None if words is None else replace_words(variable.name, words)
        return said

    def _undone(self, said: ReducibleUtterance, number: int) -> ReducibleUtterance | None:
        """Return the utterance without a perturbation: unchanged, if nothing of that is left."""
        name = self.cases.names[number]
        removed = said.left_out([name])
        if not removed and not any(change.feature == name for change in said.present()):
            return said.without(name)
        return said.undone(name)

    def _candidates(self) -> Iterator[Indices]:
        """Yield smaller rows, the smallest first: all features, groups, halves, single ones."""
        active = self.active
        variables = self.cases.scenario.variables
        groups = dict.fromkeys(variables[number].group for number in active)
        chunks: list[tuple[int, ...]] = [active]
        if len(groups) > 1:
            chunks += [tuple(n for n in active if variables[n].group == group) for group in groups]
        half = len(active) // 2
        chunks += [active[:half], active[half:], *((number,) for number in reversed(active))]
        for chunk in chunks:
            row = self._back(chunk)
            if row is not None:
                yield row
        if self.turns > 1:
            yield from self._others(active)

    def _back(self, chunk: tuple[int, ...]) -> Indices | None:
        """Return the row with features at their simplest values; None if that is no smaller."""
        if not chunk:
            return None
        row = list(self.row)
        for number in chunk:
            row[number] = self.simplest[number]
        try:
            repaired = self.cases.repaired_indices(tuple(row))
        except SparringError:  # no case satisfies the constraints, or it takes too long to find
            return None
        smaller = set(active_in(repaired, self.simplest)) < set(self.active)
        kept = all(repaired[n] in (self.row[n], self.simplest[n]) for n in range(len(repaired)))
        return repaired if smaller and kept else None

    def _others(self, active: tuple[int, ...]) -> Iterator[Indices]:
        """Yield rows with another value of a feature, for conversations that get shorter by it."""
        for number in active:
            for at in range(min(_ALTERNATIVES, self.cases.sizes[number])):
                row = (*self.row[:number], at, *self.row[number + 1 :])
                if row != self.row and self.cases.holds(self.cases.params(row)):
                    yield row


def active_in(row: Indices, simplest: Indices) -> tuple[int, ...]:
    """Return the variables of a row that are away from their simplest values."""
    return tuple(at for at, (value, plain) in enumerate(zip(row, simplest, strict=True))
                 if value != plain)  # fmt: skip
