"""The gate: repeats and rates, baselines and comparisons of runs; what of a run is worse.

Statistics at the bottom, then what runs are compared by, then baselines, decisions and commands.
"""
