"""Web pages in a real browser, for steps in plain language and for chat widgets."""
