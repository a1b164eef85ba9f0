"""The personas that come with Sparring, by name."""

from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path

_LIBRARY = files("sparring_plugins.users.personas").joinpath("library")


@lru_cache(maxsize=1)
def persona_names() -> tuple[str, ...]:
    """The names of all bundled personas, in order."""
    names = (Path(one.name) for one in _LIBRARY.iterdir())
    return tuple(sorted(name.stem for name in names if name.suffix == ".yml"))


def persona_file(name: str) -> Path | None:
    """The file of a bundled persona; None where there is none of the name.

    Case does not count, and a blank or an underscore is as good as a hyphen.
    """
    wanted = "-".join(name.strip().lower().replace("_", " ").split())
    if wanted not in persona_names():
        return None
    with as_file(_LIBRARY.joinpath(f"{wanted}.yml")) as path:
        return path
