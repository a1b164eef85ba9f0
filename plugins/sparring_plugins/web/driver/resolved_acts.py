"""Resolved acts on disk: what an instruction came to on a page, by fingerprint and not by XPath.

One small file for each instruction and page, in a folder of the script's. A file that cannot be
read is a miss that says so, and is written anew.
"""

import json
import os
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import ValidationError

from sparring.model.base import AppText, Value
from sparring_plugins.web.runner.frozen_steps import FrozenStep

_LARGEST = 1_000_000


class ResolvedAct(Value):
    """An instruction as it was carried out: the steps in it, by their numbers."""

    resolved: Literal[1] = 1
    instruction: str
    page: AppText
    steps: dict[int, FrozenStep]


@dataclass(frozen=True)
class Kept:
    """What a folder has of an instruction; `why` says why there is nothing."""

    steps: dict[int, FrozenStep]
    why: str = ""


@dataclass(frozen=True)
class ResolvedActs:
    """The resolved acts in a folder."""

    folder: Path

    def of(self, instruction: str, url: str) -> Kept:
        """What is kept of an instruction on a page."""
        path = self._path(instruction, url)
        try:
            if path.stat().st_size > _LARGEST:
                return Kept({}, f"{path.name} is too large to be a resolved act")
            found = ResolvedAct.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return Kept({})
        except (OSError, ValidationError) as err:
            return Kept({}, f"{path.name} cannot be read: {_first(err)}")
        if (found.instruction, found.page) != (instruction, page_of(url)):
            return Kept({}, f"{path.name} is about {found.instruction!r} on {found.page}")
        return Kept(found.steps)

    def keep(self, instruction: str, url: str, steps: dict[int, FrozenStep]) -> None:
        """Write an act down; a reader finds the old file or the new one, and no half."""
        path = self._path(instruction, url)
        made = ResolvedAct(instruction=instruction, page=page_of(url), steps=steps)
        data = json.loads(made.model_dump_json(exclude_defaults=True))
        text = json.dumps({"resolved": 1, **data}, indent=1, ensure_ascii=False) + "\n"
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_name(f".{path.name}.{os.getpid()}")
        new.write_text(text, encoding="utf-8")
        new.replace(path)

    def _path(self, instruction: str, url: str) -> Path:
        words = "-".join(re.findall(r"[a-z0-9]+", instruction.lower()))[:50]
        key = sha256(f"{page_of(url)}\n{instruction}".encode("utf-8", "replace")).hexdigest()
        return self.folder / f"{words or 'act'}-{key[:12]}.json"


def page_of(url: str) -> str:
    """The page of an address: without its query and fragment, with numbers in its path as ``#``.

    ``/orders/17?tab=2`` is the page ``/orders/#``, so that an act is found again on the next order.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url[:200]
    if parts.scheme not in ("http", "https"):
        return f"{parts.scheme}:{parts.path[:200]}"
    path = "/".join("#" if piece.isdecimal() else piece for piece in parts.path.split("/"))
    return f"{parts.scheme}://{parts.netloc}{path}"[:500]


def _first(err: Exception) -> str:
    return str(err).splitlines()[0][:200] if str(err) else type(err).__name__
