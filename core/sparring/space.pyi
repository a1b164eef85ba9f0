from sparring_plugins.search.space import CaseSpace as CaseSpace
from sparring_plugins.search.space import Count as Count
from sparring_plugins.search.space import TooHard as TooHard
from sparring_plugins.search.space import Unsatisfiable as Unsatisfiable
