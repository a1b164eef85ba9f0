"""The role ``translator``: a model writes canonical conditions for a check in free words."""

from functools import cache
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from sparring.interfaces.plugin import PluginConfig
from sparring.model.base import Value
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.model_agent import ModelAgent
from sparring_plugins.web.model_agents import Fact, PageAgentConfig
from sparring_plugins.web.page_text import PageData, page_data, quotes_page
from sparring_plugins.web.pages.conditions import holds
from sparring_plugins.web.roles import Judged, PageTask
from sparring_plugins.web.step import Condition
from sparring_plugins.web.translation.check_sentences import check_fault, read_checks

# What was done last explains the page; the whole case would be most of the prompt.
_MOST_DONE = 12
_TRUTHS = {"true": True, "false": False, "unknown": None}


class TranslatedCheck(Value):
    """What a check was translated to, with its truth on the page at hand.

    Without `means` it was not translated: `judged` says why.
    """

    judged: Judged
    means: tuple[str, ...] = ()
    condition: Condition | None = None
    doubts: tuple[str, ...] = ()


class ProposedCheck(BaseModel):
    """Facts of the page, what follows from them, and canonical conditions for it."""

    model_config = ConfigDict(extra="forbid", title="translation")

    facts: list[Fact] = Field(description="the facts that decide, each checked on the page")
    answer: Literal["true", "false", "unknown"] = Field(
        description="whether the assertion holds on the page as it is now"
    )
    means: list[str] = Field(
        description="conditions in the given forms that together say what the assertion says"
    )


@cache
def forms() -> str:
    """Return the forms of canonical conditions, one a line."""
    data: Any = bundled_yaml("sparring_plugins.web.translation", "forms.yaml")
    return "\n".join(f"- {form}" for form in data["forms"])


class ModelTranslator(ModelAgent[PageTask, TranslatedCheck, PageAgentConfig]):
    """Translates a check. An answer whose conditions say something else is sent back.

    The conditions have to be canonical, to come out on this page as the model answers, and to be
    false on some other page. A "true" must quote the page.
    """

    role: ClassVar[str] = "translator"
    Config: ClassVar[type[PluginConfig]] = PageAgentConfig
    folder: ClassVar[Path] = Path(__file__).parents[1] / "prompts"
    temperature: ClassVar[float | None] = 0.0
    max_tokens: ClassVar[int | None] = 1_500

    async def act(self, task: PageTask) -> TranslatedCheck:
        shown = self._show(task, self.config.characters)
        answer = await self._ask(task, shown)
        if answer.answer == "unknown" and shown.left_out:
            wider = self._show(task, self.config.list_characters)
            if wider.page != shown.page:
                answer = await self._ask(task, wider)
        return _read_answer(answer, task)

    def _show(self, task: PageTask, characters: int) -> PageData:
        return page_data(
            task.view,
            f"{task.step.text} {task.sentence}",
            elements=self.config.elements,
            characters=characters,
            list_characters=self.config.list_characters,
        )

    async def _ask(self, task: PageTask, shown: PageData) -> ProposedCheck:
        answered = await self.asker.ask(
            Question(
                prompt="translator",
                answer=ProposedCheck,
                values={
                    "step": task.step.text,
                    "done": list(dict.fromkeys(s.sentence or s.text for s in task.done))[
                        -_MOST_DONE:
                    ],
                    "page": shown.page,
                    "left_out": shown.left_out,
                    "forms": forms(),
                },
                checkers=(lambda answer: objection(answer, task, shown),),
                seed=task.seed,
            )
        )
        return answered.value


def objection(answer: ProposedCheck, task: PageTask, shown: PageData) -> str | None:
    """Return why an answer is sent back, in words for the model; None if it is taken."""
    named = [id_ for fact in answer.facts for id_ in fact.elements]
    unknown = sorted({id_[:40] for id_ in named if id_ not in shown.ids})
    if unknown:
        return f"There are no elements {', '.join(unknown[:5])}; use the ids in the data."
    invented = [
        f.quote for f in answer.facts if f.quote.strip() and not quotes_page(f.quote, shown)
    ]
    if invented:
        return f"The page does not have the text {invented[0][:80]!r}; quote it letter for letter."
    if answer.answer == "unknown" or not answer.means:
        return None
    reading = read_checks(answer.means)
    if reading.condition is None:
        return f"In means: {reading.fault}. Use the forms that are given, or leave means empty."
    judged = holds(reading.condition, task.view, task.acts)
    if judged.truth is not _TRUTHS[answer.answer]:
        comes_out = {True: "true", False: "false", None: "unknown"}[judged.truth]
        return (
            f"You answer '{answer.answer}', but on this page the conditions come out as "
            f"'{comes_out}': {judged.reason[:300]}. Look again which of the two is wrong; leave "
            "means empty if no form says what the assertion says."
        )
    fault = check_fault(reading.condition, judged, task.view, task.before)
    return f"The conditions may not be used: {fault}." if fault else None


def _read_answer(answer: ProposedCheck, task: PageTask) -> TranslatedCheck:
    facts = tuple(fact.statement for fact in answer.facts)
    elements = tuple(dict.fromkeys(id_ for fact in answer.facts for id_ in fact.elements))
    reason = "; ".join(facts[:3]) or f"the model answers '{answer.answer}'"
    base = Judged(reason=reason, elements=elements, facts=facts, strict=False)
    if answer.answer == "unknown":
        return TranslatedCheck(judged=base)
    reading = read_checks(answer.means) if answer.means else None
    if reading is None or reading.condition is None:
        reason = f"the model answers '{answer.answer}', but no canonical form says it: {reason}"
        return TranslatedCheck(judged=base.model_copy(update={"reason": reason}))
    judged = holds(reading.condition, task.view, task.acts)
    return TranslatedCheck(
        judged=judged.model_copy(update={"facts": facts, "strict": False}),
        means=reading.sentences,
        condition=reading.condition,
    )
