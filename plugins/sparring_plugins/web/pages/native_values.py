"""Values of the browser's own fields for dates and times, from what people write.

Such a field takes ``2026-02-25`` or ``14:05`` and nothing else, however it shows them.
"""

import re
from datetime import UTC, datetime

_FORMATS: dict[str, tuple[str, tuple[str, ...]]] = {
    "date": (
        "%Y-%m-%d",
        ("%Y-%m-%d", "%Y/%m/%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d %B %Y", "%d %b %Y",
         "%B %d %Y", "%b %d %Y"),
    ),
    "time": ("%H:%M", ("%H:%M", "%I:%M %p", "%I %p", "%H:%M:%S", "%I.%M %p")),
    "month": ("%Y-%m", ("%Y-%m", "%m/%Y", "%B %Y", "%b %Y")),
}  # fmt: skip


def native_value(value: str, input_type: str | None) -> str:
    """`value` as a field of this type takes it; unchanged where it is no date or time.

    Numbers with slashes are month/day/year, as browsers show them in English, where they can be.
    """
    if input_type not in _FORMATS:
        return value
    wanted, known = _FORMATS[input_type]
    text = re.sub(r"(?<=\d)(st|nd|rd|th)\b|,", "", " ".join(value.split()))
    text = re.sub(r"(?i)(?<=\d)\s*([ap])\.?m\.?$", r" \1m", text)
    for form in known:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC).strftime(wanted)
        except ValueError:
            continue
    return value
