"""The writer that needs no language model: it fills templates of the domain."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import ClassVar

from pydantic import Field, JsonValue

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.rules.conditions import Condition, condition_of
from sparring_plugins.search.features.templates import Grammar, Hole, Node, read_grammar
from sparring_plugins.search.roles import Feature, Utterance, WriteTask

Test = Callable[[str], bool]
"""Whether a condition holds of the case."""

# "an apple", "an hour" and "an umbrella", but "a unicorn", "a user", "a usual one" and "a euro"
_VOWEL = re.compile(r"(?:[aeio]|u(?!n[ia]|se|s[aeu]|ro))|(?:hono|hour|heir)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words, and the feature that they express."""

    text: str
    feature: str | None = None


class LeftOut(Exception):
    """Raised if a feature in an optional part is left out, which omits the part."""


@dataclass
class Expansion:
    """Expands templates for one case; random choices come from `draw`, in the order of the text."""

    grammar: Grammar
    features: Mapping[str, Feature]
    holds: Test
    draw: Random

    def pieces(self) -> list[Piece]:
        """Return the words of the whole utterance."""
        start = self.grammar.nodes[self.grammar.templates.start]
        return self._rewrite(list(self._expand(start, optional=False)))

    def _expand(self, nodes: Sequence[Node], *, optional: bool) -> Iterator[Piece]:
        for node in nodes:
            if isinstance(node, str):
                yield Piece(node)
            elif isinstance(node, Hole):
                yield from self._hole(node, optional=optional)
            else:
                try:
                    inside = list(self._expand(node, optional=True))
                except LeftOut:
                    continue
                yield from inside

    def _hole(self, hole: Hole, *, optional: bool) -> Iterator[Piece]:
        symbols = self.grammar.templates.symbols
        if hole.name in symbols:
            pieces = list(self._symbol(hole.name, optional=optional))
        else:
            pieces = [Piece(self._words(hole, optional=optional), hole.name)]
        if hole.article:
            first_words = next((piece.text for piece in pieces if piece.text.strip()), "")
            yield Piece("an " if _VOWEL.match(first_words.lstrip()) else "a ")
        yield from pieces

    def _symbol(self, name: str, *, optional: bool) -> Iterator[Piece]:
        """Yield one of the texts of the first alternative whose condition holds."""
        for symbol in self.grammar.templates.symbols[name]:
            if symbol.when is None or self.holds(symbol.when):
                text = self.draw.choice(symbol.any)
                yield from self._expand(self.grammar.nodes[text], optional=optional)
                return

    def _words(self, hole: Hole, *, optional: bool) -> str:
        """Return words for a feature; one that is left out omits its optional part."""
        feature = self.features.get(hole.name)
        if feature is None or feature.none:
            if optional:
                raise LeftOut
            return ""
        words = (feature.hints if hole.hint else ()) or feature.words or (feature.label,)
        return self.draw.choice(words)

    def _rewrite(self, pieces: list[Piece]) -> list[Piece]:
        """Replace words of the templates, but never those that express content."""
        # slang that replaces "I am looking for" must leave a thing called so alone
        for rewriter in self.grammar.rewriters:
            if rewriter.rewrite.when is None or self.holds(rewriter.rewrite.when):
                pieces = [
                    piece if piece.feature else Piece(rewriter.rewritten(piece.text, self.draw))
                    for piece in pieces
                ]
        return pieces


def join_pieces(pieces: Sequence[Piece]) -> tuple[str, dict[str, tuple[str, ...]]]:
    """Return the utterance with clean punctuation, and the words that express each feature."""
    text = "".join(piece.text for piece in pieces)
    # parts that are left out leave gaps: "Gimme a pear , near here ." and "Hello! ."
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ([,.;:!?])", r"\1", text).strip()
    text = re.sub(r"([.!?])(?:\s*[.,])+", r"\1", text)
    # "gimme a pear. thanks" begins two sentences.
    text = re.sub(r"(^|[.!?] )([^\W\d_])", lambda m: m[1] + m[2].upper(), text)
    spoken: dict[str, tuple[str, ...]] = {}
    # "an hour" was asked for: "hour" says what is wanted, the article does not
    for part in pieces:
        words = re.sub(r"\s+", " ", part.text).strip()
        if part.feature and words:
            earlier = spoken.get(part.feature, ())
            spoken[part.feature] = earlier if words in earlier else (*earlier, words)
    return text, spoken


class TemplateWriterConfig(PluginConfig):
    """Settings of the writer that uses templates."""

    templates: str | None = Field(
        default=None, description="a file of templates, in the place of that of the feature space"
    )


class TemplateWriter(Agent[WriteTask, Utterance, TemplateWriterConfig]):
    """Role ``writer``: fills templates of the domain, without a language model.

    The templates are a grammar: symbols with alternatives, each with a condition on the case, so
    that style decides which phrases are drawn; optional parts for features that are left out; words
    that are replaced, for slang. They are in a file that the feature space names. The same task
    gets the same utterance.
    """

    Config: ClassVar[type[PluginConfig]] = TemplateWriterConfig
    role: ClassVar[str] = "writer"

    def __init__(self, config: TemplateWriterConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._own: Path | None = None
        if config.templates is not None:
            (self._own,) = context.files(config.templates)[:1]
            read_grammar(self._own)
        self._conditions: dict[tuple[str, tuple[str, ...]], Condition] = {}

    def check(self, task: WriteTask) -> None:
        """Raise ConfigurationError if the templates do not suit a task of the space."""
        grammar, names = self._grammar(task), [feature.name for feature in task.features]
        unknown = sorted(grammar.features() - set(names))
        where = self._own or task.templates
        if unknown:
            hint = nearest(unknown[0], [*names, *grammar.templates.symbols])
            raise ConfigurationError(
                f"{where}: `{{{unknown[0]}}}` is neither a symbol nor a feature.{hint}"
            )
        for text in grammar.conditions():
            try:
                self._condition(text, _values(task))
            except ConfigurationError as err:
                raise ConfigurationError(f"{where}: the condition `{text}`: {err}") from err

    async def act(self, task: WriteTask) -> Utterance:
        grammar, values = self._grammar(task), _values(task)
        features = {feature.name: feature for feature in task.features}
        digest = sha256(f"{task.seed}/{task.sample}/{sorted(values.items())}".encode()).digest()
        expansion = Expansion(
            grammar, features, lambda text: self._holds(text, values), Random(digest)
        )
        text, spoken = join_pieces(expansion.pieces())
        content = {name: words for name, words in spoken.items() if _is_content(features.get(name))}
        return Utterance(text=text, spoken=content)

    def _grammar(self, task: WriteTask) -> Grammar:
        path = self._own or (Path(task.templates) if task.templates else None)
        if path is None:
            raise ConfigurationError(
                f"the feature space {task.space!r} has no `templates`: write a file of templates "
                "(sparring docs describe-your-space), or use the writer `model`"
            )
        return read_grammar(path)[0]

    def _holds(self, text: str, values: Mapping[str, JsonValue]) -> bool:
        try:
            return self._condition(text, values).holds(values)
        except ValueError as err:
            raise ConfigurationError(f"the condition `{text}` of the templates: {err}") from err

    def _condition(self, text: str, values: Mapping[str, JsonValue]) -> Condition:
        key = (text, tuple(values))
        if key not in self._conditions:
            self._conditions[key] = condition_of(self.context, text, list(values))
        return self._conditions[key]


def _values(task: WriteTask) -> dict[str, JsonValue]:
    return {**task.params, **{feature.name: feature.value for feature in task.features}}


def _is_content(feature: Feature | None) -> bool:
    return feature is not None and feature.group == "content"
