"""From a grammar and a case to words, with a note of which words say which feature."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from sparring_plugins.search.features.templates import Grammar, Hole, Node
from sparring_plugins.search.roles.writing import Feature

Test = Callable[[str], bool]
"""Whether a condition holds of the case."""

_VOWEL = re.compile(r"(?:[aeio]|u(?!n[ia]|se|s[aeu]|ro))|(?:hono|hour|heir)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words, and the feature that they say."""

    text: str
    feature: str | None = None


class LeftOut(Exception):
    """A feature in an optional part is left out, and so is the part."""


@dataclass
class Expansion:
    """Expands templates for one case; chance comes from `draw`, in the order of the text."""

    grammar: Grammar
    features: Mapping[str, Feature]
    holds: Test
    draw: Random

    def pieces(self) -> list[Piece]:
        """The words of the whole utterance."""
        start = self.grammar.nodes[self.grammar.templates.start]
        return self._rewritten(list(self._all(start, optional=False)))

    def _all(self, nodes: Sequence[Node], *, optional: bool) -> Iterator[Piece]:
        for node in nodes:
            if isinstance(node, str):
                yield Piece(node)
            elif isinstance(node, Hole):
                yield from self._hole(node, optional=optional)
            else:
                try:
                    inside = list(self._all(node, optional=True))
                except LeftOut:
                    continue
                yield from inside

    def _hole(self, hole: Hole, *, optional: bool) -> Iterator[Piece]:
        symbols = self.grammar.templates.symbols
        if hole.name in symbols:
            found = list(self._symbol(hole.name, optional=optional))
        else:
            found = [Piece(self._words(hole, optional=optional), hole.name)]
        if hole.article:
            first = next((one.text for one in found if one.text.strip()), "")
            yield Piece("an " if _VOWEL.match(first.lstrip()) else "a ")
        yield from found

    def _symbol(self, name: str, *, optional: bool) -> Iterator[Piece]:
        """One of the texts of the first alternative whose condition holds."""
        for one in self.grammar.templates.symbols[name]:
            if one.when is None or self.holds(one.when):
                text = self.draw.choice(one.any)
                yield from self._all(self.grammar.nodes[text], optional=optional)
                return

    def _words(self, hole: Hole, *, optional: bool) -> str:
        """Words for a feature; an optional part goes with a feature that is left out."""
        feature = self.features.get(hole.name)
        if feature is None or feature.none:
            if optional:
                raise LeftOut
            return ""
        words = (feature.hints if hole.hint else ()) or feature.words or (feature.label,)
        return self.draw.choice(words)

    def _rewritten(self, pieces: list[Piece]) -> list[Piece]:
        """Replace words of the templates, never those that say content."""
        for one in self.grammar.rewriters:
            if one.rewrite.when is None or self.holds(one.rewrite.when):
                pieces = [
                    piece if piece.feature else Piece(one.rewritten(piece.text, self.draw))
                    for piece in pieces
                ]
        return pieces


def joined(pieces: Sequence[Piece]) -> tuple[str, dict[str, tuple[str, ...]]]:
    """The utterance as people write it, and the words that say each feature."""
    text = "".join(one.text for one in pieces)
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ([,.;:!?])", r"\1", text).strip()
    text = re.sub(r"([.!?])(?:\s*[.,])+", r"\1", text)
    text = re.sub(r"(^|[.!?] )([^\W\d_])", lambda m: m[1] + m[2].upper(), text)
    spoken: dict[str, tuple[str, ...]] = {}
    for one in pieces:
        said = re.sub(r"\s+", " ", one.text).strip()
        if one.feature and said:
            known = spoken.get(one.feature, ())
            spoken[one.feature] = known if said in known else (*known, said)
    return text, spoken
