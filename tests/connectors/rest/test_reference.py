"""The reference page says everything, and what it shows works."""

import re
from pathlib import Path
from typing import Any

import pytest

from sparring.documents.checking import checked
from sparring.documents.reading import parse
from sparring_connectors.described.template import ENCODERS
from sparring_connectors.rest import config
from sparring_connectors.rest.config import RestConfig

BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def page() -> str:
    return (Path(__file__).parents[3] / "docs/reference/rest.md").read_text(encoding="utf-8")


def test_every_example_is_valid(page: str) -> None:
    examples = [parse(text, "rest.md") for text in BLOCK.findall(page)]
    apps = [example for example in examples if "app" in example.data]
    assert len(apps) >= 10
    for example in apps:
        assert example.data["app"].pop("use") == "rest"
        checked(RestConfig, example, ("app",))


def test_every_setting_is_described(page: str) -> None:
    schema = RestConfig.model_json_schema()
    models: list[dict[str, Any]] = [schema, *schema["$defs"].values()]
    named = set(re.findall(r"[\w]+", " ".join(re.findall(r"`[^`\n]+`", page))))
    named |= set(re.findall(r"(\w+):", "".join(BLOCK.findall(page))))
    for model in models:
        missing = set(model.get("properties", {})) - named
        assert not missing, f"{model['title']}: {sorted(missing)}"


def test_every_preset_and_encoding_is_named(page: str) -> None:
    for name in config.preset_names():
        assert f"| `{name}` |" in page
    for how in ENCODERS:
        assert f"{{text|{how}}}" in page
