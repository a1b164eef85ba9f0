"""What crosses the line between a run and its workers."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticSerializationError

from sparring.errors import (
    AnswerInvalid,
    BudgetSpent,
    ModelBusy,
    ModelError,
    ModelUnavailable,
)
from sparring.model.base import storable
from sparring.model.chat import ChatReply
from sparring.model.talk import Trace, Turn
from sparring.model.verdict import Verdict
from sparring_plugins.execution.bundle import Bundle


@dataclass(frozen=True, slots=True)
class Setup:
    """All that a worker needs to play the cases of one session of a run.

    `written` is the suite as written, if it has no file any more; `files` are those that the run's
    folder had before anything was played, and `variables` those of the environment that the suite
    forwards. `session_class` is the import path of the `WorkerSession` to build, and `settings`
    are for that class. It is handed over by a direct call and is part of no task.
    """

    session: str
    topic: str
    bundle: Bundle
    overrides: dict[str, Any]
    written: dict[str, Any] | None
    names: frozenset[str]
    files: dict[str, bytes] = field(repr=False)
    variables: dict[str, str] = field(repr=False)
    import_path: tuple[str, ...]
    session_class: str
    settings: dict[str, Any]


class Answer(BaseModel):
    """What playing and judging a case gave.

    `turns` are those that were recorded, if the trace has others; `ended` when each was over.
    `notes` are problems that stopped nothing, with their source. `spent` says why the budget
    refused a model's answer: the case is dropped then.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    trace: Trace | None = None
    verdicts: tuple[Verdict, ...] = ()
    turns: tuple[Turn, ...] | None = None
    ended: tuple[datetime, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    spent: str = ""

    def packed(self) -> bytes:
        """Return it as JSON; lone surrogates of a part's text are replaced."""
        try:
            return self.model_dump_json().encode()
        except PydanticSerializationError:
            clean = type(self).model_validate(storable(self.model_dump(mode="python")))
            return clean.model_dump_json().encode()


class ModelReply(BaseModel):
    """A model's answer, or the error that asking for it ended in."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    reply: ChatReply | None = None
    kind: str = ""
    message: str = ""
    attempts: int = 1
    retry_after_s: float | None = None

    @classmethod
    def of_error(cls, err: ModelError) -> "ModelReply":
        """Return what carries an error."""
        kind = next((name for name, known in _KINDS.items() if isinstance(err, known)), "")
        return cls(
            kind=kind,
            message=str(err),
            attempts=err.attempts,
            retry_after_s=getattr(err, "retry_after_s", None),
        )

    def result(self) -> ChatReply:
        """Return the answer; raises the error that it carries."""
        if self.reply is not None:
            return self.reply
        error: ModelError
        if self.kind in ("busy", "unavailable"):
            kind = ModelBusy if self.kind == "busy" else ModelUnavailable
            error = kind(self.message, self.retry_after_s)
        else:
            error = _KINDS.get(self.kind, ModelError)(self.message)
        error.attempts = self.attempts
        raise error


_KINDS: dict[str, type[ModelError]] = {
    "spent": BudgetSpent,
    "busy": ModelBusy,
    "unavailable": ModelUnavailable,
    "invalid": AnswerInvalid,
}
