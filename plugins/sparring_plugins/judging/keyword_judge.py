"""The judge without a language model: it looks for words, and knows that it does."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pydantic import Field

from sparring.interfaces.agent import Agent
from sparring.interfaces.plugin import PluginConfig
from sparring.interfaces.roles import Judgement, JudgeTask
from sparring.model.talk import Listen, act_text
from sparring_plugins.language.text import unaccented
from sparring_plugins.language.vocabulary import stem, vocabulary
from sparring_plugins.prompting.data_blocks import as_json

# Of a longer text only a part is searched: a word that is missing there may stand in the rest.
_LONGEST = 200_000
# "it's" gives "it" and "s": apostrophes and underscores part words, as in the lists of keywords.
_WORD = re.compile(r"[^\W_]+")
# An apostrophe inside of a word opens no quotation: "the user's name" quotes nothing.
_QUOTED = re.compile(
    r"\"([^\"\n]{1,200})\"|“([^”\n]{1,200})”|«([^»\n]{1,200})»|(?<!\w)'([^'\n]{1,200})'(?!\w)"
)
_MORE = re.compile(
    r"\b(?:not|never|no|none|nothing|without|except|avoid|refuse|only|before|after|first|last|always"
    r"|every|each|all|if|when|how|why|than|instead|correctly|wrongly|falsely)s?\b|n['\u2019]t\b"
)
"""Words that ask for more than whether something is said."""
# "Does the bot mention the opening hours?" asks whether something is said: words can decide that.
# All other questions they cannot, and the judge says so.
_SAYS = re.compile(
    r"\b(?:mentions?|mentioned|says?|said|contains?|contained|includes?|included|names?|named"
    r"|lists?|listed|(?:talk|talks|talked|speak|speaks|spoken) (?:about|of))\b"
)
_USER = frozenset({"user", "customer", "caller"})
_APP = frozenset(
    {"chatbot", "assistant", "bot", "app", "agent", "system", "text", "answer", "reply"}
)
# Words of the question that nobody would say: "Does the chatbot mention the opening hours?" looks
# for "opening hours".
_ABOUT_TALK = """
    mention mentions mentioned say says said contain contains contained include includes included
    names named list lists listed talk talks talked speak speaks spoken user customer caller chatbot
    assistant bot app agent system text answer answers reply replies conversation does ever word
    words phrase anywhere something anything
"""


class KeywordJudgeConfig(PluginConfig):
    """Settings of the judge by words."""

    share: float = Field(
        default=0.8, gt=0, le=1, description="share of the question's words that must be said"
    )


@dataclass(frozen=True)
class _Said:
    """The words of a text, and the turn in which it was said (None: it is no conversation)."""

    words: tuple[str, ...]
    turn: int | None
    whole: bool


@dataclass(frozen=True)
class _Finding:
    """Whether what was asked for is there, and why."""

    there: bool
    reason: str
    turns: tuple[int, ...] = ()


class KeywordJudge(Agent[JudgeTask, Judgement, KeywordJudgeConfig]):
    """Role ``judge``: decides by words alone, without a model, whether something is said.

    It answers yes-or-no questions that ask whether something is mentioned, said, named, listed,
    contained, included or talked about. What the question has in quotes must be said as it is, all
    of it, in one message or several; else the answer is no. Without quotes the answer is yes where
    one message has the question's own words, `share` of them at least (upper and lower case,
    accents and light endings of English and Spanish aside). All other questions it leaves
    undecided, those with words like not, only and before, too: answer None, with the reason. It
    knows no synonyms, looks at no `criterion`, and gives no score: it has no measure of certainty.
    """

    Config: ClassVar[type[PluginConfig]] = KeywordJudgeConfig
    role: ClassVar[str] = "judge"

    async def act(self, task: JudgeTask) -> Judgement:
        options = _yes_and_no(task.options)
        if options is None:
            return _undecided("decides only questions that are answered by yes or no")
        question = task.question[:_LONGEST]
        unquoted = _QUOTED.sub(" ", question).lower()
        more = _MORE.search(unquoted)
        if more:
            return _undecided(f"does not understand questions with {more[0]!r}")
        if not _SAYS.search(unquoted):
            return _undecided("decides only whether something is mentioned or said")
        said = list(_iterate_replies(task, by_user=_is_about_the_user(unquoted)))
        phrases = [match[match.lastindex or 0] for match in _QUOTED.finditer(question)]
        finding = _phrases(phrases, said) if phrases else self._own_words(unquoted, said)
        if isinstance(finding, str):
            return _undecided(finding)
        if not finding.there and not all(item.whole for item in said):
            return _undecided("did not look through all of a very long text")
        answer = options[0] if finding.there else options[1]
        return Judgement(
            answer=answer, reason=f"by words alone: {finding.reason}", turns=finding.turns
        )

    def _own_words(self, question: str, said: Sequence[_Said]) -> _Finding | str:
        sought = {stem(word): word for word in reversed(_words(question)) if _counts(word)}
        if not sought:
            return "finds no word in the question to look for"
        shares = [(len(sought.keys() & _stems(item.words)) / len(sought), item) for item in said]
        hits = [item for share, item in shares if share >= self.config.share]
        listed = _join_texts(sorted(sought.values()))
        if hits:
            return _Finding(True, f"one message says enough of {listed}", _turns(hits))
        if any(share > 0 for share, _ in shares):
            return f"finds only some of {listed}"
        return f"finds none of {listed}, which might be said in other words"


def _phrases(phrases: Sequence[str], said: Sequence[_Said]) -> _Finding | str:
    hits: list[_Said] = []
    missing: list[str] = []
    for phrase in phrases:
        sought = " ".join(_words(phrase))
        if not sought:
            return "finds a quoted text without words in the question"
        sources = [item for item in said if f" {sought} " in f" {' '.join(item.words)} "]
        hits += sources
        missing += [] if sources else [phrase]
    if missing:
        return _Finding(False, f"{_join_texts(missing)} is not said")
    return _Finding(True, f"{_join_texts(phrases)} is said", _turns(hits))


def _iterate_replies(task: JudgeTask, *, by_user: bool) -> Iterator[_Said]:
    if task.subject is not None:
        subject = task.subject
        yield _words_of(subject if isinstance(subject, str) else as_json(subject, _LONGEST), None)
    for number, turn in enumerate(task.turns):
        if by_user and not isinstance(turn.act, Listen):
            yield _words_of(act_text(turn.act), number)
        elif not by_user and turn.observation is not None:
            seen = turn.observation
            yield _words_of("\n".join([seen.text, *(c.label for c in seen.choices)]), number)


def _words_of(text: str, turn: int | None) -> _Said:
    return _Said(tuple(_words(text)), turn, len(text) <= _LONGEST)


def _words(text: str) -> list[str]:
    return _WORD.findall(unaccented(text[:_LONGEST]).lower())


def _stems(words: Sequence[str]) -> set[str]:
    return {stem(word) for word in words}


def _counts(word: str) -> bool:
    return word not in vocabulary().stop and word not in _ABOUT_TALK.split()


def _is_about_the_user(question: str) -> bool:
    words = set(_words(question))
    return bool(words & _USER) and not words & _APP


def _yes_and_no(options: Sequence[str]) -> tuple[str, str] | None:
    named = {option.strip().lower(): option for option in options}
    for yes, no in (("yes", "no"), ("true", "false")):
        if len(options) == 2 and named.keys() == {yes, no}:
            return named[yes], named[no]
    return None


def _turns(hits: Sequence[_Said]) -> tuple[int, ...]:
    return tuple(sorted({item.turn for item in hits if item.turn is not None}))


def _join_texts(texts: Sequence[str]) -> str:
    shown = ", ".join(f"'{text}'" for text in texts[:6])
    return shown if len(texts) <= 6 else f"{shown} and {len(texts) - 6} more"


def _undecided(why: str) -> Judgement:
    return Judgement(answer=None, reason=f"this judge goes by words alone, and {why}")
