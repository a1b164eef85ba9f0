"""What the shop knows of a visitor: cart, account, orders. Each cookie has its own."""

from collections import OrderedDict
from dataclasses import dataclass, field
from decimal import Decimal
from secrets import token_urlsafe
from threading import Lock

from webshop.catalogue import BY_SLUG, Product

SHIPPING = Decimal("4.90")
FREE_FROM = Decimal("80.00")
VOUCHERS = {"WELCOME10": Decimal("0.10")}
PASSWORDS = {"ada": "countess", "bob": "builder"}
MOST_PIECES = 20
_MOST_VISITS = 5000


@dataclass(frozen=True)
class Line:
    """Some pieces of an article."""

    product: Product
    colour: str
    pieces: int

    @property
    def price(self) -> Decimal:
        """For all pieces."""
        return self.product.price * self.pieces


@dataclass
class Order:
    """What was bought."""

    number: int
    lines: tuple[Line, ...]
    total: Decimal
    details: dict[str, str]
    cancelled: bool = False


@dataclass
class Visit:
    """One visitor, from the first page on."""

    user: str = ""
    cart: dict[tuple[str, str], int] = field(default_factory=dict)
    voucher: str = ""
    badge: int = 0
    notice: str = ""
    profile: dict[str, str] = field(default_factory=dict)
    orders: list[Order] = field(default_factory=list)
    ratings: dict[str, int] = field(default_factory=dict)

    @property
    def lines(self) -> tuple[Line, ...]:
        """The cart in the order in which it was filled."""
        return tuple(Line(BY_SLUG[slug], colour, n) for (slug, colour), n in self.cart.items())

    @property
    def subtotal(self) -> Decimal:
        """The articles, without discount and shipping."""
        return sum((line.price for line in self.lines), Decimal("0.00"))

    @property
    def discount(self) -> Decimal:
        """What the voucher takes off."""
        share = VOUCHERS.get(self.voucher, Decimal(0))
        return (self.subtotal * share).quantize(Decimal("0.01"))

    @property
    def shipping(self) -> Decimal:
        """What it costs to send the cart."""
        left = self.subtotal - self.discount
        return Decimal("0.00") if not self.cart or left >= FREE_FROM else SHIPPING

    @property
    def total(self) -> Decimal:
        """All of it."""
        return self.subtotal - self.discount + self.shipping

    def put(self, product: Product, colour: str, pieces: int) -> bool:
        """Put pieces into the cart; False where there are not so many."""
        key = product.slug, colour
        wanted = self.cart.get(key, 0) + pieces
        if not 1 <= wanted <= min(product.stock, MOST_PIECES):
            return False
        self.cart[key] = wanted
        self.badge = sum(self.cart.values())
        return True

    def buy(self, details: dict[str, str]) -> Order:
        """Make an order of the cart, which is empty then."""
        order = Order(1001 + len(self.orders), self.lines, self.total, details)
        self.orders.append(order)
        self.cart, self.voucher, self.badge = {}, "", 0
        return order


class Visits:
    """All visitors by their cookies; the oldest are forgotten."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Visit] = OrderedDict()
        self._lock = Lock()

    def of(self, cookie: str) -> tuple[str, Visit]:
        """The visit of a cookie, and the cookie to send: a new one for a stranger."""
        with self._lock:
            if cookie not in self._known:
                cookie = token_urlsafe(18)
                self._known[cookie] = Visit()
                if len(self._known) > _MOST_VISITS:
                    self._known.popitem(last=False)
            return cookie, self._known[cookie]
