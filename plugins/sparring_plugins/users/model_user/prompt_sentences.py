"""The sentences of the user's prompt that depend on style, situation, detail and cooperation."""

from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from sparring_plugins.language.yaml_files import bundled_yaml


class PromptSentences(BaseModel):
    """Sentences of the user's prompt, by style, situation, personal detail, cooperation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    styles: dict[str, str]
    situations: dict[str, str]
    personal_details: dict[str, str]
    cooperative: dict[str, str]


@lru_cache(maxsize=1)
def prompt_sentences() -> PromptSentences:
    """The sentences beside this module."""
    data = bundled_yaml("sparring_plugins.users.model_user", "prompt_sentences.yaml")
    return PromptSentences.model_validate(data)
