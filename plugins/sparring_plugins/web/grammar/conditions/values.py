"""That something has a value: a field, a heading, a number beside a label."""

from sparring_plugins.web.grammar.conditions.constructors import Conditions, is_vague
from sparring_plugins.web.grammar.words.control_nouns import FIELDS, LISTS
from sparring_plugins.web.grammar.words.numbers import is_amount
from sparring_plugins.web.grammar.words.tokens import Tokens
from sparring_plugins.web.grammar.words.vocabulary import words
from sparring_plugins.web.roles.step import Compared, Displayed, FieldHolds, Target


def holds(targets: tuple[Target, ...], value: str, mode: str) -> Conditions:
    """That a field holds a value."""
    if any(is_vague(target) for target in targets):
        return ()
    return tuple(
        FieldHolds.model_validate({"target": t, "text": value, "mode": mode}) for t in targets
    )


def value_of(subject: Tokens) -> tuple[Tokens, bool]:
    """``the value of the field 'x'`` as the field, and that its value is asked for."""
    words = [t.low if not t.quoted else "" for t in subject]
    for at in range(min(3, len(words))):
        if (
            words[at] in ("selected", "chosen", "current")
            and words[at + 1 : at + 2] in (["option"], ["value"], ["choice"], ["item"])
            and words[at + 2 : at + 3] in (["of"], ["in"], ["for"])
        ):
            return subject[at + 3 :], True
        if words[at] in ("value", "content", "contents", "text") and words[at + 1 : at + 2] in (
            ["of"], ["in"], ["inside"],
        ):  # fmt: skip
            return subject[at + 2 :], True
    if words and words[-1] in ("value", "contents") and len(subject) > 1:
        return subject[:-1], True
    if words and words[-1] in ("'s", "s") and len(subject) > 1:
        return subject[:-1], True
    return subject, False


def valued(targets: tuple[Target, ...], value: str, *, asked: bool = False) -> Conditions:
    """That something is, or shows, a value."""
    target = targets[0]
    if asked and target.role and target.role not in FIELDS | LISTS:
        asked = False
    if asked or target.role in FIELDS or target.role in LISTS:
        fields = targets if not asked else tuple(
            t if t.role else t.model_copy(update={"role": "field"}) for t in targets
        )  # fmt: skip
        return holds(fields, value, "equals")
    if is_amount(value):
        return tuple(Compared(target=t, comparison="==", number=value) for t in targets)
    if not target.text and target.role:
        shown = target.model_copy(update={"text": value, "quoted": True, "exact": True})
        return (Displayed(target=shown),)
    if not target.quoted and names_text(target.text):
        return (Displayed(target=Target(text=value, region=target.region, row=target.row)),)
    held = holds(targets, value, "equals")
    if target.ordinal or target.every or target.row or target.region:
        return held
    return (*held, Displayed(target=Target(text=value, row=target.text)))


_TEXT_NOUNS = words(
    "message text label caption notice warning error word title heading headline greeting"
    "confirmation status"
)


def names_text(text: str) -> bool:
    """Whether unquoted words name a piece of text ("error message")."""
    words = text.casefold().split()
    return bool(words) and words[-1] in _TEXT_NOUNS
