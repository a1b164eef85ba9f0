"""The user's next move: what to answer, what to bring up, when to leave."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pydantic import JsonValue

from sparring.interfaces.roles import UserTask
from sparring.model.talk import Act, Press, Say
from sparring_plugins.language.fallbacks import Fallbacks
from sparring_plugins.language.stems import overlap
from sparring_plugins.language.vocabulary import has_cue
from sparring_plugins.users.agenda.app_reply import Reading
from sparring_plugins.users.agenda.dialogue_state import Reply, Scene, stop
from sparring_plugins.users.agenda.frame_text import LONGEST
from sparring_plugins.users.agenda.frames import frames
from sparring_plugins.users.agenda.memory import FALLBACK, Memory, remember, took_leave
from sparring_plugins.users.agenda.menus import Explorer
from sparring_plugins.users.agenda.negotiation import (
    alternatives,
    asks_again,
    conceded,
    turned_down,
)
from sparring_plugins.users.agenda.personal_details import personal
from sparring_plugins.users.agenda.phrasing import phrasings, said
from sparring_plugins.users.agenda.repetition import goes_in_circles, said_too_often
from sparring_plugins.users.agenda.replies import replies
from sparring_plugins.users.agenda.revisions import (
    Change,
    changes,
    next_change,
    reshaped,
    rethinks,
    taken,
    with_values,
)
from sparring_plugins.users.agenda.slots import asked_slots, slots_of
from sparring_plugins.users.agenda.style import Manner, usual
from sparring_plugins.users.agenda.user_goals import Want, output_wants, wants_of
from sparring_plugins.users.agenda.value_matching import mentions

OUTPUT_TRIES = 2
"""How often a declared output is asked for."""


@dataclass(frozen=True, slots=True)
class Decision:
    """An act, or None to leave, and why; `revised` are the inputs that it changes."""

    act: Act | None
    reason: str
    revised: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])


class Agenda:
    """The user at one point of a conversation: what is open, and what to do next."""

    def __init__(
        self,
        task: UserTask,
        missing: Sequence[str],
        *,
        patience: int,
        farewell: bool,
        press: bool = True,
        concede: bool = False,
        manner: Manner | None = None,
    ) -> None:
        self.manner = manner or usual(task)
        self.farewell = farewell
        self.press = press
        self.concede = concede
        self._patience = patience
        self._fallbacks = Fallbacks(task.fallbacks, FALLBACK)
        self._look_back(task)
        self._changes = changes(task, self.slots) if self.manner.rethinks else []
        given = conceded(self.memory, self.slots) if concede else {}
        self._given = task.inputs
        self.revised: dict[str, JsonValue] = {**self._changed(), **given}
        if self.revised:
            self._look_back(with_values(task, self.revised))
            self.revised = {name: self.task.inputs[name] for name in self.revised}
        self.missing = [want for want in self.outputs if want.key.partition(" ")[2] in missing]

    def _look_back(self, task: UserTask) -> None:
        """Make wants, slots and memory from a task."""
        self.task = task
        self.goals = wants_of(task)
        self.outputs = output_wants(task.outputs, task.language)
        self.slots = slots_of(task)
        self.memory: Memory = remember(
            task, [*self.goals, *self.outputs], self.slots, self._patience
        )
        later = self._on_second_thoughts()
        self.slots = [slot for slot in self.slots if slot.name not in later]

    def _on_second_thoughts(self) -> set[str]:
        """The variables of goals that change something, as long as these were not brought up."""
        kept: set[str] = set()
        later: set[str] = set()
        for want in self.goals:
            waits = rethinks(want) and not self.memory.tries[want.key]
            (later if waits else kept).update(name for name, _ in want.values)
        return later - kept

    def _changed(self) -> dict[str, JsonValue]:
        """What the user changed its mind about, where the app took it."""
        found = (one for one in self._changes if taken(one, self.memory, self._fallbacks))
        change = next(found, None)
        return {change.slot.name: change.value} if change else {}

    @property
    def goals_met(self) -> tuple[int, ...]:
        """The indexes of the goals that are met."""
        return tuple(index for index, want in enumerate(self.goals) if want.key in self.memory.met)

    def decide(self) -> Decision:
        """The next move."""
        memory = self.memory
        if self._took_leave():
            return Decision(None, "took leave before")
        if memory.last is None:
            return self._bring_up("begins") or Decision(None, "has no goals")
        yielded = self._yield()
        if yielded is not None:
            return yielded
        explored = self._explore()
        if explored is not None:
            return explored
        if self.task.situation == "change_topic":
            return self._change_topic()
        if self.misunderstood:
            return self._rephrase()
        change = next_change(self._changes, memory, self.goals, self.task.seed)
        if change is not None and not self.revised:
            return self._change_mind(change)
        if self._finished():
            return self._leave()
        answers = replies(self._scene(memory.times_asked()), memory.last)
        if answers:
            return self._give(answers)
        return self._bring_up("goes on") or self._leave()

    def _explore(self) -> Decision | None:
        """Look through the app's menus, where it understands nothing that is typed."""
        last = self.memory.last
        if last is None or last.asks("confirm", "offer", "fact", "helped"):
            return None
        if any(asked_slots(question.words, self.slots) for question in last.questions):
            return None
        explorer = Explorer(self.memory, self._missed)
        index = explorer.press([*self.memory.open_wants(), *self._unseen()])
        if index is None:
            return None
        why = "looks through the menu"
        if last.choices:
            return self._give([Reply("", why, last.choices[index])])
        menu = next(one for one in last.questions if one.marks)
        return self._give([Reply(menu.marks[index], why)])

    def _unseen(self) -> list[Want]:
        """The declared outputs that the user has not seen, as long as it asks for them."""
        return [want for want in self.missing if self.memory.tries[want.key] < OUTPUT_TRIES]

    def _missed(self, reading: Reading) -> bool:
        """Whether an answer shows that the user was not understood."""
        return reading.fallback or reading.empty or self._fallbacks.match(reading.text)

    def _change_mind(self, change: Change) -> Decision:
        ways = change.ways(self.manner.language)
        words = next((way for way in ways if not self.memory.said(way)), ways[-1])
        name = change.slot.name
        return Decision(Say(text=words), f"changes its mind about {name}", {name: change.value})

    def _yield(self) -> Decision | None:
        """Take what the app offers in place of a value that it keeps turning down, or give up."""
        last = self.memory.last
        if last is None or self._fallbacks.match(last.text):
            return None
        if not last.turns_down and not any(asks_again(last, slot) for slot in self.slots):
            return None
        for slot in self.slots:
            if not turned_down(self.memory, slot):
                continue
            offered = alternatives(last, slot) if self.concede else []
            fresh = next((one for one in offered if not self.memory.said(one)), None)
            pressed = next((one for one in last.choices if one.label == fresh), None)
            if fresh is not None:
                given = self._give([Reply(fresh, f"gives way on {slot.name}", pressed)])
                value = reshaped(self._given.get(slot.name), fresh)
                return replace(given, revised={slot.name: value})
            if not any(mentions(self.memory.acts[-1], value) for value in slot.values):
                continue
            for want in self.goals:
                if slot.name in dict(want.values) and want.key not in self.memory.met:
                    self.memory.closed.add(want.key)
            return self._bring_up(f"gives {slot.name} up") or self._leave()
        return None

    def _scene(self, times: int) -> Scene:
        return Scene(
            self.task, self.goals, self.slots, self.memory, self._next_words, self.manner, times
        )

    def _next_words(self, *, goals: bool = False) -> str | None:
        """What the user brings up next, in words; None where nothing is left."""
        want = self._next(goals=goals)
        words = self._phrase(want) if want else None
        return self._with_the_rest(want, words) if want and words else None

    def _next(self, *, but: Want | None = None, goals: bool = False) -> Want | None:
        """The next want: goals in order, those never spoken of first, then missing outputs."""
        memory = self.memory
        opened = [want for want in memory.open_wants() if want is not but]
        fresh = [want for want in opened if not memory.mentioned(want)]
        for want in (*fresh, *opened):
            if self._phrase(want) is not None:
                return want
        asked = [
            want
            for want in ([] if goals else self.missing)
            if memory.tries[want.key] < OUTPUT_TRIES and want is not but and self._worth(want)
        ]
        return next((want for want in asked if self._phrase(want) is not None), None)

    def _worth(self, output: Want) -> bool:
        """Whether an output was not already asked for in vain, as a goal."""
        return not any(
            overlap(output.concepts, goal.concepts) >= 0.6
            and (goal.key in self.memory.closed or self.memory.tries[goal.key] >= OUTPUT_TRIES)
            for goal in self.goals
            if goal.asks
        )

    def _phrase(self, want: Want) -> str | None:
        """The first way to say a want that was not used yet; None where all were."""
        ways = phrasings(want, self.task.seed, self.manner)
        return next((way for way in ways if not self.memory.said(way)), None)

    def _bring_up(self, reason: str, *, but: Want | None = None) -> Decision | None:
        want = self._next(but=but)
        words = self._phrase(want) if want else None
        if want is None or words is None:
            return None
        return Decision(Say(text=self._with_the_rest(want, words)), f"{reason}: {want.key}")

    def _with_the_rest(self, first: Want, words: str) -> str:
        """A want in words; where all is said at once, with all that was never brought up."""
        if not self.manner.everything:
            return words
        others = [
            self._phrase(want)
            for want in self.memory.open_wants()
            if want is not first and not self.memory.mentioned(want) and not rethinks(want)
        ]
        said = [words, *(one for one in others if one)]
        return " ".join(stop(one) for one in said)[:LONGEST] if len(said) > 1 else words

    @property
    def misunderstood(self) -> bool:
        """Whether the last answer shows that the user was not understood."""
        last = self.memory.last
        if last is None or not self.memory.acts[-1]:
            return False
        if last.fallback or last.empty or self._fallbacks.match(last.text):
            return True
        # Told to rephrase without a fallback: the app asked its question again, word by word.
        return self.task.situation == "rephrase" and not last.questions

    def _rephrase(self) -> Decision:
        """Say the last thing in other words, or answer the last question otherwise."""
        memory = self.memory
        if memory.last is not None and self._answerable(memory.last):
            return self._give(replies(self._scene(max(1, memory.times_asked())), memory.last))
        if memory.topics[-1] is None:
            asked = next((one for one in reversed(memory.readings[:-1]) if self._asks(one)), None)
            if asked is not None:
                lately = memory.readings[-4:]
                times = max(1, sum(one.fallback or one.empty for one in lately))
                return self._give(replies(self._scene(times), asked))
        menu = self._last_menu()
        if menu is not None:
            return self._give(replies(self._scene(1), menu))
        active = memory.active
        if active is not None and active.key not in memory.closed | memory.met:
            words = self._phrase(active)
            if words is not None:
                return Decision(Say(text=words), f"rephrases {active.key}")
        return self._bring_up("was not understood", but=active) or self._call_out()

    def _last_menu(self) -> Reading | None:
        """The list to choose from by number that the app would still have an answer to."""
        for reading in reversed(self.memory.readings[:-1]):
            if not self._missed(reading):
                return reading if reading.asks("select") and reading.menu else None
        return None

    def _answerable(self, reading: Reading) -> bool:
        """Whether an answer that did not understand still asks something definite."""
        return bool(reading.choices) or any(
            (question.kind == "select" and not has_cue(question.words, "fallback"))
            or (
                question.kind in ("open", "confirm")
                and not has_cue(question.words, "fallback")
                and not self._fallbacks.match(question.text)
                and (asked_slots(question.words, self.slots) or personal(question.words))
            )
            for question in reading.questions
        )

    def _asks(self, reading: Reading) -> bool:
        return bool(reading.questions) and not reading.fallback

    def _change_topic(self) -> Decision:
        """Give up the active want and go on with another."""
        active = self.memory.active
        if active is not None and active.key not in self.memory.met:
            self.memory.closed.add(active.key)
        last = self.memory.last
        if last is not None and last.choices:
            return self._give(replies(self._scene(self.memory.times_asked()), last))
        return self._bring_up("changes the topic", but=active) or self._call_out()

    def _call_out(self) -> Decision:
        """Try whether anybody is there, and leave where nothing helps."""
        for words in frames(self.manner.language).listen:
            if (
                self.memory.last is not None
                and self.memory.last.empty
                and not self.memory.said(words)
            ):
                return Decision(Say(text=words), "calls out")
        return self._leave()

    def _finished(self) -> bool:
        """Whether all is settled: goals, outputs, and what the app still asks for the service."""
        if self._next() is not None:
            return False
        last = self.memory.last
        services = any(not want.asks for want in self.goals)
        if last is None or not last.questions or not services:
            return True
        if last.asks("more"):
            return False
        done = any(reading.done for reading in self.memory.readings)
        return (done and not self.missing) or self.memory.times_asked() >= 2

    def _leave(self) -> Decision:
        if not self.farewell or (self.memory.last is not None and self.memory.last.farewell):
            return Decision(None, "has nothing left to say")
        words = said(self.manner, "goodbye", self.task.seed)
        return Decision(Say(text=words), "takes leave")

    def _took_leave(self) -> bool:
        return any(took_leave(act) for act in self.memory.acts)

    def _give(self, given: Sequence[Reply]) -> Decision:
        """Put replies to one or several questions into one act, or one at a time."""
        given = given[:1] if self.manner.single else given
        if any(goes_in_circles(reply, self.memory) for reply in given):
            return self._bring_up("does not go round in circles") or self._leave()
        pressed = next((reply.press for reply in given if reply.press is not None), None)
        if pressed is not None:
            label = pressed.label
            if not self.press:
                return Decision(Say(text=label), f"types {label[:60]!r}")
            return Decision(Press(label=label, value=pressed.value), f"presses {label[:60]!r}")
        texts = list(dict.fromkeys(reply.text for reply in given if reply.text))
        if not texts:
            return self._bring_up("goes on") or self._leave()
        text = " ".join(one if one[-1] in ".!?" or len(texts) == 1 else f"{one}." for one in texts)
        if len(text.split()) > 2 and said_too_often(text, self.memory, self.manner.language):
            other = self._bring_up("does not repeat itself", but=self.memory.active)
            return other or self._leave()
        return Decision(Say(text=text), "; ".join(reply.reason for reply in given))
