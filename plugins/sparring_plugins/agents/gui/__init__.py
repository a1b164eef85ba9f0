"""Testing a page in plain language: Algorithm 1 with a strict, three-valued core."""
