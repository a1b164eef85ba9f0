"""The firm's chatbot: it collects numbers sentence by sentence and then makes a promise."""

import re

from firm import WISHES, promise


class Chatbot:
    """One conversation."""

    def __init__(self):
        self.wishes = {}
        self.day = ""

    def greet(self):
        """Return the greeting."""
        return "Swift Movers. What do you want to move?"

    def answer(self, message):
        """Take the numbers of a message, or make the promise."""
        for number, word in re.findall(r"(-?\d+) (\w+)", message):
            name = (
                "km" if word.startswith("kilomet") else word if word.endswith("s") else f"{word}s"
            )
            if name in WISHES:
                self.wishes[name] = int(number)
        if floor := re.search(r"floor (\d+)", message):
            self.wishes["floor"] = int(floor[1])
        if day := re.search(r"\b(\w+day)\b", message):
            self.day = day[1]
        if "promise" in message:
            return {"text": promise(self.wishes, self.day), "ended": True}
        return "All right. What else?"
