"""What a skill's own source says without being run: slots, values, and variables.

All of it is read by names and patterns, which needs no parser of each language. Nothing is said of
a skill with more code than can be read.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparring.errors import ConfigurationError
from sparring_connectors.alexa.interaction_model import Intent, InteractionModel
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


def read_source(handler: Handler | None, folder: Path, model: InteractionModel) -> SourceFacts:
    """Read what the source of a skill's handler says; nothing if an endpoint answers."""
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
    bare = _bare(source)
    found: dict[str, frozenset[str]] = {}
    for kind in model.types.values():
        left_out = [one for one in kind.entities if not _names(bare, (one.name, *one.synonyms))]
        if any(len(one.name) < _SHORTEST for one in left_out):
            continue  # letters of an alphabet are not written out
        by_id = any(len(one.id) >= _SHORTEST and _names(bare, (one.id,)) for one in kind.entities)
        named = len(kind.entities) - len(left_out)
        if left_out and not by_id and named >= _FEWEST_NAMED:
            found[kind.name] = frozenset(one.name.casefold() for one in left_out)
    return found


def _bare(text: str) -> str:
    """Return words alone, in lower case, a space before and after each."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _names(source: str, names: tuple[str, ...]) -> bool:
    return any(_bare(name) in source for name in names if name.strip())


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
