"""What only a model can judge: `follows`, `contradicts` and `quality`."""

from collections.abc import Sequence

from sparring.interfaces.rule_function import Explained, rule_function
from sparring.model.talk import Trace
from sparring_plugins.rules.functions.explanations import ExplainedByTexts, counted, short
from sparring_plugins.rules.functions.lengths import texts_of
from sparring_plugins.rules.functions.model_questions import (
    SPEAKERS,
    Ask,
    about_each,
    about_texts,
    answer,
    as_data,
    clipped,
    messages,
    numbered,
    one_of,
    reasoned,
    some_of,
    speaker,
)

SCALE = (1, 2, 3, 4, 5)
"""The scores that a judge gives; rules see them from 0 to 1."""

_MOST_SHOWN = 3
_FOLLOWS = reasoned("follows", follows=one_of("yes", "no", "not_concerned"))


@rule_function(conversation=True, model=True)
def follows(
    trace: Trace, ask: Ask, who_or_text: str | Sequence[str], instruction: str
) -> Explained:
    """Whether everything that somebody says, or every one of some texts, follows an instruction.

    `who_or_text` is ``user`` or ``assistant`` (also spelled ``chatbot``), whose messages are
    judged with all that was said before them; anything else is a text, or several, each judged by
    itself. What the instruction does not concern follows it. All are asked about in one question.
    """
    if isinstance(who_or_text, str) and who_or_text.lower() in SPEAKERS:
        return _messages_follow(trace, ask, SPEAKERS[who_or_text.lower()], instruction)
    texts = texts_of(who_or_text)
    found = about_texts(ask, "follows_text", _FOLLOWS, texts, instruction=clipped(instruction))
    broken = [n for n, one in enumerate(found) if one["follows"] == "no"]
    reasons = [f"{short(texts[n], 60)}: {found[n]['reason']}" for n in broken[:_MOST_SHOWN]]
    reason = "; ".join(reasons) or f"none of {counted(len(texts), 'text')} breaks it"
    return ExplainedByTexts(not broken, reason, texts=tuple(texts[n] for n in broken))


def _messages_follow(trace: Trace, ask: Ask, who: str, instruction: str) -> Explained:
    said = messages(trace)
    asked = {"instruction": clipped(instruction)}
    found = about_each(ask, "follows", _FOLLOWS, said, who, **asked)
    broken = [one for one in said if found.get(one.number, {}).get("follows") == "no"]
    reasons = [
        f"{short(one.text, 60)}: {found[one.number]['reason']}" for one in broken[:_MOST_SHOWN]
    ]
    reason = "; ".join(reasons) or f"none of {counted(len(found), 'message')} breaks it"
    return Explained(not broken, reason, tuple(dict.fromkeys(one.turn for one in broken)))


@rule_function(conversation=True, model=True)
def contradicts(
    trace: Trace, ask: Ask, statement: str | Sequence[str] | None = None, who: str = "assistant"
) -> Explained:
    """Whether the chatbot contradicts itself, or a statement or one of several.

    `who` is ``assistant`` (also spelled ``chatbot``) or ``user``.
    """
    name, said = speaker("contradicts", who), messages(trace)
    numbers = [one.number for one in said if one.speaker == name]
    if len(numbers) < (1 if statement is not None else 2):
        return Explained(False, f"the {name.lower()} says too little to contradict")
    statements = None if statement is None else texts_of(statement)
    schema = reasoned("contradicts", contradicts=one_of("yes", "no"), messages=some_of(numbers))
    asked = {"who": name, "statements": statements, "messages": as_data(said)}
    given = answer(ask, "contradicts", schema, **asked)
    found = given["contradicts"] == "yes"
    turns = [said[int(number) - 1].turn for number in given["messages"]] if found else []
    return Explained(found, given["reason"], tuple(dict.fromkeys(turns)))


@rule_function(conversation=True, model=True)
def quality(
    trace: Trace, ask: Ask, criterion: str, text: str | Sequence[str] | None = None
) -> Explained:
    """How well the chatbot does by a criterion in words: from 0, not at all, to 1, fully.

    The judge's scale has five steps, so that values are 0, 0.25, 0.5, 0.75 and 1. With `text`, a
    text or several together are judged in place of the conversation.
    """
    said, texts = messages(trace), None if text is None else texts_of(text)
    numbers = [one.number for one in said] if texts is None else range(1, len(texts) + 1)
    score = {"type": "integer", "enum": list(SCALE)}
    schema = reasoned("quality", messages=some_of(numbers or [0]), score=score)
    asked = {
        "messages": None if texts is not None else as_data(said),
        "texts": texts and numbered(texts),
    }
    given = answer(ask, "quality", schema, criterion=clipped(criterion), **asked)
    value = (int(given["score"]) - SCALE[0]) / (SCALE[-1] - SCALE[0])
    shown = [int(number) for number in given["messages"] if number]
    reason = f"{given['score']} of {SCALE[-1]}: {given['reason']}"
    if texts is not None:
        return ExplainedByTexts(value, reason, texts=tuple(texts[n - 1] for n in shown))
    return Explained(value, reason, tuple(dict.fromkeys(said[n - 1].turn for n in shown)))
