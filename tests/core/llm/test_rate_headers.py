"""What the headers of an answer say: how long to wait, and how many calls are left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.llm.rate_headers import read_quota, retry_after_s

DATE = "Fri, 20 Nov 2026 10:00:00 GMT"
MOMENT = 1795168800  # the same


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
        # without it, the time at which calls are renewed counts, but only if none is left
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "12s"}, 12.0),
        ({"x-ratelimit-remaining-requests": "4", "x-ratelimit-reset-requests": "12s"}, None),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "8", "Retry-After": "3"}, 3.0),
    ],
)
def test_the_wait_is_read_from_the_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers) == seconds


@pytest.mark.parametrize(
    ("headers", "quota"),
    [
        ({}, None),
        ({"X-RateLimit-Remaining": "7"}, None),  # until when?
        ({"X-RateLimit-Reset": "7"}, None),
        ({"x-ratelimit-remaining-requests": "59", "x-ratelimit-reset-requests": "1s"}, (59, 1)),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20ms"}, (0, 0.02)),
        (
            {"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "1h2m8.5s"},
            (3, 3728.5),
        ),
        ({"x-ratelimit-remaining-tokens": "1", "x-ratelimit-reset-tokens": "6m0s"}, None),
        (
            {
                "anthropic-ratelimit-requests-remaining": "49",
                "anthropic-ratelimit-requests-reset": "2026-11-20T10:00:20Z",
                "Date": DATE,
            },
            (49, 20),
        ),
        (
            {"X-RateLimit-Remaining": "5", "X-RateLimit-Reset": f"{MOMENT + 9}", "Date": DATE},
            (5, 9),
        ),
        (
            {"X-RateLimit-Remaining": "5", "X-RateLimit-Reset": f"{MOMENT + 9}000", "Date": DATE},
            (5, 9),
        ),
        ({"RateLimit-Remaining": "5", "RateLimit-Reset": "50"}, (5, 50)),
        ({"X-Rate-Limit-Remaining": "5", "X-Rate-Limit-Reset": "50"}, (5, 50)),
        ({"RateLimit": '"default";r=50;t=30'}, (50, 30)),
        ({"RateLimit": "limit=100, remaining=50, reset=5"}, (50, 5)),
        ({"RateLimit-Remaining": "-1", "RateLimit-Reset": "50"}, None),
        ({"RateLimit-Remaining": "many", "RateLimit-Reset": "soon"}, None),
    ],
)
def test_the_quota_is_read_from_the_headers(
    headers: dict[str, str], quota: tuple[int, float] | None
) -> None:
    announced = read_quota(headers)
    assert (announced and (announced.calls_left, announced.renewed_in_s)) == quota


@given(st.text(), st.text(), st.text())
def test_nonsense_never_raises_nor_gives_a_nonsensical_wait(
    value: str, date: str, reset: str
) -> None:
    wait_s = retry_after_s({"Retry-After": value, "Date": date})
    assert wait_s is None or 0 <= wait_s <= 86_400
    announced = read_quota({"RateLimit-Remaining": "3", "RateLimit-Reset": reset, "Date": date})
    assert announced is None or 0 <= announced.renewed_in_s <= 86_400
    read_quota({"RateLimit": value})
