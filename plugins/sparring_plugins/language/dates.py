"""Dates, times of day and durations in a text."""

import re
from datetime import date, datetime
from functools import lru_cache

from sparring_plugins.language.candidate import MAX_CANDIDATES, Candidate

_CLOCK = re.compile(
    r"(?<![\w:.,$€£])(?:"
    r"(?:[01]?\d|2[0-3])[:.h][0-5]\d(?::[0-5]\d)?(?!\d)(?:\s?(?:[ap]\.?\s?m\b\.?|hrs?\b|h\b))?"
    r"|(?:1[0-2]|0?[1-9])\s?[ap]\.?\s?m\b\.?"
    r"|(?:1[0-2]|[1-9])\s?o['\u2019]?clock\b"
    r"|(?:[01]?\d|2[0-3])(?:[:.][0-5]\d)?\s?(?:uhr|heures?|h)\b(?:\s?[0-5]\d\b)?"
    r")",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:noon|midnight|midday|mediod[ií]a|medianoche|mezzogiorno|mezzanotte|minuit|mitternacht"
    r"|meio[- ]dia|meia[- ]noite)\b",
    re.IGNORECASE,
)
_UNIT = (
    r"(?:sec(?:ond)?s?|min(?:ute)?s?|mins|h(?:ou)?rs?|days?|weeks?|months?|years?"
    r"|segundos?|minutos?|horas?|d[ií]as?|semanas?|mes(?:es)?|a[nñ]os?|secondes?|heures?|jours?|semaines?"
    r"|mois|ans|sekunden?|minuten?|stunden?|tagen?|wochen?|monaten?|jahren?|stunde|tag|woche|monat|jahr"
    r"|second[io]|minut[io]|or[ae]|giorn[io]|settiman[ae]|mes[ei]|ann[io]|mês|anos?)"
)
_DURATION = re.compile(
    rf"(?<![\w.,:$€£])\d{{1,4}}(?:[.,]\d{{1,2}})?(?:\s?(?:-|\u2013|to|a|or|o|and|y)\s?\d{{1,4}})?"
    rf"[\s-]?(?:business\s|working\s)?{_UNIT}\b"
    rf"|\b(?:half an hour|an hour and a half|an hour|a minute|a week|a day|media hora|una hora)\b"
    rf"|\b(?:two|three|four|five|ten|fifteen|twenty|thirty|forty|forty-five|sixty|dos|tres|diez"
    rf"|quince|veinte|treinta)\s{_UNIT}\b",
    re.IGNORECASE,
)
_NUMERIC_DATE = re.compile(
    r"(?<![\w/.\-$€£])(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2}))(?![\w/\-])"
)
_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec|january|february|march|april|june"
    r"|july|august|september|october|november|december|enero|febrero|marzo|abril|mayo|junio|julio"
    r"|agosto|septiembre|setiembre|octubre|noviembre|diciembre|ene|abr|ago|dic|janvier|février"
    r"|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|januar|februar|märz"
    r"|juni|juli|oktober|dezember|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre"
    r"|dicembre|janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|dezembro)"
)
_NAMED_DATE = re.compile(
    rf"\b{_MONTH}\.?\s(?:the\s)?\d{{1,2}}(?:st|nd|rd|th)?(?![\d:])(?:,?\s(?:of\s)?\d{{4}})?"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|er|\.|º)?\s(?:of\s|de\s)?{_MONTH}\b\.?(?:,?\s(?:de\s|del\s)?\d{{4}})?",
    re.IGNORECASE,
)
_WEEKDAY = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche"
    r"|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag"
    r"|luned[iì]|marted[iì]|mercoled[iì]|gioved[iì]|venerd[iì]|domenica"
    r"|(?:segunda|ter[cç]a|quarta|quinta|sexta)-feira"
)
_RELATIVE = re.compile(
    rf"\b(?:today|tomorrow|the day after tomorrow|yesterday|hoy|pasado ma[nñ]ana|ayer|tonight"
    r"|aujourd['\u2019]hui|apr[eè]s-demain|demain|heute|[uü]bermorgen|(?<!guten )(?<!am )morgen"
    r"|oggi|dopodomani|domani|hoje|depois de amanh[aã]|amanh[aã]"
    rf"|(?<!la )(?<!por la )ma[nñ]ana"
    rf"|(?:(?:next|this|coming|on|el|este|pr[oó]ximo)\s)?(?:{_WEEKDAY}))\b",
    re.IGNORECASE,
)
_CODES = {"english": "en", "spanish": "es", "french": "fr", "german": "de", "italian": "it",
          "portuguese": "pt"}  # fmt: skip


def find_times(text: str) -> list[Candidate]:
    """Times of day as written, such as ``13:30`` and ``1pm``."""
    found = [_as_written(match) for pattern in (_CLOCK, _NAMED) for match in pattern.finditer(text)]
    return sorted(found, key=lambda one: one.start)[:MAX_CANDIDATES]


def find_durations(text: str) -> list[Candidate]:
    """Lengths of time as written, such as ``25 minutes`` and ``half an hour``."""
    return [_as_written(match) for match in _DURATION.finditer(text)][:MAX_CANDIDATES]


def date_spans(text: str) -> list[Candidate]:
    """Where dates stand, as written; certainty is lower for those relative to today."""
    found = [_as_written(match) for match in _NUMERIC_DATE.finditer(text)]
    found += [_as_written(match) for match in _NAMED_DATE.finditer(text)]
    found += [_as_written(match, 0.7) for match in _RELATIVE.finditer(text)]
    return sorted(found, key=lambda one: one.start)[:MAX_CANDIDATES]


@lru_cache(maxsize=1024)
def parse_date(written: str, today: date, language: str, day_first: bool) -> date | None:
    """The day that a short text names, counted from `today` where it is relative."""
    import dateparser

    order = "YMD" if re.match(r"\d{4}", written) else "DMY" if day_first else "MDY"
    code = _CODES.get(language.lower())
    text = re.sub(
        rf"^(?:on|next|this|coming|el|este|pr[oó]ximo)\s(?={_WEEKDAY})", "", written, flags=re.I
    )
    text = re.sub(r"^tonight$", "today", text, flags=re.I)
    text = re.sub(r"(\d)(?:st|nd|rd|th|º)\b", r"\1", text)
    parsed = dateparser.parse(
        text,
        languages=sorted({code, "en", "es"} if code else {*_CODES.values()}),
        settings={
            "RELATIVE_BASE": datetime(today.year, today.month, today.day),  # noqa: DTZ001
            "PREFER_DATES_FROM": "future",
            "DATE_ORDER": order,
            "RETURN_AS_TIMEZONE_AWARE": False,
        },
    )
    return parsed.date() if parsed else None


def day_first(texts: list[str], language: str) -> bool:
    """Whether days stand before months: as numeric dates show, else as the language has it."""
    for text in texts:
        for match in _NUMERIC_DATE.finditer(text):
            parts = re.split(r"[-/.]", match.group())
            if len(parts[0]) == 4:
                continue
            if int(parts[0]) > 12 >= int(parts[1]):
                return True
            if int(parts[1]) > 12 >= int(parts[0]):
                return False
    return language.lower() != "english"


def _as_written(match: re.Match[str], certainty: float = 1.0) -> Candidate:
    shown = " ".join(match.group().split())
    if shown.count(".") == 1 and shown.endswith("m."):  # the full stop after "12 pm"
        shown = shown[:-1]
    return Candidate(shown, shown, match.start(), match.end(), certainty)
