"""Starts of suites for an app of the user's own, and the few questions that each asks.

A start is a folder of templates with a ``start.yaml``. In a template ``@@name@@`` stands for an
answer and ``@@"a text with {name}"@@`` for a text with answers in it; both become one quoted
text, which YAML reads as it is, whatever somebody typed.
"""

import json
import os
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import BaseModel, ConfigDict

from sparring.documents.checking import checked, nearest
from sparring.documents.reading import parse
from sparring.errors import ConfigurationError

DESCRIPTION = "start.yaml"
# `@@"http://127.0.0.1:8000"@@` is a quoted text with its default, `@@name@@` a bare one.
_PLACE = re.compile(r'@@(?:"([^"\n]*)"|(\w+))@@')
_EXAMPLE = ".txt"
"""The ending of files of code among the templates: they are written without it, if not there."""


class Question(BaseModel):
    """A question: `path` says that the answer begins with a file or folder, seen from here.

    `data` says that the answer is JSON or YAML, with these texts in it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    ask: str
    default: str
    path: bool = False
    data: tuple[str, ...] = ()


class Start(BaseModel):
    """A start: what kind of app it is `about`, its questions, and what to do `next`.

    `stand_in` are the answers, up to a colon, with which example code is written: a stand-in for
    the app, so that the suite runs at once.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str
    questions: tuple[Question, ...]
    next: tuple[str, ...]
    stand_in: Mapping[str, str] = {}

    def unknown(self, name: str) -> ConfigurationError:
        """The error for an answer to a question that is not asked."""
        hint = nearest(name, [question.name for question in self.questions])
        return ConfigurationError(f"--answer {name}: there is no such question.{hint}")


def start_folder() -> Traversable:
    """The folder of all starts."""
    return files("sparring_plugins.project").joinpath("suite_starts")


@cache
def start_names() -> tuple[str, ...]:
    """The kinds of apps that there is a start for, sorted."""
    return tuple(sorted(item.name for item in start_folder().iterdir() if item.is_dir()))


def read_start(kind: str) -> Start:
    """Return a start; raises ConfigurationError for an unknown kind."""
    if kind not in start_names():
        raise ConfigurationError(f"--for {kind}: no start.{nearest(kind, start_names())}")
    text = start_folder().joinpath(kind, DESCRIPTION).read_text(encoding="utf-8")
    return checked(Start, parse(text, f"{kind}/{DESCRIPTION}"))


def start_files(kind: str, answers: Mapping[str, Any], folder: Path) -> dict[Path, str]:
    """Return the files of a start, filled in, by their paths below `folder`.

    Example code is left out if a file of its name is there already.
    """
    stand_in = read_start(kind).stand_in
    is_wanted = all(answers[name].partition(":")[0] == text for name, text in stand_in.items())
    texts: dict[Path, str] = {}
    for path, template in _walk(start_folder().joinpath(kind), Path()):
        target = path.with_suffix("") if path.suffix == _EXAMPLE else path
        if path.suffix == _EXAMPLE and (not is_wanted or (folder / target.parts[0]).exists()):
            continue
        texts[target] = fill(template.read_text(encoding="utf-8"), answers)
    return texts


def read_data(question: Question, answer: str) -> Any:
    """Return an answer that is JSON or YAML as data; raises ConfigurationError if it is none."""
    where = f"--answer {question.name}"
    data = parse(answer, where).data
    missing = [text for text in question.data if text not in answer]
    if not isinstance(data, dict) or missing:
        wanted = " and ".join((*missing, "keys and values"))
        raise ConfigurationError(f"{where}: expected {wanted}, for example {question.default}")
    return cast("dict[str, Any]", data)


def fill(template: str, answers: Mapping[str, Any]) -> str:
    """Return a template with the answers in their places."""

    def answer(match: re.Match[str]) -> str:
        value = match[1].format_map(answers) if match[1] is not None else answers[match[2]]
        if not isinstance(value, str):
            return json.dumps(value, ensure_ascii=False)  # JSON is YAML, too
        quoted: str = yaml.safe_dump(value, default_style='"', allow_unicode=True, width=10**6)
        return quoted.strip()

    return _PLACE.sub(answer, template)


def from_folder(answer: str, folder: Path) -> str:
    """Return an answer that begins with a path from here as the same path from `folder`."""
    path, colon, rest = answer.partition(":")
    if not path or Path(path).is_absolute() or not Path(path).exists():
        return answer
    return Path(os.path.relpath(path, folder)).as_posix() + colon + rest


def is_absent(answer: str, folder: Path) -> bool:
    """Whether an answer begins with a path, seen from `folder`, where nothing is."""
    path, colon, _ = answer.partition(":")
    is_module = bool(colon) and not path.endswith(".py") and "/" not in path
    return not is_module and not (folder / path).exists()


def _walk(folder: Traversable, at: Path) -> list[tuple[Path, Traversable]]:
    files: list[tuple[Path, Traversable]] = []
    for item in sorted(folder.iterdir(), key=lambda entry: entry.name):
        name = ".gitignore" if item.name == "gitignore" else item.name
        if item.is_dir():
            files += _walk(item, at / name)
        elif name != DESCRIPTION:
            files.append((at / name, item))
    return files
