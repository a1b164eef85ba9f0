"""Folders of templates: ours, and a suite's that replace them."""

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[..., Path]

OURS = """\
{#
Asks something.
question: what is asked
options: the answers
conversation: what was said
mood: how it is asked
#}
{% block system %}
You judge.
{% endblock %}
{% block user %}
{{ question }}
{% block listed %}
{% for option in options %}
- {{ option }}
{% endfor %}
{% endblock %}
{{ conversation | data }}
{% endblock %}
{% block later %}
And now? {{ conversation | data }}
{% endblock %}
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write files into a folder of the test, and give the folder."""

    def made(folder: str, **files: str) -> Path:
        path = tmp_path / folder
        path.mkdir(exist_ok=True)
        for name, text in files.items():
            (path / f"{name}.jinja").write_text(text, encoding="utf-8")
        return path

    return made


@pytest.fixture
def ours(write: Write) -> Path:
    """The folder with our one prompt, ``ask``."""
    return write("ours", ask=OURS)
