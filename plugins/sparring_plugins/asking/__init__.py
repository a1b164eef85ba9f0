"""How agents and oracles ask a language model: prompts, answers with a shape, checkers."""
