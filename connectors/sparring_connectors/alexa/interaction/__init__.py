"""The interaction model of a skill: intents, slots, types, dialogs, prompts."""
