"""Responses in words, and what Alexa refuses."""

from typing import Any

import pytest

from sparring_connectors.alexa.responses import InvalidResponse, card_text, read_response
from sparring_connectors.alexa.ssml import prompt_to_text, read_ssml


def answer(**response: Any) -> dict[str, Any]:
    return {"version": "1.0", "response": response}


def speech(ssml: str) -> dict[str, Any]:
    return {"outputSpeech": {"type": "SSML", "ssml": ssml}}


@pytest.mark.parametrize(
    ("ssml", "heard"),
    [
        ("<speak>Hello.</speak>", "Hello."),
        ("<speak>One<break time='1s'/>two</speak>", "One two"),
        ("<speak><p>One.</p><p>Two.</p></speak>", "One. Two."),
        ("<speak>A <sub alias='magnesium'>Mg</sub> pill</speak>", "A magnesium pill"),
        ("<speak><audio src='soundbank://x'/> Go</speak>", "<Short audio> Go"),
        ("<speak><say-as interpret-as='digits'>12</say-as> x</speak>", "12 x"),
        ("<speak><amazon:effect name='whispered'>psst</amazon:effect></speak>", "psst"),
        ("<speak><voice name='Joey'><lang xml:lang='fr-FR'>oui</lang></voice></speak>", "oui"),
        ("<speak>you &amp; me &lt;3</speak>", "you & me <3"),
        ("<speak>\n  two\n  lines </speak>", "two lines"),
        ("<?xml version='1.0'?><speak>x</speak>", None),
        ("<speak>you & me</speak>", None),
        ("<speak>open", None),
        ("no markup", None),
        ("<p>no speak</p>", None),
        ("<speak/>tail", None),
        ("<!DOCTYPE speak [<!ENTITY a 'b'>]><speak>&a;</speak>", None),
        ("<speak>" + "<p>" * 300 + "</p>" * 300 + "</speak>", None),
    ],
)
def test_ssml(ssml: str, heard: str | None) -> None:
    found = read_ssml(ssml)
    assert (found.fatal is None) == (heard is not None)
    if heard is not None:
        assert found.text == heard
        assert read_response(answer(**speech(ssml))).speech == heard
    else:
        with pytest.raises(InvalidResponse):
            read_response(answer(**speech(ssml)))


def test_elements_that_alexa_does_not_know_are_a_problem_and_no_more() -> None:
    response = read_response(answer(**speech("<speak>a <blink>b</blink></speak>")))
    assert response.speech == "a b"
    assert response.problems == ("SSML: <blink> is no element that Alexa knows",)


def test_prompts_of_the_model_may_be_careless() -> None:
    assert prompt_to_text("You & me?") == "You & me?"
    assert prompt_to_text("<speak>You & <break/>me?</speak>") == "You & me?"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (None, "null"),
        ([], "list"),
        ({}, "no object 'response'"),
        ({"version": "1.0", "response": []}, "no object 'response'"),
        (answer(outputSpeech={"type": "Text", "text": "x"}), "'Text'"),
        (answer(outputSpeech={"type": "PlainText"}), "is no text"),
        (answer(outputSpeech="x"), "type is None"),
        (answer(shouldEndSession="true"), "shouldEndSession is 'true'"),
        (answer(card={"type": "Fancy"}), "card.type"),
        (answer(directives={}), "directives is no list"),
        (answer(directives=[{}]), "no type"),
        ({**answer(), "sessionAttributes": []}, "sessionAttributes"),
        (answer(**speech("<speak>" + "<audio src='x'/>" * 6 + "</speak>")), "6 audio"),
        (answer(outputSpeech={"type": "PlainText", "text": "x" * 8001}), "8,001"),
        ({**answer(), "sessionAttributes": {"x": "y" * 130_000}}, "bytes"),
        (
            answer(directives=[{"type": "Dialog.Delegate"}, {"type": "Dialog.ConfirmIntent"}]),
            "more than one",
        ),
    ],
)
def test_what_alexa_refuses(raw: Any, message: str) -> None:
    with pytest.raises(InvalidResponse, match=message):
        read_response(raw)


@pytest.mark.parametrize(("flag", "read"), [(True, True), (False, False), (None, False)])
def test_the_flag_of_the_session(flag: bool | None, read: bool) -> None:
    assert read_response(answer(shouldEndSession=flag)).should_end is read
    assert read_response(answer()).should_end is None


def test_what_is_against_the_documentation_is_told() -> None:
    delegate = [{"type": "Dialog.Delegate"}]
    response = read_response({"response": {"directives": delegate, "shouldEndSession": True}})
    assert len(response.problems) == 2
    assert read_response(answer(shouldEndSession=False)).problems


APLA = {
    "type": "Alexa.Presentation.APLA.RenderDocument",
    "document": {
        "type": "APLA",
        "mainTemplate": {
            "parameters": ["payload"],
            "items": [
                {
                    "type": "Sequencer",
                    "items": [
                        {"type": "Speech", "content": "Hi ${payload.user.names[0]}."},
                        {"type": "Audio", "source": "soundbank://x"},
                        {"type": "Silence", "duration": 500},
                        {
                            "type": "Selector",
                            "items": [
                                {
                                    "type": "Speech",
                                    "when": "${payload.user.late}",
                                    "content": "Late",
                                },
                                {
                                    "type": "Speech",
                                    "contentType": "SSML",
                                    "content": "<speak>Well <break/>come.</speak>",
                                },
                            ],
                        },
                        {"type": "Speech", "content": "${payload.unknown}!"},
                    ],
                }
            ],
        },
    },
    "datasources": {"user": {"names": ["Jo"], "late": False}},
}


def test_apl_for_audio_and_streams_are_heard() -> None:
    assert read_response(answer(directives=[APLA])).speech == (
        "Hi Jo. <Short audio> Well come. ${payload.unknown}!"
    )
    play = {"type": "AudioPlayer.Play", "audioItem": {"stream": {"url": "https://x", "token": "t"}}}
    response = read_response(answer(directives=[play], shouldEndSession=True))
    assert (response.speech, response.has_audio) == ("<Play audio>", True)


def test_cards_are_told_in_words() -> None:
    image = {"smallImageUrl": "https://x/s.png"}
    assert card_text({"type": "Standard", "title": "T", "text": "x", "image": image}) == (
        "T\nx", "https://x/s.png",
    )  # fmt: skip
    assert card_text({"type": "LinkAccount"}) == ("asks to link an account", None)
