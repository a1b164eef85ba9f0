"""The same skill, which listens."""

from typing import Any

SAYS = {
    "LaunchRequest": ("Welcome to the claims desk. Would you like to make a claim?", False),
    "AMAZON.HelpIntent": ("You can say yes to make a claim. Would you like to?", False),
    "AMAZON.FallbackIntent": (
        "Sorry, I don't know about that. Say yes, or tell me what it was.",
        False,
    ),
    "AMAZON.StopIntent": ("Goodbye!", True),
    "AMAZON.CancelIntent": ("Goodbye!", True),
}


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:
    request = event["request"]
    name = request["intent"]["name"] if "intent" in request else request["type"]
    slots = request.get("intent", {}).get("slots", {})
    text, ends = SAYS.get(name, ("", True))
    if name == "BeginIntent":
        agrees = slots["reply"].get("value") == "yes"
        text, ends = ("What happened?", False) if agrees else ("Alright. Goodbye!", True)
    if name == "EventIntent":
        cause = slots["cause"].get("value", "damage")
        text, ends = f"A letter about the {cause} is on its way. Goodbye!", True
    return {
        "version": "1.0",
        "response": {
            "outputSpeech": {"type": "PlainText", "text": text},
            "reprompt": {"outputSpeech": {"type": "PlainText", "text": text}},
            "shouldEndSession": ends,
        },
    }
