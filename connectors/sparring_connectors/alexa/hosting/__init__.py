"""Where a skill's handler runs: in a process of its own, or behind an address."""
