"""Apps with known causes of failure: a description gives the space, the templates and the causes.

An order is read by phrases. A cause holds where all its values are read and all its patterns are
found in the text, and then it fails always, or in a share (`chance`) of the plays.
"""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import yaml

from sparring import AppConnector, AppSession, Capability, Case, Observation, PluginConfig, act_text

APPS = Path(__file__).parent / "apps"
HIDING = ("refuse", "silent")
"""What shows nothing else that would have gone wrong."""


@dataclass(frozen=True)
class Root:
    """A cause of failures: under which condition, and what the app does then."""

    name: str
    does: str
    values: Mapping[str, str]
    words: Sequence[re.Pattern[str]]
    chance: float = 1.0
    slot: str = ""
    to: str = ""

    def holds(self, params: Mapping[str, str], text: str) -> bool:
        """Whether a request has all values and words of the cause."""
        own = all(params.get(name) == value for name, value in self.values.items())
        return own and all(word.search(text) for word in self.words)


class Desk:
    """One app: its description, and how it answers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.data: dict[str, Any] = yaml.safe_load((APPS / f"{name}.yaml").read_text())
        self.roots = [
            Root(
                name=root["name"],
                does=root["does"],
                values=root.get("values", {}),
                words=[re.compile(word) for word in root.get("words", ())],
                chance=root.get("chance", 1.0),
                slot=root.get("slot", ""),
                to=root.get("to", ""),
            )
            for root in self.data["roots"]
        ]

    def fired(self, params: Mapping[str, str], text: str, case: str) -> list[Root]:
        """Return the causes that a play shows; `case` makes the chance of each play its own."""
        held = [
            root
            for root in self.roots
            if root.holds(params, text)
            and Random(f"{case}/{root.name}/{text}").random() < root.chance
        ]
        return [root for root in held if root.does in HIDING][:1] or held

    def answer(self, params: Mapping[str, str], text: str, case: str) -> tuple[str, list[Any]]:
        """Return what the desk says, and the order that it notes."""
        order = {
            name: value
            for name, value in params.items()
            if self.data["content"].get(name, {}).get(value)
        }
        for root in self.fired(params, text, case):
            if root.does == "refuse":
                return "Sorry, I cannot help you with that.", []
            if root.does == "silent":
                return "", []
            if root.does == "lose":
                order.pop(root.slot, None)
            else:
                order[root.slot] = root.to
        said = ", ".join(f"{name} {value}" for name, value in order.items())
        return f"I have noted: {said}.", [order]


@cache
def desk(name: str) -> Desk:
    """Return an app by its name."""
    return Desk(name)


class DeskConfig(PluginConfig):
    """Which app it is."""

    name: str


class DeskSession(AppSession):
    """A conversation of one request; the values are taken from the case, the words from the text.

    That the desk reads values without mistakes leaves the known causes as the only ones.
    """

    def __init__(self, own: Desk, case: Case) -> None:
        self._desk, self._case = own, case

    async def send(self, act: Any) -> Observation:
        params = {name: str(value) for name, value in self._case.params.items()}
        text, items = self._desk.answer(params, act_text(act), self._case.id)
        intent = "order" if items else "none"
        return Observation(text=text, payload={"items": items, "intent": intent})


class DeskApp(AppConnector[DeskConfig]):
    """An app with known causes of failure, in this process."""

    Config: ClassVar[type[PluginConfig]] = DeskConfig
    offers: ClassVar = frozenset({Capability.TEXT, Capability.SESSIONS})

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncIterator[AppSession]:
        yield DeskSession(desk(self.config.name), case)


def write_suite(name: str, folder: Path) -> Path:
    """Write the feature space, the templates and the suite of an app; return the suite's path."""
    data = desk(name).data
    folder.mkdir(parents=True, exist_ok=True)
    style = {
        feature: {
            "scale": scale or "categorical",
            "values": {v: None if v == "none" else {"as": f"be {v}"} for v in values},
        }
        for feature, (scale, *values) in data["style"].items()
    }
    content = {
        feature: {"values": {v: phrases and {"as": phrases} for v, phrases in values.items()}}
        for feature, values in data["content"].items()
    }
    files = {
        "space.yaml": {
            "name": name,
            "about": data["about"],
            "speaker": "a customer",
            "style": style,
            "content": content,
            "templates": "templates.yaml",
        },
        "templates.yaml": _templates(data),
        "suite.yaml": _suite(name, list(data["content"])),
    }
    for file, value in files.items():
        (folder / file).write_text(yaml.safe_dump(value, sort_keys=False))
    return folder / "suite.yaml"


def _templates(data: Mapping[str, Any]) -> dict[str, Any]:
    style = data["style"]

    def when(feature: str, value: str, phrases: Sequence[str]) -> list[dict[str, Any]]:
        known = value in style.get(feature, ())
        return [{"when": f"{feature} == '{value}'", "any": list(phrases)}] if known else []

    questions = ["Can you {please}{verb} {order}?", "Could you {please}{verb} {order}?"]
    statements = [f"I {want} you to {{verb}} {{order}}." for want in ("want", "need")]
    return {
        "start": "{opening} {request} {closing}",
        "symbols": {
            "opening": [
                *when("chatter", "before", data["before"]),
                *when("politeness", "polite", ["Good morning.", "Hello there."]),
                *when("politeness", "rude", ["Hey.", "Listen."]),
                [""],
            ],
            "request": [
                *when("form", "question", questions),
                *when("form", "statement", statements),
                ["{please}{verb} {order}."],
            ],
            "please": [
                *when("politeness", "polite", ["please ", "kindly "]),
                *when("politeness", "rude", ["just ", ""]),
                [""],
            ],
            "verb": [data["verbs"]],
            "order": [[data["order"]]],
            "closing": [
                *when("chatter", "after", data["after"]),
                *when("politeness", "polite", ["Thank you.", "Have a nice day."]),
                *when("politeness", "rude", ["Hurry up.", ""]),
                [""],
            ],
        },
    }


def _suite(name: str, fields: Sequence[str]) -> dict[str, Any]:
    content = {"use": "content", "items": "$.items[*]", "fields": {f: f for f in fields}}
    return {
        "name": name,
        "app": {"use": f"{__name__}:DeskApp", "name": name},
        "agent": {"use": "prompter", "spaces": "space.yaml", "writer": "template"},
        "strategy": "random",
        "oracles": [
            {
                "use": "fitness",
                "values": {"f1": content},
                "fails": "f1 < 1",
                "app": {
                    "items": "$.items[*]",
                    "intent": "$.intent",
                    "intents": ["order"],
                    "fallbacks": [],
                },
            }
        ],
        "reporters": [],
        "budget": {"cases": 300},
        "seed": 1,
    }
