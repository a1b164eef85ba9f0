"""What of a skill a conversation reached: collected turn by turn, told at the end."""

from collections.abc import Iterator
from pathlib import Path

from sparring.model.facts import LINES, AppFacts, Parts, line_ranges
from sparring_connectors.alexa.assistant.turn import Exchange, TurnRecord
from sparring_connectors.alexa.coverage.handlers import handlers_of
from sparring_connectors.alexa.hosting.line_record import FileLines, LineRecord
from sparring_connectors.alexa.shapes import mapping, text
from sparring_connectors.alexa.skill.installed import InstalledSkill

_MOST_BYTES = 4_000_000


class Reached:
    """Notes what each turn reached of one skill."""

    def __init__(self, skill: InstalledSkill, *, parts: bool) -> None:
        self._skill = skill
        self._parts = parts
        self._intents: dict[str, None] = {}
        self._slots: dict[str, None] = {}
        self._samples: dict[str, None] = {}

    def note(self, turn: TurnRecord) -> None:
        """Take in a turn, also one that failed."""
        if not self._parts:
            return
        understood = turn.understood
        for exchange in turn.exchanges:
            name = self._requested(exchange)
            if name and understood and understood.intent == name and understood.sample:
                self._samples.setdefault(_sample(name, understood.sample))

    def _requested(self, exchange: Exchange) -> str:
        """The intent that the skill was asked for; empty where it is none of it."""
        if exchange.skill != self._skill.name:
            return ""
        intent = mapping(mapping(exchange.request.get("request")).get("intent"))
        name = text(intent.get("name"))
        if name not in self._skill.model.intents:
            return ""
        self._intents.setdefault(name)
        for slot, found in mapping(intent.get("slots")).items():
            if mapping(found).get("value") is not None or mapping(found).get("slotValue"):
                self._slots.setdefault(f"{name}.{slot}")
        return name

    def facts(self, lines: LineRecord | None) -> AppFacts:
        """What is known of the skill, and what of it was reached."""
        manifest = self._skill.manifest
        return AppFacts(
            name=self._skill.name,
            category=manifest.category,
            permissions=manifest.permissions,
            parts=tuple(self._all(lines)),
            notes=tuple(lines.notes) if lines else (),
        )

    def _all(self, lines: LineRecord | None) -> Iterator[Parts]:
        if not self._parts:
            return
        intents = self._skill.model.intents.values()
        slots = [f"{intent.name}.{slot.name}" for intent in intents for slot in intent.slots]
        own = (intent for intent in intents if not intent.is_builtin)  # others are Amazon's phrases
        samples = [_sample(intent.name, said) for intent in own for said in intent.samples]
        yield _parts("intents", self._intents, list(self._skill.model.intents))
        yield _parts("slots", self._slots, slots)
        yield _parts("samples", self._samples, samples)
        if lines is not None and lines.files:
            yield from _of_lines(lines)


def _parts(kind: str, reached: dict[str, None], whole: list[str]) -> Parts:
    known = dict.fromkeys(whole)
    return Parts(
        kind=kind, reached=tuple(one for one in known if one in reached), whole=tuple(known)
    )


def _sample(intent: str, said: str) -> str:
    return f"{intent}: {' '.join(said.split())}"


def _of_lines(lines: LineRecord) -> Iterator[Parts]:
    files = sorted(lines.files.items())
    handlers: dict[str, None] = {}
    entered: dict[str, None] = {}
    for name, file in files:
        for place in handlers_of(name, _source(Path(lines.folder) / name)):
            handlers.setdefault(place.name)
            if _entered(file, place.first, place.last):
                entered.setdefault(place.name)
    yield _parts("handlers", entered, list(handlers))
    yield Parts(
        kind=LINES,
        reached=tuple(line_ranges(name, file.ran) for name, file in files),
        whole=tuple(line_ranges(name, file.whole) for name, file in files),
    )


def _entered(file: FileLines, first: int, last: int) -> bool:
    return any(first <= line <= last for line in file.ran)


def _source(path: Path) -> str:
    try:
        if path.stat().st_size > _MOST_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return ""
