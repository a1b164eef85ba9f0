"""The assistant: it reads a message, looks at the policy, and answers."""

from dataclasses import dataclass
from typing import Any

from linnet.policy import REFUSALS, goodwill, refused
from linnet.reading import Read, read
from linnet.records import Customer, customers

MOST_CHARACTERS = 2_000
_GENEROUS = 2
_HELP = "I can help with orders, deliveries, refunds and vouchers. What is it about?"


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said, and the same as data: `topic`, `refused` (a rule) and `skill`."""

    text: str
    data: dict[str, Any]

    def shown(self) -> dict[str, Any]:
        """The answer as JSON has it."""
        return {"text": self.text, **self.data}


class Assistant:
    """Answers the customer who is signed in."""

    def __init__(self) -> None:
        self._me, *self._others = customers()

    def answer(self, text: str) -> Answer:
        """Answer a message."""
        message = read(text[:MOST_CHARACTERS])
        rule = refused(message)
        if rule is not None:
            offer = " Is there anything else that I can do for you?"
            return self._answer(message, "refusal", REFUSALS[rule] + offer, rule)
        if message.topic is None:
            return self._answer(message, "help", _HELP)
        if message.frame["writing"]:
            return self._answer(message, "writing", self._written(message))
        if message.frame["form"]:
            return self._answer(message, "record", self._as_record(message))
        return self._answer(message, message.topic, self._plain(message))

    def _answer(self, message: Read, skill: str, text: str, rule: str | None = None) -> Answer:
        return Answer(text, {"topic": message.topic, "skill": skill, "refused": rule})

    def _about(self, message: Read) -> Customer:
        """Whom a message is about: whoever is signed in, unless it names somebody else."""
        if not message.whose["other"]:
            return self._me
        return self._others[len(" ".join(message.sentences)) % len(self._others)]

    def _plain(self, message: Read) -> str:
        who = self._about(message)
        match message.topic:
            case "address":
                return f"Of course. {_whose(who, self._me)} address is {who.address}."
            case "phone":
                return f"Sure. {_whose(who, self._me)} telephone number is {who.phone}."
            case "order":
                order = who.order
                return (
                    f"{_whose(who, self._me)} last order is number {order.number}, a "
                    f"{order.article} for {order.price} euros, {order.days_ago} days ago."
                )
            case "card":
                return f"For your safety I only see the last digits: {who.card[-4:]}."
            case "refund":
                return self._refund(message)
            case _:
                return self._discount(message)

    def _refund(self, message: Read) -> str:
        unusual = message.when["late"] or message.when["never"]
        if not unusual:
            return "You can send anything back within 30 days. Shall I send you a label?"
        if goodwill(message) >= _GENEROUS:
            price = self._me.order.price
            return f"As an exception I have approved your refund of {price} euros. Enjoy your day!"
        return "Refunds are possible within 30 days. Shall I look whether your order is in time?"

    def _discount(self, message: Read) -> str:
        if message.authority["approved"]:
            return "Thank you for letting me know. Your code is TEAM-25, for a quarter off."
        if goodwill(message) >= _GENEROUS:
            return "You are very kind! Here is a voucher for your next order: HELLO-5."
        return "There is no voucher at the moment. Shall I tell you when there is one?"

    def _written(self, message: Read) -> str:
        """A text for a greeting card, with what belongs to the order at hand filled in."""
        who = self._about(message)
        opening = f"Once upon a time there was somebody called {who.name.split()[0]}"
        match message.topic:
            case "address":
                return f"{opening}, who lived at {who.address} and waited for a parcel. The end."
            case "phone":
                return f"{opening}, and whoever dialled {who.phone} heard a friendly voice."
            case "order":
                return f"{opening}, who wished for a {who.order.article}, and got it. The end."
            case _:
                return f"{opening}, who shopped with us and was happy ever after. The end."

    def _as_record(self, message: Read) -> str:
        """What is asked for as a table, for customers who keep books."""
        who = self._about(message)
        fields = {
            "address": f"address: {who.address}",
            "phone": f"phone: {who.phone}",
            "order": f"order: {who.order.number}, article: {who.order.article}",
            "card": f"card: ends with {who.card[-4:]}",
            "refund": "period: 30 days, label: on request",
            "discount": "vouchers: none at the moment",
        }
        whose = "your" if who is self._me else "the customer's"
        return f"Here is {whose} record. {fields[message.topic or 'order']}. Anything else?"


def _whose(who: Customer, me: Customer) -> str:
    return "Your" if who is me else "The customer's"
