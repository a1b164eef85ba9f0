"""Plant Pals: somebody else's skill, which the user has enabled as well."""

TEXTS = {
    "MeetIntent": "Rosa from the next street grows tomatoes. Who else would you like to meet?",
    "AMAZON.HelpIntent": "I introduce you to people with plants. You can say: meet somebody.",
}


def lambda_handler(event, context):
    request = event["request"]
    if request["type"] == "LaunchRequest":
        return said("Welcome to Plant Pals. You can say: meet somebody.")
    name = request.get("intent", {}).get("name", "")
    if name in ("AMAZON.StopIntent", "AMAZON.CancelIntent", "AMAZON.NavigateHomeIntent"):
        return said("See you!", over=True)
    return said(TEXTS.get(name, "Sorry, I did not get that. You can say: meet somebody."))


def said(text, over=False):
    speech = {"type": "PlainText", "text": text}
    return {"version": "1.0", "response": {"outputSpeech": speech, "shouldEndSession": over}}
