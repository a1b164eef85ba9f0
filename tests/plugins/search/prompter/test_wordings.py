"""A model that writes is asked once per case, and what it said is said: also later."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.engine.conduct import RunOptions, conduct
from sparring.engine.session import RunResult
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import LLMBackend, PluginConfig
from sparring.model.case import Case
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.events import CasesAsked
from sparring.model.talk import Trace, act_text
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.search.prompter.utterances import CaseCache, Wording
from sparring_plugins.search.shrinking.shrink_run import ShrinkOptions, replay, shrink

HERE = f"{__name__}:"
SPACE = """\
name: zoo
about: a zoo
style: {mood: [plain, rude]}
content:
  animal: {values: [mare, lion, newt, yak], check: false}
  when: {values: [now, later, never], check: false}
conversation: {goals: ["see the {{animal}}", "{{when}}"], limit: 3}
"""


class Restless(LLMBackend[PluginConfig]):
    """Never says the same twice, and of zebras only at first."""

    free = True
    said = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        Restless.said += 1
        beast = "zebra" if Restless.said <= 12 else "horse"
        text = f"Show me {_roman(Restless.said)} {beast} stripes"
        move: dict[str, Any] = {"reason": "", "goals_met": [], "message": text, "choice": None, "leaves": False}  # fmt: skip
        answer: dict[str, Any] = {"utterance": text} if request.asker == "writer" else move
        return ChatReply(text=json.dumps(answer))


class NoZebras(Oracle[PluginConfig]):
    """Fails where a zebra is mentioned."""

    async def judge(self, trace: Trace) -> list[Verdict]:
        bad = any("zebra" in act_text(turn.act) for turn in trace.turns)
        return [
            Verdict(
                oracle="zoo",
                check="zebras",
                outcome=Outcome.FAIL if bad else Outcome.PASS,
                owner=Owner.APP if bad else None,
                case_ids=(trace.case.id,),
            )
        ]


def _roman(number: int) -> str:
    """A word for a number that is like no other."""
    return "".join(chr(ord("a") + int(digit)) * 3 for digit in str(number))


@pytest.fixture(autouse=True)
def _from_the_beginning() -> Iterator[None]:
    Restless.said = 0
    yield
    Restless.said = 0


def run(folder: Path, *, resume: Path | None = None, **changes: Any) -> RunResult:
    (folder / "space.yaml").write_text(SPACE)
    suite = {
        "name": "zoo",
        "app": {"use": "echo"},
        "agent": {"use": "prompter", "spaces": "space.yaml", "writer": "model"},
        "strategy": {"use": "exhaustive", "duplicates": {"by": "words", "threshold": 0.99}},
        "oracles": [{"use": f"{HERE}NoZebras", "name": "zoo"}],
        "llm": {"use": f"{HERE}Restless"},
        "reporters": [],
        "seed": 1,
        **changes,
    }
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite))
    stored = StoredRun(resume) if resume else None
    return conduct(load_suite(folder / "suite.yaml"), RunOptions(resume=stored))


def told(done: RunResult) -> tuple[dict[str, str], dict[str, str]]:
    """By case what was said before it was played, and then."""
    assert done.folder is not None
    stored = StoredRun(done.folder)
    asked = [event for event in stored.events() if isinstance(event, CasesAsked)]
    before = {case_id: text for one in asked for case_id, text in one.texts.items()}
    return before, {one.case.id: act_text(one.turns[0].act) for one in stored.traces()}


@pytest.mark.parametrize("strategy", ["exhaustive", "nsga2", "surrogate"])
def test_the_writer_is_asked_once_per_case_that_is_put_into_words(
    tmp_path: Path, strategy: str
) -> None:
    settings = {"use": strategy, "duplicates": {"by": "words", "threshold": 0.99}}
    done = run(tmp_path, strategy=settings, concurrency=4, budget={"cases": 12})
    usage = done.summary.usage
    assert usage.cases == 12
    assert Restless.said == usage.previews
    before, played = told(done)
    assert played.items() <= before.items()
    assert usage.previews == len(before)


@pytest.mark.parametrize("agent", [{"writer": "model"}, {"conversation": {"user": "model"}}],
                         ids=["utterances", "conversations"])  # fmt: skip
def test_a_resumed_run_says_what_was_found_before(tmp_path: Path, agent: dict[str, Any]) -> None:
    player = {"use": "prompter", "spaces": "space.yaml", **agent}
    half = run(tmp_path, agent=player, budget={"cases": 3}, concurrency=5)
    whole = run(tmp_path, agent=player, resume=half.folder)
    before, played = told(whole)
    assert len(played) == 24
    assert before == played


def test_a_shrunk_case_is_said_as_it_was(tmp_path: Path) -> None:
    done = run(tmp_path, budget={"cases": 6}, strategy={"use": "exhaustive"})
    assert done.summary.outcomes[Outcome.FAIL] == 6
    assert done.folder is not None
    stored = StoredRun(done.folder)
    Restless.said = 100  # from now on the model speaks of horses
    suite = load_suite(tmp_path / "suite.yaml")
    found = shrink(stored, suite, ShrinkOptions(probes=0), lambda _: None)
    assert [one.smallest for one in found.causes] == ["zebra"]
    assert found.unshrunk == ()
    assert [one.fails for one in replay(suite, found.causes, 1)] == [True]


def test_the_memory_is_bounded_and_knows_cases_by_their_seeds() -> None:
    memory: CaseCache[str] = CaseCache(2)
    one, two, three = (Case(id=name, scenario="zoo") for name in ("one", "two", "three"))
    for case in (one, two, three):
        memory.keep(case, case.id)
    assert [memory.get(case) for case in (one, two, three)] == [None, "two", "three"]
    assert memory.get(three.model_copy(update={"seed": 9})) is None
    memory.forget(three)
    memory.forget(one)
    assert memory.get(three) is None


@pytest.mark.parametrize(
    "meta", [{}, {"utterance": 3}, {"utterance": " "}, {"written": "a"}], ids=str
)
def test_what_is_no_wording_is_none(meta: dict[str, Any]) -> None:
    assert Wording.of(meta) is None


def test_a_wording_comes_back_from_its_meta_whatever_else_is_in_it() -> None:
    odd: dict[str, Any] = {"utterance": "hi", "spoken": {"a": ["b", 3], "c": "d"},
                           "perturbations": [3, {"feature": "x"}], "examples": "no"}  # fmt: skip
    found = Wording.of(odd)
    assert found is not None
    again = Wording.of(found.meta())
    assert again == found
    assert found.meta() == {
        "utterance": "hi", "written": "hi", "spoken": {"a": ["b"], "c": []},
        "perturbations": [{"feature": "x"}], "examples": [],
    }  # fmt: skip
