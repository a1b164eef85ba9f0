"""SSML: whether it is well-formed, and the words and sounds in it."""

import html
import re
from dataclasses import dataclass
from xml.parsers import expat

from sparring_connectors.alexa.shapes import listed

AUDIO = "<Short audio>"
_SENTENCES = {"p", "s", "break"}
_BARE_AMPERSAND = re.compile(r"&(?!#?\w+;)")
#: An element around the speech, so that text outside of it is noticed.
_OUTSIDE = "<sparring>"
_SPACES = re.compile(r"[ \t\r\n]+")
_KNOWN = frozenset(
    listed(
        "speak p s break audio say-as sub phoneme emphasis prosody w voice lang amazon:effect "
        "amazon:emotion amazon:domain mark alexa:name amazon:auto-breaths amazon:breath"
    )
)


@dataclass(frozen=True, slots=True)
class Speech:
    """What is heard: the words, how many sounds are played, what is wrong with the markup."""

    text: str
    sounds: int = 0
    problems: tuple[str, ...] = ()
    fatal: str | None = None


def read_ssml(ssml: str) -> Speech:
    """Read SSML; where it is not well-formed, `fatal` says why and the text is what is there."""
    reader = _Reader()
    try:
        reader.parse(ssml)
    except expat.ExpatError as err:
        why = f"the SSML is not well-formed: {expat.ErrorString(err.code)}"
        column = err.offset - (len(_OUTSIDE) if err.lineno == 1 else 0)
        place = f"{why} at line {err.lineno}, column {max(0, column)}"
        return Speech(stripped(ssml), reader.sounds, tuple(reader.problems), place)
    except _Unfit as err:
        return Speech(stripped(ssml), reader.sounds, tuple(reader.problems), str(err))
    return Speech(_tidy("".join(reader.parts)), reader.sounds, tuple(reader.problems))


def stripped(markup: str) -> str:
    """The text of markup that cannot be parsed."""
    plain = re.sub(
        r"<audio\b[^>]*>", f" {AUDIO.replace('<', chr(1)).replace('>', chr(2))} ", markup
    )
    plain = html.unescape(re.sub(r"<[^<>]*>", " ", plain))
    return _tidy(plain.replace(chr(1), "<").replace(chr(2), ">"))


def _tidy(said: str) -> str:
    plain = _SPACES.sub(" ", said).strip()
    return re.sub(r" +([.,!?;:])", r"\1", plain)


class _Unfit(Exception):
    """Well-formed XML that is not what Alexa takes."""


class _Reader:
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
        raise _Unfit("the SSML has a document type, which Alexa does not take")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > 200:
            raise _Unfit("the SSML is nested more than 200 deep")
        if self._depth == 2 and name != "speak":
            raise _Unfit(f"the SSML begins with <{name}>, not with <speak>")
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
            raise _Unfit("the SSML has text outside <speak>")
        self._say(data)

    def _say(self, said: str) -> None:
        if not self._replaced:
            self.parts.append(said)


def wrapped(ssml: str) -> str:
    """SSML with the `<speak>` around it that Alexa allows to be left out in prompts."""
    plain = ssml.strip()
    return plain if plain.startswith("<speak") else f"<speak>{plain}</speak>"


def spoken_prompt(prompt: str) -> str:
    """A prompt of the interaction model in words; prompts may be plain text or SSML."""
    if "<" not in prompt:
        return _tidy(html.unescape(prompt))
    escaped = _BARE_AMPERSAND.sub("&amp;", prompt)
    return read_ssml(wrapped(escaped)).text
