"""Parts for the benchmarks: as many cases as wanted, none of them kept."""

import resource
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, cast

from pydantic import JsonValue

from sparring.interfaces.agent import Player, PlayTask
from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.search_strategy import SearchStrategy
from sparring.model.case import Case
from sparring.model.space import Scenario, Space
from sparring.model.talk import Ended, Say, Trace, act_text
from sparring.model.verdict import Outcome, Owner, Verdict


class ManyConfig(PluginConfig):
    cases: int


class Many(SearchStrategy[ManyConfig]):
    """Proposes `cases` cases of the first scenario."""

    Config: ClassVar[type[PluginConfig]] = ManyConfig

    def start(self, space: Space, seed: int) -> None:
        self._scenario, self._seed, self._next = space.scenarios[0].name, seed, 0

    def ask(self, n: int) -> Sequence[Case]:
        first, self._next = self._next, min(self._next + n, self.config.cases)
        return [
            Case.of(self._scenario, {"n": number}, run_seed=self._seed)
            for number in range(first, self._next)
        ]

    @property
    def done(self) -> bool:
        return self._next >= self.config.cases

    def state(self) -> JsonValue:
        return self._next

    def restore(self, state: JsonValue) -> None:
        self._next = cast("int", state)

    def expected(self) -> int | None:
        return self.config.cases


class SampledConfig(ManyConfig):
    samples: str
    every: int


class Sampled(Many):
    """Proposes the same; notes this process's memory and open files as the run goes on."""

    Config: ClassVar[type[PluginConfig]] = SampledConfig
    config: SampledConfig

    def ask(self, n: int) -> Sequence[Case]:
        before = self._next // self.config.every
        cases = super().ask(n)
        if self._next // self.config.every > before:
            pages = int(Path("/proc/self/statm").read_text().split()[1])
            memory_mib = pages * resource.getpagesize() / 2**20
            files = len(list(Path("/proc/self/fd").iterdir()))
            with Path(self.config.samples).open("a", encoding="utf-8") as file:
                file.write(f"{self._next} {memory_mib:.1f} {files}\n")
        return cases


class Talker(Player[PluginConfig]):
    """Says three things; keeps nothing (the public fakes keep what they were given)."""

    def space(self) -> Space:
        return Space(scenarios=(Scenario(name="talk"),))

    async def act(self, task: PlayTask) -> Trace:
        for line in ("hello", "how are you", "bye"):
            await task.session.send(Say(text=line))
        return task.trace(Ended.SCRIPT_DONE)


class Content(Oracle[PluginConfig]):
    """Passes everything."""

    async def judge(self, trace: Trace) -> list[Verdict]:
        return [
            Verdict(oracle="content", check="all", outcome=Outcome.PASS, case_ids=(trace.case.id,))
        ]


class Misheard(Oracle[PluginConfig]):
    """Fails about a quarter of what drivers say, in several ways, so that searches learn."""

    PAIRS: ClassVar[tuple[tuple[str, str], ...]] = (
        ("um", "please"), ("parking", "cheap"), ("italian", "near"), ("uh", "star"),
        ("free", "bar"), ("like", "cash"), ("hey", "museum"), ("could", "rated"),
    )  # fmt: skip

    async def judge(self, trace: Trace) -> list[Verdict]:
        said = " ".join(act_text(turn.act) for turn in trace.turns).lower()
        kinds: list[JsonValue] = [
            f"{one} {other}" for one, other in self.PAIRS if one in said and other in said
        ]
        return [
            Verdict(
                oracle="misheard",
                check="all",
                outcome=Outcome.FAIL if kinds else Outcome.PASS,
                owner=Owner.APP if kinds else None,
                score=1 - min(1, len(kinds) / 2),
                details={"kind": kinds} if kinds else {},
                case_ids=(trace.case.id,),
            )
        ]
