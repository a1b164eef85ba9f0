"""Functions that ask a language model: instructions, contradictions, languages, tone, topics."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sparring.interfaces.rule_function import Explained, rule_function
from sparring.model.talk import Trace
from sparring_plugins.rules.functions.model_questions import (
    SPEAKERS,
    Ask,
    SpokenMessage,
    about_each,
    about_texts,
    answer,
    as_data,
    clipped,
    each,
    messages,
    numbered,
    one_of,
    parts,
    reasoned,
    some_of,
    speaker,
)
from sparring_plugins.rules.functions.plain_values import ExplainedByTexts, counted, short, texts_of

SCALE = (1, 2, 3, 4, 5)
"""The scores that a judge gives; rules see them from 0 to 1."""

# Three reasons of a judge fill the lines that a report gives to a verdict.
_MOST_REASONS = 3
# "Always offer a drink" does not concern a farewell, which counts as following it.
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
    answers = about_texts(ask, "follows_text", _FOLLOWS, texts, instruction=clipped(instruction))
    broken = [n for n, answer in enumerate(answers) if answer["follows"] == "no"]
    reasons = [f"{short(texts[n], 60)}: {answers[n]['reason']}" for n in broken[:_MOST_REASONS]]
    reason = "; ".join(reasons) or f"none of {counted(len(texts), 'text')} breaks it"
    return ExplainedByTexts(not broken, reason, texts=tuple(texts[n] for n in broken))


def _messages_follow(trace: Trace, ask: Ask, who: str, instruction: str) -> Explained:
    spoken = messages(trace)
    variables = {"instruction": clipped(instruction)}
    answers = about_each(ask, "follows", _FOLLOWS, spoken, who, **variables)
    broken = [
        message for message in spoken if answers.get(message.number, {}).get("follows") == "no"
    ]
    reasons = [
        f"{short(message.text, 60)}: {answers[message.number]['reason']}"
        for message in broken[:_MOST_REASONS]
    ]
    reason = "; ".join(reasons) or f"none of {counted(len(answers), 'message')} breaks it"
    return Explained(not broken, reason, tuple(dict.fromkeys(message.turn for message in broken)))


@rule_function(conversation=True, model=True)
def contradicts(
    trace: Trace, ask: Ask, statement: str | Sequence[str] | None = None, who: str = "assistant"
) -> Explained:
    """Whether the chatbot contradicts itself, or a statement or one of several.

    `who` is ``assistant`` (also spelled ``chatbot``) or ``user``.
    """
    name, spoken = speaker("contradicts", who), messages(trace)
    numbers = [message.number for message in spoken if message.speaker == name]
    # One message may contradict a statement, but not itself.
    if len(numbers) < (1 if statement is not None else 2):
        return Explained(False, f"the {name.lower()} says too little to contradict")
    statements = None if statement is None else texts_of(statement)
    schema = reasoned("contradicts", contradicts=one_of("yes", "no"), messages=some_of(numbers))
    variables = {"who": name, "statements": statements, "messages": as_data(spoken)}
    reply = answer(ask, "contradicts", schema, **variables)
    contradicted = reply["contradicts"] == "yes"
    turns = [spoken[int(number) - 1].turn for number in reply["messages"]] if contradicted else []
    return Explained(contradicted, reply["reason"], tuple(dict.fromkeys(turns)))


@rule_function(conversation=True, model=True)
def quality(
    trace: Trace, ask: Ask, criterion: str, text: str | Sequence[str] | None = None
) -> Explained:
    """How well the chatbot does by a criterion in words: from 0, not at all, to 1, fully.

    The judge's scale has five steps, so that values are 0, 0.25, 0.5, 0.75 and 1. With `text`, a
    text or several together are judged in place of the conversation.
    """
    spoken, texts = messages(trace), None if text is None else texts_of(text)
    numbers = [message.number for message in spoken] if texts is None else range(1, len(texts) + 1)
    score = {"type": "integer", "enum": list(SCALE)}
    schema = reasoned("quality", messages=some_of(numbers or [0]), score=score)
    variables = {
        "messages": None if texts is not None else as_data(spoken),
        "texts": texts and numbered(texts),
    }
    reply = answer(ask, "quality", schema, criterion=clipped(criterion), **variables)
    value = (int(reply["score"]) - SCALE[0]) / (SCALE[-1] - SCALE[0])
    shown = [int(number) for number in reply["messages"] if number]
    reason = f"{reply['score']} of {SCALE[-1]}: {reply['reason']}"
    if texts is not None:
        return ExplainedByTexts(value, reason, texts=tuple(texts[n - 1] for n in shown))
    return Explained(value, reason, tuple(dict.fromkeys(spoken[n - 1].turn for n in shown)))


# Which language is spoken: `language` and `responds_in_same_language`.

LANGUAGES = {
    "en": "ENG",
    "es": "ESP",
    "fr": "FR",
    "de": "GER",
    "it": "IT",
    "pt": "POR",
    "zh": "CHI",
    "ja": "JAP",
}
"""SENSEI's codes by those of ISO 639-1."""

OTHER = "OTHER"
SERVER_ERROR = "Error: The server"
"""How connectors of SENSEI's begin an answer that the chatbot never gave, always in English."""


@rule_function(model=True)
def language(ask: Ask, text: str | Sequence[str]) -> ExplainedByTexts:
    """The language of a text or of several: ENG ESP FR GER IT POR CHI JAP or OTHER."""
    texts = texts_of(text)
    schema = reasoned("language", language=one_of(*LANGUAGES.values(), OTHER))
    reply = answer(ask, "language", schema, text=clipped("\n".join(texts)))
    return ExplainedByTexts(reply["language"], reply["reason"], texts=tuple(texts))


@rule_function(conversation=True, model=True)
def responds_in_same_language(trace: Trace, ask: Ask) -> Explained:
    """Whether the chatbot always answers in the user's language.

    The language of every message is asked in one question. Answers that only report an error of
    the server are left out; if one message is left, nothing is asked and the answer is yes.
    """
    spoken_messages = spoken(trace)
    # A greeting alone answers nobody.
    if len(spoken_messages) <= 1:
        return Explained(True, "there is nothing to compare")
    item = {"type": "string", "pattern": "^(none|[a-z]{2,3}(-[A-Za-z0-9]{2,8})?)$"}
    codes: dict[int, str | None] = {}
    for part in parts(spoken_messages):
        schema = each("languages", [message.number for message in part], item)
        codes_given = answer(ask, "languages", schema, messages=as_data(part))["answers"]
        codes |= {int(number): _code(str(code)) for number, code in codes_given.items()}
    compared = compare(spoken_messages, codes)
    return Explained(not compared.others, compared.reason(), compared.turns)


def spoken(trace: Trace) -> list[SpokenMessage]:
    """The messages, without answers that only report an error of the server."""
    return [
        message
        for message in messages(trace)
        if message.speaker == "User" or not message.text.startswith(SERVER_ERROR)
    ]


@dataclass(frozen=True, slots=True)
class LanguageComparison:
    """The languages of answers beside those of the user's last words before them.

    `same` are answers in the user's language, `others` those in another one: the answer, its
    language, and the user's.
    """

    same: tuple[SpokenMessage, ...]
    others: tuple[tuple[SpokenMessage, str, str], ...]

    @property
    def turns(self) -> tuple[int, ...]:
        """The turns of the answers in another language."""
        return tuple(dict.fromkeys(message.turn for message, _, _ in self.others))

    def reason(self) -> str:
        """The result in words."""
        if not self.others:
            return f"{counted(len(self.same), 'answer')} in the user's language, none in another"
        shown = [
            f"{short(message.text, 60)} is in {code!r} and the user speaks {spoken!r}"
            for message, code, spoken in self.others[:_MOST_REASONS]
        ]
        return "; ".join(shown)


def compare(
    messages: Sequence[SpokenMessage],
    codes: Mapping[int, str | None],
    *,
    unknown_hides: bool = False,
) -> LanguageComparison:
    """Compare answers with the user's last message before them that has a language.

    Messages without a language, and answers before the user has spoken, are skipped. With
    `unknown_hides` the language of a message may be unknown rather than none, so that nothing
    is known of what the user speaks after it.
    """
    same: list[SpokenMessage] = []
    others: list[tuple[SpokenMessage, str, str]] = []
    user: str | None = None
    for message in messages:
        code = codes.get(message.number)
        if message.speaker == "User":
            # "OK" and "123" are in no language: the user goes on in the one before. A detector that
            # does not know is another matter: it may have been any.
            user = code if unknown_hides else code or user
        elif code is not None and user is not None:
            if code == user:
                same.append(message)
            else:
                others.append((message, code, user))
    return LanguageComparison(tuple(same), tuple(others))


def _code(word: str) -> str | None:
    """A language without its region; Norwegian's two written forms are one."""
    code = word.lower().partition("-")[0]
    return None if code == "none" else {"nb": "no", "nn": "no"}.get(code, code)


# What texts mean, as a language model sees it: `semantic_content` and `tone`.

TONES = ("POSITIVE", "NEGATIVE", "NEUTRAL")


@rule_function(model=True)
def semantic_content(ask: Ask, value: Any, description: str) -> ExplainedByTexts:
    """Whether `value` says what `description` says, in whatever words."""
    text = str(value)
    schema = reasoned("semantic_content", conveys=one_of("yes", "no"))
    variables = {"text": clipped(text), "description": clipped(description)}
    reply = answer(ask, "semantic_content", schema, **variables)
    return ExplainedByTexts(reply["conveys"] == "yes", reply["reason"], texts=(text,))


@rule_function(model=True)
def tone(ask: Ask, item: str | Sequence[str]) -> ExplainedByTexts:
    """The tone of a text or of each of several: POSITIVE, NEGATIVE or NEUTRAL.

    All texts are asked about in one question.
    """
    texts = texts_of(item)
    answers = about_texts(ask, "tone", reasoned("tone", tone=one_of(*TONES)), texts)
    return toned(
        texts, [answer["tone"] for answer in answers], [str(answer["reason"]) for answer in answers]
    )


def toned(
    texts: Sequence[str], tones: Sequence[str], reasons: Sequence[str], basis: str = ""
) -> ExplainedByTexts:
    """The value of `tone`; it is shown by the texts that are not neutral, negative ones first."""
    order = sorted(range(len(texts)), key=lambda n: (TONES[::-1].index(tones[n]) != 1, n))
    marked = [n for n in order if tones[n] != "NEUTRAL"]
    shown = [f"{short(texts[n], 60)} is {tones[n]}: {reasons[n]}" for n in marked[:_MOST_REASONS]]
    shown = shown or ([f"all are NEUTRAL: {reasons[0]}"] if texts else [])
    reason = "; ".join([*([basis] if basis else []), *shown])
    return ExplainedByTexts(list(tones), reason, texts=tuple(texts[n] for n in marked))


# What is talked about, and when: `only_talks_about` and `utterance_index`.

# A bot without any topic strays in every answer; five show it.
_MOST_STRAYS = 5


@rule_function(conversation=True, model=True)
def only_talks_about(
    trace: Trace, ask: Ask, topics: str | Sequence[str], fallback: str | None = None
) -> Explained:
    """True if the chatbot keeps to the topics; else a text that names its stray answers.

    `fallback` is a phrase that it may always use when it does not understand. All answers are
    asked about in one question.
    """
    spoken = messages(trace)
    item = reasoned("keeps", keeps=one_of("yes", "no"))
    allowed = {"topics": texts_of(topics), "fallback": fallback}
    answers = about_each(ask, "only_talks_about", item, spoken, "Assistant", **allowed)
    strays = [message for message in spoken if answers.get(message.number, {}).get("keeps") == "no"]
    reasons = (str(answers[stray.number]["reason"]) for stray in strays)
    return keeps_to_topics(strays, len(answers), reasons)


def keeps_to_topics(
    strays: Sequence[SpokenMessage], judged: int, reasons: Iterable[str]
) -> Explained:
    """The value of `only_talks_about`: True, or a text that names the answers that stray."""
    if not strays:
        return Explained(True, f"none of {counted(judged, 'answer')} is outside the topics")
    texts = "; ".join(short(stray.text) for stray in strays[:_MOST_STRAYS])
    return Explained(
        f"answers outside the topics: {texts}",
        " ".join(list(reasons)[:_MOST_STRAYS]),
        tuple(dict.fromkeys(stray.turn for stray in strays)),
    )


@rule_function(conversation=True, model=True)
def utterance_index(trace: Trace, ask: Ask, who: str, what: str) -> Explained:
    """The number, from 1, of the message in which `who` first talks about `what`; -1 for none.

    `who` is ``user`` or ``assistant`` (also spelled ``chatbot``); messages of both count.
    """
    name, spoken = speaker("utterance_index", who), messages(trace)
    numbers = [message.number for message in spoken if message.speaker == name]
    if not numbers:
        return Explained(-1, f"the {name.lower()} said nothing")
    schema = reasoned("utterance_index", message={"type": "integer", "enum": [0, *numbers]})
    reply = answer(ask, "utterance_index", schema, who=name, what=what, messages=as_data(spoken))
    number = int(reply["message"])
    if number == 0:
        return Explained(-1, reply["reason"])
    return Explained(number, reply["reason"], (spoken[number - 1].turn,))
