"""The runs that are compared: who tested, with which seed, and what is needed of conversations."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import JsonValue

from sparring.errors import ConfigurationError
from sparring.model.events import CaseJudged
from sparring.model.talk import Turn
from sparring.store import StoredRun, find_run
from sparring_plugins.study.comparison.curves import Series, series_of


def loaded(names: Sequence[str], runs: Path) -> list[Series]:
    """The explorations of runs that are named as `RUN` or `TESTER=RUN`; raises SparringError."""
    found: list[Series] = []
    seen: Counter[tuple[str, str]] = Counter()
    for name in names:
        tester, stored = _found(name, runs)
        seed = str(stored.manifest.seed)
        seen[tester, seed] += 1
        if seen[tester, seed] > 1:  # the same seed again is one more repetition
            seed = f"{seed}#{seen[tester, seed]}"
        found += series_of(tester, seed, _slim(stored))
    if not any(one.judged for one in found):
        raise ConfigurationError("these runs have no conversations to compare")
    return found


def _found(name: str, runs: Path) -> tuple[str, StoredRun]:
    if (Path(name) / "run.json").is_file():
        stored = StoredRun(Path(name))
        return tester_of(stored), stored
    tester, sign, run = name.partition("=")
    stored = find_run(run if sign else name, runs, played=True)
    return (tester if sign and tester else tester_of(stored)), stored


def tester_of(stored: StoredRun) -> str:
    """The name of the agent that played a run, with the parts that were switched off."""
    agent = stored.manifest.suite.get("agent")
    if isinstance(agent, str):
        return agent
    told = agent if isinstance(agent, dict) else {}
    without = told.get("without")
    off = [without] if isinstance(without, str) else without if isinstance(without, list) else []
    name = told.get("use")
    shown = name if isinstance(name, str) else stored.manifest.name
    return f"{shown} without {', '.join(map(str, off))}" if off else shown


def _slim(stored: StoredRun) -> Iterator[CaseJudged]:
    """The conversations without what takes room and is not measured."""
    for judged in stored.judged():
        turns = tuple(_slim_turn(turn) for turn in judged.trace.turns)
        trace = judged.trace.model_copy(update={"turns": turns, "meta": {}})
        yield judged.model_copy(update={"trace": trace})


def _slim_turn(turn: Turn) -> Turn:
    heard = turn.observation
    if heard is None or heard.payload is None:
        return turn
    kept = heard.model_copy(update={"payload": _intents(heard.payload), "page": None})
    return turn.model_copy(update={"observation": kept})


def _intents(payload: JsonValue) -> JsonValue:
    """Of a structured answer, the intents that the app was asked for."""
    told = payload.get("exchanges") if isinstance(payload, dict) else None
    found: list[JsonValue] = []
    for exchange in told if isinstance(told, list) else []:
        request = exchange.get("request") if isinstance(exchange, dict) else None
        inner = request.get("request", request) if isinstance(request, dict) else None
        if isinstance(inner, dict) and "intent" in inner:
            intent = inner["intent"]
            name = intent.get("name") if isinstance(intent, dict) else None
            found.append({"request": {"intent": {"name": name}}})
    return {"exchanges": found}
