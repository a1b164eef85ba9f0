"""Prompt templates in files: ours, and those of a suite that replace them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, JsonValue

from sparring.interfaces.plugin import BuildContext
from sparring.model.chat import ChatMessage
from sparring_plugins.prompting.escaping import escaped
from sparring_plugins.prompting.plain_data import plain
from sparring_plugins.prompting.template_folders import OVERRIDE, SHARED, read_layer, require_known
from sparring_plugins.prompting.template_library import Description, Library

ROLES: tuple[Literal["system", "user"], ...] = ("system", "user")


@dataclass(frozen=True)
class Example:
    """An answer that was given to other values of the same prompt; shown before the question."""

    values: Mapping[str, Any]
    answer: BaseModel | JsonValue


class Prompts:
    """A folder of templates ``NAME.jinja``, each with the blocks ``system`` and ``user``.

    The block ``later`` is a shorter ``user`` for later questions of one conversation. Each block
    becomes one message and is rendered by itself, so that no text can open another message.
    `override` is a folder of the suite whose files replace those of the same name; a file there
    may ``{% extends %}`` the one that it replaces. All files are checked here: raises
    ConfigurationError with file and line.
    """

    def __init__(self, folder: Path, override: Path | None = None) -> None:
        own = [read_layer("own", folder), read_layer("shared", SHARED)]
        given = [read_layer(OVERRIDE, override)] if override else []
        for layer in given:
            require_known(layer, [name for one in own for name in one.files])
        self._library = Library([*given, *own])

    @classmethod
    def of(cls, context: BuildContext, folder: Path, override: str | None) -> "Prompts":
        """The prompts of a part; the files of `override` are recorded in the run's manifest."""
        if override is None:
            return cls(folder)
        place = context.base_dir / Path(override).expanduser()
        prompts = cls(folder, place)
        context.files(
            [str(path.absolute()) for path in sorted(place.glob("*.jinja")) if path.is_file()]
        )
        return prompts

    def names(self) -> list[str]:
        """The names of the prompts."""
        return self._library.names()

    def filters(self) -> frozenset[str]:
        """The names of the filters that templates may use."""
        return self._library.filters()

    def describe(self, name: str) -> Description:
        """What a prompt is for, and what an override of it may use."""
        return self._library.describe(name)

    def messages(
        self,
        name: str,
        values: Mapping[str, Any],
        *,
        later: bool = False,
        examples: Sequence[Example] = (),
    ) -> tuple[ChatMessage, ...]:
        """The messages of a prompt: system, examples as questions and answers, the question.

        With `later` the question is the block ``later``, where there is one. Raises
        ConfigurationError where the values do not suit the template.
        """
        made: list[ChatMessage] = []
        if self._library.has(name, "system"):
            made.append(ChatMessage(role="system", content=self._text(name, "system", values)))
        for example in examples:
            shown = self._text(name, "user", {**values, **example.values})
            made.append(ChatMessage(role="user", content=shown))
            made.append(ChatMessage(role="assistant", content=answer_text(example.answer)))
        block = "later" if later and self._library.has(name, "later") else "user"
        made.append(ChatMessage(role="user", content=self._text(name, block, values)))
        return tuple(message for message in made if message.content)

    def _text(self, name: str, block: str, values: Mapping[str, Any]) -> str:
        return self._library.render(name, block, values)


def answer_text(answer: BaseModel | JsonValue) -> str:
    """An answer as a model would write it: JSON without markup and hidden characters."""
    data = answer.model_dump(mode="json") if isinstance(answer, BaseModel) else plain(answer)
    return escaped(json.dumps(data, ensure_ascii=False))
