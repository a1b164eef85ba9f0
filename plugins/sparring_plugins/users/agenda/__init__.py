"""The agenda-based user: no model (Schatzmann et al., 2007).

Where to look, from the act back to the words:

- `agents`: the roles ``user`` and ``goal_checker``; what adversarial personas send.
- `next_move`: what the user does next, when it rephrases, gives up, or leaves.
- `answers`: what is answered to each kind of question; `choices` to options and menus,
  `open_questions` to questions for values and personal details.
- `dialogue_state`: what answers draw on. `memory`: what was said, and which goals are met.
- `value_changes`: when the user changes its mind or takes another value than its own.
- `app_reply`: how a reply is read: its questions, their kinds, its options.
- `slots`: which variable a question is about. `value_matching`: whether a text says a value.
- `user_goals` and `goal_phrases`: what the goals of a profile want, and their words.
- `phrasing`: how goals and values are said in the user's style. `delivery`: politeness, typos.
- `phrase_book`: the phrases of each language and the word lists. `personal_details`: names, phones.
"""
