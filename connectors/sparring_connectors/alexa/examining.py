"""What this machine has to isolate skills with, for ``sparring doctor``."""

from collections.abc import Iterable

from sparring.discovery.hookspecs import hookimpl


@hookimpl
def sparring_examine() -> Iterable[tuple[str, str, str]]:
    """Whether handlers of skills can be isolated here; suites without skills do not need it."""
    from sparring_connectors.alexa.hosting.isolation import find_isolation

    isolation = find_isolation("auto")
    yield "ok" if isolation.mode != "none" else "note", "skills", isolation.describe()
