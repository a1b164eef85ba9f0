"""Everything that happens in a run, one frozen class per event.

The run log is this stream as JSON lines; listeners and reporters are told of the same.
"""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from sparring.model.base import AppText, Value
from sparring.model.case import Case
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.confirmation import Confirmation
from sparring.model.run import Run, Spent, Summary
from sparring.model.talk import Trace, TurnWithoutElements
from sparring.model.verdict import Verdict


class RunStarted(Value):
    """A run began, or was taken up again (`session` counts from 1).

    `expected` is the number of cases, if the strategy knows it. `folder` is where the
    run is stored. `again` are the ids of cases that were judged before and are played again in
    this session: what was judged of them until then counts no more.
    """

    kind: Literal["run_started"] = "run_started"
    at: datetime
    run: Run
    session: int = 1
    expected: int | None = None
    folder: str | None = None
    again: tuple[str, ...] = ()


class Refusal(Value):
    """A proposed case that is not played.

    `reason` is ``duplicate`` (it would say `text`, which is as alike as `likeness` to what the case
    `like` says) or ``unspeakable`` (there is nothing to say).
    """

    case: Case
    reason: Literal["duplicate", "unspeakable"]
    text: AppText = ""
    like: str | None = None
    likeness: float | None = None


class CasesAsked(Value):
    """The strategy proposed these cases; `state` is its state right after.

    Of a state that is long, most proposals have only the `change` since the one before, without a
    `state`: a list of one value in the place of a value, a map of changes by key for a map (an
    empty list for a key that is gone) and by index for a list (with ``length`` if it got
    shorter), ``{"+": ...}`` for what is appended to a text, and an empty map for no change.

    `refused` are those that it proposed besides and that are not played. `texts` has what the
    cases will say first, by id, if that was found out, and `previews` how many were put into
    words for it. `wordings` has what the player needs to say them so in a resumed run, too, if
    a model found the words. `skipped` is how many belong to other shards of the run.
    """

    kind: Literal["cases_asked"] = "cases_asked"
    at: datetime
    cases: tuple[Case, ...]
    state: JsonValue = None
    change: JsonValue = None
    refused: tuple[Refusal, ...] = ()
    texts: dict[str, AppText] = {}
    wordings: dict[str, dict[str, JsonValue]] = {}
    previews: int = 0
    skipped: int = Field(default=0, exclude_if=lambda skipped: not skipped)


class CaseStarted(Value):
    """A case is about to be played."""

    kind: Literal["case_started"] = "case_started"
    at: datetime
    case: Case


class TurnTaken(Value):
    """A turn of a running case is over; `index` is 0-based.

    A page is stored with the trace, and here without its elements.
    """

    kind: Literal["turn_taken"] = "turn_taken"
    at: datetime
    case_id: str
    index: int
    turn: TurnWithoutElements


class ModelCalled(Value):
    """A language model was asked; exactly one of `reply` and `error` is set.

    `source` says where the answer is from: the ``service``, the response ``cache``, or the
    ``recording`` of an earlier run; only the service's is paid for. `service` names the backend
    and its settings that shape answers (never a key), and `attempts` how often it was asked.
    """

    kind: Literal["model_called"] = "model_called"
    at: datetime
    request: ChatRequest
    reply: ChatReply | None = None
    error: str | None = None
    source: Literal["service", "cache", "recording"] = "service"
    service: str = ""
    attempts: int = 1


class CaseJudged(Value):
    """A case was played and judged: from here on it counts, and survives a kill.

    `spent` is what language models took for it, playing and judging.
    """

    kind: Literal["case_judged"] = "case_judged"
    at: datetime
    trace: Trace
    verdicts: tuple[Verdict, ...] = ()
    spent: Spent | None = None


class RunConcluded(Value):
    """The conditions over several or all conversations were judged."""

    kind: Literal["run_concluded"] = "run_concluded"
    at: datetime
    verdicts: tuple[Verdict, ...] = ()


class FaultConfirmed(Value):
    """A fault was played again from fresh sessions: whether it shows, and how briefly."""

    kind: Literal["fault_confirmed"] = "fault_confirmed"
    at: datetime
    confirmation: Confirmation


class ProblemNoted(Value):
    """Something went wrong in a part that does not stop the run, such as a listener."""

    kind: Literal["problem_noted"] = "problem_noted"
    at: datetime
    source: str
    message: str


class RunFinished(Value):
    """The run is over, for this session."""

    kind: Literal["run_finished"] = "run_finished"
    at: datetime
    summary: Summary


Event = Annotated[
    RunStarted
    | CasesAsked
    | CaseStarted
    | TurnTaken
    | ModelCalled
    | CaseJudged
    | RunConcluded
    | FaultConfirmed
    | ProblemNoted
    | RunFinished,
    Field(discriminator="kind"),
]
