"""What the strategies that learn share: evaluations, archives, batches, state."""
