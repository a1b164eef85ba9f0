"""One conversation between a user agent and an app, turn by turn, and the outputs found in it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from pydantic import JsonValue

from sparring.engine.play import incident_of
from sparring.errors import BudgetSpent, PartError, SparringError
from sparring.interfaces.agent import Agent, PlayTask
from sparring.interfaces.roles import (
    Extraction,
    ExtractTask,
    Goal,
    GoalCheck,
    GoalTask,
    MetGoal,
    OutputSpec,
    UserMove,
    UserTask,
)
from sparring.llm.ledger import Price
from sparring.model.talk import Ended, Incident, IncidentKind, Listen, Observation, Output, Turn
from sparring.model.verdict import Owner
from sparring_plugins.language.similarity import LOOKED_AT, Fallbacks
from sparring_plugins.language.text import folded, plain
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.agenda.agents import AgendaUser
from sparring_plugins.users.agenda.replies.app_reply import read_app_reply
from sparring_plugins.users.conversation_end import (
    ConversationOutcome,
    TurnLimit,
    loop_owner,
)
from sparring_plugins.users.profiles.goals import revised_goals

REPHRASES = 3
"""Answers in a row that lead nowhere before the prompt asks the user to change the topic."""

AFTER_GOALS = 8
"""Turns that a user with all goals met may still take, besides one for each output."""


class UnknownPrice(Exception):
    """What the conversation costs is not known."""


Situation = Literal["start", "normal", "rephrase", "change_topic"]


@dataclass(slots=True)
class LoopWatch:
    """Counts consecutive answers that lead nowhere.

    These are fallbacks, empty answers, and answers that repeat the one before word by word.
    """

    fallbacks: Fallbacks
    stuck: int = 0
    _last: str | None = None

    def watch(self, observation: Observation) -> None:
        """Take note of an answer to something that the user said."""
        labels = " ".join(choice.label for choice in observation.choices[:50])
        media = " ".join(
            medium.url or medium.description for medium in observation.attachments[:50]
        )
        parts = (observation.text, labels, media)
        answer = "\n".join(part[:LOOKED_AT] for part in parts).strip()
        # a picture without text is an answer, though it cannot be read
        empty = not answer and not observation.attachments and observation.payload is None
        repeated = bool(answer) and answer == self._last
        if empty or repeated or self.fallbacks.match(observation.text):
            self.stuck += 1
        else:
            self.stuck = 0
        self._last = answer


@dataclass(slots=True)
class Dialogue:
    """One conversation: what it is held with, and what comes of it.

    `price` is what the answers of models in it are worth, as it is counted elsewhere, and `cost`
    the limit of that in US dollars.

    `compat` says whether loops are counted as SENSEI does, always against the app.

    `brief` is the user's task without what changes from turn to turn. `checker`, which the suite
    calls `checker_name`, says which goals are met; without one it is the user's own word. After
    `hold`, `ended` says why it ended, `incidents` what went wrong, `goals_met` the indexes of the
    goals met, and `shown` for those that the checker found met what shows it. `claimed` are those
    that the user itself takes for met, if there is a checker; `revised` has the inputs that the
    user changed its mind about, with the values it wanted in the end.
    """

    task: PlayTask
    user: Agent[UserTask, UserMove, Any]
    brief: UserTask
    watch: LoopWatch
    limit: TurnLimit
    loop_limit: int
    price: Price = field(default_factory=Price)
    cost: float | None = None
    app_starts: bool = False
    checker: Agent[GoalTask, GoalCheck, Any] | None = None
    checker_name: str = ""
    compat: Literal["sensei"] | None = None
    ended: Ended = Ended.USER_LEFT
    incidents: list[Incident] = field(default_factory=list[Incident])
    goals_met: tuple[int, ...] = ()
    claimed: tuple[int, ...] = ()
    shown: dict[int, MetGoal] = field(default_factory=dict[int, MetGoal])
    revised: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    _spoken: int = 0
    _after_goals: int = 0
    _farewells: int = 0

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns so far, without a greeting that was waited for and did not come."""
        turns = tuple(self.task.turns)
        if turns and isinstance(turns[0].act, Listen) and turns[0].observation == Observation():
            return turns[1:]
        return turns

    @property
    def all_met(self) -> bool:
        """Whether there are goals and all of them are met."""
        return bool(self.brief.goals) and len(self.goals_met) == len(self.brief.goals)

    @property
    def goals_unmet(self) -> tuple[str, ...]:
        """The phrases of the goals that are not met, in order."""
        goals = enumerate(self.current_goals())
        return tuple(goal.phrase for index, goal in goals if index not in self.goals_met)

    @property
    def spoken(self) -> int:
        """How many turns the user took."""
        return self._spoken

    @property
    def exhausted(self) -> bool:
        """Whether the user had no turns left."""
        return self._spoken >= self.limit.turns

    async def hold(self) -> None:
        """Hold the conversation; whatever fails in it ends it as an incident, with its owner.

        Raises BudgetSpent.
        """
        try:
            self.ended = await self._hold()
        except BudgetSpent:
            raise
        except SparringError as err:
            self.incidents.append(incident_of(err, self._last))
            self.ended = Ended.INCIDENT
        except UnknownPrice as err:
            self.incidents.append(
                Incident(kind=IncidentKind.PLAYER_ERROR, message=str(err), owner=Owner.TEST)
            )
            self.ended = Ended.INCIDENT

    async def _hold(self) -> Ended:
        if self.app_starts and (await self.task.session.send(Listen())).ended:
            return Ended.APP_ENDED
        while True:
            move = await self._ask()
            if move.act is None:
                return Ended.GOALS_REACHED if self.all_met else Ended.USER_LEFT
            if self._is_out_of_turns():
                return Ended.GOALS_REACHED if self.all_met else Ended.TURN_LIMIT
            if self._is_over_cost():
                return Ended.GOALS_REACHED if self.all_met else Ended.COST_LIMIT
            answer = await self.task.session.send(move.act)
            self._note_revised(move, answer)
            # a fallback phrase meets no goal, and a checker may cost a call of a model
            if not self.watch.fallbacks.match(answer.text):
                await self._check_goals()
            reason = self._record_answer(answer)
            if reason is Ended.APP_ENDED and self._reads_last_words:
                # "Thank you, that is all." may be answered by what meets the last goal
                await self._ask()
            if reason is not None:
                return reason

    @property
    def _reads_last_words(self) -> bool:
        """Whether the user itself says what an app's last words have met.

        A model is asked only if goals are left, and the last words are more than a goodbye.
        """
        if self.checker is not None or self.compat is not None:
            return False
        last = read_app_reply(self.turns[-1].observation)
        worth_asking = not self.all_met and (last.informative or last.done)
        reads = getattr(self.user, "reads_last_words", False) is True
        return isinstance(self.user, AgendaUser) or (reads and worth_asking)

    async def _ask(self) -> UserMove:
        """The user's next move; if nobody checks them, it also says which goals are met."""
        changes = {
            "turns": self.turns,
            "situation": self._situation(),
            "goals_met": self.goals_met,
        }
        move = await self.user.act(self.brief.model_copy(update=changes))
        if move.act is None:
            self.revised = _list_revisions(move)
        if self.checker is None:
            if getattr(self.user, "takes_back", False) is True:
                self.goals_met = ()
            self._note_met(move.goals_met)
        else:
            self.claimed = move.goals_met
        return move

    def _note_revised(self, move: UserMove, answer: Observation) -> None:
        """Keep what the user changed its mind about, unless the app did not understand it.

        Whether it understood later answers say better: with its next move the user tells anew.
        """
        understood = bool(answer.text) and not self.watch.fallbacks.match(answer.text)
        wanted = _list_revisions(move)
        # a change that was taken once is kept even if a later reply is a fallback
        if understood or all(name in self.revised for name in wanted):
            self.revised = wanted

    def current_goals(self) -> tuple[Goal, ...]:
        """The goals with the values that the user wants by now."""
        brief = self.brief
        return revised_goals(brief.goals, brief.inputs, self.revised, brief.language)

    async def _check_goals(self) -> None:
        """Ask the checker, if there is one, which goals the last answer has met."""
        if self.checker is None or len(self.goals_met) == len(self.brief.goals):
            return
        brief = self.brief
        task = GoalTask(
            goals=self.current_goals(),
            turns=self.turns,
            goals_met=self.goals_met,
            inputs={**brief.inputs, **self.revised},
            domains=brief.domains,
            outputs=brief.outputs,
            fallbacks=brief.fallbacks,
            language=brief.language,
            seed=brief.seed,
        )
        met = (await self.checker.act(task)).met
        self._note_met([met_goal.goal for met_goal in met])
        for met_goal in met:
            if met_goal.goal in self.goals_met:
                self.shown.setdefault(met_goal.goal, met_goal)

    def _note_met(self, indexes: Iterable[int]) -> None:
        """Add goals that are met; those that were met stay met."""
        goals = range(len(self.brief.goals))
        met = {index for index in (*self.goals_met, *indexes) if index in goals}
        self.goals_met = tuple(sorted(met))

    def _record_answer(self, observation: Observation) -> Ended | None:
        """Take note of an answer; the reason to end, if there is one."""
        self._spoken += 1
        self.watch.watch(observation)
        if observation.ended:
            return Ended.APP_ENDED
        if self.watch.stuck >= self.loop_limit:
            self.incidents.append(self._loop_incident())
            return Ended.LOOP
        # a goodbye may stand in another sentence; two in a row end the conversation
        self._farewells = self._farewells + 1 if says_farewell(observation) else 0
        if self._farewells and self.all_met:
            return Ended.GOALS_REACHED
        if self._farewells > 1:
            return Ended.APP_ENDED
        return None

    def _is_out_of_turns(self) -> bool:
        """Whether the user may not speak again, though it would.

        With all goals met it may still ask for the outputs, and take its leave.
        """
        if self.exhausted:
            return True
        if not (self.all_met and self.limit.by_goals):
            return False
        self._after_goals += 1
        return self._after_goals > len(self.brief.outputs) + AFTER_GOALS

    def _is_over_cost(self) -> bool:
        """Whether the answers of models in the conversation are worth its limit.

        Raises UnknownPrice if the price of one is not known: then it can never be said.
        """
        if self.cost is None:
            return False
        if self.price.unknown:
            raise UnknownPrice(
                "the price of a model's answer is not known, so that the profile's limit of"
                f" {self.cost:g} US dollars cannot be kept (llm.prices)"
            )
        return self.price.usd >= self.cost

    def _situation(self) -> Situation:
        if not self._spoken:
            return "start"
        if not self.watch.stuck:
            return "normal"
        return "rephrase" if self.watch.stuck <= REPHRASES else "change_topic"

    @property
    def _last(self) -> int | None:
        return len(self.turns) - 1 if self.turns else None

    def _loop_incident(self) -> Incident:
        owner = (
            # SENSEI counts each loop against the app, so its figures can be compared
            Owner.APP if self.compat == "sensei" else loop_owner(self.turns[-self.watch.stuck :])
        )
        repeated = "" if owner is Owner.APP else ", but the user said the same again and again"
        return Incident(
            kind=IncidentKind.LOOP,
            message=f"{self.watch.stuck} answers in a row led nowhere{repeated}",
            owner=owner,
            turn=self._last,
        )

    def outcome(self) -> ConversationOutcome:
        """How the conversation went, for deciding whose doing it is if it led to nothing."""
        return ConversationOutcome(
            turns=self.turns,
            brief=self.brief,
            fallbacks=self.watch.fallbacks,
            ended=self.ended,
            exhausted=self.exhausted,
            all_met=self.all_met,
            checker=self.checker_name if self.checker is not None else None,
            all_claimed=len(set(self.claimed)) == len(self.brief.goals),
            incidents=tuple(self.incidents),
        )


def _list_revisions(move: UserMove) -> dict[str, JsonValue]:
    return {revision.variable: revision.value for revision in move.revised}


def says_farewell(observation: Observation) -> bool:
    """Whether the app takes its leave: a farewell, and nothing asked or offered with it."""
    text = plain(observation.text)
    return not observation.choices and "?" not in text and has_cue(folded(text[-200:]), "farewell")


# --- Outputs, checked before any rule judges the app by them

_NUMBERS = {"int": (int,), "float": (int, float), "bool": (bool,)}
_TYPES: dict[str, tuple[type, ...]] = {**_NUMBERS, "date": (date, str)}


def checked_outputs(
    task: ExtractTask, extraction: Extraction, extractor: str
) -> tuple[Output, ...]:
    """Return one output per specification, in their order.

    `extractor` is how the suite names the part. Raises PartError if outputs are missing or have
    other names, or a value is not of its declared type: a rule that compares a list with a price
    would fail, and the app be blamed.
    """
    outputs = extraction.outputs
    names = [spec.name for spec in task.outputs]
    if [output.name for output in outputs] != names:
        returned = ", ".join(output.name for output in outputs) or "nothing"
        raise _broken(extractor, f"returned {returned}, not {', '.join(names)}")
    for spec, output in zip(task.outputs, outputs, strict=True):
        if not _fits(spec, output):
            kind = type(output.value).__name__
            raise _broken(extractor, f"{spec.name} is of type {kind}, not {spec.type}")
    return outputs


async def extract(
    extractor: Agent[ExtractTask, Extraction, Any], task: ExtractTask, name: str, dialogue: Dialogue
) -> tuple[Output, ...]:
    """Return what the extractor called `name` finds in a dialogue, one output per specification.

    If it fails, the outputs are unread, and the dialogue gets an incident that says so unless the
    suite leaves that open: the conversation itself is finished and stays good. Raises BudgetSpent.
    """
    try:
        return checked_outputs(task, await extractor.act(task), name)
    except BudgetSpent:
        raise
    except SparringError as err:
        incident = incident_of(err, None)
        if incident.kind is not IncidentKind.NO_ANSWER:
            dialogue.incidents.append(incident)
        return without_values(task.outputs, unread=incident.message)


def without_values(specs: Sequence[OutputSpec], *, unread: str | None = None) -> tuple[Output, ...]:
    """Return outputs without values; `unread` says why nobody could look for them."""
    return tuple(
        Output(name=spec.name, type=spec.type, description=spec.description, unread=unread)
        for spec in specs
    )


def _fits(spec: OutputSpec, output: Output) -> bool:
    """Whether a value can be one of the declared type; numbers may also be texts as said."""
    value = output.value
    if value is None:
        return True
    kinds = _TYPES.get(spec.type)
    if kinds is None:
        return isinstance(value, (str, int, float)) and not isinstance(value, bool)
    return isinstance(value, kinds) and (spec.type == "bool" or not isinstance(value, bool))


def _broken(extractor: str, message: str) -> PartError:
    return PartError("agent", extractor, "act", message)
