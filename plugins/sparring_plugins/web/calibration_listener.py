"""What the agents of Algorithm 1 said in test cases with labels, for ``sparring calibrate``."""

from collections.abc import Iterable, Iterator

from sparring.discovery.hookspecs import hookimpl
from sparring.model.calibration import LabelledAnswer
from sparring.model.talk import Trace

_META = "gui"


@hookimpl
def sparring_labelled_answers(trace: Trace) -> Iterable[LabelledAnswer] | None:
    """The answers of readiness, navigator and assertion, by the ``expected`` of each step."""
    if _META not in trace.meta:
        return None
    from sparring_plugins.web.oracles.assertions import record_of
    from sparring_plugins.web.oracles.labelled_answers import labelled_answers

    record = record_of(trace)
    return _all(labelled_answers(record)) if record is not None else None


def _all(found: Iterator[LabelledAnswer]) -> list[LabelledAnswer]:
    return list(found)
