"""All valid cases of a space in order, without going through the invalid ones."""

from collections.abc import Iterator

from sparring_plugins.search.space import CaseSpace
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.sampling.components import Component, components_of


def in_order(cases: CaseSpace) -> Iterator[Indices]:
    """The valid cases, the last variable changing the fastest; raises ConfigurationError.

    Values that no valid case goes on from are passed over where the component can be written out.
    """
    component = {variable: one for one in components_of(cases) for variable in one.variables}
    return _walked(cases.sizes, component)


def _walked(sizes: Indices, component: dict[int, Component]) -> Iterator[Indices]:
    row: list[int] = []
    at = 0
    while True:
        if len(row) < len(sizes) and at < sizes[len(row)]:
            row.append(at)
            at = 0 if _leads_on(row, component.get(len(row) - 1)) else row.pop() + 1
            continue
        if len(row) == len(sizes):
            yield tuple(row)
        if not row:
            return
        at = row.pop() + 1


def _leads_on(row: list[int], component: Component | None) -> bool:
    """Whether the last value leaves its component valid values."""
    if component is None:
        return True
    if component.rows is not None:
        return component.alive(dict(enumerate(row))) != 0
    last = len(row) - 1
    return all(
        one.holds(row)
        for one in component.restrictions
        if last in one.variables and max(one.variables) == last
    )
