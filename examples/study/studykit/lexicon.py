"""The words that an assistant knows, in a file beside the module that reads with them."""

from pathlib import Path
from typing import Any

import yaml


def lexicon_beside(module: str, name: str = "words.yaml") -> dict[str, Any]:
    """The words by their groups; `module` is the ``__file__`` of whoever knows them."""
    path = Path(module).with_name(name)
    found: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return found
