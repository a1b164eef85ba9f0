"""The pages say everything, and what they show works."""

import re
from pathlib import Path
from typing import Any

import pytest

from sparring.documents.checking import checked
from sparring.documents.reading import parse
from sparring.model.page import PageEventKind
from sparring_connectors.browser.config import BrowserConfig

BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DOCS = Path(__file__).parents[3] / "docs"
BROWSER = DOCS / "reference/browser.md"
CHAT = DOCS / "how-to/test-a-chat-widget.md"


@pytest.mark.parametrize("page", [BROWSER, CHAT], ids=lambda page: page.stem)
def test_every_example_is_valid(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_PASSWORD", "opensesame")
    monkeypatch.setenv("RESET_TOKEN", "1234567")
    examples = [parse(text, page.name) for text in BLOCK.findall(page.read_text(encoding="utf-8"))]
    assert len(examples) >= 2
    for example in examples:
        assert example.data["app"].pop("use") == "browser"
        checked(BrowserConfig, example, ("app",))


def test_every_setting_event_act_and_refusal_is_described() -> None:
    from sparring_connectors.browser.actions import ACTIONS

    text = BROWSER.read_text(encoding="utf-8") + CHAT.read_text(encoding="utf-8")
    named = set(re.findall(r"[\w]+", " ".join(re.findall(r"`[^`\n]+`", text))))
    named |= set(re.findall(r"(\w+):", "".join(BLOCK.findall(text))))
    schema = BrowserConfig.model_json_schema()
    models: list[dict[str, Any]] = [schema, *schema["$defs"].values()]
    for model in models:
        missing = set(model.get("properties", {})) - named
        assert not missing, f"{model['title']}: {sorted(missing)}"
    assert not set(ACTIONS) - named
    assert not {kind.value for kind in PageEventKind} - named
    folder = Path(__file__).parents[3] / "connectors/sparring_connectors/browser"
    code = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    assert not set(re.findall(r"Refused\(\s*\"(\w+)\"", code)) - named
