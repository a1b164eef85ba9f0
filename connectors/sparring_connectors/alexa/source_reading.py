"""Static analysis of a skill's own source: unread slots, unsupported values, shared variables.

All of it is read by names and patterns, which needs no parser of each language. A skill with more
code than can be read has none of them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparring.errors import ConfigurationError
from sparring_connectors.alexa.interaction_model import Intent, InteractionModel
from sparring_connectors.alexa.shapes import texts
from sparring_connectors.alexa.skill_folder import Handler, files_below

_SUFFIXES = frozenset({".py", ".js", ".mjs", ".cjs", ".ts"})
_MOST_FILES = 200
_MOST_CHARACTERS = 1_500_000
_NAME = re.compile(r"[^\W\d][\w$]*")
_WORD = re.compile(r"[^\W_]+")
# Code that goes through all slots, or that has their names in variables, may read any of them.
_READS_ANY = re.compile(
    r"Object\s*\.\s*(?:keys|values|entries)\s*\(|JSON\s*\.\s*stringify\s*\(|json\.dumps\s*\("
    r"|getSlotValues|slots\s*\.\s*(?:items|values|keys|map|forEach|filter|reduce)\b|\.to_dict\s*\("
    r"|\bfor\b[^\n]{0,80}\b(?:in|of)\b[^\n]{0,80}[sS]lots\b"
    r"|[sS]lots\s*\[\s*[A-Za-z_$]|[sS]lots\s*\.\s*get\(\s*[A-Za-z_]"
    r"|(?:getSlot|getSlotValue|get_slot|get_slot_value)\s*\(\s*[\w.$]+\s*,\s*[A-Za-z_$]"
    r"|get_slot(?:_value)?\s*\([^)]*slot_name\s*=\s*[A-Za-z_]"
)
# What makes two equal sessions differ on purpose: chance, the time, what was stored, other hosts.
_VARIES = re.compile(
    r"\brandom|\bshuffle|\bDate\s*\(\s*\)|Date\.now|datetime|\btime\.|moment\s*\(|persist|[dD]ynamo"
    r"|[sS]3\b|\bfs\.write|open\s*\([^)]*['\"][wa]|https?\.|axios|fetch\s*\(|requests?\.(?:get|post)"
    r"|urlopen|sqlite|mongo|firebase|choice\s*\(",
    re.IGNORECASE,
)
_NODE_VARIABLE = re.compile(r"^(?:let|var)\s+([\w$]+)", re.MULTILINE)
_PYTHON_GLOBAL = re.compile(r"^[ \t]+global\s+([\w, \t]+)", re.MULTILINE)
# Comments tell of what code could do: "see the cookbook for session persistence, api calls".
_COMMENT = re.compile(
    r"/\*.*?\*/|^[ \t]*//[^\n]*|[ \t]//[^\n]*|^[ \t]*#[^\n]*|\"\"\".*?\"\"\"|'''.*?'''",
    re.DOTALL | re.MULTILINE,
)
# A list of values counts as one of the code's if it names two of them.
_FEWEST_NAMED = 2
# A turn names so many slots or variables: a skill of hundreds that are unread has one fault.
_MOST_NAMES = 20
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What is wrong with the source of a skill, as far as it can be read.

    `unread` are slots by intent that no code names, `unsupported` values by slot type that the
    model lists and the code leaves out although it names others of that type. `shared` are
    variables of the module that handlers change, of a skill in which nothing else makes two equal
    sessions differ.
    """

    unread: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    unsupported: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    shared: tuple[str, ...] = ()

    def of_turn(self, intent: Intent | None, values: Mapping[str, object]) -> dict[str, list[str]]:
        """Return the facts that matter for an intent with slot values: lists that are not empty.

        `unread` has the slots of all intents: code that reads none is one fault.
        """
        name = intent.name if intent is not None else ""
        unread = [f"{owner}.{slot}" for owner, slots in self.unread.items() for slot in slots]
        unsupported = [
            slot.name
            for slot in (intent.slots if intent is not None else ())
            for value in texts(values.get(slot.name))
            if value.casefold() in self.unsupported.get(slot.type, frozenset[str]())
        ]
        lists = {
            "unread": unread if name in self.unread else [],
            "unsupported": unsupported,
            "shared": list(self.shared),
        }
        return {key: names[:_MOST_NAMES] for key, names in lists.items() if names}


def read_source(handler: Handler | None, folder: Path, model: InteractionModel) -> SourceFacts:
    """Read the source files of a skill's handler; no facts if an endpoint answers."""
    if handler is None:
        return SourceFacts()
    sources: list[str] = []
    for source in _sources(handler, folder):
        if source is None:
            return SourceFacts()
        sources.append(source)
    text = "\n".join(sources)
    return SourceFacts(
        _unread_slots(text, model),
        _unsupported_values(text, model),
        # The first is the handler's own: helpers beside it, as for S3, are often never called.
        _shared_variables(_COMMENT.sub("", sources[0])),
    )


def _unread_slots(source: str, model: InteractionModel) -> Mapping[str, tuple[str, ...]]:
    """Return the slots, by intent, that a skill is about and its code never names.

    These are slots that the dialog model asks for, or that each sample has: others may only stand
    for words that make no difference ("show me {article} star"). Nothing is said of code that goes
    through all slots of an intent.
    """
    if _READS_ANY.search(source):
        return {}
    names = {name.casefold() for name in _NAME.findall(source)}
    found = {
        intent.name: tuple(
            slot.name
            for slot in intent.slots
            if slot.name.casefold() not in names and _is_its_subject(slot.name, intent, model)
        )
        for intent in model.intents.values()
        if not intent.is_builtin
    }
    return {intent: slots for intent, slots in found.items() if slots}


def _is_its_subject(slot: str, intent: Intent, model: InteractionModel) -> bool:
    """Whether an intent is of no use without a slot: it is asked for, or part of each sample."""
    plan = model.dialogs.get(intent.name)
    dialog = plan.slot(slot) if plan is not None else None
    if dialog is not None and dialog.elicited:
        return True
    place = re.compile(rf"\{{(?:[^{{}}|]*\|)?\s*{re.escape(slot)}\s*\}}")
    return bool(intent.samples) and all(place.search(sample) for sample in intent.samples)


def _unsupported_values(source: str, model: InteractionModel) -> Mapping[str, frozenset[str]]:
    """Return the values, by slot type, that the code leaves out although it names others."""
    names = _Names(source)
    found: dict[str, frozenset[str]] = {}
    for kind in model.types.values():
        left_out = [one for one in kind.entities if not names.any_of(one.name, *one.synonyms)]
        if not left_out or len(kind.entities) - len(left_out) < _FEWEST_NAMED:
            continue
        if any(len(one.name) < _SHORTEST for one in left_out):
            continue  # letters of an alphabet are not written out
        ids = (one.id for one in kind.entities if len(one.id) >= _SHORTEST)
        if not names.any_of(*ids):
            found[kind.name] = frozenset(one.name.casefold() for one in left_out)
    return found


class _Names:
    """The words of a source, to look phrases up in: a type may have thousands of values."""

    def __init__(self, source: str) -> None:
        parts = _WORD.findall(source.casefold())
        self._words = frozenset(parts)
        self._text = f" {' '.join(parts)} "

    def any_of(self, *phrases: str) -> bool:
        """Return whether the source has one of these phrases, whatever stands between words."""
        return any(self._has(_WORD.findall(phrase.casefold())) for phrase in phrases)

    def _has(self, parts: list[str]) -> bool:
        is_possible = bool(parts) and self._words.issuperset(parts)
        return is_possible and (len(parts) == 1 or f" {' '.join(parts)} " in self._text)


def _shared_variables(source: str) -> tuple[str, ...]:
    """Return the variables of a module that its functions change.

    Lambda keeps the module for the next session, which may be another user's. Nothing is said of
    code that uses chance, the time, a store or other hosts: two sessions may differ for these.
    """
    if _VARIES.search(source):
        return ()
    names = [name for name in _NODE_VARIABLE.findall(source) if _is_changed(name, source)]
    for listed in _PYTHON_GLOBAL.findall(source):
        names += [name for name in re.split(r"[,\s]+", listed) if name]
    return tuple(dict.fromkeys(names))


def _is_changed(name: str, source: str) -> bool:
    """Whether an indented line assigns to a variable that it does not declare itself."""
    assigns = rf"^[ \t]+(?:\+\+|--)?{re.escape(name)}\s*(?:[-+*/]?=(?!=)|\+\+|--|;)"
    declares = rf"^[ \t]+(?:let|var|const)\s+{re.escape(name)}\b"
    return bool(re.search(assigns, source, re.MULTILINE)) and not re.search(
        declares, source, re.MULTILINE
    )


def _sources(handler: Handler, folder: Path) -> Iterator[str | None]:
    """Yield the source files of a skill's own code; `None` if there is too much of it."""
    total = 0
    try:
        files = [path for path in files_below(folder) if path.suffix.lower() in _SUFFIXES]
    except ConfigurationError:
        files = []
    files = list(dict.fromkeys([handler.file, *files]))
    if len(files) > _MOST_FILES:
        yield None
        return
    for path in files:
        try:
            text = path.read_text(encoding="utf-8", errors="replace")
        except OSError:
            yield None
            return
        total += len(text)
        if total > _MOST_CHARACTERS:
            yield None
            return
        yield text
