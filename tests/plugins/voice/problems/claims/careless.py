"""A skill that asks, and takes no notice of the answers."""

from typing import Any

NOTE = "add a reprompt if you want to keep the session open for the user to respond"
SAYS = {
    "LaunchRequest": "Welcome to the claims desk. Would you like to make a claim?",
    "BeginIntent": "What happened?",
    "EventIntent": "A letter is on its way to the address of your policy.",
    "AMAZON.HelpIntent": "You can say hello to me! How can I help?",
    "AMAZON.FallbackIntent": "Sorry, I don't know about that. Please try again.",
    "AMAZON.StopIntent": "Goodbye!",
    "AMAZON.CancelIntent": "Goodbye!",
}


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    request = event["request"]
    name = request["intent"]["name"] if "intent" in request else request["type"]
    text = SAYS.get(name, "")
    reprompt = NOTE if name == "LaunchRequest" else text
    return {
        "version": "1.0",
        "response": {
            "outputSpeech": {"type": "PlainText", "text": text},
            "reprompt": {"outputSpeech": {"type": "PlainText", "text": reprompt}},
            "shouldEndSession": text == "Goodbye!",
        },
    }
