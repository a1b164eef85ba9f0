"""Typed tasks and answers of the explorer's agents: observer, generator, planner."""
