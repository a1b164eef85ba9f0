"""Files of test cases in plain language, and what is doubtful about them."""
