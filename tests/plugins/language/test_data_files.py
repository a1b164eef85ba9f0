"""Data files that come with the plugins."""

from pathlib import Path

import yaml

from sparring_plugins.language.yaml_files import bundled_yaml

#: Where the files lie that are read so.
FOLDERS = ("language", "users/agenda", "users/personas")
MORE = ("voice",)


def test_every_bundled_file_is_read_as_pure_python_reads_it(repository: Path) -> None:
    folder = repository / "plugins" / "sparring_plugins"
    found = sorted(path for name in (*FOLDERS, *MORE) for path in (folder / name).rglob("*.yaml"))
    assert len(found) > 20
    for path in found:
        read = bundled_yaml("sparring_plugins", *path.relative_to(folder).parts)
        assert repr(read) == repr(yaml.safe_load(path.read_text("utf-8"))), path
