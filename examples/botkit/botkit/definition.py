"""The definition of a bot: what the YAML file holds, read and checked before anybody is served."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from botkit.checking import DefinitionError, Reader, named

KINDS = ("choice", "day", "time", "number", "name", "phone", "email", "text")
"""The types of a field."""

STEPS = ("say", "form", "reopen", "menu", "set", "forget", "back", "cancel", "end")
"""What a step of the dialogue can do."""

PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that the bot does: say a text, open a form or a menu, remember something.

    `when` are slots that must have these values (an empty text: none); `unknown` is said instead
    of a text that names something not known yet.
    """

    kind: str
    value: Any
    when: Mapping[str, str] = field(default_factory=dict[str, str])
    unknown: str | None = None


@dataclass(frozen=True, slots=True)
class Intent:
    """Something customers want, the phrases that show it, and what the bot then does."""

    name: str
    phrases: tuple[str, ...]
    remembers: tuple[str, ...]
    do: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press, and what the bot then does."""

    label: str
    do: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Menu:
    """A text with buttons."""

    name: str
    text: str
    buttons: tuple[Button, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that a form asks for; `label` is what customers call it.

    `choices` names an entity; `least`, `most` bound a number or the hour of a time, `digits` the
    digits of a phone number; `closed` are weekdays (0 is Monday) and `first`, `last` days between
    which a day must lie; `says` are patterns with which a customer gives it unasked.
    """

    name: str
    label: str
    kind: str
    ask: str
    refuse: str
    choices: str | None = None
    buttons: bool = False
    least: str | None = None
    most: str | None = None
    digits: int | None = None
    closed: tuple[str, ...] = ()
    first: date | None = None
    last: date | None = None
    says: tuple[str, ...] = ()
    remembered: bool = False


@dataclass(frozen=True, slots=True)
class Form:
    """Fields asked one by one, a summary to confirm, and what is done then.

    Without a `summary` nothing has to be confirmed. `prefix` and `digits` are those of the
    reference number, which texts name as ``{reference}``.
    """

    name: str
    fields: tuple[Field, ...]
    opening: str | None
    summary: str | None
    changed: str
    cancelled: str
    done: tuple[Step, ...]
    prefix: str
    digits: int


@dataclass(frozen=True, slots=True)
class Amount:
    """A number worked out from tables: the sum of its terms, times a field."""

    terms: tuple[str | float | tuple[str, str], ...]
    times: str | None
    money: str


@dataclass(frozen=True, slots=True)
class Bot:
    """A whole bot."""

    name: str
    today: date
    threshold: float
    greeting: tuple[Step, ...]
    fallback: tuple[str, ...]
    entities: Mapping[str, Mapping[str, tuple[str, ...]]]
    facts: Mapping[str, str]
    tables: Mapping[str, Mapping[str, float]]
    amounts: Mapping[str, Amount]
    intents: tuple[Intent, ...]
    menus: Mapping[str, Menu]
    forms: Mapping[str, Form]


def read_bot(path: Path) -> Bot:
    """Read a definition; raises DefinitionError with all that is wrong, OSError if unreadable."""
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as err:
        raise DefinitionError([f"{path.name}: not YAML: {' '.join(str(err).split())}"]) from err
    problems: list[str] = []
    bot = _bot(Reader(data, path.name, problems))
    _check_names(bot, path.name, problems)
    if problems:
        raise DefinitionError(problems)
    return bot


def _bot(top: Reader) -> Bot:
    bot = Bot(
        name=top.text("name"),
        today=top.day("today", required=True) or date.min,
        threshold=top.number("threshold", 0.5),
        greeting=_steps(top, "greeting"),
        fallback=top.texts("fallback"),
        entities={
            entity.at: {value: entity.texts(value) for value in entity.names()}
            for entity in top.parts("entities")
        },
        facts={key: top.inside("facts").text(key) for key in top.inside("facts").names()},
        tables={
            table.at: {key: table.number(key, 0.0) for key in table.names()}
            for table in top.parts("tables")
        },
        amounts={part.at: _amount(part) for part in top.parts("amounts")},
        intents=tuple(_intent(part) for part in top.parts("intents")),
        menus={part.at: _menu(part) for part in top.parts("menus")},
        forms={part.at: _form(part) for part in top.parts("forms")},
    )
    top.done()
    return bot


def _steps(reader: Reader, key: str) -> tuple[Step, ...]:
    steps: list[Step] = []
    for item in reader.items(key):
        found = [kind for kind in STEPS if item.has(kind)]
        if len(found) != 1:
            item.complain(f"expected one of {', '.join(STEPS)}")
            continue
        when = item.inside("when")
        steps.append(
            Step(
                found[0],
                item.take(found[0]),
                {slot: when.text(slot) for slot in when.names()},
                item.text("unknown", None),
            )
        )
        item.done()
    return tuple(steps)


def _intent(part: Reader) -> Intent:
    found = Intent(part.at, part.texts("phrases"), part.texts("remembers"), _steps(part, "do"))
    if not found.do:
        part.complain("does nothing: expected steps in 'do'")
    part.done()
    return found


def _menu(part: Reader) -> Menu:
    buttons: list[Button] = []
    for item in part.items("buttons"):
        buttons.append(Button(item.text("label"), _steps(item, "do")))
        item.done()
    found = Menu(part.at, part.text("text"), tuple(buttons))
    if not buttons:
        part.complain("has no buttons")
    part.done()
    return found


def _form(part: Reader) -> Form:
    number = part.inside("reference")
    form = Form(
        name=part.at,
        fields=tuple(_field(item) for item in part.parts("fields")),
        opening=part.text("opening", None),
        summary=part.text("summary", None),
        changed=part.text("changed", "What would you like to change?"),
        cancelled=part.text("cancelled", "All right, I have cancelled that."),
        done=_steps(part, "done"),
        prefix=number.text("prefix", ""),
        digits=int(number.number("digits", 6)),
    )
    number.done()
    if not form.fields:
        part.complain("has no fields")
    part.done()
    return form


def _field(part: Reader) -> Field:
    kind = part.text("type")
    if kind not in KINDS:
        part.complain(f"unknown type {kind!r}.{named(kind, KINDS)}")
    digits = part.number("digits", 0)
    found = Field(
        name=part.at,
        label=part.text("label", part.at.replace("_", " ")),
        kind=kind,
        ask=part.text("ask"),
        refuse=part.text("refuse", "I am afraid that is not possible."),
        choices=part.text("choices", None),
        buttons=bool(part.take("buttons", False)),
        least=part.text("least", None),
        most=part.text("most", None),
        digits=int(digits) or None,
        closed=part.texts("closed"),
        first=part.day("first"),
        last=part.day("last"),
        says=part.texts("says"),
        remembered=bool(part.take("remembered", False)),
    )
    if (kind == "choice") != (found.choices is not None):
        part.complain("a field of type choice, and no other, names an entity in 'choices'")
    part.done()
    return found


def _amount(part: Reader) -> Amount:
    terms: list[str | float | tuple[str, str]] = []
    for term in part.sequence("sum"):
        if isinstance(term, Mapping) and set(term) == {"table", "at"}:
            terms.append((str(term["table"]), str(term["at"])))
        elif isinstance(term, (int, float)) and not isinstance(term, bool):
            terms.append(float(term))
        elif isinstance(term, str):
            terms.append(term)
        else:
            part.complain(f"{term!r} is no term: expected a number, an amount, or table and at")
    amount = Amount(tuple(terms), part.text("times", None), part.text("money", ""))
    part.done()
    return amount


def _check_names(bot: Bot, file: str, problems: list[str]) -> None:
    """Complain of steps, fields and amounts that name what is not there."""
    known = {"form": bot.forms, "reopen": bot.forms, "menu": bot.menus}
    for place, step in every_step(bot):
        if step.kind in known and step.value not in known[step.kind]:
            hint = named(str(step.value), tuple(known[step.kind]))
            kind = "menu" if step.kind == "menu" else "form"
            problems.append(f"{file}: {place}: there is no {kind} {step.value!r}.{hint}")
        if step.kind == "set" and not isinstance(step.value, dict):
            problems.append(f"{file}: {place}: 'set' takes slots and their values")
    for form in bot.forms.values():
        for item in form.fields:
            if item.choices is not None and item.choices not in bot.entities:
                hint = named(item.choices, tuple(bot.entities))
                where = f"forms.{form.name}.fields.{item.name}"
                problems.append(f"{file}: {where}: there is no entity {item.choices!r}.{hint}")
    for name, amount in bot.amounts.items():
        for term in amount.terms:
            if isinstance(term, tuple) and term[0] not in bot.tables:
                hint = named(term[0], tuple(bot.tables))
                problems.append(f"{file}: amounts.{name}: there is no table {term[0]!r}.{hint}")
    slots = {item.name for form in bot.forms.values() for item in form.fields} | set(bot.entities)
    for place, text in every_text(bot):
        for name in PLACEHOLDER.findall(text):
            if name not in {*slots, *_set(bot), *bot.facts, *bot.amounts, "reference"}:
                problems.append(f"{file}: {place}: nothing is called {{{name}}}")
    for intent in bot.intents:
        for slot in intent.remembers:
            if slot not in slots:
                hint = named(slot, tuple(slots))
                problems.append(
                    f"{file}: intents.{intent.name}: there is nothing called {slot!r}.{hint}"
                )


def _set(bot: Bot) -> set[str]:
    """The slots that steps set."""
    return {
        str(slot)
        for _, step in every_step(bot)
        if step.kind == "set" and isinstance(step.value, dict)
        for slot in step.value
    }


def every_text(bot: Bot) -> list[tuple[str, str]]:
    """All texts of a bot that may hold placeholders, with the place that each stands at."""
    found = [
        (place, str(text))
        for place, step in every_step(bot)
        if step.kind == "say"
        for text in (step.value, step.unknown or "")
    ]
    found += [("fallback", text) for text in bot.fallback]
    found += [(f"forms.{form.name}.summary", form.summary or "") for form in bot.forms.values()]
    return [*found, *((f"menus.{menu.name}", menu.text) for menu in bot.menus.values())]


def every_step(bot: Bot) -> list[tuple[str, Step]]:
    """All steps of a bot, with the place that each stands at."""
    found = [("greeting", step) for step in bot.greeting]
    found += [(f"intents.{one.name}.do", step) for one in bot.intents for step in one.do]
    found += [
        (f"menus.{menu.name}.buttons.{button.label}", step)
        for menu in bot.menus.values()
        for button in menu.buttons
        for step in button.do
    ]
    found += [
        (f"forms.{form.name}.done", step) for form in bot.forms.values() for step in form.done
    ]
    return found
