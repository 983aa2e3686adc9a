"""``lower().compile()``: the generated call, and what it leaves to the general way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import funmem as fm
from funmem.frontends.python.signatures import Parameters

XS = np.arange(4, dtype=np.float32)


def test_the_second_call_is_the_generated_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """Finds a compiled variant that binds its arguments anew at each call."""
    f = fm.jit(lambda x, k, by: x[k] * by, static=("by",)).lower(fm.f32["n"], fm.i64, by=3)
    g = f.compile(via="c")
    assert g(XS, 2) == 6
    general, seen = Parameters.call_as, []

    def noted(self: Any, *args: Any) -> Any:
        seen.append(args)
        return general(self, *args)

    monkeypatch.setattr(Parameters, "call_as", noted)
    assert g(XS[:3], 1) == 3
    assert seen == []
    with pytest.raises(fm.Trap, match="out of bounds"):
        g(XS, 4)
    assert seen == []
    assert g(XS, 2, 3) == g(XS, k=2) == 6  # the static argument, a keyword
    with pytest.raises(fm.InputError, match=r"expected f32\[n\], got f32\[4, 1\]"):
        g(XS[:, None], 2)
    assert len(seen) == 3
