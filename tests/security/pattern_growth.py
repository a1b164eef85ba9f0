"""Finds regular expressions whose time grows faster than the text that they read.

Texts are made from a pattern itself: what comes before each unbounded repeat once, what the repeat
takes many times, and then something that does not fit. `(a+)+b` and `\\s+x` (searched) show up by
the ratio of two processor times: eight times the text may take eight times as long.
"""

import ast
import builtins
import functools
import importlib
import inspect
import math
import re
import re._constants as constants  # the parsed form of patterns has no public door
import re._parser as parser
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import thread_time
from typing import Any

import sparring
import sparring_connectors
import sparring_plugins

SEARCHES = frozenset({"search", "finditer", "findall", "sub", "subn", "split"})
METHODS = SEARCHES | {"match", "fullmatch"}

SHORT, LONG = 1_500, 12_000
"""Characters of the two texts."""

LEAST_S = 0.01
"""Seconds from which a time for the longer text counts: a linear pattern takes a tenth of it."""

RATIO = 20.0
"""Times as long for eight times the text: 8 is linear, 64 quadratic."""

_GIVEN_UP_S = 0.3

Attack = tuple[str, str]
"""What comes first, and what is repeated."""


@dataclass(frozen=True)
class Source:
    """A pattern, the places in the source that it is from, and how it is used there."""

    pattern: str
    flags: int
    places: tuple[str, ...]
    methods: frozenset[str]


@dataclass(frozen=True)
class Growth:
    """The worst that was found about a pattern."""

    source: Source
    attack: Attack
    method: str
    ratio: float
    seconds: float

    def __str__(self) -> str:
        first, unit = self.attack
        return (
            f"{self.source.places[0]}: {self.source.pattern[:120]!r}: {self.method} of "
            f"{first!r} + {unit!r} * n takes {self.ratio:.0f} times as long for 8 times the text"
        )


# The patterns of the source: literal ones, and those that modules and cached functions hold.


def sources(folders: list[str]) -> list[Source]:
    """The patterns in some folders of the source, such as ``sparring_plugins/rules``."""
    methods: dict[tuple[str, int], set[str]] = {}
    places: dict[tuple[str, int], set[str]] = {}
    for path, module in _modules(folders):
        for pattern, flags, place, used in _written(path):
            methods.setdefault((pattern, flags), set()).update(used)
            places.setdefault((pattern, flags), set()).add(place)
        for pattern, flags, place, used in _built(path, module):
            methods.setdefault((pattern, flags), set()).update(used)
            places.setdefault((pattern, flags), set()).add(place)
        for compiled in _compiled(module):
            key = (compiled.pattern, compiled.flags & ~re.UNICODE)
            methods.setdefault(key, set())
            places.setdefault(key, set()).add(path.name)
    return [
        Source(*key, tuple(sorted(places[key])), frozenset(used or {"search", "match"}))
        for key, used in methods.items()
    ]


def _modules(folders: list[str]) -> Iterator[tuple[Path, str]]:
    for package in (sparring, sparring_plugins, sparring_connectors):
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*.py")):
            name = path.relative_to(root.parent)
            if "testing" in name.parts or path.stem == "__main__":
                continue
            if any(name.is_relative_to(folder) for folder in folders):
                yield path, ".".join(name.with_suffix("").parts).removesuffix(".__init__")


def _written(path: Path) -> Iterator[tuple[str, int, str, set[str]]]:
    """Literal patterns of a file, with the methods that names of compiled ones are used by."""
    tree = ast.parse(path.read_text())
    uses = _uses(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method),
                args=[ast.Constant(value=str(pattern)), *_],
            ):
                used = {method} if method in METHODS else uses.get(id(node), set())
                yield pattern, _flags(node, method), f"{path.name}:{node.lineno}", used
            case _:
                pass


def _uses(tree: ast.AST) -> dict[int, set[str]]:
    """The methods by which a name is used that the value of a call is given, by id of the call."""
    methods: dict[str, set[str]] = {}
    names: dict[int, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=method) if method in METHODS:
                methods.setdefault(name, set()).add(method)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                names[id(call)] = name
            case _:
                pass
    return {call: methods.get(name, set()) for call, name in names.items()}


class _Samples(dict[str, Any]):
    """The names that an expression may use; those that only a call has stand for a word."""

    def __init__(self, names: dict[str, Any], local: dict[str, list[ast.expr]]) -> None:
        super().__init__(names)
        self._local = local

    def __missing__(self, name: str) -> Any:
        for written in self._local.pop(name, []):  # popped: a name may stand in its own value
            with suppress(Exception):
                return _value_of(written, self)
        if hasattr(builtins, name):
            raise KeyError(name)
        return "word"


def _built(path: Path, module: str) -> Iterator[tuple[str, int, str, set[str]]]:
    """Patterns that are put together, such as ``re.match(f"{_ARTICLE}(.+?)$", part)`` in a function.

    They are evaluated with the names of their module, and the variables of their function if these
    can be evaluated; an argument of the function is a word.
    """
    try:
        names = vars(importlib.import_module(module))
    except (ImportError, SystemExit, TypeError):
        return
    tree = ast.parse(path.read_text())
    uses = _uses(tree)
    functions = [
        node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    seen: set[int] = set()
    for scope in (*functions, tree):
        local: dict[str, list[ast.expr]] = {}
        for node in ast.walk(scope):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if scope is not tree:
                    local.setdefault(name, []).append(value)
                case _:
                    pass
        for call, method in _calls_with_built_patterns(scope):
            if id(call) in seen:  # of a function, with its variables
                continue
            seen.add(id(call))
            with suppress(Exception):
                value = _value_of(call.args[0], _Samples(names, dict(local)))
                pattern = value.pattern if isinstance(value, re.Pattern) else value
                if isinstance(pattern, str) and pattern != "word":
                    flags = _flags(call, method)
                    re.compile(pattern, flags)
                    used = {method} if method in METHODS else uses.get(id(call), set())
                    yield pattern, flags, f"{path.name}:{call.lineno}", used


def _calls_with_built_patterns(scope: ast.AST) -> Iterator[tuple[ast.Call, str]]:
    for node in ast.walk(scope):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=method), args=[pattern, *_]
            ) if method in METHODS | {"compile"} and not isinstance(pattern, ast.Constant):
                yield node, method
            case _:
                pass


def _value_of(written: ast.expr, names: _Samples) -> Any:
    expression = ast.fix_missing_locations(ast.Expression(written))
    return eval(compile(expression, "<pattern>", "eval"), {"__builtins__": builtins}, names)


def _flags(call: ast.Call, method: str) -> int:
    position = {"compile": 1, "split": 3, "sub": 4, "subn": 4}.get(method, 2)
    written = [ast.unparse(keyword.value) for keyword in call.keywords if keyword.arg == "flags"]
    written += [ast.unparse(argument) for argument in call.args[position : position + 1]]
    flags = 0
    for text in written:
        for name in re.findall(r"re\.([A-Z]+)", text):
            flags |= getattr(re, name)
    return int(flags)


def _compiled(module: str) -> Iterator[re.Pattern[str]]:
    """The patterns that a module holds, also those that its functions make once."""
    try:
        held = list(vars(importlib.import_module(module)).values())
    except (ImportError, SystemExit, TypeError):  # a runner of its own, or without its extra
        return
    for value in held:
        if isinstance(value, functools._lru_cache_wrapper) and value.__module__ == module:
            with suppress(Exception):
                if not inspect.signature(value).parameters:
                    yield from _patterns_in(value())
        yield from _patterns_in(value)


def _patterns_in(value: Any, depth: int = 0) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth < 3 and isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _patterns_in(item, depth + 1)
    elif depth < 3 and isinstance(value, dict):
        for item in value.values():
            yield from _patterns_in(item, depth + 1)
    elif depth < 3 and hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from _patterns_in(getattr(value, name, None), depth + 1)


# Texts that are made for one pattern.

_PROBES = " \n\taA0_-.,:(!\"'\u00e9{<[/+$?*\u20ac"
_ANYWHERE = (" ", "\n", "a", "A", "0", "\u00e9", "a ", "a\n", ".", "-")


def attacks(source: Source) -> list[Attack]:
    """Texts on which the pattern may be slow."""
    parsed = list(parser.parse(source.pattern, source.flags))
    texts = dict.fromkeys(_attacks(parsed, [""]))
    for text in _samples_of(parsed)[:4]:
        for size in (1, 2, 3, len(text) // 2, len(text) - 1):
            texts[("", text[: max(size, 0)])] = None
    texts |= dict.fromkeys(("", text) for text in _ANYWHERE)
    return [attack for attack in texts if attack[1]]


def _attacks(items: list[Any], before: list[str]) -> Iterator[Attack]:
    for number, (op, argument) in enumerate(items):
        first = before
        if number:
            first = [text + more for text in before for more in _samples_of(items[:number])[:3]][:4]
        if str(op) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            _, most, inside = argument
            if most is constants.MAXREPEAT or most >= 30:
                for unit in filter(None, _samples_of(inside)):
                    yield "", unit
                    yield from ((text, unit) for text in first)
                    yield from (("", text + unit) for text in first)
        for inside in _inner(str(op), argument):
            yield from _attacks(list(inside), first)


def _inner(op: str, argument: Any) -> list[Any]:
    match op:
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [argument[2]]
        case "SUBPATTERN":
            return [argument[3]]
        case "BRANCH":
            return list(argument[1])
        case "ASSERT" | "ASSERT_NOT":
            return [argument[1]]
        case "ATOMIC_GROUP":
            return [argument]
        case _:
            return []


def _samples_of(items: Any) -> list[str]:
    """A few short texts that a sequence of parsed items matches, assertions aside."""
    texts = [""]
    for op, argument in items:
        texts = [text + more for text in texts for more in _samples(str(op), argument)][:6]
    return texts


def _samples(op: str, argument: Any) -> list[str]:
    match op:
        case "LITERAL":
            return [chr(argument)]
        case "NOT_LITERAL":
            return [character for character in "a b" if ord(character) != argument][:2]
        case "ANY":
            return ["a", " "]
        case "IN":
            return _members(argument)
        case "BRANCH":
            options = (text for option in argument[1] for text in _samples_of(option)[:2])
            return list(dict.fromkeys(options))[:6]
        case "SUBPATTERN":
            return _samples_of(argument[3])
        case "ATOMIC_GROUP":
            return _samples_of(argument)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            least, _, inside = argument
            return [text * max(least, 1) for text in _samples_of(inside)[:3]] + [""] * (least == 0)
        case _:
            return [""]


def _members(choices: Any) -> list[str]:
    """Characters of a class: a blank, a letter, a digit and a sign, as far as it has them."""
    held = [character for character in _PROBES if _is_member(choices, character)]
    held += [chr(argument) for op, argument in choices if str(op) == "LITERAL"]
    kinds: list[Callable[[str], bool]] = [str.isspace, str.isalpha, str.isdigit, lambda _: True]
    picked: dict[str, None] = {}
    for is_kind in kinds:
        picked |= dict.fromkeys([c for c in held if is_kind(c) and c not in picked][:1])
    return list(picked) or ["a"]


def _is_member(choices: Any, character: str) -> bool:
    negated = any(str(op) == "NEGATE" for op, _ in choices)
    return negated != any(_takes(str(op), argument, character) for op, argument in choices)


def _takes(op: str, argument: Any, character: str) -> bool:
    match op:
        case "LITERAL":
            return ord(character) == argument
        case "RANGE":
            return bool(argument[0] <= ord(character) <= argument[1])
        case "CATEGORY":
            name = str(argument)
            kind = {
                "DIGIT": character.isdigit(),
                "SPACE": character.isspace(),
                "WORD": character.isalnum() or character == "_",
            }.get(name.rpartition("_")[2], False)
            return kind != ("NOT" in name)
        case _:
            return False


# Measuring.


class _GivenUp(BaseException):
    pass


def growth_of(source: Source) -> Growth | None:
    """The worst that is found about a pattern; `None` if its time grows as the text does."""
    compiled = re.compile(source.pattern, source.flags)
    ways = {"finditer" if method in SEARCHES else method for method in source.methods}
    for attack in attacks(source):
        for end in ("", "\x01", "!"):
            for way in sorted(ways):
                run = _runner(compiled, way)
                ratio, seconds = growth(run, lambda n, a=attack, e=end: _text(a, e, n))
                if seconds:
                    return Growth(source, attack, way, ratio, seconds)
    return None


def _text(attack: Attack, end: str, size: int) -> str:
    first, unit = attack
    return first + unit * (size // len(unit)) + end


def _runner(compiled: re.Pattern[str], way: str) -> Callable[[str], object]:
    method = getattr(compiled, way)
    return (lambda text: sum(1 for _ in method(text))) if way == "finditer" else method


def growth(
    run: Callable[[str], object],
    text: Callable[[int], str],
    sizes: tuple[int, int] = (SHORT, LONG),
    given_up_s: float = _GIVEN_UP_S,
) -> tuple[float, float]:
    """How many times as long the longer text takes, and its seconds; 0 seconds if that is linear.

    What seems to grow too fast is measured again: collecting garbage in between does, too.
    """
    short, long = text(sizes[0]), text(sizes[1])
    worst = (0.0, 0.0)
    for _ in range(3):
        seconds = _seconds(run, long, given_up_s)
        if seconds < LEAST_S:
            return 0.0, 0.0
        if seconds >= given_up_s:
            return math.inf, seconds
        ratio = seconds / max(_seconds(run, short, given_up_s), 1e-6)
        if ratio < RATIO:
            return ratio, 0.0
        worst = (ratio, seconds)
    return worst


def _seconds(run: Callable[[str], object], text: str, given_up_s: float) -> float:
    """Processor time of a call; no more than `given_up_s`, after which it is broken off."""
    before = signal.signal(signal.SIGPROF, _give_up)
    began = thread_time()
    try:
        signal.setitimer(signal.ITIMER_PROF, given_up_s)
        run(text)
        signal.setitimer(signal.ITIMER_PROF, 0)
        return thread_time() - began
    except _GivenUp:
        return given_up_s
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _give_up(*_: object) -> None:
    raise _GivenUp


if __name__ == "__main__":
    for pattern_source in sources(sys.argv[1:] or ["."]):
        if (worst_growth := growth_of(pattern_source)) is not None:
            print(worst_growth, flush=True)  # noqa: T201
