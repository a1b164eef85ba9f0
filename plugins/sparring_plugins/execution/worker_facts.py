"""What a worker says of itself before it is given anything.

The function is sent as code: a worker that lacks Sparring can say so.
"""

from typing import Any


def describe_worker() -> dict[str, Any]:
    """Return the versions of Python, Sparring and of each distribution with plugins."""
    import platform
    import socket
    import sys
    from importlib.metadata import distributions

    plugins: dict[str, str] = {}
    for distribution in distributions():
        groups = {point.group for point in distribution.entry_points}
        if any(group.startswith("sparring.") for group in groups):
            plugins[distribution.metadata["Name"].lower().replace("_", "-")] = distribution.version
    return {
        "host": socket.gethostname(),
        "python": ".".join(platform.python_version_tuple()[:2]),
        "executable": sys.executable,
        "sparring": plugins.pop("sparring", None),
        "plugins": plugins,
    }


def find_differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Return in words what differs between this process and a worker, naming both sides."""
    differences: list[str] = []
    for name, label in (("python", "Python"), ("sparring", "Sparring")):
        if ours[name] != theirs[name]:
            differences.append(f"{label} {theirs[name] or 'is missing'} there, {ours[name]} here")
    for name, version in sorted(ours["plugins"].items()):
        other = theirs["plugins"].get(name)
        if other is None:
            differences.append(f"the plugin package {name} {version} is missing there")
        elif other != version:
            differences.append(f"the plugin package {name} {other} there, {version} here")
    return differences
