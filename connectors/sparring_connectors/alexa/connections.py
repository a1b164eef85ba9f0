"""Tasks that a skill gives to Alexa: to ask for a permission by voice, to sell a product.

Alexa asks the user herself, and tells the skill the outcome with a ``Connections.Response``
(directive ``Connections.SendRequest``) or a ``SessionResumedRequest``
(``Connections.StartConnection``).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from sparring_connectors.alexa.consents import SCOPES, UserConsent
from sparring_connectors.alexa.nlu import builtin_intent
from sparring_connectors.alexa.shapes import mapping, mappings, named, text
from sparring_connectors.alexa.vocabulary import Phrase
from sparring_connectors.alexa.words import HeardWords
from sparring_connectors.bundled_data import load_data

TaskKind = Literal["permission", "purchase", "refund", "unknown"]
Outcome = Literal["accepted", "denied", "not_answered", "already", "undeclared"]

_SEND, _START = "Connections.SendRequest", "Connections.StartConnection"
_CONSENT_URI = "connection://AMAZON.AskForPermissionsConsent/"
_PURCHASES: Mapping[str, TaskKind] = {"Buy": "purchase", "Upsell": "purchase", "Cancel": "refund"}
_MOST_SHOWN = 200


class ConnectionWords(BaseModel):
    """Schema of ``connection_words.yaml``; what each list is for stands there."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    permission: dict[str, str]
    purchase: dict[str, str]
    refund: dict[str, str]
    things: dict[str, str]
    approvals: frozenset[Phrase]
    refusals: frozenset[Phrase]


_WORDS = load_data(__file__, "connection_words.yaml", ConnectionWords)


@dataclass(frozen=True, slots=True)
class ConnectionTask:
    """A task of a skill: `name` is the request's name or the address of the task.

    `scopes` are the permissions as the skill listed them, each with its `consentLevel` if it has
    one. `resumes` means that the session is resumed rather than answered.
    """

    kind: TaskKind
    name: str
    token: str = ""
    scopes: tuple[Mapping[str, Any], ...] = ()
    is_listed: bool = False
    product_id: str = ""
    resumes: bool = False

    @property
    def scope_names(self) -> tuple[str, ...]:
        """The permissions that are asked for, by scope."""
        return tuple(text(scope.get("permissionScope")) for scope in self.scopes)

    def known_outcome(self, consent: UserConsent, declared: Sequence[str] | None) -> Outcome | None:
        """Return the outcome if the user need not be asked, else None.

        `declared` are the scopes of the skill's manifest, None if it has none.
        """
        if self.kind == "permission":
            if all(consent.allows(scope) for scope in self.scope_names):
                return "accepted"
            is_declared = declared is None or set(self.scope_names) <= set(declared)
            return None if is_declared else "undeclared"
        owned = consent.product(self.product_id).get("entitled") == "ENTITLED"
        return "already" if owned and self.kind == "purchase" else None

    def question(self, skill: str, consent: UserConsent, language: str) -> str:
        """Return what Alexa asks the user."""
        if self.kind == "permission":
            words = [_thing(scope) for scope in self.scope_names]
            things = " and ".join(dict.fromkeys(words)) or "this"
            pattern = _WORDS.permission.get(language, _WORDS.permission["en"])
            return pattern.replace("{things}", things).replace("{skill}", skill)
        patterns = _WORDS.purchase if self.kind == "purchase" else _WORDS.refund
        product = named(consent.product(self.product_id).get("name")) or "This product"
        return patterns.get(language, patterns["en"]).replace("{product}", product[:_MOST_SHOWN])

    def apply(self, outcome: Outcome, consent: UserConsent) -> None:
        """Change what the user has given."""
        if outcome != "accepted":
            return
        if self.kind == "permission":
            consent.give(self.scope_names)
        elif self.product_id:
            consent.products[self.product_id] = self.kind == "purchase"

    def answer(self, base: Mapping[str, Any], outcome: Outcome) -> dict[str, Any]:
        """Return the request that tells the skill the outcome; `base` is what every one has."""
        failed = outcome == "undeclared"
        status = {"code": "400", "message": "Bad Request"} if failed else _OK
        result = self._result(outcome)
        if self.resumes:
            cause = {"type": "ConnectionCompleted", "token": self.token, "status": status}
            return {**base, "cause": {**cause, "result": result}}
        return {
            **base, "name": self.name, "status": status, "payload": result, "token": self.token,
        }  # fmt: skip

    def _result(self, outcome: Outcome) -> dict[str, Any]:
        if self.kind == "permission":
            if outcome == "undeclared":
                return {}
            result: dict[str, Any] = {"status": outcome.upper(), "isCardThrown": False}
            scopes = [dict(scope) for scope in self.scopes]
            if self.is_listed:
                return {**result, "permissionScopes": scopes}
            return {**result, "permissionScope": next(iter(self.scope_names), "")}
        names = {"accepted": "ACCEPTED", "already": "ALREADY_PURCHASED"}
        purchase = names.get(outcome, "DECLINED")
        return {"purchaseResult": purchase, "productId": self.product_id, "message": ""}


_OK = {"code": "200", "message": "OK"}


def _thing(scope: str) -> str:
    names = (name for name, scopes in SCOPES.items() if scope in scopes)
    return _WORDS.things.get(next(names, ""), f"'{scope[:_MOST_SHOWN]}'")


def read_task(directives: Sequence[Mapping[str, Any]]) -> ConnectionTask | None:
    """Return the task that a response gives to Alexa, if it gives one."""
    for directive in directives:
        if directive.get("type") == _SEND:
            return _sent(directive)
        if directive.get("type") == _START:
            return _started(directive)
    return None


def _sent(directive: Mapping[str, Any]) -> ConnectionTask:
    name, token = text(directive.get("name")), text(directive.get("token"))
    payload = mapping(directive.get("payload"))
    if name == "AskFor":
        return _permission(payload, name, token, resumes=False)
    kind = _PURCHASES.get(name, "unknown")
    product = named(mapping(payload.get("InSkillProduct")).get("productId"))
    return ConnectionTask(kind if product else "unknown", name, token, product_id=product)


def _started(directive: Mapping[str, Any]) -> ConnectionTask:
    uri, token = text(directive.get("uri")), text(directive.get("token"))
    if uri.startswith(_CONSENT_URI):
        return _permission(mapping(directive.get("input")), uri, token, resumes=True)
    return ConnectionTask("unknown", uri, token, resumes=True)


def _permission(
    payload: Mapping[str, Any], name: str, token: str, *, resumes: bool
) -> ConnectionTask:
    """Version 1 asks for one scope, version 2 for a list of them."""
    listed = tuple(mappings(payload.get("permissionScopes")))
    scopes = listed or ({"permissionScope": text(payload.get("permissionScope"))},)
    is_asked = any(text(scope.get("permissionScope")) for scope in scopes)
    kind: TaskKind = "permission" if is_asked else "unknown"
    return ConnectionTask(kind, name, token, scopes, is_listed=bool(listed), resumes=resumes)


def read_answer(words: HeardWords, language: str) -> Outcome | None:
    """Return what the user answers to Alexa's question; None if it is no answer."""
    said = words.words
    standard = builtin_intent(list(said), language) or builtin_intent(list(said), "en")
    if standard == "AMAZON.YesIntent" or said in _WORDS.approvals:
        return "accepted"
    refusing = ("AMAZON.NoIntent", "AMAZON.StopIntent", "AMAZON.CancelIntent")
    return "denied" if standard in refusing or said in _WORDS.refusals else None
