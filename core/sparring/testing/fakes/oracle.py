"""An oracle that says what it is told to say."""

from collections.abc import Callable, Iterable, Sequence
from typing import ClassVar

from pydantic.json_schema import SkipJsonSchema

from sparring.interfaces.oracle import Oracle
from sparring.interfaces.plugin import BuildContext, PluginConfig
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict

_PASSING = (Outcome.PASS, Outcome.SKIPPED)


class FakeOracleConfig(PluginConfig):
    """What the oracle says.

    `judges` is an outcome for every trace, or a callable from a trace to an outcome or to the
    verdicts themselves. `concludes` is a callable from all traces to verdicts; left out, there
    is nothing to conclude and the traces are not read.
    """

    judges: Outcome | SkipJsonSchema[Callable[[Trace], Outcome | Sequence[Verdict]]] = Outcome.PASS
    concludes: SkipJsonSchema[Callable[[Iterable[Trace]], Sequence[Verdict]] | None] = None
    check: str = "told"
    gating: bool = True


class FakeOracle(Oracle[FakeOracleConfig]):
    """Judges by an outcome or a callable; `judged` are the traces, in the order judged."""

    Config: ClassVar[type[PluginConfig]] = FakeOracleConfig

    def __init__(self, config: FakeOracleConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        self.judged: list[Trace] = []

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        """What `judges` says of the trace."""
        self.judged.append(trace)
        judges = self.config.judges
        said = judges if isinstance(judges, Outcome) else judges(trace)
        if not isinstance(said, Outcome):
            return said
        return [
            Verdict(
                oracle="fake",
                check=self.config.check,
                outcome=said,
                case_ids=(trace.case.id,),
                owner=None if said in _PASSING else Owner.APP,
                reason="" if said in _PASSING else "the fake oracle was told to say so",
                gating=self.config.gating,
            )
        ]

    def conditions(self) -> frozenset[str] | None:
        """None if it concludes: only the callable knows."""
        return None if self.config.concludes else frozenset()

    async def conclude(self, traces: Iterable[Trace]) -> Sequence[Verdict]:
        """What `concludes` says of all traces."""
        return self.config.concludes(traces) if self.config.concludes else ()
