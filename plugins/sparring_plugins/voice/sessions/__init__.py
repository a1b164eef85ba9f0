"""The strategy ``sessions``: one session of an app after the other."""
