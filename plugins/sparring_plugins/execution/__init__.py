"""Executors: who plays the cases of a run, one process, all cores or a cluster; shards.

It imports the kernel, and `output` and `trust` for its commands. `distributed` is imported only
by a run that names `processes` or `dask`.
"""
