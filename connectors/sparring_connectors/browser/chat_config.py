"""Settings of a chat widget on a page."""

from typing import Annotated

from pydantic import AfterValidator, Field

from sparring.interfaces.plugin import PluginConfig


def _selector(text: str) -> str:
    if not text.strip():
        raise ValueError("a selector of CSS is empty")
    return text


Selector = Annotated[str, AfterValidator(_selector)]


class ChatConfig(PluginConfig):
    """A chat on the page; what is not given is found by itself, also in frames.

    All selectors are of CSS.
    """

    launcher: Selector | None = Field(default=None, description="What opens the chat.")
    input: Selector | None = Field(default=None, description="Where one types.")
    send: Selector | None = Field(
        default=None, description="What sends it; the Enter key where there is none."
    )
    bot: Selector | None = Field(default=None, description="Each message of the chatbot's.")
    choices: Selector | None = Field(default=None, description="Each button to choose from.")
    typing: Selector | None = Field(
        default=None, description="What is shown while the chatbot writes."
    )
    ignore: Selector | None = Field(
        default=None, description="What belongs to no answer: times, names, banners."
    )
    quiet_s: float = Field(
        default=0.8, gt=0, le=60,
        description="Seconds without a change after which an answer is complete.",
    )  # fmt: skip
    greeting_s: float = Field(
        default=1.5, ge=0, le=300, description="Seconds to wait for what it says unasked."
    )
    answer_s: float = Field(
        default=60, gt=0, le=3600, description="Seconds that a whole answer may take."
    )
    page: bool = Field(
        default=False, description="Whether every answer holds the page's snapshot, too."
    )
