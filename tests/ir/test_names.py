"""Fresh names: never one in use, the same on every run, no longer from pass to pass.

Protects ``ir/names.py``.
"""

from hypothesis import given
from hypothesis import strategies as st

from funmem.ir.names import IDENTIFIER, Fresh, Name

bases = st.sampled_from(("x", "x_1", "x_1_2", "x_", "_", "_3", "x_y", "x1", "x'", "")) | (
    st.builds(str.__add__, st.sampled_from("aZ_"), st.text("aZ_019'", max_size=8))
)


@given(st.sets(bases, max_size=5), st.lists(bases, max_size=8))
def test_fresh_names_are_new_and_are_names(used: set[str], wanted: list[str]) -> None:
    fresh = Fresh(map(Name, used))
    made = [fresh(base) for base in wanted]
    assert len(set(made)) == len(made)
    assert not used & set(made)
    assert all(IDENTIFIER.fullmatch(x) for x in made)


@given(st.lists(bases, max_size=8))
def test_the_same_requests_give_the_same_names(wanted: list[str]) -> None:
    used = [Name("x_1"), Name("y")]
    one, other = Fresh(used), Fresh(used)
    assert [one(x) for x in wanted] == [other(x) for x in wanted]


def test_a_numeric_suffix_is_replaced() -> None:
    fresh = Fresh([Name("x"), Name("x_2")])
    assert [fresh("x"), fresh("x"), fresh("x_1"), fresh("x_17")] == ["x_1", "x_3", "x_4", "x_5"]
    assert fresh("row_2_3") == "row_2_1"


def test_names_do_not_grow_as_passes_follow_one_another() -> None:
    name, used = Name("acc"), [Name("acc")]
    for _ in range(12):
        name = Fresh(used)(name)
        used.append(name)
    assert name == "acc_12"


@given(st.sets(bases, max_size=4), st.lists(bases.filter(bool), max_size=6))
def test_a_reserved_name_stays_if_it_is_free(used: set[str], wanted: list[str]) -> None:
    fresh = Fresh(map(Name, used))
    seen = set(used)
    for x in wanted:
        got = fresh.reserve(Name(x))
        assert got not in seen
        assert got == x or x in seen
        seen.add(got)
    assert fresh("x") not in seen
