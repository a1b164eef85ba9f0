"""What is claimed of things by their amounts, states, buttons and boxes, and of how many of them."""

import pytest
from tests.plugins.web.pages.weak.test_tables_and_amounts import table
from tests.plugins.web.runner.pages import element, page, text

from sparring.model.page import Element, PageView
from sparring_plugins.web.pages.weak.checks.judging import judge_freely


def orders() -> PageView:
    """A table of orders below its heading, with buttons in each row and a row of totals."""
    rows = [
        ("3 May 2027", "Oak hall", "Ida Falk", "24", "£120.00", "Approved", "Cancel"),
        ("8 May 2027", "Barn", "Jo Hill", "140", "£1,150.00", "Waiting", "Approve\nCancel"),
        ("9 May 2027", "Oak hall", "Lea Ott", "12", "£0.00", "Approved", "Cancel"),
        ("Total", "", "", "176", "£1,270.00", "", ""),
    ]
    heads = ("Date", "Place", "Ordered by", "Guests", "Price", "State", "Actions")
    elements = table(rows, heads)
    buttons: list[Element] = []
    for cell in [e for e in elements if e.role == "cell" and "Cancel" in e.text]:
        for number, name in enumerate(cell.text.split("\n")):
            last = "Lea Ott" in cell.row and name == "Cancel"
            buttons.append(
                element(
                    "button", name, id=f"{cell.id}-{number}", parent=cell.id, text=name,
                    row=cell.row, disabled=last, interactive=True,
                )
            )  # fmt: skip
    return page(element("heading", "Orders in May", text="Orders in May"), *elements, *buttons)


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Ida Falk's order is approved", True),
        ("Jo Hill's order has been approved", False),
        ("the order by Jo Hill is waiting", True),
        ("Jo Hill brings 140 guests", True),
        ("Jo Hill comes with 12 guests", False),
        ("Lea Ott pays nothing", True),
        ("Ida Falk pays £130", False),
        # what can be done with it
        ("Jo Hill's order can be approved", True),
        ("Ida Falk's order can be approved", False),
        ("Lea Ott's order cannot be cancelled any more", True),
        ("the Barn order cannot be cancelled", False),
        ("Ida Falk's order has an Approve button", False),
        ("every order has a Cancel button", True),
        ("only the waiting orders can be approved", True),
        ("only the approved orders can be cancelled", False),
        # of how many
        ("two orders are approved", True),
        ("three orders are approved", False),
        ("the Oak hall is ordered twice", True),
        ("the Barn is ordered twice", False),
        # measures
        ("the most expensive order is the one by Jo Hill", True),
        ("the cheapest order is the one by Ida Falk", False),
        ("the orders are in order of date", True),
        ("the orders are sorted by price", False),
        ("the total is £1,270", True),
        ("the total is £1,250", False),
        ("the total number of guests is 176", True),
        ("the total number of guests is 190", False),
        ("the last order is the one by Lea Ott", True),
        # nobody can tell what the page would show
        ("Ida Falk brings 24 chairs", None),
        ("Ida Falk's order is urgent", None),
        ("Ida Falk's order can be printed", None),
        ("two cars are approved", None),
    ],
)
def test_what_is_claimed_of_rows_is_compared_with_the_other_rows(
    sentence: str, truth: bool | None
) -> None:
    judged = judge_freely(sentence, orders())
    assert judged.truth is truth, judged.reason


def plots() -> PageView:
    rows = [("Ada Brown", "Small", "60 euros"), ("Ben Lee", "Large", "70 euros")]
    return page(element("heading", "Bookings"), *table(rows, ("Name", "Plot", "Total")))


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Ben Lee has the large plot", True),
        ("Ben Lee has the small plot", False),
        ("Ben Lee has a small plot", False),
        ("Ada Brown has the large plot", False),
        ("Ada Brown has a plot", True),
        # no row has such a plot, so that the page may not say it
        ("Ada Brown has the main plot", None),
        ("Ada Brown has the medium plot", None),
        ("Ben Lee has no small plot", True),
        ("Ben Lee has no large plot", False),
    ],
)
def test_words_for_what_a_thing_is_like_are_a_part_of_the_claim(
    sentence: str, truth: bool | None
) -> None:
    judged = judge_freely(sentence, plots())
    assert judged.truth is truth, judged.reason


def rooms() -> PageView:
    made: list[Element] = [element("heading", "Our rooms", text="Our rooms")]
    for name, line, price, usable in (
        ("Great Hall", "Seats up to 160. Stage, step-free.", "£90 an hour", True),
        ("Oak Room", "Seats up to 40. Projector, step-free.", "£35 an hour", True),
        ("Garden Room", "Seats up to 25. Closed until June.", "£25 an hour", False),
    ):
        whole = f"{name}\n{line}\n{price}\nBook"
        card = element("article", "", id=name, text=whole)
        made += [card, element("heading", name, text=name, parent=name)]
        for number, part in enumerate((name, line, price)):
            made.append(element("text", part, id=f"{name}-{number}", text=part, parent=name))
        made.append(
            element("button", "Book", id=f"{name}-b", text="Book", parent=name,
                    disabled=not usable, interactive=True)
        )  # fmt: skip
    return page(*made)


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("the Great Hall is the largest", True),
        ("the cheapest room is the Oak Room", False),
        ("the cheapest room costs £25 an hour", True),
        ("they are sorted by size", True),
        ("the Oak Room seats 60 people", False),
        ("the Oak Room seats 40 people", True),
        ("the Oak Room costs £35 an hour", True),
        ("the Great Hall has no projector", True),
        ("the Oak Room has no projector", False),
        ("the Garden Room cannot be booked", True),
        ("the Oak Room cannot be booked", False),
        ("two rooms are step-free", True),
        # fewer cards that say it do not show that the others are otherwise
        ("three rooms are step-free", None),
        ("the Great Hall has no kitchen", None),
    ],
)
def test_what_is_claimed_of_cards_is_compared_with_the_other_cards(
    sentence: str, truth: bool | None
) -> None:
    judged = judge_freely(sentence, rooms())
    assert judged.truth is truth, judged.reason


def test_years_and_days_are_two_measures_of_what_is_oldest() -> None:
    """The oldest book by its year is not the one that was bought first."""
    books = page(
        *table(
            [("Elm", "1998", "2023-01-01"), ("Ash", "1968", "2024-05-05")],
            ("Title", "Year", "Bought"),
        )
    )
    assert judge_freely("the oldest book is Elm", books).truth is not True


def staff() -> PageView:
    rows = [("Helen Abel", "Physician", "Yes"), ("Ewa Nowak", "Nurse", "No"),
            ("Ben Carter", "Receptionist", "Yes")]  # fmt: skip
    heading = element("heading", "People", text="People")
    return page(heading, *table(rows, ("Name", "Role", "On duty")))


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Helen Abel is on duty", True),
        ("Ewa Nowak is not on duty", True),
        ("Ben Carter is not on duty", False),
        ("two people are on duty", True),
        ("three people are on duty", False),
    ],
)
def test_a_column_of_yes_and_no_says_whether_it_is_so(sentence: str, truth: bool) -> None:
    judged = judge_freely(sentence, staff())
    assert judged.truth is truth, judged.reason


def lines() -> PageView:
    """Items whose parts the page joins into one line, with buttons behind them."""
    made = [element("heading", "Visits", text="Visits"), element("list", "", id="list")]
    for number, (line, button, usable) in enumerate(
        (
            ("09:00 Maya Lindgren seen", "Reopen", True),
            ("10:15 Chidi Okafor waiting", "Call in", True),
            ("11:30 Noor Aziz booked", "Call in", False),
        )
    ):
        made.append(element("listitem", "", id=f"i{number}", parent="list", text=line))
        made.append(element("text", line, id=f"t{number}", parent=f"i{number}", text=line))
        made.append(
            element("button", button, id=f"b{number}", parent=f"i{number}", text=button,
                    disabled=not usable, interactive=True)
        )  # fmt: skip
    return page(*made)


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Chidi Okafor can be called in", True),
        ("Noor Aziz cannot be called in yet", True),
        ("Maya Lindgren can be called in", False),
        ("Chidi Okafor is waiting", True),
        ("Maya Lindgren can be sent home", None),
    ],
)
def test_a_name_within_a_line_is_that_of_the_item(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, lines())
    assert judged.truth is truth, judged.reason


def tasks() -> PageView:
    made: list[Element] = []
    for name, done in (("Order chairs", True), ("Call the caterer", False), ("Pay Ida", False)):
        made.append(element("listitem", "", id=name, parent="list", text=name))
        made.append(element("checkbox", name, id=f"{name}-box", parent=name, checked=done))
        made.append(element("text", name, id=f"{name}-t", parent=name, text=name))
    return page(element("list", "Tasks", id="list"), *made)


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("ordering the chairs is ticked off", True),
        ("calling the caterer is done", False),
        ("two tasks are still open", True),
        ("two tasks are done", False),
        ("two rooms are open", None),
    ],
)
def test_a_box_says_whether_a_line_is_done(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, tasks())
    assert judged.truth is truth, judged.reason


def settings() -> PageView:
    menu = element("navigation", "", id="menu")
    return page(
        menu,
        element("link", "Rooms", id="a", parent="menu", text="Rooms", interactive=True),
        element("link", "Settings", id="b", parent="menu", text="Settings", interactive=True,
                attributes={"aria-current": "page"}),
        element("spinbutton", "Deposit in percent", id="d", label="Deposit in percent", value="20",
                editable=True),
        element("checkbox", "Text messages", id="t", checked=False, disabled=True),
        text("Your session ends soon."),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "truth"),
    [
        ("Settings is the active menu item", True),
        ("Rooms is the active menu item", False),
        ("the deposit is 20 percent", True),
        ("the deposit is 30 percent", False),
        ("the deposit is 20 pounds", None),
        ("text messages cannot be switched on", True),
        ("there is no message that the payment has failed", True),
        ("there is no message that your session ends soon", False),
    ],
)
def test_menus_fields_and_messages_are_read(sentence: str, truth: bool | None) -> None:
    judged = judge_freely(sentence, settings())
    assert judged.truth is truth, judged.reason


def shops() -> PageView:
    """Rows with numbers of orders and opening hours, and a filter of prices in front of them."""
    rows = [("17", "Ida Falk", "Opening hours: 9 to 5"), ("3", "Jo Hill", "Opening hours: 8 to 4")]
    return page(
        element("spinbutton", "Max price", id="p", label="Max price", value="100", editable=True),
        element("heading", "Shops", text="Shops"),
        *table(rows, ("Order", "Name", "Remarks")),
        element("alert", "", id="a", text="Somebody is called so already"),
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "Ida Falk is open",
        "Ida Falk has 2 orders",
        "the price is 20",
        "there is no message that the name is taken",
    ],
)
def test_what_only_looks_like_it_decides_nothing(sentence: str) -> None:
    """Hours are no state, a number of an order is no count, a filter no price, words vary."""
    judged = judge_freely(sentence, shops())
    assert judged.truth is None, judged.reason


def test_identifiers_measure_nothing() -> None:
    orders = page(*table([("17", "Ida"), ("3", "Jo")], ("Order no", "Customer")))
    assert judge_freely("Ida has the largest order", orders).truth is None
    assert judge_freely("the orders are sorted by name", orders).truth is None


@pytest.mark.parametrize(
    ("sentence", "alone", "of_several"),
    [
        ("Check that two boats are sold", False, None),
        ("Check that one boat is sold", True, None),
        ("Check that all boats are sold", False, False),
    ],
)
def test_of_a_list_with_further_pages_only_what_is_seen_is_judged(
    sentence: str, alone: bool | None, of_several: bool | None
) -> None:
    rows = table([("Kite", "sold"), ("Gull", "free"), ("Tern", "free")], ("Boat", "State"))
    listed = page(element("heading", "Boats", text="Boats"), *rows)
    assert judge_freely(sentence, listed).truth is alone
    turning = element("button", "Next ›", id="next")
    parted = page(element("heading", "Boats", text="Boats"), *rows, turning)
    assert judge_freely(sentence, parted).truth is of_several
