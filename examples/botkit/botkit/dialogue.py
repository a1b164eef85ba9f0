"""One conversation with a bot: what is understood, what is done, what is said next."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from botkit import values, words
from botkit.amounts import Known
from botkit.definition import Bot, Intent, Menu, Step
from botkit.forms import Filling
from botkit.matching import Matcher
from botkit.replies import Message, Reply, Shown

LONGEST = 2_000
"""Longer messages are read up to here."""

_SURE = 0.8
"""How well a message must fit an intent to interrupt a question for a free text."""


@dataclass
class Conversation:
    """One customer's conversation; deterministic in what the customer says.

    `slots` is what the bot remembers, `trail` the menus shown, `missed` how often in a row it did
    not understand, `finished` how many forms were completed, and `completed` what was given to the
    last one of each name.
    """

    bot: Bot
    matcher: Matcher
    customer: str
    slots: dict[str, Any] = field(default_factory=dict[str, Any])
    filling: Filling | None = None
    trail: list[Menu] = field(default_factory=list[Menu])
    missed: int = 0
    finished: int = 0
    completed: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    ended: bool = False

    def greet(self) -> Reply:
        """What the bot says first."""
        return Reply(tuple(self._run(self.bot.greeting, "")))

    def answer(self, message: str) -> Reply:
        """Answer a message, or a button's value."""
        text = message[:LONGEST]
        said = self._in_form(text) if self.filling else None
        if said is None:
            said = self._outside(text)
        if not said and not self.ended:
            return Reply(tuple(self._fallback()))
        self.missed = 0
        return Reply(tuple(said), ended=self.ended)

    def _in_form(self, text: str) -> list[Message] | None:
        """An answer that belongs to the form under way; None where the message does not."""
        filling, plain = self.filling, words.folded(text)
        if filling is None:
            return None
        if words.CANCEL.search(plain):
            self.filling = None
            return [Message(filling.form.cancelled)]
        interrupts = self._question(text)
        if interrupts is not None:
            self._remember(interrupts, text)
            said = self._run(interrupts.do, text)
            return [*said, self._ask(filling)] if said else None
        took = filling.take(text)
        if took is not None:
            return [*map(Message, took), *self._go_on(filling)]
        if filling.confirming and words.NO.search(plain):
            return self._change(filling, text)
        if filling.confirming and words.YES.search(plain):
            return self._complete(filling)
        if words.CORRECTS.search(plain) and filling.names(text):
            return self._change(filling, text)
        return None

    def _question(self, text: str) -> Intent | None:
        """The intent of a question that interrupts a form, where it is only about saying."""
        intent, fit = self.matcher.best(text)
        if intent is None or any(step.kind != "say" for step in intent.do):
            return None
        asks = words.QUESTION.search(words.folded(text)) and fit >= self.bot.threshold
        return intent if asks or fit >= _SURE else None

    def _change(self, filling: Filling, text: str) -> list[Message]:
        """Take back what a message wants changed, or ask what that is."""
        named = filling.names(text)
        if named is not None:
            filling.forget(named)
            return self._go_on(filling)
        buttons = tuple(
            Shown(item.label.capitalize(), f"change the {item.label}")
            for item in filling.form.fields
        )
        return [Message(filling.form.changed, buttons)]

    def _go_on(self, filling: Filling) -> list[Message]:
        if filling.missing is None and filling.form.summary is None:
            return self._complete(filling)
        return [self._ask(filling)]

    def _ask(self, filling: Filling) -> Message:
        known = Known(self.bot, {**self.slots, **filling.given})
        return filling.question(known.filled(filling.form.summary or "") or "")

    def _complete(self, filling: Filling) -> list[Message]:
        """Do what a form does in the end; what it was given is remembered."""
        self.filling = None
        self.completed[filling.form.name] = dict(filling.given)
        self.slots |= {**filling.given, "reference": self._reference(filling)}
        self.finished += 1
        return self._run(filling.form.done, "")

    def _reference(self, filling: Filling) -> str:
        """A number made from the customer's side's own name, whoever else is being served."""
        source = f"{self.customer}/{filling.form.name}/{self.finished}".encode()
        digits = int.from_bytes(hashlib.sha256(source).digest()[:8], "big")
        form = filling.form
        return f"{form.prefix}{digits % 10**form.digits:0{form.digits}d}"

    def _outside(self, text: str) -> list[Message]:
        """An answer by a button of the menu on show, or by an intent; nothing if neither fits.

        A form that stays open asks its question again.
        """
        pressed, before = self._pressed(text), self.filling
        if pressed is not None:
            return self._run(pressed, text)
        intent, fit = self.matcher.best(text)
        if intent is None or fit < self.bot.threshold:
            return []
        self._remember(intent, text)
        said = self._run(intent.do, text)
        still = before is not None and self.filling is before and not self.ended
        return [*said, self._ask(before)] if said and still and before else said

    def _pressed(self, text: str) -> tuple[Step, ...] | None:
        """The steps of the button whose label a message is."""
        if not self.trail or self.filling:
            return None
        plain = words.folded(text).strip(" .!")
        for button in self.trail[-1].buttons:
            if words.folded(button.label) == plain:
                return button.do
        return None

    def _remember(self, intent: Intent, text: str) -> None:
        for slot in intent.remembers:
            found = self._find(slot, text)
            if found is not None:
                self.slots[slot] = found

    def _find(self, slot: str, text: str) -> Any:
        """The value of a slot in a message: of an entity, or of a form's field of that name."""
        if slot in self.bot.entities:
            return values.find_choice(text, self.bot.entities[slot])
        for form in self.bot.forms.values():
            trial = Filling(self.bot, form)
            trial.take(text, opening=True)
            if slot in trial.given:
                return trial.given[slot]
        return None

    def _run(self, steps: Sequence[Step], text: str) -> list[Message]:
        """Do steps one after the other; what is said of it."""
        said: list[Message] = []
        for step in steps:
            if all(str(self.slots.get(slot, "")) == value for slot, value in step.when.items()):
                said += self._do(step, text)
        return said

    def _do(self, step: Step, text: str) -> list[Message]:
        match step.kind:
            case "say":
                return self._say(step)
            case "form":
                return self._open(step.value, text)
            case "reopen":
                return self._reopen(step, text)
            case "menu":
                return self._show(self.bot.menus[step.value])
            case "back":
                self.trail = self.trail[:-1] or self.trail
                return self._show(self.trail.pop()) if self.trail else []
            case "set":
                self.slots |= {slot: str(value) for slot, value in step.value.items()}
            case "forget":
                for slot in [step.value] if isinstance(step.value, str) else step.value:
                    self.slots.pop(slot, None)
            case "cancel":
                self.filling = None
            case _:
                self.ended = True
        return []

    def _say(self, step: Step) -> list[Message]:
        given = self.filling.given if self.filling else {}
        known = Known(self.bot, {**self.slots, **given})
        text = known.filled(str(step.value))
        if text is None:
            text = known.filled(step.unknown) if step.unknown is not None else None
        return [] if text is None else [Message(text)]

    def _show(self, menu: Menu) -> list[Message]:
        self.trail.append(menu)
        text = Known(self.bot, self.slots).filled(menu.text) or ""
        return [Message(text, tuple(Shown(one.label, one.label) for one in menu.buttons))]

    def _open(self, name: str, text: str) -> list[Message]:
        """Open a form, with what the message and the memory already give."""
        filling = self.filling = Filling(self.bot, self.bot.forms[name])
        for item in filling.form.fields:
            kept = self.slots.get(item.name)
            if item.remembered and kept is not None and filling.allows(item, kept):
                filling.given[item.name] = kept
        refused = filling.take(text, opening=True) or []
        opening = [filling.form.opening] if filling.form.opening else []
        return [*(Message(one) for one in (*opening, *refused)), *self._go_on(filling)]

    def _reopen(self, step: Step, text: str) -> list[Message]:
        """Change the form of a name that was completed last; what else is said where none was."""
        given = self.completed.get(step.value)
        if given is None:
            return [Message(step.unknown)] if step.unknown else []
        filling = self.filling = Filling(self.bot, self.bot.forms[step.value], dict(given))
        took = filling.take(text, opening=True)
        if took is None:
            return self._change(filling, text)
        return [*map(Message, took), *self._go_on(filling)]

    def _fallback(self) -> list[Message]:
        """Say that nothing was understood, and ask again what was open."""
        phrases, known = self.bot.fallback, Known(self.bot, self.slots)
        said: list[Message] = []
        if phrases:
            said = [Message(known.filled(phrases[min(self.missed, len(phrases) - 1)]) or "")]
        self.missed += 1
        if self.filling:
            return [*said, self._ask(self.filling)]
        return [*said, *(self._show(self.trail.pop()) if self.trail else [])]
