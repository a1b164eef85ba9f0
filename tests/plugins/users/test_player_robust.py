"""Conversations of the simulated user with apps that say anything at all."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring.model.talk import Choice, Observation, Trace
from sparring.testing.fakes import FakeContext
from sparring.testing.hostile import TEXTS
from sparring_plugins.users.player import UserSimulator

Converse = Callable[..., Trace]
WriteProfile = Callable[..., Path]

FALLBACK = "I'm sorry, I did not get what you said."
PIZZA_GOALS: list[Any] = [
    "a {{size}} pizza with {{toppings}}",
    "{{cans}} cans of {{drink}}",
    {"size": {"function": "forward()", "type": "string", "data": ["small", "medium", "large"]}},
    {"toppings": {"function": "random(2)", "type": "string", "data": ["cheese", "ham", "corn"]}},
    {"cans": {"function": "random()", "type": "int", "data": [1, 2, 3]}},
    {"drink": {"function": "random()", "type": "string", "data": ["coke", "sprite"]}},
]
PIZZA = {"size": "small", "toppings": ["cheese", "ham"], "cans": 2, "drink": "coke"}
PIZZA_OUTPUTS = {
    "price": ("money", "the final price of the order"),
    "order_id": ("str", "my order number"),
}


def test_published_profiles_can_be_played(
    shared_data: Path, converse: Converse, tools: Any
) -> None:
    """Every one of SENSEI's profiles talks to a bot that never understands, and ends."""
    for path in sorted((shared_data / "profiles").rglob("*.yml")):
        if "list_functions" in path.read_text("utf-8"):
            continue
        player = FakeContext(base_dir=shared_data).build(UserSimulator, profiles=str(path))
        profile = next(iter(player.profiles.values()))
        params = {variable.name: variable.domain[0] for variable in profile.variables}
        trace = converse(lambda text: "No idea.", path, params, base_dir=shared_data)
        said = tools.said(trace)
        assert 1 <= len(said) <= 60
        assert not any("{{" in text for text in said)


OBSERVATIONS = st.builds(
    Observation,
    text=st.one_of(
        st.text(max_size=200),
        st.sampled_from(TEXTS),
        st.sampled_from(
            ["What size?", "Is that correct?", "Anything else?", "small or large?", FALLBACK, "Bye!",
             "1. small\n2. large\nType the number.", "Your name and phone number?", "$12. Done."]
        ),
    ),
    choices=st.lists(
        st.builds(
            Choice,
            label=st.one_of(st.text(max_size=30), st.sampled_from(["Yes", "No", "Small", ""])),
            value=st.one_of(st.none(), st.text(max_size=10)),
        ),
        max_size=4,
    ).map(tuple),
)  # fmt: skip


@settings(
    max_examples=settings().max_examples // 3,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(answers=st.lists(OBSERVATIONS, min_size=1, max_size=8), seed=st.integers(0, 5))
def test_whatever_the_app_answers_the_conversation_ends(
    answers: list[Observation],
    seed: int,
    profile_of: WriteProfile,
    converse: Converse,
    tools: Any,
) -> None:
    profile = profile_of(PIZZA_GOALS, PIZZA_OUTPUTS)

    def play() -> Trace:
        state = {"turn": 0}

        def bot(text: str) -> Observation:
            state["turn"] += 1
            return answers[state["turn"] % len(answers)]

        return converse(bot, profile, PIZZA, seed=seed)

    trace = play()
    assert len(trace.turns) <= 21
    assert tools.said(trace) == tools.said(play())
    assert all(len(text) < 5_000 for text in tools.said(trace))
