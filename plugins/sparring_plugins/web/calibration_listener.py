"""The answers of the agents of Algorithm 1 in labelled test cases, for ``sparring calibrate``."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sparring.discovery.hookspecs import hookimpl
from sparring.model.talk import Trace

if TYPE_CHECKING:  # the hook is loaded for each run, and its models are built only for some
    from sparring_plugins.judging.calibration.results import LabelledAnswer

_META = "gui"


@hookimpl
def sparring_labelled_answers(trace: Trace) -> "Iterable[LabelledAnswer] | None":
    """Return the answers of readiness, navigator and assertion, with the expected ones."""
    if _META not in trace.meta:
        return None
    from sparring_plugins.web.assertion_oracle import labelled_answers, record_of

    record = record_of(trace)
    return list(labelled_answers(record)) if record is not None else None
