"""A Taskyto chatbot as its modules describe it: read as data, never run.

A folder has YAML files with a module each, or several below ``modules``. A menu's items answer
themselves, refer to a module, or to several in a sequence; modules gather data, answer questions,
act, search documents, or are menus again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparring import ConfigurationError, Document, Problem, read_document

KINDS = (
    "menu",
    "open_ended_conversation",
    "sequence",
    "data_gathering",
    "action",
    "question_answering",
    "rag",
)
_CONFIGURATION = Path("configuration", "default.yaml")


@dataclass(frozen=True, slots=True)
class Data:
    """Something that a module wants to know; `values` where it is one of a list."""

    name: str
    type: str
    values: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a menu: what it offers, and how it is answered or where it leads."""

    title: str
    answer: str = ""
    references: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Module:
    """A module of any kind; what its kind does not have is empty."""

    name: str
    kind: str
    description: str = ""
    fallback: str = ""
    items: tuple[Item, ...] = ()
    references: tuple[str, ...] = ()
    data: tuple[Data, ...] = ()
    questions: tuple[tuple[str, str], ...] = ()
    response: str = ""
    executes: bool = False


@dataclass(slots=True)
class Chatbot:
    """All modules by name, in the order of files."""

    name: str
    modules: dict[str, Module] = field(default_factory=dict[str, Module])
    languages: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list[str])

    @property
    def tops(self) -> list[Module]:
        """Where conversations begin: menus that no module leads to, else the first module."""
        led = {
            name
            for module in self.modules.values()
            for name in (*module.references, *(r for item in module.items for r in item.references))
        }
        menus = ("menu", "open_ended_conversation")
        tops = [m for m in self.modules.values() if m.kind in menus and m.name not in led]
        return tops or [m for m in self.modules.values() if m.name not in led]


def read_chatbot(folder: Path) -> Chatbot:
    """Read a chatbot's folder, or one file of modules; raises ConfigurationError."""
    chatbot = Chatbot((folder if folder.is_dir() else folder.parent).resolve().name)
    files = [folder]
    if folder.is_dir():
        files = [path for end in ("yaml", "yml") for path in sorted(folder.glob(f"*.{end}"))]
    for path in files:
        document = read_document(path, "yaml11", shown=str(path))
        for given in _modules_in(document.data):
            _add(chatbot, given, document)
    if not chatbot.modules:
        listed = ", ".join(KINDS)
        raise ConfigurationError(
            Problem(f"no Taskyto chatbot: no file has a module with a kind ({listed})", str(folder))
        )
    if (settings := folder / _CONFIGURATION).is_file():
        chatbot.languages = _languages(read_document(settings, "yaml11", shown=str(settings)).data)
    return chatbot


def _modules_in(data: Any) -> Iterator[dict[Any, Any]]:
    given = data.get("modules", [data]) if isinstance(data, dict) else []
    for item in given if isinstance(given, list) else []:
        if isinstance(item, dict) and item.get("kind") in KINDS:
            yield item


def _add(chatbot: Chatbot, given: dict[Any, Any], document: Document) -> None:
    module = _module(given)
    if module.name in chatbot.modules:
        chatbot.notes.append(f"{document.file}: a second module is called {module.name}")
        return
    chatbot.modules[module.name] = module


def _module(given: dict[Any, Any]) -> Module:
    kind = str(given["kind"])
    success = given.get("on-success", given.get("on_success"))
    success = success if isinstance(success, dict) else {}
    response = success.get("response")
    said = response.get("text") if isinstance(response, dict) else response
    return Module(
        name=_text(given.get("name")) or kind,
        kind=kind,
        description=_text(given.get("presentation") or given.get("description")),
        fallback=_text(given.get("fallback")),
        items=tuple(_item(item) for item in _maps(given.get("items"))),
        references=_texts(given.get("references")),
        data=tuple(_data(given.get("data"))),
        questions=tuple(
            (_text(each.get("question")), _text(each.get("answer")))
            for each in _maps(given.get("questions"))
            if _text(each.get("question"))
        ),
        response=_text(said),
        executes=success.get("execute") is not None,
    )


def _item(given: dict[Any, Any]) -> Item:
    led = _texts(given.get("references")) or _texts([given.get("reference")])
    return Item(_text(given.get("title")), _text(given.get("answer")), led)


def _data(given: Any) -> Iterator[Data]:
    for entry in _maps(given):
        for name, spec in entry.items():
            if not isinstance(spec, dict):
                yield Data(_text(name), _text(spec) or "string")
                continue
            listed = spec.get("values")
            values = [next(iter(one), None) if isinstance(one, dict) else one
                      for one in (listed if isinstance(listed, list) else ())]  # fmt: skip
            sort = _text(spec.get("type")) or "string"
            yield Data(_text(name), sort, _texts(values), _texts(spec.get("examples")))


def _languages(data: Any) -> tuple[str, ...]:
    given = data.get("languages") if isinstance(data, dict) else None
    listed = given.split(",") if isinstance(given, str) else given
    return tuple(one.title() for one in _texts(listed))


def _maps(given: Any) -> Iterator[dict[Any, Any]]:
    for item in given if isinstance(given, list) else ():
        if isinstance(item, dict):
            yield item


def _texts(given: Any) -> tuple[str, ...]:
    listed = given if isinstance(given, list) else ()
    return tuple(text for item in listed if (text := _text(item)))


def _text(given: Any) -> str:
    """A value as one line of text; empty for none."""
    return "" if given is None or isinstance(given, (dict, list)) else " ".join(str(given).split())
