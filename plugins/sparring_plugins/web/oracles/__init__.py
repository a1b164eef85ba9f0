"""The oracles ``assertions`` and ``consistency``, and the arithmetic behind them."""
