"""A small shop to search in: a feature space, an app that mishears, and what it should have done.

What goes wrong, and nothing else: "large" beside a filler is lost; a tea is never found when the
customer is rude; "four" is never understood.
"""

from pathlib import Path

import yaml

SPACE = """\
name: shop
about: a shop
speaker: a customer
style:
  mood: {values: {plain: , rude: , sweet: }}
content:
  item: {values: {coffee: {as: [black coffee]}, tea: , cocoa: }}
  size: {scale: ordinal, values: [none, small, large]}
  cups: {values: {none: , four: {as: [four cups]}, two: {as: [two cups]}}}
perturbation:
  noise: {values: {none: , fillers: {apply: {use: fillers, rate: 1.0}}}}
templates: templates.yaml
"""
TEMPLATES = """\
start: "{ask} {a thing}."
symbols:
  ask:
    - {when: mood == 'rude', any: "Gimme at once, you,"}
    - {when: mood == 'sweet', any: "Would you be so very kind as to bring me,"}
    - I would like
  thing: "[{size} ]{item}[ in {cups}]"
"""
APP = """\
from contextlib import asynccontextmanager

from sparring.interfaces.app_connector import AppConnector, AppSession, Capability
from sparring.interfaces.oracle import Oracle
from sparring.model.talk import Observation, act_text
from sparring.model.verdict import Outcome, Owner, Verdict


class Session(AppSession):
    async def send(self, act):
        said = act_text(act).lower()
        fillers = ("um", "uh", "er", "like", "well", "you know", "i mean", "sort of", "hmm")
        lost = []
        if "large" in said and any(f" {one}," in f" {said}" for one in fillers):
            lost.append("size lost")
        if "tea" in said and "gimme" in said:
            lost.append("tea refused")
        if "four" in said:
            lost.append("number lost")
        return Observation(text="Sorry? <b>" if lost else "Here it is.", payload={"lost": lost})


class Shop(AppConnector):
    offers = frozenset({Capability.TEXT, Capability.SESSIONS})

    @asynccontextmanager
    async def open(self, case):
        yield Session()


class Served(Oracle):
    async def judge(self, trace):
        heard = trace.turns[-1].observation if trace.turns else None
        lost = heard.payload["lost"] if heard is not None else []
        fails = {"owner": Owner.APP, "details": {"kind": lost}, "reason": ", ".join(lost)}
        return [
            Verdict(
                oracle="served",
                check="served",
                outcome=Outcome.FAIL if lost else Outcome.PASS,
                case_ids=(trace.case.id,),
                **(fails if lost else {}),
            )
        ]
"""


def write_shop(folder: Path, **changed: object) -> Path:
    """Write the shop and a suite for it, with some keys changed; the suite's path."""
    (folder / "space.yaml").write_text(SPACE)
    (folder / "templates.yaml").write_text(TEMPLATES)
    (folder / "shop_to_search.py").write_text(APP)
    suite = {
        "name": "shop",
        "app": {"use": "shop_to_search:Shop"},
        "agent": {"use": "prompter", "spaces": "space.yaml"},
        "strategy": "exhaustive",
        "oracles": [{"use": "shop_to_search:Served", "name": "served"}],
        "reporters": [],
        "seed": 3,
        **changed,
    }
    path = folder / "suite.yaml"
    path.write_text(yaml.safe_dump(suite))
    return path
