"""What a run with many workers would do: a model on paper, and what was measured."""
