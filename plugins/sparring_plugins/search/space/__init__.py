"""What strategies do with a space: encode, keep constraints, repair, draw, count.

`CaseSpace` is the door: it works for the scenarios of any player and needs no plugin to be known.
"""

from sparring_plugins.search.space.cases import CaseSpace
from sparring_plugins.search.space.counting import Count
from sparring_plugins.search.space.restrictions import TooHard, Unsatisfiable

__all__ = ["CaseSpace", "Count", "TooHard", "Unsatisfiable"]
