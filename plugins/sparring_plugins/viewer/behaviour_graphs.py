"""The behaviour models of a run as nodes and edges, which the page lays out and draws."""

from pathlib import Path
from typing import Any

from sparring.errors import ConfigurationError
from sparring_plugins.language.text import one_line
from sparring_plugins.voice.behaviour_exports import edges, label
from sparring_plugins.voice.behaviour_model import FOLDER, BehaviourModel

# A portfolio may have a model a skill; the list is for choosing one.
MOST_MODELS = 100
MOST_STATES = 300
"""States that are laid out: the most visited ones of more."""

# A model of a hundred states has less than 1 MB; a browser cannot lay out what is larger than this.
_LARGEST = 20_000_000


def model_files(folder: Path) -> list[Path]:
    """The files of the behaviour models in a run's folder."""
    files = sorted((folder / FOLDER).glob("*.model.json"))
    return [path for path in files if not path.is_symlink()][:MOST_MODELS]


def behaviour_graph(path: Path) -> dict[str, Any] | None:
    """Return a model as a graph; None if it cannot be read."""
    try:
        if path.stat().st_size > _LARGEST:
            return None
        model = BehaviourModel.from_json(path.read_text(encoding="utf-8"), str(path))
    except (OSError, ValueError, ConfigurationError):
        return None
    states = sorted(model.states.values(), key=lambda s: (s.id != "start", -s.visits))[:MOST_STATES]
    ids = {state.id for state in states}
    return {
        "file": path.name,
        "app": one_line(model.app, 120),
        "states": len(model.states),
        "inputs": len(model.alphabet()),
        "turns": model.turns,
        "sessions": model.sessions,
        "nodes": [
            {
                "id": state.id,
                "label": one_line(label(state), 60),
                "outputs": [one_line(text, 400) for text in state.outputs],
                "visits": state.visits,
                "final": state.final,
                "confused": state.confused,
            }
            for state in states
        ],
        "edges": [
            {"from": source, "to": target, "label": one_line(text, 60), "count": count}
            for source, target, text, count in edges(model)
            if source in ids and target in ids
        ],
    }
