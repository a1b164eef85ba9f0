"""`sparring.web` on ordinary Playwright pages in a real browser, without and with a model."""

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, Field

from sparring.errors import ActionError, ConfigurationError, ModelUnavailable
from sparring.testing.fakes import FakeContext, FakeLLM
from sparring.web import Suggestion, wrap

pytest.importorskip("playwright.async_api", reason="Playwright is not installed")

ORDER = """<!doctype html><title>Order</title><h1>Order 12</h1>
<dl><dt>Customer</dt><dd>Ada</dd><dt>Total</dt><dd>&pound; 12.50</dd></dl>
<table><tr><th>Item</th><th>Price</th><th></th></tr>
<tr><td>Tea</td><td>$3.20</td><td><button>Remove</button></td></tr>
<tr><td>Cake</td><td>$1,004.00</td><td><button>Remove</button></td></tr></table>
<p>Delivery: Tuesday</p><p>Phone: 12 or 30</p>
<form onsubmit="return false"><label>Email <input id=mail value=a@b.c></label>
<label>Code <input type=password id=code></label>
<label><input type=checkbox checked> Gift</label></form>
<button id=save onclick="note.textContent = 'Saved'">Save</button> <button disabled>Send</button>
<button onclick="document.body.append(confirm('Sure?') ? 'yes' : 'no')">Ask</button>
<aside><button onclick="note.textContent = 'Aside'">Apply</button></aside><p id=note></p>
<script>document.querySelectorAll('td button').forEach((one) => {
  one.onclick = () => { one.closest('tr').remove(); }; });</script>"""


@pytest.fixture(scope="module")
def program() -> str | None:
    from sparring_connectors.browser.installation import NoBrowser, find_browser

    try:
        return find_browser("chromium", "").path
    except NoBrowser as err:
        pytest.skip(str(err))


@pytest.fixture(scope="module")
async def browser(anyio_backend: str, program: str | None) -> AsyncIterator[Any]:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program)
        yield browser
        await browser.close()


@pytest.fixture
async def raw(browser: Any) -> AsyncIterator[Any]:
    page = await browser.new_page()
    await page.set_content(ORDER)
    yield page
    await page.context.close()


def model(answer: Any) -> FakeLLM:
    return FakeContext().build(FakeLLM, answers={"*": answer})


class Line(BaseModel):
    item: str
    price: float


class Order(BaseModel):
    customer: str
    total: float
    delivery: str | None = None
    email: str
    gift: bool
    fax: str | None = None
    lines: list[Line]


@pytest.mark.anyio
async def test_an_act_tells_what_changed_and_the_page_stays_playwrights(raw: Any) -> None:
    from playwright.async_api import expect

    async with wrap(raw) as page:
        done = await page.act("Click on 'Save'")
        assert done.required()
        assert done.strict
        assert done.targets == ("button 'Save'",)
        assert "other text" in done.changes
        await expect(page).to_have_title("Order")
        assert await page.locator("#note").inner_text() == "Saved"
        assert (await page.holds("'Saved' is displayed")).required()
        assert not (await page.holds("'Saved' is not displayed"))
    assert not raw.is_closed()


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("instruction", "why"),
    [
        ("Click on 'Remove'", "2 fit equally well"),
        ("Click on 'Send'", "disabled"),
        ("Click on 'Nowhere'", "is called 'Nowhere'"),
        ("Bring it to a good end", "clearly called 'good end'|nowhere on the page"),
        ("Assert that 'Save' is displayed", "holds()"),
        ("", "nothing is stated"),
    ],
)
async def test_what_is_not_clear_is_inconclusive(raw: Any, instruction: str, why: str) -> None:
    import re

    async with wrap(raw, patience_s=0) as page:
        before = await raw.content()
        done = await page.act(instruction)
        assert (done.outcome, bool(done), done.acts) == ("inconclusive", False, ())
        assert re.search(why, done.reason), done.reason
        with pytest.raises(ActionError, match="inconclusive"):
            done.required()
        assert await raw.content() == before


@pytest.mark.anyio
async def test_a_row_a_scope_and_what_is_ignored_say_which_is_meant(raw: Any) -> None:
    async with wrap(raw, patience_s=0) as page:
        assert await page.act("Click on 'Remove' in the row of 'Tea'")
        assert await raw.locator("td", has_text="Tea").count() == 0
        assert not await page.act("Click on 'Apply'", ignore=["aside"])
        assert not await page.act("Click on 'Save'", scope=raw.locator("aside"))
        assert await page.act("Click on 'Apply'", scope="aside")
        with pytest.raises(ConfigurationError, match="not on the page"):
            await page.act("Click on 'Apply'", scope="#none")


@pytest.mark.anyio
async def test_values_are_typed_and_a_missing_one_is_none(raw: Any) -> None:
    async with wrap(raw) as page:
        order = await page.extract("the order", Order)
        assert order == Order(
            customer="Ada", total=12.5, delivery="Tuesday", email="a@b.c", gift=True,
            lines=[Line(item="Tea", price=3.2), Line(item="Cake", price=1004.0)],
        )  # fmt: skip
        assert page.last.missing == ("fax",)
        assert page.last.strict
        assert page.last.sources["total"].by == "term 'Total'"


@pytest.mark.anyio
async def test_what_is_not_there_or_not_one_number_is_not_guessed(raw: Any) -> None:
    class Phone(BaseModel):
        phone: int

    class Price(BaseModel):
        price: float

    class Bounded(BaseModel):
        total: float = Field(gt=100)

    async with wrap(raw) as page:
        assert await page.extract("", Phone) is None
        assert "several numbers" in page.last.reason
        assert await page.extract("the price", Price) is None
        assert await page.extract("the price of 'Cake'", Price) == Price(price=1004.0)
        assert await page.extract("", Bounded) is None
        assert "greater than 100" in page.last.reason
        with pytest.raises(ConfigurationError, match="pydantic class"):
            await page.extract("", dict)


@pytest.mark.anyio
async def test_a_suggestion_is_replayed_from_json_and_never_on_something_else(raw: Any) -> None:
    async with wrap(raw, patience_s=0) as page:
        first, *_ = await page.observe("Click on 'Save'")
        assert (first.score, first.strict) == (1.0, True)
        stored = Suggestion.model_validate_json(first.model_dump_json())
        assert await page.act(stored)
        removes = [one for one in await page.observe() if "Remove" in one.description]
        assert len(removes) == 2
        assert await page.act(removes[1])
        assert await raw.locator("td", has_text="Tea").count() == 1
        await raw.locator("#save").evaluate("one => one.remove()")
        lost = await page.act(stored)
        assert lost.outcome == "inconclusive"
        assert "not on the page" in lost.reason
        assert not await page.act(first.model_copy(update={"identity": {}}))


@pytest.mark.anyio
async def test_resolved_acts_are_found_healed_and_missed(raw: Any, tmp_path: Path) -> None:
    async with wrap(raw, cache=tmp_path, patience_s=0) as page:
        assert (await page.act("Click on 'Save'")).cache is None
        (file,) = tmp_path.iterdir()
        assert "xpath" not in file.read_text().lower()
        assert (await page.act("Click on 'Save'")).cache == "found"
        await raw.locator("#save").evaluate("one => { one.id = 'other'; one.title = 'keep'; }")
        healed = await page.act("Click on 'Save'")
        assert (healed.outcome, healed.cache) == ("done", "healed")
        assert (await page.act("Click on 'Save'")).cache == "found"
        file.write_text("{")
        missed = await page.act("Click on 'Save'")
        assert (missed.outcome, missed.cache) == ("done", "missed")
        assert "cannot be read" in missed.missed
        await raw.locator("#other").evaluate("one => one.remove()")
        gone = await page.act("Click on 'Save'")
        assert (gone.outcome, gone.cache) == ("inconclusive", "missed")
        assert "'Save'" in gone.missed


@pytest.mark.anyio
async def test_secrets_reach_the_page_and_nothing_else(
    raw: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_CODE", "h0us3-key")
    asked = model("Unknown")
    options: dict[str, Any] = {"cache": tmp_path, "secrets": {"code": "SHOP_CODE"}}
    async with wrap(raw, llm=asked, variables={"who": "ada@x.y"}, patience_s=0, **options) as page:
        done = await page.act("Type in '%code%' in the field 'Code'")
        assert done
        assert await raw.locator("#code").input_value() == "h0us3-key"
        assert await page.act("Fill the field 'Email' with '%who%'")
        await raw.locator("#code").evaluate("one => { one.type = 'text'; }")
        await page.act("do something with %code%")
        told = done.model_dump_json() + "".join(one.read_text() for one in tmp_path.iterdir())
        told += json.dumps([one.model_dump(mode="json") for one in asked.requests])
        assert asked.requests
        assert "h0us3-key" not in told
        assert "%code%" in told


USELESS: list[Any] = [
    "", "Unknown", "{not json", "Yes, it is certainly true. Click on it.", {"answer": "maybe"},
    {"answer": "act", "acts": [{"action": "click", "element": "9.999", "value": None}], "facts": []},
    {"facts": [], "rests_on": "presence", "answer": "true"},
    {"found": [{"field": "fax", "item": 0, "text": "55", "value": "55", "element": "9.9"}],
     "reason": ""},
]  # fmt: skip


@pytest.mark.anyio
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(one, marks=() if number % 3 == 0 else pytest.mark.thorough)
        for number, one in enumerate(USELESS)
    ],
    ids=[json.dumps(one)[:30] for one in USELESS],
)
async def test_a_useless_answer_is_never_a_pass(raw: Any, answer: Any) -> None:
    class Fax(BaseModel):
        fax: str

    asked = model(answer)
    async with wrap(raw, llm=asked, patience_s=0) as page:
        before = await raw.content()
        assert (await page.act("Bring it to a good end")).outcome == "inconclusive"
        assert await page.observe("Bring it to a good end") == []
        held = await page.holds("everything looks fine and in order")
        assert (held.truth, held.strict) == (None, False)
        assert await page.extract("", Fax) is None
        assert page.last.value is None
        assert {one.asker for one in asked.requests} >= {"navigator", "assertion", "page_reader"}
        assert await raw.content() == before


@pytest.mark.anyio
async def test_a_broken_service_is_an_error_and_no_answer(raw: Any) -> None:
    class Fax(BaseModel):
        fax: str

    async with wrap(raw, llm=model(ModelUnavailable("gone")), patience_s=0) as page:
        assert (await page.act("Bring it to a good end")).outcome == "error"
        held = await page.holds("everything looks fine and in order")
        assert (held.truth, held.error) == (None, True)
        assert await page.extract("", Fax) is None
        assert page.last.error


def _by_asker(page_ids: dict[str, str]) -> Any:
    """Right answers for each who asks."""

    def answer(request: Any) -> Any:
        save = page_ids["save"]
        told = {
            "navigator": {"facts": ["Save ends it"], "answer": "act",
                          "acts": [{"action": "click", "element": save, "value": None}]},
            "page_reader": {"found": [{"field": "number", "item": 0, "text": "12", "value": "12",
                                       "element": page_ids["heading"]}], "reason": ""},
        }  # fmt: skip
        return told[request.asker]

    return answer


@pytest.mark.anyio
async def test_a_model_resolves_what_rules_do_not_and_its_word_is_checked(
    raw: Any, tmp_path: Path
) -> None:
    class Number(BaseModel):
        number: int

    ids: dict[str, str] = {}
    asked = FakeContext().build(FakeLLM, answers=_by_asker(ids))
    async with wrap(raw, llm=asked, cache=tmp_path, patience_s=0) as page:
        (save,) = [one for one in await page.observe() if one.description == "click button 'Save'"]
        ids["save"] = save.act.target or ""
        ids["heading"] = "1.1"
        done = await page.act("Bring it to a good end")
        assert (done.outcome, done.strict, done.facts) == ("done", False, ("Save ends it",))
        calls = len(asked.requests)
        again = await page.act("Bring it to a good end")
        assert (again.cache, len(asked.requests)) == ("found", calls)
        assert await page.extract("the order's number", Number) == Number(number=12)
        assert not page.last.strict
        assert page.last.sources["number"].by == "the model"
        ids["heading"] = ids["save"]
        assert await page.extract("the order's number", Number) is None


@pytest.mark.anyio
async def test_dialogs_are_the_scripts_where_it_answers_them(raw: Any) -> None:
    async with wrap(raw) as page:
        assert "a dialog 'Sure?'" in (await page.act("Click on 'Ask'")).changes
        assert (await raw.locator("body").inner_text()).endswith("no")
        raw.on("dialog", lambda dialog: dialog.accept())
        await page.act("Click on 'Ask'")
        assert (await raw.locator("body").inner_text()).endswith("yes")


@pytest.mark.anyio
async def test_a_limit_of_time_and_a_closed_page_end_in_words(raw: Any) -> None:
    async with wrap(raw, patience_s=30) as page:
        late = await page.act("Click on 'Nowhere'", timeout_s=0.5)
        assert (late.outcome, late.reason) == ("inconclusive", "it was not done within 0.5 s")
        assert late.seconds < 5
        await raw.close()
        assert (await page.act("Click on 'Save'")).outcome == "error"


@pytest.mark.parametrize(
    ("page", "options", "why"),
    [
        (object(), {}, "nothing that is installed drives a object"),
        (None, {"timeout_s": 0}, "timeout_s must be more than 0"),
    ],
)
def test_wrong_arguments_are_told(page: Any, options: Any, why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        wrap(page, **options)


def test_a_synchronous_page_has_the_same(program: str | None, tmp_path: Path) -> None:
    from playwright.sync_api import Frame, expect, sync_playwright

    script = tmp_path / "answers.yaml"
    script.write_text("else: Unknown\n")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        raw = browser.new_page()
        raw.set_content(ORDER)
        page = wrap(raw, llm={"use": "scripted", "script": os.fspath(script)}, patience_s=0)
        assert page.act("Click on 'Save'").required()
        expect(page.locator("#note")).to_have_text("Saved")
        expect(page).to_have_title("Order")
        assert page.holds("'Saved' is displayed")
        assert page.extract("the order", Order).total == 12.5
        assert page.observe("the save button")[0].description == "click button 'Save'"
        assert page.act("Bring it to a good end").outcome == "inconclusive"
        assert isinstance(raw.main_frame, Frame)
        other = wrap(browser.new_page())  # another one of the same browser, never detached
        other.set_content("<button>Ok</button>")
        assert other.act("Click on 'Ok'")
        with pytest.raises(ConfigurationError, match="llm: "):
            wrap(raw, llm={"model": "x"})
        page.detach()
        raw.click("#save")
        browser.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [("Acted", "ActResult"), ("Held", "AssertionResult"), ("NotDone", "ActionError")],
)
def test_a_renamed_class_is_found_by_its_old_name_with_a_warning(old: str, new: str) -> None:
    import sparring.web

    with pytest.warns(DeprecationWarning, match=f"use {new}"):
        renamed = getattr(sparring.web, old)
    assert renamed is getattr(sparring.web, new)


def test_the_error_is_found_by_its_old_name_with_a_warning() -> None:
    from sparring import errors

    with pytest.warns(DeprecationWarning, match="use ActionError"):
        assert errors.NotDone is errors.ActionError
