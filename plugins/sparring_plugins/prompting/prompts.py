"""Prompt templates in files: the bundled ones, those of a suite in their place, and rendering."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Literal

from jinja2 import Template, TemplateError, TemplateNotFound, TemplateSyntaxError, nodes
from pydantic import BaseModel, JsonValue

from sparring.errors import ConfigurationError, Problem
from sparring.interfaces.plugin import BuildContext
from sparring.model.chat import ChatMessage
from sparring_plugins.prompting.data_blocks import escaped, plain
from sparring_plugins.prompting.sandbox import Compiled, Sandbox, rendered
from sparring_plugins.prompting.template_checks import (
    Parsed,
    blocks,
    bounded,
    foreign,
    problems_of,
    problems_with_others,
    variables,
)

# Folders of template files: read, and misspelt names found.

SHARED = Path(__file__).with_name("shared")
"""Templates that all prompts share: for answers that are sent back, and about data blocks."""

SUFFIX = ".jinja"
OVERRIDE = "override"
"""The label of the layer that replaces files of ours."""

_MOST_FILES = 100
_MOST_BYTES = 100_000


@dataclass(frozen=True)
class Layer:
    """The template files of one folder: the text by file name; `label` tells layers apart."""

    label: str
    folder: Path
    files: dict[str, str]

    def shown(self, name: str) -> str:
        """A file as messages name it."""
        return str(self.folder / name)


def read_layer(label: str, folder: Path) -> Layer:
    """Read the templates of a folder; raises ConfigurationError."""
    try:
        paths = sorted(path for path in folder.iterdir() if path.is_file())
    except OSError as err:
        reason = err.strerror or str(err)
        raise ConfigurationError(
            Problem(f"is no folder of prompts: {reason}", str(folder))
        ) from err
    except ValueError as err:
        raise ConfigurationError(f"{str(folder)!r} is no folder: {err}") from err
    templates = [path for path in paths if path.suffix == SUFFIX]
    if len(templates) > _MOST_FILES:
        message = f"holds {len(templates):,} templates, and at most {_MOST_FILES} are read"
        raise ConfigurationError(Problem(message, str(folder)))
    return Layer(label, folder, {path.name: _text(path) for path in templates})


def require_known(layer: Layer, ours: Sequence[str]) -> None:
    """Raise ConfigurationError if a folder of overrides replaces nothing, or misspells a name.

    Files that are called like none of ours may be there for others to extend or include, or
    replace prompts of another part: several parts may share a folder.
    """
    names = {*ours, *_bundled_names()}
    if not set(layer.files) & names:
        listed = sorted(path.name for path in layer.folder.iterdir())[:5]
        close = _nearest(listed, ours)
        hint = f"; did you mean {close[1]!r} instead of {close[0]!r}?" if close else ""
        message = f"replaces none of the prompts{hint} They are: {', '.join(sorted(ours))}"
        message = message if close else message.replace("prompts They", "prompts. They")
        raise ConfigurationError(Problem(message, str(layer.folder)))
    texts = "\n".join(layer.files.values())
    missing = [name for name in ours if name not in layer.files]
    for name in layer.files:
        if name in names or re.search(rf"""["']{re.escape(name)}["']""", texts):
            continue
        near = get_close_matches(name, missing, n=1, cutoff=0.8)
        if near:
            message = f"is no prompt and nothing refers to it; did you mean {near[0]!r}?"
            raise ConfigurationError(Problem(message, layer.shown(name)))


@cache
def _bundled_names() -> frozenset[str]:
    """The names of all prompts that any bundled part has."""
    package = Path(__file__).parents[1]
    return frozenset(path.name for path in package.glob(f"**/prompts/*{SUFFIX}"))


def _nearest(names: Sequence[str], ours: Sequence[str]) -> tuple[str, str] | None:
    stems = {Path(name).stem.casefold(): name for name in ours}
    for name in names:
        same = stems.get(Path(name).stem.casefold())
        if same:
            return name, same
        close = get_close_matches(name, ours, n=1)
        if close:
            return name, close[0]
    return None


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as err:
        message = f"cannot be read: {err.strerror or err}"
        raise ConfigurationError(Problem(message, str(path))) from err
    if len(raw) > _MOST_BYTES:
        message = f"has {len(raw):,} bytes, and a template at most {_MOST_BYTES:,}"
        raise ConfigurationError(Problem(message, str(path)))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as err:
        line = raw.count(b"\n", 0, err.start) + 1
        raise ConfigurationError(Problem("is not UTF-8", str(path), line)) from err


# Templates of several folders as one library: checked and compiled at once, rendered by block.


@dataclass(frozen=True)
class Description:
    """A prompt for its readers; `foreign` are the values that stand in data blocks only."""

    about: str
    blocks: tuple[str, ...]
    values: dict[str, str]
    foreign: frozenset[str]


# Jinja and Python walk nested statements by recursion, and end in a traceback if they are too deep.
_DEEPEST = 60
_TOO_DEEP = "is nested too deeply: statements in statements, or a very long expression"


class PromptLibrary:
    """Templates by name, those of earlier layers before those of later ones."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        self._layers = layers
        self._compiled: dict[str, Template] = {}
        self._blocks: dict[str, set[str]] = {}
        self._sandbox = Sandbox(Compiled(self._compiled), self.resolve)
        self.parsed = {
            f"{layer.label}/{name}": self._parse(layer, name)
            for layer in layers
            for name in layer.files
        }
        problems = [p for item in self.parsed.values() for p in problems_of(item, self._sandbox)]
        _require_values(problems)
        self._ours = {f for layer in layers if layer.label != OVERRIDE for f in layer.files}
        prompts = [key for key in self.parsed if key.partition("/")[2] in self._ours]
        self.chains = {key: self._chain(key) for key in prompts}
        _require_values([p for name in self.parsed for p in problems_with_others(self, name)])
        for name, item in self.parsed.items():
            self._compiled[name] = self._compile(name, item)

    def names(self) -> list[str]:
        """The names of the prompts, without the files that are only included or extended."""
        files = [file.removesuffix(SUFFIX) for file in self._ours]
        return sorted(name for name in files if self.has(name, "user"))

    def filters(self) -> frozenset[str]:
        """The names of the filters that templates may use."""
        return self._sandbox.offered

    def has(self, name: str, block: str) -> bool:
        """Whether a prompt has a block; raises ConfigurationError if there is no such prompt."""
        key = self._find(name)
        if key not in self._blocks:
            self._blocks[key] = blocks(self, key)
        return block in self._blocks[key]

    def describe(self, name: str) -> Description:
        """What a prompt is for, its blocks in order, its values, and which are foreign."""
        chain = [self.parsed[key] for key in self.chains[self._find(name)]]
        named = dict.fromkeys(block for item in reversed(chain) for block in item.blocks)
        documented = {
            key: text for item in reversed(chain) for key, text in item.documented.items()
        }
        values = variables(self, chain[0].name)
        return Description(
            about=chain[0].about,
            blocks=tuple(named),
            values={key: " ".join(documented.get(key, "").split()) for key in sorted(values)},
            foreign=frozenset(key for item in chain for key in foreign(item.tree)),
        )

    def render(self, name: str, block: str, values: Mapping[str, Any]) -> str:
        """The text of one block; raises ConfigurationError with file and line."""
        chain = [self._compiled[key] for key in self.chains[self._find(name)]]
        context = chain[0].new_context(dict(values))
        for parent in chain[1:]:
            for inner, function in parent.blocks.items():
                context.blocks.setdefault(inner, []).append(function)
        try:
            return rendered(lambda: context.blocks[block][0](context))
        except RecursionError as err:
            raise ConfigurationError(Problem("includes itself", self._file(chain[0]))) from err
        except Exception as err:
            raise ConfigurationError(self._failure(err, chain[0])) from err

    def resolve(self, name: str, parent: str) -> str:
        """The template that `parent` means by a name; by its own name, the one that it replaces."""
        label, _, file = parent.partition("/")
        labels = [layer.label for layer in self._layers]
        start = labels.index(label) + 1 if name == file else 0
        for layer in self._layers[start:]:
            if name in layer.files:
                return f"{layer.label}/{name}"
        raise TemplateNotFound(name)

    def _find(self, name: str) -> str:
        for layer in self._layers:
            if name + SUFFIX in layer.files and name + SUFFIX in self._ours:
                return f"{layer.label}/{name}{SUFFIX}"
        raise ConfigurationError(f"there is no prompt {name!r}")

    def _parse(self, layer: Layer, name: str) -> Parsed:
        source, file = layer.files[name], layer.shown(name)
        key = f"{layer.label}/{name}"
        try:
            parsed = Parsed(key, file, self._sandbox.parse(source, key, file), source)
        except TemplateSyntaxError as err:
            raise ConfigurationError(Problem(_message(err), file, err.lineno)) from err
        except (RecursionError, MemoryError) as err:
            raise ConfigurationError(Problem(_TOO_DEEP, file)) from err
        except ValueError as err:  # a number of thousands of digits
            raise ConfigurationError(Problem(f"is no template: {_message(err)}", file)) from err
        if parsed.depth() > _DEEPEST:
            raise ConfigurationError(Problem(_TOO_DEEP, file))
        return parsed

    def _compile(self, name: str, item: Parsed) -> Template:
        try:
            tree = bounded(item.tree, self._sandbox)
            code = self._sandbox.compile(tree, name=name, filename=item.file)
            return Template.from_code(self._sandbox, code, dict(self._sandbox.globals))
        except TemplateSyntaxError as err:
            raise ConfigurationError(Problem(_message(err), item.file, err.lineno)) from err
        except (RecursionError, MemoryError, SyntaxError) as err:
            raise ConfigurationError(Problem(_TOO_DEEP, item.file)) from err

    def _chain(self, name: str) -> list[str]:
        chain = [name]
        while (base := self.parsed[chain[-1]].extends) is not None:
            first = self.other(base, chain[-1], nodes.Extends)
            candidates = [f"{layer.label}/{base}" for layer in self._layers if base in layer.files]
            later = [
                candidate
                for candidate in candidates[candidates.index(first) :]
                if candidate not in chain
            ]
            if not later:
                raise ConfigurationError(Problem("extends itself", self.parsed[name].file))
            chain.append(later[0])
        return chain

    def other(self, name: str, parent: str, kind: type[nodes.Node]) -> str:
        """The same; raises ConfigurationError at the statement of that kind."""
        try:
            return self.resolve(name, parent)
        except TemplateNotFound as err:
            files = sorted({file for layer in self._layers for file in layer.files})
            close = get_close_matches(name, files, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            item = self.parsed[parent]
            message = f"there is no template {name!r}{hint}"
            raise ConfigurationError(item.problem(message, item.tree.find(kind))) from err

    def _file(self, template: Template) -> str:
        return str(template.filename)

    def _failure(self, err: Exception, template: Template) -> Problem:
        """Explain an error of rendering, at the innermost line of a template."""
        by_file = {compiled.filename: compiled for compiled in self._compiled.values()}
        file, line = str(template.filename), None
        trace = err.__traceback__
        while trace is not None:
            template_of_frame = by_file.get(trace.tb_frame.f_code.co_filename)
            if template_of_frame is not None:
                file, line = (
                    str(template_of_frame.filename),
                    template_of_frame.get_corresponding_lineno(trace.tb_lineno),
                )
            trace = trace.tb_next
        if isinstance(err, ConfigurationError):
            return err.problems[0]
        return Problem(_message(err), file, line)


def _message(err: BaseException) -> str:
    text = err.message if isinstance(err, TemplateError) and err.message else str(err)
    return text or type(err).__name__


def _require_values(problems: Sequence[Problem]) -> None:
    if problems:
        raise ConfigurationError(*dict.fromkeys(problems))


ROLES: tuple[Literal["system", "user"], ...] = ("system", "user")


@dataclass(frozen=True)
class PromptExample:
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
        overriding = [read_layer(OVERRIDE, override)] if override else []
        for layer in overriding:
            require_known(layer, [name for other in own for name in other.files])
        self._library = PromptLibrary([*overriding, *own])

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
        examples: Sequence[PromptExample] = (),
    ) -> tuple[ChatMessage, ...]:
        """The messages of a prompt: system, examples as questions and answers, the question.

        With `later` the question is the block ``later``, if there is one. Raises
        ConfigurationError if the values do not suit the template.
        """
        messages: list[ChatMessage] = []
        if self._library.has(name, "system"):
            messages.append(ChatMessage(role="system", content=self._text(name, "system", values)))
        for example in examples:
            shown = self._text(name, "user", {**values, **example.values})
            messages.append(ChatMessage(role="user", content=shown))
            messages.append(ChatMessage(role="assistant", content=answer_text(example.answer)))
        block = "later" if later and self._library.has(name, "later") else "user"
        messages.append(ChatMessage(role="user", content=self._text(name, block, values)))
        return tuple(message for message in messages if message.content)

    def _text(self, name: str, block: str, values: Mapping[str, Any]) -> str:
        return self._library.render(name, block, values)


def answer_text(answer: BaseModel | JsonValue) -> str:
    """An answer as a model would write it: JSON without markup and hidden characters."""
    data = answer.model_dump(mode="json") if isinstance(answer, BaseModel) else plain(answer)
    return escaped(json.dumps(data, ensure_ascii=False))
