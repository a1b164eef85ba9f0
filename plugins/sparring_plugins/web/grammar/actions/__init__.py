"""The forms of actions, in the order in which they are tried."""

from sparring_plugins.web.grammar.actions import (  # noqa: I001 - the order counts
    windows,
    drag_upload as handling,
    navigate as going,
    enter as entering,
    choose as choosing,
    click as clicking,
)

from sparring_plugins.web.grammar.phrases.forms import FORMS, plans

MODULES = (windows, handling, going, entering, choosing, clicking)
"""What registers forms, the first to be tried first."""

_ORDER = {module.__name__: number for number, module in enumerate(MODULES)}
FORMS.sort(key=lambda known: _ORDER[known.build.__module__])

__all__ = ["FORMS", "MODULES", "plans"]
