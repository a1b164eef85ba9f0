"""Measuring how far agents, functions and oracles can be trusted, on labelled examples.

``sparring calibrate FILE`` asks judges about examples of which it is known what is right, and says
how often they are, how sure one can be of that, and how they go wrong. A judge is anything that
answers: an agent of any role, a function of the rules language, an oracle.
"""
