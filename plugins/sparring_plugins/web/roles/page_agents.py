"""The typed tasks and answers of the roles that test a page: navigator, readiness, assertion.

They follow Algorithm 1 of Salva and Taguelmimt, with three values instead of two: an agent that
cannot tell answers None, and says why.
"""

from pydantic import Field

from sparring.model.base import AppText, Value
from sparring.model.page import PageView
from sparring.model.talk import GuiAction
from sparring.model.verdict import Owner
from sparring_plugins.web.roles.step import Reading, Step


def _is_none(value: object) -> bool:
    return value is None


class Candidate(Value):
    """An element that a step may mean, by its id, with how well it fits (1 is best) and why."""

    element: str
    score: float
    reason: str = ""


class PageTask(Value):
    """What navigator, readiness and assertion are given.

    `reading` is the reading of `step` to go by. `before` are the views of the steps before, the
    latest last, `view` what is on the page now; `done` are the steps carried out so far and `acts`
    what was done for them. `variables` are the names whose values are never
    shown; a text holds them as ``%name%``.
    """

    step: Step
    reading: Reading | None
    view: PageView
    before: tuple[PageView, ...] = ()
    done: tuple[Step, ...] = ()
    acts: tuple[GuiAction, ...] = ()
    variables: tuple[str, ...] = ()
    seed: int = 0


class Judged(Value):
    """Roles ``readiness`` and ``assertion``: true, false, or None for *don't know*.

    `elements` are the ids that show it; `facts` what was found, for a reader. `strict` says that
    plain rules decided and no language model. `owner` is who has to act on an answer that is not
    true, if it is not the author of the test case: a model may have given nothing usable, or a
    server an error in the place of a page.
    """

    truth: bool | None = None
    reason: AppText = ""
    elements: tuple[str, ...] = ()
    facts: tuple[AppText, ...] = ()
    strict: bool = True
    owner: Owner | None = Field(default=None, exclude_if=_is_none)


class Navigation(Value):
    """Role ``navigator``: the acts that carry the step out on this page; none where it can't say.

    `candidates` are the elements that fit, best first; where several fit equally well they have
    the same score, and `acts` is empty. `accomplished` is what the agent itself says of its
    success, where it does; None for *unknown*. `owner` is as in `Judged`, for no acts.
    """

    acts: tuple[GuiAction, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    reason: AppText = ""
    facts: tuple[AppText, ...] = ()
    accomplished: bool | None = None
    strict: bool = True
    owner: Owner | None = Field(default=None, exclude_if=_is_none)
