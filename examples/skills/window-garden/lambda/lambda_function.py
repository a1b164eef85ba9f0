"""Window Garden: keeps a list of houseplants and tells how to care for them."""

from ask_sdk_core.dispatch_components import (
    AbstractExceptionHandler,
    AbstractRequestHandler,
    AbstractRequestInterceptor,
)
from ask_sdk_core.skill_builder import SkillBuilder
from ask_sdk_core.utils import get_slot, is_intent_name, is_request_type
from texts import CARE, TEXTS


def attributes(handler_input):
    return handler_input.attributes_manager.session_attributes


def text(handler_input, key, **values):
    return handler_input.attributes_manager.request_attributes["texts"][key].format(**values)


def answer(handler_input, key, **values):
    """Say something and listen for what the user wants next."""
    said = text(handler_input, key, **values)
    return handler_input.response_builder.speak(said).ask(text(handler_input, "next")).response


def plant_id(handler_input):
    """The id of the plant that was named, or None."""
    slot = get_slot(handler_input, "plant")
    if slot is None or slot.value is None:
        return None
    found = slot.resolutions.resolutions_per_authority[0]
    return found.values[0].value.id if found.values else "other"


class Launch(AbstractRequestHandler):
    def can_handle(self, handler_input):
        return is_request_type("LaunchRequest")(handler_input)

    def handle(self, handler_input):
        attributes(handler_input)["garden"] = []
        return answer(handler_input, "welcome")


class ZipCode(AbstractRequestHandler):
    """Whatever follows the question for the zip code."""

    def can_handle(self, handler_input):
        asked = attributes(handler_input).get("asked")
        return is_request_type("IntentRequest")(handler_input) and asked == "zip"

    def handle(self, handler_input):
        slot = get_slot(handler_input, "code") if has_slots(handler_input) else None
        if slot is None or slot.value is None:
            said = text(handler_input, "no_zip")
            return handler_input.response_builder.speak(said).ask(said).response
        attributes(handler_input)["asked"] = ""
        return answer(handler_input, "frost")


def has_slots(handler_input):
    return bool(handler_input.request_envelope.request.intent.slots)


class Frost(AbstractRequestHandler):
    def can_handle(self, handler_input):
        return is_intent_name("FrostIntent")(handler_input)

    def handle(self, handler_input):
        attributes(handler_input)["asked"] = "zip"
        said = text(handler_input, "ask_zip")
        return handler_input.response_builder.speak(said).ask(said).response


class AddPlant(AbstractRequestHandler):
    """The dialog model has asked for the plant, and whether it is to be added."""

    def can_handle(self, handler_input):
        return is_intent_name("AddPlantIntent")(handler_input)

    def handle(self, handler_input):
        if handler_input.request_envelope.request.intent.confirmation_status.value == "DENIED":
            return answer(handler_input, "left_out")
        name = get_slot(handler_input, "plant").value
        attributes(handler_input)["garden"].append(name)
        return answer(handler_input, "added", plant=name)


class ListPlants(AbstractRequestHandler):
    def can_handle(self, handler_input):
        return is_intent_name("ListIntent")(handler_input)

    def handle(self, handler_input):
        garden = attributes(handler_input)["garden"]
        names = garden[-1] if len(garden) < 2 else ", ".join(garden)
        return answer(handler_input, "garden", plants=names)


class Care(AbstractRequestHandler):
    def can_handle(self, handler_input):
        return is_intent_name("CareIntent")(handler_input)

    def handle(self, handler_input):
        plant = plant_id(handler_input)
        if plant is None:
            return handler_input.response_builder.speak(text(handler_input, "which")).response
        if plant not in CARE:
            return answer(handler_input, "unknown")
        advice = CARE[plant][handler_input.attributes_manager.request_attributes["language"]]
        return answer(handler_input, "care", advice=advice)


class Watered(AbstractRequestHandler):
    def can_handle(self, handler_input):
        return is_intent_name("WateredIntent")(handler_input)

    def handle(self, handler_input):
        return handler_input.response_builder.speak(text(handler_input, "watered")).response


class Help(AbstractRequestHandler):
    def can_handle(self, handler_input):
        return is_intent_name("AMAZON.HelpIntent")(handler_input)

    def handle(self, handler_input):
        return answer(handler_input, "help")


class Stop(AbstractRequestHandler):
    def can_handle(self, handler_input):
        names = ("AMAZON.StopIntent", "AMAZON.CancelIntent", "AMAZON.NavigateHomeIntent")
        return any(is_intent_name(name)(handler_input) for name in names)

    def handle(self, handler_input):
        said = text(handler_input, "goodbye")
        return handler_input.response_builder.speak(said).set_should_end_session(True).response


class Otherwise(AbstractRequestHandler):
    """Everything that is meant for nothing above."""

    def can_handle(self, handler_input):
        return is_request_type("IntentRequest")(handler_input)

    def handle(self, handler_input):
        return answer(handler_input, "sorry")


class SessionEnded(AbstractRequestHandler):
    def can_handle(self, handler_input):
        return is_request_type("SessionEndedRequest")(handler_input)

    def handle(self, handler_input):
        return handler_input.response_builder.response


class Language(AbstractRequestInterceptor):
    """Chooses the texts by the locale of the request."""

    def process(self, handler_input):
        language = handler_input.request_envelope.request.locale[:2]
        request = handler_input.attributes_manager.request_attributes
        request["language"] = language
        request["texts"] = TEXTS[language]


class Log(AbstractExceptionHandler):
    """Lets the log show which request it was."""

    def can_handle(self, handler_input, exception):
        return True

    def handle(self, handler_input, exception):
        print("failed at", handler_input.request_envelope.request.object_type)
        raise exception


builder = SkillBuilder()
for handler in (Launch, ZipCode, Frost, AddPlant, ListPlants, Care, Watered, Help, Stop, Otherwise):
    builder.add_request_handler(handler())
builder.add_request_handler(SessionEnded())
builder.add_global_request_interceptor(Language())
builder.add_exception_handler(Log())

lambda_handler = builder.lambda_handler()
