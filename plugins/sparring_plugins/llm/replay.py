"""Answers from a run that was recorded: no service is asked."""

import re
from collections import Counter, defaultdict
from pathlib import Path
from typing import ClassVar

from pydantic import Field, field_validator

from sparring.errors import ConfigurationError, ModelError, StoredRunError
from sparring.interfaces.plugin import BuildContext, LLMBackend, PluginConfig
from sparring.llm.ledger import key_of, portable_seed
from sparring.model.chat import ChatReply, ChatRequest
from sparring.model.events import ModelCalled
from sparring.store import StoredRun, find_run

# Answers of models that an earlier run recorded: record once, ask again for nothing.

# A message that shows the nearest question is not worth a comparison with each of a million.
_MOST_COMPARED = 2_000
# Characters before and after the first difference of two prompts: enough to see the word in its
# place.
_AROUND = 60
# A secret in a prompt became "[NAME]"; data blocks escape its bracket when that is asked again.
_ESCAPED = re.compile(r"\\u005b", re.IGNORECASE)


class Recording:
    """The answers in one stored run, found by question.

    Equal questions of one case are answered in the order in which they were recorded; a case that
    was played again after a kill counts as it was played last. Questions are kept as digests and
    answers stay in the log, so that a long recording needs little memory.
    """

    def __init__(self, stored: StoredRun) -> None:
        self.stored = stored
        self._by_case: dict[str | None, dict[str, list[int]]] = defaultdict(dict)
        self._anywhere: dict[str, list[int]] = defaultdict(list)
        self._services: dict[int, str] = {}
        self._given: Counter[tuple[str | None, str, str | None]] = Counter()
        self._index()

    @classmethod
    def of(cls, stored: StoredRun) -> "Recording":
        """The recording in a stored run; raises StoredRunError if the log is damaged."""
        return cls(stored)

    def _index(self) -> None:
        for at, event in self.stored.model_calls():
            if not isinstance(event, ModelCalled):
                self._by_case.pop(event.case.id, None)  # it is played again
                continue
            key = _key(event.request)
            self._by_case[event.request.case_id].setdefault(key, []).append(at)
            self._anywhere[key].append(at)
            self._services[at] = event.service

    def __len__(self) -> int:
        return len(self._services)

    def find(
        self, request: ChatRequest, service: str | None = None
    ) -> ChatReply | ModelError | None:
        """The recorded answer to a question, or the error it ended in; `None` if there is none.

        With `service`, only what that service answered (see `LLMBackend.identity`).
        """
        key = _key(request)
        own = self._by_case.get(request.case_id, {}).get(key, [])
        recorded = self._of(own, service)
        if not recorded:
            recorded = self._of(self._anywhere.get(key, []), service)[:1]
        if not recorded:
            return None
        place = (request.case_id, key, service)
        # Asked more often than it was recorded, such as by a rule that is new: the last answer
        # again.
        number = min(self._given[place], len(recorded) - 1)
        self._given[place] += 1
        event = self.stored.model_call(recorded[number])
        return event.reply if event.reply is not None else ModelError(event.error or "")

    def _of(self, places: list[int], service: str | None) -> list[int]:
        return [at for at in places if service is None or self._services[at] == service]

    def answer(self, request: ChatRequest) -> ChatReply:
        """The recorded answer; raises ModelError, for a miss with the nearest recorded question."""
        recorded = self.find(request)
        if isinstance(recorded, ModelError):
            raise recorded
        if recorded is not None:
            return recorded
        raise ModelError(self._miss(request))

    def _miss(self, request: ChatRequest) -> str:
        about = f"nothing is recorded in {self.stored.folder} for this question"
        if request.asker:
            about += f" of the {request.asker}"
        near = self.nearest(request)
        if near is None:
            return f"{about}: the run asked no model"
        recorded, difference = near
        where = f" (case {recorded.case_id})" if recorded.case_id else ""
        return f"{about}; the nearest recorded one{where} differs: {difference}"

    def nearest(self, request: ChatRequest) -> tuple[ChatRequest, str] | None:
        """The recorded question most like this one, and in words where they differ."""
        from rapidfuzz import fuzz

        question = _text(request)
        best: tuple[float, ChatRequest] | None = None
        for at in list(self._services)[:_MOST_COMPARED]:
            recorded = self.stored.model_call(at).request
            similarity = fuzz.ratio(question, _text(recorded), score_cutoff=best[0] if best else 0)
            # Of questions that are alike, that of the same case is the one that was changed.
            similarity += 10 * (recorded.case_id == request.case_id)
            if best is None or similarity > best[0]:
                best = (similarity, recorded)
        return (best[1], _difference(request, best[1])) if best else None


class UnfinishedCases(Recording):
    """The answers that a run paid for in cases that were not judged, for when it is resumed.

    Each is given once, and only to the case that asked for it: others want an answer of their own,
    and a case that was judged and is played again a new one.
    """

    def __init__(self, stored: StoredRun) -> None:
        self._judged = frozenset(stored.cases)
        super().__init__(stored)

    def find(
        self, request: ChatRequest, service: str | None = None
    ) -> ChatReply | ModelError | None:
        """The answer that the case was given before, `None` if it was given none, or an error."""
        if request.case_id in self._judged:
            return None
        key = _key(request)
        recorded = self._of(self._by_case.get(request.case_id, {}).get(key, []), service)
        place = (request.case_id, key, service)
        number = self._given[place]
        if number >= len(recorded):
            return None
        self._given[place] += 1
        return self.stored.model_call(recorded[number]).reply


class RecordedModelConfig(PluginConfig):
    """Where the answers are."""

    run: str = Field(description="the folder of a stored run")


class RecordedModel(LLMBackend[RecordedModelConfig]):
    """Answers from a stored run, for ``sparring replay``; a miss is a ModelError."""

    Config: ClassVar[type[PluginConfig]] = RecordedModelConfig
    free = True
    source = "recording"

    def __init__(self, config: RecordedModelConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.recording = Recording.of(StoredRun(Path(config.run)))

    def identity(self) -> str:
        """The name that it has in stored runs."""
        return "sparring.llm.recordings.RecordedModel"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The recorded answer."""
        return self.recording.answer(request)


class RenderingModel(RecordedModel):
    """Goes through a stored run with changed prompts, for ``sparring prompts render``.

    A question that is not recorded is given what the same role was answered at the same place of
    the case, so that the conversation goes on as it did. A role that was asked nothing then gets an
    error: what it is asked now is what is looked for.
    """

    def __init__(self, config: RecordedModelConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self._answers: dict[tuple[str | None, str], list[ModelCalled]] = defaultdict(list)
        self._asked: Counter[tuple[str | None, str]] = Counter()
        for _, event in self.recording.stored.model_calls():
            if isinstance(event, ModelCalled):
                self._answers[event.request.case_id, event.request.asker].append(event)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The recorded answer to this question, or else to the one that was asked in its place."""
        role = request.case_id, request.asker
        number = self._asked[role]
        self._asked[role] += 1
        recorded = self.recording.find(request)
        if isinstance(recorded, ModelError):
            raise recorded
        if recorded is not None:
            return recorded
        answers = self._answers.get(role, [])
        if number >= len(answers):
            raise ModelError("the stored run has no answer for this role here")
        then = answers[number]
        if then.reply is None:
            raise ModelError(then.error or "")
        return then.reply


def _key(request: ChatRequest) -> str:
    """What a question is found by.

    If a secret was taken out, the log has ``[NAME]``; asked again with that text, a prompt may
    hold it escaped. Both are the same question.
    """
    plain = tuple(
        message.model_copy(update={"content": _ESCAPED.sub("[", message.content)})
        for message in request.messages
    )
    seed = None if request.seed is None else portable_seed(request.seed)  # runs before 0.3
    return key_of(request.model_copy(update={"messages": plain, "seed": seed}), "")


def _text(request: ChatRequest) -> str:
    return "\n".join(f"{message.role}: {message.content}" for message in request.messages)[-20_000:]


def _difference(wanted: ChatRequest, recorded: ChatRequest) -> str:
    """The first thing in which two questions differ."""
    for name in ("answer_schema", "temperature", "seed", "max_tokens", "sample"):
        now, then = getattr(wanted, name), getattr(recorded, name)
        if now != then:
            return f"{name} is {_short(now)}, recorded was {_short(then)}"
    if len(wanted.messages) != len(recorded.messages):
        return f"{len(wanted.messages)} messages, recorded were {len(recorded.messages)}"
    for number, (now, then) in enumerate(zip(wanted.messages, recorded.messages, strict=True), 1):
        if now != then:
            at = _first_difference(now.content, then.content)
            return (
                f"message {number} ({now.role}) reads {_around(now.content, at)}, "
                f"recorded was {_around(then.content, at)}"
            )
    return "it was already given as often as it was recorded"


def _first_difference(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _around(text: str, at: int) -> str:
    start = max(0, at - _AROUND // 2)
    return _short(re.sub(r"\s+", " ", text[start : start + _AROUND]))


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


class ReplayConfig(PluginConfig):
    """Settings of the backend `replay`."""

    run: str = Field(
        min_length=1,
        description="the folder of a stored run, its id among the suite's runs, or last: the "
        "newest of them that played cases",
    )

    @field_validator("run")
    @classmethod
    def _names_one(cls, value: str) -> str:
        if "\0" in value:
            raise ValueError("has a zero byte, which no path can have")
        return value


class ReplayBackend(LLMBackend[ReplayConfig]):
    """Answers as the models of a stored run did, whichever services they were; costs nothing.

    The k-th of equal questions in a case gets the k-th recorded answer. A question that was not
    recorded is a ModelError that shows the nearest one and where they differ.
    """

    Config: ClassVar[type[PluginConfig]] = ReplayConfig
    free = True
    source = "recording"

    def __init__(self, config: ReplayConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        try:
            stored = self._find_stored_run()
            self._run_id = stored.manifest.id
            self._recording = Recording.of(stored)
        except (StoredRunError, OSError) as err:
            raise ConfigurationError(str(err)) from err

    def _find_stored_run(self) -> StoredRun:
        """The run: beside the suite, as a path, or among the runs where this one is stored."""
        context, name = self.context, self.config.run
        beside = context.base_dir / Path(name).expanduser()
        runs = context.run_dir.parent if context.run_dir else context.base_dir / "runs"
        if name == "last":
            return self._newest(runs)
        return find_run(str(beside) if beside.is_dir() else name, runs)

    def _newest(self, runs: Path) -> StoredRun:
        """The newest run that played cases, but for the one that is being written."""
        own = self.context.run_dir
        stored = [path for path in runs.glob("*/run.json") if path.parent != own]
        stored.sort(key=lambda path: (path.stat().st_mtime_ns, path.parent.name))
        for path in reversed(stored):
            run = StoredRun(path.parent)
            if run.manifest.kind == "run":
                return run
        raise StoredRunError(f"no run that played cases is stored in {runs}")

    async def complete(self, request: ChatRequest) -> ChatReply:
        reply = self._recording.answer(request)
        return reply.model_copy(update={"cost_usd": 0.0})

    def identity(self) -> str:
        return f"replay {self._run_id}"
