"""Messages with holes, and what they show of values and of slices."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from funmem.codegen.plan import STATUS_VALUES
from funmem.ir.lmad import DimFix, DimRange
from funmem.ir.messages import (
    MAX_VALUES,
    fill,
    holes,
    literal,
    parts,
    reshape_message,
    show_value,
    slice_message,
)
from funmem.ir.names import Name
from funmem.ir.scalars import FLOATS, ScalarType, normalise
from funmem.ir.sizes import ONE, ZERO, Size, const, var
from funmem.values.futhark_data import show_scalar

TEXTS = st.text(st.sampled_from("{}{}ab "), max_size=12)


@given(TEXTS)
def test_a_literal_says_its_text(text: str) -> None:
    assert holes(literal(text)) == 0
    assert fill(literal(text), ()) == text


@given(TEXTS)
def test_a_message_means_what_python_makes_of_it(message: str) -> None:
    n = holes(message)
    if n is None:
        with pytest.raises((ValueError, IndexError, KeyError)):
            message.format(*range(9))
        return
    values = [str(k) for k in range(n)]
    assert fill(message, values) == message.format(*values)
    assert len(parts(message)) == n + 1


@pytest.mark.parametrize("message", ["{", "}", "a}b", "{x}", "{0}", "{}}", "{{}", "{ }", "}{"])
def test_a_single_brace_means_nothing(message: str) -> None:
    assert holes(message) is None


@given(st.sampled_from(FLOATS), st.floats(allow_nan=True))
def test_floats_are_shown_as_in_files_of_values(t: ScalarType, v: float) -> None:
    v = float(normalise(v, t))
    shown, spelled = show_value(v, t), show_scalar(v, t)
    positional = 1e-4 < abs(v) < (1e3 if t is ScalarType.F16 else 1e7)
    if positional or v == 0.0 or not math.isfinite(v):
        assert shown == spelled
    else:  # numpy changes to exponents elsewhere
        assert float(shown.removesuffix(str(t))) == float(spelled.removesuffix(str(t)))


def said(dims: list[DimFix | DimRange], shape: list[Size], values: dict[str, int]) -> str:
    message, args = slice_message(dims, shape)
    return fill(message, [str(a.eval(lambda x: values[x])) for a in args])


I, N, M = map(var, map(Name, "inm"))  # noqa: E741


@pytest.mark.parametrize(
    ("dims", "index", "shape"),
    [
        ([DimFix(I), DimFix(M)], "7, 3", "[5][3]"),
        ([DimRange(I, N, ONE), DimFix(I)], "7:12, 7", "[5][3]"),
        ([DimRange(ONE, N, ONE), DimRange(ZERO, M, ONE)], "1:6", "[5]"),
        ([DimFix(I), DimRange(ZERO, M, ONE)], "7", "[5]"),
        ([DimFix(I), DimRange(ZERO, N, ONE)], "7, 0:5", "[5][3]"),
        ([DimRange(N - 1, N, -ONE), DimFix(I)], "4:-1:-1, 7", "[5][3]"),
        ([DimRange(I, M, I - 6), DimFix(I)], "7:10:1, 7", "[5][3]"),
        ([DimRange(ZERO, N, ONE), DimRange(ZERO, M, ONE)], "0:5", "[5]"),
    ],
)
def test_slices_are_shown_as_ranges_with_an_end(
    dims: list[DimFix | DimRange], index: str, shape: str
) -> None:
    text = said(dims, [N, M], {"i": 7, "n": 5, "m": 3})
    assert text == f"Index [{index}] out of bounds for array of shape {shape}."


def test_reshapes() -> None:
    six, two = const(6), const(2)
    assert reshape_message([six], [two, two]).message.startswith("Cannot unflatten array of ")
    assert reshape_message([six], [two]).message.startswith("Cannot reshape array of shape [{}] ")
    assert reshape_message([two, two], [six]).args == (two, two, six)


def test_a_device_has_room_for_all_values_of_a_message() -> None:
    assert MAX_VALUES <= STATUS_VALUES
