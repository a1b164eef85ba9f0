"""Policies that an app has to keep to under attack, with the standards that name what broke."""
