"""Every entry of the connector's YAML files is understood as what it is listed for."""

import pytest

pytest.importorskip("playwright")

from sparring.model.page import Element, PageSnapshot
from sparring_connectors.browser.chat_widget import WORDS, ChatState, is_aside, new_choices
from sparring_connectors.browser.fields import KEYS, key_name


@pytest.mark.parametrize("text", WORDS.asides)
def test_asides(text: str) -> None:
    assert is_aside(text)
    assert is_aside(f"{text.title()}:")


@pytest.mark.parametrize("label", WORDS.tools)
def test_tools_of_a_chat_window_are_no_choices(label: str) -> None:
    page = PageSnapshot(
        url="about:blank",
        elements=(
            Element(id="1.1", role="button", text=f"{label} it", visible=True, interactive=True),
            Element(id="1.2", role="button", text="Book now", visible=True, interactive=True),
        ),
    )
    assert [choice.id for choice in new_choices(page, ChatState(), None)] == ["1.2"]


@pytest.mark.parametrize(("written", "name"), list(KEYS.items()))
def test_keys(written: str, name: str) -> None:
    assert key_name(written) == name
    assert key_name(f"shift + {written}") == f"Shift+{name}"
