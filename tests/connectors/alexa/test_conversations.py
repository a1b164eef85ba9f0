"""Whole conversations with skills of our own, in Python and Node."""

from typing import Any

import pytest

from sparring.model.talk import Observation

from .conftest import requests_of, talked, texts

pytestmark = pytest.mark.filterwarnings("error")
CAFE, ISLAND = "corner", "island"
GREETING = "Welcome to the corner cafe. What can I get you?"


def payload(heard: Any) -> dict[str, Any]:
    assert isinstance(heard, Observation)
    assert isinstance(heard.payload, dict)
    return heard.payload


def test_alexa_leads_a_dialog_by_the_model_and_the_skill_hears_of_its_end_alone() -> None:
    said = [None, "order something", "moon milk", "latte", "big", "yes", "yes"]
    heard = talked(CAFE, *said)
    assert texts(heard) == [
        GREETING,
        "What would you like to drink?",
        "We have no moon milk. What else?",
        "How large shall the latte be?",
        "So big, right?",
        "Shall I order a big latte?",
        "One latte (c18c81318d17d0a77f6264877360cfa6) is coming.",
    ]
    assert [len(requests_of(item)) for item in heard] == [1, 0, 0, 0, 0, 0, 1]
    request = requests_of(heard[-1])[0]["request"]
    assert request["dialogState"] == "COMPLETED"
    assert request["intent"]["confirmationStatus"] == "CONFIRMED"
    assert request["intent"]["slots"]["size"]["confirmationStatus"] == "CONFIRMED"
    assert "value" not in request["intent"]["slots"]["count"]
    last = heard[-1]
    assert isinstance(last, Observation)
    assert last.ended
    assert last.attachments[0].description == "Your order\nlatte"
    assert payload(last)["ended_by"] == "skill"


def test_a_slot_that_is_denied_is_asked_for_again_and_a_denied_intent_is_told() -> None:
    said = ["order a tea", "small", "no", "large", "yes", "no"]
    heard = talked(CAFE, None, *said)
    assert texts(heard)[3:] == [
        "How large shall the tea be?",
        "So large, right?",
        "Shall I order a large tea?",
        "Then not.",
    ]


def test_a_value_that_is_not_valid_is_asked_for_again_first() -> None:
    heard = talked(CAFE, None, "get me twelve tea")
    assert texts(heard)[1] == "How large shall the tea be?" or "At most nine" in texts(heard)[1]
    assert "At most nine. How many?" in texts(
        talked(CAFE, None, "get me twelve tea", "large", "yes")
    )


def test_a_skill_leads_its_dialog_turn_by_turn() -> None:
    heard = talked(CAFE, None, "book a table", "next friday", "two pm", "anna", now="2026-06-15")
    assert texts(heard)[1:] == [
        "For which day?",
        "At what time?",
        "Under what name?",
        "A table on 2026-06-26 at 14:00 for anna.",
    ]
    states = [[item["request"]["dialogState"] for item in requests_of(turn)] for turn in heard[1:]]
    assert states == [["STARTED"], ["IN_PROGRESS"], ["IN_PROGRESS"], ["IN_PROGRESS", "COMPLETED"]]


def test_a_skill_goes_on_with_another_intent() -> None:
    heard = talked(CAFE, None, "surprise me", "tea", "yes")
    assert texts(heard)[1:] == [
        "A small one then.\nWhat would you like to drink?",
        "Shall I order a small tea?",
        "One tea (TEA) is coming.",
    ]
    spoken = payload(heard[1])["spoken"]
    assert [(item["by"], item["prompt"]) for item in spoken] == [("skill", False), ("skill", True)]


def test_another_intent_in_a_dialog_leaves_it() -> None:
    heard = talked(CAFE, None, "order something", "help", "how often was i here", "stop")
    assert texts(heard)[2:] == [
        "You can order a drink or book a table.", "This is turn 2.", "Goodbye!",
    ]  # fmt: skip


def test_dynamic_entities_are_understood_and_tell_their_authority() -> None:
    heard = talked(CAFE, None, "load the specials", "order a night milk", "small", "yes", "yes")
    slot = requests_of(heard[-1])[0]["request"]["intent"]["slots"]["drink"]
    first, second = slot["resolutions"]["resolutionsPerAuthority"]
    assert first["status"]["code"] == "ER_SUCCESS_NO_MATCH"
    assert "dynamic" in second["authority"]
    assert second["values"] == [{"value": {"name": "moon milk", "id": "MOON"}}]


def test_slots_hold_several_values_and_free_text() -> None:
    heard = talked(CAFE, None, "add milk and whipped cream", "take a note buy more beans today")
    assert texts(heard)[1:] == ["With milk and whipped cream", "Noted: buy more beans today"]
    slot = requests_of(heard[1])[0]["request"]["intent"]["slots"]["toppings"]
    assert slot["slotValue"]["type"] == "List"


def test_session_attributes_come_back_and_are_cleared_where_left_out() -> None:
    heard = talked(CAFE, None, "how often was i here", "book a table", "how often was i here")
    assert requests_of(heard[1])[0]["session"]["attributes"] == {"turns": 1}
    assert requests_of(heard[1])[0]["session"]["new"] is False
    assert requests_of(heard[3])[0]["session"]["attributes"] == {}


def test_a_one_shot_begins_a_session_with_its_intent() -> None:
    (heard,) = talked(CAFE, "ask corner cafe how often was i here")
    assert texts([heard]) == ["This is turn 0."]
    (envelope,) = requests_of(heard)
    assert envelope["session"]["new"] is True
    assert envelope["request"]["type"] == "IntentRequest"


@pytest.mark.parametrize("word", ["exit", "Alexa, quit"])
def test_exit_is_the_platforms_word_and_stop_the_skills(word: str) -> None:
    heard = talked(CAFE, None, word, "open corner cafe", "stop")
    assert texts(heard)[1:] == ["", GREETING, "Goodbye!"]
    left, stopped = payload(heard[1]), payload(heard[3])
    assert (left["ended_by"], left["reason"]) == ("user", "USER_INITIATED")
    assert requests_of(heard[1])[0]["request"]["reason"] == "USER_INITIATED"
    assert (stopped["ended_by"], stopped["reason"]) == ("skill", None)
    assert [item["request"]["type"] for item in requests_of(heard[3])] == ["IntentRequest"]


def test_silence_is_asked_again_once_and_then_ends_the_session() -> None:
    heard = talked(CAFE, None, None, None, None)
    assert texts(heard) == [GREETING, "Coffee or tea?", "", ""]
    assert payload(heard[2])["reason"] == "EXCEEDED_MAX_REPROMPTS"
    assert payload(heard[2])["ended_by"] == "platform"
    assert [item.ended for item in heard if isinstance(item, Observation)] == [0, 0, 1, 1]


@pytest.mark.parametrize(("profile", "ended"), [("headless", True), ("screen", False)])
def test_a_response_that_does_not_say_whether_it_ends_depends_on_the_device(
    profile: str, ended: bool
) -> None:
    heard = talked(CAFE, None, "surprise me", "tea", "yes", device={"profile": profile})
    assert isinstance(heard[-1], Observation)
    assert heard[-1].ended is ended  # it has a card, and says nothing of the session


def test_audio_goes_on_after_the_session_and_takes_words_for_it() -> None:
    heard = talked(CAFE, None, "play the house music", "pause", "what's the time")
    assert texts(heard)[1:] == ["Here is our music.\n<Play audio>", "", "It's 10:00 AM."]


def test_the_service_api_tells_what_the_user_allows() -> None:
    asked = (CAFE, None, "where do i live")
    assert texts(talked(*asked))[1] == "You did not allow that (403)."
    assert texts(talked(*asked, services={"granted": ["address"]}))[1] == "In Seattle."
    refused = talked(*asked)[1]
    assert isinstance(refused, Observation)
    assert "asks for permissions" in refused.attachments[0].description


def test_chance_comes_from_the_case(node: str) -> None:
    def rolls(skill: str, said: str, case: int) -> list[str]:
        return texts(talked(skill, None, said, case=case))[1:]

    for skill, said in ((CAFE, "roll the dice"), (ISLAND, "what does the parrot say")):
        assert rolls(skill, said, 1) == rolls(skill, said, 1) != rolls(skill, said, 2)


def test_requests_are_the_same_for_the_same_case() -> None:
    def sent() -> list[Any]:
        heard = talked(CAFE, None, "order a tea", "large", "yes", "yes", "exit")
        return [requests_of(item) for item in heard]

    assert sent() == sent()


def test_a_node_skill_remembers_speaks_markup_and_finds_its_words(node: str) -> None:
    said = ["dig five steps to the north", "how often did i dig", "stop"]
    heard = talked(ISLAND, None, *said)
    assert texts(heard) == [
        "<Short audio> Ahoy! Where do you dig?",
        "You dig 5 steps to the north.",
        "You dug 1 times & found nothing.",
        "Farewell, sailor.",
    ]
    assert payload(heard[1])["nlu"]["slots"] == {"steps": ["5"], "side": ["north"]}
    assert payload(heard[1])["nlu"]["considered"][0]["intent"] == "DigIntent"


def test_without_fallback_foreign_words_reach_the_nearest_intent_or_are_asked_again(
    node: str,
) -> None:
    heard = talked(ISLAND, None, "how often do i dig for gold", "zzzz", "zzzz")
    near, unknown, again = (payload(item) for item in heard[1:])
    assert near["nlu"]["intent"] == "CountIntent"
    assert near["nlu"]["how"] in ("near", "forced")
    assert unknown["nlu"]["intent"] is None
    assert unknown["session"] == "open"
    assert again["reason"] == "EXCEEDED_MAX_REPROMPTS"


def test_words_before_the_skill_is_opened_open_it_first() -> None:
    (heard,) = talked(CAFE, "how often was i here")
    assert texts([heard]) == [f"{GREETING}\nThis is turn 1."]
    (nothing,) = talked(CAFE, "how often was i here", start="nothing")
    assert payload(nothing)["speaker"] == "platform"


def test_other_skills_are_opened_by_their_names_and_names_that_are_near_are_offered(
    node: str,
) -> None:
    said = ["open treasure island", "open corner cafe", "exit", "open corner caffey", "yes"]
    heard = talked(CAFE, None, *said, others=[ISLAND])
    assert [payload(item)["skill"] for item in heard[:3]] == [
        "corner cafe", "treasure island", "corner cafe",
    ]  # fmt: skip
    assert requests_of(heard[1])[0]["request"]["reason"] == "USER_INITIATED"
    assert texts(heard)[4] == f"Here's Corner Cafe.\n{GREETING}"
    unknown = talked(CAFE, "open the pod bay doors", start="nothing")
    assert texts(unknown) == ["Sorry, I couldn't find a skill called pod bay doors."]
    offered = talked(CAFE, "open cornered coffee", "yes", start="nothing")
    assert texts(offered) == ["Did you mean Corner Cafe?", GREETING]


def test_of_two_skills_by_one_name_the_other_is_opened(node: str) -> None:
    other = {"folder": ISLAND, "invocation": "corner cafe"}
    heard = talked(CAFE, None, others=[other])
    assert texts(heard) == ["<Short audio> Ahoy! Where do you dig?"]


def test_a_name_that_alexa_keeps_for_herself_opens_no_skill() -> None:
    skill = {"folder": CAFE, "invocation": "timer"}
    assert payload(talked(skill, None)[0])["speaker"] == "platform"


def test_a_failing_skill_may_be_heard_as_the_device_tells_it(node: str) -> None:
    skill = {"folder": "trouble_python"}
    heard = talked(skill, None, "raise an error", failures="speak")
    assert texts(heard)[1] == "There was a problem with the requested skill's response."
    told = payload(heard[1])
    assert "the drawer is empty" in told["failure"]
    kinds = [item["request"]["request"]["type"] for item in told["exchanges"]]
    assert kinds == ["IntentRequest", "SessionEndedRequest"]
    assert told["exchanges"][1]["request"]["request"]["error"]["type"] == "INVALID_RESPONSE"


def test_the_exchanges_of_a_failed_turn_come_with_the_next_one() -> None:
    heard = talked("trouble_python", None, "return nothing", "open trouble maker")
    assert len(requests_of(heard[2])) == 3
