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
from sparring.documents.reading import Document, Key, read_document
from sparring.errors import ConfigurationError, Problem
from sparring_plugins.search.features.file_model import Texts

MOST_LEVELS = 30
"""The largest depth of symbols within symbols."""

# "{a cuisine}" takes the article that fits, "{pets.plural}" a form of the word.
_HOLE = re.compile(r"\{(?:(?P<article>an?|A|An) )?(?P<name>\w+)(?:\.(?P<form>\w+))?\}")
_PIECE = re.compile(r"\{[^{}]*\}|[\[\]{}]|[^\[\]{}]+")


class Hole(BaseModel):
    """``{name}``, ``{name.hint}``, ``{a name}``: words of a feature or of a symbol."""

    model_config = ConfigDict(frozen=True)

    name: str
    hint: bool = False
    article: bool = False


Node = str | Hole | tuple["Node", ...]
"""A text, a hole, or an optional part ``[...]`` that is omitted if a feature in it is left out."""


class Alternative(BaseModel):
    """Texts of which one is drawn if a condition on the case holds."""

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
    """Words that are replaced if a condition on the case holds; each with a probability."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    when: str | None = None
    share: float = Field(default=1.0, ge=0, le=1)
    replace: dict[str, Texts] = Field(min_length=1)


class Templates(BaseModel):
    """The file: `start` is the whole utterance, `symbols` are its parts."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    start: str
    symbols: dict[str, Annotated[list[Alternative], Field(min_length=1)]] = {}
    rewrites: list[Rewrite] = []

    @model_validator(mode="before")
    @classmethod
    def _lists_of_texts(cls, value: Any) -> Any:
        """A symbol whose alternatives are all texts draws one of them."""
        content = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        if not isinstance(content.get("symbols"), dict):
            return cast("Any", value)
        symbols = {
            name: _alternatives(alternatives) for name, alternatives in content["symbols"].items()
        }
        return {**content, "symbols": symbols}


def _alternatives(value: Any) -> Any:
    texts = cast("list[Any]", value) if isinstance(value, list) else [value]
    if texts and all(isinstance(text, str) for text in texts):
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
        """Compile the pattern."""
        phrases = sorted(rewrite.replace, key=lambda one: (-len(one), one))
        joined = "|".join(re.escape(phrase) for phrase in phrases)
        pattern = re.compile(rf"(?<!\w)(?:{joined})(?!\w)", re.IGNORECASE)
        return cls(rewrite, pattern, {key.casefold(): w for key, w in rewrite.replace.items()})

    def rewritten(self, text: str, draw: Random) -> str:
        """Return a text with the words replaced, each with the given probability."""

        def replacement(match: re.Match[str]) -> str:
            words = self.words.get(match[0].casefold())
            return draw.choice(words) if words and draw.random() < self.rewrite.share else match[0]

        return self.pattern.sub(replacement, text)


@dataclass(frozen=True)
class Grammar:
    """Checked templates with their parsed texts."""

    templates: Templates
    nodes: dict[str, tuple[Node, ...]]

    def features(self) -> frozenset[str]:
        """Return the names in holes that are no symbols."""
        return frozenset(
            hole.name
            for nodes in self.nodes.values()
            for hole in holes(nodes)
            if hole.name not in self.templates.symbols
        )

    @cached_property
    def rewriters(self) -> "list[Rewriter]":
        """The compiled replacements."""
        return [Rewriter.of(rewrite) for rewrite in self.templates.rewrites]

    def conditions(self) -> list[str]:
        """Return all conditions."""
        conditions = [
            alternative.when
            for alternatives in self.templates.symbols.values()
            for alternative in alternatives
        ]
        conditions += [rewrite.when for rewrite in self.templates.rewrites]
        return list(
            dict.fromkeys(alternative for alternative in conditions if alternative is not None)
        )


def read_grammar(path: Path) -> tuple[Grammar, Document]:
    """Read the templates of a file; raises ConfigurationError with all problems."""
    stamp = path.stat().st_mtime_ns if path.exists() else 0
    return _read(path, stamp)


@lru_cache(maxsize=32)
def _read(path: Path, stamp: int) -> tuple[Grammar, Document]:
    document = read_document(path)
    templates = checked(Templates, document)
    problems: list[Problem] = []
    nodes: dict[str, tuple[Node, ...]] = {}
    for text, at in texts_of(templates):
        try:
            nodes[text] = parse_text(text)
        except ValueError as err:
            problems.append(document.problem(str(err), at))
    if not problems:
        problems += [document.problem(message, at) for message, at in _circles(templates, nodes)]
    if problems:
        raise ConfigurationError(*problems)
    return Grammar(templates, nodes), document


def texts_of(templates: Templates) -> Iterator[tuple[str, tuple[Key, ...]]]:
    """Yield all texts with holes, with their places."""
    yield templates.start, ("start",)
    for name, alternatives in templates.symbols.items():
        for number, alternative in enumerate(alternatives):
            for text in alternative.any:
                yield text, ("symbols", name, number)


def parse_text(text: str) -> tuple[Node, ...]:
    """Parse a text; raises ValueError for holes and brackets that are not well formed."""
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
    match = _HOLE.fullmatch(piece)
    if match is None or match["form"] not in (None, "hint"):
        raise ValueError(
            f"{piece!r} in {text!r} is no hole: write {{feature}}, {{feature.hint}}, {{a feature}} "
            "or {symbol}"
        )
    return Hole(name=match["name"], hint=match["form"] == "hint", article=bool(match["article"]))


def holes(nodes: Sequence[Node]) -> Iterator[Hole]:
    """Yield all holes, including those of optional parts."""
    for node in nodes:
        if isinstance(node, Hole):
            yield node
        elif isinstance(node, tuple):
            yield from holes(node)


def _circles(
    templates: Templates, nodes: dict[str, tuple[Node, ...]]
) -> Iterator[tuple[str, tuple[Key, ...]]]:
    """Yield the symbols that contain themselves."""
    contained = {
        name: {
            hole.name
            for alternative in alternatives
            for text in alternative.any
            for hole in holes(nodes[text])
            if hole.name in templates.symbols
        }
        for name, alternatives in templates.symbols.items()
    }
    for name in contained:
        reached, level = set(contained[name]), set(contained[name])
        while level:
            level = {inner for symbol in level for inner in contained[symbol]} - reached
            reached |= level
        if name in reached:
            yield f"the symbol {name!r} stands within itself", ("symbols", name)
