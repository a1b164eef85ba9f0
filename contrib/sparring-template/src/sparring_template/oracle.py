"""The oracle `plain-speech`: words that the app never says, and answers that are not too long."""

import re
from collections.abc import Callable, Sequence
from typing import ClassVar

from pydantic import Field
from sparring import BuildContext, Oracle, Outcome, Owner, PluginConfig, Trace, TurnRef, Verdict

_SHOWN = 5


class PlainSpeechConfig(PluginConfig):
    """Settings of the oracle `plain-speech`."""

    never_says: tuple[str, ...] = Field(
        default=(), description="Words or phrases, in any case, that no answer may have."
    )
    longest: int | None = Field(
        default=None, gt=0, description="How many characters an answer may have."
    )


class PlainSpeech(Oracle[PlainSpeechConfig]):
    """Judges each conversation by two checks.

    ``never_says`` fails where an answer has one of the words as a word of its own, ``longest``
    where an answer is too long. A check without settings says nothing; one that finds no answer
    in the conversation is skipped.
    """

    Config: ClassVar[type[PluginConfig]] = PlainSpeechConfig

    def __init__(self, config: PlainSpeechConfig, context: BuildContext) -> None:
        super().__init__(config, context)
        words = "|".join(re.escape(word) for word in config.never_says)
        self._words = re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) if words else None

    async def judge(self, trace: Trace) -> Sequence[Verdict]:
        verdicts: list[Verdict] = []
        words, longest = self._words, self.config.longest
        if words is not None:
            verdicts.append(
                _check_trace(trace, "never_says", lambda text: bool(words.search(text)))
            )
        if longest is not None:
            verdicts.append(_check_trace(trace, "longest", lambda text: len(text) > longest))
        return verdicts


def _check_trace(trace: Trace, check: str, wrong: Callable[[str], bool]) -> Verdict:
    """Fail where an answer is wrong, and point at the turns that show it."""
    answers = {
        index: turn.observation.text
        for index, turn in enumerate(trace.turns)
        if turn.observation is not None
    }
    shown = [index for index, text in answers.items() if wrong(text)]
    outcome = Outcome.FAIL if shown else Outcome.PASS if answers else Outcome.SKIPPED
    listed = ", ".join(str(index + 1) for index in shown[:_SHOWN])
    return Verdict(
        oracle="plain-speech",
        check=check,
        outcome=outcome,
        case_ids=(trace.case.id,),
        owner=Owner.APP if shown else None,
        reason=f"{len(shown)} of {len(answers)} answers, first in turn {listed}" if shown else "",
        turns=tuple(TurnRef(case_id=trace.case.id, turn=index) for index in shown[:_SHOWN]),
    )
