"""The evidence of goals that a profile names: what was said, outputs, the app's end state."""

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import isawaitable
from typing import Any

from pydantic import JsonValue

from sparring.errors import ConfigurationError, Problem
from sparring.model.talk import Listen, Output, Turn, meant_by
from sparring_plugins.language.text import folded
from sparring_plugins.users.agenda.state.value_matching import says_value
from sparring_plugins.users.profiles.goals import filled_text
from sparring_plugins.users.profiles.profile import Evidence

TIMEOUT_S = 10.0
LARGEST = 20_000_000
"""Bytes of an end state at most."""


class UnreadableState(Exception):
    """The app's end state cannot be had."""


async def read_state(place: str) -> JsonValue:
    """Return the app's end state from an address, or from a function ``package.module:name``.

    Raises UnreadableState.
    """
    if "://" not in place:
        return await _call(place)
    import httpx

    try:
        async with httpx.AsyncClient(timeout=TIMEOUT_S) as client:
            reply = await client.get(place)
            reply.raise_for_status()
            if len(reply.content) > LARGEST:
                raise UnreadableState(f"the state at {place} is larger than {LARGEST:,} bytes")
            state: JsonValue = reply.json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as err:
        raise UnreadableState(f"the state at {place} cannot be read: {err}") from err
    return state


async def _call(place: str) -> JsonValue:
    module, _, name = place.partition(":")
    try:
        function: Callable[[], JsonValue | Awaitable[JsonValue]] = getattr(
            import_module(module), name
        )
        state = function()
        # a function of the author may be plain or asynchronous
        value = await state if isawaitable(state) else state
        plain: JsonValue = json.loads(json.dumps(value, default=str))
    except Exception as err:
        raise UnreadableState(f"the state of {place} cannot be read: {err!r}") from err
    return plain


def check_place(place: str) -> None:
    """Raise ConfigurationError if a place is no address and no function."""
    if "://" in place or (":" in place and all(place.partition(":"))):
        return
    raise ConfigurationError(
        Problem(f"state: expected an address or package.module:function, found {place!r}")
    )


@dataclass(frozen=True, slots=True)
class EvidenceCheck:
    """What the evidence says of goals: their indexes, whether it holds, and what lacks if not."""

    goals: tuple[int, ...]
    holds: bool
    lacks: str = ""
    agreed: bool = False
    """Whether each text or number that the end state lacks was said in the conversation."""


def check_evidence(
    evidence: Evidence,
    *,
    goals: int,
    values: Mapping[str, JsonValue],
    turns: Sequence[Turn],
    outputs: Sequence[Output],
    state: JsonValue,
) -> EvidenceCheck:
    """Return whether one piece of evidence holds, with what lacks of it."""
    indexes = tuple(number - 1 for number in evidence.goals) or tuple(range(goals))
    phrase = filled_text(evidence.says, values)
    if phrase and not _is_said(phrase, turns):
        return EvidenceCheck(indexes, holds=False, lacks=f'the app never said "{phrase}"')
    if evidence.output and not any(
        output.name == evidence.output and output.value is not None for output in outputs
    ):
        return EvidenceCheck(indexes, holds=False, lacks=f"{evidence.output} has no value")
    wanted = _fill_state(evidence.state, values)
    if wanted is not None and not contains_state(wanted, state):
        text = json.dumps(wanted, ensure_ascii=False)
        return EvidenceCheck(
            indexes, False, f"the app's end state has no {text}", _was_agreed(wanted, turns)
        )
    return EvidenceCheck(indexes, holds=True)


def met_goals(claimed: Iterable[int], checks: Sequence[EvidenceCheck]) -> set[int]:
    """Return the goals that are met: claimed or proven ones without those that lack evidence."""
    # evidence decides in both directions: it proves what nobody claimed
    proven = {index for check in checks if check.holds for index in check.goals}
    lacking = {index for check in checks if not check.holds for index in check.goals}
    return {*claimed, *proven} - lacking


def _is_said(phrase: str, turns: Sequence[Turn]) -> bool:
    """Whether the app answers with a phrase; ``*`` in it stands for any text."""
    parts = [folded(part) for part in phrase.split("*") if folded(part)]
    spoken = [turn for turn in turns if not isinstance(turn.act, Listen)]
    return any(
        _in_order(parts, folded(turn.observation.text)) for turn in spoken if turn.observation
    )


def _in_order(parts: Sequence[str], text: str) -> bool:
    place = 0
    for part in parts:
        start = text.find(part, place)
        if start < 0:
            return False
        place = start + len(part)
    return True


def _fill_state(wanted: JsonValue, values: Mapping[str, JsonValue]) -> JsonValue:
    """The wanted state with the values of variables in the holes of its texts."""
    if isinstance(wanted, str):
        return filled_text(wanted, values)
    if isinstance(wanted, list):
        return [_fill_state(item, values) for item in wanted]
    if isinstance(wanted, dict):
        return {key: _fill_state(item, values) for key, item in wanted.items()}
    return wanted


def contains_state(wanted: JsonValue, state: JsonValue) -> bool:
    """Whether a state contains all that is wanted.

    Maps may have more keys, lists more items; texts agree but for case, and with numbers as
    written: "2" is 2.
    """
    if isinstance(wanted, dict):
        return isinstance(state, dict) and all(
            key in state and contains_state(item, state[key]) for key, item in wanted.items()
        )
    if isinstance(wanted, list):
        # {"A-1": {...}, "A-2": {...}} is a list of bookings by their numbers
        rows = list(state.values()) if isinstance(state, dict) else state
        return isinstance(rows, list) and all(
            any(contains_state(item, row) for row in rows) for item in wanted
        )
    if isinstance(wanted, bool) or isinstance(state, bool) or wanted is None:
        return wanted == state
    return isinstance(state, (str, int, float)) and folded(str(wanted)) == folded(str(state))


def _was_agreed(wanted: JsonValue, turns: Sequence[Turn]) -> bool:
    """Whether user or app said each text and number of a wanted state, and it has one at all.

    Only then is another end state the app's doing: what nobody spoke of, the user forgot.
    """
    said = [folded(meant_by(turn.act)) for turn in turns if not isinstance(turn.act, Listen)]
    said += [folded(turn.observation.text) for turn in turns if turn.observation]
    leaves: list[Any] = []
    _add_leaves(wanted, leaves)
    if any(isinstance(leaf, bool) or leaf is None for leaf in leaves):
        return False  # "insured: true" is no word that anybody says
    return bool(leaves) and all(
        any(says_value(text, str(leaf)) for text in said) for leaf in leaves
    )


def _add_leaves(wanted: JsonValue, leaves: list[Any]) -> None:
    if isinstance(wanted, dict):
        for item in wanted.values():
            _add_leaves(item, leaves)
    elif isinstance(wanted, list):
        for item in wanted:
            _add_leaves(item, leaves)
    else:
        leaves.append(wanted)
