"""The firm's voice skill: requests and responses as they are, without an SDK."""

from firm import WISHES, promise


def lambda_handler(event, context):
    """Answer a request."""
    request = event["request"]
    wishes = dict((event.get("session") or {}).get("attributes") or {})
    if request["type"] == "LaunchRequest":
        return say("Swift Movers. What do you want to move?", {})
    if request["type"] != "IntentRequest":
        return {"version": "1.0", "response": {}}
    intent = request["intent"]
    for name, slot in intent.get("slots", {}).items():
        value = str(slot.get("value", ""))
        if name == "day":
            wishes["day"] = value.lower()
        elif value.isdigit():
            wishes[name] = int(value)
    if intent["name"] == "PromiseIntent":
        numbers = {name: wishes[name] for name in WISHES if name in wishes}
        return say(promise(numbers, wishes.get("day", "")), wishes, over=True)
    if intent["name"] in ("AMAZON.StopIntent", "AMAZON.CancelIntent"):
        return say("Goodbye.", wishes, over=True)
    return say("All right. What else?", wishes)


def say(text, attributes, over=False):
    """Return a response; unless it is over, the skill listens."""
    speech = {"outputSpeech": {"type": "PlainText", "text": text}, "shouldEndSession": over}
    if not over:
        speech["reprompt"] = {"outputSpeech": {"type": "PlainText", "text": "What else?"}}
    return {"version": "1.0", "sessionAttributes": attributes, "response": speech}
