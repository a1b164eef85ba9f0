"""`extract` without a schema, with classes and with JSON Schemas; `observe` proposes what is done."""

from collections.abc import AsyncIterator
from datetime import date
from typing import Any

import pytest
from pydantic import BaseModel

from sparring.errors import ConfigurationError
from sparring.web import Item, wrap

pytest.importorskip("playwright.async_api", reason="Playwright is not installed")
pytestmark = pytest.mark.anyio

NAV = "<nav><ul><li><a href='/a'>Home</a></li><li><a href='/b'>Offers</a></li></ul></nav>"
FOOT = "<footer><ul><li><a href='/i'>Imprint</a></li><li><a href='/j'>Jobs</a></li></ul></footer>"

PLAIN_CARDS = f"""{NAV}<h1>Mugs</h1><div class=grid>
<div class=card><img src=/red.png alt=red width=40 height=40><h3><a href=/red>Red mug</a></h3><p>$12.00</p></div>
<div class=card><img src=/blue.png alt=blue width=40 height=40><h3><a href=/blue>Blue mug</a></h3>
<p>$15.50</p></div>
<div class=card><img src=/grey.png alt=grey width=40 height=40><h3><a href=/grey>Grey mug</a></h3><p>$9 or $11</p></div>
</div>{FOOT}"""

CONTROLS = """<h1>Tea</h1><div class=list>
<div class=tile><strong>Assam</strong><span> 4.80 € </span><button>Buy</button></div>
<div class=tile><strong>Assam</strong><span> 4.80 € </span><button>Buy</button></div>
<div class=tile><strong>Darjeeling</strong><span> 7.20 € </span><button>Buy</button></div></div>"""

BLOG = f"""{NAV}<main><h1>News</h1>
<article><h2><a href=/post/1>Roof repaired</a></h2><p>Posted on 3 May 2026 by Ada</p>
<p>The roof of the old hall was repaired in four weeks, and since 1 April 2026 nobody gets wet.</p></article>
<article><h2><a href=/post/2>New opening hours</a></h2><p><time>2026-04-12</time> by Bob</p>
<p>From now on we open at nine in the morning on all days but Sundays and holidays.</p></article>
</main>{FOOT}"""

PROSE = f"""{NAV}<main><h1>On bridges</h1><p>12 June 2025</p>
<p>A bridge is more than a way across; it is a promise that the other side is worth a visit.</p>
<p>Wood and stone were the first materials; iron came much later, and concrete later still.</p>
</main>{FOOT}"""

SECTIONS = """<h1>Handbook</h1>
<h2>Leave</h2><p>Ask your manager two weeks before, in writing, and wait for the answer, please.</p>
<h2>Sickness</h2><p>Call before ten in the morning, and hand in a note from the third day on, at last.</p>
<h2>Travel</h2><p>Book by train if the way takes less than six hours, and keep all the receipts.</p>"""

LABELS = """<ul class=books><li><h3>Emma</h3><p>Author: Jane Austen</p><p>Pages: 474</p></li>
<li><h3>Ulysses</h3><p>Author: James Joyce</p><p>Pages: 730</p></li></ul>"""

TABLE = """<table><tr><th>City</th><th>Guests</th></tr><tr><td>Bari</td><td>12</td></tr>
<tr><td>Como</td><td>7</td></tr></table>"""

TWO = """<h2>Bestsellers</h2><ul><li><h3><a href=/x>Spade</a></h3><span>$8.00</span></li>
<li><h3><a href=/y>Rake</a></h3><span>$9.00</span></li></ul>
<h2>Clearance</h2><ul><li><h3><a href=/v>Hose</a></h3><span>$3.00</span></li>
<li><h3><a href=/w>Tub</a></h3><span>$2.00</span></li></ul>"""

DETAIL = """<main><h1>Glass teapot</h1><img src=/pot.png alt=Teapot width=40 height=40><p>27.50 €</p>
<p>Blown by hand, holds one litre, and may go into the dishwasher with its lid taken off.</p>
<button>Add to cart</button></main>"""


@pytest.fixture(scope="module")
async def browser(anyio_backend: str) -> AsyncIterator[Any]:
    from playwright.async_api import async_playwright

    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        program = find_browser("chromium", "").path
    except NoBrowser as err:
        pytest.skip(str(err))
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program)
        context = await browser.new_context(base_url="http://shop.test")
        await context.route("**/*.png", lambda route: route.fulfill(body=PIXEL))
        yield context
        await browser.close()


PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154"
    "08d763f8cfc000000301010018dd8db00000000049454e44ae426082"
)


class Shown:
    """A wrapped page that shows HTML as `http://shop.test/`."""

    def __init__(self, context: Any) -> None:
        self.context = context

    async def extract(self, html: str, instruction: str = "", schema: Any = None) -> Any:
        raw = await self.context.new_page()
        await raw.route("http://shop.test/", lambda route: route.fulfill(
            body=f"<!doctype html><html lang=en><meta charset=utf-8><title>T</title>{html}", content_type="text/html"
        ))  # fmt: skip
        await raw.goto("http://shop.test/")
        async with wrap(raw, patience_s=0) as page:
            value = await page.extract(instruction, schema)
            self.last = page.last
        await raw.close()
        return value


@pytest.fixture
def shown(browser: Any) -> Shown:
    return Shown(browser)


def brief(items: list[Item]) -> list[dict[str, Any]]:
    return [{k: v for k, v in item.model_dump(exclude_none=True).items() if v} for item in items]


SITE = "http://shop.test"


async def test_cards_without_controls(shown: Shown) -> None:
    assert brief(await shown.extract(PLAIN_CARDS)) == [
        {"title": "Red mug", "price": "$12.00", "link": f"{SITE}/red", "image": f"{SITE}/red.png"},
        {"title": "Blue mug", "price": "$15.50", "link": f"{SITE}/blue", "image": f"{SITE}/blue.png"},
        # two amounts: nobody can say which is the price
        {"title": "Grey mug", "text": "$9 or $11", "link": f"{SITE}/grey", "image": f"{SITE}/grey.png"},
    ]  # fmt: skip


async def test_equal_cards_beside_each_other_are_two(shown: Shown) -> None:
    assert brief(await shown.extract(CONTROLS)) == [
        {"title": "Assam", "price": "4.80 €"},
        {"title": "Assam", "price": "4.80 €"},
        {"title": "Darjeeling", "price": "7.20 €"},
    ]


async def test_articles_have_the_date_of_their_line_and_not_one_of_their_text(shown: Shown) -> None:
    first, second = await shown.extract(BLOG, "the latest news")
    assert (first.title, first.date, first.link) == (
        "Roof repaired",
        "3 May 2026",
        f"{SITE}/post/1",
    )
    assert first.text.startswith("The roof of the old hall")
    assert (second.title, second.date) == ("New opening hours", "2026-04-12")


async def test_prose_is_one_item(shown: Shown) -> None:
    (item,) = await shown.extract(PROSE)
    assert (item.title, item.date) == ("On bridges", "12 June 2025")
    assert item.text.split("\n\n")[1].startswith("Wood and stone")
    assert shown.last.reason == "1 from the page as a whole"


async def test_sections_are_items(shown: Shown) -> None:
    items = await shown.extract(SECTIONS)
    assert [item.title for item in items] == ["Leave", "Sickness", "Travel"]
    assert items[2].text.startswith("Book by train")


async def test_labels_and_columns_are_values(shown: Shown) -> None:
    emma, _ = await shown.extract(LABELS)
    assert (emma.title, emma.values) == ("Emma", {"Author": "Jane Austen", "Pages": "474"})
    bari, como = await shown.extract(TABLE)
    assert bari.values == {"City": "Bari", "Guests": "12"}
    assert (como.title, como.values["Guests"]) == ("Como", "7")


async def test_the_instruction_chooses_the_list_and_the_card(shown: Shown) -> None:
    clearance = await shown.extract(TWO, "what is on clearance")
    assert [item.title for item in clearance] == ["Hose", "Tub"]
    assert brief(await shown.extract(TWO, "the card of 'Rake'"))[0]["price"] == "$9.00"
    assert "other lists" in shown.last.reason


class Mug(BaseModel):
    product_name: str
    price: float | None = None
    image_url: str | None = None


class Post(BaseModel):
    headline: str
    published: date


class Book(BaseModel):
    name: str
    author: str
    pages: int


class Detail(BaseModel):
    name: str
    price: float
    picture: str


async def test_classes_are_filled_from_cards(shown: Shown) -> None:
    mugs = await shown.extract(PLAIN_CARDS, "", list[Mug])
    assert mugs[1] == Mug(product_name="Blue mug", price=15.5, image_url=f"{SITE}/blue.png")
    assert mugs[2] == Mug(product_name="Grey mug", price=None, image_url=f"{SITE}/grey.png")
    posts = await shown.extract(BLOG, "", list[Post])
    assert [post.published for post in posts] == [date(2026, 5, 3), date(2026, 4, 12)]
    books = await shown.extract(LABELS, "", list[Book])
    assert books[1] == Book(name="Ulysses", author="James Joyce", pages=730)
    pot = Detail(name="Glass teapot", price=27.5, picture=f"{SITE}/pot.png")
    assert await shown.extract(DETAIL, "", Detail) == pot


async def test_of_two_lists_that_fit_equally_none_is_taken(shown: Shown) -> None:
    assert await shown.extract(TWO, "", list[Mug]) is None
    taken = await shown.extract(TWO, "the bestsellers", list[Mug])
    assert [mug.product_name for mug in taken] == ["Spade", "Rake"]


async def test_a_json_schema_gives_plain_data(shown: Shown) -> None:
    row = {
        "type": "object",
        "properties": {
            "title": {"type": "string"},
            "unit-price": {"type": ["number", "null"]},
            "day": {"type": "string", "format": "date"},
        },
        "required": ["title"],
    }
    schema = {"type": "array", "items": {"$ref": "#/$defs/row"}, "$defs": {"row": row}}
    found = await shown.extract(PLAIN_CARDS, "", schema)
    assert found == [
        {"title": "Red mug", "unit-price": 12.0},
        {"title": "Blue mug", "unit-price": 15.5},
        {"title": "Grey mug"},
    ]
    strict = {**schema, "maxItems": 2}
    assert await shown.extract(PLAIN_CARDS, "", strict) is None
    assert "is too long" in shown.last.reason


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (dict, "extract takes a pydantic class that says what is wanted, a list of one"),
        (list[str], r"a list of one \(list\[Product\]\)"),
        ({"type": 7}, "this is no JSON Schema: 7 is not valid"),
        ({"type": "string"}, "the JSON Schema: extract reads an object with `properties`"),
        ({"type": "object", "properties": {"a": {"type": "null"}}}, "^a: extract knows the types"),
        (
            {"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}},
            "#/\\$defs/b: there is no such part",
        ),
    ],
)
def test_what_is_no_schema_is_refused(schema: Any, message: str) -> None:
    from sparring_plugins.web.driver.schemas import WantedClass

    with pytest.raises(ConfigurationError, match=message):
        WantedClass.of(schema)


FORM = """<form onsubmit="return false"><label>Name <input></label>
<label>Day <input type=date></label><label>Photo <input type=file></label>
<label>Size <select><option>S<option disabled>M<option>L</select></label>
<label><input type=checkbox> Gift</label><button>Send</button><button disabled>Later</button>
</form><button onclick="this.remove()">Close</button>"""


async def test_what_is_observed_can_be_done_as_it_is(browser: Any) -> None:
    raw = await browser.new_page()
    async with wrap(raw, patience_s=0.3) as page:
        await raw.set_content(FORM)
        proposed = [s.description for s in await page.observe()]
        assert proposed == [
            "fill textbox 'Name' ''", "fill textbox 'Day' ''", "click button 'Photo'",
            "select combobox 'Size' 'L'", "check checkbox 'Gift'", "click button 'Send'",
            "click button 'Close'",
        ]  # fmt: skip
        for number in range(len(proposed)):
            await raw.set_content(FORM)
            result = await page.act((await page.observe())[number])
            assert result, f"{proposed[number]}: {result.reason}"
        assert await page.observe("Click on 'Later'") == []
        await raw.set_content(FORM)
        (name, *_) = await page.observe("the name field")
        assert await page.act(name.with_value("Ada"))
        assert await raw.locator("input").first.input_value() == "Ada"
    await raw.close()
