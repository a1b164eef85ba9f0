"""Tea Corner: brews, suggests and quizzes. No SDK: requests and responses as they are."""

from texts import QUIZ, TEXTS

MINUTES = {"green": 2, "black": 4, "herbal": 7}
EXTRA = {"mild": -1, "strong": 1}


def lambda_handler(event, context):
    request = event["request"]
    texts = TEXTS[request["locale"].split("-")[0]]
    attributes = event.get("session", {}).get("attributes") or {}
    if request["type"] == "LaunchRequest":
        return ask(texts["welcome"], {"opened": True})
    if request["type"] != "IntentRequest":
        return {"version": "1.0", "response": {}}
    if "question" in attributes:
        return quiz_answer(request["intent"], attributes, texts)
    return INTENTS[request["intent"]["name"]](request["intent"], attributes, texts)


def ask(text, attributes):
    """Say something, and listen."""
    return response(text, attributes, reprompt=text.split(". ")[-1])


def tell(text):
    """Say something, and leave."""
    return response(text, {}, over=True)


def response(text, attributes, over=False, reprompt=None):
    answer = {"outputSpeech": plain(text), "shouldEndSession": over}
    if reprompt:
        answer["reprompt"] = {"outputSpeech": plain(reprompt)}
    return {"version": "1.0", "sessionAttributes": attributes, "response": answer}


def plain(text):
    return {"type": "PlainText", "text": text}


def value(intent, name):
    """The id of what a slot was understood as, or None."""
    slot = intent.get("slots", {}).get(name, {})
    for found in slot.get("resolutions", {}).get("resolutionsPerAuthority", []):
        if found["status"]["code"] == "ER_SUCCESS_MATCH":
            return found["values"][0]["value"]["id"]
    return None


def brew(intent, attributes, texts):
    """The dialog model has asked for tea and strength."""
    tea = value(intent, "tea")
    strength = value(intent, "strength")
    if tea is None or strength is None:
        return ask(texts["no_such_tea"], attributes)
    minutes = MINUTES[tea] + EXTRA[strength]
    spoken = intent["slots"]["tea"]["value"]
    brewing = {**attributes, "brewing": minutes}
    return ask(texts["brewing"].format(tea=spoken, minutes=minutes), brewing)


def time_left(intent, attributes, texts):
    if "brewing" in attributes:
        return ask(texts["left"].format(minutes=attributes["brewing"]), attributes)
    if "opened" in attributes:
        return ask(texts["nothing_brewing"], attributes)


def suggest(intent, attributes, texts):
    return tell(texts["suggestion"])


def samples(intent, attributes, texts):
    return ask(texts["ask_email"], attributes)


def email(intent, attributes, texts):
    return ask(texts["sent"], attributes)


def quiz(intent, attributes, texts):
    return ask(f"{texts['quiz']} {QUIZ[0][texts['language']]}", {**attributes, "question": 0})


def quiz_answer(intent, attributes, texts):
    """Goes to the next question; the last answer ends the quiz."""
    at = attributes["question"]
    right = intent["name"] == ("AMAZON.YesIntent" if QUIZ[at]["right"] else "AMAZON.NoIntent")
    verdict = texts["right" if right else "wrong"]
    if at + 1 < len(QUIZ):
        return ask(
            f"{verdict} {QUIZ[at + 1][texts['language']]}", {**attributes, "question": at + 1}
        )
    return tell(f"{verdict} {texts['again']}")


def help_(intent, attributes, texts):
    return ask(texts["help"], attributes)


def stop(intent, attributes, texts):
    return tell(texts["goodbye"])


def otherwise(intent, attributes, texts):
    return ask(texts["sorry"], attributes)


INTENTS = {
    "BrewIntent": brew,
    "TimeLeftIntent": time_left,
    "SuggestIntent": suggest,
    "SamplesIntent": samples,
    "EmailIntent": email,
    "QuizIntent": quiz,
    "AMAZON.HelpIntent": help_,
    "AMAZON.StopIntent": stop,
    "AMAZON.CancelIntent": stop,
    "AMAZON.NavigateHomeIntent": stop,
    "AMAZON.YesIntent": otherwise,
    "AMAZON.NoIntent": otherwise,
    "AMAZON.FallbackIntent": otherwise,
}
