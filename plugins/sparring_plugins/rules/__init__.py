"""The rules language: values, parse, compile, run; its functions and libraries.

Imports users, prompting and language.
"""
