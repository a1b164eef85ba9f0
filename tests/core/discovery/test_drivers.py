"""Loading one implementation by name."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sparring.discovery.drivers import load, load_function
from sparring.discovery.groups import FUNCTIONS, GROUPS
from sparring.errors import (
    AmbiguousPlugin,
    BrokenPlugin,
    IncompatiblePlugin,
    MissingExtra,
    UnknownPlugin,
)
from sparring.interfaces.app_connector import AppConnector

Install = Callable[..., Path]

GROUP = GROUPS["sparring.connectors"]
CONNECTOR = """
from contextlib import asynccontextmanager
from sparring.interfaces.app_connector import AppConnector, AppSession
class Acme(AppConnector):
    @asynccontextmanager
    async def open(self, case):
        yield AppSession()
"""


def installed(install: Install, code: str, entry: str = "acme = acme_app:Acme") -> None:
    install("sparring-acme", GROUP.namespace, entry, code, version="2.0")


def test_a_bundled_and_a_foreign_class_are_loaded_alike(install: Install) -> None:
    installed(install, CONNECTOR)
    assert load(GROUP, "acme").__name__ == "Acme"
    assert issubclass(load(GROUP, "echo"), AppConnector)


def test_loading_one_imports_no_other(install: Install) -> None:
    installed(install, "raise SystemExit('imported')")
    load(GROUP, "echo")


def test_an_import_path_names_a_class_that_is_not_registered(install: Install) -> None:
    installed(install, CONNECTOR + "class Other(Acme): ...\n")
    assert load(GROUP, "acme_app:Other").__name__ == "Other"


def test_an_import_path_may_lead_into_a_class(install: Install) -> None:
    installed(install, CONNECTOR + "class Outer:\n    Inner = Acme\n")
    assert load(GROUP, "acme_app:Outer.Inner").__name__ == "Acme"


def test_an_import_path_settles_a_clash(install: Install) -> None:
    install("sparring-clash", GROUP.namespace, "echo = clash_app:Acme", CONNECTOR)
    with pytest.raises(AmbiguousPlugin):
        load(GROUP, "echo")
    assert load(GROUP, "clash_app:Acme").__module__ == "clash_app"


@pytest.mark.parametrize(
    ("path", "cause"),
    [
        ("no_such_module:Acme", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("acme_app:Missing", "AttributeError: module 'acme_app' has no attribute 'Missing'"),
        ("acme_app:Acme.x.y", "AttributeError: type object 'Acme' has no attribute 'x'"),
        ("acme_app:", "AttributeError: "),
        (":Acme", "ValueError: Empty module name"),
        ("..x:Acme", "TypeError: "),
    ],
)
def test_an_import_path_that_leads_nowhere_says_why(
    install: Install, path: str, cause: str
) -> None:
    installed(install, CONNECTOR)
    with pytest.raises(BrokenPlugin) as caught:
        load(GROUP, path)
    assert f"connector {path!r}" in str(caught.value)
    assert f"does not import: {cause}" in str(caught.value)


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("import no_such_sdk", "ModuleNotFoundError: No module named 'no_such_sdk'"),
        ("1/0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit('no key')", "SystemExit: no key"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("assert False, 'no way'", "AssertionError: no way"),
        ("def broken(:", "SyntaxError: "),
        ("raise KeyError('x')", "KeyError: 'x'"),
        ("pass", "AttributeError: module 'acme_app' has no attribute 'Acme'"),
    ],
)
def test_a_broken_import_is_named_with_its_cause(install: Install, code: str, cause: str) -> None:
    installed(install, code)
    with pytest.raises(BrokenPlugin) as caught:
        load(GROUP, "acme")
    where = "connector 'acme' (acme_app:Acme, from sparring-acme 2.0) does not import: "
    assert str(caught.value).startswith(where + cause)


def test_a_missing_extra_says_what_to_install(install: Install) -> None:
    code = "from sparring.errors import MissingExtra\nraise MissingExtra('pip install acme[sdk]')"
    installed(install, code)
    with pytest.raises(MissingExtra, match=r"does not import: pip install acme\[sdk\]$"):
        load(GROUP, "acme")


def test_ctrl_c_while_importing_stops_the_command(install: Install) -> None:
    installed(install, "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        load(GROUP, "acme")


@pytest.mark.parametrize(
    "code", ["Acme = object", "Acme = 42", "def Acme(): ...", "class Acme:\n    api_version = 1"]
)
def test_what_is_no_subclass_of_the_interface_is_refused(install: Install, code: str) -> None:
    installed(install, code)
    message = (
        r"^acme_app:Acme is not a subclass of sparring\.interfaces\.app_connector\.AppConnector$"
    )
    with pytest.raises(BrokenPlugin, match=message):
        load(GROUP, "acme")


def test_an_implementation_of_another_interface_is_refused(install: Install) -> None:
    installed(install, CONNECTOR)
    with pytest.raises(BrokenPlugin, match=r"not a subclass of sparring\.interfaces\.oracle"):
        load(GROUPS["sparring.oracles"], "acme_app:Acme")


def test_an_instance_is_not_taken_for_its_class(install: Install) -> None:
    installed(install, CONNECTOR + "Acme = Acme.__new__(Acme)\n")
    with pytest.raises(BrokenPlugin, match="is not a subclass of"):
        load(GROUP, "acme")


@pytest.mark.parametrize("version", ["0", "2", "'1'", "None"])
def test_another_version_of_the_interface_is_refused(install: Install, version: str) -> None:
    installed(install, CONNECTOR + f"Acme.api_version = {version}\n")
    shown = version.strip("'")
    message = (
        f"^sparring-acme 2.0 implements version {shown} of AppConnector; "
        r"this sparring supports \[1\]$"
    )
    with pytest.raises(IncompatiblePlugin, match=message):
        load(GROUP, "acme")


def test_a_class_that_lacks_a_method_is_refused_by_its_name(install: Install) -> None:
    code = "from sparring.interfaces.app_connector import AppConnector\n"
    installed(install, code + "class Acme(AppConnector): ...\n")
    with pytest.raises(BrokenPlugin, match=r"^acme_app:Acme does not implement open$"):
        load(GROUP, "acme")


def test_a_renamed_and_reinstalled_plugin_is_loaded_at_once(install: Install) -> None:
    for name in ("first", "second", "third"):
        info = install("sparring-acme", GROUP.namespace, f"{name} = acme_app:Acme", CONNECTOR)
        assert load(GROUP, name).__name__ == "Acme"
        shutil.rmtree(info)
        with pytest.raises(UnknownPlugin, match=f"no connector is called {name!r}"):
            load(GROUP, name)


def test_a_plugin_that_was_switched_off_is_unknown(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(install, CONNECTOR)
    monkeypatch.setenv("SPARRING_PLUGINS", "")
    with pytest.raises(UnknownPlugin, match=r"no connector is called 'acme'\. Installed: "):
        load(GROUP, "acme")


FUNCTION = """
from sparring.interfaces.rule_function import rule_function
@rule_function(conversation=True)
def decorated(trace): return 1
def plain(text): return 2
number = 3
class Callable:
    def __call__(self): return 4
"""


@pytest.mark.parametrize(("name", "conversation"), [("decorated", True), ("plain", False)])
def test_a_function_is_loaded_with_what_it_needs(
    install: Install, name: str, conversation: bool
) -> None:
    install("sparring-acme", FUNCTIONS, f"f = acme_app:{name}", FUNCTION)
    assert load_function("f").conversation is conversation


def test_what_is_no_function_is_refused(install: Install) -> None:
    install("sparring-acme", FUNCTIONS, "f = acme_app:number", FUNCTION)
    with pytest.raises(BrokenPlugin, match="acme_app:number is neither a function nor made by"):
        load_function("f")


def test_a_function_that_does_not_import_is_named_with_its_cause(install: Install) -> None:
    install("sparring-acme", FUNCTIONS, "f = acme_app:f", "raise SystemExit(1)")
    with pytest.raises(BrokenPlugin, match=r"function 'f' \(acme_app:f, from sparring-acme 1\.0\)"):
        load_function("f")


def test_two_owners_of_a_function_are_both_named(install: Install) -> None:
    install("sparring-acme", FUNCTIONS, "f = acme_app:plain", FUNCTION)
    install("sparring-beta", FUNCTIONS, "f = beta_app:plain", FUNCTION)
    with pytest.raises(AmbiguousPlugin, match="the function name 'f' is claimed by sparring-acme"):
        load_function("f")


@pytest.mark.parametrize(
    ("written", "nearest"),
    [
        ("./bad.py:Acme", "bad:Acme"),
        ("bad.py:Acme", "bad:Acme"),
        ("./parts/bad:Acme", "parts.bad:Acme"),
    ],
)
def test_a_file_instead_of_a_module_is_named_with_the_import_path(
    written: str, nearest: str
) -> None:
    with pytest.raises(BrokenPlugin) as raised:
        load(GROUP, written)
    assert "names a file: an import path is the module's name with dots" in str(raised.value)
    assert str(raised.value).endswith(f"try '{nearest}'")


def test_a_module_in_this_folder_is_found_with_another_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lying_here.py").write_text("")
    with pytest.raises(BrokenPlugin) as raised:
        load(GROUP, "lying_here:Acme")
    assert "it is in this folder, where 'python -m sparring' looks" in str(raised.value)
    with pytest.raises(BrokenPlugin) as raised:
        load(GROUP, "lying_elsewhere:Acme")
    assert "this folder" not in str(raised.value)
