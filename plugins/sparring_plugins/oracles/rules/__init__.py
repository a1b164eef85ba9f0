"""The rules oracle: SENSEI-check's language, compiled and bounded."""
