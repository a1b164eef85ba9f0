"""Every player with every app, every strategy and every oracle, bundled, foreign or fake."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from sparring.discovery.catalog import names
from sparring.discovery.drivers import load
from sparring.discovery.groups import GROUPS
from sparring.engine.session import RunResult
from sparring.interfaces.app_connector import Capability
from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.run import Stop
from sparring.model.talk import IncidentKind
from sparring.model.verdict import Owner
from sparring.store import StoredRun
from sparring.suite.model import OracleUse
from sparring.testing.answers import answer_to
from sparring_plugins.judging.check_options import CheckOptions
from sparring_plugins.judging.recheck import check

Play = Callable[..., tuple[RunResult, StoredRun]]
Part = Callable[..., dict[str, Any]]

FAKES = "sparring.testing.fakes:"
AGENTS = "sparring.agents"
APPS = "sparring.connectors"
ORACLES = "sparring.oracles"
STRATEGIES = "sparring.strategies"


def with_role(role: str) -> list[str]:
    found = names(AGENTS)
    return [name for name in found if getattr(load(GROUPS[AGENTS], name), "role", None) == role]


def everything(group: str, *fakes: str) -> list[str]:
    return [*(f"{FAKES}{fake}" for fake in fakes), *names(group)]


ALL_PLAYERS = [f"{FAKES}FakePlayer", *with_role("player")]
ALL_APPS = everything(APPS, "FakeConnector")
ALL_STRATEGIES = everything(STRATEGIES, "FakeStrategy", "FakeBatchStrategy", "FakeSteadyStrategy")
ALL_ORACLES = everything(ORACLES, "FakeOracle")
#: What went wrong on our side of the line; an app may well fail, loop or end too soon.
OURS = {
    IncidentKind.PLAYER_ERROR,
    IncidentKind.CASE_TIMEOUT,
    IncidentKind.PROTOCOL,
    IncidentKind.MODEL_ERROR,
}


class Obliging(LLMBackend[PluginConfig]):
    """A model that answers every question as simply as can be."""

    free = True

    async def complete(self, request: ChatRequest) -> ChatReply:
        schema = request.answer_schema
        answer = answer_to(schema, message="Hello there.", choice=None) if schema else "Hello."
        return ChatReply(text=json.dumps(answer))


def short(name: str) -> str:
    return name.removeprefix(FAKES)


def fits(player: str, app: str) -> bool:
    """Whether an app offers what a player needs."""
    needs: frozenset[Capability] = load(GROUPS[AGENTS], player).needs
    offers: frozenset[Capability] = load(GROUPS[APPS], app).offers
    return needs <= offers


def pairs_first(every: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Combinations such that each two parts that fit are together in one: few cover all pairs."""
    wanted = {pair for parts in every for pair in combinations(enumerate(parts), 2)}
    chosen: list[tuple[str, ...]] = []
    while wanted:
        best = max(every, key=lambda parts: len(wanted & {*combinations(enumerate(parts), 2)}))
        wanted -= {*combinations(enumerate(best), 2)}
        chosen.append(best)
    return chosen


#: Apps that take seconds to start: these players with one strategy are enough of them.
SLOW_APPS = {"browser": ("step-runner", "user-simulator")}
EVERY_FIT = [
    (player, app, strategy)
    for player, app, strategy in product(ALL_PLAYERS, ALL_APPS, ALL_STRATEGIES)
    if fits(player, app)
    and (app not in SLOW_APPS or (strategy == ALL_STRATEGIES[0] and player in SLOW_APPS[app]))
]
#: The first ones, which cover most pairs; the rest, for some last pairs each, is thorough.
#: Random turns over an app that answers each one with a model's words take half a minute.
IN_PAIRS = [
    parts for parts in pairs_first(EVERY_FIT)[:18] if parts[1:] != ("chat-completions", "coverage")
]


def verdicts_of(run: StoredRun) -> list[Any]:
    return [(judged.trace.case, judged.verdicts) for judged in run.judged()] + [run.concluded]


@pytest.mark.parametrize(
    ("player", "app", "strategy"),
    [
        pytest.param(*parts, id="-".join(map(short, parts)), marks=marks)
        for parts in EVERY_FIT
        for marks in [() if parts in IN_PAIRS else pytest.mark.thorough]
    ],
)
def test_any_player_app_and_strategy_fit_all_oracles(
    play: Play, part: Part, tmp_path: Path, player: str, app: str, strategy: str
) -> None:
    oracles = [part(ORACLES, name) for name in ALL_ORACLES]
    suite: dict[str, Any] = {
        "app": part(APPS, app),
        "agent": part(AGENTS, player),
        "strategy": part(STRATEGIES, strategy),
        "oracles": oracles,
        "reporters": [{"use": f"{FAKES}FakeReporter", "file": "end.txt"}],
        "llm": {"use": f"{__name__}:Obliging"},
    }
    side_by_side, stored = play(**suite, concurrency=8)
    assert side_by_side.problems == []
    assert side_by_side.summary.exit_code in (0, 1, 3), "judged, at least in part"
    judged = list(stored.judged())
    assert judged
    assert max(Counter(case_id for case_id in stored.case_ids).values()) == 1
    for event in judged:
        assert not {incident.kind for incident in event.trace.incidents} & OURS, event.trace
        assert {verdict.oracle for verdict in event.verdicts} <= set(ALL_ORACLES)
    owners = {verdict.owner for event in judged for verdict in event.verdicts}
    # A scripted step, a user with few turns, or one that repeats itself: not the app's doing.
    others = {"step-runner": {Owner.TEST}, "user-simulator": {Owner.TEST, Owner.SIMULATED_USER}}
    # What the obliging model quotes of a conversation is not in it: its judgement does not count.
    assert owners <= {None, Owner.APP, Owner.JUDGE} | others.get(player, set())
    assert [path.name for path in side_by_side.written] == ["end.txt"]

    _, one_by_one = play(**suite, concurrency=1)
    assert verdicts_of(one_by_one) == verdicts_of(stored)

    uses = tuple(OracleUse.model_validate(use) for use in oracles)
    again = check(stored.traces(), CheckOptions(uses, tmp_path, tmp_path / "again"))
    assert again.folder is not None
    assert verdicts_of(StoredRun(again.folder)) == verdicts_of(stored)


@pytest.mark.parametrize("extractor", [f"{FAKES}FakeExtractor", *with_role("extractor")], ids=short)
@pytest.mark.parametrize("user", [f"{FAKES}FakeUser", *with_role("user")], ids=short)
@pytest.mark.parametrize("player", with_role("player"), ids=short)
def test_any_user_and_extractor_fit_a_player_that_takes_them(
    play: Play, part: Part, player: str, user: str, extractor: str
) -> None:
    takes = load(GROUPS[AGENTS], player).Config.model_fields
    if not {"user", "extractor"} <= takes.keys():
        pytest.skip(f"{player} has neither user nor extractor")
    conducted, stored = play(
        app=part(APPS, f"{FAKES}FakeConnector"),
        agent=part(AGENTS, player, user={"use": user}, extractor={"use": extractor}),
        llm=f"{__name__}:{Obliging.__name__}",
        oracles=[part(ORACLES, name) for name in ALL_ORACLES],
        reporters=[],
    )
    assert conducted.problems == []
    assert conducted.summary.stopped is Stop.COMPLETE
    for event in stored.judged():
        assert not {incident.kind for incident in event.trace.incidents} & OURS, event.trace


@pytest.mark.parametrize("failure", ["crash", "timeout", "protocol", "unreachable"])
@pytest.mark.parametrize(
    "player", [one for one in ALL_PLAYERS if fits(one, f"{FAKES}FakeConnector")], ids=short
)
def test_any_player_bears_an_app_that_fails(
    play: Play, part: Part, player: str, failure: str
) -> None:
    if player == "typed":
        pytest.skip("a person speaks, and there is none: nothing is sent that could fail")
    conducted, stored = play(
        app={"use": f"{FAKES}FakeConnector", "raises": {"1": failure}, "greeting": "Hello!"},
        agent=part(AGENTS, player),
        oracles=[part(ORACLES, name) for name in ALL_ORACLES],
        llm={"use": f"{__name__}:Obliging"},
        reporters=[],
    )
    assert conducted.problems == []
    for event in stored.judged():
        kinds = {incident.kind for incident in event.trace.incidents}
        assert failure in kinds
        assert not kinds & {IncidentKind.PLAYER_ERROR, IncidentKind.CASE_TIMEOUT}


@pytest.mark.parametrize("oracle", ALL_ORACLES, ids=short)
def test_any_oracle_stands_alone(play: Play, part: Part, oracle: str) -> None:
    conducted, stored = play(
        app=part(APPS, f"{FAKES}FakeConnector"),
        agent=part(AGENTS, f"{FAKES}FakePlayer"),
        oracles=[part(ORACLES, oracle, name="mine")],
        reporters=[],
    )
    assert conducted.problems == []
    verdicts = [verdict for event in stored.judged() for verdict in event.verdicts]
    silent = oracle == "page-health"  # there was no page, and a pass would claim that there was
    assert {v.oracle for v in (*verdicts, *stored.concluded)} == (set() if silent else {"mine"})
