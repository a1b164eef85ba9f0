"""``sparring browser``: the browsers of this machine."""

from importlib.util import find_spec

import click

from sparring.errors import MissingExtra

HELP_SECTION = "develop"

_ENGINES = click.Choice(["chromium", "firefox", "webkit"])


@click.group()
def browser() -> None:
    """Find or install a browser for web pages under test."""
    if find_spec("playwright") is None:
        raise MissingExtra("the library playwright is missing: pip install 'sparring[web]'")


@browser.command()
@click.argument("engine", type=_ENGINES, default="chromium")
def find(engine: str) -> int:
    """Say which browser a suite would get. Only Chromium is supported; others are untried.

    Exits with 2 where there is none.
    """
    from sparring_connectors.browser import installation

    try:
        program = installation.find_browser(engine, installation.playwright_path(engine))
    except installation.NoBrowser as err:
        click.echo(str(err), err=True)
        return 2
    click.echo(f"{program.path or installation.playwright_path(engine)} ({program.source})")
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
    from sparring_connectors.browser import installation
    from sparring_connectors.browser.installation import WHAT_TO_DO

    there = None if force else installation.installed_browser(engine)
    if there is not None:
        click.echo(f"there is {there.path or 'one'} already ({there.source})")
        return 0
    if not installation.install(engine, click.echo, system_only=system):
        click.echo(f"no {engine} could be installed. {WHAT_TO_DO}", err=True)
        return 2
    program = installation.installed_browser(engine)
    click.echo(f"installed {(program and program.path) or installation.playwright_path(engine)}")
    return 0
