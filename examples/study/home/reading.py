"""From what was said to changes of the house: part by part, each going on from the one before."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from studykit.lexicon import lexicon_beside
from studykit.words import NUMBER_WORDS, Mending, plain, with_digits

from home.house import COLDEST, DOWNSTAIRS, ROOMS, UPSTAIRS, WARMEST, Change

_WORDS: dict[str, Any] = lexicon_beside(__file__)
_TOKEN = re.compile(r"\d+|[a-z]+|[.!?;,:]|%")
_HESITATION = re.compile(r",? *\b(?:u+m+|uh|erm?|hm+)\b,?")
_PARTS = re.compile(r" *(?:[.!?;:,]|\b(?:and|then|so)\b) *")
_AFTER = re.compile(
    r"\b(?:(?:in|after|within) (\d{1,3}) minutes?|(\d{1,3}) minutes? (?:from now|later))\b"
)
_BESIDES = re.compile(r"\b(?:but|except|besides|apart from)(?: for)?(?: not)?(?: in)? (?:the )?$")
_PERCENT = re.compile(r"\b(\d{1,3}) (?:percent|%)")
_DEGREES = re.compile(r"\b(\d{1,2}) degrees?\b")
_STEP = re.compile(r"\b(?:step|speed|level) (?:to )?(\d)\b")
_BARE = re.compile(r"\b(?:to|at|on) (\d{1,3})\b")
_NO = re.compile(r"^(?:no|oh no|sorry|i mean|or rather|scratch that)\b")
_ASKS = re.compile(r"^(?:is(?! it possible)|are|what|which|how|why(?! do not you))\b")
_NOT = re.compile(r"\b(?:not|never)\b(?! you)")
_EXCEPT = re.compile(r"^(?:but |just |only )?not (?:in )?(?:the )?[a-z ]+$")
STEPS = 4


@dataclass(frozen=True, slots=True)
class Heard:
    """What one part of an utterance says; None or nothing where it says nothing of it."""

    device: str | None = None
    rooms: tuple[str, ...] = ()
    share: float | None = None
    after: int | None = None
    mood: str | None = None

    def going_on(self, earlier: "Heard") -> "Heard":
        """This part with what it leaves open taken from the one before, but for the share."""
        return replace(
            self,
            device=self.device or earlier.device,
            rooms=self.rooms or earlier.rooms,
            after=earlier.after if self.after is None else self.after,
            mood=self.mood or earlier.mood,
        )

    def change(self, share: float) -> Change:
        """The change that is meant; in the living room, where none is named."""
        assert self.device is not None
        return Change(self.device, self.rooms or ROOMS[1:2], share, self.after or 0)


@dataclass(slots=True)
class Understood:
    """What an utterance asks for; `missing` is what must be asked back."""

    changes: list[Change] = field(default_factory=list[Change])
    asked: bool = False
    missing: str | None = None

    @property
    def intent(self) -> str:
        """One of command, status, and unknown."""
        if self.asked:
            return "status"
        return "command" if self.changes else "unknown"


def understand(text: str, shares: Mapping[tuple[str, str], float]) -> Understood:
    """Read an utterance in a house where devices are on as far as `shares` says."""
    reader = _Reader()
    for part in _parts(words_of(text)):
        reader.take(part)
    return reader.settled(shares)


class _Reader:
    """Takes an utterance part by part."""

    def __init__(self) -> None:
        self.found = Understood()
        self.so_far = Heard()
        self.waiting: float | None = None
        self.undone: Change | None = None

    def take(self, part: str) -> None:
        """Take a part: what it says, and what it takes back."""
        changes = self.found.changes
        if _NO.match(part) and changes:
            self.undone = changes.pop()
        heard = _heard(part, self.so_far.device)
        self.found.asked |= _ASKS.match(part) is not None
        if _EXCEPT.match(part) and heard.rooms:
            self._leave_out(heard.rooms)
            return
        share = None if _NOT.search(part) else heard.share
        self.so_far = heard.going_on(self.so_far)
        if share is None and self.undone is not None and heard.rooms:
            share, self.undone = self.undone.share, None
        if share is None and self.waiting is not None and heard.device:
            share, self.waiting = self.waiting, None
        if share is None:
            self._spread(heard)
        elif self.so_far.device is None:
            self.waiting = share
        else:
            changes.append(self.so_far.change(share))

    def _leave_out(self, rooms: tuple[str, ...]) -> None:
        def others(named: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(room for room in named if room not in rooms)

        self.so_far = replace(self.so_far, rooms=others(self.so_far.rooms))
        if self.found.changes:
            last = self.found.changes.pop()
            self.found.changes.append(replace(last, rooms=others(last.rooms)))

    def _spread(self, heard: Heard) -> None:
        """A part that only names a room, or a time, belongs to the change before it."""
        changes = self.found.changes
        if not changes or heard.device is not None:
            return
        if heard.rooms:
            changes.append(replace(changes[-1], rooms=heard.rooms))
        elif heard.after is not None:
            changes[-1] = replace(changes[-1], after=heard.after)

    def settled(self, shares: Mapping[tuple[str, str], float]) -> Understood:
        """What is meant in the end: a mood counts where nothing was told to do."""
        found, so_far = self.found, self.so_far
        if not found.changes and so_far.mood is not None and so_far.device is None:
            device, by = _WORDS["moods"][so_far.mood]
            room = (so_far.rooms or ROOMS[1:2])[0]
            share = min(100.0, max(0.0, shares[device, room] + by))
            found.changes.append(replace(so_far, device=device).change(share))
        if not found.changes:
            if self.waiting is not None:
                found.missing = "device"
            elif so_far.device is not None:
                found.missing = "value"
        return found


def words_of(text: str) -> str:
    """The words of an utterance, its marks kept."""
    tokens = _TOKEN.findall(_HESITATION.sub("", plain(text)))
    mended = with_digits([one if not one.isalpha() else _mending().mend(one) for one in tokens])
    joined = " ".join(mended).replace("a 100", "100").replace("a hundred", "100")
    joined = re.sub(r"\bhalf an hour\b", "30 minutes", joined)
    return re.sub(r"\ban hour\b", "60 minutes", joined)


def _parts(words: str) -> Iterator[str]:
    return (one for one in _PARTS.split(words) if one)


def _heard(part: str, known: str | None) -> Heard:
    timed = _AFTER.search(part)
    rest = _AFTER.sub(" ", part)
    device = _device(rest)
    return Heard(
        device=device,
        rooms=_rooms(rest),
        share=_share(rest, device or known),
        after=int(timed[1] or timed[2]) if timed else None,
        mood=next((word for word in _WORDS["moods"] if _has(rest, [word])), None),
    )


def _device(part: str) -> str | None:
    return next((d for d, words in _WORDS["devices"].items() if _has(part, words)), None)


def _rooms(part: str) -> tuple[str, ...]:
    """The rooms that are named, without those that are left out."""
    named: list[str] = []
    besides: list[str] = []
    for room, words in _WORDS["rooms"].items():
        found = re.search(rf"\b(?:{'|'.join(words)})\b", part)
        if found:
            (besides if _BESIDES.search(part[: found.start()]) else named).append(room)
    for name, floor in (("everywhere", ROOMS), ("upstairs", UPSTAIRS), ("downstairs", DOWNSTAIRS)):
        if _has(part, _WORDS[name]):
            named += floor
    return tuple(room for room in ROOMS if room in named and room not in besides)


def _share(part: str, device: str | None) -> float | None:
    """How far a device shall be on, in percent."""
    if found := _PERCENT.search(part):
        return float(min(100, int(found[1])))
    if found := _DEGREES.search(part):
        return _of_degrees(int(found[1]))
    if found := _STEP.search(part):
        return min(100.0, int(found[1]) * 100 / STEPS)
    for share in (75, 25, 50):
        if _has(part, _WORDS["fractions"][share]):
            return float(share)
    if found := _BARE.search(part):
        number = int(found[1])
        if device == "heating":
            return _of_degrees(number)
        return number * 100 / STEPS if device == "fan" and number <= STEPS else float(number)
    return next((float(s) for s, words in _WORDS["switched"].items() if _has(part, words)), None)


def _of_degrees(degrees: int) -> float:
    return min(100.0, max(0.0, (degrees - COLDEST) * 100 / (WARMEST - COLDEST)))


def _has(part: str, words: list[str]) -> bool:
    return re.search(rf"\b(?:{'|'.join(words)})\b", part) is not None


@cache
def _mending() -> Mending:
    groups = [*_WORDS["devices"].values(), *_WORDS["rooms"].values(),
              *_WORDS["switched"].values(), *_WORDS["fractions"].values(),
              _WORDS["everywhere"], _WORDS["upstairs"], _WORDS["downstairs"],
              list(_WORDS["moods"])]  # fmt: skip
    known = {word for group in groups for one in group for word in one.split()}
    units = {"percent", "degrees", "minutes", "speed", "step", "except", "hour"}
    return Mending({*known, *units, *NUMBER_WORDS}, _WORDS["common"])
