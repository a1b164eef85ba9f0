"""Steps that enter texts: ``Type in 'v' in the field 'f'``, ``Fill the field 'f' with 'v'``."""

from dataclasses import dataclass

from sparring_plugins.web.grammar.phrases.nouns import join_text, without_determiners
from sparring_plugins.web.grammar.phrases.patterns import (
    Alternatives,
    ClausePlan,
    PatternMatch,
    read_value,
    reader,
    readings,
    split_list,
)
from sparring_plugins.web.grammar.phrases.targets import names_both, read_place, read_targets
from sparring_plugins.web.grammar.phrases.tokens import Token, Tokens, quotes_in, trim, words_in
from sparring_plugins.web.grammar.phrases.vocabulary import BOXES, LISTS, WORDS, beginning_size
from sparring_plugins.web.step import StepAction, Target


@dataclass(frozen=True)
class LabelledValue:
    """A value, and the words that say whose value it is."""

    label: Tokens
    value: str


@reader
def enter_labelled_values(match: PatternMatch) -> ClausePlan | None:
    """Read ``Enter the username "ada" and the password "secret" and press login``."""
    entries = _read_labelled_values(match.part("entries"))
    if not entries or not all(entry.label for entry in entries):
        return None
    action = _choose_action(match)
    if not match.has("target"):
        return tuple(readings(action, _find_by_label(entry), entry.value) for entry in entries)
    return _fill_labelled(match, action, entries)


def _read_labelled_values(tokens: Tokens) -> list[LabelledValue]:
    """``the username "a" and the password "b"``; empty if a part is no label and value."""
    parts = [_read_labelled_value(part) for part in split_list(tokens)]
    entries = [entry for entry in parts if entry is not None]
    return entries if len(entries) == len(parts) else []


def _read_labelled_value(part: Tokens) -> LabelledValue | None:
    words = [t for n, t in enumerate(part) if not t.quoted and not _is_colon(part, n)]
    quotes = quotes_in(part)
    if len(quotes) != 1 or not part[-1].quoted:
        return None
    if any(t.kind == "mark" or t.low in WORDS.no_label_words for t in words):
        return None
    label = without_determiners(words)
    while label and label[-1].low in ("is", "as", "of", "to"):
        label = label[:-1]
    return LabelledValue(() if _is_plain(label) else label, quotes[0].text)


def _is_plain(label: Tokens) -> bool:
    """Whether words beside a value name no field: ``the text 'x'``, but not ``the name 'x'``."""
    if label and label[-1].low == "name":
        return False
    return all(beginning_size([t.low], WORDS.texts) or t.low in WORDS.plain_labels for t in label)


def _is_colon(part: Tokens, at: int) -> bool:
    """Whether it is the colon of ``name: "a"``."""
    return part[at].mark in (":", "=") and at + 2 == len(part)


def _find_by_label(entry: LabelledValue) -> tuple[Target, ...]:
    targets = read_targets(entry.label, "field")
    return targets or (Target(text=join_text(entry.label), quoted=False, role="field"),)


def _fill_labelled(
    match: PatternMatch, action: StepAction, entries: list[LabelledValue]
) -> ClausePlan | None:
    fields = match.targets("target", "field")
    if not fields:
        return None
    if names_both(match.part("target")) and len(entries) == 1:
        return tuple(
            readings(action, (with_ordinal(fields[0], n),), entries[0].value) for n in (1, 2)
        )
    if fields[0].text:
        return None if len(entries) > 1 else (readings(action, fields, entries[0].value),)
    if len(entries) == 1:
        return (readings(action, (*_find_by_label(entries[0]), fields[0]), entries[0].value),)
    return tuple(readings(action, _find_by_label(entry), entry.value) for entry in entries)


def with_ordinal(target: Target, number: int) -> Target:
    """The target at a place in the order."""
    return target.model_copy(update={"ordinal": number, "every": False})


def _choose_action(match: PatternMatch) -> StepAction:
    verb = match.tokens[0].low
    if verb in ("use", "using"):  # "Use the text field to type 'x'"
        verb = match.tokens[match.spans["value"][0] - 1].low
    if verb == "append":
        return "append"
    return "type" if verb in ("type", "retype") else "fill"


@reader
def log_in_with_password(match: PatternMatch) -> ClausePlan | None:
    """Read ``Log in with the username 'ada' and the password 'secret'``."""
    tokens = [
        Token("word", "and", t.start, t.end, "and") if t.low in ("with", "using") else t
        for t in match.part("entries")
    ]
    entries = _read_labelled_values(tokens)
    if not 1 < len(entries) < 4:
        return None
    first = entries[0]
    if not first.label:
        entries[0] = LabelledValue([Token("word", "username", 0, 0, "username")], first.value)
    if not all(entry.label for entry in entries):
        return None
    button = Target(text=_button_name(match), quoted=False)
    return (
        *(readings("fill", _find_by_label(e), e.value) for e in entries),
        readings("click", (button,)),
    )


def _button_name(match: PatternMatch) -> str:
    """What the button is called that ends the form: ``sign up`` as in the sentence."""
    if match.tokens[0].low == "create":
        return "create account"
    words = [t.low for t in match.tokens[:2] if t.low in WORDS.login_words]
    return " ".join(words) or "log in"


@reader
def enter_into_field(match: PatternMatch) -> ClausePlan | None:
    """Read ``Type in 'Ada' in the field 'User name'``."""
    if match.tokens[0].low == "replace":
        return _replace_value(match)
    zipped = _pair_off(match)
    if zipped is not None:
        return zipped
    value = match.value()
    targets = match.targets("target", "field")
    if value is None or not targets or _names_a_place(match) or _is_pronoun(match):
        return None
    vague = match.tokens[0].low in ("add", "submit", "give", "place")
    named = read_targets(match.part("target"))
    if vague and not any(t.role or t.quoted for t in named):
        return None
    if names_both(match.part("target")):
        return tuple(
            readings(_choose_action(match), (with_ordinal(targets[0], n),), value) for n in (1, 2)
        )
    return (readings(_choose_action(match), targets, value),)


def _is_pronoun(match: PatternMatch) -> bool:
    """Return whether nothing is typed: "Put it in the category Brakes" speaks of a thing."""
    part = match.part("value")
    return len(part) == 1 and not part[0].quoted and part[0].low in _PRONOUNS


_PRONOUNS = frozenset({"it", "them", "this", "that", "one", "him", "her"})


def _names_a_place(match: PatternMatch) -> bool:
    """Whether the target is but a place: ``'x' in the row of 'y'``."""
    start = match.spans["target"][0] - 1
    place = read_place(match.tokens[start:], has_core=True)
    return place is not None and place.kind in ("page", "nowhere")


def _pair_off(match: PatternMatch) -> ClausePlan | None:
    """``'a' and 'b' in the fields 'x' and 'y'``: each in its own."""
    values = [t.text for t in match.part("value") if t.quoted]
    names = split_list(match.part("target"))
    if len(values) < 2 or len(values) != len(names):
        return None
    if len(split_list(match.part("value"))) != len(values):
        return None
    fields = [read_targets(name, "field") for name in names]
    if not all(fields):
        return None
    return tuple(readings(_choose_action(match), f, v) for f, v in zip(fields, values, strict=True))


def _replace_value(match: PatternMatch) -> ClausePlan | None:
    tokens = match.part("target")
    words = words_in(tokens)
    for phrase in (("text", "in"), ("text", "of"), ("value", "of"), ("content", "of"),
                   ("contents", "of"), ("value", "in")):  # fmt: skip
        for at in range(min(3, len(words))):
            if tuple(words[at : at + 2]) == phrase:
                tokens = tokens[at + 2 :]
                break
    value, targets = match.value(), read_targets(tokens, "field")
    return (readings("fill", targets, value),) if targets and value is not None else None


@reader
def fill_field(match: PatternMatch) -> ClausePlan | None:
    """Read ``Fill the field 'email' with 'ada@example.com'``."""
    if match.has("pairs"):
        return _read_pairs(match)
    slot = "quote" if match.has("quote") else "value"
    value, targets = match.value(slot), match.targets("target", "field")
    if value is None or not targets or (slot == "quote" and not _ends_quoted(match)):
        return None
    return (readings(_choose_action(match), targets, value),)


def _ends_quoted(match: PatternMatch) -> bool:
    part = match.part("quote")
    return len(part) == 1 and part[0].quoted


_FILL_JOINTS = frozenset({"with", "by", "using", "to", "=", ":", "as", "→", "->"})


def _read_pairs(match: PatternMatch) -> ClausePlan | None:
    """``'a' with 'x' and 'b' with 'y'``."""
    steps: list[Alternatives] = []
    setting = match.tokens[0].low in WORDS.setting_verbs
    joints = _FILL_JOINTS - ({"using", "by", "with"} if setting else {"as", "to"})
    parts = split_list(match.part("pairs"))
    for part in parts if len(parts) < 12 else []:
        step = _read_pair(part, joints, setting)
        if step is None:
            if len(parts) > 1 and (whole := _read_pair(match.part("pairs"), joints, setting)):
                return (whole,)
            return _read_shared(match, joints, setting)
        steps.append(step)
    return tuple(steps) or None


def _read_shared(match: PatternMatch, joints: frozenset[str], setting: bool) -> ClausePlan | None:
    """``the fields 'a' and 'b' with 'x' and 'y'``, or both with the same value."""
    tokens = match.part("pairs")
    at = next((n for n, t in enumerate(tokens) if t.low in joints and n), None)
    if at is None or at + 1 >= len(tokens):
        return None
    names, values = split_list(tokens[:at]), split_list(tokens[at + 1 :])
    if len(values) == len(names) == 1 and (plan := _fill_both(names[0], values[0])):
        return plan
    if len(values) == 1:
        values = values * len(names)
    if len(names) != len(values) or len(names) < 2:
        return None
    pairs = zip(names, values, strict=True)
    steps = [_read_pair([*name, tokens[at], *value], joints, setting) for name, value in pairs]
    return tuple(step for step in steps if step) if all(steps) else None


def _fill_both(name: Tokens, value: Tokens) -> ClausePlan | None:
    """``both text fields with 'x'``."""
    text, targets = read_value(value), read_targets(name, "field")
    if text is None or not targets or not names_both(name):
        return None
    return tuple(readings("fill", (with_ordinal(targets[0], n),), text) for n in (1, 2))


def _read_pair(tokens: Tokens, joints: frozenset[str], setting: bool) -> Alternatives | None:
    places = [n for n, t in enumerate(tokens) if t.low in joints and not t.quoted and n > 0]
    for at in places:
        name = _strip_value_of(tokens[:at])
        targets, value = read_targets(name), read_value(tokens[at + 1 :])
        if targets and value is not None:
            return _set_to(targets, value, setting)
    return None


def _strip_value_of(tokens: Tokens) -> Tokens:
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
        return readings("uncheck" if value.casefold() in _OFF else "check", targets)
    if role in LISTS:
        return readings("select", targets, value)
    if setting and role is None:
        fields = tuple(t.model_copy(update={"role": "field"}) for t in targets)
        return readings("fill", fields, value)
    fields = tuple(t.model_copy(update={"role": t.role or "field"}) for t in targets)
    return readings("fill", fields, value)


@reader
def clear_field(match: PatternMatch) -> ClausePlan | None:
    """Read ``Clear the field 'Search'``; "Clear the search" takes a search back, if on any page."""
    targets = match.targets()
    words = words_in(match.part("target"))
    if words in (["search"], ["the", "search"]) and not any(t.quoted for t in match.part("target")):
        return None
    if not targets or any(t.role in BOXES for t in targets) or "selection" in words:
        return None
    if targets[0].role is None:
        targets = tuple(t.model_copy(update={"role": "field"}) for t in targets)
    return (readings("fill", targets, ""),)


@reader
def type_at_focus(match: PatternMatch) -> ClausePlan | None:
    """Read ``Type 'hello world'``."""
    if match.has("plain"):
        plain = match.value("plain")
        number = plain is not None and plain[:1].isdigit() and len(match.part("plain")) <= 4
        return (readings("type", (None,), plain),) if number else None
    value = match.value()
    part: list[Token] = quotes_in(trim(match.part("value")))
    if value is None or not part or match.part("value")[-1] is not part[-1]:
        return None
    return (readings("type", (None,), value),)
