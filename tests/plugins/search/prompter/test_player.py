import asyncio
import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.errors import ConfigurationError, SparringError
from sparring.interfaces.abilities import Previewing
from sparring.model.case import Case
from sparring.model.talk import Ended, IncidentKind, Listen, Say, Trace
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring.testing.fakes import FakeConnector, FakeContext, FakeLLM
from sparring.testing.playing import play
from sparring_plugins.search.prompter.player import Prompter

SPACE = """\
name: shop
about: a shop
speaker: a customer
style:
  mood:
    values:
      plain:
      rude: {traits: {politeness: 0, asides: {demanding: 1}}, context: You are rude.}
content:
  item: {values: {tea: , coffee: {as: [black coffee]}}}
  size: {scale: ordinal, values: [none, small, large]}
perturbation:
  noise: {values: {none: , fillers: {apply: {use: fillers, rate: 1.0}}, caps: {apply: {use: case, mode: upper}}}}
constraints:
  - {when: item == 'tea', drop: size}
templates: templates.yaml
conversation:
  role: You buy something.
  goals: ["a {{item}}", "in {{size}}", "the price"]
  outputs: {price: {type: money, description: the price}}
  limit: 4
"""
TEMPLATES = """\
start: "{ask} {a thing}."
symbols:
  ask: [{when: mood == 'rude', any: Gimme}, I would like]
  thing: "[{size} ]{item}"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "space.yaml").write_text(SPACE)
    (tmp_path / "templates.yaml").write_text(TEMPLATES)
    return tmp_path


def params(**changed: Any) -> dict[str, Any]:
    return {"mood": "plain", "item": "coffee", "size": "large", "noise": "none"} | changed


def prompter(folder: Path, **settings: Any) -> Prompter:
    return FakeContext(base_dir=folder).build(Prompter, spaces="space.yaml", **settings)


def play_case(player: Prompter, case: Case) -> Trace:
    connector = FakeContext().build(FakeConnector, replies=["Fine.", "What else?", "$3."])
    found = asyncio.run(play(player, connector, case))
    assert isinstance(found, Trace)
    return found


def run(folder: Path, **suite: Any) -> list[Trace]:
    data = {"name": "shop", "app": {"use": "echo"}, "strategy": "exhaustive", **suite}
    (folder / "suite.yaml").write_text(yaml.safe_dump(data))
    conducted = conduct(load_suite(folder / "suite.yaml"), RunOptions())
    assert conducted.folder is not None
    return [one.trace for one in StoredRun(conducted.folder).judged()]


def test_a_vector_becomes_an_utterance_an_answer_and_a_trace(
    folder: Path, chat_server: str
) -> None:
    app = {
        "use": "rest",
        "url": chat_server,
        "body": {"session": "{case}", "text": "{text}"},
        "reply": {"text": "$.reply"},
    }
    traces = run(folder, app=app, agent={"use": "prompter", "spaces": "space.yaml"})
    assert len(traces) == 2 * (1 + 3) * 3  # tea has no size
    by_params = {json.dumps(one.case.params, sort_keys=True): one for one in traces}
    found = by_params[json.dumps(params(mood="rude", noise="caps"), sort_keys=True)]
    assert found.turns[0].act == Say(
        text="GIMME A LARGE BLACK COFFEE.", meant="Gimme a large black coffee."
    )
    assert found.turns[0].observation is not None
    assert "GIMME" in found.turns[0].observation.text
    assert found.ended is Ended.SCRIPT_DONE
    meta = found.meta
    assert meta["space"] == "shop"
    assert meta["features"] == params(mood="rude", noise="caps")
    assert meta["vector"] == [1.0, 1.0, 2 / 3, 2.0]
    assert meta["utterance"] == "GIMME A LARGE BLACK COFFEE."
    assert meta["written"] == "Gimme a large black coffee."
    assert meta["spoken"] == {"item": ["black coffee"], "size": ["large"]}
    assert meta["perturbations"] == [
        {
            "feature": "noise",
            "use": "case",
            "changes": 21,
            "places": 22,
            "what": [],
            "keeps_meaning": True,
        }
    ]


def test_what_is_said_is_known_before_it_is_said(folder: Path) -> None:
    player = prompter(folder)
    assert isinstance(player, Previewing)
    for seed in range(5):
        case = Case.of("shop", params(noise="fillers"), run_seed=seed)
        preview = asyncio.run(player.preview(case))
        (turn,) = play_case(player, case).turns
        assert isinstance(turn.act, Say)
        assert (preview.text, preview.written) == (turn.act.text, turn.act.meant)
        assert "black coffee" in preview.text, "content is spared"


def test_the_app_may_speak_first_and_be_opened(folder: Path) -> None:
    player = prompter(folder, listen=True, before=["open the shop"])
    trace = play_case(player, Case.of("shop", params(), run_seed=1))
    assert [turn.act for turn in trace.turns] == [
        Listen(), Say(text="open the shop", meant=""), Say(text="I would like a large black coffee."),
    ]  # fmt: skip


def test_nothing_is_said_where_there_are_no_words(folder: Path) -> None:
    (folder / "templates.yaml").write_text("start: '[{size}]'")
    trace = play_case(prompter(folder), Case.of("shop", params(size="none"), run_seed=1))
    assert trace.turns == ()
    assert [one.kind for one in trace.incidents] == [IncidentKind.UNRESOLVED]


def test_features_drive_a_simulated_user_over_a_conversation(folder: Path) -> None:
    agent = {"use": "prompter", "spaces": "space.yaml", "conversation": {}}
    traces = run(folder, agent=agent, budget={"cases": 36})
    by_params = {json.dumps(one.case.params, sort_keys=True): one for one in traces}
    for noise in ("none", "caps", "fillers"):
        found = by_params[json.dumps(params(mood="rude", noise=noise), sort_keys=True)]
        assert found.meta["goals"] == ["a black coffee", "in large", "the price"]
        said = [turn.act for turn in found.turns if isinstance(turn.act, Say)]
        assert 1 < len(said) <= 5
        assert any("black coffee" in act.text.casefold() for act in said)
        assert found.meta["utterance"] == said[0].text
        if noise == "caps":
            assert all(act.text == act.text.upper() and act.meant != act.text for act in said)
        plain = by_params[json.dumps(params(noise=noise), sort_keys=True)]
        assert found.turns != plain.turns, "style is heard"
    left_out = by_params[json.dumps(params(size="none"), sort_keys=True)]
    assert left_out.meta["goals"] == ["a black coffee", "the price"]


def test_the_preview_of_a_conversation_is_its_first_utterance(folder: Path) -> None:
    player = prompter(folder, conversation={})
    case = Case.of("shop", params(mood="rude", noise="fillers"), run_seed=3)
    preview = asyncio.run(player.preview(case))
    first = play_case(player, case).turns[0].act
    assert isinstance(first, Say)
    assert preview.text == first.text


def test_a_search_over_conversations_plays_those_that_begin_alike(folder: Path) -> None:
    # The cup is named only in the second goal, so that the first utterance never tells it.
    (folder / "space.yaml").write_text(SPACE.replace('"a {{item}}", "in {{size}}"', '"a {{item}}"'))
    agent = {"use": "prompter", "spaces": "space.yaml", "conversation": {}}
    common: dict[str, Any] = {"agent": agent, "budget": {"cases": 30}, "seed": 3}
    archive = {"use": "random", "duplicates": "archive"}
    traces = run(folder, **common, strategy=archive)
    values = {json.dumps(trace.case.params, sort_keys=True) for trace in traces}
    assert len(traces) == len(values) > 20, "each combination of values is played once"
    by_words = {"use": "random", "duplicates": {"by": "words"}}
    assert len(run(folder, **common, strategy=by_words)) < len(traces) - 5


def test_a_threshold_for_conversations_counts_values_that_agree(folder: Path) -> None:
    agent = {"use": "prompter", "spaces": "space.yaml", "conversation": {}}
    strategy = {"use": "random", "duplicates": {"threshold": 0.7}}
    traces = run(folder, agent=agent, strategy=strategy, budget={"cases": 30})
    assert 1 < len(traces) < 20
    for first, second in itertools.combinations(traces, 2):
        pairs = zip(first.case.params.items(), second.case.params.items(), strict=True)
        equal = sum(one == other for one, other in pairs)
        assert (equal + 1) / 5 < 0.7, "the scenario and four features"


def test_retrieved_examples_reach_the_writer_and_the_trace(folder: Path) -> None:
    (folder / "said.txt").write_text("I want green tea\na black coffee to go\nwhere are you\n")
    llm = FakeContext().build(FakeLLM, answers=[{"utterance": "One black coffee, large."}])
    context = FakeContext(base_dir=folder, llm=llm)
    player = context.build(
        Prompter,
        spaces="space.yaml",
        writer={"use": "model"},
        examples="said.txt",
        retrieval={"number": 1, "by": "tf-idf"},
    )
    trace = play_case(player, Case.of("shop", params(), run_seed=1))
    assert trace.meta["examples"] == ["a black coffee to go"]
    assert "a black coffee to go" in llm.requests[0].messages[-1].content


@pytest.mark.parametrize(
    ("change", "settings", "message"),
    [
        (
            ("use: fillers", "use: filers"),
            {},
            "space.yaml:13: noise: no perturbation is called 'filers'. Did you mean 'fillers'?",
        ),
        (
            ("rate: 1.0", "rate: 2"),
            {},
            "space.yaml:13: noise: agent 'fillers': rate: Input should be less",
        ),
        (("templates: templates.yaml\n", ""), {}, "has no `templates`"),
        (("", ""), {"writer": {"use": "templat"}}, "Did you mean"),
        (("", ""), {"spaces": "nothing.yaml"}, "no file matches"),
        (("", ""), {"writer": {"use": "fillers"}}, "writer"),
        (("mood:", "moods:"), {}, "`mood` is none of the variables"),
    ],
)
def test_what_cannot_be_played_is_refused_when_it_is_built(
    folder: Path, change: tuple[str, str], settings: dict[str, Any], message: str
) -> None:
    (folder / "space.yaml").write_text(SPACE.replace(*change, 1))
    with pytest.raises(SparringError) as caught:
        FakeContext(base_dir=folder).build(Prompter, **{"spaces": "space.yaml", **settings})
    assert message in str(caught.value)


def test_a_space_without_a_conversation_holds_none(folder: Path) -> None:
    text = SPACE.partition("conversation:")[0]
    (folder / "space.yaml").write_text(text)
    with pytest.raises(ConfigurationError, match="has no `conversation`"):
        prompter(folder, conversation={})


@pytest.mark.parametrize("conversation", [None, {}])
def test_what_is_said_before_may_name_features(
    folder: Path, conversation: dict[str, Any] | None
) -> None:
    before = ["open the shop", "in {{size}}"]
    settings = {"before": before, "conversation": conversation}
    player = prompter(folder, **settings)
    case = Case.of("shop", params(), run_seed=1)
    trace = play_case(player, case)
    said = [one.act for one in trace.turns][:2]
    assert said == [Say(text="open the shop", meant=""), Say(text="in large", meant="")]
    seen = asyncio.run(player.preview(case))
    assert seen.before == "open the shop in large"
    assert trace.meta["utterance"] == seen.text
    small = Case.of("shop", params(size="none"), run_seed=1)
    assert asyncio.run(player.preview(small)).before == "open the shop"


def test_a_value_may_lead_up_to_its_request_over_turns(folder: Path) -> None:
    steps = 'steps: {values: {none: , two: {turns: ["Tell me of {{item}}.", "And in {{size}}?"]}}}'
    (folder / "space.yaml").write_text(SPACE.replace("style:\n", f"style:\n  {steps}\n"))
    player = prompter(folder)
    case = Case.of("shop", params(steps="two", size="none"), run_seed=1)
    said = [turn.act for turn in play_case(player, case).turns]
    assert said[0] == Say(text="Tell me of black coffee.", meant="")
    assert len(said) == 2, "there is no size to ask for"
    assert asyncio.run(player.preview(case)).before == "Tell me of black coffee."
    (folder / "space.yaml").write_text(
        SPACE.replace("style:\n", f"style:\n  {steps.replace('item', 'itm')}\n")
    )
    with pytest.raises(ConfigurationError, match="no content feature 'itm'"):
        prompter(folder)


def test_what_is_said_before_names_content_features_only(folder: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        prompter(folder, before=["in {{sise}}"])
    told = "before: 'in {{sise}}': the space 'shop' has no content feature 'sise'. "
    assert told + "Did you mean 'size'?" in str(caught.value)
