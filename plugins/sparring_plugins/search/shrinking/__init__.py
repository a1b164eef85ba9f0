"""``sparring shrink``: failing cases reduced to the features and the words that matter."""
