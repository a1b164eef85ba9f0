"""The language of prompt templates: a small part of Jinja, bounded in time and memory.

Templates may come from somebody else, as part of a suite. They can show values, choose and
repeat; they cannot call methods, keep state from one loop to the next, or build large things:
every loop, operator and joined text is counted.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from datetime import date, time
from typing import Any, cast

from jinja2 import BaseLoader, Environment, StrictUndefined, Template, TemplateNotFound
from jinja2.exceptions import TemplateRuntimeError
from jinja2.runtime import Context, LoopContext, Undefined
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel

from sparring_plugins.prompting.data_blocks import Inert, block, clipped, fields, undelimited

# How much a template may do while one message is rendered.

LONGEST = 1_000_000
"""Characters of one rendered message, and of any text on the way to it."""

STEPS = 100_000
"""Turns of loops, operators and calls of one rendered message; an included file is 100."""

RANGE = 1_000
"""The most numbers that ``range`` gives."""

_BITS = 1_000
_BEFORE = re.compile(r"(?<=\S)[ \t]*(?=<data>\n)")
_AFTER = re.compile(r"(?<=\n</data>)[ \t]*(?=[^\s])")


class TemplateRefused(TemplateRuntimeError):
    """A template does what templates may not do, or too much of it."""


_left: ContextVar[list[int]] = ContextVar("left")


def spend(steps: int = 1) -> None:
    """Count steps of the message being rendered; raises TemplateRefused if none are left."""
    left = _left.get()
    left[0] -= steps
    if left[0] < 0:
        raise TemplateRefused(f"takes more than {STEPS:,} steps: are there loops in loops?")


def rendered(pieces: Callable[[], Iterator[str]]) -> str:
    """The text of a template's pieces, rendered within a new budget."""
    token = _left.set([STEPS])
    try:
        text = gathered(pieces())
        return _AFTER.sub("\n", _BEFORE.sub("\n", text)).strip()  # blocks have their own lines
    finally:
        _left.reset(token)


def gathered(parts: Iterable[str]) -> Inert:
    """Rendered parts as one text; raises TemplateRefused if it gets too long."""
    texts: list[str] = []
    size = 0
    for part in parts:
        size += len(part)
        require_short(size)
        texts.append(part)
    return Inert("".join(texts))


def counted(items: Iterable[Any]) -> Iterator[Any]:
    """The items, each of them a step."""
    for item in items:
        spend()
        yield item


def numbers(*limits: int) -> range:
    """``range``, of no more than `RANGE` numbers."""
    span = range(*limits)
    if len(span) > RANGE:
        raise TemplateRefused(f"wants {len(span):,} numbers, and range() gives at most {RANGE:,}")
    return span


def require_short(size: int) -> None:
    """Raise TemplateRefused if a text would be too long."""
    if size > LONGEST:
        raise TemplateRefused(f"makes a text of more than {LONGEST:,} characters")


def require_small(operator: str, left: Any, right: Any) -> None:
    """Raise TemplateRefused for operands that an operator could blow up."""
    if operator == "+" and isinstance(left, str) and isinstance(right, str):
        require_short(len(left) + len(right))
        return
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        kinds = f"{type(left).__name__} {operator} {type(right).__name__}"
        raise TemplateRefused(
            f"cannot work out {kinds}: operators are for numbers, and + for two texts"
        )
    if operator == "**" and not 0 <= right <= _BITS:
        raise TemplateRefused(f"cannot work out a power with the exponent {right:.6g}")
    if _bits(left) * (max(right, 1) if operator == "**" else 1) + _bits(right) > _BITS:
        raise TemplateRefused("works with numbers that are too large")


def _bits(number: float) -> int:
    return max(number.bit_length(), 1) if isinstance(number, int) else 64


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
            finalize=_show,
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
        self.filters = {**allowed, **own, COUNTED: counted, JOINED: _join_filter}
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
        if isinstance(argument, str) and _is_readable(obj, argument):
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
JOINED = "_join_filter"


def _join_filter(parts: Iterable[Any]) -> Inert:
    spend()
    return gathered(_show(part) for part in parts)


def _join(items: Iterable[Any], between: str = "") -> Inert:
    def parts() -> Iterator[str]:
        for number, item in enumerate(counted(items)):
            yield _show(between) if number else ""
            yield _show(item)

    return gathered(parts())


def _replace(text: Any, old: str, new: str) -> str:
    plain = str(text)
    if not old:
        raise TemplateRefused("cannot replace nothing: `replace` wants a text to look for")
    require_short(len(plain) + plain.count(old) * len(new))
    return plain.replace(old, new)


def _round(number: float, digits: int = 0) -> float:
    return round(float(number), max(-15, min(digits, 15)))


def _is_readable(obj: Any, name: str) -> bool:
    if isinstance(obj, BaseModel):
        return name in fields(obj)
    counters = {"index", "index0", "revindex", "revindex0", "first", "last", "length"}
    return isinstance(obj, LoopContext) and name in counters


def _show(value: Any) -> str:
    """Show a value outside of a data block; the last step of every ``{{ }}``."""
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
    raise TemplateRefused(
        f"shows a {type(value).__name__} as it is: write `| data`, or `| join(', ')`"
    )
