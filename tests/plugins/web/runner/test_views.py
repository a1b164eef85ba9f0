"""What a run remembers of the pages it saw."""

from tests.plugins.web.runner.pages import page, text

from sparring.model.page import PageEvent, PageEventKind
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.runner.run_state import Views
from sparring_plugins.web.step import Displayed, Target


def brief(words: str) -> PageEvent:
    return PageEvent(
        kind=PageEventKind.MESSAGE, text=words, at_s=1.0, gone_s=9.0, details={"source": "brief"}
    )


def test_a_text_that_stood_there_before_an_act_is_no_message_of_it() -> None:
    """The page drew "No orders yet" when it was opened; an order was saved seconds later."""
    views = Views()
    views.add(page(text("No orders yet")), again=False)
    views.begin_act()
    views.add(page(text("Tea"), events=(brief("No orders yet"), brief("Saved"))), again=False)
    assert views.last is not None
    outcomes = {
        words: holds(Displayed(target=Target(text=words)), views.last).truth
        for words in ("No orders yet", "Saved")
    }
    assert outcomes == {"No orders yet": False, "Saved": True}
