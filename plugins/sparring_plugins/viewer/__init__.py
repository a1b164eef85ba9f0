"""The room of ``sparring view``: stored runs in the browser, on this machine only."""
