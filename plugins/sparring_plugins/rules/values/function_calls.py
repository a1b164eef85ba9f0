"""Calls of library functions: their annotations, their questions to a model, their evidence.

A function that breaks is the tool's fault, not the app's, and not the rule's; one that is called
with values of a wrong type is the rule's. The annotations show which it is.
"""

import types
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

from sparring.errors import BudgetSpent, ModelError
from sparring.format_error import describe_error
from sparring.interfaces.plugin import LLMBackend
from sparring.interfaces.rule_function import Explained, RuleFunction
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.talk import Listen, Trace, Turn, act_text
from sparring.model.verdict import TurnRef
from sparring_plugins.rules.functions.plain_values import ExplainedByTexts
from sparring_plugins.rules.values.record import Record
from sparring_plugins.rules.values.work import BrokenFunction, NeedsAnswer, NeedsModel, TooMuchWork

if TYPE_CHECKING:
    from sparring_plugins.prompting.prompts import Prompts


_OF_ARGUMENTS = (TypeError, ValueError, AttributeError)
"""What functions raise for arguments that they cannot take."""


class Contract:
    """The annotations of one function; whatever it does not annotate may be anything."""

    def __init__(self, name: str, function: RuleFunction) -> None:
        self._name = name
        self._call = function.call

    @cached_property
    def _hints(self) -> dict[str, Any]:
        try:
            return get_type_hints(self._call)
        except Exception:  # noqa: BLE001 - annotations that name what is not there promise nothing
            return {}

    def broke(self, err: Exception, args: Sequence[Any], named: Mapping[str, Any]) -> bool:
        """Whether an exception is the function's own fault.

        It is unless it is of a kind that complains of arguments. A TypeError or AttributeError
        for arguments of the annotated types is the function's fault, too; a ValueError may say that
        a number is too large.
        """
        if not isinstance(err, _OF_ARGUMENTS):
            return True
        return not isinstance(err, ValueError) and self._accepts(args, named)

    def error(self, err: BaseException) -> BrokenFunction:
        """The error that names the function and what it raised."""
        return BrokenFunction(f"the function {self._name}() broke: {describe_error(err)}")

    def require(self, result: Any) -> None:
        """Raise BrokenFunction if a value is not of the annotated type."""
        hint = self._hints.get("return", Any)
        if isinstance(hint, type) and issubclass(hint, Explained):
            is_kept = isinstance(result, Explained)
        else:
            is_kept = fits(result.value if isinstance(result, Explained) else result, hint)
        if not is_kept:
            kind = "None" if result is None else f"a value of type {type(result).__name__}"
            raise BrokenFunction(f"the function {self._name}() returned {kind}")

    def _accepts(self, args: Sequence[Any], named: Mapping[str, Any]) -> bool:
        """Whether arguments are of annotated types; unknown, and so no, without annotations."""
        try:
            arguments = signature(self._call).bind(*args, **named).arguments
        except (TypeError, ValueError):  # too many, too few, or a function without a signature
            return False
        return all(
            name in self._hints and fits(value, self._hints[name])
            for name, value in arguments.items()
        )


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is of an annotated type, as far as that can be said cheaply.

    The items of a list or map are not looked at; an int is a float, and a truth value no number.
    """
    if hint is None or hint is type(None):
        return value is None
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, option) for option in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    kind = origin or hint
    if not isinstance(kind, type) or kind is object:
        return True
    if kind in (int, float) and isinstance(value, bool):
        return False
    try:
        return isinstance(value, (int, float) if kind is float else kind)
    except TypeError:  # a protocol that cannot be looked for at run time
        return True


# Questions that functions put to a language model while an expression is evaluated.
#
# Evaluation is plain and synchronous. If a function asks what is not known yet, evaluation is
# suspended, the model is asked, and the expression is evaluated again with the answer at hand.

# A rule over many conversations calls with equal arguments again and again; the oldest answers go.
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
        """The known answer; suspends the evaluation if there is none.

        Raises ModelError if there is no answer, or none that satisfies the
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


# What functions said about their values, for the verdicts that rest on them.

_LONGEST = 300
_MOST_QUOTED = 3
_MOST_TURNS = 20


@dataclass(frozen=True, slots=True)
class Evidence:
    """The reason that a function gave for its value, and the turns that show it.

    `texts` are still to be looked for in the conversations that the expression was about.
    """

    function: str
    reason: str
    case_id: str = ""
    turns: tuple[TurnRef, ...] = ()
    texts: tuple[str, ...] = ()

    @classmethod
    def of(cls, function: str, explained: Explained, trace: Trace | None) -> "Evidence":
        """What a function said; it may be a stranger's, and may quote the app."""
        texts = explained.texts if isinstance(explained, ExplainedByTexts) else ()
        reason = _clean_reason(explained.reason)
        if trace is None:
            return cls(function, reason, texts=texts)
        numbers = cast("Iterable[Any]", explained.turns)
        distinct = dict.fromkeys(n for n in numbers if type(n) is int and 0 <= n < len(trace.turns))
        case_id = trace.case.id
        turns = tuple(TurnRef(case_id=case_id, turn=n) for n in distinct)
        return cls(function, reason, case_id, turns, texts)

    def about(self, record: Record) -> "Evidence":
        """The same, once it is known which conversation it is about."""
        case_id = self.case_id or record.trace.case.id
        return replace(self, case_id=case_id, turns=self.all_turns([record]), texts=())

    def all_turns(self, records: Sequence[Record]) -> tuple[TurnRef, ...]:
        """The turns that show it, with those in which its texts were said."""
        texts = set(self.texts)
        refs = (
            TurnRef(case_id=record.trace.case.id, turn=number)
            for record in (records if texts else ())
            for number, turn in enumerate(record.trace.turns)
            if texts & _texts_of_turn(turn)
        )
        return tuple(dict.fromkeys((*self.turns, *refs)))


def quote_evidence(evidence: Sequence[Evidence], *, several: bool = False) -> str:
    """Quote the functions' reasons; of many the last, on which the value depended.

    Double quotes hold nothing but what was said, so that reports can tell it from the rest.
    With `several`, each reason names its conversation.
    """
    reasons = (
        f'{item.function}() says "{item.reason}"'
        + (f" of {item.case_id}" if several and item.case_id else "")
        for item in evidence
        if item.reason
    )
    return "; ".join(list(dict.fromkeys(reasons))[-_MOST_QUOTED:])


def turns_of_evidence(
    evidence: Sequence[Evidence], records: Sequence[Record] = ()
) -> tuple[TurnRef, ...]:
    """The turns that show what was said; as in `quoted`, of much the last."""
    refs = (turn for item in evidence[-_MOST_QUOTED:] for turn in item.all_turns(records))
    return first_turns(refs)


def first_turns(turns: Iterable[TurnRef]) -> tuple[TurnRef, ...]:
    """Each turn once, and no more of them than a person looks at."""
    return tuple(dict.fromkeys(turns))[:_MOST_TURNS]


def _texts_of_turn(turn: Turn) -> set[str]:
    texts = set[str]() if isinstance(turn.act, Listen) else {act_text(turn.act)}
    return texts | ({turn.observation.text} if turn.observation is not None else set())


def _clean_reason(reason: object) -> str:
    """A reason on one line, clipped, without double quotes and what cannot be seen."""
    line = " ".join(str(reason)[: _LONGEST * 20].split()).replace('"', "'")
    line = line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
    return "".join(character if character.isprintable() else "\ufffd" for character in line)
