"""The explorer's agents: observers, generators and planners, by rules and by models."""
