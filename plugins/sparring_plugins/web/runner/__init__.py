"""The player ``step-runner`` and the agents that go by plain rules (Algorithm 1)."""
