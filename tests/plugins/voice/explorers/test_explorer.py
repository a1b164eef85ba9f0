"""The explorer in whole runs: its loop, budgets, determinism, what is kept, ablations, baselines."""

import json
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.errors import ConfigurationError, EnvironmentFailure
from sparring.interfaces.app_connector import AppSession
from sparring.model.case import Case
from sparring.model.talk import Act, Ended, IncidentKind, Observation, Trace, act_text
from sparring.model.verdict import Owner
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring.testing.fakes import FakeConnector
from sparring_plugins.voice.behaviour_model import ELSEWHERE, END, FAILURE, BehaviourModel
from sparring_plugins.voice.roles import Effect

MAZE: dict[str, Any] = {
    "hello": "Welcome to the maze. You can say left, right, or look around.",
    "left": "You are in the library. Would you like to read a book?",
    "right": "You are in the kitchen. Which fruit would you like, an apple or a pear?",
    "look around": "There are two doors.",
    "yes": "The book tells of a hidden key. Say open the chest.",
    "no": "You put the book back.",
    "open the chest": {"text": "You found the treasure. Goodbye!", "ended": True},
    "apple": "You eat the apple.",
    "pear": {"raises": "crash"},
    "help": 'You can also say "sing a song".',
    "sing a song": "La la la.",
    "*": "Sorry, I did not understand that.",
}


@pytest.fixture
def explore(tmp_path: Path) -> Callable[..., StoredRun]:
    def _explore(folder: str = "one", resume: StoredRun | None = None, **more: Any) -> StoredRun:
        use, strategy = more.pop("use", "explorer"), more.pop("strategy", {"use": "sessions"})
        app = {"use": "sparring.testing.fakes:FakeConnector", "replies": MAZE}
        suite = {
            "name": "maze",
            "app": {**app, "greeting": MAZE["hello"], **more.pop("app", {})},
            "agent": {"use": use, "turns": 40, **more.pop("agent", {})},
            "strategy": strategy,
            "oracles": [],
            "reporters": [],
            **more,
        }
        path = tmp_path / folder / "suite.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump(suite), encoding="utf-8")
        done = conduct(load_suite(path), RunOptions(resume=resume))
        assert done.folder is not None
        return StoredRun(done.folder)

    return _explore


def traces(run: StoredRun) -> list[Trace]:
    return sorted((one.trace for one in run.judged()), key=lambda trace: trace.case.id)


def acts(run: StoredRun) -> list[Any]:
    return [[turn.act for turn in trace.turns] for trace in traces(run)]


def model(run: StoredRun, name: str = "exploration") -> BehaviourModel:
    path = run.folder / "models" / f"{name}.model.json"
    return BehaviourModel.from_json(path.read_text("utf-8"))


def outputs(found: BehaviourModel) -> set[str]:
    return {text for state in found.states.values() for text in state.outputs}


def test_all_of_the_app_is_found_within_the_turns(explore: Callable[..., StoredRun]) -> None:
    run = explore()
    found = model(run)
    said = " ".join(outputs(found))
    for part in (
        "library",
        "kitchen",
        "two doors",
        "hidden key",
        "treasure",
        "eat the apple",
        "La",
    ):
        assert part in said
    assert found.turns == 40
    sent = [act for session in acts(run) for act in session if act.kind != "listen"]
    assert len(sent) == 40, "the budget of turns is met to the turn"
    assert FAILURE in found.states
    crash = [trace for trace in traces(run) if trace.ended is Ended.INCIDENT]
    assert crash[0].incidents[0].kind is IncidentKind.CRASH


def test_the_model_is_a_counted_automaton(explore: Callable[..., StoredRun]) -> None:
    found = model(explore())
    launch = next(state for state in found.states.values() if "maze" in state.output)
    left = launch.inputs["left"]
    assert left.count == sum(left.targets.values()) >= 1
    assert found.effect(launch, left) is Effect.NEW
    treasure = next(state for state in found.states.values() if "treasure" in state.output)
    assert treasure.final
    assert treasure.id in found.final_states()
    tried = sum(one.count for state in found.states.values() for one in state.inputs.values())
    assert tried == found.turns + found.sessions, "each turn is counted once, and each greeting"


@pytest.mark.parametrize("use", ["explorer", "vitas", "random"])
def test_a_run_is_the_same_at_any_concurrency(explore: Callable[..., StoredRun], use: str) -> None:
    agent = {"turns": 25, "explorations": 3}
    one = explore("one", use=use, agent=agent, concurrency=1)
    many = explore("many", use=use, agent=agent, concurrency=20)
    assert acts(one) == acts(many)
    assert one.case_ids == many.case_ids
    numbers = [trace.case.params["exploration"] for trace in traces(one)]
    assert set(numbers) == {1, 2, 3}


def test_a_killed_run_goes_on_with_its_model(explore: Callable[..., StoredRun]) -> None:
    whole = explore("whole", agent={"session_turns": 7})
    cut = explore("cut", agent={"session_turns": 7}, budget={"cases": 3})
    log = cut.folder / "log.jsonl"
    lines = log.read_text("utf-8").splitlines(keepends=True)
    judged = [number for number, line in enumerate(lines) if '"kind":"case_judged"' in line]
    log.write_text("".join(lines[: judged[2]]), encoding="utf-8")  # killed in the third session
    again = explore("cut", resume=StoredRun(cut.folder), agent={"session_turns": 7})
    assert acts(again) == acts(whole)
    assert model(again) == model(whole)


def test_a_model_can_be_taken_up_by_another_run(explore: Callable[..., StoredRun]) -> None:
    first = explore("first", agent={"turns": 8})
    stored = first.folder / "models" / "exploration.model.json"
    more = model(explore("next", agent={"turns": 8, "start_from": str(stored)}))
    assert set(model(first).states) < set(more.states)
    assert more.turns == 8


@pytest.mark.parametrize("part", ["observer", "generator", "planner", "model"])
def test_each_part_can_be_left_out_and_is_worth_something(
    explore: Callable[..., StoredRun], part: str
) -> None:
    run = explore(agent={"without": part, "turns": 30})
    texts = {turn.observation.text for t in traces(run) for turn in t.turns if turn.observation}
    full = explore("full", agent={"turns": 30})
    all_texts = {
        turn.observation.text for t in traces(full) for turn in t.turns if turn.observation
    }
    assert sum(len(session) for session in acts(run)) > 25
    assert len(texts) <= len(all_texts)
    if part == "model":
        assert model(run).turns == 30
        assert list(model(run).states) == ["start"]


def test_several_apps_are_explored_each_on_its_own(explore: Callable[..., StoredRun]) -> None:
    run = explore(agent={"apps": ["a", "b / ü"], "turns": 9})
    names = {trace.meta["exploration"] for trace in traces(run)}
    assert names == {"a", "b / ü"}
    assert len(list((run.folder / "models").glob("*.model.json"))) == 2


class _HostlessSession(AppSession):
    """What is said to the right needs a host that cannot be reached from here."""

    def __init__(self, inner: AppSession) -> None:
        self._inner = inner

    async def send(self, act: Act) -> Observation:
        if act_text(act) == "right":
            raise EnvironmentFailure(
                "the app needs maze.example, which cannot be reached from here"
            )
        return await self._inner.send(act)


class HostlessConnector(FakeConnector):
    """The maze on a machine whose network is cut."""

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[Any]:
        async with super().open(case) as session:
            yield _HostlessSession(session)


@pytest.mark.parametrize("kind", ["unreachable", "environment"])
def test_what_needs_a_host_that_cannot_be_reached_is_not_said_for_ever(
    explore: Callable[..., StoredRun], kind: str
) -> None:
    """Each time costs a session, and whatever else the app can do would stay unseen."""
    app: dict[str, Any] = {"replies": {**MAZE, "right": {"raises": "unreachable"}}}
    if kind == "environment":
        app = {"use": f"{__name__}:HostlessConnector"}
    run = explore(app=app)
    said = [getattr(act, "text", "") for acts_of in acts(run) for act in acts_of]
    assert 1 <= said.count("right") <= 3
    assert "treasure" in " ".join(outputs(model(run)))


def test_an_app_that_is_gone_ends_the_exploration(explore: Callable[..., StoredRun]) -> None:
    gone = {"replies": {"*": {"raises": "unreachable"}}, "greeting": "", "raises": {}}
    assert model(explore(app=gone)).turns == 20, "sessions in a row that do not reach it"
    patient = explore("patient", app=gone, budget={"unreachable": None})
    assert model(patient).turns == 40, "each failing turn is counted"
    silent = explore("closed", app={"greeting": {"text": "Closed.", "ended": True}})
    assert len(acts(silent)) == 3, "three sessions without a word are enough"


def test_a_stuck_session_is_left(explore: Callable[..., StoredRun]) -> None:
    run = explore(app={"replies": {"*": "No."}, "greeting": "No."}, agent={"turns": 60})
    assert len(acts(run)) > 3


def test_minutes_end_an_exploration(explore: Callable[..., StoredRun]) -> None:
    run = explore(agent={"turns": 10_000, "minutes": 0.0005})
    assert model(run).turns < 10_000


def test_the_farewell_is_said_as_a_turn(explore: Callable[..., StoredRun]) -> None:
    run = explore(agent={"turns": 12, "session_turns": 4, "farewell": "stop"})
    lasts = [session[-1].text for session in acts(run)]
    assert lasts.count("stop") >= 1
    assert sum(act.kind != "listen" for session in acts(run) for act in session) == 12


def test_with_another_strategy_each_case_begins_anew(explore: Callable[..., StoredRun]) -> None:
    run = explore(strategy={"use": "selectors", "number": 1})
    assert len(acts(run)) == 1


def test_the_chatbot_alone_says_what_the_model_says(explore: Callable[..., StoredRun]) -> None:
    script = {"use": "sparring.testing.fakes:FakeLLM", "answers": {"*": "left\nplease"}}
    run = explore(use="chatbot", agent={"turns": 3}, llm=script)
    assert [act.text for act in acts(run)[0][1:]] == ["left please"] * 3
    asked = [
        json.loads(line) for line in (run.folder / "log.jsonl").read_text("utf-8").splitlines()
    ]
    request = next(one["request"] for one in asked if one["kind"] == "model_called")
    assert request["messages"][0]["content"] == "You are a chatbot."
    assert (request["temperature"], request["max_tokens"]) == (0, 450)


def test_the_chatbot_needs_a_model(explore: Callable[..., StoredRun]) -> None:
    with pytest.raises(ConfigurationError, match="the suite names none"):
        explore(use="chatbot")


def test_vitas_says_help_first_and_harvests_it(explore: Callable[..., StoredRun]) -> None:
    run = explore(use="vitas", agent={"medium": "voice"})
    assert [session[1].text for session in acts(run)] == ["help"] * len(acts(run))
    said = [act.text for session in acts(run) for act in session if act.kind == "say"]
    assert "sing a song" in said
    at = said.index("stop") if "stop" in said else None
    assert at is None or said[at + 1] == "what's the time"


def test_a_model_that_fails_ends_the_session_and_the_run(explore: Callable[..., StoredRun]) -> None:
    script = {"use": "sparring.testing.fakes:FakeLLM", "answers": []}
    run = explore(agent={"observer": "model", "turns": 9}, llm={**script, "attempts": 1})
    kinds = [one.kind for trace in traces(run) for one in trace.incidents]
    assert kinds == [IncidentKind.MODEL_ERROR] * len(traces(run))
    assert END not in model(run).states


def test_an_app_that_waits_to_be_opened_is_opened_in_each_way(
    explore: Callable[..., StoredRun],
) -> None:
    app = {
        "greeting": {"text": "", "ended": True},
        "replies": {**MAZE, "start maze": MAZE["hello"]},
    }
    agent = {"medium": "voice", "turns": 30, "openings": ["hello", "start maze"]}
    run = explore(app=app, agent=agent)
    firsts = [session[1].text for session in acts(run)]
    assert firsts[:2] == ["hello", "start maze"]
    assert set(firsts) == {"hello", "start maze"}, "nothing else is said to a device that waits"
    vitas = explore("vitas", use="vitas", app=app, agent={**agent, "turns": 12})
    assert all(session[1].text in ("hello", "start maze") for session in acts(vitas))


def test_another_app_is_left_alone(explore: Callable[..., StoredRun]) -> None:
    other = {"text": "Welcome to the zoo. Say lions.", "payload": {"tested": False}}
    run = explore(app={"replies": {**MAZE, "right": other}})
    found = model(run)
    said = [act.text for session in acts(run) for act in session if act.kind == "say"]
    assert "lions" not in said
    launch = next(state for state in found.states.values() if "maze" in state.output)
    assert launch.inputs["right"].last == ELSEWHERE
    assert found.effect(launch, launch.inputs["right"]) is Effect.ENDED


def test_a_known_state_in_other_words_brings_other_inputs(
    explore: Callable[..., StoredRun],
) -> None:
    menu = "What would you like? You can say {}."
    replies = {"left": menu.format("swim or dance"), "dance": "You dance.", "*": "You stay."}
    run = explore(app={"greeting": menu.format("left or right"), "replies": replies})
    assert "You dance." in outputs(model(run))


def test_what_brings_news_is_gone_on_with(explore: Callable[..., StoredRun]) -> None:
    riddles = [f"Riddle of the {word}: shall I go on with the next?" for word in
               ("stone", "river", "tower", "mirror", "candle")]  # fmt: skip
    script = "Welcome, traveller: shall I tell you a riddle?"
    run = explore(app={"greeting": script, "replies": [*riddles, "That was the end."]},
                  agent={"turns": 6, "system_inputs": []})  # fmt: skip
    assert outputs(model(run)) >= set(riddles[:4])


def test_an_answer_of_the_platform_is_no_state_to_explore(
    explore: Callable[..., StoredRun],
) -> None:
    platform = {"text": "Nothing is playing. Say music.", "payload": {"speaker": "platform"}}
    run = explore(app={"replies": {**MAZE, "pause": platform}}, agent={"medium": "voice"})
    found = next(s for s in model(run).states.values() if "Nothing is playing" in s.output)
    assert found.confused
    assert "music" not in [
        act.text for session in acts(run) for act in session if act.kind == "say"
    ]


def test_a_question_of_the_platform_for_the_app_is_answered(
    explore: Callable[..., StoredRun],
) -> None:
    asking = {
        "text": "Do you give maze permission to access your reminders? You can say 'I approve'.",
        "payload": {"speaker": "platform", "asked": "permission"},
    }
    run = explore(app={"replies": {**MAZE, "pause": asking, "i approve": "The reminder is set."}},
                  agent={"medium": "voice", "turns": 60})  # fmt: skip
    state = next(s for s in model(run).states.values() if "your reminders" in s.output)
    assert not state.confused
    assert {"i approve", "yes"} & set(state.inputs)


BAD: list[tuple[dict[str, Any], str]] = [
    ({"without": "planet"}, "planet"),
    ({"turns": 0}, "turns"),
    ({"apps": ["a", "a"]}, "names 'a' twice"),
    ({"observer": "agenda"}, "agenda"),
    ({"start_from": "nowhere.json"}, "no file matches"),
    ({"document": "nowhere.txt"}, "no file matches"),
]


@pytest.mark.parametrize(("agent", "words"), BAD, ids=[words for _, words in BAD])
def test_bad_settings_are_refused(
    explore: Callable[..., StoredRun], agent: dict[str, Any], words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        explore(agent=agent)


@pytest.mark.parametrize("kind", ["crash", "timeout", "protocol", "unreachable"])
def test_only_what_the_app_does_is_a_failure_in_the_behaviour_model(
    explore: Callable[..., StoredRun], kind: str
) -> None:
    replies = {**MAZE, "pear": {"raises": kind}}
    run = explore(app={"replies": replies})
    broken = [trace for trace in traces(run) if trace.incidents]
    assert broken, "nobody chose the pear"
    owner = Owner.ENVIRONMENT if kind == "unreachable" else Owner.APP
    for trace in broken:
        [incident] = trace.incidents
        assert (incident.kind, incident.owner) == (IncidentKind(kind), owner)
        assert incident.turn == len(trace.turns) - 1
    assert (FAILURE in model(run).states) is (owner is Owner.APP)


@pytest.mark.parametrize(
    "role",
    [
        "sparring_plugins.voice.rules_agents:SimilarityObserver",
        "sparring_plugins.voice.rules_agents:RulesGenerator",
        "sparring_plugins.voice.rules_agents:RulesPlanner",
    ],
)
def test_a_role_that_breaks_is_the_tools_and_no_failure_of_the_app(
    explore: Callable[..., StoredRun], role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(self: Any, task: Any) -> Any:
        raise KeyError("a bug")

    monkeypatch.setattr(f"{role.replace(':', '.')}.act", broken)
    run = explore()
    assert traces(run)
    for trace in traces(run):
        [incident] = trace.incidents
        assert (incident.kind, incident.owner) == (IncidentKind.PLAYER_ERROR, Owner.TOOL)
        assert trace.ended is Ended.INCIDENT
    assert FAILURE not in model(run).states
