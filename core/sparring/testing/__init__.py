"""For those who write plugins: fakes, conversations, conformance kits, pytest fixtures.

- `sparring.testing.fakes`: a deterministic stand-in for each interface, and `FakeContext` to build
  plugins in.
- `sparring.testing.conversations`: traces, verdicts, events and stored runs without playing.
- `sparring.testing.playing`: one case played from opening to closing the session, no engine.
- `sparring.testing.hostile`: what an app under test may say and do.
- `sparring.testing.conformance`: tests that every implementation of an interface must pass.
- `sparring.testing.pytest_plugin`: the fixtures ``sparring_context``, ``sparring_app``,
  ``sparring_llm`` and ``sparring_play``, there as soon as Sparring is installed.
"""
