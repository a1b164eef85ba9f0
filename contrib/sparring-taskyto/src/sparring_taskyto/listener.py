"""What this package answers when Sparring asks: profiles from a Taskyto chatbot's modules."""

from collections.abc import Iterable
from pathlib import Path

from sparring import hookimpl
from sparring_plugins.users.drafts import Drafts, ProfileSource


@hookimpl
def sparring_profile_sources() -> Iterable[ProfileSource]:
    """Profiles from the modules of a Taskyto chatbot."""
    return [ProfileSource("taskyto", "a Taskyto chatbot: a folder of modules in YAML", _read)]


def _read(folder: Path) -> Drafts:
    from sparring_taskyto.drafting import drafts_of
    from sparring_taskyto.modules import read_chatbot

    return drafts_of(read_chatbot(folder))
