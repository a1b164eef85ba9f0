"""The conformance kit of measures of likeness (`sparring.likeness`)."""

import pytest

from sparring.interfaces.likeness import Likeness, LikenessIndex
from sparring.testing import hostile
from sparring.testing.conformance.kit import Kit

_ALIKE = 0.999
TEXTS = (
    "find an italian restaurant near the station",
    "where can I park my car tonight",
    "book a table for two at eight",
)


class LikenessKit(Kit, kit=True):
    """Tests of a measure of likeness: override the fixture `likeness`."""

    @pytest.fixture
    def likeness(self) -> Likeness:
        """The measure under test."""
        pytest.fail(f"{type(self).__qualname__} does not override the fixture `likeness`")

    @pytest.fixture
    def filled(self, likeness: Likeness) -> LikenessIndex:
        """An index of `TEXTS`, with their places as keys."""
        index = likeness.index()
        index.prepare(TEXTS)
        for place, text in enumerate(TEXTS):
            index.add(str(place), text)
        return index

    def test_it_says_what_it_compares(self, likeness: Likeness) -> None:
        assert likeness.of in ("words", "values"), f"`of` is {likeness.of!r}"

    def test_nothing_is_like_a_text_where_there_is_none(self, likeness: Likeness) -> None:
        assert likeness.index().nearest("hello") is None

    def test_a_text_is_like_itself(self, filled: LikenessIndex) -> None:
        for place, text in enumerate(TEXTS):
            found = filled.nearest(text)
            assert found is not None, f"nothing is like {text!r}"
            assert found[0] == str(place), f"{TEXTS[int(found[0])]!r} is more like {text!r}"
            assert found[1] >= _ALIKE, f"{text!r} is like itself by {found[1]} only"

    def test_other_texts_are_less_alike(self, filled: LikenessIndex) -> None:
        for place, text in enumerate(TEXTS):
            others = {str(other) for other in range(len(TEXTS))} - {str(place)}
            found = filled.nearest(text, others)
            assert found is not None
            assert found[0] in others, "a key is named that was not among those asked for"
            assert found[1] < _ALIKE, f"{TEXTS[int(found[0])]!r} is taken for {text!r}"

    def test_of_equals_the_first_is_named(self, likeness: Likeness) -> None:
        index = likeness.index()
        for key in ("first", "second"):
            index.add(key, TEXTS[0])
        found = index.nearest(TEXTS[0])
        assert found is not None
        assert found[0] == "first"

    def test_it_always_measures_the_same(self, likeness: Likeness) -> None:
        measured: list[tuple[str, float] | None] = []
        for _ in range(2):
            index = likeness.index()
            for place, text in enumerate(TEXTS):
                index.add(str(place), text)
            measured.append(index.nearest("find a restaurant"))
        assert measured[0] == measured[1]

    def test_it_bears_any_text(self, likeness: Likeness) -> None:
        index = likeness.index()
        for place, text in enumerate(hostile.TEXTS):
            told = hostile.storable(text)[:10_000]
            index.add(str(place), told)
            found = index.nearest(told)
            assert found is not None
            assert found[1] == pytest.approx(min(max(found[1], -1.0), 1.0), abs=0.001)
