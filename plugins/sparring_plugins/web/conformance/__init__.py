"""Conformance kits of the roles that test and drive a page."""
