"""The extractor that asks a language model."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import Extraction, ExtractTask, OutputSpec
from sparring.model.talk import Output
from sparring_plugins.prompting.exchange import Question
from sparring_plugins.prompting.fallback import with_fallback
from sparring_plugins.prompting.model_agent import ModelAgent, ModelAgentConfig
from sparring_plugins.users.model_user.prompt_data import (
    PROMPTS,
    on_one_line,
    said_by_app,
    seed_of,
    transcript,
)
from sparring_plugins.users.model_user.quotations import Unreadable, find_quotation, read_value

_FORMS = {
    "money": "an amount of money, with its currency",
    "date": "a date",
    "time": "a time of day or a length of time",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "email": "an e-mail address",
    "phone": "a phone number",
    "url": "a web address",
}
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_REASONS = 10


class Finding(BaseModel):
    """One value as the chatbot gave it."""

    model_config = ConfigDict(extra="forbid")

    number: int = Field(description="the number of the value to look up")
    quotation: str | None = Field(description="the chatbot's words that show it, letter for letter")
    turn: int | None = Field(description="the number of the turn that they stand in")
    value: str | None = Field(description="the value as it stands in the quotation; null if none")


class Findings(BaseModel):
    """All values that were looked up."""

    model_config = ConfigDict(extra="forbid")

    values: list[Finding]


class ModelExtractorConfig(ModelAgentConfig):
    """Settings of the extractor that asks a language model."""

    rounds: int = Field(
        default=1, ge=0, le=10, description="how often a false quotation is sent back"
    )


class ModelExtractor(ModelAgent[ExtractTask, Extraction, ModelExtractorConfig]):
    """Role ``extractor``: one question on all declared outputs, each with the words that show it.

    A value is taken only if the app said the words that are quoted for it, and if it can be read
    from them with the parsers of the extractor `patterns`; values have the same forms as there. An
    answer that falls short is sent back; a value that still does then stays None. Nothing is asked
    where the app said nothing.
    """

    Config: ClassVar[type[PluginConfig]] = ModelExtractorConfig
    role: ClassVar[str] = "extractor"
    folder: ClassVar[Path] = PROMPTS
    twin: ClassVar[str | None] = "patterns"
    temperature: ClassVar[float | None] = 0.0

    @with_fallback
    async def act(self, task: ExtractTask) -> Extraction:
        if not task.outputs or not any(said_by_app(turn.observation) for turn in task.turns):
            return Extraction(outputs=tuple(_output(spec, None, None) for spec in task.outputs))
        answered = await self.asker.ask(
            Question(
                prompt="outputs",
                answer=Findings,
                values={
                    "outputs": [_describe_output(*item) for item in enumerate(task.outputs, 1)],
                    "language": on_one_line(task.language) or "English",
                    "today": f"{_DAYS[task.today.weekday()]}, {task.today.isoformat()}",
                    "conversation": transcript(task.turns),
                },
                checkers=(lambda answer: _objection(answer, task),),
                accept_last=True,
                seed=seed_of(task.seed, len(task.turns)),
            )
        )
        findings = answered.value.values
        return Extraction(
            outputs=tuple(_found(number, task, findings) for number in range(len(task.outputs)))
        )


def _describe_output(number: int, spec: OutputSpec) -> dict[str, JsonValue]:
    name = on_one_line(spec.name.replace("_", " ")) or f"value {number}"
    form = _FORMS.get(spec.type.strip().casefold(), "words, as few as say it")
    about = on_one_line(spec.description)
    return {"number": number, "name": name, "form": form, "description": about}


def _found(number: int, task: ExtractTask, findings: Sequence[Finding]) -> Output:
    """The output of a number: the first of its findings that holds."""
    spec = task.outputs[number]
    for finding in findings:
        if finding.number != number + 1 or finding.value is None:
            continue
        try:
            value, turn = _read(spec, finding, task)
        except Unreadable:
            continue
        return _output(spec, value, turn)
    return _output(spec, None, None)


def _read(spec: OutputSpec, finding: Finding, task: ExtractTask) -> tuple[JsonValue | date, int]:
    """The typed value of a finding, and its turn; raises Unreadable."""
    turn = None if finding.turn is None else finding.turn - 1
    place = find_quotation(finding.quotation or "", task.turns, turn)
    if place is None:
        raise Unreadable("the chatbot did not say the words quoted")
    return read_value(spec, finding.value or "", place, task), place.turn


def _objection(answer: Findings, task: ExtractTask) -> str | None:
    """What is wrong with an answer: numbers that are none, or values that are not shown."""
    reasons: list[str] = []
    count = len(task.outputs)
    for finding in answer.values:
        if not 0 < finding.number <= count:
            reasons.append(f"There is no value {finding.number} to look up.")
        elif finding.value is not None:
            try:
                _read(task.outputs[finding.number - 1], finding, task)
            except Unreadable as err:
                reasons.append(f"Value {finding.number}: {err}. If nothing shows it, it is null.")
    missing = sorted(set(range(1, count + 1)) - {finding.number for finding in answer.values})
    if missing:
        reasons.append(f"Missing: value {', '.join(str(number) for number in missing[:_REASONS])}.")
    return " ".join(reasons[:_REASONS]) or None


def _output(spec: OutputSpec, value: JsonValue | date, turn: int | None) -> Output:
    return Output(
        name=spec.name, type=spec.type, description=spec.description, value=value, turn=turn
    )
