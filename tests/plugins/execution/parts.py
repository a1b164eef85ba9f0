"""Parts for suites of these tests; workers get this file with the suite."""

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import JsonValue

from sparring.errors import AppCrash
from sparring.interfaces.agent import PlayTask
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.chat import ChatMessage, ChatRequest
from sparring.model.space import Space
from sparring.model.talk import Artifact, Observation, Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.testing import FakePlayer


class AppConfig(PluginConfig):
    """`marks` is a folder in which each session leaves a file with its process."""

    delay_s: float = 0.0
    word: str = ""
    marks: str = ""
    crash: int = -1


class _Session(AppSession):
    def __init__(self, app: "App", case: Case) -> None:
        self._app, self._case = app, case

    async def send(self, act: object) -> Observation:
        config = self._app.config
        await asyncio.sleep(config.delay_s)
        number = self._case.params["n"]
        if number == config.crash:
            raise AppCrash("it fell over")
        return Observation(text=f"case {number}: {config.word}")


class App(AppConnector[AppConfig]):
    """Answers with the number of the case; case `crash` crashes."""

    Config = AppConfig
    offers = frozenset({Capability.TEXT})

    @asynccontextmanager
    async def open(self, case: Case) -> AsyncGenerator[AppSession]:
        if self.config.marks:
            name = f"{case.params['n']}-{os.getpid()}-{time.monotonic_ns()}"
            (Path(self.config.marks) / name).touch()
        yield _Session(self, case)


class Painter(FakePlayer):
    """Leaves a file in the run's folder, as browsers leave screenshots."""

    async def act(self, task: PlayTask) -> Trace:
        trace = await super().act(task)
        assert self.context.run_dir is not None
        path = self.context.run_dir / "artifacts" / f"{task.case.id}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"a picture of {task.case.params['n']}")
        artifact = Artifact(name="picture", path=f"artifacts/{task.case.id}.txt",
                            media_type="text/plain")  # fmt: skip
        return trace.model_copy(update={"artifacts": (artifact,)})


class Odd(Oracle[PluginConfig]):
    """Fails odd cases; over all conversations, fails if two say the same."""

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        odd = int(str(trace.case.params["n"])) % 2 == 1
        return [_verdict(Outcome.FAIL if odd else Outcome.PASS, "odd", (trace.case.id,))]

    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        texts = [turn.observation.text for trace in traces for turn in trace.turns[:1]
                 if turn.observation]  # fmt: skip
        same = len(texts) != len(set(texts))
        return [_verdict(Outcome.FAIL if same else Outcome.PASS, f"{len(texts)} texts", ())]


class Asking(Oracle[PluginConfig]):
    """Passes what the model calls fine."""

    def __init__(self, config: PluginConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.model = context.llm("judge")

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        assert self.model is not None
        message = ChatMessage(role="user", content=f"case {trace.case.params['n']}")
        reply = await self.model.complete(ChatRequest(messages=(message,)))
        fine = reply.text == "fine"
        return [_verdict(Outcome.PASS if fine else Outcome.FAIL, reply.text, (trace.case.id,))]


def _verdict(outcome: Outcome, reason: str, case_ids: tuple[str, ...]) -> Verdict:
    owner = Owner.APP if outcome is Outcome.FAIL else None
    return Verdict(oracle="odd", check="odd", outcome=outcome, reason=reason, owner=owner,
                   case_ids=case_ids)  # fmt: skip


class Climber(SearchStrategy[PluginConfig]):
    """Learns from each case: the next number depends on all that were told before."""

    learns = "per-case"

    def start(self, space: Space, seed: int) -> None:
        self._sum, self._asked, self._seed = 0, 0, seed

    def ask(self, n: int) -> Sequence[Case]:
        if self._asked >= 20:
            return []
        self._asked += 1
        number = self._sum * 100 + self._asked
        return [Case.of("talk", {"n": number}, run_seed=self._seed)]

    def tell(self, case: Case, verdicts: Sequence[Verdict]) -> None:
        self._sum = (self._sum * 31 + int(str(case.params["n"]))) % 9973

    @property
    def done(self) -> bool:
        return self._asked >= 20

    def state(self) -> JsonValue:
        return [self._sum, self._asked]

    def restore(self, state: JsonValue) -> None:
        assert isinstance(state, list)
        self._sum, self._asked = (int(str(value)) for value in state)
