"""The extractor without a language model."""

from typing import ClassVar

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import Extraction, ExtractTask
from sparring_plugins.users.extraction.search import find_outputs


class PatternExtractor(Agent[ExtractTask, Extraction, PluginConfig]):
    """Role ``extractor``: finds declared outputs by their type and description.

    Values of a declared type are read with parsers (price-parser, dateparser, phonenumbers) from
    what the app said, never from the user's own words; of several the one whose surroundings, and
    the user's question before it, share most words with the output's name and description.
    A money value is the text as said (``$10.50``), a date a `datetime.date`, an int or float a
    number, everything else text. Values that are not there stay None.
    """

    role: ClassVar[str] = "extractor"

    async def act(self, task: ExtractTask) -> Extraction:
        return Extraction(outputs=find_outputs(task))
