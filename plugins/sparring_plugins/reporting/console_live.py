"""The live display on a terminal. The only reporter module that draws with rich."""

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from sparring_plugins.reporting.console_medium import Output, Span
from sparring_plugins.reporting.console_progress import Progress


class LiveDisplay:
    """Two lines at the bottom of the terminal that follow a `Progress`; gone when stopped."""

    def __init__(self, output: Output, progress: Progress) -> None:
        self._output = output
        self._progress = progress
        console: Console = output.console
        self._live = Live(
            get_renderable=self._draw, console=console, refresh_per_second=4, transient=True
        )
        self._live.start()

    def stop(self) -> None:
        """Remove the display and give the cursor back; may be called twice."""
        self._live.stop()

    def _draw(self) -> Group:
        width = max(10, self._output.console.width - 1)
        fancy = self._output.medium.fancy
        lines = [self._progress.live_line(width, fancy=fancy)]
        if self._progress.playing:
            lines.append(self._progress.playing_line(width))
        return Group(*(self._text(spans) for spans in lines))

    def _text(self, spans: list[Span]) -> Text:
        parts = [(self._output.encodable(text), style) for text, style in spans]
        return Text.assemble(*parts, no_wrap=True, overflow="crop")
