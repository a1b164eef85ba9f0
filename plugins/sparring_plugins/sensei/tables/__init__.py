"""The tables of SENSEI's evaluation, computed again from the published data."""
