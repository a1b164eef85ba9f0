"""The reference page says everything, and what it shows works."""

import re
from pathlib import Path
from typing import Any

import pytest

from sparring.documents.checking import checked
from sparring.documents.reading import parse
from sparring_connectors.websocket.config import WebSocketConfig

BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OF_REST = {"ReplyConfig", "ChoicesConfig", "AttachmentsConfig", "HeaderSource", "EndedConfig"}


@pytest.fixture(scope="module")
def page() -> str:
    return (Path(__file__).parents[3] / "docs/reference/websocket.md").read_text(encoding="utf-8")


def test_every_example_is_valid(page: str) -> None:
    examples = [parse(text, "websocket.md") for text in BLOCK.findall(page)]
    assert len(examples) >= 4
    for example in examples:
        assert example.data["app"].pop("use") == "websocket"
        checked(WebSocketConfig, example, ("app",))


def test_every_setting_is_described(page: str) -> None:
    schema = WebSocketConfig.model_json_schema()
    models: list[dict[str, Any]] = [schema, *schema["$defs"].values()]
    named = set(re.findall(r"[\w]+", " ".join(re.findall(r"`[^`\n]+`", page))))
    named |= set(re.findall(r"(\w+):", "".join(BLOCK.findall(page))))
    for model in models:
        if model.get("title") not in OF_REST:
            missing = set(model.get("properties", {})) - named
            assert not missing, f"{model['title']}: {sorted(missing)}"
