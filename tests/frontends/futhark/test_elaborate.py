"""What the elaboration of `.fut` programs refuses, and what its checks say.

Protects ``frontends/futhark/elaborate/functions.py`` and its use by ``let`` and ``loop``: a size
without a value is an error with a place, and no message shows a name that no program has.
"""

import numpy as np
import pytest

from funmem.driver.engines import prepare
from funmem.driver.options import Engine, Options
from funmem.frontends.futhark.elaborate.scopes import in_scope
from funmem.frontends.futhark.program import to_core, to_fun
from funmem.ir import core as c
from funmem.ir.diagnostics import SourceError, Span
from funmem.ir.names import Name
from funmem.ir.scalars import I64, BinOp
from funmem.ir.values import ArrayValue
from tests.support.command_line import say
from tests.support.sampling import sampled

LIST = "type list [n] = #many ([n]i32) | #none\ndef g (x: i64) = x / 2\n"
MADE = "def made (n: i64) (b: bool) : list [n] = if b then #many (replicate n 1) else #none\n"


@pytest.mark.parametrize(
    "body",
    [
        "let [n] (_: list [n]) = made (g k) b in n",
        "(loop [n] (x: list [n], s: i64) = (made k b, 0) for _i < 3 do (x, s + n)).1",
    ],
    ids=["let", "loop"],
)
def test_a_size_of_payloads_that_has_no_value_is_refused(body: str) -> None:
    """A value of another constructor has no length to look at."""
    text = f"{LIST}{MADE}entry main (k: i64) (b: bool) : i64 = {body}\n"
    with pytest.raises(SourceError, match="not supported: a size `n` that nothing determines"):
        to_core(text, "sums.fut")


def test_no_message_shows_the_name_of_a_computed_size(tmp_path):
    """``[g n * 2]`` inside of a tuple gets a name of the compiler's."""
    path = tmp_path / "claim.fut"
    path.write_text(
        "def g (x: i64) = x / 2\n"
        "entry main (n: i64) = unzip (replicate 2 (replicate n n, n) :> [2]([g n * 2]i64, i64))\n"
    )
    assert say(f"funmem run {path} -i 4").code == 0
    said = say(f"funmem run {path} -i 3")
    assert said.code == 1
    assert 'shape [2][3] cannot match shape of type "[2][2]([]i64, i64)"' in said.err


def test_a_name_out_of_scope_is_an_error_with_a_place() -> None:
    """What elaboration must never make, and what later passes would fail at without a place."""
    at = Span("x.fut", 3, 7, 8)
    inner = c.Let((c.Binder(Name("n"), I64),), c.Const(1, I64), c.Var(Name("n")))
    loop = c.Loop(
        (c.Binder(Name("p"), I64),), (inner,), c.For(Name("i"), c.Const(2, I64)), c.Var(Name("i"))
    )
    assert in_scope(loop, at) == loop
    with pytest.raises(SourceError, match="the size `n` is not known here") as caught:
        in_scope(c.Bin(BinOp.ADD, inner, c.Var(Name("n"))), at)
    assert caught.value.diagnostic.at == at


@pytest.mark.parametrize("engine", sampled((Engine.IMP, Engine.HEAP, Engine.C), 0, slow=0))
def test_a_chain_of_additions_has_any_length(engine: Engine) -> None:
    """Every stage: no pass, printer or C compiler recurses over all of it at once."""
    chain = " + ".join(["x"] * 2_000)
    text = (
        f"entry main (xs: []i32) (y: i32) = (map (\\x -> {chain}) xs, {chain.replace('x', 'y')})\n"
    )
    runner = prepare(to_fun(text, "chain.fut"), engine, Options())
    mapped, single = runner.run("main", [np.array([1, -2], np.int32), 3]).values
    assert isinstance(mapped, ArrayValue)
    assert mapped.data.tolist() == [2_000, -4_000]
    assert single == 6_000
