"""What a role does if its model's answer stays unusable: its twin that asks no model answers."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, TypeVar, cast

from sparring.errors import AnswerInvalid, SparringError
from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import Use
from sparring.llm.ledger import NOTE_FALLBACK
from sparring.model.talk import ModelFallback

_LONGEST = 300

ActT = TypeVar("ActT", bound=Callable[..., Coroutine[Any, Any, Any]])


def with_fallback(act: ActT) -> ActT:
    """Decorate the `act` of a `ModelAgent` so that its twin answers if its model does not.

    What happens to an AnswerInvalid is what the suite says for the role (``llm.fallback``): with
    ``model-free`` the agent that the class names as `twin` is given the same task, and the trace
    says so; with ``inconclusive`` the error says that the case is left open; with ``error``, or
    without a twin, it passes as it is. A service that cannot be asked at all is no matter of this.
    """

    @wraps(act)
    async def acted(self: Any, task: Any) -> Any:
        try:
            return await act(self, task)
        except AnswerInvalid as err:
            choice = self.asker.backend.fallback
            err.undecided = choice == "inconclusive"
            twin = twin_of(self) if choice == "model-free" else None
            if twin is None:
                raise
            answer = await twin.act(task)
            note(self.role, self.twin, err)
            return self.mark_fallback(answer, err)

    return cast("ActT", acted)


def twin_of(agent: Any) -> Agent[Any, Any, Any] | None:
    """Return the agent of the same role that asks no model, `None` if its class names none.

    It is built when it is first needed: most runs never need one.
    """
    if agent.built_twin is None and agent.twin is not None:
        use = Use(use=agent.twin)
        agent.built_twin = agent.context.part(Agent[Any, Any, Any], use, role=agent.role)
    twin: Agent[Any, Any, Any] | None = agent.built_twin
    return twin


def note(role: str, instead: str, err: SparringError) -> None:
    """Record in the trace of the case that is being played that another agent answered."""
    keep = NOTE_FALLBACK.get()
    if keep is not None:
        keep(ModelFallback(role=role, instead=instead, reason=str(err)[:_LONGEST]))
