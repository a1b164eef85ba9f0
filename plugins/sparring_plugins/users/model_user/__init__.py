"""Simulated users by a language model: the user, its goal checker, its extractor.

`move_checks` sends moves back that fall out of the user's part, `goal_ticks` holds the goals that
a move takes for met against the app's words, `quotations` checks what the model says that the app
said, `particulars` makes up what nobody states of the user, `prompt_data` makes prompts.
"""
