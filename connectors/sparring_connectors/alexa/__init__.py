"""Alexa skills, tested on a local simulator of Alexa without an Amazon account.

skill        what lies in a skill's folder: manifest, models, handler
interaction  the interaction model as values
nlu, slots   from words to an intent with slot values
dialog       delegation: elicitation, validation, confirmation
protocol     requests as Alexa sends them; responses read, checked and put into words
hosting      the handler in a process of its own, or behind an address
assistant    Alexa herself: which skill is meant, sessions, what she says
"""
