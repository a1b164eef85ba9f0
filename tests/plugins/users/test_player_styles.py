"""Styles and personas of profiles, played: what the trace records, what rules see."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.errors import ConfigurationError
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import Revision, UserMove, UserTask
from sparring.model.talk import Say, Trace, act_text, meant_by
from sparring.testing.fakes import FakeContext
from sparring_plugins.rules.values.record import Record
from sparring_plugins.users.player import UserSimulator

Converse = Callable[..., Trace]

SIZES = ["small", "medium", "big"]
FALLBACK = "Sorry, I did not get that."


@pytest.fixture
def order(tmp_path: Path) -> Callable[..., Path]:
    """Write a profile that orders one pizza, in some style and with some context."""

    def write(style: Any = "default", context: Any = None, language: str = "English") -> Path:
        size = {"function": "random()", "type": "string", "data": SIZES}
        data = {
            "test_name": "order",
            "user": {
                "language": language,
                "context": context,
                "goals": ["a {{size}} pizza", {"size": size}],
            },
            "chatbot": {
                "is_starter": False,
                "fallback": FALLBACK,
                "output": [{"price": {"type": "money", "description": "the price"}}],
            },
            "conversation": {"number": 1, "interaction_style": style},
        }
        path = tmp_path / "order.yml"
        path.write_text(yaml.safe_dump(data, allow_unicode=True), "utf-8")
        return path

    return write


class Pizza:
    """Takes one size, confirms, and tells the price of what it has taken."""

    prices = {"small": 10, "medium": 15, "big": 20}

    def __init__(self, *, changes: bool = True) -> None:
        self.changes, self.size, self.done = changes, "", False

    def __call__(self, text: str) -> str:
        named = [size for size in SIZES if size in text.lower()]
        if named and (self.changes or not self.size):
            self.size = named[-1]
        elif named:
            return FALLBACK
        elif not self.done and self.size and text.lower().startswith("yes"):
            self.done = True
            return f"Your order has been placed. The price is ${self.prices[self.size]}.00."
        if self.done:
            return "Goodbye!"
        return f"A {self.size} pizza. Is that right?" if self.size else FALLBACK


def revising_seeds(converse: Converse, profile: Path, bot: Callable[[], Any]) -> list[Trace]:
    return [
        converse(bot(), profile, {"size": [size]}, seed=seed) for seed in range(4) for size in SIZES
    ]


def test_a_change_of_mind_is_recorded_and_rules_judge_what_was_wanted_in_the_end(
    order: Callable[..., Path], converse: Converse
) -> None:
    for trace in revising_seeds(converse, order(["change your mind"]), Pizza):
        final = trace.inputs["size"]
        assert trace.meta["revised"] == {"size": final}
        assert final != trace.case.params["size"]
        assert isinstance(final, list)
        price = next(one.value for one in trace.outputs if one.name == "price")
        assert price == f"${Pizza.prices[str(final[0])]}.00"
        record = Record(trace)
        assert record["size"] == final
        assert record["inputs"] == {"size": final}
        assert trace.meta["goals_unmet"] == []


def test_a_change_that_the_app_never_understood_does_not_count(
    order: Callable[..., Path], converse: Converse
) -> None:
    for trace in revising_seeds(converse, order("change your mind"), lambda: Pizza(changes=False)):
        assert "revised" not in trace.meta
        assert trace.inputs == trace.case.params
        price = next(one.value for one in trace.outputs if one.name == "price")
        assert price == f"${Pizza.prices[str(trace.case.params['size'][0])]}.00"  # type: ignore[index]
        tried = [turn.act for turn in trace.turns if "mind" in act_text(turn.act)]
        assert 1 <= len(tried) <= 2


def test_a_change_right_before_the_app_ends_the_conversation_counts(
    order: Callable[..., Path], converse: Converse
) -> None:
    class Hasty(Pizza):
        def __call__(self, text: str) -> Any:
            from sparring.model.talk import Observation

            said = super().__call__(text)
            return Observation(text="As you wish.", ended=True) if "mind" in text else said

    for trace in revising_seeds(converse, order("change your mind"), Hasty):
        assert trace.meta["revised"]


def test_without_the_style_nothing_is_revised_and_nothing_meant_otherwise(
    order: Callable[..., Path], converse: Converse
) -> None:
    trace = converse(Pizza(), order(), {"size": ["small"]})
    assert "revised" not in trace.meta
    assert "persona" not in trace.meta
    assert "meant" not in trace.model_dump_json()


def test_what_was_meant_is_kept_beside_what_was_said(
    order: Callable[..., Path], converse: Converse
) -> None:
    trace = converse(Pizza(), order("long phrases"), {"size": ["small"]})
    first = trace.turns[0].act
    assert isinstance(first, Say)
    assert first.meant is not None
    assert first.meant in first.text
    assert Trace.model_validate_json(trace.model_dump_json()) == trace


def test_the_languages_spoken_are_recorded_one_per_turn(
    order: Callable[..., Path], converse: Converse
) -> None:
    style = [{"change language": ["French", "German"]}]
    seen: set[str] = set()
    for seed in range(12):
        trace = converse(Pizza(), order(style), {"size": ["small"]}, seed=seed)
        block: Any = trace.meta["conversation"]
        spoken = block[0]["interaction_style"][0]["change languages"]
        assert len(spoken) == len(trace.turns)
        seen |= set(spoken)
    assert seen == {"English", "French", "German"}


def test_a_language_that_the_user_does_not_speak_is_warned_of_and_not_drawn(
    order: Callable[..., Path], converse: Converse
) -> None:
    style = [{"random": [{"change language": ["Japanese", "French"]}]}]
    context = FakeContext()
    context.build(UserSimulator, profiles=str(order(style)))
    (warning,) = context.warnings
    assert "the user 'agenda' does not speak Japanese" in warning
    for seed in range(12):
        trace = converse(Pizza(), order(style), {"size": ["small"]}, seed=seed)
        assert "Japanese" not in str(trace.meta["conversation"])


def test_no_style_is_warned_of(order: Callable[..., Path]) -> None:
    for style in ("long phrases", "short phrases", "make spelling mistakes", "single question",
                  "all questions", "change your mind", "default"):  # fmt: skip
        context = FakeContext()
        context.build(UserSimulator, profiles=str(order([style])))
        assert context.warnings == []


@pytest.mark.parametrize("context", [{"personality": "rude"}, [{"personality": "Rude"}]])
def test_a_bundled_persona_is_named_and_acted_out(
    order: Callable[..., Path], converse: Converse, context: Any
) -> None:
    trace = converse(Pizza(), order(context=context), {"size": ["small"]})
    assert trace.meta["persona"] == "rude"
    assert "You never say please" in str(trace.meta["context"])
    said = " ".join(act_text(turn.act) for turn in trace.turns)
    assert "please" not in said.lower()
    meant = " ".join(meant_by(turn.act) for turn in trace.turns)
    assert said != meant


def test_the_suites_persona_is_a_name_or_a_file(order: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "mine.yml").write_text("traits: {typos: 0.1}\n")
    for persona, typos in (("child", 0.12), (str(tmp_path / "mine.yml"), 0.1)):
        player = FakeContext().build(UserSimulator, profiles=str(order()), persona=persona)
        assert player.profiles["order"].traits["typos"] == typos


def test_a_file_of_the_author_goes_before_a_bundled_persona(
    order: Callable[..., Path], tmp_path: Path
) -> None:
    (tmp_path / "rude").write_text("context: [You are kind.]\n")
    player = FakeContext().build(
        UserSimulator, profiles=str(order(context={"personality": "rude"}))
    )
    assert player.profiles["order"].context == ("You are kind.",)


@pytest.mark.parametrize(
    ("persona", "message"),
    [
        ("eldrely", "no persona of ours has that name. Did you mean 'elderly'? Known: adversarial"),
        ("rude.yml", "the persona file 'rude.yml' is not there; looked in"),
    ],
)
def test_an_unknown_persona_is_an_error_with_the_nearest(
    order: Callable[..., Path], persona: str, message: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        FakeContext().build(UserSimulator, profiles=str(order(context={"personality": persona})))
    assert message in str(caught.value)
    assert "order.yml:14: user.context.personality" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("traits: 5", "mine.yml:1: traits: expected traits by name, found 5"),
        ("traits:\n  typo: 1", "mine.yml:2: traits.typo: unknown trait. Did you mean 'typos'?"),
        ("traits:\n  asides: {rud: 1}", "mine.yml:2: traits.asides.rud: unknown kind of remark."),
        ("traits: {typos: 3}", "mine.yml:1: traits.typos: input should be less than or equal"),
        ("trait: {}", "mine.yml:1: expected the key 'context' with sentences"),
        ("context: [a]\ntrait: {}", "mine.yml:2: trait: unknown key. Did you mean 'traits'?"),
    ],
)
def test_wrong_traits_are_named_with_file_and_line(
    order: Callable[..., Path], tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "mine.yml").write_text(text + "\n")
    profile = order(context={"personality": "mine.yml"})
    with pytest.raises(ConfigurationError) as caught:
        FakeContext().build(UserSimulator, profiles=str(profile))
    assert message in str(caught.value)


def test_a_user_may_retract_what_it_revised(order: Callable[..., Path], converse: Converse) -> None:
    moves = iter(
        [
            UserMove(
                act=Say(text="big pizza"), revised=(Revision(variable="size", value=["big"]),)
            ),
            UserMove(act=Say(text="hello")),
            UserMove(),
        ]
    )

    class Fickle(Agent[UserTask, UserMove, PluginConfig]):
        role = "user"

        async def act(self, task: UserTask) -> UserMove:
            return next(moves)

    trace = converse(Pizza(), order(), {"size": ["small"]}, parts={"fickle": FakeContext().build(Fickle)},
                     user="fickle")  # fmt: skip
    assert "revised" not in trace.meta
