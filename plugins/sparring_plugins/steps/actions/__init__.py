"""The forms of actions, in the order in which they are tried."""

from sparring_plugins.steps.actions import (  # noqa: I001 - the order counts
    windows,
    handling,
    going,
    entering,
    choosing,
    clicking,
)

from sparring_plugins.steps.forms import FORMS, plans

MODULES = (windows, handling, going, entering, choosing, clicking)
"""What registers forms, the first to be tried first."""

_ORDER = {module.__name__: number for number, module in enumerate(MODULES)}
FORMS.sort(key=lambda known: _ORDER[known.build.__module__])

__all__ = ["FORMS", "MODULES", "plans"]
