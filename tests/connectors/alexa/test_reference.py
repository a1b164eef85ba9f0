"""The reference page says everything, and what it shows is valid."""

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from sparring.documents.checking import checked
from sparring.documents.reading import parse
from sparring_connectors.alexa.config import AlexaConfig
from sparring_connectors.alexa_smapi.config import SmapiConfig

BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONFIGS: dict[str, Any] = {"alexa": AlexaConfig, "alexa-smapi": SmapiConfig}


@pytest.fixture(scope="module")
def page() -> str:
    return (Path(__file__).parents[3] / "docs/reference/alexa.md").read_text(encoding="utf-8")


def test_every_example_is_valid(page: str) -> None:
    blocks = [parse(text, "alexa.md") for text in BLOCK.findall(page)]
    examples = [block for block in blocks if isinstance(block.data, dict)]  # a list: answers.yaml
    assert len(examples) >= 5
    for example in examples:
        checked(CONFIGS[example.data["app"].pop("use")], example, ("app",))


@pytest.mark.parametrize("config", CONFIGS.values())
def test_every_setting_is_described(page: str, config: type[BaseModel]) -> None:
    schema = config.model_json_schema()
    models: list[dict[str, Any]] = [schema, *schema.get("$defs", {}).values()]
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`\n]+`", page))))
    for model in models:
        if model.get("title") != "TlsConfig":
            missing = set(model.get("properties", {})) - named
            assert not missing, f"{model['title']}: {sorted(missing)}"


def test_every_key_of_a_turn_is_described(page: str) -> None:
    from .conftest import talked

    heard: Any = talked("corner", "order a tea")[0]
    rows = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert set(heard.payload) <= rows
