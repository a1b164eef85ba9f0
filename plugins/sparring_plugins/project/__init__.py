"""Commands about suites and the installation, such as ``run``, ``init`` and ``doctor``."""
