"""What is kept of each exploration from one session to the next: its behaviour model.

A session begins with the model as the session before left it, and leaves its own. Played again, it
begins with the same one: so a case plays the same whatever ran before it, and a killed run goes on
where its log ends.
"""

import asyncio
import os
import re
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from sparring.errors import ConfigurationError
from sparring.model.talk import Artifact
from sparring_plugins.voice.behaviour.model import BehaviourModel

FOLDER = "models"
MEDIA_TYPE = "application/vnd.sparring.behaviour+json"


@dataclass
class ModelKeeper:
    """The models of all explorations: the last ones in memory, all of them in the run's folder."""

    run_dir: Path | None
    _kept: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    _running: dict[tuple[str, int], asyncio.Event] = field(
        default_factory=dict[tuple[str, int], asyncio.Event]
    )

    async def before(self, name: str, session: int) -> BehaviourModel | None:
        """The model that a session begins with; None where it is to begin with an empty one.

        Waits for the session before, where that is still being played.
        """
        if session <= 1:
            return None
        running = self._running.get((name, session - 1))
        if running is not None:
            await running.wait()
        for earlier in range(session - 1, 0, -1):
            text = self._kept.get((name, earlier)) or self._read(name, earlier)
            if text is not None:
                return BehaviourModel.loaded(text)
        return None

    def kept(self, name: str, session: int) -> BehaviourModel | None:
        """The model that a session left, where it is still in memory."""
        text = self._kept.get((name, session))
        return BehaviourModel.loaded(text) if text is not None else None

    def begin(self, name: str, session: int) -> None:
        """Note that a session is being played."""
        self._running[name, session] = asyncio.Event()

    def over(self, name: str, session: int) -> None:
        """Note that it is over."""
        done = self._running.pop((name, session), None)
        if done is not None:
            done.set()

    def keep(self, name: str, session: int, model: BehaviourModel) -> Artifact | None:
        """Keep what a session left; the file it is in, where there is a folder for it."""
        text = model.dumped()
        self._kept[name, session] = text
        self._kept.pop((name, session - 2), None)
        if self.run_dir is None:
            return None
        latest = self.run_dir / FOLDER / f"{file_name(name)}.model.json"
        for path in (self._path(name, session), latest):
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = path.with_suffix(".new")
            fresh.write_text(text, encoding="utf-8")
            os.replace(fresh, path)  # noqa: PTH105 - a whole file or the old one, never half
        if session > 2:
            self._path(name, session - 2).unlink(missing_ok=True)
        shown = latest.relative_to(self.run_dir).as_posix()
        return Artifact(name="behaviour model", media_type=MEDIA_TYPE, path=shown)

    def _read(self, name: str, session: int) -> str | None:
        if self.run_dir is None:
            return None
        try:
            text = self._path(name, session).read_text(encoding="utf-8")
            BehaviourModel.loaded(text)
        except (OSError, ValueError, ConfigurationError):
            return None
        return text

    def _path(self, name: str, session: int) -> Path:
        folder = self.run_dir or Path()
        return folder / FOLDER / file_name(name) / f"session-{session}.json"


def file_name(name: str) -> str:
    """A name that every file system takes, different for different names."""
    plain = re.sub(r"[^\w-]+", "-", name, flags=re.ASCII).strip("-")[:60]
    digest = sha256(name.encode("utf-8", "replace")).hexdigest()[:6]
    return plain if plain == name else f"{plain or 'app'}-{digest}"
