"""What a page shows and how words fit it: texts, controls, places, conditions, grounding."""
