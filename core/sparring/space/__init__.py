"""What strategies do with a space: encode, keep constraints, repair, draw, count.

`CaseSpace` is the door: it works for the scenarios of any player and needs no plugin to be known.
"""

from sparring.space.cases import CaseSpace
from sparring.space.counting import Count
from sparring.space.restrictions import TooHard, Unsatisfiable

__all__ = ["CaseSpace", "Count", "TooHard", "Unsatisfiable"]
