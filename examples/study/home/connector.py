"""The smart home in this process: ``app: {use: "home.connector:HomeConnector"}``."""

from studykit.answers import Assistant
from studykit.local import LocalConnector

from home.assistant import HomeAssistant


class HomeConnector(LocalConnector):
    """Talks to the smart home."""

    def assistant(self) -> Assistant:
        """A conversation in a house of its own."""
        return HomeAssistant()
