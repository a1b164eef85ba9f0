"""Typed tasks and answers of the roles that test a page, and the steps that they are given."""
