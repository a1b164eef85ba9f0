"""Templates of several folders as one library: checked and compiled at once, rendered by block."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from jinja2 import Template, TemplateError, TemplateNotFound, TemplateSyntaxError, nodes

from sparring.errors import ConfigurationError, Problem
from sparring_plugins.prompting.render_limits import rendered
from sparring_plugins.prompting.sandbox import Compiled, Sandbox
from sparring_plugins.prompting.template_checks import Parsed, bounded, problems_of
from sparring_plugins.prompting.template_folders import OVERRIDE, SUFFIX, Layer
from sparring_plugins.prompting.template_overrides import blocks, problems_with_others, variables
from sparring_plugins.prompting.untrusted_variables import foreign


@dataclass(frozen=True)
class Description:
    """A prompt for its readers; `foreign` are the values that stand in data blocks only."""

    about: str
    blocks: tuple[str, ...]
    values: dict[str, str]
    foreign: frozenset[str]


_DEEPEST = 60
_TOO_DEEP = "is nested too deeply: statements in statements, or a very long expression"


class Library:
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
        _require(problems)
        self._ours = {f for layer in layers if layer.label != OVERRIDE for f in layer.files}
        prompts = [key for key in self.parsed if key.partition("/")[2] in self._ours]
        self.chains = {key: self._chain(key) for key in prompts}
        _require([p for name in self.parsed for p in problems_with_others(self, name)])
        for name, item in self.parsed.items():
            self._compiled[name] = self._compile(name, item)

    def names(self) -> list[str]:
        """The names of the prompts, without the files that are only included or extended."""
        found = [file.removesuffix(SUFFIX) for file in self._ours]
        return sorted(name for name in found if self.has(name, "user"))

    def filters(self) -> frozenset[str]:
        """The names of the filters that templates may use."""
        return self._sandbox.offered

    def has(self, name: str, block: str) -> bool:
        """Whether a prompt has a block; raises ConfigurationError where there is no such prompt."""
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
        """The template that `parent` means by a name: of its own name, the one that it replaces."""
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
        while (wanted := self.parsed[chain[-1]].extends) is not None:
            first = self.other(wanted, chain[-1], nodes.Extends)
            found = [f"{layer.label}/{wanted}" for layer in self._layers if wanted in layer.files]
            later = [one for one in found[found.index(first) :] if one not in chain]
            if not later:
                raise ConfigurationError(Problem("extends itself", self.parsed[name].file))
            chain.append(later[0])
        return chain

    def other(self, wanted: str, parent: str, kind: type[nodes.Node]) -> str:
        """The same; raises ConfigurationError at the statement of that kind."""
        try:
            return self.resolve(wanted, parent)
        except TemplateNotFound as err:
            files = sorted({file for layer in self._layers for file in layer.files})
            close = get_close_matches(wanted, files, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            item = self.parsed[parent]
            message = f"there is no template {wanted!r}{hint}"
            raise ConfigurationError(item.problem(message, item.tree.find(kind))) from err

    def _file(self, template: Template) -> str:
        return str(template.filename)

    def _failure(self, err: Exception, template: Template) -> Problem:
        """What went wrong while a template was rendered, at the innermost line of a template."""
        by_file = {one.filename: one for one in self._compiled.values()}
        file, line = str(template.filename), None
        trace = err.__traceback__
        while trace is not None:
            found = by_file.get(trace.tb_frame.f_code.co_filename)
            if found is not None:
                file, line = str(found.filename), found.get_corresponding_lineno(trace.tb_lineno)
            trace = trace.tb_next
        if isinstance(err, ConfigurationError):
            return err.problems[0]
        return Problem(_message(err), file, line)


def _message(err: BaseException) -> str:
    text = err.message if isinstance(err, TemplateError) and err.message else str(err)
    return text or type(err).__name__


def _require(problems: Sequence[Problem]) -> None:
    if problems:
        raise ConfigurationError(*dict.fromkeys(problems))
