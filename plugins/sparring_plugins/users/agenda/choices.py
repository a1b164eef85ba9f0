"""Choosing among the options that an app offers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from sparring_plugins.language.stems import concepts, overlap
from sparring_plugins.language.text import folded, sentences
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.agenda.agreement import contradicted, stated
from sparring_plugins.users.agenda.app_reply import Question, Reading, is_no
from sparring_plugins.users.agenda.dialogue_state import Reply, Scene
from sparring_plugins.users.agenda.goal_literals import named_option
from sparring_plugins.users.agenda.open_questions import inform, value_reply
from sparring_plugins.users.agenda.personal_details import asked_for, personal
from sparring_plugins.users.agenda.slots import Slot, asked_slots
from sparring_plugins.users.agenda.value_matching import best_option, likeness, mentions

_FITS = 0.5
_COUNTED = re.compile(r"\b\d+(?:[.,]\d+)?\s+\w+")


@dataclass(frozen=True, slots=True)
class Chooser:
    """Chooses an option of one question: the user's value, the way to its goal, or any."""

    scene: Scene
    question: Question
    reading: Reading

    def reply(self) -> Reply:
        """The choice, pressed or said."""
        scene, question = self.scene, self.question
        mistaken = self._by_mistake()
        if mistaken is not None:
            return self.take(mistaken, "names what is wrong")
        asked = asked_slots(question.words, scene.slots) if question.text else []
        chosen = self._by_value(asked) or self._by_value(scene.slots)
        if chosen:
            return self._own(chosen, asked)
        known = self._by_persona()
        if known is not None:
            return self.take(known, "is true of the user")
        meant = named_option(question.options, scene.goals)
        if meant is not None and not scene.memory.said(question.options[meant]):
            return self.take(meant, "is what a goal says")
        if asked and not scene.times and not self.reading.choices:
            return value_reply(scene, asked)
        if question.text and not self.reading.choices and personal(question.words):
            return inform(scene, question)
        words = scene.next_goal()
        index = self._way(words)
        if index is not None:
            return self.take(index, "fits the goal")
        free = not asked_for(question.words) and not scene.times
        if words is not None and free and not (scene.collecting() and question.text):
            return Reply(words, "brings up what is next")
        return self._any()

    def _way(self, words: str | None) -> int | None:
        """The way to what the user spoke of last, else to what it brings up next."""
        active = self.scene.memory.active
        if active is not None and active in self.scene.memory.open_wants():
            index = self.way_to(active.words)
            if index is not None and not self.scene.memory.said(self.question.options[index]):
                return index
        return self.way_to(words) if words else None

    def way_to(self, words: str) -> int | None:
        """The option that names what the user brings up next."""
        meant = concepts(words)
        matter = concepts(_COUNTED.sub(" ", words))
        scored = [
            (
                max(overlap(concepts(option), meant), likeness(option, words) - 0.2),
                overlap(concepts(option), matter),  # "a room for 2 hours" is about rooms
                overlap(meant, concepts(option)),  # of two that fit, the one that says more of it
                -index,
            )
            for index, option in enumerate(self.question.options)
            if not is_no(option)
        ]
        score, *_, index = max(scored, default=(0.0, 0.0, 0.0, 0))
        return -index if score >= _FITS else None

    def take(self, index: int, reason: str) -> Reply:
        """Press an option, or say it, or its number where the app wants that."""
        question = self.question
        if index < len(self.reading.choices):
            return Reply("", reason, self.reading.choices[index])
        by_number = has_cue(self.reading.words, "number_reply") or self.scene.times
        if question.numbered and by_number:
            shown = question.options[index][:40]
            return Reply(question.marks[index], f"chooses {shown!r} by its number")
        return Reply(question.options[index], reason)

    def _own(self, chosen: Sequence[int], asked: Sequence[Slot]) -> Reply:
        options, memory = self.question.options, self.scene.memory
        if self.reading.choices or self.question.numbered:
            fresh = [index for index in chosen if not memory.said(options[index])]
            return self.take((fresh or list(chosen))[0], "is its value")
        told = any(
            mentions(folded(options[chosen[0]]), value) for slot in asked for value in slot.values
        )
        insists = self.scene.times > 0 or self.reading.refusal
        if asked and (told or not insists):
            return value_reply(self.scene, asked)
        return Reply(self.scene.join([options[index] for index in chosen]), "is its value")

    def _by_mistake(self) -> int | None:
        """The option that names what the app got wrong, right after the user has said no to it."""
        readings = self.scene.memory.readings
        if len(readings) < 2 or not readings[-2].asks("confirm"):
            return None
        for slot in contradicted(stated(readings[-2]), self.scene.slots):
            kinds = {f"~{kind}" for kind in slot.kinds}
            for index, option in enumerate(self.question.options):
                if concepts(option) & (slot.own | kinds):
                    return index
        return None

    def _by_value(self, slots: Sequence[Slot]) -> list[int]:
        for slot in slots:
            found = [best_option(self.question.options, value) for value in slot.values]
            chosen = [index for index in found if index is not None]
            if chosen:
                return list(dict.fromkeys(chosen))
        return []

    def _by_persona(self) -> int | None:
        """The one option that the context or the role tells of the user, else None."""
        task = self.scene.task
        told = frozenset(
            one
            for text in (*task.context, task.role)
            for sentence in sentences(text)
            if not has_cue(folded(sentence), "deny")
            for one in concepts(sentence)
        )
        options = [concepts(option) for option in self.question.options]
        shared = options[0] if options else frozenset[str]()
        for option in options:
            shared = shared & option
        fitting = [
            index
            for index, option in enumerate(options)
            if option - shared and option - shared <= told
        ]
        return fitting[0] if len(fitting) == 1 else None

    def _any(self) -> Reply:
        """Some sensible option: none that declines or leads away, another each time."""
        options = self.question.options
        sensible = [index for index, option in enumerate(options) if not is_no(option)]
        pool = sensible or list(range(len(options)))
        start = Random(f"{self.scene.task.seed} {self.question.words}").randrange(len(pool))
        return self.take(pool[(start + self.scene.times) % len(pool)], "has no preference")
