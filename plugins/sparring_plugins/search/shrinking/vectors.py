"""A failing case with as few features away from their simplest values, and words, as can be."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sparring.errors import SparringError
from sparring.model.case import Case
from sparring_plugins.search.shrinking.bench import Bench, Execution, Words
from sparring_plugins.search.shrinking.simplest import Wordings
from sparring_plugins.search.shrinking.words import OTHER_PAD, Said, fewest_words
from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices

_LONG = 12
"""Words of a request that is long."""

_ALTERNATIVES = 3
"""Other values that are tried of a feature of a conversation, for fewer turns."""


@dataclass
class Attempt:
    """A case that shows a failure, as small as it is by now.

    `kind` is what must stay of the failure; `seed` that of the original case, so that what is not
    changed is said as before. `said` is the utterance where the case has a single one, and
    `phrases` has the words for features that matter, by feature. `length` is how many words there
    have to be, where it matters how many there are and not which.
    """

    bench: Bench
    cases: CaseSpace
    simplest: Indices
    wordings: Wordings
    kind: str
    seed: int
    row: Indices
    last: Execution
    said: Said | None = None
    length: int = 0
    phrases: dict[str, str] = field(default_factory=dict[str, str])
    tried: set[tuple[Indices, str | None]] = field(default_factory=set[tuple[Indices, str | None]])

    @property
    def turns(self) -> int:
        """How long the conversation is."""
        return len(self.last.trace.turns)

    @property
    def active(self) -> tuple[int, ...]:
        """The variables that are away from their simplest values."""
        return active_in(self.row, self.simplest)

    def case(self, row: Indices) -> Case:
        """The case of a row, with the seed of the original."""
        made = self.cases.case(self.cases.params(row), run_seed=0)
        return made.model_copy(update={"seed": self.seed})

    async def shows(self, row: Indices, said: Said | None = None) -> Execution | None:
        """The execution of a row, in these words, where it fails in this way; else None."""
        words = None if said is None else Words(said.text, said.written())
        found = await self.bench.execute(self.case(row), words)
        return found if self.kind in found.kinds else None

    def told_by(self, found: Execution) -> Said | None:
        """The utterance of an execution in the player's own words."""
        return self.wordings.said(found.trace)

    async def reduce(self) -> None:
        """Take words and features away until none can be; raises OutOfBudget."""
        await self._unperturbed()
        await self._shorten()
        await self._fewest_features()
        if self.said is not None and not self.length and self.said.length >= 2 * _LONG:
            self.length = self.said.length  # are all these features but words to this failure?
            if not await self._fewest_features():
                self.length = 0
        await self._plainer()
        await self._shorten()

    async def _fewest_features(self) -> bool:
        """Take features away until none can be; whether any was."""
        before = self.row
        while True:
            for row in self._candidates():
                if await self._take(row):
                    break
            else:
                return self.row != before

    async def _unperturbed(self) -> None:
        """Go back to what was written where no perturbation matters."""
        variables = self.cases.scenario.variables
        spoilt = tuple(at for at in self.active if variables[at].group == "perturbation")
        row, written = self._back(spoilt), self.last.trace.meta.get("written")
        if self.said is None or row is None or not isinstance(written, str) or not written:
            return
        said = replace(self.said, text=written, changes=())
        found = await self.shows(row, said)
        if found is not None:
            self.row, self.said, self.last = row, said, found

    async def _try(self, said: Said) -> bool:
        """Take other words for the row if it fails with them, too."""
        found = await self.shows(self.row, said)
        if found is not None:
            self.said, self.last = said, found
        return found is not None

    async def _plainer(self) -> None:
        """Say features in their usual words where the failure does not need others."""
        for number in self.active:
            name = self.cases.names[number]
            words = self.wordings.words(name, self.row[number])
            if self.said is None or not words or name not in self.said.spoken:
                continue
            plain = self.said.put(name, words)
            if plain is None or plain.text == self.said.text:
                continue
            found = await self.shows(self.row, plain)
            if found is not None:
                self.said, self.last = plain, found
            else:
                self.phrases[name] = self.said.phrase(name)

    async def _shorten(self) -> None:
        """Take words away that the failure does not need.

        Where it needs many, but other words do as well, how many there are is made small.
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
        """As few words as there have to be, whatever they are: of each run of them."""
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

        What the words do not say may change without them, if all else fails.
        """
        for said in self._ways(row):
            key = (row, None if said is None else said.text)
            if key in self.tried:
                continue
            self.tried.add(key)
            found = await self.shows(row, said)
            if found is None or not self._is_smaller(row, found):
                continue
            self.row, self.last = row, found
            if self.said is not None:
                self.said = said if said is not None else self.told_by(found)
            return True
        return False

    def _ways(self, row: Indices) -> list[Said | None]:
        """The words to try a row in; None for the player's own."""
        edited = self.edited(row)
        if self.said is None:
            return [None]
        ways = [edited, None] if edited is not None else [None, self.edited(row, unsaid=True)]
        return [one for one in ways if one is not None] if self.length else ways

    def _is_smaller(self, row: Indices, found: Execution) -> bool:
        size = (len(found.trace.turns), len(active_in(row, self.simplest)))
        return size < (self.turns, len(self.active))

    def edited(self, row: Indices, *, unsaid: bool = False) -> Said | None:
        """The present utterance with the words for another row; None where that is not known.

        With `unsaid`, features that are not said in it are left so.
        """
        said = self.said
        for number, at in enumerate(row):
            if said is None:
                return None
            if at == self.row[number]:
                continue
            variable = self.cases.scenario.variables[number]
            if variable.group == "perturbation":
                said = self._undone(said, number) if at == self.simplest[number] else None
            elif variable.group == "content":
                if unsaid and not said.phrase(variable.name):
                    continue
                words = self.wordings.words(variable.name, at)
                put = said.put_as_long if self.length else said.put
                said = None if words is None else put(variable.name, words)
        return said

    def _undone(self, said: Said, number: int) -> Said | None:
        """The utterance without a perturbation: as it is, where nothing is left of that."""
        name = self.cases.names[number]
        gone = said.left_out([name])
        if not gone and not any(one.feature == name for one in said.present()):
            return said.without(name)
        return said.undone(name)

    def _candidates(self) -> Iterator[Indices]:
        """Smaller rows, the smallest first: all, whole groups, half of them, single features."""
        active = self.active
        variables = self.cases.scenario.variables
        groups = dict.fromkeys(variables[number].group for number in active)
        chunks: list[tuple[int, ...]] = [active]
        if len(groups) > 1:
            chunks += [tuple(n for n in active if variables[n].group == one) for one in groups]
        half = len(active) // 2
        chunks += [active[:half], active[half:], *((number,) for number in reversed(active))]
        for chunk in chunks:
            row = self._back(chunk)
            if row is not None:
                yield row
        if self.turns > 1:
            yield from self._others(active)

    def _back(self, chunk: tuple[int, ...]) -> Indices | None:
        """The row with some features at their simplest values; None where that is no smaller."""
        if not chunk:
            return None
        row = list(self.row)
        for number in chunk:
            row[number] = self.simplest[number]
        try:
            found = self.cases.repaired_indices(tuple(row))
        except SparringError:  # no case satisfies the constraints, or it takes too long to find
            return None
        smaller = set(active_in(found, self.simplest)) < set(self.active)
        kept = all(found[n] in (self.row[n], self.simplest[n]) for n in range(len(found)))
        return found if smaller and kept else None

    def _others(self, active: tuple[int, ...]) -> Iterator[Indices]:
        """Rows with another value of a feature: for conversations that get shorter by it."""
        for number in active:
            for at in range(min(_ALTERNATIVES, self.cases.sizes[number])):
                row = (*self.row[:number], at, *self.row[number + 1 :])
                if row != self.row and self.cases.holds(self.cases.params(row)):
                    yield row


def active_in(row: Indices, simplest: Indices) -> tuple[int, ...]:
    """The variables of a row that are away from their simplest values."""
    return tuple(at for at, (value, plain) in enumerate(zip(row, simplest, strict=True))
                 if value != plain)  # fmt: skip
