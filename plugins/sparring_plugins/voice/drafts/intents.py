"""The matters that an explored app deals with: what begins them, asks in them, and ends them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sparring_plugins.voice.behaviour.model import START, State
from sparring_plugins.voice.behaviour.names import input_key
from sparring_plugins.voice.drafts.explored_steps import Reader, Step
from sparring_plugins.voice.outputs.dialogue_acts import gist_of


@dataclass
class Matter:
    """Something that an app does for its users.

    `entry` is what begins it (empty where the app begins by itself), after `way`, the menus on the
    way. `slots` are the states that ask for a value, in order, `answers` what the app told when it
    was done, `said` what the user said in it. A matter without slots is a question that is answered
    at once.
    """

    entry: str
    way: tuple[str, ...] = ()
    slots: list[State] = field(default_factory=list[State])
    answers: list[str] = field(default_factory=list[str])
    said: list[str] = field(default_factory=list[str])
    done: bool = False


def matters_of(paths: Sequence[Sequence[Step]], reader: Reader) -> list[Matter]:
    """The matters of all conversations: those with equal slots or answers are one."""
    found: dict[str, Matter] = {}
    for path in paths:
        for matter in _matters(path, reader):
            key = _key(matter)
            known = found.get(key)
            if known is None:
                found[key] = matter
            else:
                _merge(known, matter)
    return _whole(list(found.values()))


def _matters(path: Sequence[Step], reader: Reader) -> Iterator[Matter]:
    """Cut a conversation where something new begins, and where something is done."""
    matter: Matter | None = None
    way: list[str] = []
    for step in path:
        if matter is not None and _belongs(step.source, reader):
            matter.said.append(step.text)
        else:
            if matter is not None:
                yield matter
            way = way if reader.is_menu(step.source) else []
            matter = Matter(entry=step.text, way=tuple(way))
        if step.target.confused:
            matter = matter if matter.slots else None
        elif reader.is_menu(step.target):
            if matter.slots or _informs(step):
                matter.answers.append(step.answer)
                yield replace(matter, done=True)
                way = []
            else:
                way = [*way, step.text] if step.source.id != START else []
            matter = None
        elif reader.is_slot(step.target):
            if step.target not in matter.slots:
                matter.slots.append(step.target)
        elif not reader.is_confirmation(step.target):
            matter.answers.append(step.answer)
            yield replace(matter, done=True)
            matter, way = None, []
    if matter is not None:
        yield matter


def _belongs(state: State, reader: Reader) -> bool:
    return reader.is_slot(state) or reader.is_confirmation(state) or state.confused


def _informs(step: Step) -> bool:
    """Whether an answer that ends with a menu tells something before."""
    return bool(step.source.id != START and gist_of(step.answer).tells)


def _key(matter: Matter) -> str:
    if matter.slots:
        return f"slots {matter.slots[0].id}"
    return f"entry {input_key(matter.entry)}"


def _merge(known: Matter, other: Matter) -> None:
    """Take what another conversation about the same matter tells more of it."""
    if (other.done, len(other.slots)) > (known.done, len(known.slots)):
        known.slots, known.said, known.done = other.slots, other.said, other.done
        known.entry, known.way = other.entry, other.way
    if other.done:
        known.answers = list(dict.fromkeys([*known.answers, *other.answers]))


def _whole(matters: Sequence[Matter]) -> list[Matter]:
    """The matters without those that are only a part of another, such as a correction."""
    parts = [{state.id for state in one.slots} for one in matters]
    return [
        one
        for at, one in enumerate(matters)
        if not parts[at] or not any(parts[at] < other for other in parts)
    ]
