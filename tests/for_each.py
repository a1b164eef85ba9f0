"""One test for a table of many small entries: a test of its own for each would cost more than it does."""

from collections.abc import Callable, Iterable


def for_each(entries: Iterable[object]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Call a test with every entry (a tuple as several arguments), and name all that fail.

    Like ``pytest.mark.parametrize``, as one test; fixtures are not passed.
    """

    def decorate(test: Callable[..., None]) -> Callable[[], None]:
        several = test.__code__.co_argcount > 1

        def run() -> None:
            table = list(entries)
            failed: list[str] = []
            for entry in table:
                try:
                    test(*entry) if several else test(entry)  # type: ignore[misc]
                except AssertionError as err:
                    failed.append(f"{entry!r}: {err}")
            assert table, "the table has no entry"
            assert not failed, f"{len(failed)} of {len(table)} fail:\n" + "\n".join(failed)

        run.__name__, run.__qualname__, run.__doc__ = test.__name__, test.__qualname__, test.__doc__
        run.__module__ = test.__module__
        return run

    return decorate
