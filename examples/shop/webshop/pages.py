"""What can be looked at: a function per page gives what its template needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from webshop.catalogue import BY_SLUG, CATEGORIES, found
from webshop.visits import Visit
from webshop.weak_spots import WeakSpot

COUNTRIES = ("Austria", "Belgium", "France", "Germany", "Italy", "Spain", "Switzerland")
Weak = frozenset[WeakSpot]


class Gone(Exception):
    """There is no such page."""


@dataclass(frozen=True)
class Page:
    """A template, the page's title, and what the template needs."""

    template: str
    title: str
    data: Mapping[str, Any] = field(default_factory=dict)
    status: int = 200


def render(page: Page, visit: Visit) -> str:
    """The page as HTML; what a visitor wrote is text in it, never markup."""
    notice, visit.notice = visit.notice, ""
    template = _templates().get_template(f"{page.template}.html.jinja")
    return template.render(visit=visit, title=page.title, notice=notice, **page.data)


@cache
def _templates() -> Environment:
    folder = Path(__file__).with_name("pages")
    return Environment(
        loader=FileSystemLoader(folder), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )


def catalogue(visit: Visit, rest: str, query: Mapping[str, str], weak: Weak) -> Page:
    """All products, or those of a search."""
    words, category = query.get("q", ""), query.get("category", "")
    order = query.get("order", "title")
    products = found(words, category, order, plurals=WeakSpot.PLURALS not in weak)
    data = {
        "products": products, "words": words, "category": category, "order": order,
        "categories": CATEGORIES,
    }  # fmt: skip
    return Page("catalogue", "Catalogue", data)


def product(visit: Visit, rest: str, query: Mapping[str, str], weak: Weak) -> Page:
    """One product."""
    if rest not in BY_SLUG:
        raise Gone
    one = BY_SLUG[rest]
    return Page("product", one.title, {"product": one, "rating": visit.ratings.get(rest, 0)})


def cart(visit: Visit, rest: str, query: Mapping[str, str], weak: Weak) -> Page:
    """The cart."""
    total = visit.total - visit.shipping if WeakSpot.FREE_SHIPPING in weak else visit.total
    return Page("cart", "Cart", {"total": total})


def login(visit: Visit, rest: str, query: Mapping[str, str], weak: Weak) -> Page:
    """The form to sign in."""
    return Page("login", "Sign in", {"error": "", "name": ""})


def checkout(visit: Visit, rest: str, query: Mapping[str, str], weak: Weak) -> Page:
    """The form to order."""
    return Page("checkout", "Checkout", {"countries": COUNTRIES, "errors": {}, "given": {}})


def orders(visit: Visit, rest: str, query: Mapping[str, str], weak: Weak) -> Page:
    """What was ordered; one order where its number is given."""
    if not rest:
        return Page("orders", "Orders")
    for one in visit.orders:
        if str(one.number) == rest:
            return Page("thanks", f"Order {one.number}", {"order": one})
    raise Gone


def account(visit: Visit, rest: str, query: Mapping[str, str], weak: Weak) -> Page:
    """What the shop knows of the customer."""
    if not visit.user:
        return login(visit, rest, query, weak)
    return Page("account", "Account")


def delivery(visit: Visit, rest: str, query: Mapping[str, str], weak: Weak) -> Page:
    """The widget of the carrier, for a frame."""
    return Page("delivery", "Delivery time")


PAGES: dict[str, Callable[[Visit, str, Mapping[str, str], Weak], Page]] = {
    "": catalogue, "product": product, "cart": cart, "login": login, "checkout": checkout,
    "orders": orders, "account": account, "delivery": delivery,
}  # fmt: skip
