"""Simulated users by a language model: the user, its goal checker, its extractor.

`move_checks` sends moves back that fall out of the user's part, `quotations` checks what the model
says that the app said, `prompt_data` makes prompts.
"""
