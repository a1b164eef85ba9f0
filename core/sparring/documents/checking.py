"""Validates plain data as models; messages name the file, the line, the key and the nearest key."""

from collections.abc import Collection, Generator, Sequence, Sized
from contextlib import contextmanager
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError

from sparring.documents.reading import Document, Key, dotted
from sparring.errors import ConfigurationError, Problem, nearest_hint

ModelT = TypeVar("ModelT", bound=BaseModel)

_SHOWN = 60

_FIXED = ("model_type", "model_attributes_type")
_SHAPES = {
    **dict.fromkeys((*_FIXED, "dict_type"), "a mapping"),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), "a list"),
}
"""What pydantic's errors about a value's type expect, in the words of YAML."""

_MOST_KEYS = 6


def checked(
    model: type[ModelT],
    document: Document,
    at: Sequence[Key] = (),
    *,
    data: Any = None,
    beside: Collection[str] = (),
) -> ModelT:
    """Validate the data at a path; raises ConfigurationError with a problem per error.

    `data` replaces the data at the path (for example with environment references expanded).
    `beside` are keys that belong there too, though not to the model: a misspelt key may be one.
    """
    value = at_path(document.data, at) if data is None else data
    if not isinstance(value, (dict, BaseModel)):
        what = "is empty" if value is None else f"expected keys and values, found {shown(value)}"
        raise ConfigurationError(document.problem(what, at))
    try:
        return model.model_validate(value)
    except ValidationError as err:
        raise ConfigurationError(*explain(err, model, document, at, value, beside)) from err


@contextmanager
def located(document: Document | None, at: Sequence[Key]) -> Generator[None]:
    """Give problems that name no file the place in a document that asked for what went wrong.

    A problem's own key is one below that place.
    """
    try:
        yield
    except ConfigurationError as err:
        if document is None:
            raise
        raise ConfigurationError(
            *(placed(problem, document, at) for problem in err.problems)
        ) from err


def placed(problem: Problem, document: Document, at: Sequence[Key]) -> Problem:
    """A problem that names no file with its place in a document: its own key is one below."""
    if problem.file:
        return problem
    return document.problem(
        problem.message, (*at, *(problem.key.split(".") if problem.key else ()))
    )


def at_path(data: Any, at: Sequence[Key]) -> Any:
    """The part of plain data at a path; raises KeyError, IndexError or TypeError."""
    for key in at:
        data = data[key]
    return data


def shown(value: Any) -> str:
    """A value for a message, short and on one line."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."


def nearest(name: str, known: Sequence[str]) -> str:
    """The end of a message about an unknown name: the nearest valid one, and all of them."""
    return f"{nearest_hint(name, known)} Known: {', '.join(sorted(known)) or 'none'}."


def explain(
    err: ValidationError,
    model: type[BaseModel],
    document: Document,
    at: Sequence[Key],
    value: Any,
    beside: Collection[str] = (),
) -> list[Problem]:
    """One problem per error of pydantic's, in the order of the file."""
    problems: list[Problem] = []
    for item in err.errors(include_url=False, include_context=True):
        inside = _real_path(item["loc"], value, item["type"])
        problems.append(_problem(item, inside, model, document, at, beside))
    unique = list(dict.fromkeys(problems))
    return sorted(unique, key=lambda problem: problem.line or 0)


def _problem(
    item: Any,
    inside: tuple[Key, ...],
    model: type[BaseModel],
    document: Document,
    at: Sequence[Key],
    beside: Collection[str],
) -> Problem:
    path = (*at, *inside)
    if item["type"] == "extra_forbidden":
        keys = sorted({*_known_keys(model, inside[:-1]), *(beside if len(inside) == 1 else ())})
        message = f"unknown key.{nearest(str(inside[-1]), keys)}" if keys else "unknown key"
        if item["input"] is None and "Did you mean" not in message:  # YAML's {text: one, two}
            message = f"{message.rstrip('.')}. A text with a comma in it has to be quoted."
        return Problem(message, document.file, document.line(path), dotted(path))
    if item["type"] == "missing":
        # `usee: python` is no unknown key: what belongs to a plugin that nobody named is not known.
        close = get_close_matches(str(path[-1]), map(str, item["input"]), n=1)
        message = f"missing. Is {close[0]!r} meant for it?" if close else "missing"
        return Problem(message, document.file, document.line(path[:-1]), dotted(path))
    if item["type"] in _SHAPES:
        text = f"expected {_SHAPES[item['type']]}{_with_keys(item['type'], model, inside)}"
    else:
        text = str(item["msg"]).removeprefix("Value error, ")
        text = text[:1].lower() + text[1:]
    if item["type"] != "value_error":
        text += f", found {shown(_mask_environment(document, path, item['input']))}"
    return Problem(text, document.file, document.line(path), dotted(path) or None)


def _with_keys(kind: str, model: Any, inside: tuple[Key, ...]) -> str:
    """Some of the keys that a mapping may have, if they are fixed."""
    keys = sorted(_known_keys(model, inside)) if kind in _FIXED else []
    return f" with keys such as {', '.join(keys[:_MOST_KEYS])}" if keys else ""


def _mask_environment(document: Document, path: Sequence[Key], value: Any) -> Any:
    """The value as the file has it if it refers to the environment, which may be secret."""
    try:
        raw: Any = at_path(document.data, path)
    except (LookupError, TypeError):
        return value
    refers = type(raw) in (list, dict) or (isinstance(raw, str) and "${" in raw)
    return raw if refers else value


def _real_path(loc: Sequence[Key], value: Any, kind: str) -> tuple[Key, ...]:
    """The part of pydantic's location that exists in the data (it adds tags of unions)."""
    path: list[Key] = []
    for index, key in enumerate(loc):
        if _holds(value, key):
            value = value[key]
            path.append(key)
        elif index == len(loc) - 1 and kind == "missing":
            path.append(key)
    return tuple(path)


def _holds(value: Any, key: Key) -> bool:
    if isinstance(value, dict):
        return key in value
    return isinstance(value, list) and isinstance(key, int) and key < len(cast("Sized", value))


def _known_keys(model: Any, path: Sequence[Key]) -> set[str]:
    """The keys that the models at a path accept."""
    models, in_map = models_in(model), False
    for key in path:
        if isinstance(key, int) or in_map:
            in_map = False
            continue  # the models of a list or a map are those of its items
        annotations = [
            info.annotation
            for outer in models
            for name, info in outer.model_fields.items()
            if key in (name, info.alias)
        ]
        models = [inner for annotation in annotations for inner in models_in(annotation)]
        in_map = any(get_origin(annotation) is dict for annotation in annotations)
    return {
        info.alias or name
        for annotations in models
        for name, info in annotations.model_fields.items()
    }


def models_in(annotation: Any) -> list[type[BaseModel]]:
    """The pydantic models inside an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    origin = get_origin(annotation)
    if origin in (Union, UnionType, Annotated, list, tuple, dict, set, frozenset):
        return [found for arg in get_args(annotation) for found in models_in(arg)]
    return []
