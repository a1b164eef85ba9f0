"""Questions that functions put to a language model while an expression is evaluated.

Evaluation is plain and synchronous. Where a function asks what is not known yet, evaluation is
suspended, the model is asked, and the expression is evaluated again with the answer at hand.
"""

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from sparring.errors import BudgetSpent, ModelError
from sparring.interfaces.llm_backend import LLMBackend
from sparring.model.chat import ChatReply, ChatRequest
from sparring_plugins.rules.values.errors import NeedsAnswer, NeedsModel, TooMuchWork

if TYPE_CHECKING:
    from sparring_plugins.prompting.prompts import Prompts

_KEPT = 4096

Answer = ChatReply | ModelError


class Questions:
    """Asks the judge's model; equal questions are asked once as long as they are remembered.

    Functions get it as their ``ask``; ours find the suite's `prompts` on it, too.
    """

    def __init__(
        self, backend: LLMBackend[Any] | None, most: int, prompts: "Prompts | None" = None
    ) -> None:
        self.backend = backend
        self.most = most
        self.prompts = prompts
        self._answers: OrderedDict[str, Answer] = OrderedDict()
        self._current: dict[str, Answer] = {}

    def begin(self, answers: dict[str, Answer]) -> None:
        """Take the answers that the evaluation about to run was given so far."""
        self._current = answers

    def __call__(self, request: ChatRequest) -> ChatReply:
        """The known answer; suspends the evaluation where there is none.

        Raises ModelError for an answer that could not be had, or that does not satisfy the
        request's `answer_schema` even after it was sent back.
        """
        if self.backend is None:
            raise NeedsModel("needs a model: the suite names no `llm`")
        key = request.model_dump_json(exclude={"case_id"})
        answer = self._current.get(key) or self._answers.get(key)
        if answer is None:
            if len(self._current) >= self.most:
                raise TooMuchWork(f"the expression asks a model more than {self.most} questions")
            raise NeedsAnswer(request)
        self._current[key] = answer
        if isinstance(answer, ModelError):
            raise answer
        return answer

    async def answer(
        self, need: NeedsAnswer, answers: dict[str, Answer], case_id: str | None
    ) -> None:
        """Ask the model what an evaluation waits for, and note the answer.

        Raises BudgetSpent: that nothing may be spent any more says nothing about the app.
        """
        if self.backend is None:
            raise NeedsModel("needs a model: the suite names no `llm`")
        key = need.request.model_dump_json(exclude={"case_id"})
        request = need.request.model_copy(update={"case_id": case_id})
        try:
            answers[key] = await self._reply(self.backend, request)
        except BudgetSpent:
            raise
        except ModelError as err:
            answers[key] = err
            return
        self._answers[key] = answers[key]
        while len(self._answers) > _KEPT:
            self._answers.popitem(last=False)

    async def _reply(self, backend: LLMBackend[Any], request: ChatRequest) -> ChatReply:
        if request.answer_schema is None:
            return await backend.complete(request)
        from sparring_plugins.prompting.exchange import (
            settled,  # with templates: not for every rule
        )

        return await settled(backend, request)
