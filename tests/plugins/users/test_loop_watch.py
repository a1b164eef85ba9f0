"""Answers that lead nowhere, counted."""

import pytest

from sparring.model.talk import Attachment, Choice, Observation
from sparring_plugins.language.similarity import Fallbacks
from sparring_plugins.users.dialogue import LoopWatch

FALLBACK = "Sorry, I did not get that."


def stuck_after(*answers: Observation) -> int:
    watch = LoopWatch(Fallbacks((FALLBACK,), 0.75))
    for answer in answers:
        watch.watch(answer)
    return watch.stuck


def picture(url: str, text: str = "Here you are:") -> Observation:
    return Observation(text=text, attachments=(Attachment(media_type="image/png", url=url),))


@pytest.mark.parametrize(
    ("answers", "stuck"),
    [
        ((Observation(text=FALLBACK), Observation(text="sorry i did not get that")), 2),
        ((Observation(), Observation()), 2),
        ((Observation(text="Hello."), Observation(text="Hello.")), 1),
        ((Observation(text=FALLBACK), Observation(text="A small one?")), 0),
        ((Observation(text="Which?", choices=(Choice(label="a"),)), Observation(text="Which?")), 0),
        ((picture("/a.png"), picture("/b.png")), 0),
        ((picture("/a.png"), picture("/a.png")), 1),
        ((picture("/a.png", ""), picture("/b.png", "")), 0),
    ],
)
def test_fallbacks_silence_and_repetitions_lead_nowhere(
    answers: tuple[Observation, ...], stuck: int
) -> None:
    assert stuck_after(*answers) == stuck
