"""Whether the paths to the app's words ever find anything, over all conversations of a run.

A reply that has buttons but no words may be meant so, which is why a path that is wrong cannot be
told from one reply. One that finds nothing in any reply most likely is.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sparring_connectors.described.reply_config import ReplyConfig


@dataclass(slots=True)
class _Count:
    missed: int = 0
    held: str = ""
    found: bool = False


class Matching:
    """Counts the replies in which there was nothing at `reply.text`, for each such setting."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, ...], _Count] = {}

    def note(self, config: ReplyConfig, found: bool, held: str) -> None:
        """Count a reply that holds something; `held` says what, where no words were found."""
        if config.text is None or config.read_as == "text":
            return
        count = self._counts.setdefault(config.text, _Count())
        count.found = count.found or found
        if not found and held:
            count.missed += 1
            count.held = count.held or held

    def problems(self) -> Iterator[str]:
        """What to tell of the paths that found nothing in any reply."""
        for text, count in self._counts.items():
            if count.missed and not count.found:
                what = f"{text[0]} has" if len(text) == 1 else f"none of {', '.join(text)} has"
                times = "the only reply" if count.missed == 1 else f"{count.missed:,} replies"
                nothing = "nothing" if len(text) == 1 else "anything"
                first = "it" if count.missed == 1 else "the first of them"
                yield f"reply.text: {what} matched {nothing} in {times}; {first} has {count.held}"
