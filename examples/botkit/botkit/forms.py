"""A form under way: takes what a message says of its fields, knows what is left to ask."""

import re
from dataclasses import dataclass, field
from datetime import date, time
from typing import Any

from botkit import values, words
from botkit.definition import Bot, Field, Form
from botkit.replies import YES_NO, Message, Shown


@dataclass
class Filling:
    """One customer's form. `asked` is the field asked last; `confirming` waits for yes or no."""

    bot: Bot
    form: Form
    given: dict[str, Any] = field(default_factory=dict[str, Any])
    asked: Field | None = None
    confirming: bool = False

    def take(self, text: str, *, opening: bool = False) -> list[str] | None:
        """Write down what a message gives; what is said of it, None if it gave nothing."""
        found = self._found(text, asked=None)
        if not found and self.asked is not None and not opening:
            found = self._found(text, asked=self.asked)
        said: list[str] = []
        for item, value in found:
            if self.allows(item, value):
                self.given[item.name] = value
            else:
                said.append(item.refuse)
        return said if found else None

    def _found(self, text: str, asked: Field | None) -> list[tuple[Field, Any]]:
        """The fields that a message gives, with their values.

        What has no shape of its own, such as a name, counts only for the field that was `asked`,
        or after words that announce it.
        """
        plain = text.strip()
        values_of = ((item, self._find(item, plain, item is asked)) for item in self.form.fields)
        return [(item, value) for item, value in values_of if value is not None]

    def _find(self, item: Field, plain: str, asked: bool) -> Any:
        for pattern in item.says:
            told = re.search(pattern, words.folded(plain))
            if told:
                plain, asked = plain[told.end() :].strip(" :,"), True
                break
        match item.kind:
            case "choice":
                return values.find_choice(plain, self.bot.entities[item.choices or ""])
            case "day":
                return values.find_day(plain, self.bot.today)
            case "time":
                return values.find_time(plain)
            case "phone":
                return values.find_phone(plain)
            case "email":
                return values.find_email(plain)
            case "number":
                return values.find_number(plain) if asked else None
            case "name":
                decides = words.YES.search(words.folded(plain)) or words.NO.search(
                    words.folded(plain)
                )
                return values.find_name(_before_comma(plain)) if asked and not decides else None
            case _:
                return plain[:200] or None if asked else None

    def allows(self, item: Field, value: Any) -> bool:
        """Whether a value keeps the limits of its field."""
        if isinstance(value, date):
            closed = values.WEEKDAYS[value.weekday()] in {day.casefold() for day in item.closed}
            early = item.first is not None and value < item.first
            return not (closed or early or (item.last is not None and value > item.last))
        if isinstance(value, time):
            low, high = item.least or "00:00", item.most or "23:59"
            return values.clock(low) <= value <= values.clock(high)
        if isinstance(value, int):
            low, high = float(item.least or "-inf"), float(item.most or "inf")
            return low <= value <= high
        if item.kind == "phone" and item.digits:
            return sum(c.isdecimal() for c in value) >= item.digits
        return True

    def names(self, text: str) -> Field | None:
        """The field that a message names, as in "change the day"."""
        plain = words.folded(text)
        return next(
            (
                item
                for item in self.form.fields
                if re.search(rf"\b{re.escape(words.folded(item.label))}\b", plain)
            ),
            None,
        )

    def forget(self, item: Field) -> None:
        """Ask for a field again."""
        self.given.pop(item.name, None)

    @property
    def missing(self) -> Field | None:
        """The first field that is not given yet."""
        return next((one for one in self.form.fields if one.name not in self.given), None)

    def question(self, said: str) -> Message:
        """What is asked next: the missing field, or the summary, whose text is `said`."""
        self.asked = self.missing
        self.confirming = self.asked is None
        if self.asked is None:
            return Message(said, YES_NO)
        return Message(self.asked.ask, self._buttons(self.asked))

    def _buttons(self, item: Field) -> tuple[Shown, ...]:
        if not item.buttons or item.choices is None:
            return ()
        return tuple(
            Shown(value[:1].upper() + value[1:], value) for value in self.bot.entities[item.choices]
        )


def _before_comma(text: str) -> str:
    return re.split(r"[,;]| and ", text, maxsplit=1)[0].strip()
