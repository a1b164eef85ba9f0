"""Keys and combinations of keys, by the names that browsers give them."""

import re
from typing import Final

from sparring_plugins.web.grammar.words.tokens import Tokens

_KEYS: Final[dict[str, str]] = {
    "enter": "Enter", "return": "Enter", "tab": "Tab", "esc": "Escape", "escape": "Escape",
    "space": "Space", "spacebar": "Space", "space bar": "Space", "backspace": "Backspace",
    "delete": "Delete", "del": "Delete", "insert": "Insert", "home": "Home", "end": "End",
    "page up": "PageUp", "pageup": "PageUp", "pgup": "PageUp", "page down": "PageDown",
    "pagedown": "PageDown", "pgdn": "PageDown", "pgdown": "PageDown", "page-up": "PageUp",
    "page-down": "PageDown", "carriage return": "Enter",
} | {f"f{n}": f"F{n}" for n in range(1, 13)} | {
    form: f"Arrow{way.capitalize()}"
    for way in ("up", "down", "left", "right")
    for form in (f"arrow {way}", f"{way} arrow", f"arrow{way}", f"{way}arrow", f"cursor {way}",
                 f"arrow-{way}", f"{way}-arrow")
}  # fmt: skip
_WAYS = {way: f"Arrow{way.capitalize()}" for way in ("up", "down", "left", "right")}
_MODIFIERS: Final[dict[str, str]] = {
    "ctrl": "Control", "control": "Control", "strg": "Control", "ctl": "Control", "shift": "Shift",
    "alt": "Alt", "option": "Alt", "meta": "Meta", "cmd": "Meta", "command": "Meta",
    "windows": "Meta", "win": "Meta", "controlormeta": "ControlOrMeta",
}  # fmt: skip
#: Keys whose names are on buttons as often.
ON_BUTTONS: Final = frozenset({"Delete", "Home", "End", "Insert"})
_JOINTS = re.compile(r"\s*\+\s*|\s+plus\s+|\s+and\s+|(?<=\w)-(?=\w)|\s+")


def key(words: str) -> str | None:
    """The key or combination that words name, as ``Enter`` or ``Control+A``; None if none."""
    said = " ".join(words.casefold().replace("’", "'").split())
    if len(said) > 60:
        return None
    if said in _KEYS:
        return _KEYS[said]
    parts = [part for part in _JOINTS.split(said) if part and part not in ("key", "the", "+")]
    if len(parts) < 2 or parts[0] not in _MODIFIERS:
        return None
    held = [_MODIFIERS[part] for part in parts if part in _MODIFIERS]
    rest = " ".join(part for part in parts if part not in _MODIFIERS)
    last = _KEYS.get(rest) or _WAYS.get(rest) or (rest.upper() if len(rest) == 1 else None)
    return "+".join([*dict.fromkeys(held), last]) if last else None


def single(words: str, *, named: bool) -> str | None:
    """As `key`, with single characters and, where the word "key" stands beside, bare ways."""
    found = key(words)
    if found:
        return found
    said = words.strip()
    if named and said.casefold() in _WAYS:
        return _WAYS[said.casefold()]
    if named and said.casefold() in _MODIFIERS:
        return _MODIFIERS[said.casefold()]
    return said if len(said) == 1 else None


def words_of(tokens: Tokens) -> str:
    """The tokens of a combination as one text: ``'Ctrl' + 'A'`` is ``Ctrl + A``."""
    return " ".join(token.text for token in tokens)
