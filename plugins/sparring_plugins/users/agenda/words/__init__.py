"""Word lists, phrase books and the forms of verbs: what a simulated user speaks and reads with."""
