"""Words of requests: those that only make them long, those that were spoilt, how they are told."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.search_shop import write_shop

from sparring.cli.app import invoke
from sparring.engine.conduct import RunOptions, conduct
from sparring.store import StoredRun
from sparring.suite.reading import load_suite
from sparring_plugins.search.shrinking.causes import CauseFeature, RootCause, sentence
from sparring_plugins.search.shrinking.shrink_run import ShrinkOptions, shrink
from sparring_plugins.search.shrinking.words import Change, ReducibleUtterance, shorten_padding

SPACE = """\
name: chatty
style:
  chat: {values: {none: , short: , long: }}
content:
  item: {values: {coffee: {as: [black coffee]}, tea: , cocoa: }}
  extra: {values: [none, milk, sugar]}
templates: templates.yaml
"""
TEMPLATES = """\
start: "{chatter} {item}[ and {extra}]."
symbols:
  chatter:
    - {when: chat == 'long', any: "Hello my dear friend, I hope that you have had a very fine day until now."}
    - {when: chat == 'short', any: "Hello there, my dear friend."}
    - I want
"""
APP = """\
from contextlib import asynccontextmanager

from sparring.errors import AppUnreachable
from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.oracle import Oracle
from sparring.model.talk import Observation, act_text
from sparring.model.verdict import Outcome, Owner, Verdict


class Session(AppSession):
    async def send(self, act):
        heard = " ".join(act_text(act).split()[:15])
        return Observation(text="Fine.", payload={"milk": "milk" in heard, "sugar": "sugar" in heard})


class Shop(AppConnector):
    offers = frozenset({Capability.TEXT, Capability.SESSIONS})
    gone = False

    @asynccontextmanager
    async def open(self, case):
        if Shop.gone:
            raise AppUnreachable("nobody is there")
        yield Session()


class Heard(Oracle):
    async def judge(self, trace):
        wanted = trace.case.params["extra"]
        seen = trace.turns[-1].observation if trace.turns else None
        lost = wanted != "none" and seen is not None and not seen.payload[wanted]
        fails = {"owner": Owner.APP, "details": {"kind": "lost"}} if lost else {}
        outcome = Outcome.FAIL if lost else Outcome.PASS
        return [Verdict(oracle="heard", check="heard", outcome=outcome,
                        case_ids=(trace.case.id,), **fails)]
"""


@pytest.fixture
def chatty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite of a shop that hears no more than fifteen words."""
    name = "shop_that_hears_little"
    monkeypatch.syspath_prepend(tmp_path)
    path = write_shop(
        tmp_path, app={"use": f"{name}:Shop"}, oracles=[{"use": f"{name}:Heard", "name": "heard"}]
    )
    (tmp_path / "space.yaml").write_text(SPACE)
    (tmp_path / "templates.yaml").write_text(TEMPLATES)
    (tmp_path / f"{name}.py").write_text(APP)
    return path


def played(suite: Path) -> StoredRun:
    done = conduct(load_suite(suite), RunOptions())
    assert done.folder is not None
    return StoredRun(done.folder)


def test_where_only_the_number_of_words_matters_it_is_told(
    chatty: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = played(chatty)
    found = shrink(run, load_suite(chatty), ShrinkOptions(), lambda _: None)
    (cause,) = found.causes
    assert cause.length == 16  # the first word that it does not hear
    assert cause.shown == "[13 other words] black coffee milk."
    assert cause.sentence == "fails whenever extra is given and the request has 16 words or more"
    assert found.explained == found.failures == 6
    assert invoke(["shrink", str(run.folder), "--replay"]) == 1
    assert "still fails: [13 other words] black coffee" in capsys.readouterr().out

    shop = import_module("shop_that_hears_little").Shop

    monkeypatch.setattr(shop, "gone", True)
    before = (run.folder / "shrunk.json").read_bytes()
    for arguments in ([], ["--replay"]):
        assert invoke(["shrink", str(run.folder), *arguments]) == 3
        told = capsys.readouterr().err
        assert told == "sparring: the app cannot be reached: nobody is there\n"
    assert (run.folder / "shrunk.json").read_bytes() == before


def test_words_that_a_perturbation_did_not_name_are_found_by_comparing() -> None:
    meta: dict[str, Any] = {
        "utterance": "Gimme a teq for fuor, um, please.",
        "written": "Gimme a tea for four, please.",
        "perturbations": [
            {"feature": "noise", "changes": 2, "what": []},
            {"feature": "hums", "changes": 1, "what": [[",", ", um,"]]},
        ],
    }
    said = ReducibleUtterance.of(meta, {})
    assert said is not None
    assert [one for one in said.changes if one.feature == "noise"] == [
        Change("noise", "tea", "teq")
    ]
    two = {**meta, "perturbations": [*meta["perturbations"], {"feature": "x", "changes": 1}]}
    unknown = ReducibleUtterance.of(two, {})
    assert unknown is not None
    assert [one.feature for one in unknown.changes] == ["hums"]


def test_words_that_say_nothing_take_the_place_of_others() -> None:
    said = ReducibleUtterance(
        "Bring me one tea with milk now", {"item": ("tea",), "with": ("with milk",)}, ()
    )
    assert said.replaced().text == "the the the tea with milk the"
    assert said.without_free().text == "tea with milk"
    longer = said.put_as_long("with", "")
    assert longer is not None
    assert longer.text == "Bring me one tea the the now"
    assert longer.runs() == [(4, 2)]
    assert longer.without_words(4, 1).text == "Bring me one tea the now"
    assert shorten_padding("the the the tea, the the the the the. Now the end") == (
        "the the the tea, [5 other words]. Now the end"
    )


CAUSE = RootCause(kind="k", oracle="o", check="c", case_id="a", scenario="s")
FEATURE = CauseFeature(name="noise", value="typos", label="typos")


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (CAUSE, "fails whatever is asked"),
        (CAUSE.model_copy(update={"length": 30}), "fails when the request has 30 words or more"),
        (
            CAUSE.model_copy(update={"features": (FEATURE,), "missing": ("four", "not")}),
            "fails when noise is typos with “four” left out and “not” left out",
        ),
        (
            CAUSE.model_copy(update={"words": ("are", "you", "Bye"), "smallest": "are you? Bye"}),
            "fails when “are you” and “Bye” are said",
        ),
        (
            CAUSE.model_copy(update={"words": ("you",), "smallest": "you", "probed": 3}),
            "fails here, but in none of 3 random cases when “you” is said",
        ),
    ],
    ids=["nothing", "length", "left out", "phrases", "no other case"],
)
def test_a_cause_is_a_sentence(cause: RootCause, told: str) -> None:
    assert sentence(cause) == told
