"""Which skill a user asks for ("open X", "ask X to ...", "... using X"), and Alexa's own words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rapidfuzz import fuzz

from sparring_connectors.alexa.skills import InstalledSkill
from sparring_connectors.alexa.vocabulary import VOCABULARY
from sparring_connectors.alexa.words import HeardWords, split_words

# What Alexa says and does herself, outside of skills.

TROUBLE = "There was a problem with the requested skill's response."
NOT_UNDERSTOOD = "Sorry, I'm not sure about that."
UNKNOWN_SKILL = "Sorry, I couldn't find a skill called {name}."
OFFER = "Did you mean {name}?"
OPENING = "Here's {name}."
_TIME = re.compile(r"^(?:what is the time|what time is it|tell me the time|do you have the time)"
                   r"(?: now| right now)?$")  # fmt: skip
_DATE = re.compile(r"^(?:what is the date|what day is it|what is today is date)(?: today)?$")
_UNDECLARED = {
    "AMAZON.PauseIntent": "Nothing is playing right now.",
    "AMAZON.ResumeIntent": "Sorry, there is nothing for me to resume.",
    "AMAZON.StartOverIntent": "Starting over.",
}


def leaves_skill(words: HeardWords) -> bool:
    """Whether a user leaves a skill by the platform's own word."""
    return words.words in VOCABULARY.exit_phrases


def asks_time(words: HeardWords) -> bool:
    """Whether a user asks for time or date, which Alexa knows herself."""
    question = " ".join(words.words)
    return bool(_TIME.match(question) or _DATE.match(question))


def platform_answer(words: HeardWords, now: datetime) -> str:
    """What Alexa answers while no skill is open; empty if she stays silent."""
    words_said = words.said()
    plain = " ".join(words.words)
    if _TIME.match(plain):
        return f"It's {now:%I:%M %p}.".replace("'s 0", "'s ")
    if _DATE.match(plain):
        return f"It's {now:%A, %B} {now.day}."
    if words_said in VOCABULARY.silent or not words_said:
        return ""
    return VOCABULARY.small_talk.get(words_said, NOT_UNDERSTOOD)


def undeclared_answer(intent: str | None) -> str | None:
    """What Alexa says to a standard phrase that the open skill does not declare."""
    return _UNDECLARED.get(intent or "")


#: Similarity (0 to 100) from which a skill is opened at once: "open spice facts" for space facts.
_SAME_NAME = 88.0
#: From which Alexa asks back: "open space fax" gets "Did you mean Space Facts?".
_SIMILAR_NAME = 72.0


@dataclass(frozen=True, slots=True)
class Invocation:
    """A request for a skill: which one, the words for it, how surely it is meant.

    `skill` is `None` if none is installed by that name. `similarity` is in [0, 100]; `reserved`
    says that Alexa does herself what was named.
    """

    name: str
    words: str = ""
    skill: InstalledSkill | None = None
    similarity: float = 100.0
    reserved: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether the skill is opened without asking back."""
        return self.similarity >= _SAME_NAME


def find_exact_invocation(said: HeardWords, skills: Sequence[InstalledSkill]) -> Invocation | None:
    """The skill that is asked for with its exact name first, also while another one is open."""
    for lead, only_opens in _find_leads(said):
        rest = said.part(lead, len(said))
        invocation = _find_name(rest, skills, only_opens=only_opens)
        if invocation is not None:
            return invocation
    return None


def find_invocation(said: HeardWords, skills: Sequence[InstalledSkill]) -> Invocation | None:
    """The skill that is asked for while none is open, also by a name that is nearly its own."""
    exact = find_exact_invocation(said, skills) or _find_name_at_end(said, skills)
    lead = next(iter(_find_leads(said)), None)
    if exact is None and lead is None:
        return None
    name = exact.name if exact else _spoken_name(said.part(lead[0] if lead else 0, len(said)))
    if name in VOCABULARY.reserved_names and (exact is None or not exact.words):
        return Invocation(name, reserved=True)
    if exact is not None:
        return exact
    scored = [(fuzz.ratio(name, skill.name), skill) for skill in skills]
    similarity, nearest = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    if nearest is None or similarity < _SIMILAR_NAME:
        return Invocation(name)
    return Invocation(name, skill=nearest, similarity=similarity)


def _find_leads(said: HeardWords) -> list[tuple[int, bool]]:
    """How many words lead up to a name, the longest first, and whether they can only open."""
    leads = [
        (len(lead), kind is VOCABULARY.openings)
        for kind in (VOCABULARY.openings, VOCABULARY.askings)
        for lead in kind
        if said.words[: len(lead)] == lead and len(said) > len(lead)
    ]
    return sorted(leads, reverse=True)


def _find_name(
    rest: HeardWords, skills: Sequence[InstalledSkill], *, only_opens: bool
) -> Invocation | None:
    """A name at the beginning, then nothing or a joining word; the longest name wins."""
    matching = [(tuple(split_words(skill.name)), skill) for skill in skills]
    for name, skill in sorted(matching, key=lambda pair: -len(pair[0])):
        if not name or rest.words[: len(name)] != name:
            continue
        more = rest.part(len(name), len(rest))
        if not len(more):
            return Invocation(skill.name, skill=skill)
        if more.words[0] in VOCABULARY.joining_words:
            start = 0 if more.words[0] in VOCABULARY.question_words else 1
            return Invocation(skill.name, more.said(start), skill)
        # "ask space give me one": what follows the name is a request even without a joining word.
        if not only_opens:
            return Invocation(skill.name, more.said(), skill)
    return None


def _find_name_at_end(said: HeardWords, skills: Sequence[InstalledSkill]) -> Invocation | None:
    """``give me a fact from space facts``."""
    for skill in skills:
        name = tuple(split_words(skill.name))
        at = len(said) - len(name)
        if (
            name
            and at > 1
            and said.words[at:] == name
            and said.words[at - 1] in VOCABULARY.words_before_name
        ):
            return Invocation(skill.name, said.said(0, at - 1), skill)
    return None


def _spoken_name(rest: HeardWords) -> str:
    """The words up to a joining word."""
    end = next(
        (at for at, word in enumerate(rest.words) if at and word in VOCABULARY.joining_words),
        len(rest),
    )
    return rest.said(0, end)
