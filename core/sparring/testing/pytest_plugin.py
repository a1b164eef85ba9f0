"""Fixtures for those who test their plugins with pytest (entry point ``pytest11``).

Loaded in every pytest run of everybody who has Sparring installed, so it imports nothing but
pytest itself; each fixture imports what it gives when it is asked for.
"""
