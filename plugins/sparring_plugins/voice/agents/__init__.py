"""The explorer's agents, by rules and by models."""
