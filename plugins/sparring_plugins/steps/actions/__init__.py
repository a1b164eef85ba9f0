"""The forms of actions, in the order in which they are tried."""

from sparring_plugins.steps.actions import handling, going, entering, choosing, clicking  # noqa: I001

MODULES = (handling, going, entering, choosing, clicking)
"""What registers forms, the first to be tried first."""

__all__ = ["MODULES"]
