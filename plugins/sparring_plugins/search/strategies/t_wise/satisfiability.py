"""Whether values can be part of a valid case, asked of a SAT solver.

It answers for components of constraints that have too many valid values to be written out.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from sparring.errors import MissingExtra
from sparring_plugins.search.space.encoding import Indices
from sparring_plugins.search.strategies.sampling.components import Component


class Satisfying:
    """One component as clauses: each variable has one value, forbidden combinations do not occur.

    Raises MissingExtra without python-sat, and TooHard for a constraint of too many combinations.
    """

    def __init__(self, component: Component) -> None:
        if find_spec("pysat") is None:
            raise MissingExtra(
                "constraints over this many variables at once need python-sat: "
                "pip install 'sparring[search]'"
            )
        from pysat.solvers import Solver  # pyright: ignore[reportMissingTypeStubs]

        self._component = component
        self._first: dict[int, int] = {}
        number = 1
        for variable, size in zip(component.variables, component.sizes, strict=True):
            self._first[variable] = number
            number += size
        self._solver: Any = Solver(name="minisat22")
        self._add_values()
        for one in component.restrictions:
            for values in sorted(one.forbidden()):
                pairs = zip(one.variables, values, strict=True)
                self._solver.add_clause([-self._literal(*pair) for pair in pairs])

    def found(self, pins: Mapping[int, int]) -> Indices | None:
        """Valid values of the component with the pinned ones, in its order; None without any."""
        assumed = [self._literal(*pin) for pin in pins.items() if pin[0] in self._first]
        if not self._solver.solve(assumptions=assumed):
            return None
        true = {literal for literal in self._solver.get_model() if literal > 0}
        return tuple(
            next(value for value in range(size) if self._literal(variable, value) in true)
            for variable, size in zip(self._component.variables, self._component.sizes, strict=True)
        )

    def _add_values(self) -> None:
        for variable, size in zip(self._component.variables, self._component.sizes, strict=True):
            literals = [self._literal(variable, value) for value in range(size)]
            self._solver.add_clause(literals)
            for at, one in enumerate(literals):
                for other in literals[:at]:
                    self._solver.add_clause([-one, -other])

    def _literal(self, variable: int, value: int) -> int:
        return self._first[variable] + value
