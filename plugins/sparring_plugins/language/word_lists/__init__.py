"""Lists of words that profiles may draw values from."""
