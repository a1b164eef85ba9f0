"""What the user of a conversation has given to skills: permissions, an account, purchases.

Requests name them, the stand-in for Alexa's service API answers by them, and they change while the
user talks: by an answer to Alexa's own question, or by accepting a card in the Alexa app.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sparring_connectors.alexa.config import ServicesConfig
from sparring_connectors.alexa.shapes import text, texts

#: Short names of permissions, with the scopes that skills may ask for by them.
SCOPES: Mapping[str, tuple[str, ...]] = {
    "address": ("read::alexa:device:all:address", "alexa::devices:all:address:full:read"),
    "postal": (
        "read::alexa:device:all:address:country_and_postal_code",
        "alexa:devices:all:address:country_and_postal_code:read",
    ),
    "name": ("alexa::profile:name:read",),
    "given_name": ("alexa::profile:given_name:read",),
    "email": ("alexa::profile:email:read",),
    "mobile": ("alexa::profile:mobile_number:read",),
    "reminders": ("alexa::alerts:reminders:skill:readwrite",),
    "timers": ("alexa::alerts:timers:skill:readwrite",),
}
_MOST_SCOPES = 50


@dataclass(slots=True)
class UserConsent:
    """What one user has given; `products` are those bought or given back while talking."""

    config: ServicesConfig
    scopes: set[str] = field(default_factory=set[str])
    products: dict[str, bool] = field(default_factory=dict[str, bool])
    is_linked: bool = False

    def allows(self, permission: str) -> bool:
        """Return whether a permission is given, by its scope or its short name."""
        if self.config.granted == "all":
            return True
        same = {permission, *SCOPES.get(permission, ())}
        for name, scopes in SCOPES.items():
            if permission in scopes:
                same |= {name, *scopes}
        return not same.isdisjoint(self.scopes.union(self.config.granted))

    def give(self, scopes: Iterable[str]) -> None:
        """Give permissions, by scope."""
        self.scopes.update(list(scopes)[:_MOST_SCOPES])

    def receive_card(self, card: Mapping[str, Any]) -> None:
        """Do in the Alexa app what a card asks for, if this user does that."""
        if self.config.cards != "accept":
            return
        if card.get("type") == "LinkAccount":
            self.is_linked = True
        elif card.get("type") == "AskForPermissionsConsent":
            self.give(texts(card.get("permissions")))

    def permissions(self, declared: Iterable[str], token: str) -> dict[str, Any]:
        """Return the object `permissions` of a request's user; empty if nothing is given.

        Args:
            declared: Scopes that the skill's manifest declares.
            token: Stands for the consent in it.
        """
        granted = self.config.granted
        if granted == "all":
            scopes = set(declared)
        else:
            scopes = {scope for name in granted for scope in SCOPES.get(name, (name,))}
        scopes |= self.scopes
        if not scopes and granted != "all":
            return {}
        return {
            "consentToken": token,
            "scopes": {scope: {"status": "GRANTED"} for scope in sorted(scopes)},
        }

    def product(self, product_id: str) -> dict[str, Any]:
        """Return an in-skill product as it is for this user; empty if there is none."""
        for product in self.all_products():
            if product.get("productId") == product_id:
                return product
        return {}

    def all_products(self) -> list[dict[str, Any]]:
        """Return the in-skill products as they are for this user."""
        products = [dict(product) for product in self.config.products]
        for product in products:
            bought = self.products.get(text(product.get("productId")))
            if bought is not None:
                product["entitled"] = "ENTITLED" if bought else "NOT_ENTITLED"
        return products


class Consents:
    """The users of a run, by the token with which a skill asks Alexa's service API."""

    def __init__(self, config: ServicesConfig) -> None:
        self._config = config
        self._users: dict[str, UserConsent] = {}

    def of(self, token: str) -> UserConsent:
        """Return what the user of a conversation has given, to be changed."""
        return self._users.setdefault(token, UserConsent(self._config))

    def known(self, token: str) -> UserConsent:
        """Return what the user of a token has given; what all have given if nobody has it."""
        return self._users.get(token) or UserConsent(self._config)

    def forget(self, token: str) -> None:
        """Drop the user of a conversation that is over."""
        self._users.pop(token, None)
