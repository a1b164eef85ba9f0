"""The agenda-based user: no model (Schatzmann et al., 2007).

Where to look, from the act back to the words:

- `agents`: the roles ``user`` and ``goal_checker``; delivery: politeness, typos, attacks.
- `next_move`: what the user does next, when it rephrases, gives up, or leaves.
- `answers`: what is answered to each kind of question. `choices` picks among options and menus,
  `option_wishes` where no option is named; `menu_navigation` looks through menus.
- `open_questions` and `form_answers` answer questions for values, `confirmations` those whether
  all is right, `offers` those for extras, `joint_answers` several at once; `attempts` are what is
  tried if a question comes again.
- `dialogue_state`: what answers draw on. `memory`: what was said, and which goals are met.
- `open_form`: the question that waits for an answer.
- `goal_settlement`: what a reply meets and closes; `service_settlement`: whether a service is done.
- `value_changes`: when the user changes its mind or takes another value than its own.
- `app_reply`: how a reply is read; `question_kinds`, `asked_clauses`, `named_options` and
  `read_backs` read its parts.
- `slots`: which variable a question is about. `value_matching`: whether a text says a value.
- `known_values` and `facts`: what the profile knows; `stances` and `conditional_wishes`: what it
  wants in which case; `formats`: how a value is put as the app asks for it.
- `user_goals`, `goal_phrases` and `goal_verbs`: what the goals of a profile want, and their words
  in the user's style.
- `phrase_book`: the phrases of each language and the word lists. `knowledge`: words of apps.
  `personal_details`: names, phones.
"""
