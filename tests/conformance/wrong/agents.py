"""Players, users, extractors and judges that break their contract, each in one way."""

import asyncio
import itertools
from typing import Any, ClassVar

import pytest

from sparring.errors import AppError
from sparring.interfaces.agent import Agent, PlayTask
from sparring.interfaces.roles import (
    Extraction,
    ExtractTask,
    Goal,
    GoalCheck,
    GoalTask,
    Judgement,
    JudgeTask,
    MetGoal,
    UserMove,
    UserTask,
)
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring.model.talk import Ended, Press, Say, Trace
from sparring.testing.conformance.agent import (
    AgentKit,
    ExtractorKit,
    GoalCheckerKit,
    JudgeKit,
    PlayerKit,
    UserKit,
)
from sparring.testing.conversations import trace_of
from sparring.testing.fakes import FakeExtractor, FakeGoalChecker, FakeJudge, FakePlayer, FakeUser

NUMBERS = itertools.count()


class Given(AgentKit):
    wrong: ClassVar[type[Agent[Any, Any, Any]]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[Agent[Any, Any, Any]]:
        return self.wrong


class GivenPlayer(PlayerKit):
    wrong: ClassVar[type[FakePlayer]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[FakePlayer]:
        return self.wrong

    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {"lines": ["Hello.", "One pizza.", "Bye."], "listens": True}


class TestRightPlayer(GivenPlayer):
    wrong = FakePlayer
    fails: ClassVar[set[str]] = set()


class PlaysAnotherCase(FakePlayer):
    async def act(self, task: PlayTask) -> Trace:
        trace = await super().act(task)
        return trace.model_copy(update={"case": Case.of("other", {}, run_seed=0)})


class TestPlaysAnotherCase(GivenPlayer):
    wrong = PlaysAnotherCase
    fails: ClassVar[set[str]] = {"test_it_returns_the_trace_of_its_case"}


class LeavesOutTurns(FakePlayer):
    async def act(self, task: PlayTask) -> Trace:
        trace = await super().act(task)
        return trace.model_copy(update={"turns": trace.turns[1:]})


class TestLeavesOutTurns(GivenPlayer):
    wrong = LeavesOutTurns
    fails: ClassVar[set[str]] = {"test_every_turn_is_in_the_trace"}


class NeverEnds(FakePlayer):
    async def act(self, task: PlayTask) -> Trace:
        while not (await task.session.send(Say(text="Hello?"))).ended:
            pass
        return task.trace(Ended.APP_ENDED)


class TestNeverEnds(GivenPlayer):
    wrong = NeverEnds
    most_acts = 50
    fails: ClassVar[set[str]] = {
        "test_it_returns_the_trace_of_its_case",
        "test_equal_cases_are_played_equally",
        "test_it_comes_to_an_end_with_any_app",
        "test_it_bears_whatever_the_app_says",
        "test_meta_is_plain_data",
        "test_every_turn_is_in_the_trace",
        "test_cases_are_played_side_by_side",
        "test_it_stops_when_the_greeting_ends_it",
    }
    limit_s = 1.5


class TalksOn(FakePlayer):
    async def act(self, task: PlayTask) -> Trace:
        for line in self.config.lines:
            await task.session.send(Say(text=line))
        return task.trace(Ended.SCRIPT_DONE)


class TestTalksOn(GivenPlayer):
    wrong = TalksOn
    fails: ClassVar[set[str]] = {"test_it_stops_when_the_app_has_ended"}


class SaysSomethingElse(FakePlayer):
    async def act(self, task: PlayTask) -> Trace:
        await task.session.send(Say(text=f"Number {next(NUMBERS)}"))
        return task.trace(Ended.SCRIPT_DONE)


class TestSaysSomethingElse(GivenPlayer):
    wrong = SaysSomethingElse
    fails: ClassVar[set[str]] = {
        "test_equal_cases_are_played_equally",
        "test_cases_are_played_side_by_side",
    }


class HidesFailures(FakePlayer):
    async def act(self, task: PlayTask) -> Trace:
        try:
            return await super().act(task)
        except AppError:
            return task.trace(Ended.SCRIPT_DONE)


class TestHidesFailures(GivenPlayer):
    wrong = HidesFailures
    fails: ClassVar[set[str]] = {"test_a_failing_app_is_an_app_error_or_an_incident"}


class KeepsCancellation(FakePlayer):
    async def act(self, task: PlayTask) -> Trace:
        try:
            return await super().act(task)
        except asyncio.CancelledError:
            return task.trace(Ended.USER_LEFT)


class TestKeepsCancellation(GivenPlayer):
    wrong = KeepsCancellation
    fails: ClassVar[set[str]] = {"test_cancelling_passes"}


class NamesScenariosAlike(FakePlayer):
    def space(self) -> Space:
        return Space(scenarios=(Scenario(name="talk"), Scenario(name="talk")))


class TestNamesScenariosAlike(GivenPlayer):
    wrong = NamesScenariosAlike
    fails: ClassVar[set[str]] = {"test_its_scenarios_have_names_of_their_own"}


class GivenUser(UserKit):
    wrong: ClassVar[type[FakeUser]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[FakeUser]:
        return self.wrong


class TestRightUser(GivenUser):
    wrong = FakeUser
    fails: ClassVar[set[str]] = set()


class CountsItsMoves(FakeUser):
    async def act(self, task: UserTask) -> UserMove:
        return UserMove(act=Say(text=f"Number {next(NUMBERS)}"))


class TestCountsItsMoves(GivenUser):
    wrong = CountsItsMoves
    fails: ClassVar[set[str]] = {
        "test_equal_tasks_get_equal_answers",
        "test_earlier_tasks_do_not_matter",
    }


class PressesAnything(FakeUser):
    async def act(self, task: UserTask) -> UserMove:
        return UserMove(act=Press(label="yes, please"))


class TestPressesAnything(GivenUser):
    wrong = PressesAnything
    fails: ClassVar[set[str]] = {"test_only_what_was_offered_is_pressed"}


class MeetsGoalsThereAreNot(FakeUser):
    async def act(self, task: UserTask) -> UserMove:
        return UserMove(goals_met=(0, 1, 2))


class TestMeetsGoalsThereAreNot(GivenUser):
    wrong = MeetsGoalsThereAreNot
    fails: ClassVar[set[str]] = {"test_answers_are_moves_of_a_user"}


class SaysNothing(FakeUser):
    async def act(self, task: UserTask) -> UserMove:
        return UserMove(act=Say(text=" "))


class TestSaysNothing(GivenUser):
    wrong = SaysNothing
    fails: ClassVar[set[str]] = {"test_it_says_something_when_it_speaks"}


class GivenExtractor(ExtractorKit):
    wrong: ClassVar[type[FakeExtractor]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[FakeExtractor]:
        return self.wrong


class TestRightExtractor(GivenExtractor):
    wrong = FakeExtractor
    fails: ClassVar[set[str]] = set()


class LeavesOutWhatItDoesNotFind(FakeExtractor):
    async def act(self, task: ExtractTask) -> Extraction:
        return Extraction(outputs=(await super().act(task)).outputs[1:])


class TestLeavesOutWhatItDoesNotFind(GivenExtractor):
    wrong = LeavesOutWhatItDoesNotFind
    fails: ClassVar[set[str]] = {"test_each_output_is_answered_in_order"}


class Changing(FakeExtractor):
    """Gives every output what `changes` says."""

    changes: ClassVar[dict[str, Any]]

    async def act(self, task: ExtractTask) -> Extraction:
        found = (await super().act(task)).outputs
        return Extraction(outputs=tuple(item.model_copy(update=self.changes) for item in found))


class FindsTexts(Changing):
    changes: ClassVar[dict[str, Any]] = {"value": "12"}


class TestFindsTexts(GivenExtractor):
    wrong = FindsTexts
    fails: ClassVar[set[str]] = {
        "test_values_have_the_declared_type",
        "test_nothing_is_found_where_nothing_was_said",
    }


class FindsThemNowhere(Changing):
    changes: ClassVar[dict[str, Any]] = {"turn": 100_000}


class TestFindsThemNowhere(GivenExtractor):
    wrong = FindsThemNowhere
    fails: ClassVar[set[str]] = {"test_turns_are_those_of_the_conversation"}


class GivenGoalChecker(GoalCheckerKit):
    wrong: ClassVar[type[Agent[Any, Any, Any]]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[Agent[Any, Any, Any]]:
        return self.wrong


class TestRightGoalChecker(GivenGoalChecker):
    wrong = FakeGoalChecker
    fails: ClassVar[set[str]] = set()

    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {"shown_by": {0: "is ordered"}}


RECEIPT = trace_of([("Tea", "That is 3 euros: a large tea."), ("Thanks", "See you!")]).turns


class GivenReceipt(GivenGoalChecker):
    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {"shown_by": {0: "That is 3 euros"}}

    @pytest.fixture
    def met_tasks(self) -> list[GoalTask]:
        return [GoalTask(goals=(Goal(phrase="tea", template="tea"),), turns=RECEIPT)]


class TestFindsTheReceipt(GivenReceipt):
    wrong = FakeGoalChecker
    fails: ClassVar[set[str]] = set()


class NumbersTurnsFromOne(FakeGoalChecker):
    async def act(self, task: GoalTask) -> GoalCheck:
        met = (await super().act(task)).met
        return GoalCheck(
            met=tuple(one.model_copy(update={"turn": (one.turn or 0) + 1}) for one in met)
        )


class TestNumbersTurnsFromOne(GivenReceipt):
    wrong = NumbersTurnsFromOne
    fails: ClassVar[set[str]] = {"test_what_shows_a_goal_stands_in_an_answer_of_the_app"}


class NeverFindsAGoalMet(FakeGoalChecker):
    """No conversation of the kit has the words that it looks for."""


class TestNeverFindsAGoalMet(GivenGoalChecker):
    wrong = NeverFindsAGoalMet
    fails: ClassVar[set[str]] = {"test_it_finds_a_goal_met"}


class TestMissesAGoal(GivenReceipt):
    """It looks for other words than those of the task that `met_tasks` gives."""

    wrong = FakeGoalChecker
    fails: ClassVar[set[str]] = {"test_it_finds_a_goal_met"}

    @pytest.fixture
    def settings(self) -> dict[str, Any]:
        return {"shown_by": {0: "is ordered"}}


class FindsWhatIsNotAsked(FakeGoalChecker):
    async def act(self, task: GoalTask) -> GoalCheck:
        heard = any(turn.observation for turn in task.turns)
        return GoalCheck(met=(MetGoal(goal=len(task.goals)),) if heard else ())


class TestFindsWhatIsNotAsked(GivenGoalChecker):
    wrong = FindsWhatIsNotAsked
    fails: ClassVar[set[str]] = {"test_goals_found_met_are_goals_of_the_task"}


class QuotesNobody(FakeGoalChecker):
    async def act(self, task: GoalTask) -> GoalCheck:
        silent = [i for i, turn in enumerate(task.turns) if turn.observation is None]
        heard = len(silent) < len(task.turns)
        met = [MetGoal(goal=0, turn=turn) for turn in silent if heard and task.goals]
        return GoalCheck(met=tuple(met[:1]))


class TestQuotesNobody(GivenGoalChecker):
    wrong = QuotesNobody
    fails: ClassVar[set[str]] = {"test_what_shows_a_goal_stands_in_an_answer_of_the_app"}


class TakesSilenceForAnAnswer(FakeGoalChecker):
    async def act(self, task: GoalTask) -> GoalCheck:
        return GoalCheck(met=tuple(MetGoal(goal=index) for index in range(len(task.goals))))


class TestTakesSilenceForAnAnswer(GivenGoalChecker):
    wrong = TakesSilenceForAnAnswer
    fails: ClassVar[set[str]] = {"test_no_goal_is_met_where_the_app_said_nothing"}


class GivenJudge(JudgeKit):
    wrong: ClassVar[type[Agent[Any, Any, Any]]]
    fails: ClassVar[set[str]]

    @pytest.fixture
    def plugin(self) -> type[Agent[Any, Any, Any]]:
        return self.wrong


class TestRightJudge(GivenJudge):
    wrong = FakeJudge
    fails: ClassVar[set[str]] = set()


class AnswersWhatIsNoOption(FakeJudge):
    async def act(self, task: JudgeTask) -> Judgement:
        return Judgement(answer="perhaps", reason="who knows")


class TestAnswersWhatIsNoOption(GivenJudge):
    wrong = AnswersWhatIsNoOption
    fails: ClassVar[set[str]] = {"test_the_answer_is_one_of_the_options"}


class GivesNoReason(FakeJudge):
    async def act(self, task: JudgeTask) -> Judgement:
        return Judgement(answer=None)


class TestGivesNoReason(GivenJudge):
    wrong = GivesNoReason
    fails: ClassVar[set[str]] = {"test_it_says_why"}


class ScoresInPercent(FakeJudge):
    async def act(self, task: JudgeTask) -> Judgement:
        return (await super().act(task)).model_copy(update={"score": 90.0})


class TestScoresInPercent(GivenJudge):
    wrong = ScoresInPercent
    fails: ClassVar[set[str]] = {"test_scores_are_shares"}


class ScoresWhatItCannotDecide(FakeJudge):
    async def act(self, task: JudgeTask) -> Judgement:
        return Judgement(answer=None, score=0.5, reason="who knows")


class TestScoresWhatItCannotDecide(GivenJudge):
    wrong = ScoresWhatItCannotDecide
    fails: ClassVar[set[str]] = {"test_scores_are_shares"}


class CountsTurnsFromOne(FakeJudge):
    async def act(self, task: JudgeTask) -> Judgement:
        judged = await super().act(task)
        return judged.model_copy(update={"turns": (len(task.turns),)})


class TestCountsTurnsFromOne(GivenJudge):
    wrong = CountsTurnsFromOne
    fails: ClassVar[set[str]] = {"test_turns_are_those_of_the_conversation"}
