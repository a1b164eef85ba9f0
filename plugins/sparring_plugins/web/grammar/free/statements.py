"""What a check states: subject, verb and complement, numbers, order, states, whether it denies."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sparring_plugins.web.grammar.free.fuller import say_in_full, split_in_full
from sparring_plugins.web.grammar.free.number_phrases import find_limit, read_number
from sparring_plugins.web.grammar.free.sentences import Clause, strip_lead
from sparring_plugins.web.grammar.free.words import (
    FREE,
    LIST_JOINT,
    content,
    has_phrase,
    split_words,
)
from sparring_plugins.web.step import Comparison

_MARK = re.compile(r"⟦(\d+)⟧")
# The verb of a statement: what is before it is spoken of, what is after it is said of it.
_FINITE = re.compile(
    r"(?<![\w'⟦-])(?:"
    + "|".join(sorted(map(re.escape, FREE.statements), key=len, reverse=True))
    + r")(?![\w'-])",
    re.I,
)


@dataclass(frozen=True)
class Statement:
    """One statement with its quotations masked."""

    text: str
    quotes: tuple[str, ...]
    above: str = ""

    def unmask(self, text: str) -> str:
        """Return a part with its quotations, without quotation marks."""
        return _MARK.sub(lambda match: self.quotes[int(match[1])], text).strip(" ,.;:")

    @cached_property
    def low(self) -> str:
        """The statement in lower case, with marks."""
        return self.text.lower()

    @cached_property
    def quoted(self) -> tuple[str, ...]:
        """The quotations of this statement, in order."""
        return tuple(self.quotes[int(n)] for n in _MARK.findall(self.text))

    @cached_property
    def _verb(self) -> re.Match[str] | None:
        matches = list(_FINITE.finditer(self.text))
        # "Read isn't ticked": the verb in front is a name here
        if len(matches) > 1 and matches[0].start() == 0 and matches[0][0][0].isupper():
            matches = matches[1:]
        for match in matches:
            before = self.text[: match.start()].split()
            # "the list that names ...": a relative clause belongs to the subject
            if before and before[-1].lower() in (
                "that",
                "which",
                "who",
                "to",
                "the",
                "a",
                "an",
                "of",
            ):
                continue
            return match
        return None

    @property
    def subject(self) -> str:
        """What stands before the verb, with marks; of "the oldest, the lamp, is" the last part."""
        subject = self.text[: self._verb.start()].strip() if self._verb else ""
        if match := re.fullmatch(r"[^,]+, ([^,]+),", subject):
            return match[1]
        return subject.strip(" ,")

    @property
    def verb(self) -> str:
        """The finite verb in lower case, or an empty text."""
        return self._verb[0].lower() if self._verb else ""

    @property
    def complement(self) -> str:
        """What stands behind the verb, with marks; the whole text if there is no verb."""
        return self.text[self._verb.end() :].strip(" ,") if self._verb else self.text

    @cached_property
    def denies(self) -> bool:
        """Whether it says that something is not so, or not there."""
        low = _NAMED_NOT.sub(" ", self._without_speech_as_written).lower()
        words = set(split_words(low)) | set(low.split())
        # "no more than 3" is a limit; "nothing was found" is about an empty result
        limited = bool(re.search(r"\b(?:no|not) (?:more|fewer|less) than\b", low))
        denied = bool(words & FREE.negations) and not limited
        gone = has_phrase(low, FREE.absence)
        if gone == "closed" and not set(split_words(self.subject.lower())) & FREE.dialogs:
            gone = ""  # "the shop is closed on Mondays" is a fact like any other
        return denied or bool(gone)

    @cached_property
    def _without_speech_as_written(self) -> str:
        """The statement without what somebody says in it: "the page says that no room is free"."""
        if self.verb in FREE.saying | FREE.speaking and self.complement:
            return self.text[: self.text.rfind(self.complement)]
        return self.text

    @cached_property
    def comparison(self) -> Comparison:
        """The comparison with a number: ``==`` if no limit is named."""
        return self._limit[0]

    @property
    def limit(self) -> float | None:
        """The number that `comparison` is with, if a limit is named: 20 in "no item over 20"."""
        return self._limit[1]

    @cached_property
    def _limit(self) -> tuple[Comparison, float | None]:
        return find_limit(self.low)

    @cached_property
    def position(self) -> int:
        """The place in an order that it speaks of: 1 for the first, -1 for the last, 0 for none."""
        for word, number in _ORDINALS.items():
            if re.search(rf"\b{word}\b(?! (?:time|page|column|field|tab))", self.low):
                return number
        phrases = FREE.order_phrases
        low = _AT_EDGE.sub("", self.low)
        first, last = (bool(has_phrase(low, phrases[end])) for end in ("first", "last"))
        listed = set(split_words(self.subject.lower())) & (FREE.tables | {"page"})
        if listed:
            first = first or bool(re.search(r"\b(?:starts?|begins?) with\b", self.low))
            last = last or bool(re.search(r"\bends? with\b", self.low))
        words = split_words(low)
        if (first and last) or {"first", "last"} <= set(words):
            return 0  # "A comes first and B last" speaks of two places
        if first or last:
            return 1 if first else -1
        return next((p for i in range(len(words)) if (p := _place_of(words[i:]))), 0)

    @cached_property
    def numbers(self) -> tuple[tuple[float, str], ...]:
        """The numbers outside quotations, each with the words behind it."""
        words = self.text.split()
        numbers: list[tuple[float, str]] = []
        for index, word in enumerate(words):
            value = read_number(word) if "⟦" not in word else None
            if word.lower() == "no" and words[index + 1 : index + 2] == ["longer"]:
                continue  # "is no longer shown" counts nothing
            if value is not None:
                numbers.append((value, " ".join(words[index + 1 : index + 6])))
        return tuple(numbers)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that name something, without quotations."""
        text = f"{self.subject} {self.verb} {self.complement}" if self.verb else self.text
        return content(_MARK.sub(" ", text))


#: "The status is Not Ready": with a capital it is a part of a name.
_NAMED_NOT = re.compile(r"(?<=[a-z] )(?:Not|No|Never|None)(?= [A-Z]|$)")
#: "There is a Help link at the top": of the page, and of no list.
_AT_EDGE = re.compile(r"(?<=link|tton|menu) (?:at|on) the (?:top|bottom)$")
_ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5}
_NO_ROWS = frozenset({"page", "column", "updated", "modified"})


def _place_of(words: tuple[str, ...]) -> int:
    """Return the place that "first row ..." or "last one ..." names; 0 if words do not begin so."""
    word, behind = words[0], words[1:4]
    nouns = not behind or any(w in FREE.rows | {"one"} or w not in FREE.stop for w in behind)
    if not nouns or _NO_ROWS & set(behind[:1]) or (word == "first" and "column" in behind):
        return 0
    if word in ("first", "newest", "topmost", "top"):
        return 1
    return -1 if word in ("last", "bottommost") else 0


# "the title is red and the list is empty": two statements.
_AND = re.compile(
    r"(?:(?:(?<!\s)\s+)?,|(?<!\s))\s+(?:and|but|while)\s+(?:that\s+(?!of ))?|(?:(?<!\s)\s+)?;\s+"
    r"|,\s+",
    re.I,
)


# "the expenses add up to 12": verbs that begin instructions, too, are no verbs of statements
_SUMMING = re.compile(
    r"(?<=\w )(?:should |must )?(?:adds? up|amounts?|sums? up|comes?) to"
    r"(?= (?:exactly )?[£$€-]?\d)",
    re.I,
)


#: "You are warned that the deadline is over", "it is refused with 'No seats'": so says a message.
_TOLD = re.compile(
    r"^(?:that )?(?:we|you|i|it|one|this"
    r"|the (?:user|visitor|tester|form|action|change|entry|input))"
    r" (?:(?:should|must) be|are|is|am|get|gets|was|were) (?:now |then |again )?"
    r"(?:(?:told|informed|warned|notified|reminded) (?:that|about)"
    r"|(?:told|confirmed|rejected|refused|acknowledged|answered|greeted) (?:with|by|as)"
    r"(?: the (?:message|text|error|notice|words?))?|told(?= ⟦\d+⟧$)"
    # "it must be refused: 'No seats'"
    r"|(?:rejected|refused|denied|blocked|declined|accepted|confirmed)(?:,|:| [-–—])(?= ⟦\d+⟧$))"
    r" (?=\S)",
    re.I,
)
# "should still be shown" is "is still shown".
_MODAL = re.compile(
    r"\b(?:should|must|shall|ought to|has to|have to|needs? to)(?P<adverbs>(?: (?:now|still|also|"
    r"again|then|only|already|therefore|once more|not|never|no longer))*) (?P<verb>[a-z]+)\b",
    re.I,
)
_CONTRACTED = re.compile(r"\b(should|must|need)n't\b", re.I)
# "there is not any row" is "there is no row"; "not any more" speaks of time.
_NOT_ANY = re.compile(r"\b(is|are) not any (?!more\b|longer\b)", re.I)
_THIRD = {"be": "is", "have": "has", "do": "does"}


def write_plainly(text: str) -> str:
    """Return a statement without modal verbs: "should now contain X" is "now contains X"."""

    def state(match: re.Match[str]) -> str:
        adverbs, verb = match["adverbs"], match["verb"].lower()
        third = _THIRD.get(verb, f"{verb}s")
        if verb not in FREE.statements or third not in FREE.statements:
            return match[0]
        if verb == "be":
            return f"{'are' if _is_plural(text[: match.start()]) else 'is'}{adverbs}"
        denial = re.search(r"\bnot\b|\bnever\b", adverbs)
        if denial:
            return f"does not{adverbs.replace(denial[0], '').rstrip()} {verb}"
        return f"{adverbs.strip()} {third}".strip()

    plainly = _MODAL.sub(state, _CONTRACTED.sub(r"\1 not", text), count=1)
    return _NOT_ANY.sub(r"\1 no ", plainly)


def _is_plural(subject: str) -> bool:
    last = subject.split()[-1:] or [""]
    return " and " in subject or (
        last[0].endswith("s") and not last[0].endswith(("ss", "us", "is"))
    )


def read_statements(clause: Clause) -> tuple[Statement, ...]:
    """Return the statements of a check: "it shows X and the total is 3" are two."""
    text = _write_stated(clause)
    if parts := _split_stated(text):
        return tuple(Statement(part, clause.quotes) for part in parts)
    parts = [text]
    for joint in _AND.finditer(text):
        left, right = text[: joint.start()], text[joint.end() :]
        if joint[0].strip() == "," and not _are_joined_by_comma(left, right):
            continue
        right = _repeat_subject(left, right, joint[0])
        if _is_whole(left) and _is_whole(right):
            right = _name_again(left, right)
            rest = read_statements(Clause(right, "check", clause.quotes))
            parts = [left]
            return (Statement(left, clause.quotes), *rest)
    return tuple(
        Statement(part, clause.quotes) for whole in parts for part in _split_apposition(whole)
    )


def _write_stated(clause: Clause) -> str:
    """Return what a check states, in the plainest words."""
    stated = _TOLD.sub("a message says that ", say_in_full(strip_lead(clause)))
    stated = _CAN_BE_SEEN.sub(lambda m: f"is{' not' if m['not'] else ''} displayed", stated)
    stated = _ON_IT.sub(r"\1 listed", _say_expected(stated))
    if alone := _ONLY_ONE.match(write_plainly(stated)):
        stated = f"only {alone['name']} is listed"
    text = _with_verbs(_SUMMING.sub("is", write_plainly(_without_reason(stated))))
    return _WITHOUT.sub(r"\1 does not contain \2", _say_whole(text))


#: "Oak can be read on the page", "Ash must not be found any more"
_CAN_BE_SEEN = re.compile(
    r"\b(?:can|could|must|should)(?P<not> ?not|n't)? (?:now |still |also |again )?"
    r"be (?:read|seen|found|viewed|spotted)\b(?: (?:on|in) (?:the|this) page)?"
    r"(?: (?:now|any ?more|any longer))?",
    re.I,
)


def _split_stated(text: str) -> Sequence[str]:
    """Return the statements of a text of one of the known forms; none if it has another."""
    if each := _ALL_OF_THEM.match(text):
        return (each["count"], f"all of them have {each['value']}")
    return (
        split_in_full(text)
        or _split_counts(text)
        or _split_pairs(text)
        or _split_details(text)
        or _split_in_front(text)
    )


def _without_reason(text: str) -> str:
    """Return what can be seen of "nobody may reply, so no Reply button is there".

    Of "Oak is not listed as it was sold" the reason is left out: no page need say it.
    """
    reason, joint, seen = text.rpartition(", so ")
    seen = re.sub(r"^that ", "", seen)
    if joint and reason and _is_whole(seen):
        return seen
    because = _BECAUSE.search(text)
    return text[: because.start()] if because and _is_whole(text[: because.start()]) else text


# "3 rows are left, because we deleted one": the reason is nothing to check.
_BECAUSE = re.compile(
    r",?(?<!\s)(?<!as long)(?<!as soon)(?<!same)(?<!such)\s+(?:because|since|as|for)"
    r" (?:it|he|she|they|this|that|we|I)"
    r" (?:is|are|was|were|has|have|had|did|does|got|never)(?:n't)?\b[^,;]*$",
    re.I,
)
#: "I expect the total to be 5", "I expect two results": what is expected is so.
_TO_BE = re.compile(r"^(?P<thing>[^,;]{1,80}?) to (?P<verb>be|have|show|contain|say|read)\b", re.I)


def _say_expected(text: str) -> str:
    """Return "the total is 5" for "the total to be 5", and "there are two hits" for "two hits"."""
    if (match := _TO_BE.match(text)) and not _FINITE.search(match["thing"]):
        verb = _THIRD.get(match["verb"].lower(), f"{match['verb']}s")
        verb = "are" if verb == "is" and _is_plural(match["thing"]) else verb
        return f"{match['thing']} {verb}{text[match.end() :]}"
    first, _, rest = text.partition(" ")
    counts = read_number(first) is not None and re.match(r"[a-z]", rest)
    return f"there are {text}" if counts and not _FINITE.search(text) else text


#: "The text is without pictures" says that it has none.
_WITHOUT = re.compile(r"^(.{1,80}?) (?:is|are|comes?) without (\S.*)$", re.I)
#: "Oak and Elm are listed, Ash is not": the second part leaves out what is said of the first.
_LEFT_OUT = re.compile(
    r"^(?P<left>.+?\b(?:is|are|was|were) (?:(?:now|still|also|again|both|all) )?"
    r"(?P<state>[a-z-]+(?: (?:in|on|at|as|by|to|of) [^,]{1,40})?))"
    r",? (?:(?:and|but|while|whereas) )?(?P<right>[^,]{1,60}? (?:is|are|was|were)(?: not|n't))$",
    re.I,
)


def _say_whole(text: str) -> str:
    """Repeat what a denial leaves out: "Oak is listed, Ash is not listed" for "..., Ash is not"."""
    match = _LEFT_OUT.match(text)
    return f"{match['left']}, and {match['right']} {match['state']}" if match else text


#: "check that Oak is on it", after a list was opened
_ON_IT = re.compile(r"\b(is|are) (?:also |now )?(?:on|in|among) (?:it|them|there)$", re.I)
# "Mia is the only person left" is a name and a count of one.
_ONLY_ONE = re.compile(
    r"^(?:that )?(?P<name>⟦\d+⟧|(?:The |A )?[A-Z][\w'-]*(?: [\w'-]+){0,5}) is (?:now )?the only"
    r" (?:[a-z]+ ){1,2}(?:there|left|listed|shown|remaining|on it|in (?:it|the list|the table))$"
)
#: "There are 3 results, all of them by Ida"
_ALL_OF_THEM = re.compile(
    r"^(?P<count>[^,]+), all (?:of them|by|from|with|in) ?(?:(?:are |is )?(?:by|from|with|in) )?"
    r"(?P<value>\S.*)$",
    re.I,
)
# "it shows 3 open and 2 closed orders": several counts after one verb.
_COUNTS = re.compile(
    r"^(?P<subject>(?:that )?(?:the |it |there |we ).{0,60}?)"
    r"(?P<verb> ?(?:shows?|counts?|has|have|lists?|contains?|reports?|are|is)) (?P<counts>\S.*)$",
    re.I,
)
_COUNT = re.compile(r"(?P<number>[\w.]+) (?P<noun>[a-z][a-z-]*(?: [a-z][a-z-]*)?)", re.I)


_COUNTS_WITH = re.compile(
    r"^(?:there are )?(?P<first>[\w.]+ [a-z][a-z-]*) with (?:altogether |a total of )?"
    r"(?P<second>[\w.]+ [a-z][a-z-]*)(?: in total| altogether| in all)?"
    r"(?: (?:are|is) (?:shown|listed|left|displayed|there)| remains?)?$",
    re.I,
)


def _split_counts(text: str) -> list[str]:
    """Return "the summary shows 4 boats and 5 crews" as a statement for each number."""
    if together := _COUNTS_WITH.match(text):
        both = [together["first"], together["second"]]
        if all(read_number(count.split()[0]) is not None for count in both):
            return [f"there are {count}" for count in both]
    match = _COUNTS.match(text)
    parts = LIST_JOINT.split(match["counts"]) if match else []
    counts = [_COUNT.fullmatch(part) for part in parts]
    found = [c for c in counts if c and read_number(c["number"]) is not None]
    if match is None or len(found) < 2 or len(found) != len(counts):
        return []
    return [f"{match['subject']}{match['verb']} {count[0]}" for count in found]


# "it shows Mia as owner and Tom as guest": each value with its label.
_PAIRS = re.compile(
    r"^(?P<subject>(?:that )?.{1,60}?) (?:shows?|has|have|holds?|displays?|contains?) "
    r"(?P<pairs>\S.* as \S.*)$",
    re.I,
)
_PAIR = re.compile(
    r"(?P<value>⟦\d+⟧|\S+(?: \S+){0,2}?) as (?:the |its |a |an )?(?P<label>[a-z][a-z -]{0,40})"
)
_WHOLE_FORM = re.compile(
    r"(?:that )?(?:it|we|(?:the |this )?(?:\w+ )?(?:form|dialog|page|window|screen|panel))", re.I
)
_ROW_OF = re.compile(r"^(?:that )?(?:the )?(?:row|entry|line|card|record) (?:of|for) ", re.I)


def _split_pairs(text: str) -> list[str]:
    """Return "the form shows 7 as the size and Oak as the kind" as one statement for each."""
    match = _PAIRS.match(text)
    if match is None:
        return []
    pairs = [_PAIR.fullmatch(part) for part in LIST_JOINT.split(match["pairs"])]
    found = [pair for pair in pairs if pair]
    is_form = _WHOLE_FORM.fullmatch(match["subject"]) is not None
    if len(found) != len(pairs) or (len(pairs) == 1 and not is_form):
        return []
    place = "" if is_form else f" of {_ROW_OF.sub('', match['subject'])}"
    return [f"the {pair['label']}{place} is {pair['value']}" for pair in found]


# "the card shows Mia, age 7, from Rome": a name, then labels with values.
_SHOWS_DETAILS = re.compile(
    r"^(?P<subject>(?:that )?.{1,60}?) (?P<verb>shows?|displays?|has|have|is|are) "
    r"(?P<first>[^,]+), "
    r"(?:and |with )?(?P<details>[^,]+(?:, [^,]+)*)$",
    re.I,
)
_DETAIL = re.compile(
    r"(?:and |with )?(?:(?:the|its|a|an) )?"
    r"(?P<label>[a-z][a-z-]*(?: [a-z][a-z-]*)?(?: (?:by|of|in|at|on|to|for|from))?):? "
    r"(?P<value>⟦\d+⟧|[\w@.€£$%/:+-]+)"
)


#: "A is on top, followed by B", "two rows, one of Oak": no labels of values
_NO_LABELS = FREE.rows | FREE.negations | {"followed", "one", "both", "each", "only", "more"}


def _split_details(text: str) -> list[str]:
    """Return "the page shows Oak, made by Ida, price 5" as one statement for each part.

    What stands behind a comma is a label and its value, without a verb of its own.
    """
    match = _SHOWS_DETAILS.match(text)
    if match is None or _CONDITION.match(text) or Statement(match["subject"], ()).verb:
        return []
    parts = LIST_JOINT.split(match["details"])
    found = [_DETAIL.fullmatch(part) for part in parts]
    if not all(found) or any(_FINITE.search(part) for part in parts):
        return []
    details = [d for d in found if d]
    if any(_NO_LABELS & set(d["label"].split()) or d["label"] in FREE.stop for d in details):
        return []
    whole = f"{match['subject']} {match['verb']} {match['first']}"
    return [whole, *(f"the {d['label']} is {d['value']}" for d in details)]


_IN_FRONT = re.compile(
    r"^(?P<count>.+?),? with (?P<name>⟦\d+⟧|[A-Z][\w'-]*(?: [\w'-]+){0,5}?) "
    r"(?P<place>in front|on top|at the top|first|in first place|at the bottom|at the end|last)$"
)


def _split_in_front(text: str) -> list[str]:
    """Return "five boats are shown, with Oak on top" as the count and "Oak comes first"."""
    match = _IN_FRONT.match(text)
    if match is None or not _is_whole(match["count"]):
        return []
    is_last = "last" in match["place"] or "bottom" in match["place"] or "end" in match["place"]
    return [match["count"], f"{match['name']} comes {'last' if is_last else 'first'}"]


# "the lamp costs 5 and is sold out": the second verb has the same subject.
_GOES_ON = re.compile(
    r"(?:is|are|was|were|has|have|had|can|cannot|can't|costs?|belongs|comes|shows|contains|carries"
    r"|weighs) (?=\S)"
)


def _repeat_subject(left: str, right: str, joint: str) -> str:
    """Return "the ferry was built by Ida" for "was built by Ida" behind what the ferry is."""
    first = Statement(left, ())
    if "and" not in joint.lower() or not _GOES_ON.match(right) or _CONDITION.match(left):
        return right
    says = first.verb in FREE.saying | FREE.speaking
    if says or not first.subject or not first.complement or len(first.subject.split()) > 6:
        return right
    return right if first.subject.lower() in ("there", "it") else f"{first.subject} {right}"


_APPOSITION = re.compile(
    r"^(?P<count>[^,]+?)(?:,\s+(?:namely |among them |including )?|(?<!\s)\s+(?:namely|including) )"
    r"(?P<names>.+)$",
    re.I,
)


def _split_apposition(text: str) -> tuple[str, ...]:
    """Return "two rows are left, A and B" as a count and as "A and B are listed"."""
    match = _APPOSITION.match(text)
    if match is None or not _counts_whole(match["count"]) or _CONDITION.match(match["count"]):
        return (text,)
    names = match["names"]
    counts = Statement(match["count"], ()).numbers
    if not counts or Statement(names, ()).verb or Statement(match["count"], ()).position:
        return (text,)
    listed = "are listed" if " and " in names or ", " in names else "is listed"
    return match["count"], f"{names} {listed}"


_LEFT = frozenset({"remain", "remains", "remained", "appear", "appears", "exist", "exists"})


def _counts_whole(text: str) -> bool:
    """Return whether a part is a statement; "exactly two boats remain" needs no complement."""
    return _is_whole(text) or Statement(text, ()).verb in _LEFT


# "the date of the last payment" is a label; longer texts tell something.
_MOST_LABEL_WORDS = 5


def _with_verbs(text: str) -> str:
    """Repeat the verb that a second part leaves out: "the name is X and the city Y"."""
    verb = r"(is|are|should be|reads|holds|contains)"
    joint = rf"^(.+? {verb} (?:now |still )?(?:⟦\d+⟧|\S+)) and "
    # Names of things are short: without a bound each "and the" would be read up to the end.
    pattern = rf"{joint}(the [a-z][\w -]{{0,200}}?) (⟦\d+⟧|\S+)$"
    match = re.match(pattern, text)
    if match is None or _FINITE.search(match[3]) or len(match[3].split()) > _MOST_LABEL_WORDS:
        return text
    return f"{match[1]} and {match[3]} {match[2]} {match[4]}"


_CONDITION = re.compile(
    r"^(?:if|when|whenever|as|while|after|since|because|although|once|unless|before|until|where)\b",
    re.I,
)
_SUBJECT_FIRST = re.compile(r"(?:the|this|that|its|it|they|we|there|no|⟦\d+⟧|[A-Z][\w'-]*) ")
#: "mail is on, digest is off": a subject of its own, and no relative clause or reason
_OWN_SUBJECT = re.compile(
    r"(?!(?:therefore|thus|hence|which|who|whose|where|when|while|because|so|as|if|since|and|but|or"
    r"|also|then) )"
    r"[\w./'-]+(?: [\w'-]+)? (?:is|are|was|were|has|have|isn't|aren't|hasn't)\b"
)
# "The price of the lamp is above that of the chair": "that" is the price.
_THAT_OF = re.compile(r"^that (of|in|for) ", re.I)
_HEAD = re.compile(r"^((?:the |its )?[a-z][\w -]{0,40}?) (?:of|in|for) ", re.I)


def _are_joined_by_comma(left: str, right: str) -> bool:
    """Return whether a mere comma parts two statements: "A's size is 3, that of B is 5"."""
    says = Statement(left, ()).verb in FREE.saying | FREE.speaking
    has_subject = _SUBJECT_FIRST.match(right) or _OWN_SUBJECT.match(right)
    return not says and not _CONDITION.match(left) and has_subject is not None


def _name_again(left: str, right: str) -> str:
    """Return "the size of B is 5" for "that of B is 5" behind "the size of A is 3"."""
    that, head = _THAT_OF.match(right), _HEAD.match(left)
    return f"{head[1]} {right[5:]}" if that and head else right


_SPEECH = re.compile(rf"\b(?:{'|'.join(sorted(FREE.saying | FREE.speaking))}) that (.*)$", re.I)


def _is_whole(text: str) -> bool:
    """Return whether a part has a subject and a finite verb of its own."""
    statement = Statement(text, ())
    # "the page says that the name" goes on: what is said has no verb yet
    if (speech := _SPEECH.search(text)) and not _FINITE.search(speech[1]):
        return False
    # "⟦1⟧ is listed": a mark is a subject too
    return bool(statement.verb) and bool(statement.subject) and len(statement.complement) > 0
