"""What the user remembers of the conversation: what was said, asked, answered, and settled."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Observation, meant_by
from sparring_plugins.language.dates import find_times
from sparring_plugins.language.fallbacks import Fallbacks
from sparring_plugins.language.stems import concepts, overlap
from sparring_plugins.language.text import contains, folded, plain
from sparring_plugins.users.agenda.app_reply import Reading, read_answer
from sparring_plugins.users.agenda.frames import LANGUAGES, frames
from sparring_plugins.users.agenda.goal_literals import moments, serves
from sparring_plugins.users.agenda.slots import Slot, asked_slots
from sparring_plugins.users.agenda.user_goals import Want
from sparring_plugins.users.agenda.value_matching import mentions
from sparring_plugins.users.extraction.expected_answers import answers

_MENTIONED = 0.6
_BRIEF = 3

FALLBACK = 0.75
"""Least similarity of an answer to a fallback phrase."""


@dataclass(slots=True)
class Memory:
    """The conversation as the user remembers it; made anew from the turns each time.

    `topics` has for each turn the want that the user spoke of, `active` the last one. A want in
    `met` was answered or granted, one in `closed` was refused or asked for in vain.
    """

    wants: Sequence[Want]
    slots: Sequence[Slot]
    patience: int
    acts: list[str] = field(default_factory=list[str])
    readings: list[Reading] = field(default_factory=list[Reading])
    topics: list[str | None] = field(default_factory=list[str | None])
    tries: Counter[str] = field(default_factory=Counter[str])
    met: set[str] = field(default_factory=set[str])
    closed: set[str] = field(default_factory=set[str])

    @property
    def last(self) -> Reading | None:
        """The app's last answer."""
        return self.readings[-1] if self.readings else None

    @property
    def active(self) -> Want | None:
        """The want that the user spoke of last."""
        key = next((topic for topic in reversed(self.topics) if topic is not None), None)
        return next((want for want in self.wants if want.key == key), None)

    def said(self, text: str) -> bool:
        """Whether the user said this before, but for case and punctuation; also after a "Yes."."""
        words = folded(text)
        if words in self.acts:
            return True
        return len(words.split()) > _BRIEF and any(act.endswith(f" {words}") for act in self.acts)

    @property
    def idle(self) -> bool:
        """Whether the user's last act said little: that it does not know, or does not mind."""
        return bool(self.acts) and self.acts[-1] in _idle_words()

    def times_asked(self) -> int:
        """How often the app's last answer was given before, in a row."""
        count = 0
        for reading in reversed(self.readings[:-1]):
            if self.last is None or reading.words != self.last.words:
                break
            count += 1
        return count

    def open_wants(self) -> list[Want]:
        """The goals that are neither met nor closed, in order."""
        return [
            want
            for want in self.wants
            if want.key.startswith("goal")
            and want.key not in self.met
            and want.key not in self.closed
        ]

    def being_served(self) -> bool:
        """Whether a service that the user asked for is not done yet."""
        services = {want.key for want in self.wants if serves(want)}
        asked = [index for index, topic in enumerate(self.topics) if topic in services]
        if not asked:
            return any(serves(want) and self.mentioned(want) for want in self.wants)
        return not any(reading.done for reading in self.readings[asked[-1] :])

    def mentioned(self, want: Want) -> bool:
        """Whether the user has brought up a want, in one piece or value by value."""
        if self.tries[want.key] or want.asks:
            return bool(self.tries[want.key])
        texts = want.texts or (moments(want) if want.frame == "statement" else [])
        return bool(texts) and all(any(mentions(act, text) for act in self.acts) for text in texts)


def remember(task: UserTask, wants: Sequence[Want], slots: Sequence[Slot], patience: int) -> Memory:
    """Go through the conversation so far."""
    memory = Memory(wants, slots, patience)
    memory.met.update(f"goal {index}" for index in task.goals_met)
    fallbacks = Fallbacks(task.fallbacks, FALLBACK)
    for turn in task.turns:
        text = _chosen(folded(plain(meant_by(turn.act))), memory.last)
        chosen = memory.last is not None and text in map(folded, memory.last.menu)
        topic = _topic(text, wants, slots) or (_meant(text, wants, slots) if chosen else None)
        memory.acts.append(text)
        memory.tries.update(key for key in _all_said(text, wants) if key != topic)
        memory.topics.append(topic)
        if topic is not None:
            memory.tries[topic] += 1
        memory.readings.append(_read(turn.observation, fallbacks))
        _settle(memory)
    for want in wants:
        if (
            memory.tries[want.key] >= patience
            and want.key not in memory.met
            and not _moving(memory)
        ):
            memory.closed.add(want.key)
    return memory


def _read(observation: Observation | None, fallbacks: Fallbacks) -> Reading:
    """An answer as it reads; one of the app's fallback phrases settles and tells nothing."""
    reading = read_answer(observation)
    if reading.fallback or not fallbacks.match(reading.text):
        return reading
    return replace(reading, fallback=True, done=False, informative=False)


def _chosen(text: str, reading: Reading | None) -> str:
    """What the user said, in words where it was the number of an option."""
    for question in reading.questions if reading is not None else ():
        if text in question.marks:
            return folded(question.options[question.marks.index(text)])
    return text


def took_leave(act: str) -> bool:
    """Whether a folded act is the user's goodbye."""
    return act in _goodbyes()


@lru_cache(maxsize=1)
def _goodbyes() -> frozenset[str]:
    known = (frames(language).goodbye for language in LANGUAGES)
    return frozenset(folded(words) for listed in known for words in listed)


@lru_cache(maxsize=1)
def _idle_words() -> frozenset[str]:
    kinds = ("indifferent", "unknown", "why", "why_service", "no", "yes")
    books = [frames(language) for language in LANGUAGES]
    return frozenset(
        folded(words) for book in books for kind in kinds for words in getattr(book, kind)
    )


def _topic(text: str, wants: Sequence[Want], slots: Sequence[Slot]) -> str | None:
    """The want that an act brings up; None for a mere answer."""
    spoken = concepts(text)
    values = frozenset(one for slot in slots for value in slot.values for one in concepts(value))
    best, score = None, 0.0
    for want in wants:
        meant = want.concepts
        if not meant and contains(text, folded(want.words)):
            return want.key
        if not meant or not spoken & meant or (spoken <= values and not meant <= spoken):
            continue
        if want.asks and not spoken & want.subject:
            continue
        found = overlap(meant, spoken)
        if len(spoken) > 1 or len(meant) == 1:
            found = max(found, 0.95 * overlap(spoken, meant))
        if found >= _MENTIONED and found > score:
            best, score = want.key, found
    return best


def _meant(option: str, wants: Sequence[Want], slots: Sequence[Slot]) -> str | None:
    """The goal that an option of a menu is part of, where that is one alone."""
    named = concepts(option)
    values = frozenset(one for slot in slots for value in slot.values for one in concepts(value))
    found = [
        want.key
        for want in wants
        if want.key.startswith("goal") and named and named <= want.concepts and not named <= values
    ]
    return found[0] if len(found) == 1 else None


def _all_said(text: str, wants: Sequence[Want]) -> list[str]:
    """The goals of an act that brings up several at once, each in its own words."""
    found = [
        want.key
        for want in wants
        if want.key.startswith("goal") and len(want.concepts) and contains(text, folded(want.words))
    ]
    return found if len(found) > 1 else []


def _moving(memory: Memory) -> bool:
    """Whether the app is leading the user on with questions of its own."""
    last = memory.last
    return last is not None and last.asks("select", "open", "confirm") and not last.fallback


def _settle(memory: Memory) -> None:
    """Note what the last answer settles."""
    reading = memory.readings[-1]
    if reading.fallback or reading.empty or took_leave(memory.acts[-1]):
        return
    active = memory.active
    for want in memory.wants:
        if want.key in memory.met or not want.key.startswith("goal"):
            continue
        if want.asks:
            _settle_question(memory, want, reading, is_active=want is active)
        elif memory.mentioned(want) and (want.texts or not _lost(memory, want)):
            _settle_service(memory, want, reading, is_active=want is active)


def _settle_question(memory: Memory, want: Want, reading: Reading, *, is_active: bool) -> None:
    told = "\n".join(reading.told)
    fits = answers(want.words, told)
    spoken = memory.mentioned(want)
    related = overlap(want.subject, concepts(told)) >= (0.5 if spoken else 0.99)
    if not spoken and not (related and fits):
        return  # what was never asked is met only by the app's own words on it
    if fits and (is_active or related) and not (reading.refusal and not related):
        memory.met.add(want.key)
    elif is_active and reading.informative and not _stale(memory):
        if reading.refusal:
            memory.closed.add(want.key)
        elif fits is None or memory.tries[want.key] > 1:
            memory.met.add(want.key)
            memory.closed.discard(want.key)


def _lost(memory: Memory, want: Want) -> bool:
    """Whether the app did not understand what the user said last of a want."""
    spoken = [index for index, topic in enumerate(memory.topics) if topic == want.key]
    return bool(spoken) and memory.readings[spoken[-1]].fallback


def _stale(memory: Memory) -> bool:
    """Whether the last answer was given before, to something else: then it is no answer."""
    last = len(memory.readings) - 1
    return any(
        reading.words == memory.readings[last].words and memory.acts[index] != memory.acts[last]
        for index, reading in enumerate(memory.readings[:last])
    )


def _settle_service(memory: Memory, want: Want, reading: Reading, *, is_active: bool) -> None:
    names = {name for name, _ in want.values}
    asked = {
        slot.name
        for question in reading.questions
        if question.kind in ("open", "select")
        for slot in asked_slots(question.words, memory.slots)
    }
    pending = reading.asks("confirm") or bool(names & asked)
    heard = bool(want.texts) and all(
        any(mentions(one.words, text) for one in memory.readings) for text in want.texts
    )
    settled = reading.asks("more") and (reading.goes_on or reading.informative)
    settled = settled or (is_active and not reading.questions and bool(reading.text))
    if is_active and want.frame == "statement" and not want.texts and not reading.refusal:
        memory.met.add(want.key)
    elif reading.turns_down and is_active:
        other = reading.options or find_times(reading.text)
        if reading.refusal and not reading.questions and not other:
            memory.closed.add(want.key)
    elif (
        reading.done
        or (not pending and (settled or (heard and not reading.asks("open", "select"))))
        or (not want.texts and is_active and not pending and reading.asks("offer", "helped"))
    ):
        memory.met.add(want.key)
