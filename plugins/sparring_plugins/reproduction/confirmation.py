"""Playing faults again from fresh sessions: do they show again, and with how few inputs?"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from pydantic import JsonValue

from sparring.engine.judge import judge_trace
from sparring.engine.play import play
from sparring.errors import BudgetSpent
from sparring.interfaces.abilities import Recalling
from sparring.interfaces.agent import Player, PlayTask
from sparring.interfaces.app_connector import AppConnector
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.llm.ledger import CASE
from sparring.model.case import Case
from sparring.model.confirmation import Confirmation, Confirmed, Fault
from sparring.model.events import CaseJudged
from sparring.model.space import Space
from sparring.model.talk import Act, Ended, Listen, Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.suite.building import Judge
from sparring.suite.model import Confirm
from sparring_plugins.gating.statistics import wilson
from sparring_plugins.reproduction.failure_identity import faults_of

# Delta debugging over the acts of a conversation. No library does it: those that exist reduce texts
# and files, and ask their question in processes of their own. Ours is asked of an app, on the event
# loop.

Shows = Callable[[Sequence[Act]], Awaitable[bool]]
"""Whether a conversation of these acts shows the fault."""


async def minimise(acts: Sequence[Act], shows: Shows) -> list[Act]:
    """Return as few of the acts, in their order, as still show a fault.

    None of those that are left can be left out alone.

    `acts` are known to show it. If they begin by listening to the app, that stays. `shows` is
    never asked twice of the same acts; it may say no because it has no time left.
    """
    first = 1 if acts and isinstance(acts[0], Listen) else 0
    opening, rest = list(acts[:first]), list(acts[first:])
    answers: dict[tuple[int, ...], bool] = {}

    async def show_fault(places: Sequence[int]) -> bool:
        key = tuple(places)
        if key not in answers:
            answers[key] = await shows([*opening, *(rest[place] for place in places)])
        return answers[key]

    places = await _shortest_end(len(rest), show_fault)
    return [*opening, *(rest[place] for place in await _reduce(places, show_fault))]


async def _shortest_end(
    count: int, still_fails: Callable[[Sequence[int]], Awaitable[bool]]
) -> list[int]:
    """The last 0, 1, 2, 4 … places that show it: most faults need little of what went before."""
    length = 0
    while length < count:
        end = list(range(count - length, count))
        if await still_fails(end):
            return end
        length = max(1, 2 * length)
    return list(range(count))


async def _reduce(
    places: list[int], still_fails: Callable[[Sequence[int]], Awaitable[bool]]
) -> list[int]:
    """Zeller's ddmin by complements: leave parts out, smaller and smaller ones."""
    parts = 2
    while len(places) >= 2:
        size = -(-len(places) // parts)
        for start in range(0, len(places), size):
            fewer = places[:start] + places[start + size :]
            if await still_fails(fewer):
                places, parts = fewer, max(parts - 1, 2)
                break
        else:
            if size == 1:
                break
            parts = min(len(places), 2 * parts)
    if len(places) == 1 and await still_fails([]):
        return []
    return places


# A player that does given acts, one after the other, whatever the app answers.


class ScriptedPlayer(Player[PluginConfig]):
    """Repeats the acts of a conversation; stops where the app ends it, unless the first went on."""

    def __init__(
        self,
        acts: Sequence[Act],
        meta: Mapping[str, JsonValue],
        context: BuildContext,
        *,
        past_end: bool,
    ) -> None:
        super().__init__(PluginConfig(), context)
        self._acts = acts
        self._meta = dict(meta)
        self._past_end = past_end

    def space(self) -> Space:
        """Nothing varies."""
        return Space(scenarios=())

    def meta(self, case: Case) -> dict[str, JsonValue]:
        """What the first conversation said of itself."""
        return self._meta

    async def act(self, task: PlayTask) -> Trace:
        """Do the acts; what the app does wrong passes, and becomes an incident."""
        ended = Ended.SCRIPT_DONE
        for act in self._acts:
            observation = await task.session.send(act)
            ended = Ended.APP_ENDED if observation.ended else Ended.SCRIPT_DONE
            if observation.ended and not self._past_end:
                break
        return task.trace(ended, meta=self._meta)


def went_past_end(trace: Trace) -> bool:
    """Whether a conversation went on after the app had ended it."""
    observations = [turn.observation for turn in trace.turns[:-1]]
    return any(observation is not None and observation.ended for observation in observations)


_FEWEST = 3
"""Sessions without a fault before it counts as gone, however few replays are wanted."""

_EXAMPLES = 3
_MOST_CASES = 100


@dataclass(slots=True)
class Suspect:
    """A fault with the conversations that show it: the ids of all, the shortest ones whole."""

    fault: Fault
    app: str
    judge: Judge
    case_ids: list[str] = field(default_factory=list[str])
    examples: list[tuple[Fault, Trace]] = field(default_factory=list[tuple[Fault, Trace]])

    def add(self, fault: Fault, trace: Trace) -> None:
        """Take in one more conversation that shows it."""
        if trace.case.id not in self.case_ids and len(self.case_ids) < _MOST_CASES:
            self.case_ids.append(trace.case.id)
        self.examples.append((fault, trace))
        self.examples.sort(key=lambda example: len(_until(*example)))
        del self.examples[_EXAMPLES:]

    def is_shown_by(self, fault: Fault, app: str) -> bool:
        """Whether a fault is this one."""
        mine = self.fault
        alike = (mine.oracle, mine.check, self.app) == (fault.oracle, fault.check, app)
        return alike and self.judge.oracle.same(mine.key, fault.key)


def find_suspects(judged: Iterable[CaseJudged], judges: Sequence[Judge]) -> list[Suspect]:
    """The faults of a run, each once, in the order of the cases that show them first."""
    by_label = {judge.label: judge for judge in judges}
    by_check: dict[tuple[str, str, str], list[Suspect]] = {}
    order: list[Suspect] = []
    for judged_case in judged:
        app = str(judged_case.trace.case.params.get("app", ""))
        for fault in faults_of(judged_case.verdicts, judged_case.trace):
            if fault.oracle not in by_label:
                continue
            alike = by_check.setdefault((fault.oracle, fault.check, app), [])
            suspect = next((each for each in alike if each.is_shown_by(fault, app)), None)
            if suspect is None:
                suspect = Suspect(fault, app, by_label[fault.oracle])
                alike.append(suspect)
                order.append(suspect)
            suspect.add(fault, judged_case.trace)
    return order


@dataclass(slots=True)
class Confirmer:
    """Plays suspects again. `player` makes a player of the suite's that shares nothing with it.

    `elsewhere` has a worker play a suspect again, if there are any.
    """

    connector: AppConnector[Any]
    context: BuildContext
    settings: Confirm
    case_timeout_s: float
    judge_timeout_s: float
    player: Callable[[], Player[Any]]
    elsewhere: "Callable[[Suspect], Awaitable[Confirmation]] | None" = None

    async def play_again(self, suspect: Suspect) -> Confirmation:
        """Repeat a suspect, minimise it, and repeat the shortest as often as wanted."""
        return await _Attempt(self, suspect).confirmation()

    async def confirm(
        self, suspects: Sequence[Suspect], concurrency: int
    ) -> AsyncGenerator[Confirmation]:
        """What became of each suspect, as it is known; side by side, none after the time is up."""
        began = monotonic()
        room = asyncio.Semaphore(concurrency)

        async def confirm_one(number: int, suspect: Suspect) -> Confirmation:
            async with room:
                minutes = self.settings.minutes
                if number >= self.settings.faults:
                    return not_played(suspect, "more faults than are played again (confirm.faults)")
                if minutes is not None and monotonic() - began > minutes * 60:
                    return not_played(suspect, "the time for it is up (confirm.minutes)")
                return await (self.elsewhere or self.play_again)(suspect)

        tasks = [asyncio.create_task(confirm_one(*each)) for each in enumerate(suspects)]
        try:
            for done in asyncio.as_completed(tasks):
                yield await done
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


class _Attempt:
    """One suspect being played again."""

    def __init__(self, confirmer: Confirmer, suspect: Suspect) -> None:
        self._with = confirmer
        self._suspect = suspect
        self._conversations = 0
        self._acts = 0
        self._shortest: tuple[Trace, Fault] | None = None
        self._trouble = ""

    async def confirmation(self) -> Confirmation:
        """Repeat, minimise, and repeat the shortest as often as wanted."""
        try:
            return await self._confirmation()
        except BudgetSpent as err:
            return not_played(self._suspect, str(err))

    async def _confirmation(self) -> Confirmation:
        if self._suspect.judge.oracle.local:
            for fault, trace in self._suspect.examples:
                until, whole = _until(fault, trace), _acts(trace)
                for acts in (until, whole) if len(until) < len(whole) else (whole,):
                    misses = await self._failed_attempts(acts, trace)
                    if misses is not None:
                        return await self._repeat_acts(acts, trace, misses)
        return await self._played_again()

    async def _failed_attempts(self, acts: Sequence[Act], trace: Trace) -> int | None:
        """How many replays failed before one showed it; `None` if they never did."""
        for misses in range(self._sessions):
            if await self._shows(acts, trace):
                return misses
        return None

    @property
    def _sessions(self) -> int:
        """How often a conversation is tried before the fault counts as gone."""
        return max(_FEWEST, self._with.settings.replays)

    async def _repeat_acts(self, acts: Sequence[Act], trace: Trace, misses: int) -> Confirmation:
        """The acts show it: as few of them as do, again and again."""
        shown, tried = 1, 1 + misses
        if self._with.settings.minimise:
            fewer_acts = await minimise(acts, lambda fewer: self._within(fewer, trace))
            if len(fewer_acts) < len(acts):  # what other acts missed says nothing of these
                acts, tried = fewer_acts, 1
        while tried < self._with.settings.replays:
            shown += await self._shows(acts, trace)
            tried += 1
        outcome: Confirmed = "confirmed" if shown == tried else "unsteady"
        return self._confirmation_of(outcome, shown=shown, tried=tried)

    async def _within(self, acts: Sequence[Act], trace: Trace) -> bool:
        """Whether acts show it; no if too many conversations were played already."""
        if self._conversations >= self._with.settings.conversations:
            return False
        return await self._shows(acts, trace)

    async def _shows(self, acts: Sequence[Act], trace: Trace) -> bool:
        # Lists tell of single turns, which are others now.
        meta = {key: value for key, value in trace.meta.items() if not isinstance(value, list)}
        past_end = went_past_end(trace)
        script = ScriptedPlayer(acts, meta, self._with.context, past_end=past_end)
        return await self._shows_again(script, trace)

    async def _played_again(self) -> Confirmation:
        """Cases that are played again by the player, as what is wrong is not in single turns."""
        shown = tried = 0
        _, trace = self._suspect.examples[0]
        while tried < (self._with.settings.replays if shown else self._sessions):
            player = self._with.player()
            await player.prepare()
            if isinstance(player, Recalling):
                player.recall(trace.case, trace.meta)
            shown += await self._shows_again(player, trace)
            tried += 1
        outcome: Confirmed = (
            "confirmed" if shown == tried else "unsteady" if shown else "not confirmed"
        )
        return self._confirmation_of(
            outcome, shown=shown, tried=tried if shown else self._conversations
        )

    async def _shows_again(self, player: Player[Any], first: Trace) -> bool:
        """Play a fresh session, and see whether the same oracle finds the same fault."""
        CASE.set(first.case.id)
        self._conversations += 1
        trace = await play(
            player,
            self._with.connector,
            first.case,
            timeout_s=self._with.case_timeout_s,
            on_turn=lambda _case, _index, _turn: None,
            problem=lambda _message: None,
        )
        self._acts += len(trace.turns)
        verdicts = await judge_trace([self._suspect.judge], trace, self._with.judge_timeout_s)
        self._trouble = self._trouble or _other_failure(trace, verdicts, first)
        shown = [
            fault
            for fault in faults_of(verdicts, trace)
            if self._suspect.is_shown_by(fault, self._suspect.app)
        ]
        if shown and (self._shortest is None or _shorter(trace, self._shortest[0])):
            self._shortest = trace.model_copy(update={"app": None}), shown[0]
        return bool(shown)

    def _confirmation_of(self, outcome: Confirmed, *, shown: int, tried: int) -> Confirmation:
        if outcome == "not confirmed" and self._trouble:  # an app that is down shows no fault
            return not_played(self._suspect, self._trouble)
        before = min(len(_inputs(_until(*example))) for example in self._suspect.examples)
        trace, fault = self._shortest or (None, self._suspect.fault)
        inputs = len(_inputs(_acts(trace))) if trace else before
        return _base(self._suspect, fault).model_copy(
            update={
                "outcome": outcome,
                "why": _why(fault, outcome, shown, tried, inputs, before),
                "shown": shown,
                "tried": tried,
                "inputs": inputs,
                "inputs_before": before,
                "turns": (fault.turn,) if trace and fault.turn is not None else (),
                "conversations": self._conversations,
                "acts": self._acts,
                "trace": trace,
            }
        )


def _other_failure(trace: Trace, verdicts: Sequence[Verdict], first: Trace) -> str:
    """Why a conversation that does not show a fault does not say that it is gone; else empty."""
    usual = {incident.kind for incident in first.incidents}
    for incident in trace.incidents:
        if incident.owner is not Owner.APP and incident.kind not in usual:
            return incident.message or incident.kind.value
    errors = (verdict.reason for verdict in verdicts if verdict.outcome is Outcome.ERROR)
    return next(errors, "")


def _base(suspect: Suspect, fault: Fault) -> Confirmation:
    same_fault = fault.model_copy(update={"key": suspect.fault.key})
    return Confirmation(
        fault=same_fault, outcome="not played", app=suspect.app, case_ids=tuple(suspect.case_ids)
    )


def not_played(suspect: Suspect, why: str) -> Confirmation:
    """Return what is said of a suspect that was not played again, with the reason."""
    return _base(suspect, suspect.fault).model_copy(update={"why": f"not played again: {why}"})


def _why(fault: Fault, outcome: Confirmed, shown: int, tried: int, inputs: int, before: int) -> str:
    """How sure it is, and why, in a sentence."""
    certain = f"; the oracle calls it {fault.certainty}" if fault.certainty else ""
    low, high = wilson(shown, tried) or (0.0, 1.0)
    rate = f" (a rate of {low:.0%} to {high:.0%} at 95%)"
    sessions = f"{tried} fresh session{'' if tried == 1 else 's'}"
    if outcome == "not confirmed":
        return f"it did not show again in {sessions}{rate}{certain}"
    takes = f"{inputs} input{'' if inputs == 1 else 's'}"
    fewer = f" instead of {before}" if inputs < before else ""
    often = f"in each of {sessions}" if shown == tried else f"in {shown} of {sessions}{rate}"
    return f"it shows {often}, with {takes}{fewer}{certain}"


def _acts(trace: Trace) -> tuple[Act, ...]:
    return tuple(turn.act for turn in trace.turns)


def _until(fault: Fault, trace: Trace) -> tuple[Act, ...]:
    """The acts up to where a fault shows."""
    return _acts(trace) if fault.turn is None else _acts(trace)[: fault.turn + 1]


def _inputs(acts: Sequence[Act]) -> list[Act]:
    """The acts but for hearing what the app says first."""
    return list(acts[1:] if acts and isinstance(acts[0], Listen) else acts)


def _shorter(trace: Trace, other: Trace) -> bool:
    return len(trace.turns) < len(other.turns)
