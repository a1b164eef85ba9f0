"""Choosing among what the app offers, by goals, facts and conditions."""
