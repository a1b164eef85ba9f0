"""``sparring study``: strategies compared on apps over seeds, as one resumable series of runs."""
