"""What is installed, from metadata alone."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sparring.discovery import catalog
from sparring.discovery.groups import FUNCTIONS, GROUPS, HOOKS, group_of
from sparring.errors import AmbiguousPlugin, UnknownPlugin
from sparring.interfaces.agent import Player
from sparring.interfaces.app_connector import AppConnector
from sparring.interfaces.plugin import Plugin
from sparring_plugins.project.installation_commands import mismatch

Install = Callable[..., Path]

CONNECTORS = "sparring.connectors"


def test_an_installed_name_is_listed_with_its_owner(install: Install) -> None:
    install("sparring-acme", CONNECTORS, "acme = acme_app:Acme", "", version="0.3.0")
    assert catalog.Listing("acme", "acme_app:Acme", "sparring-acme", "0.3.0") in (
        catalog.listings(CONNECTORS)
    )


def test_what_a_package_requires_is_known_without_importing_it(install: Install) -> None:
    requires = ("sparring>=9",)
    install("sparring-acme", CONNECTORS, "acme = acme_app:Acme", "1/0", requires=requires)
    assert catalog.only(CONNECTORS, "acme", "connector").requires == requires


def test_listing_imports_no_plugin(install: Install) -> None:
    install("sparring-acme", CONNECTORS, "acme = acme_app:Acme", "raise SystemExit('imported')")
    assert "acme" in catalog.names(CONNECTORS)
    assert "acme_app" not in sys.modules


def test_an_unknown_name_is_told_the_nearest_one_and_all(install: Install) -> None:
    install("sparring-acme", CONNECTORS, "acme = acme_app:Acme", "")
    with pytest.raises(UnknownPlugin) as caught:
        catalog.only(CONNECTORS, "ecko", "connector")
    text = str(caught.value)
    assert text.startswith("no connector is called 'ecko'. Did you mean 'echo'? Installed: acme, ")
    assert text.endswith(".")


def test_a_name_like_no_other_is_told_only_what_is_installed() -> None:
    with pytest.raises(UnknownPlugin, match=r"^no connector is called 'zzz'\. Installed: .*echo"):
        catalog.only(CONNECTORS, "zzz", "connector")


def test_in_an_empty_group_nothing_is_installed() -> None:
    with pytest.raises(UnknownPlugin, match=r"no gadget is called 'x'\. Installed: none\.$"):
        catalog.only("sparring.no-such-group", "x", "gadget")


def test_two_owners_of_a_name_are_both_named(install: Install) -> None:
    install("sparring-clash", CONNECTORS, "echo = clash_app:Impl", "", version="2.0")
    with pytest.raises(AmbiguousPlugin) as caught:
        catalog.only(CONNECTORS, "echo", "connector")
    text = str(caught.value)
    assert "the connector name 'echo' is claimed by sparring " in text
    assert "(sparring_connectors.echo.connector:EchoConnector)" in text
    assert "and sparring-clash 2.0 (clash_app:Impl)" in text
    assert "Uninstall one of them, or name the class itself: 'sparring_connectors.echo." in text


def test_three_owners_of_a_name_are_all_named(install: Install) -> None:
    for owner in ("b", "a", "c"):
        install(f"sparring-{owner}", CONNECTORS, f"same = {owner}_app:Impl", "")
    with pytest.raises(AmbiguousPlugin, match=r"sparring-a 1\.0 .* and sparring-b .* sparring-c"):
        catalog.only(CONNECTORS, "same", "connector")


def test_a_clash_harms_no_other_name(install: Install) -> None:
    install("sparring-clash", CONNECTORS, "echo = clash_app:Impl", "")
    assert catalog.only(CONNECTORS, "rest", "connector").package == "sparring"


def test_one_package_found_twice_on_the_path_is_no_clash(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    info = install("sparring-acme", CONNECTORS, "acme = acme_app:Acme", "")
    shutil.copytree(info, tmp_path / "other" / info.name)
    monkeypatch.syspath_prepend(str(tmp_path / "other"))
    assert catalog.only(CONNECTORS, "acme", "connector").package == "sparring-acme"


def test_a_renamed_and_reinstalled_plugin_is_seen_at_once(install: Install) -> None:
    for name in ("first", "second", "third"):
        info = install("sparring-acme", CONNECTORS, f"{name} = acme_app:Acme", "")
        found = set(catalog.names(CONNECTORS)) & {"first", "second", "third"}
        assert found == {name}
        shutil.rmtree(info)


@pytest.mark.parametrize(
    ("switch", "seen"),
    [
        (None, {"acme", "beta", "echo"}),
        ("", {"echo"}),
        (" , ", {"echo"}),
        ("sparring-acme", {"acme", "echo"}),
        ("Sparring_Acme", {"acme", "echo"}),
        ("sparring-acme, sparring-beta", {"acme", "beta", "echo"}),
        ("no-such-package", {"echo"}),
    ],
)
def test_the_switch_says_which_packages_count(
    install: Install, monkeypatch: pytest.MonkeyPatch, switch: str | None, seen: set[str]
) -> None:
    install("sparring-acme", CONNECTORS, "acme = acme_app:Acme", "")
    install("sparring_beta", CONNECTORS, "beta = beta_app:Beta", "")
    if switch is not None:
        monkeypatch.setenv("SPARRING_PLUGINS", switch)
    assert set(catalog.names(CONNECTORS)) & {"acme", "beta", "echo"} == seen


def test_the_switch_settles_a_clash(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("sparring-clash", CONNECTORS, "echo = clash_app:Impl", "")
    monkeypatch.setenv("SPARRING_PLUGINS", "")
    assert catalog.only(CONNECTORS, "echo", "connector").package == "sparring"


def test_every_interface_has_a_group_of_its_own() -> None:
    interfaces = [group.interface for group in GROUPS.values()]
    assert len(set(interfaces)) == len(interfaces) == 7
    assert {FUNCTIONS, HOOKS}.isdisjoint(GROUPS)


def test_the_group_of_a_class_is_that_of_its_interface() -> None:
    assert group_of(AppConnector).namespace == CONNECTORS
    assert group_of(Player).namespace == "sparring.agents"
    with pytest.raises(KeyError):
        group_of(Plugin)


def test_the_core_names_no_bundled_plugin_package(repository: Path) -> None:
    packages = ("sparring_plugins", "sparring_connectors")
    sources = (repository / "core").rglob("*.py")
    offenders = [path for path in sources if any(p in path.read_text("utf-8") for p in packages)]
    assert not offenders


def test_the_catalog_imports_neither_stevedore_nor_pluggy() -> None:
    code = (
        "import sys\n"
        "import sparring.discovery.catalog\n"
        "print(*({'stevedore', 'pluggy', 'pydantic', 'asyncio'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("requires", "problem"),
    [
        ((), None),
        (("sparring",), None),
        (("sparring>=0.1,<1",), None),
        (("other>=9", "not a requirement !"), None),
        (("sparring>=9",), "it requires sparring>=9, this is "),
        (("Sparring<0.0.1",), "it requires sparring<0.0.1, this is "),
    ],
)
def test_a_package_for_another_sparring_is_told_so(
    requires: tuple[str, ...], problem: str | None
) -> None:
    found = mismatch(catalog.Listing("acme", "acme:Acme", "sparring-acme", "1", requires))
    assert (found or "").startswith(problem or "")
    assert (found is None) == (problem is None)
