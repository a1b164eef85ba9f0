"""What the user wants, goal by goal: its kind, its words, the values it has."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from pydantic import JsonValue

from sparring.interfaces.roles import Goal, OutputSpec, UserTask
from sparring_plugins.language.stems import concepts
from sparring_plugins.language.text import contains, folded
from sparring_plugins.users.agenda.frame_text import filled
from sparring_plugins.users.agenda.frames import Frames, frames
from sparring_plugins.users.agenda.goal_language import language_of
from sparring_plugins.users.agenda.pronouns import (
    asked_by_user,
    first_person,
    may_i,
    same_owner,
    to_the_app,
)
from sparring_plugins.users.extraction.echoes import as_texts

Frame = Literal[
    "request", "action", "doing", "question", "topic", "about", "whether", "statement",
    "missing", "missing_question",
]  # fmt: skip
ASKING: frozenset[Frame] = frozenset({"question", "topic", "about", "whether"})

_WH = ("what", "which", "when", "where", "who", "whom", "whose", "why", "how")
_MEASURES = ("much", "many", "long", "far", "old", "often", "big", "large", "late", "early", "soon",
             "fast", "expensive", "high", "time", "day", "days", "date", "kind", "kinds", "type",
             "types", "sort", "sorts", "size", "sizes", "number", "color", "colour")  # fmt: skip
_SUBJECTS = ("a", "an", "the", "it", "you", "i", "we", "they", "he", "she", "this", "that", "these",
             "those", "my", "your", "there", "one")  # fmt: skip
_OBJECTS = ("a", "an", "the", "my", "your", "some", "to", "for", "with", "about", "in", "at", "on",
            "from", "this", "it", "up")  # fmt: skip

_PLACING = (
    "on",
    "at",
    "in",
    "for",
    "from",
    "until",
    "before",
    "after",
    "by",
    "with",
    "without",
    "under",
)
"""Words with which a goal tells when, where or how, such as "on Wednesday at ten"."""

_TELLING = ("it is", "it's", "it needs", "it has", "this is", "that is", "they are", "there is")
"""Words with which a goal tells something, such as "it is for my bicycle"."""

_CLAUSE = re.compile(r"\b(that|because|if|when) you(?:( have| need| want| like| cannot| can)\b)")

_KINDS = frozenset(
    {"~price", "~time", "~duration", "~date", "~number", "~type", "~help", "~product",
     "much", "need", "get", "offer", "last", "do", "happen"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Want:
    """One goal, or one output still to be asked for.

    `words` is what goes into the frame, `values` the variables it uses with their texts.
    """

    key: str
    frame: Frame
    words: str
    language: str
    values: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def asks(self) -> bool:
        """Whether an answer is wanted rather than a service."""
        if self.frame == "statement" and self.language != "Other":
            words = folded(self.words)
            return any(contains(words, cue) for cue in frames(self.language).knowing)
        return self.frame in ASKING or self.key.startswith("output")

    @property
    def concepts(self) -> frozenset[str]:
        """The concepts of its words."""
        return concepts(self.words)

    @property
    def subject(self) -> frozenset[str]:
        """What it is about: its concepts but for those that only tell the kind of answer."""
        return (self.concepts - _KINDS) or self.concepts

    @property
    def texts(self) -> list[str]:
        """All values it uses."""
        return [text for _, texts in self.values for text in texts]


def wants_of(task: UserTask) -> list[Want]:
    """One want per goal, in order."""
    return [_goal(index, goal, task.inputs, task.language) for index, goal in enumerate(task.goals)]


def output_wants(outputs: Sequence[OutputSpec], language: str) -> list[Want]:
    """One want per declared output: asking for it by its description."""
    found: list[Want] = []
    for spec in outputs:
        text = spec.description.strip() or spec.name.replace("_", " ")
        said = language_of(text, language)
        words = _output_words(text, frames(said))
        asked = _starts(folded(words), frames(said).question_words)
        asked = asked and _inverted(folded(words), frames(said))
        frame: Frame = "missing_question" if asked and said != "Other" else "missing"
        found.append(Want(f"output {spec.name}", frame, words, said))
    return found


def _goal(index: int, goal: Goal, inputs: Mapping[str, JsonValue], declared: str) -> Want:
    values = tuple((name, tuple(as_texts(inputs.get(name)))) for name in goal.inputs)
    language = language_of(goal.phrase, declared)
    frame, words = form_of(goal.phrase, language, bool(goal.inputs))
    return Want(f"goal {index}", frame, words, language, values)


@lru_cache(maxsize=1024)
def form_of(phrase: str, language: str, has_values: bool) -> tuple[Frame, str]:
    """The frame for a goal phrase, and its words without what is said to the user about it.

    Goals are written for a prompt: "ask about the menu", "a small pizza", "Setting an
    appointment", "What are the opening hours?".
    """
    text = " ".join(phrase.split()).strip(" .!¡:;,")
    if language == "Other":
        return "statement", text
    known = frames(language)
    text = _stripped(text, known.strip)
    text = _after(text, known.adverbs) or text
    if "?" in text or "¿" in text:
        return "question", text.strip(" ?¿.") if text.count("?") == 1 else text.rstrip("?").lstrip(
            "¿ "
        )
    if _starts(folded(text), known.greeting):
        return "statement", known.hello.strip("!¡")
    if _starts(folded(text), known.thanking):
        return "statement", known.thanks[-1].strip(".")
    told = _after(text, known.saying)
    if told is not None:
        return "statement", _told(told, known)
    asked = _after(text, known.asking)
    if asked is not None:
        return _asked(asked, known)
    wanted = _after(text, known.wanting)
    if wanted is not None:
        inner = _after(wanted, known.asking)
        return _asked(inner, known) if inner is not None else ("action", _mine(wanted))
    had = _after(text, known.having)
    if had is not None:
        return "request", _mine(had)
    if _starts(folded(text), known.whether_words):
        return "whether", text
    return _plain_form(text, known, has_values)


def _plain_form(text: str, known: Frames, has_values: bool) -> tuple[Frame, str]:
    words = folded(text)
    if _starts(words, known.question_words):
        return _question(text, known)
    if _starts(words, (*known.self_words, *known.polite, *known.orders, *_TELLING)):
        return "statement", text
    if _starts(words, known.verbs):
        return "action", _mine(text)
    first, _, rest = text.partition(" ")
    if known.finite and known.gerunds.get(first.lower()) and rest:
        return "action", f"{_own(rest, known)} {known.gerunds[first.lower()]}"
    if known.gerunds.get(first.lower()) and _bears_object(rest, known):
        return "action", _mine(f"{known.gerunds[first.lower()]} {rest}".strip())
    if known.verbs and first.lower().endswith("ing") and _starts(folded(rest), _OBJECTS):
        return "doing", _mine(text)
    if not known.verbs and first.lower().endswith(known.infinitive) and rest:
        return "action", text
    if known.finite and _ends_in_infinitive(text):
        return "action", _own(text, known)
    about = _after(text, known.about_words)
    if about is not None:
        return "about", about
    the = bool(words) and words.split()[0] in known.definite
    if known.verbs and _starts(words, _PLACING):
        return "statement", text
    if has_values or (_starts(words, known.determiners) and not the) or words[:1].isdigit():
        return "request", text
    if the or _starts(words, known.determiners):
        return "topic", text
    return "topic", f"{known.the} {text}".strip()


def _told(text: str, known: Frames) -> str:
    """What follows "say that", as the user says it; with a question where "and ask" follows."""
    parts = re.split(rf",?\s(?:{known.and_}|then)\s(?={_any_of(known.asking)}\s)", text, maxsplit=1)
    said = _own(parts[0], known)
    if known.finite and _last_verb(folded(said), known):
        said = filled(known.telling, said)
    asked = _after(same_owner(parts[1], parts[0]), known.asking) if len(parts) > 1 else None
    if asked is None:
        return said if len(parts) == 1 else _own(text, known)
    frame, words = _asked(asked, known)
    return f"{said}. {filled(getattr(known, frame)[0], words)}"


def _any_of(leads: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(re.escape(lead) for lead in sorted(leads, key=len, reverse=True))})"


def _own(text: str, known: Frames) -> str:
    """What the user is to say, as it says it to the app."""
    said = first_person(text, known.persons, english=bool(known.verbs))
    return to_the_app(said) if known.verbs else said


def _of_user(text: str, known: Frames) -> str:
    """An indirect question as the user puts it."""
    if not known.verbs:
        said = asked_by_user(text, known.persons, english=False)
        return may_i(said, known.modals, known.acts)
    return to_the_app(asked_by_user(_own_condition(text, known), known.persons, english=True))


def _bears_object(rest: str, known: Frames) -> bool:
    """Whether words can be what is done something with; in Romance languages nouns look like verbs.

    ``reserva una mesa`` is to reserve, ``reserva de una mesa`` a reservation.
    """
    if known.verbs or not rest:
        return bool(known.verbs)
    return _starts(folded(rest), (*known.determiners, *known.definite)) or rest[:1].isdigit()


def _asked(text: str, known: Frames) -> tuple[Frame, str]:
    """The form of what follows "ask"."""
    words = folded(text)
    about = _after(text, known.about_words)
    if about is not None:
        return "about", to_the_app(about) if known.verbs else about
    if known.verbs and _starts(words, ("to",)) and " " in text:
        return "action", _mine(text.split(" ", 1)[1])
    if _starts(words, known.whether_words):
        return "whether", _of_user(text, known)
    if _starts(words, known.asking_for) and " " in text:
        return "request", text.split(" ", 1)[1]
    if not _starts(words, known.question_words):
        return "topic", text
    return _question(text, known)


def _question(text: str, known: Frames) -> tuple[Frame, str]:
    """The form of a phrase that begins with a question word.

    "what to do if you have pain" is asked as "what should I do if I have pain"; an indirect
    question ("what it costs") stays one, to be put after "Can you tell me".
    """
    wh, _, rest = text.partition(" ")
    if known.inversion and rest.lower().startswith("to ") and _starts(folded(wh), _WH):
        return "question", _own(f"{wh} should I {rest[3:]}", known)
    if _inverted(folded(text), known):
        return "question", _own_condition(to_the_app(text) if known.verbs else text, known)
    return "whether", _of_user(text, known)


def _last_verb(words: str, known: Frames) -> bool:
    """Whether a clause has its verb at its end, as those that depend on others have in German."""
    parts = words.split()
    finite = {folded(verb) for verb in known.finite}
    if len(parts) < 3 or finite & set(parts[1:-1]):
        return False
    follows = parts[1] in {folded(word) for word in (*known.determiners, *known.definite)}
    return parts[-1] in finite or (follows and parts[-1].endswith(("t", "en")))


def _ends_in_infinitive(text: str) -> bool:
    """Whether a German phrase is an infinitive with its object: ``eine Pizza bestellen``."""
    last = text.split()[-1]
    return last[:1].islower() and last.endswith(("en", "ern", "eln")) and " " in text


def _own_condition(text: str, known: Frames) -> str:
    """A question with its condition in the user's person: "... if you cancel" is "if I cancel"."""
    for mark in (" if you ", " when you ") if known.inversion else ():
        head, found, tail = text.partition(mark)
        if found:
            return f"{head} {_own(f'{mark}{tail}'.strip(), known)}"
    return text


def _inverted(words: str, known: Frames) -> bool:
    """Whether a question has its verb before its subject, as questions of their own have."""
    if known.finite:
        return not _last_verb(words, known)
    if not known.inversion:
        return True
    parts = words.split()
    if parts[0] not in _WH:  # "is there", "can you", "what's"
        return True
    verb = next((place for place, word in enumerate(parts) if word in known.inversion), 0)
    if verb == 1 or (verb and set(parts[verb + 1 : verb + 2]) & set(_SUBJECTS)):
        return True
    measured = parts[0] in ("which", "whose") or (parts[1:2] and parts[1] in _MEASURES)
    subject = any(word in _SUBJECTS for word in parts[1:verb])
    return bool(measured) and 1 < verb < len(parts) - 1 and not subject


def _mine(text: str) -> str:
    """A service put in the user's own person: ``your bike`` is ``my bike``."""
    swap = {"your": "my", "yours": "mine", "yourself": "myself"}
    text = _CLAUSE.sub(r"\1 I\2", text)
    mine = " ".join(swap.get(word.lower(), word) for word in text.split(" "))
    return mine if mine[:2].isupper() else mine[:1].lower() + mine[1:]


def _output_words(text: str, known: Frames) -> str:
    words = " ".join(text.split()).strip(" .?¿!")
    for mark in known.cut_after:
        head = words.partition(mark)[0]
        words = head if head else words
    if words[:1].isupper() and not words[:2].isupper():
        words = words[:1].lower() + words[1:]
    first = folded(words).split()[:1]
    bare = first and not _starts(folded(words), (*known.determiners, *known.question_words))
    if bare and known.the and not _starts(folded(words), known.whether_words):
        return f"{known.the} {words}"
    return words


def _stripped(text: str, leads: tuple[str, ...]) -> str:
    """A goal without "First," and the like."""
    for _ in range(3):
        rest = next((after for lead in leads if (after := _behind(text, lead))), None)
        if rest is None:
            return text
        text = rest
    return text


def _behind(text: str, lead: str) -> str | None:
    """What follows a lead and its comma or colon."""
    begun, mark = text[: len(lead)], text[len(lead) : len(lead) + 1]
    if mark not in (",", ":") or folded(begun) != folded(lead):
        return None
    return text[len(lead) :].strip(" ,:")


def _after(text: str, leads: tuple[str, ...]) -> str | None:
    """What follows the longest of the leads that a text begins with; None where none does."""
    words = text.split(" ")
    for lead in sorted(leads, key=len, reverse=True):
        size = len(lead.split())
        if len(words) > size and folded(" ".join(words[:size])) == folded(lead):
            return " ".join(words[size:])
    return None


def _starts(words: str, leads: tuple[str, ...]) -> bool:
    padded = f"{words} "
    return any(padded.startswith(f"{folded(lead)} ") for lead in leads)
