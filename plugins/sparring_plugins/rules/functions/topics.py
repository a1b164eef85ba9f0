"""What is talked about, and when: `only_talks_about` and `utterance_index`."""

from collections.abc import Iterable, Sequence

from sparring.interfaces.rule_function import Explained, rule_function
from sparring.model.talk import Trace
from sparring_plugins.rules.functions.explanations import counted, short
from sparring_plugins.rules.functions.lengths import texts_of
from sparring_plugins.rules.functions.model_questions import (
    Ask,
    Message,
    about_each,
    answer,
    as_data,
    messages,
    one_of,
    reasoned,
    speaker,
)

_MOST_SHOWN = 5


@rule_function(conversation=True, model=True)
def only_talks_about(
    trace: Trace, ask: Ask, topics: str | Sequence[str], fallback: str | None = None
) -> Explained:
    """True where the chatbot keeps to the topics; else a text that names its stray answers.

    `fallback` is a phrase that it may always use when it does not understand. All answers are
    asked about in one question.
    """
    said = messages(trace)
    item = reasoned("keeps", keeps=one_of("yes", "no"))
    allowed = {"topics": texts_of(topics), "fallback": fallback}
    found = about_each(ask, "only_talks_about", item, said, "Assistant", **allowed)
    strays = [one for one in said if found.get(one.number, {}).get("keeps") == "no"]
    reasons = (str(found[one.number]["reason"]) for one in strays)
    return keeps_to_topics(strays, len(found), reasons)


def keeps_to_topics(strays: Sequence[Message], judged: int, reasons: Iterable[str]) -> Explained:
    """The value of `only_talks_about`: True, or a text that names the answers that stray."""
    if not strays:
        return Explained(True, f"none of {counted(judged, 'answer')} is outside the topics")
    texts = "; ".join(short(one.text) for one in strays[:_MOST_SHOWN])
    return Explained(
        f"answers outside the topics: {texts}",
        " ".join(list(reasons)[:_MOST_SHOWN]),
        tuple(dict.fromkeys(one.turn for one in strays)),
    )


@rule_function(conversation=True, model=True)
def utterance_index(trace: Trace, ask: Ask, who: str, what: str) -> Explained:
    """The number, from 1, of the message in which `who` first talks about `what`; -1 for none.

    `who` is ``user`` or ``assistant`` (also spelled ``chatbot``); messages of both count.
    """
    name, said = speaker("utterance_index", who), messages(trace)
    numbers = [one.number for one in said if one.speaker == name]
    if not numbers:
        return Explained(-1, f"the {name.lower()} said nothing")
    schema = reasoned("utterance_index", message={"type": "integer", "enum": [0, *numbers]})
    given = answer(ask, "utterance_index", schema, who=name, what=what, messages=as_data(said))
    number = int(given["message"])
    if number == 0:
        return Explained(-1, given["reason"])
    return Explained(number, given["reason"], (said[number - 1].turn,))
