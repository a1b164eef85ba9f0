"""A portfolio's problems stand by app, on the console and on the page, with links to each."""

from pathlib import Path

from sparring.model.confirmation import Confirmation, Fault
from sparring_plugins.reporting.app_problems import MOST_LISTED, problem_lines, problem_views
from sparring_plugins.reporting.apps_seen import AppSeen, Problem


def fault(check: str, key: str = "") -> Fault:
    return Fault(oracle="voice-problems", check=check, key=f"{check}: {key}", reason=f"it {key}")


def app(name: str, *checks: str) -> AppSeen:
    problems = [
        Problem(fault(check, f"fault {number}"), [f"{name}-{number}", f"{name}-more"], 3)
        for number, check in enumerate(checks)
    ]
    return AppSeen(name, problems=problems)


APPS = [app("sound"), app("bakery", "unstoppable"), app("quiz", "caught_error", "caught_error")]


def test_the_console_lists_apps_with_problems_and_a_conversation_of_each() -> None:
    assert list(problem_lines(APPS, Path("runs/today"))) == [
        "app     unstoppable  caught error  sparring show runs/today",
        "quiz              -             2  quiz-0",
        "bakery            1             -  bakery-0",
    ]


def test_the_console_says_nothing_of_one_app_or_of_none_with_a_problem() -> None:
    assert not list(problem_lines([APPS[1]], None))
    assert not list(problem_lines([app("a"), app("b")], None))


def test_the_page_lists_every_problem_and_marks_the_first_of_each_app() -> None:
    again = Confirmation(
        fault=fault("unstoppable", "fault 0"), outcome="confirmed", case_ids=("bakery-0",)
    )
    rows, more = problem_views(APPS, [again])
    assert [(row.app, row.app_number, row.again) for row in rows] == [
        ("bakery", 1, "confirmed"),
        ("quiz", 2, ""),
        ("quiz", None, ""),
    ]
    assert rows[0].case_ids == ("bakery-0", "bakery-more")
    assert more == 0


def test_a_page_of_many_problems_says_how_many_are_left_out() -> None:
    many = [app(f"app {number}", "unstoppable") for number in range(MOST_LISTED + 3)]
    rows, more = problem_views(many, [])
    assert (len(rows), more) == (MOST_LISTED, 3)
