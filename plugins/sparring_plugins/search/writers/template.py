"""The writer that needs no language model: templates with the features really expressed."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import ClassVar

from pydantic import Field, JsonValue

from sparring.documents.checking import nearest
from sparring.errors import ConfigurationError
from sparring.interfaces.agent import Agent
from sparring.interfaces.condition import Condition
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring_plugins.search.features.templates import Grammar, read_grammar
from sparring_plugins.search.roles.writing import Feature, Utterance, WriteTask
from sparring_plugins.search.writers.expansion import Expansion, joined


class TemplateWriterConfig(PluginConfig):
    """Settings of the writer that uses templates."""

    templates: str | None = Field(
        default=None, description="a file of templates, in the place of that of the feature space"
    )


class TemplateWriter(Agent[WriteTask, Utterance, TemplateWriterConfig]):
    """Role ``writer``: fills templates of the domain, without a language model.

    The templates are a grammar: symbols with alternatives, each with a condition on the case, so
    that style decides which phrases are drawn; optional parts for features that are left out;
    words that are replaced, for slang. They stand in a file that the feature space names. The same
    task gets the same utterance.
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
        """Raise ConfigurationError where the templates do not suit a task of the space."""
        grammar, names = self._grammar(task), [one.name for one in task.features]
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
        features = {one.name: one for one in task.features}
        digest = sha256(f"{task.seed}/{task.sample}/{sorted(values.items())}".encode()).digest()
        made = Expansion(grammar, features, lambda text: self._holds(text, values), Random(digest))
        text, spoken = joined(made.pieces())
        said = {name: words for name, words in spoken.items() if _is_content(features.get(name))}
        return Utterance(text=text, spoken=said)

    def _grammar(self, task: WriteTask) -> Grammar:
        path = self._own or (Path(task.templates) if task.templates else None)
        if path is None:
            raise ConfigurationError(
                f"the feature space {task.space!r} has no `templates`: write a file of templates "
                "(docs/how-to/describe-your-space.md), or use the writer `model`"
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
            self._conditions[key] = self.context.condition(text, list(values))
        return self._conditions[key]


def _values(task: WriteTask) -> dict[str, JsonValue]:
    return {**task.params, **{one.name: one.value for one in task.features}}


def _is_content(feature: Feature | None) -> bool:
    return feature is not None and feature.group == "content"
