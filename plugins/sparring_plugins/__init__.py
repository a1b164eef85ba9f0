"""The bundled plugins: agents, oracles, strategies, reporters, functions, listeners."""
