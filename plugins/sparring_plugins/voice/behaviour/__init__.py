"""The behaviour model: what an explorer has learnt of an app, as an automaton."""
