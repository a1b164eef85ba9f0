"""Language models in a run: logged, counted, held to the budget."""

from collections.abc import Callable
from typing import Any

from sparring.engine.session import Conducted
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import PluginConfig
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.model.events import ModelCalled
from sparring.model.run import Stop
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredRun

Play = Callable[..., Conducted]
FAKES = "sparring.testing.fakes:"


class Asking(Oracle[PluginConfig]):
    """Passes what the model calls fine."""

    async def judge(self, trace: Trace) -> list[Verdict]:
        model = self.context.llm("judge")
        if model is None:
            return [self._verdict(trace, Outcome.INCONCLUSIVE, "needs a model")]
        message = ChatMessage(role="user", content=f"case {trace.case.params['n']}")
        reply = await model.complete(ChatRequest(messages=(message,)))
        return [self._verdict(trace, Outcome.PASS if reply.text == "fine" else Outcome.FAIL, "")]

    @staticmethod
    def _verdict(trace: Trace, outcome: Outcome, reason: str) -> Verdict:
        owner = None if outcome is Outcome.PASS else Owner.JUDGE
        return Verdict(oracle="asking", check="fine", outcome=outcome, owner=owner, reason=reason,
                       case_ids=(trace.case.id,))  # fmt: skip


def suite(**llm: Any) -> dict[str, Any]:
    return {
        "oracles": [{"use": f"{__name__}:Asking"}],
        "llm": {"use": f"{FAKES}FakeLLM", **llm},
        "concurrency": 1,
    }


def calls(done: Conducted) -> list[ModelCalled]:
    assert done.folder
    return [event for event in StoredRun(done.folder).events() if isinstance(event, ModelCalled)]


def test_every_call_is_in_the_log_with_who_asked(play: Play) -> None:
    done = play(cases=3, **suite(answers={"judge": "fine"}))
    assert done.summary.exit_code == 0
    assert [call.request.asker for call in calls(done)] == ["judge"] * 3
    assert all(call.reply and call.reply.text == "fine" for call in calls(done))
    assert done.summary.usage.model_calls == 3


def test_without_a_model_the_oracle_says_so(play: Play) -> None:
    done = play(cases=1, oracles=[{"use": f"{__name__}:Asking"}])
    assert done.summary.gating == {Outcome.INCONCLUSIVE: 1}
    assert done.summary.exit_code == 0


def test_an_unknown_price_is_never_zero(play: Play) -> None:
    done = play(cases=2, **suite(answers={"*": "fine"}, cost_usd=None))
    assert done.summary.usage.cost_usd is None


def test_spent_tokens_stop_the_run_and_it_can_go_on(play: Play) -> None:
    changes = suite(answers={"*": "fine"})  # two words asked, one answered
    first = play(cases=6, budget={"tokens": 9}, **changes)
    assert first.summary.stopped is Stop.BUDGET
    assert first.summary.exit_code == 4
    assert "budget.tokens" in first.summary.reason
    assert first.summary.usage.tokens == 9
    again = play(cases=6, resume=first.folder, budget={"tokens": 10_000}, **changes)
    assert again.summary.exit_code == 0
    assert again.summary.usage.tokens == 18
    assert again.summary.usage.model_calls == 6


def test_a_model_that_fails_is_an_error_of_the_judge(play: Play) -> None:
    done = play(cases=2, **suite(answers=["fine"]))
    assert done.summary.owners.get(Owner.JUDGE, 0) >= 1
    assert done.summary.exit_code in (1, 3)
    assert any(call.error for call in calls(done))
