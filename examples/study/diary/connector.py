"""The diary in this process: ``app: {use: "diary.connector:DiaryConnector"}``."""

from studykit.answers import Assistant
from studykit.local import LocalConnector

from diary.assistant import DiaryAssistant


class DiaryConnector(LocalConnector):
    """Talks to the diary."""

    def assistant(self) -> Assistant:
        """A conversation with a diary of its own."""
        return DiaryAssistant()
