import asyncio
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.errors import ConfigurationError
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import Use
from sparring.testing.fakes import FakeContext
from sparring_plugins.search.roles import Perturbed, PerturbTask

TEXT = "Could you please find me a cheap Italian restaurant with at least 4.5 stars? I need to eat."
KINDS = [
    "asr-noise", "case", "characters", "code-switching", "emoji", "fillers", "homophones",
    "punctuation", "typos", "word-deletion", "word-repetition",
]  # fmt: skip
BUILT = {
    name: FakeContext().part(Agent[Any, Any, Any], Use(use=name), role="perturbation")
    for name in KINDS
}


def spoilt(name: str, text: str = TEXT, *protected: str, seed: int = 1, **more: Any) -> Perturbed:
    language = more.pop("language", "English")
    agent = (
        FakeContext().part(Agent[Any, Any, Any], Use(use=name, **more), role="perturbation")
        if more
        else BUILT[name]
    )
    task = PerturbTask(text=text, protected=protected, seed=seed, language=language)
    found: Perturbed = asyncio.run(agent.act(task))
    return found


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=25, deadline=None)
@given(text=st.text(max_size=80), seed=st.integers(0, 99), data=st.data())
def test_protected_words_stay_in_any_text(
    name: str, text: str, seed: int, data: st.DataObject
) -> None:
    words = re.findall(r"[^\W_]+", text)
    protected = data.draw(st.lists(st.sampled_from(words), max_size=3)) if words else []
    found = spoilt(name, text, *protected, seed=seed)
    for one in protected:
        pattern = re.compile(rf"(?<!\w){re.escape(one)}(?!\w)", re.IGNORECASE)
        assert len(pattern.findall(found.text)) >= len(pattern.findall(text)), found
    assert found == spoilt(name, text, *protected, seed=seed)
    assert len(found.what) <= max(found.changes, found.places + text.count("\n") + len(text))


@pytest.mark.parametrize(
    ("name", "shown", "settings"),
    [
        ("word-deletion", r"(?i)^(?!.*please.*find.*with.*at.*least.*need)", {"rate": 0.5}),
        ("fillers", r"(?i)\b(uh|um|er|like|you know|i mean|well|sort of),", {}),
        ("homophones", r"(?i)\b(eye|knead|two|too|fined|mi|ewe|uhh|wood)\b", {"rate": 1.0}),
        ("case", r"^[^A-Z]+$", {"mode": "lower"}),
        ("case", r"^[^a-z]+$", {"mode": "upper"}),
        ("punctuation", r"^[^?]+4\.5 stars[^?.]+$", {"mode": "none"}),
        ("punctuation", r"\?\?", {"mode": "heavy"}),
        ("emoji", r"[\U0001F300-\U0001FAFF❤]", {"rate": 1.0}),
        ("code-switching", r"(?i)por favor|encuentra|barato|necesito|con\b", {"rate": 1.0}),
        ("code-switching", r"(?i)bitte|finde|günstig|brauche|mit\b", {"rate": 1.0, "to": "German"}),
        ("asr-noise", r"^[^A-Z?]+$", {}),
        ("word-repetition", r"(?i)\b(\w+) \1\b", {"rate": 0.5}),
    ],
)
def test_each_does_what_it_says(name: str, shown: str, settings: dict[str, Any]) -> None:
    found = spoilt(name, **settings)
    assert re.search(shown, found.text), found.text
    assert found.changes > 0
    assert found.places >= (0 if name == "asr-noise" else found.changes)


def test_a_rate_of_one_changes_all_and_none_changes_nothing() -> None:
    assert spoilt("word-repetition", "one two", rate=1.0).text == "one one two two"
    for name in ("typos", "fillers", "word-deletion", "homophones", "characters"):
        assert spoilt(name, rate=0.0) == Perturbed(text=TEXT, places=spoilt(name, rate=1.0).places)


def test_deletion_leaves_something_to_say() -> None:
    assert spoilt("word-deletion", "one", rate=1.0).text == "one"
    assert spoilt("word-deletion", "one two, three", rate=1.0).text.strip(" ,")


def test_words_that_are_not_spared_may_change() -> None:
    protected = "four"
    assert spoilt("homophones", "four", protected).text == "four"
    assert spoilt("homophones", "four", protected, spare=False).text in ("for", "fore")


def test_the_measure_names_what_was_changed() -> None:
    found = spoilt("homophones", "I need two pears", rate=1.0)
    assert found.places == found.changes == len(found.what)
    text = "I need two pears"
    for old, new in found.what:
        text = text.replace(old, new, 1)
    assert text == found.text


def test_the_noise_of_a_recogniser_keeps_numbers_and_content() -> None:
    found = spoilt("asr-noise", TEXT, "Italian", "4.5 stars", rate=1.0)
    assert "italian" in found.text
    assert "4.5 stars" in found.text
    assert "?" not in found.text


def test_fillers_speak_the_language() -> None:
    found = spoilt("fillers", "Quiero una pizza", rate=1.0, language="Spanish")
    assert re.search(r"eh|pues|este|o sea|bueno|digamos", found.text)


def test_an_unknown_language_to_switch_to_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="Did you mean 'German'"):
        spoilt("code-switching", to="Germn")
