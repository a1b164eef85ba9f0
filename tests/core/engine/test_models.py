"""Language models in a run: logged, counted, held to the budget."""

from collections.abc import Callable
from typing import Any

import pytest

from sparring.cli.app import invoke
from sparring.discovery import drivers
from sparring.discovery.groups import SERVICES
from sparring.engine.session import RunResult
from sparring.errors import ConfigurationError
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.llm.ledger import RecordedAnswers
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.model.events import ModelCalled
from sparring.model.run import Stop
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.store import StoredRun

Play = Callable[..., RunResult]
FAKES = "sparring.testing.fakes:"


class Asking(Oracle[PluginConfig]):
    """Passes what the model calls fine."""

    def __init__(self, config: PluginConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.model = context.llm("judge")

    async def judge(self, trace: Trace) -> list[Verdict]:
        model = self.model
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


def calls(done: RunResult) -> list[ModelCalled]:
    assert done.folder
    return [event for event in StoredRun(done.folder).events() if isinstance(event, ModelCalled)]


def test_every_call_is_in_the_log_with_who_asked(play: Play) -> None:
    done = play(cases=3, **suite(answers={"judge": "fine"}))
    assert done.summary.exit_code == 0
    assert [call.request.asker for call in calls(done)] == ["judge"] * 3
    assert all(call.reply and call.reply.text == "fine" for call in calls(done))
    assert done.summary.usage.model_calls == 3


@pytest.mark.parametrize("seed", [2**48 + 5, 2**31, -7])
def test_a_seed_fits_every_service(seed: int, play: Play) -> None:
    done = play(cases=1, **suite(answers={"*": "fine"}, seed=seed))
    (call,) = calls(done)
    assert call.request.seed is not None
    assert 0 <= call.request.seed < 2**31


def test_without_a_model_the_oracle_says_so(play: Play) -> None:
    done = play(cases=1, oracles=[{"use": f"{__name__}:Asking"}])
    assert done.summary.gating == {Outcome.INCONCLUSIVE: 1}
    assert done.summary.exit_code == 3


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


def test_a_model_that_cannot_be_asked_is_a_matter_of_the_environment(play: Play) -> None:
    done = play(cases=2, **suite(answers=["fine"]))
    assert done.summary.owners.get(Owner.ENVIRONMENT, 0) >= 1
    assert done.summary.exit_code in (1, 3)
    assert any(call.error for call in calls(done))


class Chatty(Oracle[PluginConfig]):
    """Asks three questions of each case, and makes a pass of whatever happens."""

    async def judge(self, trace: Trace) -> list[Verdict]:
        model = self.context.llm("judge")
        assert model is not None
        try:
            for number in range(3):
                message = ChatMessage(role="user", content=f"{number} {trace.case.params['n']}")
                await model.complete(ChatRequest(messages=(message,)))
        except Exception:  # noqa: BLE001 - a part that swallows everything is what is tested
            pass
        return [Asking._verdict(trace, Outcome.PASS, "")]


def chatty(**changes: Any) -> dict[str, Any]:
    return suite(answers={"*": "fine"}) | {"oracles": [{"use": f"{__name__}:Chatty"}]} | changes


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_case_that_the_budget_cut_off_is_played_again_later(play: Play, concurrency: int) -> None:
    changes = chatty(concurrency=concurrency)
    first = play(cases=6, budget={"tokens": 24}, **changes)  # a case takes nine
    assert first.summary.stopped is Stop.BUDGET
    assert first.summary.exit_code == 4
    assert first.folder
    assert len(StoredRun(first.folder).case_ids) < 6
    again = play(cases=6, resume=first.folder, budget={"tokens": 10_000}, **changes)
    assert again.summary.exit_code == 0
    assert sum(again.summary.cases.values()) == 6
    assert again.folder
    assert len(StoredRun(again.folder).case_ids) == 6


def paid(done: RunResult) -> list[tuple[str | None, str]]:
    """Case and question of each call that was paid for, in all sessions of a run."""
    return [
        (call.request.case_id, call.request.messages[0].content)
        for call in calls(done)
        if call.source == "service"
    ]


@pytest.mark.parametrize("budget", [{"tokens": 40}, {"cost": 0.0013}])
def test_a_budget_cuts_off_one_case_at_most_and_nothing_is_paid_for_twice(
    play: Play, budget: dict[str, float]
) -> None:
    """A case takes three calls, nine tokens and 0.0003 dollars; ten run at once."""
    changes = chatty(concurrency=10)
    changes["llm"] |= {"cost_usd": 0.0001}
    first = play(cases=12, budget=budget, **changes)
    assert first.summary.stopped is Stop.BUDGET
    assert first.folder
    judged = set(StoredRun(first.folder).case_ids)
    assert len(judged) == 4
    before = paid(first)
    assert len({case_id for case_id, _ in before} - judged) <= 1
    again = play(cases=12, resume=first.folder, budget={"cases": 12}, **changes)
    assert again.summary.exit_code == 0
    assert sum(again.summary.cases.values()) == 12
    asked = paid(again)
    assert len(asked) == len(set(asked)) == 36
    assert again.summary.usage.models.reused == len(before) - 3 * len(judged)


def test_only_a_case_that_was_not_judged_takes_its_answers_from_the_log(play: Play) -> None:
    """What ``--retry-errors`` plays again was judged: it gets new answers."""
    first = play(cases=6, budget={"tokens": 24}, **chatty())
    assert first.folder
    stored = StoredRun(first.folder)
    kept: RecordedAnswers = drivers.load_value(SERVICES, "unfinished")(stored)
    answers = {
        call.request.case_id: (kept.find(call.request), kept.find(call.request))
        for call in calls(first)
    }
    for case_id, (once, twice) in answers.items():
        assert (once is None) is (case_id in stored.case_ids)
        assert twice is None, "each answer is given once"
    assert any(once for once, _ in answers.values())


def test_money_stops_a_run_too(play: Play) -> None:
    model = {"use": f"{FAKES}FakeLLM", "answers": {"*": "fine"}, "cost_usd": 0.01}
    done = play(cases=50, **chatty(llm=model, concurrency=2), budget={"cost": 0.1})
    assert done.summary.exit_code == 4
    assert "0.1 US dollars" in done.summary.reason
    assert done.summary.usage.cost_usd is not None
    assert 0.1 <= done.summary.usage.cost_usd <= 0.12  # what was on its way is still paid


def test_a_limit_on_money_needs_a_price(play: Play) -> None:
    model = {"use": f"{FAKES}FakeLLM", "answers": {"*": "fine"}, "cost_usd": None, "model": "mine"}
    with pytest.raises(ConfigurationError) as caught:
        play(cases=1, **suite() | {"llm": model}, budget={"cost": 1})
    assert "the price of the model 'mine' is not known" in str(caught.value)
    assert "llm.prices.mine" in str(caught.value)


def test_prices_are_those_of_the_suite(play: Play) -> None:
    model = {
        "use": f"{FAKES}FakeLLM", "answers": {"*": "fine"}, "cost_usd": None, "model": "mine",
        "prices": {"mine": {"input": 1_000_000, "output": 10_000_000}},
    }  # fmt: skip
    done = play(cases=2, **suite() | {"llm": model})
    assert done.summary.usage.cost_usd == 24.0  # two words asked, one answered, twice


def test_what_each_case_and_role_took_is_kept(play: Play) -> None:
    done = play(cases=2, **chatty())
    assert done.folder
    assert [one.spent.calls for one in StoredRun(done.folder).judged() if one.spent] == [3, 3]
    assert done.summary.usage.by_role["judge"].calls == 6
    assert {call.request.case_id for call in calls(done)} == set(StoredRun(done.folder).case_ids)


def test_a_role_may_have_its_own_model(play: Play) -> None:
    llm = {
        "use": f"{FAKES}FakeLLM", "answers": {"*": "bad"}, "temperature": 0.5,
        "roles": {"judge": {"answers": {"*": "fine"}, "seed": 7}},
    }  # fmt: skip
    done = play(cases=1, **suite() | {"llm": llm})
    assert done.summary.exit_code == 0
    (call,) = calls(done)
    assert (call.request.temperature, call.request.seed) == (0.5, 7)


def test_a_model_for_a_role_in_which_nobody_asks_is_pointed_out(play: Play) -> None:
    llm = {"use": f"{FAKES}FakeLLM", "answers": {"*": "fine"}, "roles": {"juge": {"seed": 1}}}
    done = play(cases=1, **suite() | {"llm": llm})
    (warning,) = [one for one in done.warnings if "roles" in one]
    assert "llm.roles.juge" in warning
    assert "Did you mean 'judge'?" in warning


def test_a_cached_answer_costs_nothing(play: Play, tmp_path: Any) -> None:
    changes = suite(answers={"*": "fine"}, cost_usd=0.5, cache=str(tmp_path / "answers.sqlite"))
    first = play(cases=3, **changes)
    assert first.summary.usage.cost_usd == 1.5
    second = play(cases=3, **changes)
    assert second.summary.usage.models.reused == 3
    assert second.summary.usage.models.calls == 0
    assert second.summary.usage.cost_usd == 0.0
    assert {call.source for call in calls(second)} == {"cache"}


def test_a_check_takes_recorded_answers_again(play: Play, tmp_path: Any) -> None:
    first = play(cases=3, **suite(answers={"judge": "fine"}))
    assert first.folder
    runs = first.folder.parent
    assert invoke(["check", str(first.folder), "--runs", str(runs)]) == 0
    (checked,) = [path for path in runs.iterdir() if path != first.folder]
    events = list(StoredRun(checked).events())
    sources = [one.source for one in events if isinstance(one, ModelCalled)]
    assert sources == ["recording"] * 3


def test_a_check_asks_what_is_asked_differently(play: Play) -> None:
    first = play(cases=3, **suite(answers={"judge": "fine"}))
    assert first.folder
    runs = first.folder.parent
    assert invoke(["check", str(first.folder), "--runs", str(runs), "--set", "llm.seed=3"]) == 0
    (checked,) = [path for path in runs.iterdir() if path != first.folder]
    events = list(StoredRun(checked).events())
    sources = [one.source for one in events if isinstance(one, ModelCalled)]
    assert sources == ["service"] * 3
