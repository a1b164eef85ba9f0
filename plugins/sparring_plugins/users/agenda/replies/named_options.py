"""Options that a text of an app names, and the words, letters and hours of options."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from pydantic import TypeAdapter

from sparring_plugins.language.numbers import find_money
from sparring_plugins.language.text import contains, folded
from sparring_plugins.language.vocabulary import has_cue, languages_of, starts_with_cue, vocabulary
from sparring_plugins.language.yaml_files import bundled_yaml
from sparring_plugins.users.agenda.profile.formats import wants_digits
from sparring_plugins.users.agenda.profile.personal_details import asked_details
from sparring_plugins.users.agenda.profile.stances import have_same_root
from sparring_plugins.users.agenda.words.knowledge import knowledge, says
from sparring_plugins.users.agenda.words.phrase_book import any_of, word_lists

# --- Words of options


def shared_roots(names: Collection[str], others: Collection[str]) -> int:
    """Return how many names are among others, or begin as one of them does."""
    return sum(
        any(_is_kin(name, other) or have_same_root(name, other) for other in others)
        for name in names
    )


def _is_kin(name: str, other: str) -> bool:
    """Whether two stems are of one word: "gast" and "gastar" are, "something" and "some" not."""
    short, long = sorted((name, other), key=len)
    return name == other or (
        len(short) >= _ROOT and long.startswith(short) and len(long) - len(short) < _ROOT
    )


# "delivery" and "deliver" are one word; "cat" and "category" are not.
_ROOT = 4


def by_letter(words: str) -> bool:
    """Return whether a folded reply wants an option's letter: "Reply with the letter"."""
    return _LETTER.search(words) is not None


_LETTER = re.compile(
    r"\b(?:letter|letters|buchstaben?|letra|lettre|lettera)\b|\breply a b\b|\b[a-c] b c\b"
)
""""Reply with the letter", "reply A, B or C"."""


@lru_cache(maxsize=1)
def parts_of_day() -> dict[str, tuple[int, int]]:
    """The first hour of each part of the day, and the hour after its last."""
    path = "parts_of_day.yaml"
    return _HOURS.validate_python(bundled_yaml("sparring_plugins.users.agenda.replies", path))


_HOURS = TypeAdapter(dict[str, tuple[int, int]])


def hours_named(said: str) -> list[range]:
    """Return the parts of the day that a folded text names, each once.

    "por la tarde" is one of them, and "tarde" in it no other.
    """
    named = [words for words in parts_of_day() if contains(said, words)]
    whole = [words for words in named if not any(words != o and contains(o, words) for o in named)]
    return list(dict.fromkeys(range(*parts_of_day()[words]) for words in whole))


_CLOCK = r"(\d{1,2})(?:[:.h]\d\d)?\s?([ap])?\.?m?\.?(?: Uhr|h\b)?"
_WINDOW = re.compile(
    rf"(?<![\d:.])(?:between |from |von |zwischen |de |entre )?{_CLOCK}"
    rf"\s?(?:-|\u2013|to|and|bis|und|a|à|y|et)\s?{_CLOCK}(?![\d:-])",
    re.IGNORECASE,
)
"""A span of hours: "12-17", "9:00 to 12:00", "between 12 and 5 pm"."""
_BESIDE = re.compile(r"\s?\([^()]*\)$")
"""What an option costs does not belong to its hours: "17-21 (+ £2.50)"."""


_PART_WORDS = 3
"""Words of an option that is a part of the day: "Rather the morning"."""


def hours_of(option: str) -> range | None:
    """Return the hours of an option that is a time of day or a span of hours, or None.

    What it costs besides does not count: "17-21 (+ £2.50)".
    """
    hour = hour_of(option)
    if hour is not None:
        return range(hour, hour + 1)
    parts = hours_named(folded(option)) if len(option.split()) <= _PART_WORDS else []
    if len(parts) == 1:
        return parts[0]
    window = _WINDOW.fullmatch(_BESIDE.sub("", option.strip()))
    return _hours_between(window) if window is not None else None


def spans_of_hours(text: str) -> list[range]:
    """Return the spans of hours that a text names: 12 to 17 of "Wed 3 Mar 12-17"."""
    spans = (_hours_between(window) for window in _WINDOW.finditer(text))
    return [span for span in spans if span is not None]


def _hours_between(window: re.Match[str]) -> range | None:
    first, last = int(window[1]), int(window[3])
    if (window[4] or "").lower() == "p" and last < _NOON:
        last += _NOON
        first += _NOON if (window[2] or "").lower() == "p" and first < _NOON else 0
    return range(first, last) if first < last <= _MIDNIGHT else None


_NOON = 12
_MIDNIGHT = 24


def hour_of(option: str) -> int | None:
    """The hour of an option that is a time of day, else None."""
    clock = r"(\d{1,2})(?:[:.]\d\d|\s?h(?:\s?\d\d)?)(?:\sUhr)?(?: ?([ap])\.?m\.?)?"
    match = re.fullmatch(clock, option.strip(), re.IGNORECASE)
    if match is None:
        return None
    hour = int(match[1])
    return hour % 12 + 12 * (match[2].lower() == "p") if match[2] else hour


# --- Options in lists and within sentences


MOST_OPTIONS = 40
"""Options of one reply that are looked at."""
BULLET = re.compile(
    r"^\s{0,8}(?:[\[(]?(\d{1,2}|[a-hA-H]|[A-Z]\d{1,2}|(?<=\[)[A-Z]{1,3}(?=\]))"
    r"(?:[.):\]]| ?[=\u2013-](?=\s))"
    r"|[-*•·▪◾◦\u2023\u2013\u2014>])\s{1,4}(\S.{0,119})$"
)
PLAIN_NUMBER = re.compile(r"^\s{0,8}(\d{1,2}) {1,3}(\w.{0,119})$")
"""An item of a list whose number has no mark, such as "2 Change the address"."""
_INSIDE = re.compile(r"[(\[]([^()\[\]]{3,300})[)\]]")
_LIMITS = re.compile(r"\b\d+\s?(?:-|\u2013|to|a|bis|à)\s?\d+\b")
"""What is allowed, and no two options: "(EU, 30 to 48)"."""
_DATE_PATTERN = re.compile(r"\b[DTJGMYA]{1,4}([-/.])[DTJGMYA]{1,4}\1[DTJGMYA]{2,4}\b")
"""A pattern such as ``DD/MM/YYYY``, whose parts are no alternatives."""
_PRICE_BESIDE = re.compile(r"\s\((?:[€$£]\s?[\d.,]+|[\d.,]+\s?(?:[€$£]|euros?|EUR))\)")
"""A price beside an option: "candles (€ 4.50) or sparklers (€ 6.00)"."""
_PRICED = re.compile(
    r"\s(?:at|for|f[uü]r|por|pour|[aàá]) (?:[€$£]\s?\d|\d[\d.,]*\s?(?:[€$£]|euros?\b)).*$"
)
"""What an option costs, and what belongs to it: "Student at £19 a month with a valid card"."""
# "12-04-2026" has no options 12, 04 and 2026 in it.
_NUMERIC_DATE = re.compile(r"\b\d{1,4}([-/.])\d{1,2}\1\d{2,4}\b")
_QUESTION_WORDS = 4
"""Words of a question that is whole before its options: "Who will drive it, you or a guest?"."""
_OPTION_WORDS = 3
"""Words of an option behind a question at most: "you or a guest"."""
_QUOTES = "\"'\u201c\u201d\u2018\u2019«»*` .!?:"


def list_items(lines: list[str]) -> tuple[str, ...]:
    """The items of a bulleted or numbered list; none if it has fewer than two and no heading."""
    items = [bare_option(match.group(2)) for match in _bullets(lines)]
    return tuple(item for item in items if item) if _is_list(lines, len(items)) else ()


def list_marks(lines: list[str]) -> tuple[str, ...]:
    """The numbers or letters of a list's items; none if an item has none."""
    kept = [match for match in _bullets(lines) if bare_option(match.group(2))]
    marks = tuple(match.group(1) or "" for match in kept)
    return marks if _is_list(lines, len(marks)) and all(marks) else ()


def bare_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """The short lines below a heading that ends with a colon: "Free slots:", "10:00", "14:00"."""
    for place, line in enumerate(lines):
        if not line.rstrip().endswith(":"):
            continue
        items: list[str] = []
        for below in lines[place + 1 : place + 1 + MOST_OPTIONS]:
            item = below.strip()
            if not item or len(item.split()) > _BARE_WORDS or item[-1] in ".?!:" or ": " in item:
                break
            items.append(item)
        if len(items) > 1:
            return tuple(items)
    return ()


# Lines without marks are a list if each is short: "Red", "Dark blue", "Green".
_BARE_WORDS = 4


def _is_list(lines: list[str], count: int) -> bool:
    """Whether items are a list: several, or one with a number under a heading.

    "Please choose a slot:" with nothing but "1. Tuesday 9:30" below offers that one.
    """
    if count != 1:
        return count > 1
    place = next(at for at, line in enumerate(lines) if BULLET.match(line))
    heading = next((line for line in reversed(lines[:place]) if line.strip()), "")
    numbered = lines[place].lstrip(" ([")[:1] == "1"
    return numbered and heading.rstrip().endswith(":")


def _bullets(lines: list[str]) -> list[re.Match[str]]:
    marked = [match for line in lines if (match := BULLET.match(line))]
    plain_numbers = [match for line in lines if (match := PLAIN_NUMBER.match(line))]
    # "2 nights" alone is no list: numbers without marks need a neighbour that counts on, or a 0
    numbers = [int(match.group(1)) for match in plain_numbers]
    counted = any(after - before == 1 for before, after in pairwise(numbers))
    worded = any(not match.group(2)[0].isdigit() for match in plain_numbers)
    # "1 07-12", "2 12-17" are spans of hours, "1 2 3" and "2 1/2 litres" are no options
    in_order = numbers[:2] in ([1, 2], [0, 1])
    start = next((at for at, pair in enumerate(pairwise(numbers)) if pair in ((1, 2), (0, 1))), 0)
    plain_numbers = plain_numbers[start:]  # "18 EUR for each guest" above a menu is no entry of it
    is_list = counted and (worded or in_order)
    return (marked or (plain_numbers if is_list else []))[:MOST_OPTIONS]


def inline_options(sentence: str, *, asking: bool) -> tuple[str, ...]:
    """The alternatives named within a sentence; none if it names fewer than two.

    A question needs an "or" between them, or a list in parentheses; any other sentence must say
    that it names options: "The options are small, medium, or large.".
    """
    text = _PRICE_BESIDE.sub("", _without_asides(_without_dates(sentence[:600]))).rstrip(" ?!.")
    text = _ONE_OR_TWO.sub(" ", text)
    separator, either = _separators(languages_of(folded(text)))
    if asking and (says(folded(text), "optional") or _gives_examples(text, either)):
        # "Enter the tag of your device, or type 'skip'" names no alternatives, and "Where were you
        # sitting, for example the coach or the seat?" asks for any place
        return ()
    inside = _INSIDE.search(text)
    if inside and _describes_datum(text[: inside.start()], inside.group(1)):
        return ()
    offers = asking or has_cue(folded(text), "options")
    if inside and offers and separator.search(inside.group(1)):
        return _split_options(inside.group(1), separator)
    listed = _LISTED_AFTER_COLON.search(text) if asking else None
    if listed is not None:
        return tuple(part.strip() for part in listed[1].split(","))
    return _options_after_colon(text, separator, either, asking=asking) or (
        _options_of_question(text, separator, either)
        if asking
        else _options_of_statement(text, separator)
    )


_LISTED_AFTER_COLON = re.compile(
    r"[^,:]{3,80}: ((?:[^\d\W][\w '-]{1,30}, ){2,}[^\d\W][\w '-]{1,30})$"
)
""""What do you want to change: name, reason, date, months?" lists these without an "or"."""
_ONE_OR_TWO = re.compile(
    r"\b(?:in )?(?:an?|one|ein|eine[rmn]?|uno?|una|une?) \w+ (?:or|oder|o|ou) "
    r"(?:two|so|zwei|dos|deux|due|dois)\b(?: \w+)?$",
    re.IGNORECASE,
)
"""How long an answer may be: "Could you describe it in a sentence or two?" offers nothing."""


def _without_asides(text: str) -> str:
    """A text without what it says beside its options in parentheses.

    "Standard (€340), Student (€90, with a card) and Online (€60)" names three options, "before
    noon (9 to 11) or after it (2 to 4)" two; "What size
    (small or big)?" has its only ones in parentheses.
    """
    asides = _INSIDE.findall(text)
    beside = any(map(find_money, asides)) or all(map(_LIMITS.search, asides))
    return _INSIDE.sub(" ", text) if len(asides) > 1 and beside else text


def _options_after_colon(
    text: str, separator: re.Pattern[str], either: re.Pattern[str], *, asking: bool
) -> tuple[str, ...]:
    """The alternatives after the colon of a text; none if it has no colon, or names one datum."""
    head, tail = _at_colon(text)
    if asking and either.search(head) and starts_with_cue(folded(tail), "wh"):
        return _split_options(_EITHER_LEAD.sub("", head), separator)  # "A or B: which is it?"
    if asking and not either.search(tail) and asked_details(folded(separator.split(tail)[0])):
        return ()  # "Last one: your e-mail address, for the confirmation?" names one datum
    if asking and not either.search(tail) and _begins_with_question_word(tail):
        return ()  # "For our records: roughly how much is it worth, in pounds?" leads on to it
    first = separator.search(tail)
    if first is None or not (asking or has_cue(folded(head), "options")):
        return ()
    inverted = starts_with_cue(folded(tail), "polar")
    return _split_options(_without_lead(tail, first.start()) if inverted else tail, separator)


def _gives_examples(text: str, either: re.Pattern[str]) -> bool:
    """Whether all beside an "or" are examples: "Type A, or say what, such as B" has A besides."""
    words = folded(text)
    if not says(words, "examples") or _INSIDE.search(text):
        return False
    marker = re.search(rf"\b{any_of(knowledge().examples)}\b", words)
    if marker is not None and marker.end() == len(words):
        return True  # "Anything to know, about stairs or a gate, for example?"
    return marker is not None and not either.search(words[: marker.start()])


def _begins_with_question_word(text: str) -> bool:
    """Whether a question word is among the first three: "in which", "and roughly how much"."""
    words = folded(text).split()
    return any(starts_with_cue(" ".join(words[at:]), "wh") for at in range(min(3, len(words))))


def _options_of_statement(text: str, separator: re.Pattern[str]) -> tuple[str, ...]:
    """The alternatives of "You can choose small, medium, or large."; none without such words."""
    first = separator.search(text)
    if first is None or not has_cue(folded(text), "options"):
        return ()
    return _split_options(_without_lead(text, first.start()), separator)


def _options_of_question(
    text: str, separator: re.Pattern[str], either: re.Pattern[str]
) -> tuple[str, ...]:
    """The alternatives that a question puts with "or": after its comma, else after its lead."""
    text = _ASIDE_CLAUSE.sub("", text)
    if not either.search(text):
        return ()
    tail = _after_question(text, separator)
    if either.search(tail) and (options := _split_options(tail, separator)):
        return options
    first = separator.search(text)
    return _split_options(_without_lead(text, first.start()), separator) if first else ()


def _after_question(text: str, separator: re.Pattern[str]) -> str:
    """What follows a question of its own: "you or a guest" of "Who will drive it, you or a guest?".

    None of "Which of red, green or blue do you want?", whose options the question goes on after.
    """
    question, comma, tail = text.partition(", ")
    is_whole = len(question.split()) >= _QUESTION_WORDS and starts_with_cue(folded(question), "wh")
    short = all(len(part.split()) <= _OPTION_WORDS for part in separator.split(tail))
    return tail if comma and is_whole and short else ""


def _without_dates(text: str) -> str:
    """A text without patterns and examples of dates: neither 24 nor 03 of 24/03/2027 is offered."""
    text = _DATE_PATTERN.sub(" ", text)
    return text if "?" in text else _NUMERIC_DATE.sub(" ", text)


def _without_lead(text: str, end: int) -> str:
    """A text from its first option on, which ends at `end`: "small or big" of "Do you want ..."."""
    lead = _option_leads().before.match(text[:end] + " ")
    return text[lead.end() :] if lead and lead.end() <= end else text


def _describes_datum(before: str, inside: str) -> bool:
    """Whether parentheses describe the one datum before them, and name no alternatives."""
    # "Your address? (street, number and town)" lists the parts of one datum
    if {"address", "name", "birth"} & set(asked_details(folded(before))):
        return True
    if says(folded(before), "describing"):
        return True  # "Could you describe it (colour, size, brand)?" names aspects
    if wants_digits(inside) or says(folded(inside), "shaped"):
        return True  # "(11 digits, starting with 07)" says how it is written
    if _LIMITS.search(inside):
        return True  # "(EU, 30 to 48)" says what is allowed
    return says(folded(inside), "optional")  # "(optional, say 'skip' to go on)"


@lru_cache(maxsize=64)
def _separators(languages: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What stands between alternatives in some languages, and which of it says "or"."""
    cues = vocabulary().cues
    either = "|".join(word for name in languages for word in cues[name]["or"])
    both = "|".join(word for name in languages for word in cues[name]["and"])
    return (
        re.compile(rf"(?:(?<!\s)\s*)?(?:[,;/|]|\b(?:{either}|{both})\b)\s*", re.IGNORECASE),
        re.compile(rf"\b(?:{either})\b|\s/\s|\w/\w", re.IGNORECASE),
    )


@dataclass(frozen=True, slots=True)
class _OptionLeads:
    """Patterns for what belongs to no option: words before the first, articles, "available"."""

    before: re.Pattern[str]
    article: re.Pattern[str]
    available: re.Pattern[str]


@lru_cache(maxsize=1)
def _option_leads() -> _OptionLeads:
    lists = word_lists()
    verbs, fillers = any_of(lists.option_verbs), any_of(lists.option_fillers)
    return _OptionLeads(
        before=re.compile(rf"\A.*\b{verbs}\s(?:{fillers}\s)*", re.IGNORECASE),
        article=re.compile(rf"^{any_of(lists.option_articles)}\s+", re.IGNORECASE),
        available=re.compile(rf"(?<!\s)\s+{any_of(lists.available)}$", re.IGNORECASE),
    )


def _at_colon(text: str) -> tuple[str, str]:
    """What stands before and after a colon, but for that of a time of day; no tail without one."""
    colon = re.search(r":(?!\d)", text)
    return (text[: colon.start()], text[colon.end() :]) if colon else (text, "")


def split_at_either(question: str) -> tuple[str, ...]:
    """The two or more things that a question has "or" between, however it is put.

    "Either another guide or another tour: which is it?" leaves these two to choose from.
    """
    separator, either = _separators(languages_of(folded(question)))
    clauses = [part for part in _CLAUSE_ENDS.split(question) if either.search(part)]
    if not clauses:
        return ()
    text = _EITHER_LEAD.sub("", clauses[-1].strip())
    first = separator.search(text)
    return _split_options(_without_lead(text, first.start()), separator) if first else ()


_CLAUSE_ENDS = re.compile(r"[.?!:;]\s*")
_EITHER_LEAD = re.compile(r"^(?:either|entweder|soit|ou|o bien|sea)\s+", re.IGNORECASE)
""""Either with a bed or without: which is it?" offers "with a bed"."""


_WITH_ASIDE = re.compile(
    r"(?<![\w(])([A-ZÀ-ÖØ-Þ][\w'\u2019-]*(?: [A-Z0-9][\w'\u2019-]*){0,3}) \([^()]{2,80}\)"
)
"""A name with what it is in parentheses: "Heron (sleeps 4, £95 a night)"."""


_PRICED_THING = re.compile(
    r"(?<![\w(])([A-ZÀ-ÖØ-Þ][\w'\u2019-]*(?: [A-ZÀ-ÖØ-Þ0-9][\w'\u2019-]*){0,2})"
    r"(?: \([^()]{2,40}\))?,?"
    r" (?:(?:is|costs|at|for|kostet|f[uü]r|cuesta|vale|por|co[uû]te|à|costa)\s)?"
    r"(?:[€$£]\s?\d|\d+(?:[.,]\d\d)?"
    r"(?:\s?(?:[€$£]|euros?|pounds|dollars)|(?=[,. ]|$)(?<=[.,]\d\d)))"
)
"""A name before what it costs: "Bronze is £9", "Margherita 8.50"."""


def priced_things(sentence: str) -> tuple[str, ...]:
    """Return the names that a sentence gives prices to, if they are two or more."""
    names = tuple(dict.fromkeys(match[1] for match in _PRICED_THING.finditer(sentence)))
    return names if len(names) > 1 else ()


def things_listed(sentence: str) -> tuple[str, ...]:
    """The things that a statement lists: eggs, milk and salt of "There are eggs, milk and salt"."""
    named = tuple(dict.fromkeys(_WITH_ASIDE.findall(sentence)))
    if len(named) > 1:
        return named
    part = re.split(r"[;:.!?]", sentence.strip(" .!?"))[0]
    separator, _ = _separators(languages_of(folded(part)))
    first = separator.search(part)
    return _split_options(_without_lead(part, first.start()), separator) if first else ()


def _split_options(text: str, separator: re.Pattern[str]) -> tuple[str, ...]:
    """The parts of a text as options; those of more than six words are none."""
    text = _SUITING.sub("", text)
    split = separator.split(_RATHER.sub("", text))[:MOST_OPTIONS]
    split = _without_common_lead([part for part in split if part.strip()])
    parts = [bare_option(_PRICED.sub("", _AFTER_OPTION.sub("", part.strip()))) for part in split]
    options = [part for part in parts if part and len(part.split()) <= 6]
    two = len(options) == 2
    if two and _begins_with_question_word(options[0]) and len(options[0].split()) > 1:
        return ()  # "Which street or road is it on?" asks for one thing by two names
    if len(options) == 2 and any(map(_is_no_option, options)) and not all(map(_is_span, options)):
        return ()
    return tuple(dict.fromkeys(options)) if len(options) >= 2 else ()


def _without_common_lead(parts: list[str]) -> list[str]:
    """Options of which the first begins as the others do: "is Rex a dog", "a cat", "a rabbit".

    If all others begin with one article, the first one begins at its own.
    """
    others = {part.split()[0].lower() for part in parts[1:]}
    articles = word_lists().option_articles
    if not parts or not others or not all(first in articles for first in others):
        return parts
    words = parts[0].split()
    places = [at for at, word in enumerate(words) if word.lower() in others and at]
    return [" ".join(words[places[-1] :]), *parts[1:]] if places else parts


_ASIDE_CLAUSE = re.compile(
    r",? (?:in case|so that|because|in order to|since|as long as|even if|whether)\b.*$",
    re.IGNORECASE,
)
"""What a question says besides: "Your number, in case the boat or the train is late?"."""
_SUITING = re.compile(
    r"^(?:and |so )?would (?=\S+ (?:to|or|and)\b)|\s(?:be|suit|work|sound) (?:you )?"
    r"(?:better|best|fine|ok|okay|good|more convenient)(?: for you)?$"
    r"|\s(?:suit|work for) you(?: better| best)?$",
    re.IGNORECASE,
)
"""What stands around two ways: "Would 8 to 12 or 12 to 4 be better?"."""
_RATHER = re.compile(
    r"^(?:and |so )?(?:would|do|will|shall|should|may|can) (?:you|we|i|it|they) "
    r"(?:(?:rather|prefer|like|want|wish|need)(?: to)? )?"
    r"(?:(?:sit|have|be|come|stay|take|get|go|eat) )?(?=\S+ )",
    re.IGNORECASE,
)
"""What stands before the first of two ways: "Would you rather sit inside, or out?"."""


def _is_span(part: str) -> bool:
    """Whether an option is a span of hours: "8 to 12"."""
    return bool(re.fullmatch(r"\d{1,2} (?:to|bis|a) \d{1,2}", folded(part)))


def _is_no_option(part: str) -> bool:
    """Whether a part is an instruction to type something, and is none of several things to choose.

    "Type the age, or 'cancel'" and "an amount or all" want a datum, "a number from 1 to 3, or type
    BACK" a number; "0 for no reminder" leaves out what else is to be typed.
    """
    words = folded(part)
    return words in knowledge().data or bool(_NO_OPTION.match(words))


# "type it", "1 to 5" and "0 to skip" say how to answer.
_NO_OPTION = re.compile(
    r"(?:type|enter|write|send|say) (?:it|one|them|something)$|\d+ to \d+$"
    r"|\d (?:for no|for none|to leave|to skip)\b|again$"
)


def bare_option(text: str) -> str:
    """An option without quotation marks, article and "available"."""
    leads = _option_leads()
    return leads.available.sub("", leads.article.sub("", text.strip(_QUOTES))).strip(_QUOTES)


_AFTER_OPTION = re.compile(
    r"\s?\([+\u2212-]?\s?[€$£]?\s?\d+(?:[.,]\d\d)?\s?[€$£]?\)$"
    r"|\s(?:that )?you(?:'re|\u2019re| are) (?:after|looking for|interested in)\W*$",
    re.IGNORECASE,
)
"""What belongs to no option: its price in parentheses, "pet insurance you're after"."""

# --- Options that are numbered within a sentence

_INLINE_NUMBERED = re.compile(
    r"(?<![\w.,:/-])[\[(]?(\d{1,2})[.):\]]?\s(?:for |para |=\s?)?(?=[^\W\d])([^,;.?!\d()\n]{1,40})"
)
"""Numbered options within a sentence: "1 Central, 2 Harbour", "(1) Yes or (2) No"."""


def inline_numbered(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The options of a text that numbers them within its sentences, and their numbers."""
    matches = list(_INLINE_NUMBERED.finditer(text))[:MOST_OPTIONS]
    numbers = [int(match[1]) for match in matches]
    ordered = numbers[:2] in ([1, 2], [0, 1]) and all(b - a == 1 for a, b in pairwise(numbers))
    if not ordered or not all(_are_apart(text, *pair) for pair in pairwise(matches)):
        return (), ()
    return _labelled(matches)


def inline_lettered(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The options of "Was it A) lost, B) stolen or C) damaged?" and their letters."""
    matches = list(_INLINE_LETTERED.finditer(text))[:MOST_OPTIONS]
    letters = "".join(match[1].upper() for match in matches)
    # "A – Data, C – Maps" leaves out what is full
    if len(letters) < len("AB") or letters[0] != "A" or letters != "".join(sorted(set(letters))):
        return (), ()
    return _labelled(matches)


# "A) red, B) blue or C) green" in one line.
_INLINE_LETTERED = re.compile(
    r"(?<!\w)[(\[]?([A-Ja-j])(?:[.):\]]|\s[\u2013=-](?=\s))\s?([^,;?!\n()]{1,60}?)"
    r"(?=[,;?!\n.]|$|\s(?:or|and|o|y|oder|ou|e)\s[(\[]?[A-Ja-j](?:[.):\]]|\s[\u2013=-]\s)"
    r"|\s[(\[]?[A-Ja-j]\)\s)"
)


def _labelled(matches: Sequence[re.Match[str]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The labels and marks of options that a pattern has found; none if a label is empty."""
    either = re.compile(r"(?<!\s)\s+(?:or|and|o|y|oder|und|ou|et|e)\s*$", re.IGNORECASE)
    labels = [bare_option(either.sub("", match[2])) for match in matches]
    if not all(labels):
        return (), ()
    return tuple(labels), tuple(match[1] for match in matches)


def _are_apart(text: str, first: re.Match[str], second: re.Match[str]) -> bool:
    """Whether two numbered options are a list: "1 room for 2 days" lists nothing."""
    between = text[first.start(2) : second.start(1)].rstrip()
    marked = not text[second.end(1) : second.end(1) + 1].isspace() or between[-1:] in "([,;.:|/-"
    return marked or _OR_AND.search(between) is not None


_OR_AND = re.compile(r"\b(?:or|and|o|y|oder|und|ou|et|e)$", re.IGNORECASE)
