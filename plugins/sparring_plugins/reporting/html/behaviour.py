"""The behaviour models that explorers left in the run's folder, as pictures for the page."""

from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from sparring.errors import ConfigurationError
from sparring_plugins.voice.behaviour.model import BehaviourModel
from sparring_plugins.voice.behaviour.svg import MOST_STATES, as_svg

MOST = 12
"""Models that are drawn in one page."""

_LARGEST = 20_000_000


@dataclass(frozen=True, slots=True)
class Picture:
    """A model: the app's name, its numbers, and the drawing; `cut` where states are left out."""

    app: str
    states: int
    inputs: int
    turns: int
    sessions: int
    cut: bool
    svg: Markup


def pictures(folder: Path | None) -> list[Picture]:
    """The models of a run that can be read, in the order of their names."""
    found: list[Picture] = []
    for path in sorted((folder / "models").glob("*.model.json"))[:MOST] if folder else ():
        try:
            if path.stat().st_size <= _LARGEST:
                model = BehaviourModel.loaded(path.read_text(encoding="utf-8"), str(path))
                found.append(_picture(model))
        except (OSError, ValueError, ConfigurationError):
            continue  # the report shows what there is
    return found


def _picture(model: BehaviourModel) -> Picture:
    return Picture(
        app=model.app,
        states=len(model.states),
        inputs=len(model.alphabet()),
        turns=model.turns,
        sessions=model.sessions,
        cut=len(model.states) > MOST_STATES,
        svg=Markup(as_svg(model)),  # escaped where it is drawn
    )
