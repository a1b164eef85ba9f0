"""A chat widget on a page is a text app."""

from typing import Any

import pytest

from sparring.errors import AppCrash, AppTimeout, ConfigurationError
from sparring.interfaces.app_connector import Capability
from sparring.model.talk import GuiAction, Listen, Observation, Press, Say

from .conftest import QUICK, Visit

pytestmark = pytest.mark.anyio
PATIENT = {**QUICK, "action_s": 30}
"""No test here waits for it in vain: on a busy machine a click on "Send" takes more than 2 s."""


class Talk:
    def __init__(self, session: Any) -> None:
        self.session = session

    async def listen(self) -> Observation:
        return await self.session.send(Listen())  # type: ignore[no-any-return]

    async def say(self, text: str) -> Observation:
        return await self.session.send(Say(text=text))  # type: ignore[no-any-return]

    async def press(self, label: str) -> Observation:
        return await self.session.send(Press(label=label))  # type: ignore[no-any-return]


@pytest.fixture
async def talk(visit: Visit) -> Talk:
    visitor = await visit("/chat.html", timeout=PATIENT, chat={"answer_s": 8})
    return Talk(visitor.session)


def labels(heard: Observation) -> list[str]:
    return [choice.label for choice in heard.choices]


async def test_a_widget_is_found_opened_and_talked_to(talk: Talk) -> None:
    heard = await talk.listen()
    assert heard.text == "Welcome! What would you like?"
    assert labels(heard) == ["Order", "Opening hours"]
    assert heard.page is not None
    assert (await talk.say("hello")).text == "You said: hello"
    heard = await talk.press("Order")
    assert (heard.text, labels(heard)) == ("Which size?", ["Small", "Large"])
    heard = await talk.press("Large")
    assert (heard.text, labels(heard), heard.page) == ("You said: Large", [], None)
    assert (await talk.listen()).text == ""


async def test_an_answer_is_waited_for_until_it_is_whole(talk: Talk) -> None:
    assert (await talk.say("stream it")).text == "One two three four."
    assert (await talk.say("say it twice")).text == "First part.\nSecond part."
    heard = await talk.say("bye")
    assert (heard.text, heard.ended) == ("Good bye!", True)


@pytest.mark.thorough
async def test_silence_is_no_answer(visit: Visit) -> None:
    talk = Talk((await visit("/chat.html", timeout=PATIENT, chat={"answer_s": 1.5})).session)
    assert (await talk.listen()).text  # a greeting that comes late would be taken for the answer
    with pytest.raises(AppTimeout, match=r"no answer within 1\.5 s"):
        await talk.say("nothing, please")


@pytest.mark.thorough
async def test_a_chat_that_names_nothing_is_read_in_its_frame(visit: Visit) -> None:
    talk = Talk((await visit("/plainchat.html", timeout=PATIENT, chat={"bot": "p:has(b)"})).session)
    assert (await talk.say("hello")).text.endswith("Bob: Answer 1 to hello")
    bare = Talk((await visit("/plainchat.html", timeout=PATIENT, chat=True)).session)
    assert (await bare.say("hello")).text == "Bob: Answer 1 to hello"
    assert (await bare.say("and now?")).text == "Bob: Answer 2 to and now?"


async def test_selectors_say_what_cannot_be_guessed(visit: Visit) -> None:
    chat = {
        "launcher": ".launch", "input": ".panel input", "send": ".panel form button",
        "bot": ".bot .text", "choices": ".bot button", "typing": ".typing",
    }  # fmt: skip
    talk = Talk((await visit("/chat.html", timeout=PATIENT, chat=chat)).session)
    heard = await talk.listen()
    assert (heard.text, labels(heard)[:2]) == (
        "Welcome! What would you like?", ["Order", "Opening hours"],
    )  # fmt: skip
    assert (await talk.say("stream")).text == "One two three four."


@pytest.mark.thorough
async def test_a_page_without_a_chat_says_so(visit: Visit) -> None:
    talk = Talk((await visit("/second.html", chat=True)).session)
    with pytest.raises(ConfigurationError, match=r"no field to type into.*chat\.input"):
        await talk.say("hello")
    page = await visit("/second.html")
    with pytest.raises(ConfigurationError, match="is a page, and no chat"):
        await page.session.send(Say(text="hello"))


@pytest.mark.thorough
async def test_a_server_error_in_the_place_of_the_chat_is_the_apps(visit: Visit) -> None:
    talk = Talk((await visit("/status/503", chat=True)).session)
    with pytest.raises(AppCrash, match="answered 503"):
        await talk.say("hello")


@pytest.mark.thorough
async def test_a_selector_or_a_choice_that_is_none_is_the_tests_fault(visit: Visit) -> None:
    talk = Talk((await visit("/chat.html", chat={"input": "#a["})).session)
    with pytest.raises(ConfigurationError, match="no selector of CSS"):
        await talk.say("hello")
    session = (await visit("/chat.html", timeout=PATIENT, chat=True)).session
    await session.send(Listen())
    with pytest.raises(ConfigurationError, match="nothing to press"):
        await session.send(Press(label="Nobody offered this"))


@pytest.mark.thorough
async def test_a_page_with_a_chat_is_still_a_page(visit: Visit) -> None:
    visitor = await visit("/chat.html", timeout=PATIENT, chat={"page": True})
    heard = await visitor.session.send(Say(text="hello"))
    assert heard.page is not None
    seen = await visitor.session.send(GuiAction(action="reload"))
    assert seen.page.snapshot.title == "Shop"
    assert (await visitor.session.send(Say(text="again"))).text == "You said: again"


def test_what_is_offered_depends_on_the_settings(shared: Any) -> None:
    assert Capability.TEXT not in shared.offers
    assert Capability.TEXT in type(shared).offers
