"""Dates as values: seeded, counted from a given day, and never of a calendar's making by chance."""

from datetime import date, datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring_plugins.users.profiles.date_values import DateMaker

TODAY = date(2025, 3, 14)


def dates(data: Any, seed: int = 1, *, sensei: bool = False) -> list[str]:
    return DateMaker(lambda: TODAY, Random(seed), sensei=sensei).make(data)


def parsed(text: str) -> date:
    return datetime.strptime(text, "%d/%m/%Y").date()  # noqa: DTZ007


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"custom": "yesterday"}, ["yesterday"]),
        ({"custom": ["tomorrow", date(2025, 1, 2)]}, ["tomorrow", "2025-01-02"]),
        (
            {"range": {"min": "01/01/2025", "max": "03/01/2025", "step": "day(1)"}},
            ["01/01/2025", "02/01/2025", "03/01/2025"],
        ),
        (
            {"range": {"min": "30/01/2025", "max": "30/04/2025", "step": "month(1)"}},
            ["30/01/2025", "28/02/2025", "30/03/2025", "30/04/2025"],
        ),
        (
            {"range": {"min": "29/02/2024", "max": "01/03/2028", "step": "year(1)"}},
            ["29/02/2024", "28/02/2025", "28/02/2026", "28/02/2027", "29/02/2028"],
        ),
        (
            {"range": {"min": "01/01/2025", "max": "31/01/2025", "step": "linspace(3)"}},
            ["01/01/2025", "16/01/2025", "31/01/2025"],
        ),
        (
            {"range": {"min": "2025-01-01", "max": date(2025, 1, 6), "step": "days(4)"}},
            ["01/01/2025", "05/01/2025"],
        ),
        (
            {"range": {"min": "today - 1", "max": "today+1", "step": "day(1)"}},
            ["13/03/2025", "14/03/2025", "15/03/2025"],
        ),
    ],
)
def test_dates_that_need_no_chance(data: Any, expected: list[str]) -> None:
    assert dates(data) == expected


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("day(2)", ["01/01/2025", "03/01/2025", "05/01/2025"]),
        ("month(1)", ["01/01/2025", "31/01/2025"]),
        ("year(1)", ["01/01/2025", "01/01/2026"]),
    ],
)
def test_senseis_ranges_may_run_over_their_end(step: str, expected: list[str]) -> None:
    data = {"range": {"min": "01/01/2025", "max": "04/01/2025", "step": step}}
    assert dates(data, sensei=True) == expected


@given(st.integers(1, 40), st.integers())
def test_random_dates_are_different_real_days(count: int, seed: int) -> None:
    found = dates({"random": count}, seed)
    assert len({parsed(text) for text in found}) == count


@given(st.sampled_from("<>"), st.integers(1, 365), st.integers())
def test_set_gives_different_days_of_the_year_after_or_before_today(
    side: str, count: int, seed: int
) -> None:
    found = [parsed(text) for text in dates({"set": f"{side}today({count})"}, seed)]
    assert len(set(found)) == count
    for day in found:
        distance = (day - TODAY) if side == ">" else (TODAY - day)
        assert timedelta(days=1) <= distance <= timedelta(days=365)


def test_more_days_than_a_year_has_come_more_than_once() -> None:
    assert len(dates({"set": ">today(400)"})) == 400


@given(st.integers(1, 31), st.integers())
def test_random_days_of_a_range_are_different_and_inside(count: int, seed: int) -> None:
    data = {"range": {"min": "01/01/2025", "max": "31/01/2025", "random": count}}
    found = [parsed(text) for text in dates(data, seed)]
    assert len(set(found)) == count
    assert all(date(2025, 1, 1) <= day <= date(2025, 1, 31) for day in found)


@given(st.integers(1, 60), st.integers(), st.booleans())
def test_fake_dates_are_in_no_calendar(count: int, seed: int, sensei: bool) -> None:
    found = dates({"fake": count}, seed, sensei=sensei)
    assert len(found) == count
    assert sensei or len(set(found)) == count
    for text in found:
        with pytest.raises(ValueError, match=r"time data|day is out of range|unconverted"):
            parsed(text)


def test_equal_streams_give_equal_dates_and_given_ones_come_last() -> None:
    data = {"custom": ["soon"], "random": 2, "fake": 2, "set": ">today(2)"}
    assert dates(data, 5) == dates(data, 5)
    assert dates(data, 5) != dates(data, 6)
    assert dates(data, 5)[-1] == "soon"


@given(st.integers(1, 30), st.integers())
def test_senseis_random_dates_lie_in_the_years_0_to_3000(count: int, seed: int) -> None:
    for text in dates({"random": count}, seed, sensei=True):
        day, month, year = (int(part) for part in text.split("/"))
        assert (1 <= day <= 31, 1 <= month <= 12, 0 <= year <= 3000) == (True, True, True)


def test_a_range_at_the_end_of_time_ends() -> None:
    data = {"range": {"min": "01/12/9999", "max": "31/12/9999", "step": "month(1)"}}
    assert dates(data) == ["01/12/9999"]
