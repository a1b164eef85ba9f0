"""Readings of statements about texts that stand together, in messages and headings."""

import re
from collections.abc import Iterator, Sequence, Set

from sparring.model.page import PageView
from sparring_plugins.web.grammar.free.number_phrases import read_number
from sparring_plugins.web.grammar.free.statements import Statement
from sparring_plugins.web.grammar.free.words import (
    FREE,
    content,
    split_words,
    stem,
    stems,
    word_similarity,
)
from sparring_plugins.web.pages.text_fit import contains, plain
from sparring_plugins.web.pages.weak.checks.answers import (
    SAME,
    WeakAnswer,
    answer,
    covers,
    is_within,
    literals,
)
from sparring_plugins.web.pages.weak.page.page_content import (
    RECENT_PAGES,
    PageContent,
    page_content,
)

#: "the form for Oak is shown": a tab or a link that is called Oak is no form for it
_SHOWS_PART = re.compile(
    rf"(?:the |an? )?(?:[a-z]+ )?(?:{'|'.join(sorted(FREE.places))}) (?:for|of|with|about) .+ "
    rf"(?:is|are) (?:now |still |also )?(?:{'|'.join(map(re.escape, FREE.shown))}|open)\b"
)


def read_together(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``Friends is an address book with 4 items``: one row or card has all of it."""
    named, words = literals(s), _naming_words(s)
    if not _says_plainly(s) or len(named) + len(words) < 2:
        return None
    in_names = {word for name in named for word in split_words(name)}
    wanted = (*named, *(w for w in words if w not in in_names))
    full = _groups_with(wanted, page)
    if full and not named:
        return _words_together(s, words, page)
    if full and (len(named) > 1 or (s.quoted and len(wanted) > 1)):
        shown = " ".join(min(full, key=len).split())[:80]
        return answer("together", True, f"'{shown}' has all of it")
    return None


def _says_plainly(s: Statement) -> bool:
    """Return whether nothing is denied, ordered or compared, and no part is said to be in view."""
    compares = s.denies or s.position or s.comparison != "=="
    return not compares and _SHOWS_PART.match(s.low) is None


def _groups_with(wanted: Sequence[str], page: PageContent) -> list[str]:
    return [group for group in page.groups if all(_shows(word, group) for word in wanted)]


def _naming_words(s: Statement) -> tuple[str, ...]:
    empty = FREE.statements | FREE.places | FREE.rows
    return tuple(w for w in s.words if w not in empty and read_number(w) is None)


#: "out of stock" is not shown by "14 in stock"
_OUTSIDE = frozenset({"out", "off", "without", "under", "over"})


def _words_together(s: Statement, words: Sequence[str], page: PageContent) -> WeakAnswer | None:
    """Judge "the moka pot is sold out" on cards: small ones, if no word is a mere label there."""
    if s.numbers:  # "two plain boxes are listed": how many is not shown by one of them
        return None
    items = _small_items(page)
    named = [w for w in content(s.unmask(s.subject)) if w in words]
    said = [w for w in words if w not in named]
    out = set(split_words(s.low)) & _OUTSIDE
    subjects = [text for text in items if covers(named, text) and out <= set(split_words(text))]
    if len(subjects) != 1 or not said:
        return None
    if not covers(words, subjects[0]) or _are_labels(said, subjects[0], page):
        return None
    return answer("together", True, f"'{' '.join(subjects[0].split())[:80]}' has all the words")


def _small_items(page: PageContent) -> list[str]:
    return [item.text for c in page.collections for item in c.items if len(item.words) <= 30]


def _are_labels(words: Sequence[str], text: str, page: PageContent) -> bool:
    """Return whether a word only labels a value, as "closed" in "closed: 0"."""
    labels = " ".join(column for table in page.tables for column in table.columns)
    labels += " ".join(re.findall(r"(?<!\w)(\w+)\s*:", plain(text)))
    return bool(set(stems(labels)) & {stem(word) for word in words})


def read_saying(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The footer promises free shipping from 80.00``: one line of text has all the words."""
    if spoken := _read_spoken(s, page):
        return spoken
    speaks = s.verb in FREE.saying or set(split_words(s.complement)[:1]) & FREE.saying
    if not speaks or s.denies or (s.quoted and len(s.words) < 2):
        return None
    named = " ".join((*literals(s), *s.words))
    empty = FREE.saying | FREE.places | FREE.statements | FREE.stop | _sayer(s)
    words = [w for w in split_words(named) if w not in empty]
    lines = [line for line in page.visible.blocks if _says(line, words, s)]
    if len(set(words)) > 1 and lines:
        return answer("saying", True, f"'{' '.join(lines[0].split())[:80]}' has all the words")
    return None


def _sayer(s: Statement) -> frozenset[str]:
    """Return the words for the speaker, which no page repeats: "note" of "the note says so"."""
    sayer = frozenset(split_words(s.subject))
    is_described = s.subject.lower().startswith(("the ", "a ", "an ", "its "))
    spoken = s.verb in FREE.saying and is_described and not sayer & FREE.messages
    return sayer if spoken else frozenset()


def _lines_about(s: Statement, page: PageContent) -> list[str]:
    """Return the lines with the words of "shows the sentence about the wheelbarrow"."""
    about = _ABOUT.search(s.text)
    words = content(about["what"]) if about else ()
    return [x for x in page.visible.blocks if words and len(x) < 400 and covers(words, x)]


_ABOUT = re.compile(
    r"\b(?:shows?|has|contains?|displays?) (?:the |an? )?"
    r"(?:sentence|text|paragraph|line|passage|note|remark|hint|section) "
    r"(?:about|on|that mentions|with) (?:the |an? )?(?P<what>.+)$",
    re.I,
)
_GREETS = re.compile(
    r"(?:(?:greets|welcomes) (?:the user |me |you )?(?:as |by name as )?"
    r"|(?:is|am|are) (?:now )?(?:greeted|welcomed) (?:as|by name as|by the name|with the name) )"
    r"([\w'-]+)$",
    re.I,
)
_WELCOME = re.compile(
    r"^\W*(?:welcome|hello|hi|hey|good (?:morning|day|afternoon|evening))\b", re.I
)
_ASKS = re.compile(r"\basks (?:you |me |us )?(?:whether|if) (.+)$", re.I)


def _read_spoken(s: Statement, page: PageContent) -> WeakAnswer | None:
    """``The page greets Ida``, ``the page asks whether you are sure``: a greeting, a question."""
    if s.denies or s.quoted:
        return None
    greets, asks = _GREETS.search(s.text), _ASKS.search(s.text)
    lines = _lines_about(s, page)
    if greets:
        lines = [x for x in page.visible.blocks if _WELCOME.match(x) and contains(greets[1], x)]
    elif asks:
        words = content(asks[1])
        lines = [x for x in page.visible.blocks if "?" in x and len(x) < 400 and covers(words, x)]
    if not lines:
        return None
    return answer("saying", True, f"the page says '{' '.join(lines[0].split())[:80]}'")


def _says(line: str, words: Sequence[str], s: Statement) -> bool:
    if len(line) >= 400 or not all(contains(q, line) for q in s.quoted):
        return False
    return covers(words, line) and _denies_alike(s.complement, line)


def _denies_alike(said: str, shown: str) -> bool:
    """Return whether both texts are negated or neither: "a room was found", "No room found"."""
    first, second = (
        bool(set(plain(re.sub(r"⟦\d+⟧", " ", text)).replace("'", " '").split()) & FREE.negations)
        or "n't" in plain(text)
        for text in (said, shown)
    )
    return first == second


def _shows(word: str, text: str) -> bool:
    return is_within(word, text) or (len(split_words(word)) == 1 and covers((word,), text))


# Messages and headings


def read_message(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``An error complains about X``: a message has the words."""
    speaks = set(split_words(s.low)) & (FREE.messages | {
        "complains", "complain", "confirms", "warns", "announces", "announced",
        "thanks", "refuses", "rejected", "complained"})  # fmt: skip
    content_part = re.search(r"\b(?:that|says?|reads?|about)\b", s.low)
    denial = re.search(r"\b(?:no|not|without)\b", s.low)
    if not speaks or (
        s.denies and (not content_part or (denial and denial.start() < content_part.start()))
    ):
        return None
    if s.quoted:
        return _read_quoted_message(s, page)
    if _IS_SHOWN.match(s.text) and (kept := _judge_earlier_message(page, before)):
        return kept
    words = _words_of_message(s, speaks)
    fresh = (line for line in _fresh_lines(page, before) if _has_forms(words, line))
    for text in (*page.messages, *fresh):
        if words and covers(words, text) and _denies_alike(_behind_talk(s), text):
            return answer("message", True, f"the message '{' '.join(text.split())[:80]}' has it")
    return WeakAnswer("message", None, "no message has all the words", yields=True)


_IS_SHOWN = re.compile(
    r"(?:that )?(?:the|this|that) (?:error|warning|message|notice|complaint)(?: message)? "
    r"(?:is|are) (?:still |now )?(?:shown|displayed|visible|there|on the page)$",
    re.I,
)


def _judge_earlier_message(page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """Judge "the error is still shown" by the messages of earlier pages."""
    earlier = {text for view in before[-RECENT_PAGES:] for text in page_content(view).messages}
    if earlier & set(page.messages):
        return answer("message", True, "a message of an earlier page is there")
    if earlier and not page.messages:
        return answer("message", False, "the message of an earlier page is gone")
    return None


_LONGEST_MESSAGE = 40


def _fresh_lines(page: PageContent, before: Sequence[PageView]) -> Iterator[str]:
    """Yield the short lines that came with the last act, whatever they are drawn as."""
    if not before:
        return
    earlier = set(page_content(before[-1]).visible.blocks)
    named = {plain(text) for text in page.headings}
    named |= {plain(e.name or e.text) for e in page.elements if e.interactive}
    for line in page.visible.blocks:
        is_fresh = line not in earlier and plain(line) not in named
        if is_fresh and len(line.split()) <= _LONGEST_MESSAGE:
            yield line


def _has_forms(words: Sequence[str], line: str) -> bool:
    """Return whether a line has the participles of a sentence: "Create" is not "created"."""
    shown = set(split_words(line))
    return all(word in shown for word in words if word.endswith(("ed", "en")))


def _words_of_message(s: Statement, speaks: Set[str]) -> list[str]:
    """Return the words that a message must have: neither its speaker nor verbs of speaking."""
    speaker = set(content(s.unmask(s.subject))) if _speaks(s) else set[str]()
    # "a message reports that two entries were moved": what it says stands behind "that"
    that = _MESSAGE_THAT.match(s.text)
    said = content(s.text[that.end() :]) if that else s.words
    skipped = FREE.messages | speaks | speaker
    return [w for w in s.words if w in said and w not in skipped and stem(w) not in _TALK]


_MESSAGE_THAT = re.compile(r"(?:[\w'-]+ ){1,6}?that (?=\S)", re.I)


def _speaks(s: Statement) -> bool:
    """Return whether the subject is a speaker: "the shop thanks for the order"."""
    return s.verb in FREE.saying or s.verb in FREE.speaking


def _behind_talk(s: Statement) -> str:
    """Return the wanted content of a message: the part behind "complains that"."""
    parts = re.split(
        r"\b(?:that|says?|reads?|about|complains?|confirms?|warns?)\b", s.low, maxsplit=1
    )
    return parts[-1]


_TALK = frozenset(
    stem(w)
    for w in ["user", "name", "names", "asks", "short", "page", "form", "confirms", "says", "that"]
) - {"name", "user"}


def _read_quoted_message(s: Statement, page: PageContent) -> WeakAnswer:
    if all(any(contains(q, t) for t in page.messages) for q in s.quoted):
        return answer("message", True, "a message has it")
    if all(page.visible.count(q).sure for q in s.quoted):
        return answer("message", True, "it can be read on the page")
    return answer("message", False, f"'{s.quoted[0]}' can't be read anywhere")


def read_heading(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The heading says X``: a heading or the title has it."""
    if entitled := _ENTITLED.match(s.text):
        return _judge_entitled(s.unmask(entitled[1]), page, denies=s.denies)
    if not (set(split_words(s.subject.lower())) & (FREE.headings - {"header"})):
        return None
    if "field" in split_words(s.low) or s.denies:
        return None
    if s.quoted and any(_reads(s, heading) for heading in page.headings):
        return answer("heading", True, f"a heading is '{s.unmask(s.complement)}'")
    text = _heading_text(s, page)
    if not text:
        return None
    if any(contains(text, heading) for heading in page.headings):
        return answer("heading", True, f"a heading has '{text}'")
    if s.quoted and not any(word_similarity(w, "title") >= SAME for w in split_words(s.subject)):
        return answer("heading", False, f"no heading has '{text}'")
    return None


def _reads(s: Statement, heading: str) -> bool:
    """Return whether a sentence gives the whole heading with its quotes: 'reads Hits for "x"'."""
    said, shown = (re.sub(r"[\"'“”‘’«»]", "", plain(t)) for t in (s.unmask(s.complement), heading))
    return said == shown


def _heading_text(s: Statement, page: PageContent) -> str:
    """Return the text that a sentence gives for a heading; "" if no heading has the rest of it."""
    if not s.quoted:
        return re.sub(r"^(?:is|now|the|as|with)\s+", "", s.unmask(s.complement))
    around = content(re.sub(r"⟦\d+⟧", " ", s.complement))
    skipped = FREE.headings | FREE.statements | FREE.tables | FREE.rows
    beside = [w for w in around if w not in skipped]
    # 'reads Products matching "lamp"' names more than the quotation
    return "" if beside and not any(covers(beside, h) for h in page.headings) else s.quoted[0]


_ENTITLED = re.compile(
    r"^(?i:(?:that )?(?:the|this) (?:page|screen|window|site|dialog) is )"
    r"(?:now |still |not |no longer )?"
    r"(?:titled|headed|entitled|called|named) (⟦\d+⟧|[A-Z][\w'’-]*(?: [\w'’-]+){0,5})$"
)
_FIRST_LINES = 15


def _judge_entitled(name: str, page: PageContent, *, denies: bool) -> WeakAnswer | None:
    """Judge "the page is headed X" by headings, the title, and what stands on top by itself."""
    on_top = [line for line in page.visible.blocks[:_FIRST_LINES] if plain(line) == plain(name)]
    if on_top or any(contains(name, heading) for heading in page.headings):
        return answer("heading", True, f"'{name}' stands above the page", denies=denies)
    if contains(name, page.text):
        return answer("heading", None, f"'{name}' can be read, but not as a heading")
    return answer("heading", False, f"'{name}' can't be read anywhere", denies=denies)


# Sentences

_LONGEST_SENTENCE = 40
_FEWEST_WORDS = 3


#: "If the gate is closed, ring the bell" does not say that it is closed.
_IS_CONDITION = re.compile(r"\W*(?:if|when|whenever|until|unless|once|before|whether)\b", re.I)


def read_sentence(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``The heap is turned every six weeks``: one sentence of the page has all of it, in order."""
    words = _words_said(s)
    if s.denies or s.position or s.comparison != "==" or len(words) < _FEWEST_WORDS:
        return None
    # "the passwords don't match" is no row, if somebody says it
    if set(words) & (FREE.rows | FREE.tables) and not _speaks(s):
        return None
    relating = set(split_words(s.low)) & FREE.relating
    for line in page.visible.sentences:
        shown = split_words(line)
        if _IS_CONDITION.match(line) or plain(line) in page.offered:
            continue
        # "only", "most" or "every" must stand in the line, too
        has_all = len(shown) <= _LONGEST_SENTENCE and _in_order(words, shown)
        has_all = has_all and relating <= set(shown)
        if has_all and _denies_alike(s.text, line):
            return answer("sentence", True, f"the page says '{line[:80]}'")
    return None


_PRONOUN = re.compile(r"(?:it|this|they|he|she) (?:still |now )?(?:is|are|was|were|has|have) ")


def read_phrase(s: Statement, page: PageContent, before: Sequence[PageView]) -> WeakAnswer | None:
    """``It is closed on Mondays``: of something without a name, one text says just these words."""
    pronoun = _PRONOUN.match(s.low)
    if s.denies or s.quoted or pronoun is None:
        return None
    said = plain(s.text[pronoun.end() :]).strip(" .!")
    if len(said.split()) < _FEWEST_WORDS or len(content(said)) < _FEWEST_WORDS - 1:
        return None
    for line in page.visible.sentences:
        if contains(said, line) and _denies_alike(said, line) and not _IS_CONDITION.match(line):
            return answer("phrase", True, f"the page says '{line[:80]}'")
    return None


_CAPITAL = re.compile(r"(?<=[\w,] )[A-Z][a-z]+")


def _words_said(s: Statement) -> list[str]:
    """Return the words that a sentence of the page must have, without the speaker and the verb."""
    text = s.unmask(s.text)
    # "in the Small hall": with a capital it is a part of a name, and no word to be left out
    named = set(split_words(" ".join(_CAPITAL.findall(text))))
    words = [w for w in split_words(text) if w not in FREE.stop - named or w in FREE.numbers]
    if s.verb in FREE.saying | FREE.speaking | FREE.showing:
        shower = {*content(s.unmask(s.subject)), s.verb}
        words = [w for w in words if w not in shower]
    return words


def _in_order(words: Sequence[str], shown: Sequence[str]) -> bool:
    """Return whether all words, or what means the same, stand in a text in this order."""
    rest = iter(shown)
    return all(any(word_similarity(word, other) >= SAME for other in rest) for word in words)
