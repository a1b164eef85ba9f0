"""Rules over 1,000 conversations, beside the figures of the system that they were written for.

SENSEI's processor seconds are those that its own checker needed to load and check 1,000 replicated
conversations of the pizza evaluation, imports not counted. They were measured on another machine, so
they are printed beside our own but never compared with a limit: every limit is a ratio between two
pieces of work that are measured one after the other in this run.
"""

import asyncio
import gc
import json
import random
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.model.events import CaseJudged, CasesAsked
from sparring.model.run import Run
from sparring.model.talk import Output, Trace
from sparring.model.verdict import Verdict
from sparring.store import RunLog, StoredRun
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeContext
from sparring_plugins.rules.oracle import RulesOracle
from sparring_plugins.sensei.conversations import conversation_text, read_conversations

from .conftest import Measure

NUMBER = 1_000
SENSEI_S = {"one": 3.0, "all": 2.7, "pair": 63.7, "repeats": 11.0}
SENSEI_MIB = 160

RULES = {
    "one": {
        "when": "size[0] == 'small'",
        "oracle": "extract_float(price) >= 10",
        "yields": "f'{price} is too little for a small pizza'",
    },
    "all": {"conversations": "all", "oracle": "is_unique('order_id')"},
    "pair": {
        "conversations": 2,
        "when": "conv[0].size == conv[1].size and conv[0].amount > conv[1].amount",
        "oracle": "extract_float(conv[0].price) > extract_float(conv[1].price)",
    },
    "repeats": {"oracle": "not repeated_answers(method='tf-idf', threshold=0.75)"},
}
UNEQUAL = {**RULES["pair"], "when": "conv[0].amount > conv[1].amount"}

ROUNDS = 5
"""How often both sides of a ratio are measured, in turns, so that a neighbour slows both."""


def conversations(number: int = NUMBER) -> Iterator[Trace]:
    """Orders like those of the evaluation: six turns, four inputs, four outputs."""
    chosen = random.Random(1)
    for index in range(number):
        kind = chosen.choice(["margarita", "marinera", "hawaiian"])
        minutes = chosen.randint(12, 25)
        yield trace_of(
            [
                (f"I would like {turn + 1} {kind} pizza", _ANSWERS[turn].format(kind, minutes))
                for turn in range(6)
            ],
            scenario="predefined_eval",
            outputs=[
                Output(name="price", value=f"${chosen.randint(8, 60)}.50", type="money", turn=3),
                Output(name="order_id", value=f"ID-{index}"),
                Output(name="order_time", value=f"{minutes} minutes"),
                Output(name="drink_price", value=None),
            ],
            latencies=[0.5] * 6,
            meta={
                "profile": "predefined_eval",
                "language": "English",
                "serial": "2024-10-25-11-31-40",
                "context": ["You are a customer"],
                "goals": ["order {{amount}} {{pizza}} of {{size}}"],
                "conversation": [
                    {"number": 6},
                    {"interaction_style": ["default"]},
                    {"goal_style": {"all_answered": {"export": True, "limit": 20}}},
                ],
            },
            pizza=kind,
            size=[chosen.choice(["small", "big"])],
            drink=[chosen.choice(["coke", "water", "sprite"])],
            amount=chosen.randint(1, 6),
            index=index,
        )


_ANSWERS = (
    "Welcome! We have margarita, marinera and hawaiian pizzas in two sizes. Which one is it?",
    "A {0}, very good choice. Would you like it small, medium or big?",
    "Noted. Any drinks with your pizza? We have coke, water and sprite.",
    "That will be ready in {1} minutes. Shall I place the order for you?",
    "Your order of one {0} is placed, please wait a moment while I compute the bill.",
    "Thank you for ordering with us! Is there anything else that I can help you with today?",
)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> StoredRun:
    """A run log of the conversations."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    at = datetime(2024, 1, 1, tzinfo=UTC)
    log = RunLog.create(folder, Run(id="run", name="run", created=at, seed=0))
    log.append_event(CasesAsked(at=at, cases=tuple(trace.case for trace in conversations())))
    for trace in conversations():
        log.append_event(CaseJudged(at=at, trace=trace))
    log.close()
    return StoredRun(folder)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The conversations as SENSEI writes them."""
    folder = tmp_path_factory.mktemp("conversations")
    for index, trace in enumerate(conversations()):
        text = conversation_text(trace)
        (folder / f"{index}_predefined_eval_x.yml").write_text(text, encoding="utf-8")
    return folder


def oracle_for(rule: dict[str, Any], folder: Path, **settings: Any) -> RulesOracle:
    written = {"name": "rule", "description": "", **rule}
    (folder / "rule.yaml").write_text(json.dumps(written), encoding="utf-8")
    return FakeContext(base_dir=folder).build(RulesOracle, files="rule.yaml", **settings)


async def _check(oracle: RulesOracle, traces: Iterable[Trace]) -> list[Verdict]:
    """Judge as an engine does; a rule over several has nothing to do before the end."""
    found: list[Verdict] = []
    if oracle.rules.single:
        for trace in traces:
            found += await oracle.judge(trace)
    return [*found, *await oracle.conclude(traces)]


class _Files:
    """Conversations in files, read one after the other whenever they are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __iter__(self) -> Iterator[Trace]:
        return (one for one in read_conversations(self.folder) if isinstance(one, Trace))


def seconds(work: Callable[[], Any], times: int = 3) -> float:
    """The least processor time of several runs."""
    gc.collect()
    found: list[float] = []
    for _ in range(times):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def times_as_long(
    work: Callable[[], Any], yardstick: Callable[[], Any], rounds: int = ROUNDS
) -> float:
    """Return how many times as long work takes as the yardstick; the least of each counts."""
    pairs = [(seconds(work, 1), seconds(yardstick, 1)) for _ in range(rounds)]
    work_s, yardstick_s = (min(times) for times in zip(*pairs, strict=True))
    return work_s / yardstick_s


@pytest.mark.parametrize("compat", [None, pytest.param("sensei", marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("one", 4),
        ("pair", 11),
        *(pytest.param(*more, marks=pytest.mark.thorough) for more in (("all", 4), ("repeats", 7))),
    ],
)
def test_from_a_run_log(
    stored: StoredRun, tmp_path: Path, name: str, limit: float, compat: str | None
) -> None:
    """The yardstick is the standard library's reading of the same lines of the log."""
    oracle = oracle_for(RULES[name], tmp_path, compat=compat)
    lines = [trace.model_dump_json() for trace in conversations()]

    def check() -> None:
        asyncio.run(_check(oracle, StoredRun(stored.folder).traces()))

    ratio = times_as_long(check, lambda: [json.loads(line) for line in lines])
    print(f"{name}: {ratio:.1f} times reading the log's JSON; SENSEI {SENSEI_S[name]} s")
    assert ratio < limit


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("one", 3),
        *(
            pytest.param(*more, marks=pytest.mark.thorough)
            for more in (("repeats", 5), ("all", 3), ("pair", 5))
        ),
    ],
)
def test_from_yaml(written: Path, tmp_path: Path, name: str, limit: float) -> None:
    """Nearly all of it is reading, and most of that the C loader: the yardstick here."""
    oracle = oracle_for(RULES[name], tmp_path, compat="sensei")
    texts = [path.read_text(encoding="utf-8") for path in sorted(written.iterdir())]

    def load() -> None:
        for text in texts:
            list(yaml.load_all(text, Loader=yaml.CSafeLoader))

    ratio = times_as_long(lambda: asyncio.run(_check(oracle, _Files(written))), load, rounds=3)
    print(f"{name}: {ratio:.1f} times reading the YAML; SENSEI {SENSEI_S[name]} s")
    assert ratio < limit


def test_all_pairs_without_an_equality_are_fast_too(tmp_path: Path) -> None:
    """999,000 pairs cost a small multiple of what one comparison of each pair costs in Python."""
    oracle = oracle_for(UNEQUAL, tmp_path)
    traces = list(conversations())
    amounts = [index % 6 for index in range(NUMBER)]

    def compare() -> int:
        return sum(first > second for first, second in permutations(amounts, 2))

    ratio = times_as_long(lambda: asyncio.run(_check(oracle, traces)), compare, rounds=3)
    print(f"999,000 pairs: {ratio:.1f} times comparing two numbers of each pair")
    assert ratio < 10


@pytest.mark.parametrize(
    ("rule", "times"), [(RULES["pair"], 10), pytest.param(UNEQUAL, 8, marks=pytest.mark.thorough)]
)
def test_joined_against_nested_loops(rule: dict[str, Any], times: int, tmp_path: Path) -> None:
    traces = list(conversations(300))
    oracle = oracle_for(rule, tmp_path)
    pairs = oracle.rules.tuples[0]
    evaluate, filters = pairs.evaluator.evaluate, pairs.filters

    def naive() -> None:
        records = [oracle.record(trace) for trace in traces]
        for one, two in permutations(records, 2):
            if all(evaluate(condition, one, two) for condition in filters):
                evaluate(pairs.oracle, one, two)

    plain = seconds(naive, 1)
    joined = seconds(lambda: asyncio.run(_check(oracle, traces)))
    print(f"nested loops {plain:.3f} s, joined {joined:.3f} s: {plain / joined:.0f} times less")
    assert plain / joined > times


_CHILD = """
import asyncio, sys
from pathlib import Path
from sparring.store import StoredRun
from sparring.testing.fakes import FakeContext
from sparring_plugins.rules.oracle import RulesOracle
folder = Path(sys.argv[1])
oracle = FakeContext(base_dir=folder).build(RulesOracle, files="rule.yaml")
print(len(asyncio.run(oracle.conclude(StoredRun(Path(sys.argv[2])).traces()))))
"""


@pytest.mark.parametrize("name", [pytest.param("all", marks=pytest.mark.thorough), "pair"])
def test_memory_is_no_higher(
    measure: Measure, stored: StoredRun, tmp_path: Path, name: str
) -> None:
    oracle_for(RULES[name], tmp_path)
    cost = measure("-c", _CHILD, str(tmp_path), str(stored.folder))
    assert cost.code == 0, cost.out
    print(f"{name}: {cost.peak_mib:.0f} MiB")
    assert cost.peak_mib < SENSEI_MIB
