"""Driving a page for a script, an instruction at a time: strict first, a model where one is."""
