"""Numbers of a study as people read them."""

from sparring_plugins.study.result import BY_NAME, Spread, StudyResult, Versus


def number(measure: str, value: float | None) -> str:
    """A value of a measure: a percentage, a count, or a count with a decimal."""
    if value is None:
        return "–"
    if BY_NAME[measure].unit == "share":
        return f"{100 * value:.1f} %"
    return f"{value:,.0f}" if value == int(value) or value >= 100 else f"{value:.1f}"


def spread(measure: str, value: Spread | None) -> str:
    """A mean with its standard deviation."""
    if value is None:
        return "–"
    shown = number(measure, value.mean)
    if not value.sd:
        return shown
    if BY_NAME[measure].unit == "share":
        return f"{100 * value.mean:.1f} ± {100 * value.sd:.1f} %"
    return f"{shown} ± {value.sd:,.1f}" if value.sd < 10 else f"{shown} ± {value.sd:,.0f}"


def interval(measure: str, value: Spread | None) -> str:
    """The interval of a mean."""
    if value is None or value.low is None or value.high is None or value.low == value.high:
        return ""
    return f"{number(measure, value.low)} to {number(measure, value.high)}"


def ratio(value: Versus | None) -> str:
    """How many times as much."""
    return "–" if value is None or value.ratio is None else f"{value.ratio:.2f}"


def ratio_range(value: Versus | None) -> str:
    """The interval of a ratio."""
    if value is None or value.low is None or value.high is None:
        return "–"
    return f"{value.low:.2f} to {value.high:.2f}"


def probability(p: float | None) -> str:
    """A p value."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def classes(result: StudyResult, app: str, most: int) -> list[str]:
    """The most frequent classes of failures on an app, over all strategies."""
    sums: dict[str, float] = {}
    for row in result.rows:
        if row.app == app:
            for name, count in row.classes.items():
                sums[name] = sums.get(name, 0.0) + count
    return sorted(sums, key=lambda name: (-sums[name], name))[:most]
