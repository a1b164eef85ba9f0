"""Listeners: active because they are installed, isolated from each other and from the run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from sparring.discovery import hooks, hookspecs
from sparring.discovery.groups import HOOKS
from sparring.engine.bus import notify
from sparring.errors import ConfigurationError
from sparring.model.events import RunFinished
from sparring.model.run import Summary
from sparring.testing.conversations import EPOCH

Install = Callable[..., Path]

EVENT = RunFinished(at=EPOCH, summary=Summary())
LISTENER = """
from sparring.discovery.hookspecs import hookimpl
heard = []
@hookimpl
def sparring_run_finished(event):
    heard.append(event)
"""
RAISING = """
from sparring.discovery.hookspecs import hookimpl
@hookimpl
def sparring_run_finished(event):
    raise ValueError("no listener of mine")
"""


def heard(listeners: hooks.Listeners, name: str) -> list[object]:
    plugin = listeners.manager.get_plugin(name)
    assert plugin is not None
    return list(plugin.heard)


def finish(listeners: hooks.Listeners) -> None:
    hook = "sparring_run_finished"
    notify(listeners, hook, listeners.implementations(hook), EVENT)


def test_an_installed_listener_hears_events(install: Install) -> None:
    install("sparring-acme", HOOKS, "acme = acme_hooks", LISTENER)
    listeners = hooks.load()
    finish(listeners)
    assert heard(listeners, "acme") == [EVENT]
    assert listeners.problems == []


def test_a_raising_listener_is_recorded_and_stops_nobody(install: Install) -> None:
    install("sparring-a", HOOKS, "a = a_hooks", LISTENER)
    install("sparring-b", HOOKS, "b = b_hooks", RAISING)
    install("sparring-c", HOOKS, "c = c_hooks", LISTENER)
    listeners = hooks.load()
    finish(listeners)
    finish(listeners)
    assert heard(listeners, "a") == heard(listeners, "c") == [EVENT, EVENT]
    problem = (
        "b.sparring_run_finished: ValueError: no listener of mine "
        "(b_hooks.py:5, in sparring_run_finished)"
    )
    assert listeners.problems == [problem, problem]


def test_ctrl_c_in_a_listener_stops_the_run(install: Install) -> None:
    install("sparring-a", HOOKS, "a = a_hooks", RAISING.replace("ValueError", "KeyboardInterrupt"))
    with pytest.raises(KeyboardInterrupt):
        finish(hooks.load())


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        (
            "import no_such_sdk",
            "ModuleNotFoundError: No module named 'no_such_sdk' (a_hooks.py:1, in <module>)",
        ),
        ("raise SystemExit('no key')", "SystemExit: no key (a_hooks.py:1, in <module>)"),
        ("assert False, 'no way'", "AssertionError: no way (a_hooks.py:1, in <module>)"),
    ],
)
def test_a_broken_listener_is_a_problem_and_harms_nobody(
    install: Install, code: str, cause: str
) -> None:
    install("sparring-a", HOOKS, "a = a_hooks", code)
    install("sparring-b", HOOKS, "b = b_hooks", LISTENER)
    listeners = hooks.load()
    finish(listeners)
    assert heard(listeners, "b") == [EVENT]
    assert listeners.problems == [f"a (a_hooks, sparring-a 1.0): {cause}"]


def test_a_misspelt_hook_is_reported_and_the_listener_left_out(install: Install) -> None:
    code = LISTENER + "@hookimpl\ndef sparring_run_finnished(event): ...\n"
    install("sparring-a", HOOKS, "a = a_hooks", code)
    listeners = hooks.load()
    assert listeners.manager.get_plugin("a") is None
    (problem,) = listeners.problems
    assert "sparring calls no hook named 'sparring_run_finnished'" in problem
    assert problem.startswith("a (a_hooks, sparring-a 1.0): ")
    finish(listeners)


def test_a_hook_for_a_newer_core_may_be_optional(install: Install) -> None:
    code = LISTENER + "@hookimpl(optionalhook=True)\ndef sparring_from_the_future(event): ...\n"
    install("sparring-a", HOOKS, "a = a_hooks", code)
    listeners = hooks.load()
    finish(listeners)
    assert listeners.problems == []
    assert heard(listeners, "a") == [EVENT]


def test_an_argument_that_a_hook_does_not_have_is_reported(install: Install) -> None:
    code = "from sparring.discovery.hookspecs import hookimpl\n"
    code += "@hookimpl\ndef sparring_run_finished(event, colour): ...\n"
    install("sparring-a", HOOKS, "a = a_hooks", code)
    listeners = hooks.load()
    assert listeners.manager.get_plugin("a") is None
    assert "colour" in listeners.problems[0]


def test_a_listener_may_ask_for_fewer_arguments(install: Install) -> None:
    code = "from sparring.discovery.hookspecs import hookimpl\nheard = []\n"
    code += "@hookimpl\ndef sparring_run_finished(): heard.append('finished')\n"
    install("sparring-a", HOOKS, "a = a_hooks", code)
    listeners = hooks.load()
    finish(listeners)
    assert heard(listeners, "a") == ["finished"]


def test_two_owners_of_a_listener_name_are_a_problem(install: Install) -> None:
    install("sparring-a", HOOKS, "same = a_hooks", LISTENER)
    install("sparring-b", HOOKS, "same = b_hooks", LISTENER)
    listeners = hooks.load()
    (problem,) = listeners.problems
    assert "another package already registered this name" in problem
    finish(listeners)
    assert heard(listeners, "same") == [EVENT]


def test_a_blocked_listener_is_not_even_imported(install: Install) -> None:
    install("sparring-a", HOOKS, "a = a_hooks", "raise SystemExit('imported')")
    listeners = hooks.load(disabled=frozenset({"a"}))
    assert listeners.problems == []
    assert listeners.manager.get_plugin("a") is None


def test_the_switch_holds_for_listeners_too(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("sparring-a", HOOKS, "a = a_hooks", "raise SystemExit('imported')")
    monkeypatch.setenv("SPARRING_PLUGINS", "")
    assert hooks.load().problems == []


READER = """
from sparring.discovery.hookspecs import hookimpl
@hookimpl
def sparring_read_traces(path):
    {body}
"""


def read(path: Path) -> object:
    listeners = hooks.load(disabled=frozenset({"sensei"}))
    return listeners.first("sparring_read_traces", path=path), listeners.problems


def test_the_first_answer_counts(install: Install, tmp_path: Path) -> None:
    install("sparring-a", HOOKS, "a = a_hooks", READER.format(body="return None"))
    install("sparring-b", HOOKS, "b = b_hooks", READER.format(body="return ['b']"))
    install("sparring-c", HOOKS, "c = c_hooks", READER.format(body="return None"))
    assert read(tmp_path) == (["b"], [])


def test_a_raising_listener_leaves_the_answer_to_others(install: Install, tmp_path: Path) -> None:
    install("sparring-a", HOOKS, "a = a_hooks", READER.format(body="return ['a']"))
    install("sparring-b", HOOKS, "b = b_hooks", READER.format(body="raise OSError('no')"))
    assert read(tmp_path) == (
        ["a"],
        ["b.sparring_read_traces: OSError: no (b_hooks.py:5, in sparring_read_traces)"],
    )


def test_a_word_on_the_users_input_reaches_the_user(install: Install, tmp_path: Path) -> None:
    body = "from sparring.errors import ConfigurationError; raise ConfigurationError('line 3')"
    install("sparring-a", HOOKS, "a = a_hooks", READER.format(body=body))
    with pytest.raises(ConfigurationError, match="line 3"):
        read(tmp_path)


def test_where_nobody_answers_there_is_no_answer(tmp_path: Path) -> None:
    assert read(tmp_path) == (None, [])


def test_every_hook_says_what_it_is_for() -> None:
    specs = [name for name in vars(hookspecs) if name.startswith("sparring_")]
    assert specs
    for name in specs:
        assert vars(hookspecs)[name].__doc__, f"{name} has no docstring"
