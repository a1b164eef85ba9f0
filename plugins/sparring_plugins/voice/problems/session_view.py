"""A session as an oracle hears it: who spoke, what the app itself said, who ended it."""

import re
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from sparring.model.talk import Incident, IncidentKind, Listen, Trace, Turn, act_text
from sparring.model.verdict import Owner
from sparring_plugins.voice.problems.words import words

Speaker = Literal["skill", "platform", "nobody"]

_ALTERNATIVES = "|".join(words().opening)
_OPENS = re.compile(
    rf"^(?:alexa )?(?:please )?(?:{_ALTERNATIVES}) (?:the |my )?(?P<name>.+?)"
    r"(?: (?:to|for|about|and|if|when|what|how|where|who|whether) .*)?$"
)


def plain_words(text: str) -> str:
    """`text` in lower case, words alone."""
    return " ".join(re.findall(r"[^\W_]+", text.replace("'", "").replace("\u2019", "").casefold()))


@dataclass(frozen=True)
class Heard:
    """One turn. `output` is what the app under test said itself, without the platform's words.

    `ended_by` says who ended a session in this turn, where one ended; `failure` how the app
    failed; `skill` which app is open, or was opened. `foreign` says of an app that was opened
    whether it is another one than the app under test, where that is known. `state` is where the
    app was before, `reached` where it is now. What the connector does not tell is taken from the
    observation: then `told` is false.
    """

    turn: int
    said: str
    output: str
    speaker: Speaker
    platform: str = ""
    ended_by: str | None = None
    reason: str = ""
    open: bool = False
    skill: str = ""
    foreign: bool | None = None
    failure: str = ""
    told: bool = False
    state: str = ""
    reached: str = ""

    @property
    def stops(self) -> bool:
        """Whether the user told the app to stop, in so many words."""
        return plain_words(self.said) in words().stops

    @property
    def leaves(self) -> bool:
        """Whether the user takes leave, so that an end is what is wanted."""
        said = plain_words(self.said)
        return self.stops or said in words().platform_stops or said in words().leaves

    @property
    def opens(self) -> str | None:
        """The name of the app that the user asks the platform for, where it does."""
        found = _OPENS.match(plain_words(self.said))
        return found["name"] if found else None


_FAILURES = frozenset({IncidentKind.CRASH, IncidentKind.TIMEOUT, IncidentKind.PROTOCOL})
"""How an app fails; a goal that was not reached, or a loop, is no exit from the session."""


def heard(trace: Trace) -> list[Heard]:
    """Return the turns of a trace as they were heard.

    A turn without an answer that the app is not to blame for was not heard at all: after "open tea
    corner", a connector that breaks must not look like a skill that cannot be started.
    """
    states = _states(trace)
    failed = next((one for one in trace.incidents if _is_failure(one)), None)
    found: list[Heard] = []
    for number, turn in enumerate(trace.turns):
        if turn.observation is None and failed is None:
            continue
        before = states[number - 1] if number and number - 1 < len(states) else ""
        reached = states[number] if number < len(states) else ""
        found.append(replace(_of(number, turn, before), reached=reached))
    if failed is not None and found and not found[-1].failure:
        found[-1] = replace(found[-1], failure=failed.message, ended_by="platform")
    return found


def _is_failure(incident: Incident) -> bool:
    return incident.owner is Owner.APP and incident.kind in _FAILURES


def _of(number: int, turn: Turn, state: str) -> Heard:
    said = act_text(turn.act)
    observation = turn.observation
    if observation is None:
        return Heard(number, said, "", "nobody", state=state)
    data = observation.payload
    if not isinstance(data, dict) or "speaker" not in data:
        return Heard(
            number,
            said,
            observation.text,
            "skill" if observation.text else "nobody",
            ended_by="skill" if observation.ended else None,
            open=not observation.ended,
            state=state,
        )
    own, others = _texts(data.get("spoken"))
    return Heard(
        turn=number,
        said=said,
        output=own,
        speaker=_speaker(data.get("speaker")),
        platform=others,
        ended_by=_text(data.get("ended_by")) or None,
        reason=_text(data.get("reason")),
        open=data.get("session") == "open",
        skill=_text(data.get("opened")) or _text(data.get("skill")),
        foreign=_foreign(data.get("tested")),
        failure=_text(data.get("failure")),
        told=True,
        state=state,
    )


def _texts(spoken: Any) -> tuple[str, str]:
    own: list[str] = []
    others: list[str] = []
    listed = cast("list[Any]", spoken) if isinstance(spoken, list) else []
    for one in listed:
        if isinstance(one, dict):
            said = cast("dict[str, Any]", one)
            (own if said.get("by") == "skill" else others).append(_text(said.get("text")))
    return " ".join(own), " ".join(others)


def _speaker(value: Any) -> Speaker:
    return value if value in ("skill", "platform") else "nobody"


def _foreign(tested: Any) -> bool | None:
    return not tested if isinstance(tested, bool) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _states(trace: Trace) -> list[str]:
    """The state that each turn led to, where the player says so.

    A player need not tell of a turn in which it only listened: then its state is empty.
    """
    steps = trace.meta.get("steps")
    listed = steps if isinstance(steps, list) else []
    told = [one for one in listed if isinstance(one, dict)]
    found: list[str] = []
    for turn in trace.turns:
        silent = isinstance(turn.act, Listen)
        if silent and not (told and told[0].get("input") == ""):
            found.append("")
        else:
            found.append(str(told.pop(0).get("state", "")) if told else "")
    return found
