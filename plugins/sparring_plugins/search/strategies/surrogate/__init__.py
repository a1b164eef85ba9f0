"""A search that predicts failures, and plays what it predicts to fail in ways seen seldom."""
