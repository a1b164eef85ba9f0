"""Finding what belongs to a skill in its folder: models by locale, manifest, handler."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sparring.errors import ConfigurationError, Problem
from sparring_connectors.alexa.interaction_model import MOST_BYTES, language_part, load_json
from sparring_connectors.alexa.shapes import mapping, text

DEEPEST = 7
MOST_FILES = 20_000
#: Folders that hold no part of the skill itself.
_FOREIGN = {
    *("node_modules", "site-packages", "__pycache__", "venv", "env", "dist", "build"),
    *("test", "tests", "infrastructure", "client", "lambda_upload"),  # the last is a staging copy
}
# "en-US.json", "model_de_DE.json".
_LOCALE = re.compile(r"(?<![A-Za-z])([a-z]{2})[-_]([A-Z]{2})(?![A-Za-z])")
#: Where Amazon's tools put models, the newest layout first.
_USUAL = ("skill-package/interactionmodels/custom", "interactionmodels/custom", "models")
_PYTHON_HANDLERS = ("lambda_handler", "handler")
_PYTHON_FILES = ("lambda_function.py", "index.py", "main.py", "app.py")
_NODE_FILES = ("index.js", "index.mjs", "index.cjs", "handler.js", "main.js", "app.js")
_NODE_SUFFIXES = (".js", ".mjs", ".cjs")
_IS_PYTHON_HANDLER = r"^(?:def\s+{0}\s*\(|async\s+def\s+{0}\s*\(|{0}\s*(?::[^=\n]+)?=[^=])"
_IS_NODE_HANDLER = re.compile(
    r"exports\s*\.\s*handler\b|exports\s*\[\s*['\"]handler['\"]\s*\]|"
    r"module\.exports\s*=\s*\{(?:(?!module\.exports)[^}])*\bhandler\b"
    r"|export\s+(?:const|let|var|async\s+function|function)\s+handler\b"
    r"|export\s*\{(?:(?!export\s*\{)[^}])*\bhandler\b"
)

# TypeScript projects keep a file at the top that passes on what the compiler made:
# `module.exports = require('./dist/src/index.js')`, or with a name in between.
_IS_NODE_REEXPORT = re.compile(
    r"module\.exports\s*=\s*(?:require\s*\(|[A-Za-z_$][\w$]*\s*;?\s*$)"
    r"|export\s*\*\s*from\b",
    re.MULTILINE,
)
_NODE_IMPORT = re.compile(
    r"(?:require\s*\(\s*|\bfrom\s+)['\"](?P<path>\.{1,2}/[^'\"]+)['\"]", re.MULTILINE
)
_MOST_REEXPORTS = 3

Language = Literal["python", "node"]


@dataclass(frozen=True, slots=True)
class Handler:
    """The function that answers requests: its file, its name, its language."""

    file: Path
    function: str
    language: Language


def files_below(folder: Path) -> Iterator[Path]:
    """The files of a skill, each folder's in order, nearest first; foreign folders left out."""
    seen = 0
    level = [folder]
    for _ in range(DEEPEST):
        deeper: list[Path] = []
        for place in level:
            for entry in sorted(_list_entries(place), key=lambda item: item.name):
                seen += 1
                if seen > MOST_FILES:
                    message = f"holds more than {MOST_FILES:,} files; name the skill's own folder"
                    raise ConfigurationError(Problem(message, str(folder)))
                if entry.is_dir(follow_symlinks=False):
                    if entry.name.lower() not in _FOREIGN and not _is_hidden(entry.name):
                        deeper.append(Path(entry.path))
                elif entry.is_file():
                    yield Path(entry.path)
        level = deeper


def _is_hidden(name: str) -> bool:
    return name.startswith(".") and name != ".ask"


def _list_entries(place: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            return list(entries)
    except OSError:
        return []


def find_models(folder: Path) -> dict[str, Path]:
    """The interaction models of a folder by locale; the usual places go first."""
    models: dict[str, Path] = {}
    candidates = [path for path in files_below(folder) if path.suffix.lower() == ".json"]
    for path in sorted(candidates, key=lambda path: _rank_model(path, folder)):
        if _is_model(path):
            models.setdefault(locale_of_file(path), path)
    return models


def _rank_model(path: Path, folder: Path) -> tuple[int, int, str]:
    inner = path.relative_to(folder).parent.as_posix().lower()
    rank = next((rank for rank, usual in enumerate(_USUAL) if inner.endswith(usual)), len(_USUAL))
    return rank, len(path.parts), path.as_posix()


def _is_model(path: Path) -> bool:
    try:
        if path.stat().st_size > MOST_BYTES or not _mentions_intents(path):
            return False
        return bool(language_part(load_json(path)))
    except (ConfigurationError, OSError):
        return False


def _mentions_intents(path: Path) -> bool:
    return b'"intents"' in path.read_bytes()


def locale_of_file(path: Path) -> str:
    """The locale in a file's name; ``en-US`` if there is none."""
    match = _LOCALE.search(path.stem)
    return f"{match[1]}-{match[2]}" if match else "en-US"


def choose_locale(models: dict[str, Path], wanted: str | None, folder: Path) -> str:
    """The locale to test in; raises ConfigurationError if the skill does not speak it."""
    if not models:
        raise ConfigurationError(
            Problem("holds no interaction model: no JSON file there has 'intents'", str(folder))
        )
    if wanted is not None:
        if wanted not in models:
            raise ConfigurationError(
                Problem(f"does not speak {wanted}, only {', '.join(sorted(models))}", str(folder))
            )
        return wanted
    english = sorted(locale for locale in models if locale.startswith("en-"))
    return next(locale for locale in ("en-US", *english, *sorted(models)) if locale in models)


def find_manifest(folder: Path) -> Path | None:
    """The skill's manifest."""
    for path in files_below(folder):
        if path.name.lower() in ("skill.json", "skill-manifest.json", "manifest.json"):
            try:
                data = mapping(load_json(path))
            except ConfigurationError:
                continue
            if "manifest" in data or "publishingInformation" in data or "apis" in data:
                return path
    return None


def find_handler(folder: Path, named: str | None, source: str = "") -> Handler:
    """The skill's handler: the one that is named (``file.py``, ``file.function``), or else found.

    Raises ConfigurationError if there is none.
    """
    if named is not None:
        return _named_handler(folder, named)
    nearer = [*_read_declared_sources(folder), *([source] if source else [])]
    for place in nearer:
        inner = folder / place
        if inner.name in _FOREIGN:
            inner = inner.parent
        if inner.is_dir() and (handler := _search_handler(inner)) is not None:
            return handler
    handler = _search_handler(folder)
    if handler is None:
        raise ConfigurationError(
            Problem(
                "holds no handler: no Python file has 'lambda_handler' or 'handler', no JavaScript "
                "file exports 'handler'; name it with 'handler'",
                str(folder),
            )
        )
    return handler


def _named_handler(folder: Path, named: str) -> Handler:
    path = folder / named
    function: str | None = None
    if not path.is_file():
        stem, _, function = named.rpartition(".")
        path = next((folder / f"{stem}{end}" for end in (".py", ".js", ".mjs", ".cjs")
                     if stem and (folder / f"{stem}{end}").is_file()), path)  # fmt: skip
    if not path.is_file() and (folder / named.rpartition(".")[0]).is_file():
        path = folder / named.rpartition(".")[0]
    if not path.is_file():
        raise ConfigurationError(Problem(f"there is no handler {named!r}", str(folder)))
    language: Language = "python" if path.suffix == ".py" else "node"
    found = function or (_python_function(path) if language == "python" else "handler")
    return Handler(path, found or "lambda_handler", language)


def _read_declared_sources(folder: Path) -> list[str]:
    """Where Amazon's command line says that the code lies (``ask-resources.json``)."""
    path = folder / "ask-resources.json"
    if not path.is_file():
        return []
    try:
        profiles = mapping(mapping(load_json(path)).get("profiles"))
    except ConfigurationError:
        return []
    sources: list[str] = []
    for _, profile in sorted(profiles.items()):
        code = mapping(mapping(profile).get("code"))
        sources += [text(mapping(part).get("src")) for _, part in sorted(code.items())]
    return [source for source in sources if source]


def _search_handler(folder: Path) -> Handler | None:
    handlers = [handler for path in files_below(folder) if (handler := _read_handler(path))]
    return min(handlers, key=lambda item: _rank_handler(item, folder), default=None)


def _rank_handler(handler: Handler, folder: Path) -> tuple[int, int, int, str]:
    usual = _PYTHON_FILES if handler.language == "python" else _NODE_FILES
    rank = usual.index(handler.file.name) if handler.file.name in usual else len(usual)
    inner = handler.file.relative_to(folder)
    outside = 0 if "lambda" in inner.parts[:-1] or len(inner.parts) == 1 else 1
    return outside, rank, len(inner.parts), inner.as_posix()


def _read_handler(path: Path) -> Handler | None:
    if path.suffix == ".py":
        function = _python_function(path)
        return Handler(path, function, "python") if function else None
    if path.suffix in _NODE_SUFFIXES and _exports_handler(path, _MOST_REEXPORTS):
        return Handler(path, "handler", "node")
    return None


def _exports_handler(path: Path, reexports: int) -> bool:
    """Whether a JavaScript file exports `handler`, itself or by passing another file's on."""
    source = _read_source(path)
    if _IS_NODE_HANDLER.search(source):
        return True
    if not reexports or not _IS_NODE_REEXPORT.search(source):
        return False
    imported = (_node_file(path.parent / found["path"]) for found in _NODE_IMPORT.finditer(source))
    return any(file is not None and _exports_handler(file, reexports - 1) for file in imported)


def _node_file(path: Path) -> Path | None:
    """Return the file that node loads for a relative path, with or without its ending."""
    names = [path, *(path.with_name(path.name + end) for end in _NODE_SUFFIXES)]
    names += [path / f"index{end}" for end in _NODE_SUFFIXES]
    return next((name for name in names if name.is_file()), None)


def _python_function(path: Path) -> str | None:
    source = _read_source(path)
    for name in _PYTHON_HANDLERS:
        if re.search(_IS_PYTHON_HANDLER.format(name), source, re.MULTILINE):
            return name
    return None


def _read_source(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            return ""
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def node_root(handler: Handler, folder: Path) -> Path:
    """The folder that Lambda has as task root: the nearest one with a ``package.json``."""
    place = handler.file.parent
    while place != folder and folder in place.parents:
        if (place / "package.json").is_file():
            return place
        place = place.parent
    return place if (place / "package.json").is_file() else handler.file.parent
