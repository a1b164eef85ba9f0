"""One conformance kit per interface, under the same file names as `sparring.interfaces`.

A kit is a class of tests. Derive from it, name the class ``Test...``, and say by fixtures what is
tested; all the tests of the kit then run over your part::

    import pytest
    from sparring.testing import OracleKit
    from my_package import MyOracle

    class TestMyOracle(OracleKit):
        @pytest.fixture
        def plugin(self) -> type[MyOracle]:
            return MyOracle

        @pytest.fixture
        def settings(self) -> dict[str, object]:
            return {"words": ["sorry"]}

Kits of roles and word lists that plugins define are in the packages of those plugins; use
`AgentKit` for roles without a kit. Each kit below says where it is imported from. They need
pytest and no plugin of it: each test runs its asynchronous part on an event loop of its own.
"""
