"""Spaces for strategies: encode cases, check constraints, repair, draw, count.

`CaseSpace` is the entry: it works for the scenarios of any player, without knowledge of plugins.
"""

from sparring_plugins.search.space.cases import CaseSpace, Count
from sparring_plugins.search.space.encoding import TooHard, Unsatisfiable

__all__ = ["CaseSpace", "Count", "TooHard", "Unsatisfiable"]
