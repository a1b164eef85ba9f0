"""Statistics of repeated runs: comparisons, intervals and curves with bands, by scipy."""
