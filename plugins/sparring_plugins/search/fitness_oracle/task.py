"""From a trace to what a fitness is given."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import JsonValue

from sparring.model.talk import Listen, Observation, Trace, Turn, act_text, meant_by
from sparring_plugins.search.roles.fitness import FitnessTask

_Map = Mapping[str, Any]


def task_of(trace: Trace) -> FitnessTask:
    """The task of any fitness for a trace.

    What the prompter leaves in `Trace.meta` is used where it is there; of any other player, the
    case's inputs are what is wanted.
    """
    meta: _Map = trace.meta
    said = [turn for turn in trace.turns if not isinstance(turn.act, Listen)]
    last = _last(said)
    observation = (last.observation if last else None) or Observation()
    features = _map(meta.get("features")) if "features" in meta else dict(trace.inputs)
    return FitnessTask(
        request=_request(meta, said),
        said=_text(meta.get("utterance")) or (act_text(said[0].act) if said else ""),
        answer=observation.text,
        payload=observation.payload,
        turns=trace.turns,
        incidents=trace.incidents,
        features=cast("dict[str, JsonValue]", features),
        labels={name: str(label) for name, label in _map(meta.get("labels")).items()},
        wanted=_wanted(meta, features),
        language=_text(meta.get("language")) or "English",
        seed=trace.case.seed,
    )


def _last(turns: list[Turn]) -> Turn | None:
    """The last turn with an answer, else the last one."""
    answered = [turn for turn in turns if turn.observation is not None]
    candidates = answered or turns
    return candidates[-1] if candidates else None


def _request(meta: _Map, said: list[Turn]) -> str:
    goals = meta.get("goals")
    if isinstance(goals, list) and len(said) != 1:
        return "; ".join(map(str, cast("list[Any]", goals)))
    return _text(meta.get("written")) or (meant_by(said[0].act) if said else "")


def _wanted(meta: _Map, features: _Map) -> dict[str, tuple[str, ...]]:
    if isinstance(meta.get("wanted"), dict):
        return {name: _texts(words) for name, words in _map(meta["wanted"]).items()}
    return {
        name: (str(value),)
        for name, value in features.items()
        if isinstance(value, (str, int, float)) and not isinstance(value, bool)
    }


def _texts(words: Any) -> tuple[str, ...]:
    return tuple(map(str, cast("list[Any]", words))) if isinstance(words, list) else (str(words),)


def _map(value: Any) -> dict[str, Any]:
    return dict(cast("dict[str, Any]", value)) if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
