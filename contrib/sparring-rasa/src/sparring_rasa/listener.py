"""What this package answers when Sparring asks: profiles from a Rasa project."""

from collections.abc import Iterable
from pathlib import Path

from sparring import hookimpl
from sparring_plugins.users.drafts import Drafts, ProfileSource


@hookimpl
def sparring_profile_sources() -> Iterable[ProfileSource]:
    """Profiles from a Rasa project's domain, training data, stories and rules."""
    return [ProfileSource("rasa", "a Rasa project: domain, NLU examples, stories, rules", _read)]


def _read(folder: Path) -> Drafts:
    from sparring_rasa.drafting import drafts_of
    from sparring_rasa.project import read_project

    return drafts_of(read_project(folder))
