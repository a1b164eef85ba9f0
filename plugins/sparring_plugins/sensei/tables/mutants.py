"""Mutants of Taskyto and Rasa chatbots: what kills each, by operator and by chatbot."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sparring_plugins.sensei.tables.data import (
    Count,
    Counted,
    Evaluation,
    Mutant,
    Mutated,
    Technology,
)
from sparring_plugins.sensei.tables.model import Cell, DataTable, Source

# What the publication says of mutation scores, held against itself.

# The smallest number of mutants that explains "66.7 % killed" is searched for up to here.
_MOST_MUTANTS = 200


@dataclass(frozen=True, slots=True)
class Claim:
    """Two statements of the publication that should fit: a score, and what stands with it.

    `score` is in per cent as printed, cut or rounded to two digits; `other` is another score that
    is given for the same mutants, `live` the number of mutants said to have survived.
    """

    score: str
    other: str | None = None
    live: int | None = None


CLAIMS = (
    Claim("88.67", other="92.5"),
    Claim("81.25", live=1),
    Claim("92.85", live=2),
)


def totals(claim: Claim) -> str:
    """Whether the statements fit, in a sentence: by the numbers of mutants that allow them."""
    if claim.other is not None:
        return (
            f"the paper contradicts itself: {claim.score} % in one place, {claim.other} % in"
            " another for the same score"
        )
    live = claim.live or 0
    fitting = [n for n in range(live, _MOST_MUTANTS) if n and _says(claim.score, n, live)]
    total, alive = _smallest(claim.score)
    least = f"{total - alive} of {total} mutants have that score, with {alive} alive"
    if not fitting:
        return (
            f"the paper contradicts itself: {claim.score} % with {live} live"
            f" {'mutant' if live == 1 else 'mutants'} fits no number of mutants; {least}"
        )
    return (
        f"the paper says {claim.score} % with {live} live mutants: that takes {fitting[0]} mutants;"
        f" {least}"
    )


def _smallest(score: str) -> tuple[int, int]:
    """The fewest mutants that have a score, and how many of them live."""
    for total in range(1, _MOST_MUTANTS):
        for alive in range(total + 1):
            if _says(score, total, alive):
                return total, alive
    raise ValueError(f"no number of mutants has the score {score} %")


def _says(score: str, total: int, live: int) -> bool:
    """Whether a number of live mutants gives a score, rounded or cut to its digits."""
    digits = len(score.partition(".")[2])
    exact = Fraction(100 * (total - live), total)
    scaled = exact * 10**digits
    return Fraction(score) * 10**digits in (int(scaled), round(scaled))


_TITLES: dict[Technology, str] = {"taskyto": "Taskyto", "rasa": "Rasa"}


@dataclass(frozen=True, slots=True)
class Killing:
    """What shows that a mutant is one: generic failures, rules judged again, rules as stored.

    Failures that the original shows as well are not among them.
    """

    chatbot: str
    mutant: Mutant
    conversations: int
    generic: tuple[str, ...]
    rules: tuple[str, ...]
    stored: tuple[str, ...]
    has_results: bool
    problems: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether there is anything of it in the data."""
        return bool(self.conversations or self.has_results)

    @property
    def killed(self) -> bool:
        """Whether anything kills it."""
        return bool(self.generic or self.rules or self.stored)

    @property
    def only_stored(self) -> bool:
        """Whether only rules that ask a model kill it."""
        return self.killed and not (self.generic or self.rules)


def mutant_tables(evaluation: Evaluation) -> Iterator[DataTable]:
    """For each technology its mutants and its operators; then the scores of all chatbots."""
    every: dict[str, list[Killing]] = {}
    for technology in _TITLES:
        chatbots = [one for one in evaluation.mutated if one.technology == technology]
        killings = [killing for chatbot in chatbots for killing in _killings(chatbot)]
        for chatbot in chatbots:
            named = f"{chatbot.name} ({technology})"
            own = [
                killing for killing in killings if killing.chatbot == chatbot.name and killing.known
            ]
            every[named] = own
        yield _mutants(technology, killings, chatbots)
        yield _operators(technology, killings)
    yield _scores(every)


def _killings(chatbot: Mutated) -> Iterator[Killing]:
    runs = {
        mutant.name: [Counted(execution) for execution in mutant.executions]
        for mutant in chatbot.mutants
    }
    excused = _list_excused_rules(
        chatbot, [run for runs_of_mutant in runs.values() for run in runs_of_mutant]
    )
    for mutant in chatbot.mutants:
        yield _killing(chatbot.name, mutant, runs[mutant.name], excused)


def _list_excused_rules(chatbot: Mutated, runs: Sequence[Counted]) -> set[str]:
    """What says nothing of a mutant: what fails on the original, else what fails on all of them."""
    if chatbot.original is not None:
        return _failing(Counted(chatbot.original))
    failing = [_failing(run) for run in runs if run.traces]
    if len(failing) < 2:
        return set()
    return {name for name in failing[0] if all(name in other for other in failing)}


def _failing(run: Counted) -> set[str]:
    return _generic_failures(run) | _failed_rules(run.rules) | _failed_rules(run.stored)


def _generic_failures(run: Counted) -> set[str]:
    return {name for name, count in run.failures.items() if count}


def _failed_rules(counts: Mapping[str, Count]) -> set[str]:
    return {name for name, count in counts.items() if count.failed}


def _killing(chatbot: str, mutant: Mutant, runs: Sequence[Counted], excused: set[str]) -> Killing:
    generic = {name for run in runs for name in _generic_failures(run)}
    again = {name for run in runs for name in _failed_rules(run.rules)}
    stored = {name for run in runs for name in _failed_rules(run.stored)}
    judged = {name for run in runs for name in run.rules}
    return Killing(
        chatbot,
        mutant,
        sum(len(run.traces) for run in runs),
        tuple(sorted(generic - excused)),
        tuple(sorted(again - excused)),
        tuple(sorted(stored - judged - excused)),
        any(run.execution.results for run in runs),
        tuple(run.problem for run in runs if run.problem),
    )


def _mutants(
    technology: Technology, killings: Sequence[Killing], chatbots: Sequence[Mutated]
) -> DataTable:
    notes = [
        (
            "killed by: generic failures of a conversation, and failed rules that need no model"
            " (all taken as active), computed again; rules that ask a model are as stored; what the"
            " original shows as well does not count"
        ),
        *(
            f"{chatbot.name}: the run of the original is not in the data; instead, what fails on"
            " every mutant does not count, and what else fails on the original as well is not known"
            for chatbot in chatbots
            if chatbot.original is None
        ),
        *dict.fromkeys(problem for killing in killings for problem in killing.problems),
    ]
    rows = [
        (
            Cell(value=f"{killing.chatbot} {killing.mutant.name}"),
            Cell(value=killing.conversations)
            if killing.conversations
            else Cell(source=Source.ABSENT),
            Cell(value=", ".join(killing.generic) or "-"),
            Cell(value=", ".join(killing.rules) or "-"),
            _format_cell(killing),
            Cell(value="killed" if killing.killed else "live", source=_source([killing]))
            if killing.known
            else Cell(source=Source.ABSENT),
        )
        for killing in killings
    ]
    columns = ("mutant", "conversations", "generic failures", "rules", "rules with a model", "is")
    title = f"Mutants of {_TITLES[technology]} chatbots, and what kills them"
    return DataTable(
        name=f"{technology}-mutants",
        title=title,
        columns=columns,
        rows=tuple(rows),
        notes=tuple(notes),
    )


def _format_cell(killing: Killing) -> Cell:
    if not killing.has_results:
        return Cell(source=Source.ABSENT)
    return Cell(value=", ".join(killing.stored) or "-", source=Source.STORED)


def _source(killings: Sequence[Killing]) -> Source:
    return Source.STORED if any(killing.only_stored for killing in killings) else Source.RAW


def _operators(technology: Technology, killings: Sequence[Killing]) -> DataTable:
    groups: dict[str, list[Killing]] = {}
    for killing in killings:
        if killing.known:
            groups.setdefault(killing.mutant.operator, []).append(killing)
    rows = [_summary(operator, groups[operator]) for operator in sorted(groups)]
    if rows:
        rows.append(_summary("all", [killing for group in groups.values() for killing in group]))
    return DataTable(
        name=f"{technology}-operators",
        title=f"Mutants of {_TITLES[technology]} chatbots by operator",
        columns=("operator", *_SUMMARY),
        rows=tuple(rows),
        notes=_unsure(killings),
    )


_SUMMARY = ("mutants", "by generic failures", "by rules", "killed", "live", "equivalent", "score %")


def _summary(name: str, killings: Sequence[Killing]) -> tuple[Cell, ...]:
    source = _source(killings)
    killed = sum(killing.killed for killing in killings)
    score = 100 * killed / len(killings) if killings else None
    return (
        Cell(value=name),
        Cell(value=len(killings)),
        Cell(value=sum(bool(killing.generic) for killing in killings)),
        Cell(
            value=sum(bool(killing.rules or killing.stored) for killing in killings), source=source
        ),
        Cell(value=killed, source=source),
        Cell(value=len(killings) - killed, source=source),
        Cell(source=Source.MANUAL),
        Cell(value=score, source=source if score is not None else Source.ABSENT),
    )


def _unsure(killings: Sequence[Killing]) -> tuple[str, ...]:
    live = [killing for killing in killings if not killing.killed and not killing.has_results]
    notes = [
        (
            "the score is of all mutants: which are equivalent to the original, and which failures"
            " are false positives, are judgements that are not in the data"
        )
    ]
    if live:
        names = ", ".join(f"{one.chatbot} {one.mutant.name}" for one in live)
        notes.append(f"no results of rules that ask a model are stored of: {names}")
    return tuple(notes)


def _scores(every: dict[str, list[Killing]]) -> DataTable:
    chatbots = {name: killings for name, killings in every.items() if killings}
    rows = [_summary(name, killings) for name, killings in chatbots.items()]
    means = [float(row[-1].value) for row in rows if isinstance(row[-1].value, float)]
    if rows:
        rows.append(
            _summary(
                "all mutants", [killing for chatbot in chatbots.values() for killing in chatbot]
            )
        )
        blank = [Cell()] * (len(_SUMMARY) - 1)
        source = _source([killing for chatbot in chatbots.values() for killing in chatbot])
        mean = Cell(value=sum(means) / len(means), source=source)
        rows.append((Cell(value="mean of chatbots"), *blank, mean))
    return DataTable(
        name="scores",
        title="Mutation scores of all chatbots",
        columns=("chatbot", *_SUMMARY),
        rows=tuple(rows),
        notes=(*_unsure([])[:1], *(totals(claim) for claim in CLAIMS)),
    )
