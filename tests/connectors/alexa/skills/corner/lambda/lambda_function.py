"""A small cafe, written without an SDK: every kind of turn that the simulator knows."""

import json
import logging
import random
import urllib.error
import urllib.request

TROUBLE = "Sorry, we are closed."


def lambda_handler(event, context):
    request = event["request"]
    logging.warning("asked for %s", request["type"])
    if request["type"] == "LaunchRequest":
        return told(event, "Welcome to the corner cafe. What can I get you?", "Coffee or tea?")
    if request["type"] == "SessionEndedRequest":
        return {"version": "1.0", "response": {}}
    if request["type"] != "IntentRequest":
        return told(event, TROUBLE, end=True)
    name = request["intent"]["name"].removeprefix("AMAZON.")
    return HANDLERS[name](event, request["intent"])


def told(event, text, again=None, end=None, directives=(), **more):
    """A response; with a question that is asked again it stays open."""
    response = {"outputSpeech": {"type": "PlainText", "text": text}, **more}
    if again:
        response["reprompt"] = {"outputSpeech": {"type": "PlainText", "text": again}}
        response["shouldEndSession"] = False
    if end is not None:
        response["shouldEndSession"] = end
    if directives:
        response["directives"] = list(directives)
    attributes = dict(event.get("session", {}).get("attributes") or {})
    attributes["turns"] = attributes.get("turns", 0) + 1
    return {"version": "1.0", "sessionAttributes": attributes, "response": response}


def stop(event, intent):
    return told(event, "Goodbye!", end=True)


def helped(event, intent):
    return told(event, "You can order a drink or book a table.", "What shall it be?")


def lost(event, intent):
    return told(event, "We do not have that.", "What else?")


def yes(event, intent):
    return told(event, "Fine.", "Anything else?")


def order(event, intent):
    if event["request"].get("dialogState") != "COMPLETED":
        return told(event, TROUBLE, end=True)
    if intent["confirmationStatus"] == "DENIED":
        return told(event, "Then not.", "What else?")
    drink = intent["slots"]["drink"]
    asked = drink["resolutions"]["resolutionsPerAuthority"]
    found = next(item for item in asked if "values" in item)["values"][0]["value"]
    card = {"type": "Simple", "title": "Your order", "content": found["name"]}
    return told(event, f"One {found['name']} ({found['id']}) is coming.", card=card)


def book(event, intent):
    state = event["request"]["dialogState"]
    slots = intent["slots"]
    if state == "COMPLETED":
        day, hour = slots["day"]["value"], slots["hour"]["value"]
        guest = slots["guest"].get("value", "you")
        return told(event, f"A table on {day} at {hour} for {guest}.", end=True)
    if slots["hour"].get("value") and not slots["guest"].get("value"):
        ask = {"type": "Dialog.ElicitSlot", "slotToElicit": "guest"}
        return told(event, "Under what name?", "What name?", directives=[ask])
    return {"version": "1.0", "response": {"directives": [{"type": "Dialog.Delegate"}]}}


def visit(event, intent):
    return told(event, f"This is turn {event['session']['attributes'].get('turns', 0)}.", "And?")


def note(event, intent):
    return told(event, "Noted: " + intent["slots"]["words"]["value"], "And?")


def toppings(event, intent):
    slot = intent["slots"]["toppings"]["slotValue"]
    values = [item["value"] for item in slot["values"]]
    return told(event, "With " + " and ".join(values), "And?")


def specials(event, intent):
    entity = {"id": "MOON", "name": {"value": "moon milk", "synonyms": ["night milk"]}}
    directive = {
        "type": "Dialog.UpdateDynamicEntities",
        "updateBehavior": "REPLACE",
        "types": [{"name": "DRINK", "values": [entity]}],
    }
    return told(event, "Today there is moon milk.", "Order it?", directives=[directive])


def radio(event, intent):
    stream = {"token": "house", "url": "https://radio.example/house.mp3", "offsetInMilliseconds": 0}
    play = {
        "type": "AudioPlayer.Play",
        "playBehavior": "REPLACE_ALL",
        "audioItem": {"stream": stream},
    }
    return told(event, "Here is our music.", end=True, directives=[play])


def chain(event, intent):
    slots = {"size": {"name": "size", "value": "small", "confirmationStatus": "CONFIRMED"}}
    other = {"name": "OrderIntent", "confirmationStatus": "NONE", "slots": slots}
    return told(
        event, "A small one then.", directives=[{"type": "Dialog.Delegate", "updatedIntent": other}]
    )


def where(event, intent):
    system = event["context"]["System"]
    device = system["device"]["deviceId"]
    url = f"{system['apiEndpoint']}/v1/devices/{device}/settings/address"
    asked = urllib.request.Request(
        url, headers={"Authorization": "Bearer " + system["apiAccessToken"]}
    )
    try:
        with urllib.request.urlopen(asked, timeout=3) as answer:
            return told(event, "In " + json.load(answer)["city"] + ".", "And?")
    except urllib.error.HTTPError as err:
        card = {
            "type": "AskForPermissionsConsent",
            "permissions": ["read::alexa:device:all:address"],
        }
        return told(event, f"You did not allow that ({err.code}).", "And?", card=card)


def dice(event, intent):
    return told(event, f"You rolled {random.randint(1, 1000000)}.", "Again?")


HANDLERS = {
    "StopIntent": stop,
    "CancelIntent": stop,
    "HelpIntent": helped,
    "FallbackIntent": lost,
    "YesIntent": yes,
    "NoIntent": lost,
    "OrderIntent": order,
    "BookIntent": book,
    "VisitIntent": visit,
    "NotesIntent": note,
    "ToppingsIntent": toppings,
    "SpecialsIntent": specials,
    "RadioIntent": radio,
    "ChainIntent": chain,
    "WhereIntent": where,
    "DiceIntent": dice,
}
