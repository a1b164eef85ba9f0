"""What the place that the console reporter writes to can show, and writing to it."""

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TextIO

if TYPE_CHECKING:
    from rich.console import Console

Span = tuple[str, str]
"""A text and its style, in rich's notation; empty for plain."""

# A log has no width of its own, and 80 columns cut most reasons in half.
_PIPE_WIDTH = 160


@dataclass(frozen=True, slots=True)
class Medium:
    """A stream and its abilities; `width` is in columns, `fancy` means more than ASCII."""

    stream: TextIO
    is_terminal: bool
    is_live: bool
    has_colour: bool
    fancy: bool
    width: int


def survey(
    live: Literal["auto", "never", "always"],
    stream: TextIO | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Medium:
    """Find out what standard output can show.

    ``NO_COLOR`` (any text), ``TERM=dumb`` and pipes mean plain lines without a single escape
    code; ``FORCE_COLOR`` gives colours, never a live display, to a pipe; ``CI`` means no
    live display.
    """
    out = stream if stream is not None else sys.stdout
    terminal = _isatty(out) and environment.get("TERM", "") != "dumb"
    plain = bool(environment.get("NO_COLOR")) or environment.get("TERM") == "dumb"
    forced = environment.get("FORCE_COLOR", "") not in ("", "0", "false")
    in_ci = environment.get("CI", "") not in ("", "0", "false")
    return Medium(
        stream=out,
        is_terminal=terminal,
        is_live=live == "always" or (live == "auto" and terminal and not plain and not in_ci),
        has_colour=not plain and (terminal or forced),
        fancy=_is_unicode(out),
        width=shutil.get_terminal_size().columns if terminal else _PIPE_WIDTH,
    )


class Output:
    """Writes lines of spans, in what the stream's encoding has; silent once the pipe is closed."""

    def __init__(self, medium: Medium) -> None:
        self.medium = medium
        self.closed = False
        self._console: Console | None = None

    @property
    def console(self) -> "Console":
        """The rich console; rich is imported here and only for colours or the live display."""
        if self._console is None:
            from rich.console import Console

            self._console = Console(
                file=self.medium.stream,
                force_terminal=True,
                no_color=not self.medium.has_colour,
                color_system="auto" if self.medium.is_terminal else "standard",
                width=self.medium.width,
                highlight=False,
                markup=False,
                emoji=False,
            )
        return self._console

    def line(self, *spans: Span) -> None:
        """Write one line."""
        if self.closed:
            return
        try:
            if self.medium.has_colour or self._console is not None:  # a live display redraws
                self._print(spans)
            else:
                text = "".join(self.encodable(text) for text, _ in spans)
                self.medium.stream.write(f"{text}\n")
            self.medium.stream.flush()
        except (OSError, ValueError):  # the reader is gone; the run goes on
            self.closed = True

    def encodable(self, text: str) -> str:
        """The text with what the stream's encoding lacks as escapes."""
        encoding = getattr(self.medium.stream, "encoding", None) or "ascii"
        return text.encode(encoding, "backslashreplace").decode(encoding)

    def _print(self, spans: Sequence[Span]) -> None:
        from rich.text import Text

        parts = [(self.encodable(text), style) for text, style in spans]
        self.console.print(Text.assemble(*parts), soft_wrap=True)


def _isatty(stream: TextIO) -> bool:
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def _is_unicode(stream: TextIO) -> bool:
    return str(getattr(stream, "encoding", None) or "").lower().startswith("utf")
