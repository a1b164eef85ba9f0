"""Labelled examples, checked against the judges that will be asked about them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sparring.discovery import hooks
from sparring.documents import reading
from sparring.documents.checking import checked, nearest, shown
from sparring.documents.reading import Document, Key
from sparring.errors import ConfigurationError, Problem, StoredRunError
from sparring.model.base import Value
from sparring.model.case import Case
from sparring.model.talk import Ended, Listen, Observation, Output, Say, Trace, Turn, act_text
from sparring.store import StoredRun
from sparring.suite.building import SuiteContext
from sparring_plugins.judging.calibration.file_loading import Written
from sparring_plugins.judging.calibration.functions import signature_error
from sparring_plugins.judging.calibration.judges import (
    AgentJudge,
    FunctionJudge,
    Item,
    Judge,
    OracleJudge,
)
from sparring_plugins.judging.calibration.measures import answer_label, label_of, majority, short
from sparring_plugins.judging.calibration.model import Example
from sparring_plugins.output.stored_runs import find_run

# The conversations of examples: written down beside them, in a file, or in a stored run.

_USER = frozenset({"user", "User"})
_APP = frozenset({"app", "assistant", "Assistant", "chatbot"})
_EPOCH = datetime.fromtimestamp(0, UTC)


class WrittenConversation(BaseModel):
    """A conversation written down: its turns, and what rules may want to know besides.

    A turn is a map of one key, ``user: TEXT`` or ``app: TEXT``, or a whole turn as the run log has
    it. `inputs` are the case's values, `outputs` what was learnt, both by name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    turns: list[dict[str, JsonValue]]
    inputs: dict[str, JsonValue] = {}
    outputs: dict[str, JsonValue] = {}
    meta: dict[str, JsonValue] = {}
    ended: Ended = Ended.SCRIPT_DONE
    seconds: float = Field(default=0.0, ge=0)


class StoredConversation(BaseModel):
    """A conversation of a stored run: the run's folder or id, and the case."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: str
    case: str


class Conversations:
    """Finds conversations; relative paths start from the calibration's folder."""

    def __init__(self, context: SuiteContext, runs: Path, listeners: hooks.Listeners) -> None:
        self._context = context
        self._runs = runs
        self._listeners = listeners
        self._stored: dict[str, StoredRun] = {}

    def find(self, value: Any, document: Document, at: tuple[Key, ...], name: str) -> Trace:
        """The conversation that `value`, at a place of a document, says.

        Raises ConfigurationError.
        """
        try:
            if isinstance(value, str):
                return self._in_file(value)
            if isinstance(value, list):
                return self._build_trace({"turns": value}, document, at, name)
            if isinstance(value, dict):
                data = cast("dict[str, Any]", value)
                if "run" in data:
                    return self._in_run(checked(StoredConversation, document, at, data=data))
                return self._build_trace(data, document, at, name)
        except ConfigurationError as err:
            placed = (p if p.file else document.problem(p.message, at) for p in err.problems)
            raise ConfigurationError(*placed) from err
        message = f"expected a file, a list of turns or a map, found {shown(value)}"
        raise ConfigurationError(document.problem(message, at))

    def _build_trace(
        self, data: Mapping[str, Any], document: Document, at: tuple[Key, ...], name: str
    ) -> Trace:
        conversation = checked(WrittenConversation, document, at, data=dict(data))
        case = Case.of(name, conversation.inputs, run_seed=0)
        inside = at if isinstance(_at(document, at), list) else (*at, "turns")
        return Trace(
            case=case.model_copy(update={"id": name}),
            turns=tuple(turns_of(conversation.turns, document, inside)),
            outputs=tuple(
                Output(name=key, value=item) for key, item in conversation.outputs.items()
            ),
            ended=conversation.ended,
            started=_EPOCH,
            duration_s=conversation.seconds,
            meta=conversation.meta,
        )

    def _in_file(self, text: str) -> Trace:
        (path, *more) = self._context.files(text)
        if more:
            raise ConfigurationError(f"{text!r} names {1 + len(more)} files; name one")
        listened: Iterable[Trace | Problem] | None = self._listeners.first(
            "sparring_read_traces", path=path
        )
        if listened is not None:
            return _only(list(listened), text)
        document = reading.read_document(path, shown=text)
        data: Any = document.data
        if isinstance(data, dict) and "case" in data:
            return checked(Trace, document)
        return self.find(data if data is not None else [], document, (), path.stem)

    def _in_run(self, place: StoredConversation) -> Trace:
        if place.run not in self._stored:
            near = self._context.base_dir / place.run
            try:
                self._stored[place.run] = find_run(
                    str(near) if near.is_dir() else place.run, self._runs
                )
            except (StoredRunError, OSError, ValueError) as err:
                raise ConfigurationError(str(err)) from err
        stored = self._stored[place.run]
        try:
            return stored.case(place.case).trace
        except KeyError:
            hint = nearest(place.case, stored.case_ids[:50])
            message = f"the run {place.run!r} has no case {place.case!r}.{hint}"
            raise ConfigurationError(message) from None
        except StoredRunError as err:
            raise ConfigurationError(str(err)) from err


def _at(document: Document, at: tuple[Key, ...]) -> Any:
    data: Any = document.data
    for key in at:
        data = data[key]
    return data


def _only(conversations: list[Trace | Problem], text: str) -> Trace:
    problems = [item for item in conversations if isinstance(item, Problem)]
    traces = [item for item in conversations if isinstance(item, Trace)]
    if problems:
        raise ConfigurationError(*problems)
    if len(traces) != 1:
        raise ConfigurationError(f"{text!r} holds {len(traces)} conversations; name one")
    return traces[0]


def turns_of(written: list[Any], document: Document, at: tuple[Key, ...]) -> Iterable[Turn]:
    """Turns as people write them; raises ConfigurationError."""
    waiting: str | None = None
    for index, item in enumerate(written):
        place = (*at, index)
        data = cast("dict[str, Any]", item) if isinstance(item, dict) else {}
        speakers = [key for key in data if key in _USER | _APP]
        if len(speakers) == 1 and len(data) == 1:
            text = data[speakers[0]]
            if not isinstance(text, str):
                message = f"expected a text, found {shown(text)}"
                raise ConfigurationError(document.problem(message, (*place, speakers[0])))
            if speakers[0] in _USER:
                if waiting is not None:
                    yield Turn(act=Say(text=waiting))
                waiting = text
                continue
            act = Listen() if waiting is None else Say(text=waiting)
            yield Turn(act=act, observation=Observation(text=text))
            waiting = None
            continue
        if waiting is not None:
            yield Turn(act=Say(text=waiting))
            waiting = None
        if "act" not in data:
            message = (
                f"expected `user: TEXT`, `app: TEXT` or a turn with `act`, found {shown(item)}"
            )
            raise ConfigurationError(document.problem(message, place))
        yield checked(Turn, document, place, data=data)
    if waiting is not None:
        yield Turn(act=Say(text=waiting))


# An example is shown as a reminder; its file and line are given for the rest.
_SHOWN = 300
# A renamed column makes one problem a line; fifty tell that.
_MOST_PROBLEMS = 50


class Examples:
    """Makes items of examples as written; `task` is what all tasks have in common."""

    def __init__(
        self, judges: Sequence[Judge], task: Mapping[str, JsonValue], conversations: Conversations
    ) -> None:
        self._judges = judges
        self._task = dict(task)
        self._conversations = conversations
        agents = [judge for judge in judges if isinstance(judge, AgentJudge)]
        self._roles = {judge.role_name: judge.role for judge in agents}

    def prepared(self, examples: Sequence[Written]) -> list[Item]:
        """The items; raises ConfigurationError with the problems of all examples."""
        problems: list[Problem] = []
        items: list[Item] = []
        first: dict[str, Written] = {}
        for number, written in enumerate(examples, 1):
            try:
                item = self._item(written, str(number))
                if item.id in first:
                    at = first[item.id].document.line(first[item.id].at)
                    message = f"the id {item.id!r} is there twice (first on line {at})"
                    problems.append(written.problem(message, "id"))
                first.setdefault(item.id, written)
                items.append(item)
            except ConfigurationError as err:
                problems += err.problems
            if len(problems) >= _MOST_PROBLEMS:
                break
        if problems:
            raise ConfigurationError(*problems[:_MOST_PROBLEMS])
        return items

    def _item(self, written: Written, number: str) -> Item:
        example = checked(Example, written.document, written.at, data=written.data)
        name = example.id or number
        trace: Trace | None = None
        if example.conversation is not None:
            at = (*written.at, "conversation")
            trace = self._conversations.find(example.conversation, written.document, at, name)
        tasks = {role: self._task_for(role, example, trace, written) for role in self._roles}
        expected, labelled = _right(example)
        item = Item(
            id=name,
            shown=_show_example(example, trace),
            expected=expected,
            labelled=labelled,
            trace=trace,
            tasks=tasks,
            args=tuple(example.args),
            kwargs=example.kwargs,
            people={who: answer_label(said) for who, said in example.people.items()},
        )
        problems = [
            problem
            for judge in self._judges
            for problem in _validation_errors(judge, item, written)
        ]
        if not labelled and not example.people:
            problems.append(
                written.problem("says neither what is `expected` nor what `people` say")
            )
        if problems:
            raise ConfigurationError(*dict.fromkeys(problems))
        return item

    def _task_for(
        self, role: str, example: Example, trace: Trace | None, written: Written
    ) -> Value:
        task = self._roles[role].task
        data: dict[str, Any] = {**self._task, **(example.task or {})}
        if trace is not None and "turns" in task.model_fields:
            data.setdefault("turns", trace.turns)
        inside = ("task",) if example.task is not None else ()
        return checked(task, written.document, (*written.at, *inside), data=data)


def unused_names(
    judges: Sequence[Judge], items: Sequence[Item], positive: str | None
) -> list[tuple[tuple[str | int, ...], str]]:
    """Labels that are spoken of and cannot occur: the place of each, and what is wrong with it."""
    unused: list[tuple[tuple[str | int, ...], str]] = []
    used_names: set[str] = set()
    for judge in judges:
        used_names |= judge.possible(items) | {judge.wanted(item) or "" for item in items}
        if isinstance(judge, AgentJudge) and judge.chooses:
            options = judge.options(items)
            unused += [
                (
                    ("labels", name),
                    f"{judge.label!r} never answers {name!r}.{nearest(name, options)}",
                )
                for name in judge.use.labels
                if name not in options
            ]
    if positive is not None and positive not in used_names:
        message = f"no example expects {positive!r}.{nearest(positive, sorted(used_names - {''}))}"
        unused.append((("positive",), message))
    return unused


def _right(example: Example) -> tuple[JsonValue, bool]:
    """What is right: what the example says, else what most people say."""
    if example.is_labelled:
        return example.expected, True
    values = {answer_label(said): said for said in example.people.values()}
    most = majority([answer_label(said) for said in example.people.values()])
    return (values[most], True) if most is not None else (None, False)


def _validation_errors(judge: Judge, item: Item, written: Written) -> list[Problem]:
    """Why a judge cannot be asked about an item, or measured on it."""
    match judge:
        case AgentJudge():
            return _agent_errors(judge, item, written)
        case FunctionJudge():
            return _function_errors(judge, item, written)
        case OracleJudge() if item.trace is None:
            message = f"has no `conversation`, which the oracle {judge.label!r} judges"
            return [written.problem(message)]
        case OracleJudge():
            return _unknown_labels(judge, ("pass", "fail"), item.expected, item, written)
        case _:
            return []


def _agent_errors(judge: AgentJudge, item: Item, written: Written) -> list[Problem]:
    role = judge.role
    if role.options is None:
        return _wrong_keys(judge, item, written) if item.labelled else []
    options: tuple[str, ...] = getattr(item.tasks[judge.role_name], role.options)
    if not item.labelled:
        return _unknown_labels(judge, options, None, item, written)
    wanted = role.wanted(item.expected)
    unknown = [key for key in wanted if key not in role.keys]
    if unknown or role.main not in wanted:
        hint = nearest(unknown[0], role.keys) if unknown else f" It needs {role.main!r}."
        return [written.problem(f"not what a {judge.role_name} answers.{hint}", "expected")]
    return _unknown_labels(judge, options, wanted[role.main or ""], item, written)


def _wrong_keys(judge: AgentJudge, item: Item, written: Written) -> list[Problem]:
    role = judge.role
    try:
        wanted = role.wanted(item.expected)
    except ValueError as err:
        return [written.problem(str(err), "expected")]
    outputs: Any = getattr(item.tasks[judge.role_name], "outputs", ())
    keys = role.keys or tuple(output.name for output in outputs)
    return [
        written.problem(f"unknown key.{nearest(key, keys)}", "expected", key)
        for key in wanted
        if key not in keys
    ]


def _function_errors(judge: FunctionJudge, item: Item, written: Written) -> list[Problem]:
    if judge.function.conversation and item.trace is None:
        message = f"has no `conversation`, which the function {judge.label!r} is about"
        return [written.problem(message)]
    why = signature_error(judge.function, item.args, dict(item.kwargs))
    return [written.problem(f"{judge.label}() cannot be called so: {why}", "args")] if why else []


def _unknown_labels(
    judge: Judge, answers: Sequence[str], expected: JsonValue, item: Item, written: Written
) -> list[Problem]:
    """Labels that a judge which gives these answers can never give."""
    labels = [judge.use.labels.get(answer, answer) for answer in answers]
    said: dict[tuple[str, ...], str] = {}
    if item.labelled:
        said["expected",] = label_of(expected)
    said |= {("people", who): label for who, label in item.people.items()}
    return [
        written.problem(f"{judge.label!r} never answers {label!r}.{nearest(label, labels)}", *key)
        for key, label in said.items()
        if label not in labels
    ]


def _show_example(example: Example, trace: Trace | None) -> str:
    """What a person reads to know which example it is."""
    task = example.task or {}
    if task.get("subject") is not None:
        return short(label_of(task["subject"]), _SHOWN)
    if trace is not None and trace.turns:
        last = trace.turns[-1]
        said = act_text(last.act)
        reply = "(no answer)" if last.observation is None else last.observation.text
        return short(f"user: {said} | app: {reply}" if said else f"app: {reply}", _SHOWN)
    if example.args:
        return short(" | ".join(label_of(arg) for arg in example.args), _SHOWN)
    return short(label_of(task.get("question", "")), _SHOWN)
