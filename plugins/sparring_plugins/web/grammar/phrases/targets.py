"""What a step names on a page: the core, and where it lies."""

from sparring_plugins.web.grammar.phrases.nouns import Noun, read_nouns, said
from sparring_plugins.web.grammar.phrases.places import Place, split
from sparring_plugins.web.grammar.words.control_nouns import ACTIVE, BOXES, FIELDS
from sparring_plugins.web.grammar.words.tokens import Tokens, trimmed
from sparring_plugins.web.grammar.words.vocabulary import words
from sparring_plugins.web.roles.step import Target

_ADVERBS = words("again now once please too immediately instead also afterwards still")


_BLANKS = frozenset({"box", "blank", "space", "form field", "boxes", "blanks"})


def read_targets(tokens: Tokens, role: str | None = None) -> tuple[Target, ...]:
    """The ways in which tokens name something, the likeliest first; empty where they do not.

    `role` is what is meant where they say none.
    """
    tokens = trimmed(tokens)
    while len(tokens) > 1 and tokens[-1].low in _ADVERBS:
        tokens = trimmed(tokens[:-1])
    found: dict[Target, None] = {}
    for core, places in split(tokens):
        for noun in read_nouns(core):
            target = _placed(noun, places)
            if target is not None:
                if role == "field" and not target.quoted and target.text in _BLANKS:
                    target = target.model_copy(update={"text": "", "quoted": True})
                target = target if target.role or not role else with_role(target, role)
                found[target] = None
    return tuple(found)


def read_target(tokens: Tokens, role: str | None = None) -> Target | None:
    """The likeliest way in which tokens name something."""
    return next(iter(read_targets(tokens, role)), None)


def with_role(target: Target, role: str) -> Target:
    """`target` as a control of a role."""
    return target.model_copy(update={"role": role})


def is_both(tokens: Tokens) -> bool:
    """Whether tokens name two ("both text fields")."""
    return any(token.low == "both" for token in trimmed(tokens)[:2])


def _placed(noun: Noun, places: tuple[Place, ...]) -> Target | None:
    fields: dict[str, object] = {
        "text": noun.text, "quoted": noun.quoted, "role": noun.role, "ordinal": noun.ordinal,
        "exact": noun.exact, "every": noun.every,
    }  # fmt: skip
    for place in places:
        if not _apply(place, noun, fields):
            return None
    target = Target.model_validate(fields)
    meant = target.text or target.role or target.ordinal or target.every
    return target if meant else None


def _apply(place: Place, noun: Noun, fields: dict[str, object]) -> bool:
    match place.kind:
        case "name":
            if fields["text"] and not (noun.role is None and not noun.quoted):
                return fields["text"] == place.text
            if noun.text or noun.role == "listitem":
                fields["role"] = None
            fields |= {"text": place.text, "quoted": place.quoted}
        case "row" if _is_its_label(noun, place, fields):
            fields |= {"text": place.text, "quoted": place.quoted}
        case "row":
            fields |= {"row": place.text, "row_kind": place.called}
        case "region" if fields.get("region") is None:
            fields["region"] = place.text
        case "region":
            pass
        case "every":
            fields["every"] = True
        case "nth_row":
            fields["ordinal"] = fields["ordinal"] or place.number
        case _:
            pass
    return True


def _is_its_label(noun: Noun, place: Place, fields: dict[str, object]) -> bool:
    """Boxes and fields without a text of their own go by what stands beside them."""
    return (
        place.beside and not fields["text"] and not place.called and noun.role in (BOXES | FIELDS)
    )


def unquoted(target: Target) -> bool:
    """Whether its text is not in quotes."""
    return bool(target.text) and not target.quoted


def bare_text(tokens: Tokens) -> str:
    """The text of unquoted tokens."""
    return said(trimmed(tokens))


__all__ = ["ACTIVE", "bare_text", "is_both", "read_target", "read_targets", "unquoted", "with_role"]
