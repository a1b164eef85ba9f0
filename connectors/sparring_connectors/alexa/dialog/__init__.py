"""Dialogs that Alexa leads for a skill: what is asked next, checked and confirmed."""
