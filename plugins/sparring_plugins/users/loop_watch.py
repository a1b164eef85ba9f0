"""Answers that lead nowhere: fallbacks, exact repetitions, silence."""

from dataclasses import dataclass

from sparring.model.talk import Observation
from sparring_plugins.language.fallbacks import LOOKED_AT, Fallbacks


@dataclass(slots=True)
class LoopWatch:
    """Counts consecutive answers that lead nowhere.

    These are fallbacks, empty answers, and answers that repeat the one before word by word.
    """

    fallbacks: Fallbacks
    stuck: int = 0
    _last: str | None = None

    def watch(self, observation: Observation) -> None:
        """Take note of an answer to something that the user said."""
        labels = " ".join(choice.label for choice in observation.choices[:50])
        media = " ".join(one.url or one.description for one in observation.attachments[:50])
        parts = (observation.text, labels, media)
        answer = "\n".join(part[:LOOKED_AT] for part in parts).strip()
        empty = not answer and not observation.attachments and observation.payload is None
        repeated = bool(answer) and answer == self._last
        if empty or repeated or self.fallbacks.match(observation.text):
            self.stuck += 1
        else:
            self.stuck = 0
        self._last = answer
