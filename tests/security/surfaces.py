"""What agents of pages, explorers and writers are given by an app that attacks the model they ask.

Every text that an app, a page or a foreign file can say holds the attempt.
"""

from collections.abc import Callable
from typing import Any

from sparring.errors import AppError
from sparring.interfaces.agent import Agent, Player
from sparring.model.case import Case
from sparring.model.page import Element, Option, PageEvent, PageEventKind, PageSnapshot, PageView
from sparring.model.talk import GuiAction, Observation, Say, Turn
from sparring.testing.fakes import FakeConnector, FakeContext
from sparring.testing.playing import play
from sparring_plugins.search.roles import Feature, FitnessTask, PerturbTask, WriteTask
from sparring_plugins.voice.roles import (
    Effect,
    FailedInput,
    GenerateTask,
    InputOrigin,
    KnownInput,
    KnownState,
    ObserveTask,
    PlanTask,
)
from sparring_plugins.web.roles import PageTask, ReadTask, WantedValue
from sparring_plugins.web.step import Displayed, Reading, Step, Target

#: Makes the task of a role out of what the app said.
Tasks = dict[str, Callable[[str], Any]]


def elements(text: str) -> tuple[Element, ...]:
    """A page that says it in every way in which a page can say something."""
    told = dict.fromkeys(("name", "text", "label", "adjacent", "row", "description"), text)
    return (
        Element(id="h", role="heading", tag="h1", **told),
        Element(id="l", role="link", url=text, title=text, interactive=True, **told),
        Element(
            id="f",
            role="textbox",
            value=text,
            placeholder=text,
            region=(text,),
            editable=True,
            interactive=True,
            **told,
        ),
        Element(
            id="c",
            role="combobox",
            name="Colour",
            attributes={"data-x": text},
            options=(Option(label=text, value=text, selected=True),),
            interactive=True,
        ),
    )


def view(text: str) -> PageView:
    """What came of an act on such a page."""
    said = tuple(PageEvent(kind=kind, text=text, details={"why": text}) for kind in PageEventKind)
    snapshot = PageSnapshot(url=text, title=text, elements=elements(text), frames=(text,))
    return PageView(snapshot=snapshot, events=said, messages=said)


def on_page(reading: Reading) -> Callable[[str], PageTask]:
    """A step on such a page, after another one."""

    def task(text: str) -> PageTask:
        return PageTask(
            step=Step(number=2, text="Click on 'Save'", readings=(reading,)),
            reading=reading,
            view=view(text),
            before=(view(text),),
            done=(Step(number=1, text="Open the page"),),
            acts=(GuiAction(action="click", target="h"),),
        )

    return task


SAVE = Target(text="Save")
CLICK = on_page(Reading(action="click", target=SAVE))
ASSERT = on_page(Reading(action="assert", condition=Displayed(target=SAVE)))
PRICE = WantedValue(path="price", words=("price",), kind="number")


def state(text: str) -> KnownState:
    """A state in which the app said it."""
    return KnownState(id="s1", outputs=(f"Your order: {text}",), choices=(text,), inputs=(text,))


def observed(text: str) -> ObserveTask:
    """An answer that says it, in an app that said it before."""
    return ObserveTask(
        observation=Observation(text=text),
        states=(state(text), KnownState(id="s2", outputs=("Which size?",))),
        expected=(text,),
        came_from="s1",
        by=text,
        led_to=("s1", "s2"),
    )


def planned(text: str) -> PlanTask:
    """What can be said to such an app."""
    known = KnownInput(text=text, origin=InputOrigin.CONTEXT, effect=Effect.SAME, target="s1")
    other = KnownInput(text="help", origin=InputOrigin.SYSTEM)
    return PlanTask(state="s1", output=text, inputs=(known, other), recent=(text,))


def generated(text: str) -> GenerateTask:
    """What an answer suggests to say."""
    return GenerateTask(
        observation=Observation(text=text),
        known=(text,),
        failed=(FailedInput(text=text, effect=Effect.CONFUSED),),
        document=text,
        samples=(text,),
    )


def written(text: str) -> WriteTask:
    """An utterance to be written after examples that were found somewhere."""
    wish = Feature(name="dish", group="content", value="pizza", words=("pizza",))
    return WriteTask(space="kit", features=(wish,), examples=(text, "A pizza, please."))


def judged(text: str) -> FitnessTask:
    """An answer to a request, with structured data, that says it everywhere."""
    seen = Observation(text=text, payload={"items": [{"name": text}], text[:50]: text})
    return FitnessTask(
        request="Find me a bar.",
        said="Find me a bar.",
        answer=seen.text,
        payload=seen.payload,
        turns=(Turn(act=Say(text="Find me a bar."), observation=seen),),
        features={"category": "bar"},
        wanted={"category": ("bar",)},
    )


TASKS: Tasks = {
    "navigator": CLICK,
    "readiness": CLICK,
    "assertion": ASSERT,
    "translator": ASSERT,
    "page_reader": lambda text: ReadTask(instruction="price", wanted=(PRICE,), view=view(text)),
    "observer": observed,
    "generator": generated,
    "planner": planned,
    "writer": written,
    "fitness": judged,
    "perturbation": lambda text: PerturbTask(text=text[-2_000:], protected=(text[-40:],)),
}


async def act(agent: Agent[Any, Any, Any], text: str) -> Any:
    """What an agent makes of an app that says it."""
    return await agent.act(TASKS[agent.role](text))


async def talk(player: Player[Any], text: str) -> None:
    """Let a player talk to an app that says it."""
    app = FakeContext().build(FakeConnector, replies=[text], greeting=text)
    found = await play(player, app, Case.of("session", {}, run_seed=1))
    if isinstance(found, AppError):
        raise found
