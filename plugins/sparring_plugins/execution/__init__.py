"""Executors: who plays the cases of a run, from one process to a cluster; shards and their merging.

It imports the kernel, and `output` and `trust` for its commands. `distributed` is imported only by a run that
names `processes` or `dask`.
"""
