"""Driving a page for a script, an instruction at a time."""
