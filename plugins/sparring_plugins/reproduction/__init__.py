"""Playing again what was played: ``sparring replay`` and ``sparring confirm``."""
