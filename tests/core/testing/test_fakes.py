"""The fakes do what they are told, and keep what they were asked."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sparring.errors import (
    AppCrash,
    AppProtocolError,
    AppTimeout,
    AppUnreachable,
    ConfigurationError,
    ModelError,
    UnknownPlugin,
)
from sparring.interfaces.agent import Agent, Player
from sparring.interfaces.app_connector import AppConnector
from sparring.interfaces.plugin import Use
from sparring.interfaces.roles import ExtractTask, Goal, OutputSpec, UserMove, UserTask
from sparring.interfaces.rule_function import rule_function
from sparring.model.case import Case
from sparring.model.chat import ChatMessage, ChatReply, ChatRequest
from sparring.model.space import Scenario, Space, Variable
from sparring.model.talk import Act, Listen, Observation, Press, Say, Trace
from sparring.model.verdict import Outcome, Verdict
from sparring.testing.conversations import EPOCH, run_events, trace_of, verdict_of
from sparring.testing.fakes import (
    FakeBatchStrategy,
    FakeConnector,
    FakeContext,
    FakeExtractor,
    FakeLLM,
    FakeOracle,
    FakePlayer,
    FakeReporter,
    FakeSteadyStrategy,
    FakeStrategy,
    FakeUser,
    Reply,
)
from sparring.testing.playing import play

CASE = Case.of("talk", {"size": "big"}, run_seed=0)


def talk(connector: FakeConnector, *acts: Act | str) -> list[Observation]:
    async def spoken() -> list[Observation]:
        async with connector.open(CASE) as session:
            said = [Say(text=act) if isinstance(act, str) else act for act in acts]
            return [await session.send(act) for act in said]

    return asyncio.run(spoken())


def texts(connector: FakeConnector, *acts: Act | str) -> list[str]:
    return [seen.text for seen in talk(connector, *acts)]


class TestConnector:
    @pytest.mark.parametrize(
        ("replies", "heard"),
        [
            (None, ["one", "two", "three"]),
            (["a", "b"], ["a", "b", "b"]),
            ([], ["", "", ""]),
            ({"two": "zwei"}, ["", "zwei", ""]),
            ({"two": "zwei", "*": "?"}, ["?", "zwei", "?"]),
            (lambda act, number: f"{number} {act.text}", ["0 one", "1 two", "2 three"]),
        ],
    )
    def test_it_answers_from_its_script(self, replies: Any, heard: list[str]) -> None:
        connector = FakeContext().build(FakeConnector, replies=replies)
        assert texts(connector, "one", "two", "three") == heard

    def test_each_session_starts_the_script_anew(self) -> None:
        connector = FakeContext().build(FakeConnector, replies=["a", "b"])
        assert texts(connector, "x", "x") == texts(connector, "x", "x") == ["a", "b"]

    def test_a_script_may_wait(self) -> None:
        async def answer(act: Act, number: int) -> str:
            await asyncio.sleep(0)
            return "late"

        assert texts(FakeContext().build(FakeConnector, replies=answer), "x") == ["late"]

    def test_only_the_first_listening_is_greeted(self) -> None:
        connector = FakeContext().build(FakeConnector, greeting="Hi!")
        assert texts(connector, Listen(), Listen(), "x", Listen()) == ["Hi!", "", "x", ""]

    def test_a_press_is_answered_by_its_label(self) -> None:
        connector = FakeContext().build(FakeConnector, replies={"yes": "fine"})
        assert texts(connector, Press(label="yes", value="1")) == ["fine"]

    def test_a_reply_has_choices_payload_and_an_end(self) -> None:
        reply = {"text": "Size?", "choices": ["big"], "payload": {"a": 1}, "ended": True}
        (seen,) = talk(FakeContext().build(FakeConnector, replies=[reply]), "x")
        assert [choice.label for choice in seen.choices] == ["big"]
        assert (seen.payload, seen.ended) == ({"a": 1}, True)

    @pytest.mark.parametrize(
        ("failure", "error"),
        [
            ("crash", AppCrash),
            ("timeout", AppTimeout),
            ("protocol", AppProtocolError),
            ("unreachable", AppUnreachable),
        ],
    )
    def test_it_fails_at_the_chosen_turn(self, failure: str, error: type[Exception]) -> None:
        connector = FakeContext().build(FakeConnector, raises={1: failure})
        with pytest.raises(error):
            talk(connector, "one", Listen(), "two")
        assert len(connector.sessions[0].acts) == 3
        with pytest.raises(error):
            talk(FakeContext().build(FakeConnector, fails_to_open=failure))
        with pytest.raises(error):
            talk(FakeContext().build(FakeConnector, replies=[Reply(raises=failure)]), "x")
        with pytest.raises(error, match="mine"):
            talk(FakeContext().build(FakeConnector, replies=[error("mine")]), "x")

    def test_it_keeps_sessions_acts_and_how_many_were_open(self) -> None:
        connector = FakeContext().build(FakeConnector)

        async def two() -> None:
            async with connector.open(CASE), connector.open(CASE):
                pass

        asyncio.run(two())
        talk(connector, "hi")
        assert connector.most_open == 2
        assert [session.closed for session in connector.sessions] == [True, True, True]
        assert connector.sessions[2].acts == [Say(text="hi")]

    def test_a_reply_of_the_wrong_kind_is_the_tests_fault(self) -> None:
        connector = FakeContext().build(FakeConnector, replies=lambda act, number: 42)
        with pytest.raises(TypeError, match="a reply is a text, Reply, Observation or AppError"):
            talk(connector, "x")


class TestPlayer:
    def test_it_says_its_lines_with_the_values_of_the_case(self) -> None:
        player = FakeContext().build(FakePlayer, lines=["Hi", "A {size} one"], listens=True)
        trace = asyncio.run(play(player, FakeContext().build(FakeConnector), CASE))
        assert isinstance(trace, Trace)
        assert [turn.act for turn in trace.turns] == [
            Listen(),
            Say(text="Hi"),
            Say(text="A big one"),
        ]
        assert (trace.ended, trace.meta) == ("script_done", {"scenario": "talk"})
        assert player.played == [CASE]

    def test_an_error_of_the_app_passes(self) -> None:
        app = FakeContext().build(FakeConnector, raises={0: "crash"})
        ended = asyncio.run(play(FakeContext().build(FakePlayer), app, CASE))
        assert isinstance(ended, AppCrash)


class TestUserAndExtractor:
    goals = (Goal(phrase="a", template="a"), Goal(phrase="b", template="b"))

    def test_the_user_says_a_line_per_turn_and_leaves(self) -> None:
        user = FakeContext().build(FakeUser, lines=["one", "two"])
        task = UserTask(goals=self.goals)
        assert asyncio.run(user.act(task)) == UserMove(act=Say(text="one"))
        later = UserTask(goals=self.goals, turns=trace_of([(None, "hi"), ("one", "ok")]).turns)
        assert asyncio.run(user.act(later)) == UserMove(act=Say(text="two"), goals_met=(0,))
        over = UserTask(goals=self.goals, turns=trace_of([("one", "ok"), ("two", "ok")]).turns)
        assert asyncio.run(user.act(over)) == UserMove(goals_met=(0, 1))
        assert user.tasks == [task, later, over]

    def test_the_extractor_gives_what_it_was_told(self) -> None:
        extractor = FakeContext().build(FakeExtractor, values={"price": 12})
        specs = (OutputSpec(name="price", type="int"), OutputSpec(name="day"))
        task = ExtractTask(turns=trace_of([("hi", "ho")]).turns, outputs=specs, today=EPOCH.date())
        found = asyncio.run(extractor.act(task)).outputs
        assert [(item.name, item.type, item.value) for item in found] == [
            ("price", "int", 12),
            ("day", "str", None),
        ]


class TestOracleAndReporter:
    def test_an_outcome_is_said_of_every_trace(self) -> None:
        oracle = FakeContext().build(FakeOracle, judges="fail", check="c", gating=False)
        (verdict,) = asyncio.run(oracle.judge(trace_of([])))
        assert (verdict.outcome, verdict.check, verdict.gating) == (Outcome.FAIL, "c", False)
        assert verdict.owner == "app"

    def test_a_callable_says_outcomes_or_verdicts(self) -> None:
        def judges(trace: Trace) -> Outcome | list[Verdict]:
            return [verdict_of(trace)] * 2 if trace.turns else Outcome.SKIPPED

        oracle = FakeContext().build(FakeOracle, judges=judges)
        assert len(asyncio.run(oracle.judge(trace_of([("a", "b")])))) == 2
        assert asyncio.run(oracle.judge(trace_of([])))[0].outcome == Outcome.SKIPPED
        assert len(oracle.judged) == 2

    def test_what_is_concluded_comes_from_a_callable(self) -> None:
        oracle = FakeContext().build(
            FakeOracle, concludes=lambda traces: list(map(verdict_of, traces))
        )
        assert len(asyncio.run(oracle.conclude([trace_of([])]))) == 1
        assert asyncio.run(FakeContext().build(FakeOracle).conclude([trace_of([])])) == ()

    def test_the_reporter_keeps_events_and_writes_where_told(self, tmp_path: Path) -> None:
        reporter = FakeContext().build(FakeReporter, file="end.txt")
        for event in run_events([trace_of([("a", "b")])], folder=tmp_path):
            reporter.handle(event)
        assert reporter.kinds == [
            "run_started",
            "cases_asked",
            "case_started",
            "turn_taken",
            "case_judged",
            "run_concluded",
            "run_finished",
        ]
        assert reporter.written() == (tmp_path / "end.txt",)


SPACE = Space(
    scenarios=(
        Scenario(name="a", variables=(Variable(name="x", domain=(1, 2)),)),
        Scenario(name="empty", variables=(Variable(name="x", domain=()),)),
    )
)


class TestStrategies:
    def test_without_params_each_scenario_gives_its_first_values(self) -> None:
        strategy = FakeContext().build(FakeStrategy)
        strategy.start(SPACE, 1)
        assert strategy.ask(9) == [Case.of("a", {"x": 1}, run_seed=1)]
        assert strategy.done

    def test_equal_params_are_repeats(self) -> None:
        strategy = FakeContext().build(FakeStrategy, params=[{"x": 1}, {"x": 2}, {"x": 1}])
        strategy.start(Space(scenarios=SPACE.scenarios[:1]), 1)
        assert [case.repeat for case in strategy.ask(9)] == [1, 1, 2]

    def test_one_learns_per_batch_and_waits_until_all_is_told(self) -> None:
        strategy = FakeContext().build(FakeBatchStrategy, params=[{}] * 5, batch=2)
        assert strategy.learns == "per-batch"
        strategy.start(Space(scenarios=(Scenario(name="s"),)), 1)
        first = strategy.ask(1)
        assert len(first) == 2
        strategy.tell(first[0], [])
        assert strategy.ask(1) == []
        strategy.tell(first[1], [])
        assert len(strategy.ask(1)) == 2

    def test_one_learns_per_case(self) -> None:
        assert FakeSteadyStrategy.learns == "per-case"
        assert FakeStrategy.learns == "never"


def ask(text: str = "hi", asker: str = "judge", **more: Any) -> ChatRequest:
    return ChatRequest(messages=(ChatMessage(role="user", content=text),), asker=asker, **more)


class TestLLM:
    @pytest.mark.parametrize(
        "answers",
        [["yes", "no"], lambda request: "yes", {"judge": "yes"}, {"*": "yes"}],
        ids=["list", "callable", "asker", "anybody"],
    )
    def test_it_answers_from_its_script_and_counts(self, answers: Any) -> None:
        llm = FakeContext().build(FakeLLM, answers=answers, cost_usd=0.5)
        reply = asyncio.run(llm.complete(ask("two words")))
        assert (reply.text, reply.parsed, reply.cost_usd) == ("yes", None, 0.5)
        assert (reply.input_tokens, reply.output_tokens, llm.tokens) == (2, 1, 3)
        assert llm.requests == [ask("two words")]

    @pytest.mark.parametrize(
        ("answers", "message"),
        [
            ([], "has only 0 answers"),
            ({"user": "x"}, "no answer for 'judge'"),
            ([ModelError("mine")], "mine"),
        ],
    )
    def test_it_fails_where_the_script_says_so_or_ends(self, answers: Any, message: str) -> None:
        with pytest.raises(ModelError, match=message):
            asyncio.run(FakeContext().build(FakeLLM, answers=answers).complete(ask()))

    @pytest.mark.parametrize(
        ("answer", "parsed"),
        [
            ({"ok": True}, {"ok": True}),
            ('{"ok": true}', {"ok": True}),
            ({"ok": 1}, None),
            ({}, None),
            ("nonsense", None),
            ([1], None),
        ],
    )
    def test_an_answer_is_parsed_where_it_fits_the_schema(self, answer: Any, parsed: Any) -> None:
        schema = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
        llm = FakeContext().build(FakeLLM, answers=[answer])
        assert asyncio.run(llm.complete(ask(answer_schema=schema))).parsed == parsed

    def test_a_whole_reply_is_given_as_it_is(self) -> None:
        reply = ChatReply(text="x", input_tokens=7)
        llm = FakeContext().build(FakeLLM, answers=[reply])
        assert asyncio.run(llm.complete(ask())) is reply
        assert llm.tokens == 7


class TestContext:
    def test_wrong_settings_are_refused_as_in_a_suite(self) -> None:
        with pytest.raises(
            ConfigurationError, match=r"replis: unknown key. Did you mean 'replies'"
        ):
            FakeContext().build(FakeConnector, replis=[])

    def test_parts_by_name_come_from_the_table_or_from_what_is_installed(self) -> None:
        app = FakeContext().build(FakeConnector)
        context = FakeContext(parts={"mine": app, "user": FakeUser})
        assert context.part(AppConnector[Any], Use(use="mine")) is app
        user = context.part(
            Agent[Any, Any, Any],
            Use.model_validate({"use": "user", "lines": ["x"]}),
            role="user",
        )
        assert isinstance(user, FakeUser)
        assert user.config.lines == ("x",)
        assert type(context.part(AppConnector[Any], Use(use="echo"))).__name__ == "EchoConnector"
        with pytest.raises(UnknownPlugin):
            context.part(AppConnector[Any], Use(use="no-such-thing"))

    def test_a_part_of_another_kind_is_refused(self) -> None:
        context = FakeContext(parts={"mine": FakeConnector, "user": FakeUser})
        with pytest.raises(ConfigurationError, match="'mine' was given for a Player"):
            context.part(Player[Any], Use(use="mine"))
        with pytest.raises(ConfigurationError, match="the role 'extractor'"):
            context.part(Agent[Any, Any, Any], Use(use="user"), role="extractor")

    def test_an_import_path_names_a_fake_in_a_suite(self) -> None:
        use = Use.model_validate({"use": "sparring.testing.fakes:FakeConnector", "greeting": "Hi"})
        assert isinstance(FakeContext().part(AppConnector[Any], use), FakeConnector)

    def test_a_model_is_for_all_or_for_one(self) -> None:
        llm = FakeContext().build(FakeLLM)
        assert FakeContext().llm("judge") is None
        assert FakeContext(llm=llm).llm("judge") is llm
        context = FakeContext(llm={"judge": llm})
        assert context.llm("judge") is llm
        assert context.llm("user") is None

    def test_functions_are_those_given_or_those_installed(self) -> None:
        mine = rule_function(len)
        assert FakeContext(functions={"mine": mine}).functions() == {"mine": mine}
        assert "mine" not in FakeContext().functions()

    def test_files_are_found_from_its_folder(self, tmp_path: Path) -> None:
        (tmp_path / "rules").mkdir()
        for name in ("b.yaml", "a.yml", "c.txt"):
            (tmp_path / "rules" / name).write_text("x")
        context = FakeContext(base_dir=tmp_path)
        assert [path.name for path in context.files("rules")] == ["a.yml", "b.yaml"]
        assert [path.name for path in context.files("rules/*.txt")] == ["c.txt"]
        with pytest.raises(ConfigurationError, match=r"no file matches 'x\*\.yml'"):
            context.files("x*.yml")

    def test_it_closes_what_was_built(self) -> None:
        context = FakeContext()
        app = context.build(FakeConnector)
        context.warn("careful")
        asyncio.run(context.close())
        assert app.closed
        assert context.warnings == ["careful"]
