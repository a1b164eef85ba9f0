"""How agents and oracles ask a language model: prompts, answers with a shape, checkers.

- `prompts.Prompts`: templates in files, which a suite may replace.
- `data`: the delimited block that everything untrusted goes into; conversations as data.
- `question.Question`, `asker.Asker`: a prompt with its values, and a typed answer to it.
- `rounds.settled`: the same for a request that was made by hand.
- `agent.ModelAgent`: the base of agents that ask a model.
"""
