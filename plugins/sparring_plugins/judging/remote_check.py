"""Judge stored conversations again on workers."""

from collections.abc import Sequence

from pydantic import TypeAdapter

from sparring.engine.judge import judge_trace
from sparring.errors import PartError
from sparring.model.talk import Trace
from sparring.model.verdict import Outcome, Owner, Verdict
from sparring.suite.building import Judge, SuiteContext, build_judges
from sparring.suite.containment import part_limits
from sparring_plugins.execution.bundle import bundle_of
from sparring_plugins.execution.cluster_executor import SessionPlan
from sparring_plugins.execution.worker_session import WorkerContext, WorkerSession
from sparring_plugins.execution.workers import Workers, WorkersDied
from sparring_plugins.judging.check_options import CheckOptions

_VERDICTS: TypeAdapter[list[Verdict]] = TypeAdapter(list[Verdict])


class CheckSession(WorkerSession):
    """Has the oracles of a check; the setup's `settings` hold its `options`."""

    def build(self) -> None:
        """See `WorkerSession.build`."""
        options: CheckOptions = self.setup.settings["options"]
        self.timeout_s = options.judge_timeout_s
        self.context = context = WorkerContext(
            self.folder,
            seed=options.seed,
            run_dir=self.run_dir,
            llm=options.llm,
            limits=part_limits(options.part_timeout_s),
        )
        context.topic = self.topic
        context.names = frozenset(options.names)
        self.judges = build_judges(options.oracles, context)

    async def close(self) -> None:
        """Close all parts."""
        await self.context.close()
        await super().close()


def plan_check(options: CheckOptions, context: SuiteContext) -> SessionPlan:
    """Return what workers need to judge as `options` say; raises ConfigurationError."""
    return SessionPlan(
        bundle=bundle_of(options.base_dir, options.suite_path, context.inputs),
        session_class=CheckSession,
        settings={"options": options.for_workers()},
    )


async def judge_on(
    workers: Workers, judges: Sequence[Judge], trace: Trace
) -> tuple[Trace, list[Verdict]]:
    """Have a worker judge a conversation; if it cannot, each oracle gets an error.

    Raises ExecutorLost if no worker is left.
    """
    try:
        delivered = await workers.call(judge_conversation, trace.model_dump_json().encode())
    except WorkersDied as err:
        return trace, [_not_judged(judge, trace, Owner.ENVIRONMENT, str(err)) for judge in judges]
    except PartError as err:
        return trace, [_not_judged(judge, trace, Owner.TOOL, str(err)) for judge in judges]
    return trace, _VERDICTS.validate_json(delivered.answer)


def _not_judged(judge: Judge, trace: Trace, owner: Owner, why: str) -> Verdict:
    return Verdict(
        oracle=judge.label,
        check=judge.label,
        outcome=Outcome.ERROR,
        reason=why,
        owner=owner,
        case_ids=(trace.case.id,),
    )


async def judge_conversation(
    session: CheckSession, payload: bytes
) -> tuple[bytes, dict[str, bytes]]:
    """Judge a conversation in a worker; see `worker.Work`."""
    trace = Trace.model_validate_json(payload)
    session.begin_case(trace.case.id)
    verdicts = await judge_trace(session.judges, trace, session.timeout_s)
    cleaned = [session.redactor.cleaned(verdict) for verdict in verdicts]
    return _VERDICTS.dump_json(cleaned), {}
