"""Columns of ids and numbers become the texts that each value becomes by itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poolwise import InputError
from poolwise.collection.formats._rows import id_text, id_texts, number_text, number_texts

NAMES = st.text(st.characters(blacklist_categories=["Cs"]), max_size=4)


@given(st.lists(st.one_of(NAMES, st.integers())))
def test_ids_of_a_column_are_those_of_its_values(values: list[str | int]) -> None:
    """Strings stay, whole numbers are written out, alone or together."""
    assert id_texts(values, "<frame>") == [id_text(value, "<frame>") for value in values]


@given(st.lists(st.one_of(st.floats(), st.integers(), st.booleans(), st.none(), st.text())))
def test_numbers_of_a_column_are_those_of_its_values(values: list[object]) -> None:
    """What is no number stays for the scanner to refuse, beside numbers or alone."""
    assert number_texts(values) == [number_text(value) for value in values]


@pytest.mark.parametrize("odd", ["\ud800", True, 1.0, None])
def test_an_odd_id_is_refused_among_others(odd: object) -> None:
    """Half a character, a truth value and a fraction are no ids, whatever stands above them."""
    with pytest.raises(InputError):
        id_texts(["a", 1, odd], "<frame>")
    with pytest.raises(InputError):
        id_texts(["a", odd], "<frame>")
