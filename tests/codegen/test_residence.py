"""A budget for a device: blocks are evicted to the host, and brought back for the kernels."""

import numpy as np
import pytest

from funmem.ir.diagnostics import DeviceError
from funmem.ir.text import parse_imp

pytest.importorskip("pyopencl")
import pyopencl as cl

from funmem.codegen.buffers import Pool
from funmem.codegen.opencl import compile_imp
from funmem.codegen.residence import Residence
from funmem.codegen.runtime import Executable
from funmem.codegen.stats import Transfers
from tests.support.devices import pocl

pytestmark = pytest.mark.opencl

SIX = """
entry f [n] (x : [n]i64) {
"""
for k in range(6):
    SIX += f"""
  var b{k} : mem;
  b{k} <- alloc 8*n;
  kernel i < n do
    b{k}[i] <- {f"b{k - 1}[n - 1 - i]" if k else "x[i]"} : i64;
  done
"""
SIX += """
  kernel i < n do
    var v : i64;
    var w : i64;
    v <- b0[i] : i64;
    w <- b5[n - 1 - i] : i64;
    b1[i] : i64 <- v + w;
  done
  return (b1 : [n]i64) (b0 : [n]i64) (b2 : [n]i64) (b3 : [n]i64) (b4 : [n]i64) (b5 : [n]i64)
}
"""
"""Six blocks are alive, and a kernel uses three at most."""


def small() -> Pool:
    """A pool of PoCL's with a budget of 2,500 bytes."""
    d = pocl()
    pool = Pool(d.context, d.info.max_block, d.info.max_total)
    pool.residence = Residence(d.context, d.queue, Transfers(), 2500)
    return pool


def test_the_block_used_least_recently_goes_to_the_host() -> None:
    pool, queue = small(), pocl().queue
    kept = pool.residence
    assert kept is not None
    a, b = pool.take(1000), pool.take(1000)
    data = np.arange(1000, dtype=np.uint8)
    cl.enqueue_copy(queue, a.handle, data)
    pool.here(a)
    c = pool.take(500)
    d = pool.take(400)
    assert [x.away is None for x in (a, b, c, d)] == [True, False, True, True]
    lent = pool.lend(a, 10)
    pool.here(b, c)
    assert [x.away is None for x in (a, b, c, d)] == [False, True, True, True]
    pool.here(lent)
    back = np.empty(10, np.uint8)
    cl.enqueue_copy(queue, back, lent.handle)
    assert list(back) == list(range(10))
    assert (kept.evicted, kept.used, kept.transfers.count) == (3, 2500, 5)
    with pytest.raises(DeviceError, match=r"needs 2\.832 KiB at once, the budget is 2\.441 KiB"):
        pool.here(a, b, c, d)
    for x in (lent, a, b, c, d):
        pool.drop(x)
    assert (kept.used, pool.live, pool.kept) == (0, 0, 0)


@pytest.mark.slow
def test_a_program_of_twice_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its results are the same; a budget that is less than what one kernel needs is an error."""
    device, xs = pocl(), np.arange(1000)
    monkeypatch.setattr(device.pool, "residence", None)
    compiled = compile_imp(parse_imp(SIX))
    device.keep_within(24_000)
    kept = device.pool.residence
    assert kept is not None
    entry = Executable.load(compiled, device, None).entry()
    results = [np.array(x) for x in entry(xs)]
    want = [2 * xs, xs, xs, xs[::-1], xs, xs[::-1]]
    assert [list(r) for r in results] == [list(r) for r in want]
    assert entry.stats.peak_bytes >= 2 * 24_000
    assert (kept.evicted, kept.used) == (9, 24_000)
    device.keep_within(15_000)
    with pytest.raises(DeviceError, match=r"at once, the budget is 14\.65 KiB"):
        Executable.load(compiled, device, None).entry()(xs)
