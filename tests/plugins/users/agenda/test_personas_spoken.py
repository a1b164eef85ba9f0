"""Personas acted out without a model: what they say measures as their traits have it."""

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Protocol

import pytest
import yaml
from tests.sampling import sample

from sparring.interfaces.roles import Goal, UserTask
from sparring.model.talk import Act, Choice, Observation, Press, Say, Turn, act_text
from sparring.testing.fakes import FakeContext
from sparring_plugins.users.agenda.agents import (
    FLOOD,
    MOST_ATTACKS,
    AgendaUser,
    is_attack,
    without_attacks,
)
from sparring_plugins.users.personas.speech import (
    LANGUAGES,
    emoji_share,
    mean_words,
    misspelt_share,
    persona_speech,
    polite_share,
    remark_share,
    shouting_share,
    small_letter_share,
)
from sparring_plugins.users.profiles.character import persona_file, persona_names


class Said(Protocol):
    """One utterance."""

    text: str
    meant: str


Speak = Callable[..., list[Said]]


def traits(name: str) -> dict[str, Any]:
    """What the file of a bundled persona says of its traits."""
    path = persona_file(name)
    assert path is not None
    found: dict[str, Any] = yaml.safe_load(path.read_text("utf-8"))["traits"]
    return found


def texts(said: list[Said]) -> list[str]:
    return [one.text for one in said]


def wordy(said: list[Said]) -> list[Said]:
    """The utterances with room for a remark: not a bare datum, not a bare yes or no."""
    return [one for one in said if len(one.meant.split()) > 3]


@pytest.fixture(scope="module")
def usual(speak: Speak) -> list[str]:
    """What somebody without any traits says."""
    return texts(wordy(speak()))


@pytest.mark.parametrize("name", sample(persona_names(), 6))
def test_every_bundled_persona_measures_as_its_traits_say(
    name: str, usual: list[str], speak: Speak
) -> None:
    has = traits(name)
    said = wordy(speak(traits=has, seeds=60))
    spoken = texts(said)
    assert said
    for kind, share in has.get("asides", {}).items():
        assert abs(remark_share(spoken, kind) - share) < 0.15, kind
        assert remark_share(usual, kind) == 0
    if "politeness" in has:
        assert abs(polite_share(spoken) - has["politeness"]) < 0.15
    length = has.get("sentence_length", "normal")
    if length == "short" and not has.get("asides"):
        assert mean_words(spoken) < 0.9 * mean_words(usual)
    assert (mean_words(spoken) > 2 * mean_words(usual)) == (length == "long")
    wrong = misspelt_share([(one.meant, one.text) for one in said if one.meant])
    rate = has.get("typos", 0.0)
    assert 0.3 * rate <= wrong <= rate + (0.1 if "grammar" in has else 0.02)
    assert abs(emoji_share(spoken) - has.get("emoji", 0.0)) < 0.15
    if has.get("capitals") == "none":
        assert small_letter_share(spoken) == 1
    if has.get("capitals") == "shouting":
        assert 0.2 < shouting_share(spoken) < 0.6


@pytest.mark.parametrize(
    "language",
    [
        language if language == "German" else pytest.param(language, marks=pytest.mark.thorough)
        for language in LANGUAGES
    ],
)
@pytest.mark.parametrize("name", sample(["elderly", "rude", "formal", "non-native"], 4))
def test_personas_speak_every_language_of_the_phrase_books(
    name: str, language: str, speak: Speak
) -> None:
    has = traits(name)
    said = texts(wordy(speak(traits=has, language=language, seeds=40)))
    for kind, share in has.get("asides", {}).items():
        assert abs(remark_share(said, kind, language) - share) < 0.2
    if "politeness" in has:
        assert abs(polite_share(said, language) - has["politeness"]) < 0.25


def test_numbers_contacts_and_labels_are_sent_as_they_are() -> None:
    has = {"asides": {"elderly": 1.0, "ironic": 1.0}, "politeness": 1.0, "emoji": 1.0,
           "punctuation": "none", "capitals": "none", "typos": 0.5}  # fmt: skip
    for question, wanted in (
        ("What is your e-mail address?", "@example.com"),
        ("What is your phone number?", "202-555-01"),
        ("How many cans would you like?", "2"),
    ):
        act = turn(question, traits=has)
        assert isinstance(act, Say)
        assert wanted in act.text
        assert len(act.text.split()) == 1
    act = turn("Which size?", "Small", "Big", traits={**has, "presses": False})
    assert act == Say(text="Small")


def turn(answer: str, *labels: str, **changes: Any) -> Act | None:
    """What a customer does after it ordered cans of an unnamed number and the app answered."""
    choices = tuple(Choice(label=label) for label in labels)
    task = UserTask(
        goals=(
            Goal(phrase="2 small cans", template="{{cans}} {{size}} cans", inputs=("cans", "size")),
        ),
        inputs={"cans": 2, "size": "small"},
        domains={"cans": (1, 2), "size": ("small", "big")},
        turns=(Turn(act=Say(text="Hello"), observation=Observation(text=answer, choices=choices)),),
        seed=3,
    ).model_copy(update=changes)
    return asyncio.run(FakeContext().build(AgendaUser).act(task)).act


def test_who_cannot_see_buttons_types_what_they_say() -> None:
    assert turn("Which size?", "Small", "Big") == Press(label="Small")
    assert turn("Which size?", "Small", "Big", traits={"presses": False}) == Say(text="Small")


@pytest.mark.parametrize("patience", [1, 2, 4])
def test_patience_is_how_often_a_matter_is_brought_up(
    patience: int, customer: Callable[..., UserTask], talks: Callable[..., list[Act]]
) -> None:
    task = customer(traits={"patience": patience})
    task = task.model_copy(update={"goals": task.goals[2:], "inputs": {}})
    said = [act_text(act).lower() for act in talks(task, ["Hm, the weather is nice."] * 12)]
    again = [act_text(act).lower() for act in talks(task, ["Sorry, I did not get that."] * 12)]
    assert sum("opening hours" in text for text in again) == patience
    assert sum("opening hours" in text for text in said) <= patience


def test_no_remark_names_a_value_of_the_case(
    customer: Callable[..., UserTask], talks: Callable[..., list[Act]]
) -> None:
    has = {"asides": {"friendly": 1.0}}
    for seed in range(20):
        task = customer(seed, traits=has)
        task = task.model_copy(update={"domains": {**task.domains, "pet": ("cats", "dogs")}})
        for act in talks(task, ("What else?",) * 4):
            assert "cat" not in act_text(act)


class TestAdversarial:
    """Attacks are told apart from what the user wants, and do not stop it."""

    has = {"attacks": 1.0}

    def acts(self, talks: Callable[..., list[Act]], task: UserTask) -> list[Act]:
        return talks(task, ("What else can I do for you?",) * 12)

    def test_attacks_are_of_all_kinds_few_and_never_in_a_row(
        self, customer: Callable[..., UserTask], talks: Callable[..., list[Act]]
    ) -> None:
        known = persona_speech("English")
        seen: set[str] = set()
        for seed in range(20):
            acts = self.acts(talks, customer(seed, traits=self.has))
            attacks = [isinstance(act, Say) and act.meant == "" for act in acts]
            assert sum(attacks) == MOST_ATTACKS
            assert not any(a and b for a, b in pairwise(attacks))
            for act, lure in zip(acts, attacks, strict=True):
                text = act_text(act)
                if lure and text in known.injections:
                    seen.add("injection")
                elif lure and text in known.contradictions:
                    seen.add("contradiction")
                elif lure:
                    seen.add("flood" if len(text) >= FLOOD - 100 else "nonsense")
        assert seen == {"injection", "contradiction", "flood", "nonsense"}

    def test_what_the_user_wants_it_says_all_the_same(
        self, customer: Callable[..., UserTask], talks: Callable[..., list[Act]]
    ) -> None:
        for seed in range(10):
            meek = [act_text(act) for act in self.acts(talks, customer(seed))]
            fierce = self.acts(talks, customer(seed, traits=self.has))
            kept = [act_text(act) for act in fierce if not is_attack(Turn(act=act))]
            assert kept == meek[: len(kept)]
            assert len(kept) >= 3

    def test_an_attack_that_was_not_understood_is_no_reason_to_rephrase(
        self, customer: Callable[..., UserTask]
    ) -> None:
        task = customer(traits={"attacks": 0.0})
        first = Turn(
            act=Say(text="I'd like a small hawaiian pizza, please."),
            observation=Observation(text="How many cans would you like?"),
        )
        lure = Turn(
            act=Say(text="xq zzt", meant=""),
            observation=Observation(text="Sorry, I did not get that."),
        )
        user = FakeContext().build(AgendaUser)
        now = {"turns": (first, lure), "situation": "rephrase"}
        assert asyncio.run(user.act(task.model_copy(update=now))).act == Say(text="2")

    def test_an_answer_to_an_attack_is_what_the_user_goes_on_from(self) -> None:
        first = Turn(act=Say(text="Hello"), observation=Observation(text="What do you need?"))
        lure = Turn(act=Say(text="x", meant=""), observation=Observation(text="Which size?"))
        assert [one.observation for one in without_attacks((first, lure))] == [lure.observation]
        dumb = lure.model_copy(update={"observation": Observation(text="")})
        assert without_attacks((first, dumb)) == (first,)
        assert without_attacks((lure,)) == ()

    def test_nobody_attacks_where_only_the_user_can_answer(
        self, customer: Callable[..., UserTask]
    ) -> None:
        user = FakeContext().build(AgendaUser)
        for line in ("What is your name?", "Which size: small or big?", "Is that right?",
                     "Sorry, I did not get that."):  # fmt: skip
            for seed in range(10):
                turns = (Turn(act=Say(text="Hello"), observation=Observation(text=line)),)
                task = customer(seed, traits=self.has, turns=turns)
                act = asyncio.run(user.act(task)).act
                assert not is_attack(Turn(act=act or Say(text="Bye")))


def test_traits_that_are_none_change_nothing(speak: Speak) -> None:
    assert texts(speak(seeds=4, traits={"typos": "many"})) == texts(speak(seeds=4))
