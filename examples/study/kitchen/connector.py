"""The recipe finder in this process: ``app: {use: "kitchen.connector:KitchenConnector"}``."""

from studykit.answers import Assistant
from studykit.local import LocalConnector

from kitchen.finder import RecipeFinder


class KitchenConnector(LocalConnector):
    """Talks to the recipe finder."""

    def assistant(self) -> Assistant:
        """A conversation of its own."""
        return RecipeFinder()
