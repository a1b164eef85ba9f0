"""One conformance kit per interface, under the same file names as `sparring.interfaces`.

A kit is a class of tests. Derive from it, name the class ``Test...``, and say by fixtures what is
tested; all the tests of the kit then run over your part::

    import pytest
    from sparring.testing.conformance.oracle import OracleKit
    from my_package import MyOracle

    class TestMyOracle(OracleKit):
        @pytest.fixture
        def plugin(self) -> type[MyOracle]:
            return MyOracle

        @pytest.fixture
        def settings(self) -> dict[str, object]:
            return {"words": ["sorry"]}

The kits are `app_connector.AppConnectorKit`, `agent.PlayerKit`, `agent.UserKit`,
`agent.GoalCheckerKit`, `agent.ExtractorKit`, `agent.JudgeKit`, `explorer.ObserverKit`,
`explorer.GeneratorKit`, `explorer.PlannerKit` (`agent.AgentKit` for other roles),
`oracle.OracleKit`, `search_strategy.SearchStrategyKit`, `reporter.ReporterKit`,
`llm_backend.LLMBackendKit`, `executor.ExecutorKit`, `rule_function.RuleFunctionKit`,
`likeness.LikenessKit` and `word_list.WordListKit`. They need
pytest and no plugin of it: each test runs its asynchronous part on an event loop of its own.
"""
