"""Templates that put features into words: a grammar with conditions, in a file per domain."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from random import Random
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from sparring.documents.checking import checked
from sparring.documents.reading import Document, Key, read
from sparring.errors import ConfigurationError, Problem
from sparring_plugins.search.features.file_model import Texts

MOST_LEVELS = 30
"""Symbols within symbols."""

_HOLE = re.compile(r"\{(?:(?P<article>an?|A|An) )?(?P<name>\w+)(?:\.(?P<form>\w+))?\}")
_PIECE = re.compile(r"\{[^{}]*\}|[\[\]{}]|[^\[\]{}]+")


class Hole(BaseModel):
    """``{name}``, ``{name.hint}``, ``{a name}``: words of a feature, or a symbol's."""

    model_config = ConfigDict(frozen=True)

    name: str
    hint: bool = False
    article: bool = False


Node = str | Hole | tuple["Node", ...]
"""A text, a hole, or an optional part ``[...]`` that is left out with a feature in it."""


class Alternative(BaseModel):
    """Texts of which one is drawn, where a condition on the case holds."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    when: str | None = None
    any: Annotated[list[str], BeforeValidator(lambda v: [v] if isinstance(v, str) else v)] = Field(
        min_length=1
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        """A text, or a list of texts, without a condition."""
        return {"any": cast("Any", value)} if isinstance(value, (str, list)) else value


class Rewrite(BaseModel):
    """Words that are replaced, where a condition on the case holds; each with a share."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    when: str | None = None
    share: float = Field(default=1.0, ge=0, le=1)
    replace: dict[str, Texts] = Field(min_length=1)


class Templates(BaseModel):
    """The file: `start` is the whole utterance, `symbols` its parts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    start: str
    symbols: dict[str, Annotated[list[Alternative], Field(min_length=1)]] = {}
    rewrites: list[Rewrite] = []

    @model_validator(mode="before")
    @classmethod
    def _lists_of_texts(cls, value: Any) -> Any:
        """A symbol whose alternatives are all texts draws one of them."""
        whole = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        if not isinstance(whole.get("symbols"), dict):
            return cast("Any", value)
        made = {name: _alternatives(one) for name, one in whole["symbols"].items()}
        return {**whole, "symbols": made}


def _alternatives(value: Any) -> Any:
    texts = cast("list[Any]", value) if isinstance(value, list) else [value]
    if texts and all(isinstance(one, str) for one in texts):
        return [{"any": texts}]
    return cast("Any", value)


@dataclass(frozen=True, slots=True)
class Rewriter:
    """A rewrite with the pattern of its phrases, the longest first, in any case of letters."""

    rewrite: Rewrite
    pattern: re.Pattern[str]
    words: dict[str, list[str]]

    @classmethod
    def of(cls, rewrite: Rewrite) -> "Rewriter":
        """Make the pattern."""
        phrases = sorted(rewrite.replace, key=lambda one: (-len(one), one))
        joined = "|".join(re.escape(one) for one in phrases)
        pattern = re.compile(rf"(?<!\w)(?:{joined})(?!\w)", re.IGNORECASE)
        return cls(rewrite, pattern, {key.casefold(): w for key, w in rewrite.replace.items()})

    def rewritten(self, text: str, draw: Random) -> str:
        """A text with the words replaced, each with the share."""

        def other(match: re.Match[str]) -> str:
            words = self.words.get(match[0].casefold())
            return draw.choice(words) if words and draw.random() < self.rewrite.share else match[0]

        return self.pattern.sub(other, text)


@dataclass(frozen=True)
class Grammar:
    """Checked templates with their texts taken apart."""

    templates: Templates
    nodes: dict[str, tuple[Node, ...]]

    def features(self) -> frozenset[str]:
        """The names in holes that are no symbols."""
        return frozenset(
            hole.name
            for nodes in self.nodes.values()
            for hole in holes(nodes)
            if hole.name not in self.templates.symbols
        )

    @cached_property
    def rewriters(self) -> "list[Rewriter]":
        """The replacements, ready for use."""
        return [Rewriter.of(one) for one in self.templates.rewrites]

    def conditions(self) -> list[str]:
        """All conditions."""
        made = [one.when for several in self.templates.symbols.values() for one in several]
        made += [one.when for one in self.templates.rewrites]
        return list(dict.fromkeys(one for one in made if one is not None))


def read_grammar(path: Path) -> tuple[Grammar, Document]:
    """The templates of a file; raises ConfigurationError with all problems."""
    stamp = path.stat().st_mtime_ns if path.exists() else 0
    return _read(path, stamp)


@lru_cache(maxsize=32)
def _read(path: Path, stamp: int) -> tuple[Grammar, Document]:
    document = read(path)
    templates = checked(Templates, document)
    problems: list[Problem] = []
    nodes: dict[str, tuple[Node, ...]] = {}
    for text, at in texts_of(templates):
        try:
            nodes[text] = parsed(text)
        except ValueError as err:
            problems.append(document.problem(str(err), at))
    if not problems:
        problems += [document.problem(told, at) for told, at in _circles(templates, nodes)]
    if problems:
        raise ConfigurationError(*problems)
    return Grammar(templates, nodes), document


def texts_of(templates: Templates) -> Iterator[tuple[str, tuple[Key, ...]]]:
    """All texts with holes, with their places."""
    yield templates.start, ("start",)
    for name, several in templates.symbols.items():
        for number, one in enumerate(several):
            for text in one.any:
                yield text, ("symbols", name, number)


def parsed(text: str) -> tuple[Node, ...]:
    """A text taken apart; raises ValueError for holes and brackets that are not well formed."""
    levels: list[list[Node]] = [[]]
    for piece in _PIECE.findall(text):
        if piece == "[":
            levels.append([])
        elif piece == "]":
            if len(levels) == 1:
                raise ValueError(f"`]` closes nothing in {text!r}")
            inside = tuple(levels.pop())
            levels[-1].append(inside)
        elif piece[0] in "{}":
            levels[-1].append(_hole(piece, text))
        else:
            levels[-1].append(piece)
    if len(levels) > 1:
        raise ValueError(f"`[` is not closed in {text!r}")
    return tuple(levels[0])


def _hole(piece: str, text: str) -> Hole:
    found = _HOLE.fullmatch(piece)
    if found is None or found["form"] not in (None, "hint"):
        raise ValueError(
            f"{piece!r} in {text!r} is no hole: write {{feature}}, {{feature.hint}}, {{a feature}} "
            "or {symbol}"
        )
    return Hole(name=found["name"], hint=found["form"] == "hint", article=bool(found["article"]))


def holes(nodes: Sequence[Node]) -> Iterator[Hole]:
    """All holes, those of optional parts as well."""
    for node in nodes:
        if isinstance(node, Hole):
            yield node
        elif isinstance(node, tuple):
            yield from holes(node)


def _circles(
    templates: Templates, nodes: dict[str, tuple[Node, ...]]
) -> Iterator[tuple[str, tuple[Key, ...]]]:
    """Symbols that stand within themselves, or too deep."""
    within = {
        name: {
            hole.name
            for one in several
            for text in one.any
            for hole in holes(nodes[text])
            if hole.name in templates.symbols
        }
        for name, several in templates.symbols.items()
    }
    for name in within:
        reached, level = set(within[name]), set(within[name])
        while level:
            level = {inner for one in level for inner in within[one]} - reached
            reached |= level
        if name in reached:
            yield f"the symbol {name!r} stands within itself", ("symbols", name)
