"""Everyday wordings of a clause, put in plainer ones with the same meaning: `rewordings.yaml`."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.web.grammar.free.sentences import Clause, mask, restore_quotes
from sparring_plugins.web.grammar.free.words import FREE


@dataclass(frozen=True)
class Rewording:
    """A form of a sentence, what it is put as, and an example with its result."""

    pattern: re.Pattern[str]
    plainer: str
    example: str


@cache
def rewordings(kind: Literal["checks", "acts"]) -> tuple[Rewording, ...]:
    """Return the rewordings of one kind, in order."""
    data: Any = bundled_yaml("sparring_plugins.web.grammar.free", "rewordings.yaml")
    numbers = f"(?:{'|'.join(FREE.numbers)})"
    people = "|".join(sorted(FREE.people | _PRONOUNS, key=len, reverse=True))
    return tuple(
        Rewording(
            re.compile(
                entry["from"].replace("<people>", f"(?:{people})").replace("<number>", numbers),
                re.I,
            ),
            entry["to"],
            entry["example"],
        )
        for entry in data[kind]
    )


_FILLERS = re.compile(rf"^(?:(?:{'|'.join(sorted(FREE.fillers))}),? )*", re.I)
_PRONOUNS = frozenset({"we", "you", "they", "she", "he", "one", "i"})


def reword(clause: Clause, kind: Literal["checks", "acts"]) -> Clause:
    """Return a clause in plainer words with the same meaning, or as it is."""
    bare = _FILLERS.sub("", clause.text.strip(" .,"))
    for rewording in rewordings(kind):
        if (match := rewording.pattern.fullmatch(bare)) is not None:
            text, quotes = mask(restore_quotes(match.expand(rewording.plainer), clause.quotes))
            return Clause(text, clause.kind, quotes)
    return clause
