"""What a skill's own source says without being run: slots that it never names."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sparring.errors import ConfigurationError
from sparring_connectors.alexa.interaction_model import Intent, InteractionModel
from sparring_connectors.alexa.skill_folder import Handler, files_below

_SUFFIXES = frozenset({".py", ".js", ".mjs", ".cjs", ".ts"})
_MOST_FILES = 200
_MOST_CHARACTERS = 1_500_000
_NAME = re.compile(r"[^\W\d][\w$]*")
# Code that goes through all slots, or that has their names in variables, may read any of them.
_READS_ANY = re.compile(
    r"Object\s*\.\s*(?:keys|values|entries)\s*\(|JSON\s*\.\s*stringify\s*\(|json\.dumps\s*\("
    r"|getSlotValues|slots\s*\.\s*(?:items|values|keys|map|forEach|filter|reduce)\b|\.to_dict\s*\("
    r"|\bfor\b[^\n]{0,80}\b(?:in|of)\b[^\n]{0,80}[sS]lots\b"
    r"|[sS]lots\s*\[\s*[A-Za-z_$]|[sS]lots\s*\.\s*get\(\s*[A-Za-z_]"
    r"|(?:getSlot|getSlotValue|get_slot|get_slot_value)\s*\(\s*[\w.$]+\s*,\s*[A-Za-z_$]"
    r"|get_slot(?:_value)?\s*\([^)]*slot_name\s*=\s*[A-Za-z_]"
)


def unread_slots(
    handler: Handler | None, folder: Path, model: InteractionModel
) -> Mapping[str, tuple[str, ...]]:
    """Return the slots, by intent, that a skill is about and its code never names.

    These are slots that the dialog model asks for, or that each sample has: others may only stand
    for words that make no difference ("show me {article} star"). Nothing is said of code that goes
    through all slots of an intent, or that is too long to read.
    """
    if handler is None or not any(intent.slots for intent in model.intents.values()):
        return {}
    names: set[str] = set()
    for source in _sources(handler, folder):
        if source is None or _READS_ANY.search(source):
            return {}
        names |= {name.casefold() for name in _NAME.findall(source)}
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
