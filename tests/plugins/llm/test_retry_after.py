"""How long a service wants to be left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.llm.refusals import retry_after_s

DATE = "Fri, 20 Nov 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "2"}, 2.0),
        ({"retry-after": " 0.25 "}, 0.25),
        ({"retry-after-ms": "1500", "Retry-After": "9"}, 1.5),
        ({"retry-after-ms": "soon", "Retry-After": "9"}, 9.0),
        ({"Retry-After": "Fri, 20 Nov 2026 10:00:30 GMT", "Date": DATE}, 30.0),
        ({"Retry-After": "Fri, 20 Nov 2026 10:00:30 -0000", "Date": DATE}, 30.0),
        ({"Retry-After": "Fri, 20 Nov 2026 09:00:00 GMT", "Date": DATE}, 0.0),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "99999999999"}, 86_400.0),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "later"}, None),
        ({"Retry-After": ""}, None),
    ],
)
def test_the_wait_is_read_from_the_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


@given(st.text(), st.text())
def test_nonsense_never_raises_nor_gives_a_nonsensical_wait(value: str, date: str) -> None:
    found = retry_after_s({"Retry-After": value, "Date": date})
    assert found is None or 0 <= found <= 86_400
