"""The pizzeria against thirty models that misbehave: each finished conversation keeps its rules."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import yaml
from tests.servers.misbehaving_models import BEHAVIOURS, Behaviour, MisbehavingModel, Reply

from sparring.cli.app import invoke
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.model.events import CaseJudged
from sparring.model.talk import Ended
from sparring.model.verdict import Outcome
from sparring.store import StoredRun, find_run

from .acted_model import ActedModel
from .conftest import Serve

PROFILES = ("predefined", "table", "custom_at_once", "questions")
ROLES = {"user", "goal_checker", "extractor"}
UNUSABLE = {
    *("only-prose", "empty", "refusal-in-words", "refusal-field", "content-filter"),
    *("filtered-prompt", "always-cut"),
}
SAMPLE = {"one-item-list", "refusal-field", "no-values"}

PROMPTS = {"message": "user", "wishes": "goals", "values": "outputs"}


def think(messages: list[dict[str, str]], schema: dict[str, Any]) -> Any:
    """What the acted model answers to the messages of a request."""
    names = [prompt for key, prompt in PROMPTS.items() if key in schema.get("properties", {})]
    if not names:
        return {"reason": "", "goals_met": [], "message": "", "choice": None, "leaves": True}
    model = ActedModel(PluginConfig(), cast("BuildContext", SimpleNamespace()))
    answers = {"user": model.move, "goals": model.wishes, "outputs": model.findings}
    # Without a system role its text stands before the question, in one message.
    first = messages[:2] if messages[0]["role"] == "system" else [messages[0], messages[0]]
    asked = tuple(ChatMessage.model_validate(message) for message in first)
    return asyncio.run(answers[names[0]](ChatRequest(messages=asked, prompt=names[0])))


class Played:
    """A run of the pizzeria with a model behind each role, and the server behind the model."""

    def __init__(self, run: StoredRun, code: int, server: MisbehavingModel) -> None:
        self.run, self.code, self.server = run, code, server
        self.judged: list[CaseJudged] = list(run.judged())

    @property
    def finished(self) -> int:
        return sum(judged.trace.ended is not Ended.INCIDENT for judged in self.judged)

    @property
    def fallbacks(self) -> list[Any]:
        return [one for judged in self.judged for one in judged.trace.fallbacks]

    def rules(self, *outcomes: Outcome) -> int:
        verdicts = (one for judged in self.judged for one in judged.verdicts)
        return sum(one.oracle == "rules" and one.outcome in outcomes for one in verdicts)

    def undecided(self) -> list[tuple[str, str]]:
        """The rules that are left open, each with its reason."""
        return [
            (verdict.check, verdict.reason)
            for judged in self.judged
            for verdict in judged.verdicts
            if verdict.oracle == "rules"
            and verdict.outcome in (Outcome.ERROR, Outcome.INCONCLUSIVE)
        ]


Play = Callable[..., Played]


@pytest.fixture
def play(pizzeria: Path, tmp_path: Path, serve: Serve) -> Play:
    url = serve()

    def _play(
        behaviour: Behaviour, *, cases: int = 4, reporters: Sequence[str] = ("jsonl",), **llm: Any
    ) -> Played:
        suite = yaml.safe_load((pizzeria / "suite.yaml").read_text("utf-8"))
        suite["app"]["url"] = url
        suite["agent"] |= {"user": "model", "extractor": "model", "goal_checker": "model"}
        suite["agent"]["profiles"] = str(pizzeria / "profiles/*.yml")
        suite["oracles"][1]["files"] = str(pizzeria / "rules" / "*.yaml")
        suite |= {"budget": {"cases": cases}, "reporters": list(reporters)}
        with MisbehavingModel(behaviour, think, delay_s=0.005) as server:
            asked = {"use": "openai", "model": "m", "base_url": server.base_url, "max_tokens": 1200}
            suite["llm"] = {**asked, **llm}
            path = tmp_path / "suite.yaml"
            path.write_text(yaml.safe_dump(suite), "utf-8")
            selected = (argument for name in PROFILES for argument in ("-k", f"{name}.yml"))
            code = invoke(["run", str(path), *selected])
        return Played(find_run("last", tmp_path / "runs"), code, server)

    return _play


def sampled(name: str) -> Any:
    return pytest.param(name, marks=() if name in SAMPLE else pytest.mark.thorough)


@pytest.mark.parametrize("name", list(map(sampled, BEHAVIOURS)))
def test_every_conversation_is_finished_and_keeps_its_rules(name: str, play: Play) -> None:
    played = play(BEHAVIOURS[name])
    assert len(played.judged) == played.finished == 4
    assert played.rules(Outcome.PASS, Outcome.FAIL) >= 20
    assert played.undecided() == []
    roles = {one.role for one in played.fallbacks}
    assert roles >= ROLES if name in UNUSABLE else roles <= ROLES


def test_an_extractor_that_is_left_open_leaves_open_only_the_rules_that_need_it(play: Play) -> None:
    sound = play(lambda call: Reply(call.text))
    played = play(BEHAVIOURS["no-values"], fallback="inconclusive")
    assert played.finished == 4
    assert not played.fallbacks
    undecided = [
        one for judged in played.judged for one in judged.verdicts
        if one.outcome is Outcome.INCONCLUSIVE
    ]  # fmt: skip
    assert undecided
    assert all("nobody could read" in one.reason for one in undecided)
    kept = played.rules(Outcome.PASS, Outcome.FAIL)
    assert 0 < kept < sound.rules(Outcome.PASS, Outcome.FAIL)
    outputs = [one for judged in played.judged for one in judged.trace.outputs]
    assert all(one.value is None and one.unread for one in outputs)


def test_reports_count_what_was_answered_without_a_model(
    play: Play, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    played = play(BEHAVIOURS["no-values"], cases=2, reporters=["console", "junit", "html"])
    assert "fallbacks" in capsys.readouterr().out
    folder = played.run.folder
    assert 'name="fallbacks.extractor" value="2"' in (folder / "junit.xml").read_text("utf-8")
    assert "2 answered without a model (extractor 2)" in (folder / "report.html").read_text("utf-8")
    assert invoke(["show", str(folder)]) == 0
    shown = capsys.readouterr().out
    assert "fallbacks: 2 answered without a model (extractor 2)" in shown
    case_id = played.judged[0].trace.case.id
    assert invoke(["show", str(folder), case_id]) == 0
    assert "~ patterns answered for the extractor" in capsys.readouterr().out
