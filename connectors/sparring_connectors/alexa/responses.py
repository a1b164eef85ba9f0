"""A skill's response: read, checked as Alexa checks it, and put into words.

What makes Alexa refuse a response (and say that there was a problem) is *fatal*; what she
overlooks, though it is against her documentation, is a *problem* for the report.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from sparring_connectors.alexa.shapes import mapping, mappings, named, text
from sparring_connectors.alexa.ssml import document_to_text, read_ssml

MOST_SPEECH = 8_000
"""Characters of speech, with markup."""
MOST_BYTES = 120_000
"""Bytes of a whole response."""
# Alexa refuses a response with more than five <audio> tags.
_MOST_SOUNDS = 5
_CARDS = {"Simple", "Standard", "LinkAccount", "AskForPermissionsConsent"}
_TURNS = frozenset({"Dialog.ElicitSlot", "Dialog.ConfirmSlot", "Dialog.ConfirmIntent",
                    "Dialog.Delegate"})  # fmt: skip
_SCREEN = frozenset({"Alexa.Presentation.APL.RenderDocument", "Display.RenderTemplate",
                     "Alexa.Presentation.HTML.Start"})  # fmt: skip
_PLAYED = {
    "AudioPlayer.Play": "<Play audio>",
    "VideoApp.Launch": "<Play video>",
}
_ENDING = ("Connections.", "VideoApp.Launch")


class InvalidResponse(Exception):
    """A response that Alexa refuses; the text says why."""


@dataclass(frozen=True, slots=True)
class Response:
    """A response that Alexa takes.

    `speech` is what is heard, `should_end` is `None` if the skill left it out. `directives`
    are as sent, `problems` what is against the documentation and overlooked.
    """

    speech: str = ""
    reprompt: str = ""
    should_end: bool | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    card: Mapping[str, Any] = field(default_factory=dict[str, Any])
    directives: tuple[Mapping[str, Any], ...] = ()
    problems: tuple[str, ...] = ()
    fulfill: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def dialog(self) -> Mapping[str, Any] | None:
        """The directive that goes on with a dialog, if there is one."""
        turns = (item for item in self.directives if item.get("type") in _TURNS)
        return next(turns, None)

    @property
    def has_screen_content(self) -> bool:
        """Whether a device with a screen has something to show."""
        return bool(self.card) or any(item.get("type") in _SCREEN for item in self.directives)

    @property
    def leaves(self) -> bool:
        """Whether a directive ends the session whatever the flag says."""
        return any(text(item.get("type")).startswith(_ENDING) for item in self.directives)

    @property
    def has_audio(self) -> bool:
        """Whether a long-form audio stream starts."""
        return any(item.get("type") == "AudioPlayer.Play" for item in self.directives)


def read_response(raw: object) -> Response:
    """Read a response; raises InvalidResponse if Alexa refuses it."""
    envelope = mapping(raw)
    if not isinstance(raw, dict):
        kind = "null" if raw is None else type(raw).__name__
        raise InvalidResponse(f"the response is {kind}, not an object")
    if not isinstance(envelope.get("response"), dict):
        raise InvalidResponse("the response has no object 'response'")
    size = len(json.dumps(raw, ensure_ascii=False).encode("utf-8", "replace"))
    if size > MOST_BYTES:
        raise InvalidResponse(f"the response has {size:,} bytes; at most {MOST_BYTES:,} are taken")
    return _ResponseReader(envelope).read()


class _ResponseReader:
    """One response being read; collects problems."""

    def __init__(self, envelope: Mapping[str, Any]) -> None:
        self._envelope = envelope
        self._body = mapping(envelope.get("response"))
        self._problems: list[str] = []

    def read(self) -> Response:
        if self._envelope.get("version") != "1.0":
            self._problems.append("'version' is not \"1.0\"")
        reprompt = mapping(self._body.get("reprompt"))
        directives = self._directives(self._body)
        played = [_PLAYED[kind] for item in directives if (kind := item["type"]) in _PLAYED]
        speech = [self._speech(self._body.get("outputSpeech"), "outputSpeech")]
        speech += [*_document_texts(directives), *played]
        reprompts = [self._speech(reprompt.get("outputSpeech"), "reprompt.outputSpeech")]
        reprompts += _document_texts(self._directives(reprompt))
        response = Response(
            speech="\n".join(part for part in speech if part),
            reprompt="\n".join(part for part in reprompts if part),
            should_end=self._flag(),
            attributes=self._attributes(),
            card=self._card(),
            directives=directives,
            fulfill=mapping(self._body.get("canFulfillIntent")),
        )
        self._consistent(response)
        return replace(response, problems=tuple(self._problems))

    def _speech(self, value: object, place: str) -> str:
        if value is None:
            return ""
        speech = mapping(value)
        kind = speech.get("type")
        if kind not in ("PlainText", "SSML"):
            raise InvalidResponse(f"{place}.type is {kind!r}, not PlainText or SSML")
        field_name = "text" if kind == "PlainText" else "ssml"
        content = speech.get(field_name)
        if not isinstance(content, str):
            raise InvalidResponse(f"{place}.{field_name} is no text")
        if len(content) > MOST_SPEECH:
            raise InvalidResponse(
                f"{place} has {len(content):,} characters; at most {MOST_SPEECH:,} are taken"
            )
        if kind == "PlainText":
            return content.strip()
        read = read_ssml(content)
        if read.fatal is not None:
            raise InvalidResponse(f"{place}: {read.fatal}")
        if read.sounds > _MOST_SOUNDS:
            raise InvalidResponse(f"{place} has {read.sounds} audio elements; 5 are taken")
        self._problems += read.problems
        return read.text

    def _flag(self) -> bool | None:
        value = self._body.get("shouldEndSession")
        if value is None:
            return False if "shouldEndSession" in self._body else None
        if not isinstance(value, bool):
            raise InvalidResponse(f"shouldEndSession is {value!r}, not true, false or null")
        return value

    def _attributes(self) -> dict[str, Any]:
        value = self._envelope.get("sessionAttributes")
        if value is not None and not isinstance(value, dict):
            raise InvalidResponse("sessionAttributes is no object")
        return mapping(self._envelope.get("sessionAttributes"))

    def _card(self) -> dict[str, Any]:
        value = self._body.get("card")
        if value is None:
            return {}
        card = mapping(value)
        if card.get("type") not in _CARDS:
            raise InvalidResponse(f"card.type is {card.get('type')!r}, which Alexa does not know")
        return card

    def _directives(self, body: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        value = body.get("directives")
        if value is None:
            return ()
        if not isinstance(value, list):
            raise InvalidResponse("directives is no list")
        directives = tuple(mappings(body.get("directives")))
        for item in directives:
            if not text(item.get("type")):
                raise InvalidResponse("a directive has no type")
        return directives

    def _consistent(self, response: Response) -> None:
        dialog = [item for item in response.directives if item.get("type") in _TURNS]
        if len(dialog) > 1:
            raise InvalidResponse("the response has more than one directive for the dialog")
        if dialog and response.should_end:
            self._problems.append(f"shouldEndSession is true together with {dialog[0]['type']}")
        if response.should_end is False and not response.speech and not response.directives:
            self._problems.append("the session stays open, and nothing is said")


def _document_texts(directives: tuple[dict[str, Any], ...]) -> list[str]:
    kind = "Alexa.Presentation.APLA.RenderDocument"
    return [document_to_text(item) for item in directives if item.get("type") == kind]


def card_text(card: Mapping[str, Any]) -> tuple[str, str | None]:
    """A card in words, and the address of its picture."""
    image = mapping(card.get("image"))
    parts = [named(card.get("title")), named(card.get("content")) or named(card.get("text"))]
    if card.get("type") == "AskForPermissionsConsent":
        asked = card.get("permissions")
        parts.append("asks for permissions: " + ", ".join(map(str, asked or ())))
    elif card.get("type") == "LinkAccount":
        parts.append("asks to link an account")
    picture = named(image.get("largeImageUrl")) or named(image.get("smallImageUrl"))
    return "\n".join(part for part in parts if part), picture or None
