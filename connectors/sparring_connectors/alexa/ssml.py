"""Speech as text: SSML, and APL for audio (``Alexa.Presentation.APLA.RenderDocument``).

Of APL for audio, Speech, Audio, Sequencer, Mixer, Selector and Silence are read; data sources are
bound as ``${payload.name.part}``. What is chosen at random is the first that can be said.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from xml.parsers import expat

from sparring_connectors.alexa.shapes import mapping, mappings, named, sequence, text

AUDIO = "<Short audio>"
_SENTENCES = {"p", "s", "break"}
_BARE_AMPERSAND = re.compile(r"&(?!#?\w+;)")
#: An element around the speech, so that text outside of it is noticed.
_OUTSIDE = "<sparring>"
_SPACES = re.compile(r"[ \t\r\n]+")
_KNOWN = frozenset({
    "speak", "p", "s", "break", "audio", "say-as", "sub", "phoneme", "emphasis", "prosody", "w",
    "voice", "lang", "mark", "amazon:effect", "amazon:emotion", "amazon:domain",
    "amazon:auto-breaths", "amazon:breath", "alexa:name",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class SsmlSpeech:
    """What is heard: the words, how many sounds are played, what is wrong with the markup."""

    text: str
    sounds: int = 0
    problems: tuple[str, ...] = ()
    fatal: str | None = None


def read_ssml(ssml: str) -> SsmlSpeech:
    """Read SSML; if it is not well-formed, `fatal` says why, and the text is what is there."""
    reader = _SsmlReader()
    try:
        reader.parse(ssml)
    except expat.ExpatError as err:
        why = f"the SSML is not well-formed: {expat.ErrorString(err.code)}"
        column = err.offset - (len(_OUTSIDE) if err.lineno == 1 else 0)
        place = f"{why} at line {err.lineno}, column {max(0, column)}"
        return SsmlSpeech(strip_markup(ssml), reader.sounds, tuple(reader.problems), place)
    except _UnfitSsml as err:
        return SsmlSpeech(strip_markup(ssml), reader.sounds, tuple(reader.problems), str(err))
    return SsmlSpeech(
        _normalise_spaces("".join(reader.parts)), reader.sounds, tuple(reader.problems)
    )


def strip_markup(markup: str) -> str:
    """The text of markup that cannot be parsed."""
    plain = re.sub(
        r"<audio\b[^<>]*>", f" {AUDIO.replace('<', chr(1)).replace('>', chr(2))} ", markup
    )
    plain = html.unescape(re.sub(r"<[^<>]*>", " ", plain))
    return _normalise_spaces(plain.replace(chr(1), "<").replace(chr(2), ">"))


def _normalise_spaces(said: str) -> str:
    plain = _SPACES.sub(" ", said).strip()
    return re.sub(r"(?<! ) +([.,!?;:])", r"\1", plain)


class _UnfitSsml(Exception):
    """Well-formed XML that is not what Alexa takes."""


class _SsmlReader:
    """Collects words from SSML events; nothing is fetched and no entity is defined."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.problems: list[str] = []
        self.sounds = 0
        self._depth = 0
        self._replaced = 0

    def parse(self, ssml: str) -> None:
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = self._doctype
        parser.Parse(_OUTSIDE.encode(), False)
        parser.Parse(ssml.encode("utf-8", "replace"), False)
        parser.Parse(b"</sparring>", True)

    def _doctype(self, *_: object) -> None:
        raise _UnfitSsml("the SSML has a document type, which Alexa does not take")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > 200:
            raise _UnfitSsml("the SSML is nested more than 200 deep")
        if self._depth == 2 and name != "speak":
            raise _UnfitSsml(f"the SSML begins with <{name}>, not with <speak>")
        if self._depth > 1 and name not in _KNOWN:
            self.problems.append(f"SSML: <{name[:40]}> is no element that Alexa knows")
        if name == "audio":
            self.sounds += 1
            self._say(f" {AUDIO} ")
        elif name == "sub":
            self._say(attributes.get("alias", ""))
            self._replaced += 1
        elif name in _SENTENCES:
            self._say(" ")

    def _end(self, name: str) -> None:
        self._depth -= 1
        if name == "sub":
            self._replaced -= 1
        elif name in _SENTENCES:
            self._say(" ")

    def _text(self, data: str) -> None:
        if self._depth == 1 and data.strip():
            raise _UnfitSsml("the SSML has text outside <speak>")
        self._say(data)

    def _say(self, said: str) -> None:
        if not self._replaced:
            self.parts.append(said)


def wrap_speak(ssml: str) -> str:
    """SSML with the `<speak>` around it that Alexa allows to be left out in prompts."""
    plain = ssml.strip()
    return plain if plain.startswith("<speak") else f"<speak>{plain}</speak>"


def prompt_to_text(prompt: str) -> str:
    """A prompt of the interaction model in words; prompts may be plain text or SSML."""
    if "<" not in prompt:
        return _normalise_spaces(html.unescape(prompt))
    escaped = _BARE_AMPERSAND.sub("&amp;", prompt)
    return read_ssml(wrap_speak(escaped)).text


# APL for audio.

# APL's data binding: "Hello ${payload.user.name}".
_BINDING = re.compile(r"\$\{\s*([A-Za-z_][\w.\[\]'\"]*)\s*\}")
_DEEPEST = 50


def document_to_text(directive: Mapping[str, Any]) -> str:
    """What a RenderDocument directive says; empty if that cannot be known."""
    document = mapping(directive.get("document"))
    template = mapping(document.get("mainTemplate"))
    items = sequence(template.get("items")) or [template.get("item")]
    names = [name for name in sequence(template.get("parameters")) if isinstance(name, str)]
    sources = mapping(directive.get("datasources"))
    data: dict[str, Any] = {name: sources.get(name) for name in names if name in sources}
    data |= {"payload": sources, **sources} if "payload" in names or not names else {}
    resources = {"layouts": mapping(document.get("layouts"))}
    spoken = [_component_text(mapping(item), data, resources, 0) for item in items]
    return " ".join(part for part in spoken if part)


def _component_text(
    item: Mapping[str, Any], data: Mapping[str, Any], resources: Mapping[str, Any], depth: int
) -> str:
    if depth > _DEEPEST or not _is_heard(item, data):
        return ""
    kind = text(item.get("type"))
    if kind == "Speech":
        content = bind_data(text(item.get("content")), data)
        if text(item.get("contentType")).upper() == "SSML":
            return read_ssml(wrap_speak(content)).text
        return content.strip()
    if kind == "Audio":
        return AUDIO
    if kind == "Silence":
        return ""
    inner = list(mappings(item.get("items"))) or [mapping(item.get("item"))]
    if kind in mapping(resources.get("layouts")):
        layout = mapping(mapping(resources["layouts"])[kind])
        inner = list(mappings(layout.get("items"))) or [mapping(layout.get("item"))]
        data = {**data, **{key: _bind_value(value, data) for key, value in item.items()}}
    spoken = [
        part
        for part in (_component_text(component, data, resources, depth + 1) for component in inner)
        if part
    ]
    return " ".join(spoken[:1] if kind == "Selector" else spoken)


def _is_heard(item: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    """Whether a `when` that is a plain binding or a truth value lets the item be spoken."""
    when = item.get("when", True)
    if isinstance(when, str):
        condition = bind_data(when, data).strip().lower()
        return condition not in ("", "false", "null", "0")
    return bool(when)


def _bind_value(value: object, data: Mapping[str, Any]) -> object:
    return bind_data(value, data) if isinstance(value, str) else value


def bind_data(template: str, data: Mapping[str, Any]) -> str:
    """A text with each ``${...}`` that can be looked up replaced by what is found."""
    return _BINDING.sub(lambda match: _look_up(match[1], data, match[0]), template)


def _look_up(path: str, data: Mapping[str, Any], otherwise: str) -> str:
    value: Any = data
    for key in re.findall(r"[\w]+", path):
        items = sequence(value)
        if items:
            value = items[int(key)] if key.isdigit() and int(key) < len(items) else None
        else:
            value = mapping(value).get(key)
        if value is None:
            return otherwise
    return named(value) or (str(value).lower() if isinstance(value, bool) else otherwise)
