"""What the shop sells."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True)
class Product:
    """An article; `stock` counts pieces."""

    slug: str
    title: str
    category: str
    price: Decimal
    stock: int
    description: str
    colours: tuple[str, ...] = ("White", "Blue", "Green")


PRODUCTS: tuple[Product, ...] = (
    Product("stoneware-teapot", "Stoneware teapot", "Tea", Decimal("34.90"), 12,
            "Holds one litre. The lid stays on when you pour."),
    Product("glass-teapot", "Glass teapot", "Tea", Decimal("27.50"), 3,
            "You see when the tea is ready. Comes with a strainer."),
    Product("green-tea", "Green tea, 100 g", "Tea", Decimal("6.80"), 80,
            "First flush from Uji. Mild and a little sweet.", ()),
    Product("hand-mill", "Hand mill", "Coffee", Decimal("49.00"), 5,
            "Ceramic burrs, eighteen settings.", ("Oak", "Walnut")),
    Product("moka-pot", "Moka pot", "Coffee", Decimal("22.00"), 0,
            "For three cups. Aluminium, so not for induction."),
    Product("bleu-plate", "Plate 'Bleu d'Auvergne'", "Table", Decimal("14.20"), 40,
            "Hand-painted in Clermont-Ferrand. No two are the same.", ()),
    Product("linen-napkin", "Linen napkin", "Table", Decimal("4.50"), 200,
            "Woven from European flax. Gets softer with every wash."),
)  # fmt: skip
CATEGORIES = tuple(dict.fromkeys(product.category for product in PRODUCTS))
BY_SLUG = {product.slug: product for product in PRODUCTS}


def found(words: str, category: str, order: str, *, plurals: bool) -> Sequence[Product]:
    """The products of a search, sorted by ``title`` or ``price``.

    With `plurals` a word also finds its singular.
    """
    wanted = words.casefold().split()
    matching = [
        product
        for product in PRODUCTS
        if (not category or product.category == category)
        and all(_has(product, word, plurals=plurals) for word in wanted)
    ]
    if order == "price":
        return sorted(matching, key=lambda product: product.price)
    return sorted(matching, key=lambda product: product.title)


def _has(product: Product, word: str, *, plurals: bool) -> bool:
    text = f"{product.title} {product.description}".casefold()
    return word in text or (plurals and len(word) > 3 and word.removesuffix("s") in text)
