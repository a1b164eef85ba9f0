"""Plain language on a page of your own: ``act``, ``observe``, ``extract``, ``holds``.

For people who write Playwright: `wrap` takes an ordinary page, synchronous or asynchronous, and
gives it back with these four, everything else left as it was. The parts behind it are found
through discovery, as those of a suite are.
"""

from sparring.errors import NotDone
from sparring_plugins.web.roles.driver import Acted, Extracted, Held, Source, Suggestion
from sparring_plugins.web.script.pages import AsyncWebPage, WebPage, wrap

__all__ = [
    "Acted",
    "AsyncWebPage",
    "Extracted",
    "Held",
    "NotDone",
    "Source",
    "Suggestion",
    "WebPage",
    "wrap",
]
