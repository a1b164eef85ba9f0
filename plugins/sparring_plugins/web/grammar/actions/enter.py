"""Steps that enter texts: ``Type in 'v' in the field 'f'``, ``Fill the field 'f' with 'v'``."""

from dataclasses import dataclass

from sparring_plugins.web.grammar.phrases.forms import (
    Alternatives,
    Match,
    Plan,
    coordinated,
    form,
    one,
    read_value,
)
from sparring_plugins.web.grammar.phrases.nouns import DETERMINERS, said
from sparring_plugins.web.grammar.phrases.places import read_place
from sparring_plugins.web.grammar.phrases.targets import is_both, read_targets
from sparring_plugins.web.grammar.words.control_nouns import BOXES, LISTS, TEXTS, beginning
from sparring_plugins.web.grammar.words.tokens import Token, Tokens, trimmed
from sparring_plugins.web.grammar.words.vocabulary import words
from sparring_plugins.web.roles.step import StepAction, Target

_PLAIN = words(
    "following number date code amount letter letters characters query keyword digits data"
    "info information input numbers only just something new valid invalid wrong correct"
    "random"
)
_NOT_IN_LABELS = words(
    "that which starts ends starting ending than between in into to on onto inside within for"
    "at from with by using"
)


@dataclass(frozen=True)
class Entry:
    """A value, and the words that say whose value it is."""

    label: Tokens
    value: str


@form(
    "Enter a value for what the words before it name",
    "<fill> [the] [<form>] with|using|: {entries}",
    "<fill> [the] [<form>] [with|using|:] the_following|following_values [:] {entries}",
    "<enter> {entries} <into> {target}",
    "<enter> {entries}",
    "<type> {entries} <into> {target}",
    "<type> {entries}",
    examples=(
        'Enter the username "ada" and the password "secret" and press login',
        'Enter the password "secret" into both text fields and press submit.',
        "Type the email 'ada@example.com'",
    ),
)
def _labelled(match: Match) -> Plan | None:
    entries = _entries(match.part("entries"))
    if not entries or not all(entry.label for entry in entries):
        return None
    action = _action(match)
    if not match.has("target"):
        return tuple(one(action, _by_label(entry), entry.value) for entry in entries)
    return _into_fields(match, action, entries)


def _entries(tokens: Tokens) -> list[Entry]:
    """``the username "a" and the password "b"``."""
    found: list[Entry] = []
    for part in coordinated(tokens):
        words = [t for n, t in enumerate(part) if not t.quoted and not _is_colon(part, n)]
        quotes = [t for t in part if t.quoted]
        marked = any(t.kind == "mark" or t.low in _NOT_IN_LABELS for t in words)
        if len(quotes) != 1 or not part[-1].quoted or marked:
            return []
        label = [t for t in words if t.low not in DETERMINERS]
        while label and label[-1].low in ("is", "as", "of", "to"):
            label = label[:-1]
        plain = all(beginning([t.low], TEXTS) or t.low in _PLAIN for t in label)
        names_field = bool(label) and label[-1].low == "name"
        found.append(Entry(() if plain and not names_field else label, quotes[0].text))
    return found


def _is_colon(part: Tokens, at: int) -> bool:
    """Whether it is the colon of ``name: "a"``."""
    return part[at].mark in (":", "=") and at + 2 == len(part)


def _by_label(entry: Entry) -> tuple[Target, ...]:
    targets = read_targets(entry.label, "field")
    return targets or (Target(text=said(entry.label), quoted=False, role="field"),)


def _into_fields(match: Match, action: StepAction, entries: list[Entry]) -> Plan | None:
    fields = match.targets("target", "field")
    if not fields:
        return None
    if is_both(match.part("target")) and len(entries) == 1:
        return tuple(one(action, (nth(fields[0], n),), entries[0].value) for n in (1, 2))
    if fields[0].text:
        return None if len(entries) > 1 else (one(action, fields, entries[0].value),)
    if len(entries) == 1:
        return (one(action, (*_by_label(entries[0]), fields[0]), entries[0].value),)
    return tuple(one(action, _by_label(entry), entry.value) for entry in entries)


def nth(target: Target, number: int) -> Target:
    """The target at a place in the order."""
    return target.model_copy(update={"ordinal": number, "every": False})


def _action(match: Match) -> StepAction:
    verb = match.tokens[0].low
    if verb in ("use", "using"):  # "Use the text field to type 'x'"
        verb = match.tokens[match.spans["value"][0] - 1].low
    return "type" if verb in ("type", "append", "retype") else "fill"


@form(
    "Log in with a name and a password",
    "<login> [to|into|on] [the] [site|app|application|website|page|system|account] [as|with|using]"
    " {entries}",
    "sign_up|register|signup|create_an_account|create_account|log_in|enroll|subscribe"
    " [as|with|using] {entries}",
    examples=("Log in with the username 'ada' and the password 'secret'",
              "Log in as 'ada' with the password 'secret'"),
)  # fmt: skip
def _logged_in(match: Match) -> Plan | None:
    tokens = [
        Token("word", "and", t.start, t.end, "and") if t.low in ("with", "using") else t
        for t in match.part("entries")
    ]
    entries = _entries(tokens)
    if not 1 < len(entries) < 4:
        return None
    first = entries[0]
    if not first.label:
        entries[0] = Entry([Token("word", "username", 0, 0, "username")], first.value)
    if not all(entry.label for entry in entries):
        return None
    button = Target(text=_button_of(match), quoted=False)
    return (*(one("fill", _by_label(e), e.value) for e in entries), one("click", (button,)))


_BUTTON_WORDS = words("log sign in on login up signup register subscribe enroll create")


def _button_of(match: Match) -> str:
    """What the button is called that ends the form: ``sign up`` as in the sentence."""
    if match.tokens[0].low == "create":
        return "create account"
    said = [t.low for t in match.tokens[:2] if t.low in _BUTTON_WORDS]
    return " ".join(said) or "log in"


@form(
    "Enter a value into a field",
    "<fill> [the] <form> with {value} <into> {target}",
    "<type> {value} <into> {target}",
    "<enter> {value} <into> {target}",
    "<enter> {value} <as> {target}",
    "<type> {value} <as> {target}",
    "replace {target} with {value}",
    "use|using [the] {target} to <enter> {value}",
    "use|using [the] {target} to <type> {value}",
    examples=(
        "Type in 'Ada' in the field 'User name'",
        "Type in 'tutu' in the textarea 'snippet'",
        "Enter 'Ada' as the username",
        "Write 'hello' into the second text field",
        'Enter "Tora" into the text field and press Submit.',
    ),
)
def _into(match: Match) -> Plan | None:
    if match.tokens[0].low == "replace":
        return _replaced(match)
    zipped = _zipped(match)
    if zipped is not None:
        return zipped
    value = match.value()
    targets = match.targets("target", "field")
    if value is None or not targets or _names_a_place(match):
        return None
    vague = match.tokens[0].low in ("add", "submit", "give", "place")
    named = read_targets(match.part("target"))
    if vague and not any(t.role or t.quoted for t in named):
        return None
    if is_both(match.part("target")):
        return tuple(one(_action(match), (nth(targets[0], n),), value) for n in (1, 2))
    return (one(_action(match), targets, value),)


def _names_a_place(match: Match) -> bool:
    """Whether the target is but a place: ``'x' in the row of 'y'``."""
    start = match.spans["target"][0] - 1
    place = read_place(match.tokens[start:], has_core=True)
    return place is not None and place.kind in ("page", "nowhere")


def _zipped(match: Match) -> Plan | None:
    """``'a' and 'b' in the fields 'x' and 'y'``: each in its own."""
    values = [t.text for t in match.part("value") if t.quoted]
    names = coordinated(match.part("target"))
    if len(values) < 2 or len(values) != len(names):
        return None
    if len(coordinated(match.part("value"))) != len(values):
        return None
    fields = [read_targets(name, "field") for name in names]
    if not all(fields):
        return None
    return tuple(one(_action(match), f, v) for f, v in zip(fields, values, strict=True))


def _replaced(match: Match) -> Plan | None:
    tokens = match.part("target")
    words = [t.low for t in tokens if not t.quoted]
    for phrase in (("text", "in"), ("text", "of"), ("value", "of"), ("content", "of"),
                   ("contents", "of"), ("value", "in")):  # fmt: skip
        for at in range(min(3, len(words))):
            if tuple(words[at : at + 2]) == phrase:
                tokens = tokens[at + 2 :]
                break
    value, targets = match.value(), read_targets(tokens, "field")
    return (one("fill", targets, value),) if targets and value is not None else None


@form(
    "Fill a field with a value",
    "<fill> {pairs}",
    "<set> {pairs}",
    "<enter> <into> {target} [:|,] <the> <value> {value}",
    "<enter> <into> {target} {quote}",
    "<type> <into> {target} {quote}",
    "<fill> {target} {quote}",
    "<enter> {target} {quote}",
    "<type> {target} {quote}",
    examples=(
        "Fill the field 'email' with 'ada@example.com'",
        "Fill in 'First name' with 'Ada' and 'Last name' with 'Lovelace'",
        "Set the 'Quantity' field to 3",
        "Set the slider 'Volume' to 40",
        "Set the dropdown 'Country' to 'France'",
    ),
)
def _filled(match: Match) -> Plan | None:
    if match.has("pairs"):
        return _pairs(match)
    slot = "quote" if match.has("quote") else "value"
    value, targets = match.value(slot), match.targets("target", "field")
    if value is None or not targets or (slot == "quote" and not _ends_quoted(match)):
        return None
    return (one(_action(match), targets, value),)


def _ends_quoted(match: Match) -> bool:
    part = match.part("quote")
    return len(part) == 1 and part[0].quoted


_FILL_JOINTS = frozenset({"with", "by", "using", "to", "=", ":", "into", "as", "→", "->"})


def _pairs(match: Match) -> Plan | None:
    """``'a' with 'x' and 'b' with 'y'``."""
    steps: list[Alternatives] = []
    setting = match.tokens[0].low in ("set", "change", "update", "switch", "modify", "adjust",
                                      "edit", "turn", "put", "move", "drag")  # fmt: skip
    joints = _FILL_JOINTS - ({"using", "by", "into", "with"} if setting else {"as", "to"})
    parts = coordinated(match.part("pairs"))
    for part in parts if len(parts) < 12 else []:
        step = _pair(part, joints, setting)
        if step is None:
            if len(parts) > 1 and (whole := _pair(match.part("pairs"), joints, setting)):
                return (whole,)
            return _shared(match, joints, setting)
        steps.append(step)
    return tuple(steps) or None


def _shared(match: Match, joints: frozenset[str], setting: bool) -> Plan | None:
    """``the fields 'a' and 'b' with 'x' and 'y'``, or both with the same value."""
    tokens = match.part("pairs")
    at = next((n for n, t in enumerate(tokens) if t.low in joints and n), None)
    if at is None or at + 1 >= len(tokens):
        return None
    names, values = coordinated(tokens[:at]), coordinated(tokens[at + 1 :])
    if is_both(tokens[:at]) and len(values) == 1 and len(names) == 1:
        value, targets = read_value(values[0]), read_targets(names[0], "field")
        if value is not None and targets:
            return tuple(one("fill", (nth(targets[0], n),), value) for n in (1, 2))
    if len(values) == 1:
        values = values * len(names)
    if len(names) != len(values) or len(names) < 2:
        return None
    joint = tokens[at]
    steps = [_pair([*n, joint, *v], joints, setting) for n, v in zip(names, values, strict=True)]
    return tuple(step for step in steps if step) if all(steps) else None


def _pair(tokens: Tokens, joints: frozenset[str], setting: bool) -> Alternatives | None:
    places = [n for n, t in enumerate(tokens) if t.low in joints and not t.quoted and n > 0]
    for at in places:
        name = _without_value_of(tokens[:at])
        targets, value = read_targets(name), read_value(tokens[at + 1 :])
        if targets and value is not None:
            return _set_to(targets, value, setting)
    return None


def _without_value_of(tokens: Tokens) -> Tokens:
    words = [t.low for t in tokens[:3]]
    for at in (0, 1):
        if words[at : at + 2] in (["value", "of"], ["value", "in"], ["text", "in"], ["text", "of"]):
            return tokens[at + 2 :]
    return tokens


_NO_FIELDS = frozenset({"form", "dialog", "section", "table", "button", "link", "tab", "image"})
_ON = frozenset({"on", "checked", "true", "active", "enabled", "ticked"})
_OFF = frozenset({"off", "unchecked", "false", "inactive", "disabled", "unticked"})


def _set_to(targets: tuple[Target, ...], value: str, setting: bool) -> Alternatives | None:
    role = targets[0].role
    if role in _NO_FIELDS:
        return None
    if role in BOXES or (setting and value.casefold() in (_ON | _OFF) and role is None):
        return one("uncheck" if value.casefold() in _OFF else "check", targets)
    if role in LISTS:
        return one("select", targets, value)
    if setting and role is None:
        fields = tuple(t.model_copy(update={"role": "field"}) for t in targets)
        return one("fill", fields, value)
    fields = tuple(t.model_copy(update={"role": t.role or "field"}) for t in targets)
    return one("fill", fields, value)


@form(
    "Clear a field",
    "<clear> {target}",
    "leave|keep {target} empty|blank|unfilled|clear",
    examples=("Clear the field 'Search'", "Delete the text in the 'Comment' field"),
)
def _cleared(match: Match) -> Plan | None:
    targets = match.targets()
    words = [t.low for t in match.part("target") if not t.quoted]
    if not targets or any(t.role in BOXES for t in targets) or "selection" in words:
        return None
    if targets[0].role is None:
        targets = tuple(t.model_copy(update={"role": "field"}) for t in targets)
    return (one("fill", targets, ""),)


@form(
    "Type where the focus is",
    "type|enter|write|input [in|out] {value}",
    "enter|type|write|input|put [in] [the] [number|date|time|value|amount] {plain}",
    examples=("Type 'hello world'",),
)
def _typed(match: Match) -> Plan | None:
    if match.has("plain"):
        plain = match.value("plain")
        number = plain is not None and plain[:1].isdigit() and len(match.part("plain")) <= 4
        return (one("type", (None,), plain),) if number else None
    value = match.value()
    part: list[Token] = [t for t in trimmed(match.part("value")) if t.quoted]
    if value is None or not part or match.part("value")[-1] is not part[-1]:
        return None
    return (one("type", (None,), value),)
