"""``sparring browser``: the browsers of this machine."""

from importlib.util import find_spec

import click

from sparring.errors import MissingExtra

_ENGINES = click.Choice(["chromium", "firefox", "webkit"])


@click.group()
def browser() -> None:
    """Find or install a browser for web pages under test."""
    if find_spec("playwright") is None:
        raise MissingExtra("the library playwright is missing: pip install 'sparring[web]'")


@browser.command()
@click.argument("engine", type=_ENGINES, default="chromium")
def find(engine: str) -> int:
    """Say which browser a suite would get.

    Exits with 2 where there is none.
    """
    from sparring_connectors.browser import finding, installing

    try:
        found = finding.find(engine, installing.own_path(engine))
    except finding.NoBrowser as err:
        click.echo(str(err), err=True)
        return 2
    click.echo(f"{found.path or installing.own_path(engine)} ({found.source})")
    return 0


@browser.command()
@click.argument("engine", type=_ENGINES, default="chromium")
@click.option("--system", is_flag=True, help="The system's package, not Playwright's download.")
@click.option("--force", is_flag=True, help="Install also where there is a browser.")
def install(engine: str, system: bool, force: bool) -> int:
    """Install a browser, unless there is one.

    Playwright's own is downloaded; where that is not possible and the system has apt-get, its
    package chromium is installed. Exits with 2 where neither succeeds.
    """
    from sparring_connectors.browser import installing
    from sparring_connectors.browser.finding import WHAT_TO_DO

    there = None if force else installing.found(engine)
    if there is not None:
        click.echo(f"there is {there.path or 'one'} already ({there.source})")
        return 0
    if not installing.install(engine, click.echo, system_only=system):
        click.echo(f"no {engine} could be installed. {WHAT_TO_DO}", err=True)
        return 2
    found = installing.found(engine)
    click.echo(f"installed {(found and found.path) or installing.own_path(engine)}")
    return 0
