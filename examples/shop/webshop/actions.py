"""What can be done: a function per form or button.

Each gives an address to go to, a page to show, or data for a script.
"""

from collections.abc import Callable, Mapping
from typing import Any

from webshop.catalogue import BY_SLUG
from webshop.pages import COUNTRIES, Page, Weak
from webshop.visits import PASSWORDS, VOUCHERS, Visit
from webshop.weak_spots import WeakSpot

Form = Mapping[str, str]
Result = str | Page | dict[str, Any]


def add(visit: Visit, rest: str, form: Form, weak: Weak) -> Result:
    """Put an article into the cart; asked by a script."""
    product = BY_SLUG.get(rest)
    pieces = form.get("pieces", "1")
    colour = form.get("colour", "")
    if product is None or not pieces.isdecimal() or (colour and colour not in product.colours):
        return {"ok": False, "text": "That is not possible.", "badge": visit.badge}
    if not visit.put(product, colour, int(pieces)):
        return {"ok": False, "text": f"Only {product.stock} in stock.", "badge": visit.badge}
    return {"ok": True, "text": f"{product.title} added to your cart.", "badge": visit.badge}


def change(visit: Visit, rest: str, form: Form, weak: Weak) -> Result:
    """Change how many pieces are in the cart; none removes the article."""
    key = rest, form.get("colour", "")
    pieces = form.get("pieces", "")
    if key in visit.cart and pieces.isdecimal():
        del visit.cart[key]
        if int(pieces) and not visit.put(BY_SLUG[rest], key[1], int(pieces)):
            visit.notice = "There are not so many in stock."
    if visit.cart or WeakSpot.STALE_BADGE not in weak:
        visit.badge = sum(visit.cart.values())
    return "/cart"


def voucher(visit: Visit, rest: str, form: Form, weak: Weak) -> Result:
    """Redeem a voucher."""
    code = form.get("code", "").strip().upper()
    visit.voucher = code if code in VOUCHERS else ""
    visit.notice = "Voucher redeemed." if visit.voucher else "This voucher is not valid."
    return "/cart"


def login(visit: Visit, rest: str, form: Form, weak: Weak) -> Result:
    """Sign in."""
    name = form.get("name", "").strip()
    if PASSWORDS.get(name) != form.get("password", ""):
        data = {"error": "Wrong user name or password.", "name": name}
        return Page("login", "Sign in", data, status=401)
    visit.user = name
    return "/account"


def logout(visit: Visit, rest: str, form: Form, weak: Weak) -> Result:
    """Sign out."""
    visit.user = ""
    return "/"


def account(visit: Visit, rest: str, form: Form, weak: Weak) -> Result:
    """Save the profile."""
    kept = {name: form.get(name, "").strip()[:100] for name in ("email", "phone", "photo")}
    if WeakSpot.LOST_PHONE in weak:
        kept["phone"] = visit.profile.get("phone", "")
    visit.profile = kept
    visit.notice = "Saved."
    return "/account"


def checkout(visit: Visit, rest: str, form: Form, weak: Weak) -> Result:
    """Order what is in the cart."""
    given = {name: value.strip()[:200] for name, value in form.items()}
    errors = {name: f"{name.capitalize()} is missing." for name in ("name", "street", "city")
              if not given.get(name)}  # fmt: skip
    if given.get("country") not in COUNTRIES:
        errors["country"] = "We don't deliver there."
    if not given.get("terms"):
        errors["terms"] = "Please accept the terms."
    if not visit.cart:
        errors["cart"] = "Your cart is empty."
    if errors:
        data = {"countries": COUNTRIES, "errors": errors, "given": given}
        return Page("checkout", "Checkout", data, status=422)
    return f"/orders/{visit.buy(given).number}"


def cancel(visit: Visit, rest: str, form: Form, weak: Weak) -> Result:
    """Cancel an order."""
    for order in visit.orders:
        if str(order.number) == rest:
            order.cancelled = True
            visit.notice = f"Order {rest} is cancelled."
    return "/orders"


def rate(visit: Visit, rest: str, form: Form, weak: Weak) -> Result:
    """Rate an article with one to five stars; asked by a script."""
    stars = form.get("stars", "")
    if rest not in BY_SLUG or stars not in ("1", "2", "3", "4", "5"):
        return {"ok": False, "text": "That is not possible.", "badge": visit.badge}
    visit.ratings[rest] = int(stars)
    return {"ok": True, "text": "Thank you for your rating.", "badge": visit.badge}


ACTIONS: dict[str, Callable[[Visit, str, Form, Weak], Result]] = {
    "add": add, "change": change, "voucher": voucher, "login": login, "logout": logout,
    "account": account, "checkout": checkout, "cancel": cancel, "rate": rate,
}  # fmt: skip
