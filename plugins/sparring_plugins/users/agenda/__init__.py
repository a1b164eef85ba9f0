"""The agenda-based user: no model (Schatzmann et al., 2007).

From the act back to the words; each folder imports only those below it:

- `agents`: the roles ``user`` and ``goal_checker``; delivery: politeness, typos, attacks.
- `moves`: what the user does next. `next_move` decides, `attempts` are what is tried if a question
  comes again, `menu_navigation` looks through menus.
- `answers`: what is answered to each kind of question: `form_answers` to questions for values,
  `confirmations` to whether all is right, `offers` to extras, `joint_answers` to several at once.
- `settlement`: what a reply meets and closes (`goal_settlement`), and whether a service is done.
- `choosing`: `choices` picks among options and menus, `option_wishes` where no option is named,
  `conditional_wishes` by what the profile wants in which case.
- `state`: what answers draw on: `memory` is what was said, and which goals are met, `open_form` the
  question that waits for an answer, `known_values` what may be given, `user_goals` what is wanted.
- `replies`: how a reply is read (`app_reply`): its questions, options and read-backs.
- `profile`: what the profile states (`facts`, `stances`), and how a value is put as the app asks
  for it (`formats`).
- `words`: the phrases of each language, the words of apps, and goals in the user's style.
"""
