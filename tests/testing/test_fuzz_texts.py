"""The short run of ``python -m tests.fuzz_texts``: damaged texts cause errors, never tracebacks."""

import time
from contextlib import suppress
from itertools import chain

import pytest

from tests import fuzz_texts
from tests.fuzz_texts import READERS, Reader, attempt
from tests.support.sampling import sampled

FEW = 120


@pytest.mark.parametrize("name", sampled(READERS, 4, 1))
def test_damaged_texts(name: str) -> None:
    outcomes = [attempt(name, k) for k in range(FEW)]
    assert [o.fault for o in outcomes if o.fault] == []
    assert not all(o.accepted for o in outcomes), "no damage tests nothing"
    more = (attempt(name, k) for k in range(FEW, 10 * FEW))
    assert any(o.accepted for o in chain(outcomes, more)), "damage alone tests nothing"


def _hang(x: str | bytes) -> bool:
    start = time.process_time()
    while time.process_time() - start < 5:
        with suppress(Exception):
            sum(range(100))
    return True


def _crash(x: str | bytes) -> bool:
    raise IndexError("no such place")


@pytest.mark.parametrize(
    ("take", "said"), [(_hang, "takes more than 0.01 s"), (_crash, "IndexError: no such place")]
)
def test_a_fault_is_noticed(
    monkeypatch: pytest.MonkeyPatch, take: fuzz_texts.Take, said: str
) -> None:
    monkeypatch.setattr(fuzz_texts, "SECONDS", 0.01)
    monkeypatch.setitem(READERS, "fun", Reader(READERS["fun"].make, take))
    assert said in attempt("fun", 0).fault


def test_inputs_can_be_repeated() -> None:
    for name, reader in READERS.items():
        one, again = (reader.make(fuzz_texts.random.Random(f"{name} 7")) for _ in range(2))
        assert one == again
