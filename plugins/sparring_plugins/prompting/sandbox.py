"""The language of prompt templates: a small part of Jinja, bounded in time and memory.

Templates may come from somebody else, as part of a suite. They can show values, choose and
repeat; they cannot call methods, keep state from one loop to the next, or build large things:
every loop, operator and joined text is counted.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, time
from typing import Any, cast

from jinja2 import BaseLoader, Environment, StrictUndefined, Template, TemplateNotFound
from jinja2.runtime import Context, LoopContext, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel

from sparring_plugins.prompting.data_blocks import Inert, block
from sparring_plugins.prompting.escaping import undelimited
from sparring_plugins.prompting.plain_data import clipped, fields
from sparring_plugins.prompting.render_limits import (
    Refused,
    counted,
    gathered,
    numbers,
    require_short,
    require_small,
    spend,
)

LONGEST_INLINE = 20_000
"""Characters of a value that is shown outside of a data block."""

_FILTERS = """
    abs capitalize count d default dictsort first float int items last length list lower map max
    min reject rejectattr reverse select selectattr sort string title trim truncate unique upper
    wordcount
"""
_TESTS = """
    defined undefined none true false boolean string number integer float mapping iterable sequence
    odd even divisibleby lower upper in == eq equalto != ne > gt greaterthan >= ge < lt lessthan
    <= le
"""
_OPERATORS = frozenset({"+", "-", "*", "/", "//", "%", "**"})


class Sandbox(ImmutableSandboxedEnvironment):
    """The environment that templates are compiled and rendered in."""

    intercepted_binops = _OPERATORS
    concat = staticmethod(gathered)  # joins what blocks give to `super()`

    def __init__(self, loader: BaseLoader, resolve: Callable[[str, str], str]) -> None:
        super().__init__(
            loader=loader,
            undefined=StrictUndefined,
            finalize=_shown,
            autoescape=False,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            cache_size=0,
            optimized=False,
        )
        self._resolve = resolve
        self.globals = {"range": numbers}
        self.offered = frozenset({*_FILTERS.split(), "data", "join", "replace", "round"})
        self.tested = frozenset(_TESTS.split())
        filters: dict[str, Any] = self.filters  # pyright: ignore[reportUnknownMemberType]
        tests: dict[str, Any] = self.tests  # pyright: ignore[reportUnknownMemberType]
        allowed = {name: filters[name] for name in _FILTERS.split()}
        own = {"data": block, "join": _join, "replace": _replace, "round": _round}
        self.filters = {**allowed, **own, COUNTED: counted, JOINED: _joined}
        self.tests = {name: tests[name] for name in _TESTS.split()}

    def join_path(self, template: str, parent: str) -> str:
        """Where a file that another one names is found; each look is counted."""
        spend(100)
        return self._resolve(template, parent)

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A key of a mapping, a field of a model, a counter of a loop; nothing else."""
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        """An item of a mapping or list; texts name fields of models and counters of loops."""
        if isinstance(obj, Mapping):
            items = cast("Mapping[Any, Any]", obj)
            return items[argument] if argument in items else self.undefined(obj=obj, name=argument)
        if isinstance(obj, (str, list, tuple)) and isinstance(argument, int):
            return self._item(cast("list[Any]", obj), argument)
        if isinstance(argument, str) and _may_be_read(obj, argument):
            return getattr(cast("object", obj), argument)
        return self.undefined(obj=obj, name=argument)

    def _item(self, items: Sequence[Any], index: int) -> Any:
        inside = -len(items) <= index < len(items)
        return items[index] if inside else self.undefined(f"there is no item {index}")

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        """An operator, on operands that it cannot blow up."""
        spend()
        require_small(operator, left, right)
        return super().call_binop(context, operator, left, right)

    def is_safe_callable(self, obj: Any) -> bool:
        """Only ``range`` and ``super`` may be called (see `grammar`)."""
        return obj is numbers or type(obj).__name__ == "BlockReference"


class Compiled(BaseLoader):
    """Gives an environment the templates that were compiled before."""

    def __init__(self, templates: Mapping[str, Template]) -> None:
        self._templates = templates

    def load(self, environment: Environment, name: str, globals: Any = None) -> Template:
        """The template of a name."""
        if name not in self._templates:
            raise TemplateNotFound(name)
        return self._templates[name]


COUNTED = "_counted"
JOINED = "_joined"


def _joined(parts: Iterable[Any]) -> Inert:
    spend()
    return gathered(_shown(part) for part in parts)


def _join(items: Iterable[Any], between: str = "") -> Inert:
    def parts() -> Iterator[str]:
        for number, item in enumerate(counted(items)):
            yield _shown(between) if number else ""
            yield _shown(item)

    return gathered(parts())


def _replace(text: Any, old: str, new: str) -> str:
    plain = str(text)
    if not old:
        raise Refused("cannot replace nothing: `replace` wants a text to look for")
    require_short(len(plain) + plain.count(old) * len(new))
    return plain.replace(old, new)


def _round(number: float, digits: int = 0) -> float:
    return round(float(number), max(-15, min(digits, 15)))


def _may_be_read(obj: Any, name: str) -> bool:
    if isinstance(obj, BaseModel):
        return name in fields(obj)
    counters = {"index", "index0", "revindex", "revindex0", "first", "last", "length"}
    return isinstance(obj, LoopContext) and name in counters


def _shown(value: Any) -> str:
    """What a value looks like outside of a data block; the last step of every ``{{ }}``."""
    if isinstance(value, Inert):
        return value
    if isinstance(value, Undefined):
        return str(value)  # raises, and says which name is not known
    if isinstance(value, str):
        return undelimited(clipped(value, LONGEST_INLINE))
    if isinstance(value, (bool, int, float)) or value is None:
        return str(value)
    if isinstance(value, (date, time)):
        return value.isoformat()
    raise Refused(f"shows a {type(value).__name__} as it is: write `| data`, or `| join(', ')`")
