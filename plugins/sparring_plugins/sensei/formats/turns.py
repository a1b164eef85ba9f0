"""The second and third document of a conversation: times, and who said what."""

import math
import re
from typing import Any, cast

from sparring.documents.checking import shown
from sparring.documents.reading import Key
from sparring_plugins.sensei.formats.forms import MISSING, Kept, UnexpectedForm, is_map, text_of
from sparring_plugins.sensei.formats.layout import response_report
from sparring_plugins.sensei.formats.unmapped_data import plain

_CLOCK = re.compile(r"(?:(\d{1,6}) days?, )?(\d{1,6}):(\d\d):(\d\d(?:\.\d+)?)")
_USER = frozenset({"user"})
_APP = frozenset({"assistant", "chatbot"})


def turns_of(talk: dict[Any, Any], kept: Kept) -> list[dict[str, Any]]:
    """The interaction as turns: a user's entry and the app's answer right after it."""
    raw = talk.get("interaction", MISSING)
    if raw is MISSING:
        raise UnexpectedForm("'interaction' is missing: who said what", 2)
    if raw is not None and not isinstance(raw, list):
        what = f"expected a list of what was said, found {shown(raw)}"
        raise UnexpectedForm(what, 2, ("interaction",))
    entries = cast("list[Any]", raw or [])
    turns: list[dict[str, Any]] = []
    asked = False
    for index, item in enumerate(entries):
        if not is_map(item) or not item:
            what = f"expected 'User' or 'Assistant' and what was said, found {shown(item)}"
            raise UnexpectedForm(what, 2, ("interaction", index))
        for speaker, said in item.items():
            if _is_user(speaker, index):
                turns.append({"act": {"kind": "say", "text": text_of(said)}, "observation": None})
                asked = True
                continue
            if not asked:
                turns.append({"act": {"kind": "listen"}})
            asked = False
            turns[-1]["observation"] = _observation(said)
    if raw is None or not all(map(_regular_entry, entries)):
        kept.replace("talk", "interaction", raw)
    return turns


def _regular_entry(entry: dict[Any, Any]) -> bool:
    if len(entry) != 1:
        return False
    ((speaker, said),) = entry.items()
    return type(said) is str and (speaker == "User" or speaker == "Assistant")


def _is_user(speaker: Any, index: int) -> bool:
    if speaker == "User":
        return True
    if speaker == "Assistant":
        return False
    name = speaker.strip().casefold() if isinstance(speaker, str) else speaker
    if name in _USER:
        return True
    if name not in _APP:
        what = f"expected 'User' or 'Assistant', found {shown(speaker)}"
        raise UnexpectedForm(what, 2, ("interaction", index))
    return False


def _observation(said: Any) -> dict[str, Any]:
    if isinstance(said, (list, dict)):
        return {"text": text_of(said), "payload": plain(said)}
    return {"text": said if type(said) is str else text_of(said)}


def set_times(times: dict[Any, Any], turns: list[dict[str, Any]], kept: Kept) -> float:
    """Set the turns' latencies; returns the conversation's duration, both in seconds."""
    duration, regular = 0.0, True
    raw = times.get("conversation time", MISSING)
    if raw is MISSING:
        kept.absent("times", "conversation time")
    elif raw is not None:
        duration = _seconds(raw, ("conversation time",))
    if type(raw) is not float and raw is not MISSING:
        kept.replace("times", "conversation time", raw)
    key = "assistant response time"
    latencies = times.get(key, MISSING)
    if latencies is not MISSING and latencies is not None and not isinstance(latencies, list):
        raise UnexpectedForm(f"expected a list of seconds, found {shown(latencies)}", 1, (key,))
    listed = cast("list[Any]", latencies) if isinstance(latencies, list) else []
    seconds = [_seconds(value, (key, index)) for index, value in enumerate(listed)]
    spoken = [turn for turn in turns if turn["act"]["kind"] == "say"]
    regular = len(seconds) == len(spoken) and all(type(value) is float for value in listed)
    if len(seconds) != len(spoken):
        answered = [turn for turn in turns if turn["observation"] is not None]
        spoken = answered if len(seconds) == len(answered) else turns
    for turn, latency in zip(spoken, seconds, strict=False):
        turn["latency_s"] = latency
    if latencies is MISSING:
        kept.absent("times", key)
    elif not regular or latencies is None:
        kept.replace("times", key, latencies)
    _keep_report(times, seconds if regular else [], kept)
    return duration


def _keep_report(times: dict[Any, Any], seconds: list[float], kept: Kept) -> None:
    key = "response time report"
    report = times.get(key, MISSING)
    if report is MISSING:
        kept.absent("times", key)
    elif report != response_report(seconds) or not all(
        type(value) is float for value in report.values()
    ):
        kept.replace("times", key, report)


def _seconds(value: Any, at: tuple[Key, ...]) -> float:
    """Seconds from a number, its text, or a clock as ``0:01:07.141398``."""
    if type(value) is float and math.isfinite(value):
        return value
    seconds = math.nan
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**12:
        seconds = float(value)
    elif isinstance(value, str):
        clock = _CLOCK.fullmatch(value.strip())
        if clock:
            days, hours, minutes = (int(part or 0) for part in clock.groups()[:3])
            seconds = ((days * 24 + hours) * 60 + minutes) * 60 + float(clock[4])
        else:
            seconds = _number(value)
    if not math.isfinite(seconds):
        raise UnexpectedForm(f"expected a time in seconds, found {shown(value)}", 1, at)
    return seconds


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan
