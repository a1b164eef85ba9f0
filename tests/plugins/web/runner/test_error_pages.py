"""What an error in the place of a page can't tell of the app."""

import pytest
from tests.plugins.web.runner.pages import page, text

from sparring.model.page import PageEvent, PageEventKind
from sparring.model.verdict import Owner
from sparring_plugins.web.grammar.steps import read_step
from sparring_plugins.web.roles import Judged
from sparring_plugins.web.runner.error_pages import (
    doubt_error_page,
    error_owner,
    only_denies,
    server_error,
)

BROWSERS_OWN = "chrome-error://chromewebdata/"
SERVERS = "http://shop.test/basket"


@pytest.mark.parametrize(
    ("sentence", "denies"),
    [
        ("Check that no errors are reported", True),
        ("The basket must not offer a discount and there is no delivery fee", True),
        ("There is no delivery fee and the total is 12", False),
        ("Check that the page says that no room is free", False),
    ],
)
def test_a_sentence_may_only_deny(sentence: str, denies: bool) -> None:
    assert only_denies(sentence) is denies


@pytest.mark.parametrize(
    ("error", "truth", "owner"),
    [
        ("net::ERR_NAME_NOT_RESOLVED", None, Owner.ENVIRONMENT),
        ("net::ERR_EMPTY_RESPONSE", False, None),
    ],
)
def test_the_browsers_own_page_tells_of_the_app_only_if_it_hung_up(
    error: str, truth: bool | None, owner: Owner | None
) -> None:
    event = PageEvent(
        kind=PageEventKind.REQUEST_FAILED,
        text="http://dictionary.test/lamp",
        details={"error": error, "main": True},
    )
    view = page(url=BROWSERS_OWN, events=(event,))
    shown = Judged(reason=server_error(view), owner=error_owner(view))
    step = read_step("Check that 'lamp' is displayed", number=1)
    judged = doubt_error_page(step, Judged(truth=False), shown, view, expected=True)
    assert (judged.truth, judged.owner) == (truth, owner)


@pytest.mark.parametrize(
    ("sentence", "truth", "expected", "doubted"),
    [
        ("Check that 'lamp' is displayed", False, True, False),
        ("Check that 'lamp' is not displayed", True, True, True),
        ("Check that 'lamp' is displayed", False, False, True),
        ("Check that 'error' is displayed", True, True, False),
    ],
)
def test_what_is_absent_with_the_page_shows_nothing(
    sentence: str, truth: bool, expected: bool, doubted: bool
) -> None:
    event = PageEvent(
        kind=PageEventKind.HTTP_ERROR, text=SERVERS, details={"status": 500, "main": True}
    )
    view = page(text("error"), url=SERVERS, events=(event,))
    shown = Judged(reason=server_error(view), owner=error_owner(view))
    step = read_step(sentence, number=1)
    judged = doubt_error_page(step, Judged(truth=truth), shown, view, expected=expected)
    assert (judged.truth is None) is doubted
