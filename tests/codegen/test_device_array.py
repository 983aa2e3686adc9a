"""Arrays on the device: results that stay there, arguments that are borrowed.

Protects what a caller cannot see but has to rely on: nothing is copied that need not be, and nobody
ever sees memory that has become something else.
"""

import copy
import gc
import pickle
from collections import Counter

import numpy as np
import pytest
from attrs import evolve

import funmem
from funmem.ir.diagnostics import DeviceError, InputError, Trap
from funmem.ir.text import parse_fun, parse_imp

pytest.importorskip("pyopencl")
import pyopencl as cl

from funmem.codegen.device import POCL, Device, choose, list_devices
from funmem.codegen.device_array import DeviceArray
from funmem.codegen.opencl import compile_imp
from funmem.codegen.runtime import Executable
from funmem.driver.stages import pipeline_for
from funmem.passes.framework import Level, as_imp
from tests.support.devices import held

pytestmark = pytest.mark.opencl

PROGRAM = """\
entry twice [n] (x : [n]f32) -> (out : [n]f32) =
  let (y : [n]f32) = kernel i < n do
    let (v : f32) = x[i]
    let (w : f32) = v * 2.0f32
    in (w)
  in (y)

entry first_zero [n] (x : *[n]f32) -> (out : [n]f32) =
  let (y : [n]f32) = x with [0] = 0.0f32
  in (y)

entry at [n] (x : [n]f32) (k : i64) -> (v : f32) =
  let (v1 : f32) = x[k]
  in (v1)
"""


SAME = "entry f [n] (x : [n]f32) { return (x : [n]f32) (x : [n]f32) }"


def opened(kind: str, copies_below: int = 1, program: str = "") -> Executable:
    """A program on PoCL, which is said to be of some kind, with a context and pool of its own."""
    if not any(d.is_pocl for d in list_devices()):
        pytest.skip("PoCL is not installed (pip install pocl-binary-distribution)")
    from funmem.codegen.device import _found

    info = choose(POCL)
    info = evolve(info, kind=kind, copies_below=copies_below)
    device = Device(info, _found()[info.index][1])
    if program:
        return Executable.load(compile_imp(parse_imp(program), safe=True), device)
    p = parse_fun(PROGRAM)
    imp = as_imp(pipeline_for(p, Level.IMP).run(p))
    return Executable.load(compile_imp(imp, safe=True), device)


@pytest.fixture(scope="module")
def cpu() -> Executable:
    return opened("CPU")


@pytest.fixture(scope="module", params=["CPU", "ACCELERATOR"])
def either(request: pytest.FixtureRequest) -> Executable:
    """Where host and device share their memory, and where they are said not to."""
    found: Executable = opened(request.param)
    assert found.device.info.shares_memory == (request.param == "CPU")
    return found


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often arrays were copied, and how often the device's memory was looked at."""
    counts: Counter[str] = Counter()
    for name in ("enqueue_copy", "enqueue_map_buffer"):

        def counted(*args: object, name: str = name, of: object = getattr(cl, name), **k: object):  # type: ignore[no-untyped-def]
            counts[name] += 1
            return of(*args, **k)  # type: ignore[operator]

        monkeypatch.setattr(cl, name, counted)
    return counts


def f32(n: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.arange(1, n + 1, dtype=np.float32)


# ---------------------------------------------------------------------- nothing is copied


def test_nothing_moves_until_somebody_asks(cpu: Executable, moved: Counter[str]) -> None:
    """Not even an argument; and then it is looked at where it is."""
    twice = cpu.entry("twice")
    y = twice(f32(100))
    z = twice(y)
    assert isinstance(z, DeviceArray)
    assert (z.shape, z.dtype, z.ndim, z.size, z.nbytes, len(z)) == ((100,), "f4", 1, 100, 400, 100)
    assert not moved
    assert not z.on_host
    assert np.array_equal(z, 4 * f32(100))
    assert np.array_equal(z, 4 * f32(100))
    assert moved == {"enqueue_map_buffer": 1}


def test_kernels_read_addresses_of_the_host(moved: Counter[str]) -> None:
    """Where the driver would copy memory because of its address; here no address is good enough."""
    exe = opened("CPU", copies_below=1 << 62)
    x = f32(101)[1:]
    x.flags.writeable = False
    twice, at, first_zero = (exe.entry(name) for name in ("twice", "at", "first_zero"))
    z, v = twice(x), at(x, 7)
    assert not moved
    assert np.array_equal(z, 2 * x)
    assert v == x[7]
    assert np.array_equal(first_zero(f32(3)), [0, 2, 3]), "an argument that kernels write to"
    y, same = opened("CPU", 1 << 62, SAME).entry("f")(x)
    x.flags.writeable = True
    x[0] = 9
    assert y[0] == same[0] == 2, "a result is not the memory of an argument"


def test_a_device_with_its_own_memory_copies_once(moved: Counter[str]) -> None:
    twice = opened("ACCELERATOR").entry("twice")
    z = twice(twice(f32(100)))
    assert moved == {"enqueue_copy": 1}, "the argument"
    assert np.array_equal(z, 4 * f32(100))
    assert np.array_equal(z, 4 * f32(100))
    assert moved == {"enqueue_copy": 2}


def test_ten_kernels_need_one_transfer_each_way(either: Executable) -> None:
    twice, seen = either.entry("twice"), either.device.transfers
    sent, fetched, size = seen.to_device, seen.to_host, seen.bytes
    y = twice(f32(100))
    for _ in range(9):
        y = twice(y)
    assert np.array_equal(y, 1024 * f32(100))
    assert np.array_equal(y, 1024 * f32(100))
    assert (seen.to_device - sent, seen.to_host - fetched, seen.bytes - size) == (1, 1, 800)


def test_results_are_arguments_on_another_device(either: Executable, cpu: Executable) -> None:
    assert np.array_equal(cpu.entry("twice")(either.entry("twice")(f32(9))), 4 * f32(9))


def test_every_engine_takes_them(either: Executable) -> None:
    y = either.entry("twice")(f32(9))
    for via in ("value", "heap", "imp", "c", "opencl"):
        assert np.array_equal(funmem.run(PROGRAM, y, entry="twice", via=via), 4 * f32(9))


# ---------------------------------------------------------------------- nobody sees a change


def test_an_argument_that_is_written_is_copied(either: Executable) -> None:
    x, first_zero = f32(5), either.entry("first_zero")
    assert len(first_zero.plan.written) == 1
    y = first_zero(x)
    assert x[0] == 1
    z = either.entry("twice")(x)
    first_zero(z)
    assert np.array_equal(z, 2 * f32(5))
    assert np.array_equal(y, [0, 2, 3, 4, 5])


def test_a_result_that_is_an_argument_stays_what_it_is(either: Executable) -> None:
    x = f32(5)
    same = Executable.load(compile_imp(parse_imp(SAME)), either.device)
    a, b = same(x)  # type: ignore[misc]
    x[:] = 0
    assert np.array_equal(a, f32(5))
    assert np.array_equal(b, f32(5))
    c, _ = same(a)  # type: ignore[misc]
    del a, b
    assert np.array_equal(c, f32(5))


def test_an_argument_counts_wherever_it_comes_from(either: Executable) -> None:
    """Until its last use, and once for each parameter; nothing is counted after the call."""
    x, before = f32(50), held(either.device)
    same = Executable.load(compile_imp(parse_imp(SAME)), either.device).entry()
    for entry in (either.entry("twice"), either.entry("first_zero"), same):
        entry(x)
        expected = entry.stats.peak_bytes
        y = either.entry("twice")(x)
        entry(y)
        assert entry.stats.peak_bytes == expected >= x.nbytes
        del y
    assert (held(either.device), either.device.pool.lent) == (before, 0)


def test_an_argument_is_given_back(either: Executable) -> None:
    """And no result is made there."""
    x, twice = f32(77), either.entry("twice")
    kept = [twice(x) for _ in range(5)]
    assert np.array_equal(x, f32(77))
    assert all(np.array_equal(y, 2 * f32(77)) for y in kept)


def test_what_is_not_aligned_is_copied(cpu: Executable, moved: Counter[str]) -> None:
    cpu.entry("twice")(np.frombuffer(b"x" + f32(9).tobytes(), np.float32, offset=1))
    assert moved == {"enqueue_copy": 1}


def test_arguments_of_all_sorts(either: Executable) -> None:
    """Not contiguous, not aligned, read-only, in the middle of another one, empty."""
    twice, x = either.entry("twice"), f32(1001)
    unaligned = np.frombuffer(b"x" + x.tobytes(), np.float32, offset=1)
    assert not unaligned.flags.aligned
    fixed = x.copy()
    fixed.flags.writeable = False
    for given in (x[::3], x[::-1], unaligned, fixed, x[1:], x[7:900], x[:0]):
        assert np.array_equal(twice(given), 2 * given)


def test_what_somebody_looks_at_is_not_reused(either: Executable) -> None:
    """Not while the array lives, nor while only numpy's does; then it is."""
    twice, pool = either.entry("twice"), either.device.pool
    views = [twice(f32(64) + k)[3:] for k in range(10)]
    views += [np.asarray(twice(f32(64) + k))[3:] for k in range(10, 20)]
    for k in range(20):
        twice(f32(64) - k)
    for k, y in enumerate(views):
        assert np.array_equal(y, (2 * (f32(64) + k))[3:])
    del views, y
    gc.collect()
    made = pool.made
    for _ in range(20):
        twice(f32(64))
    assert pool.made == made


def test_failures_keep_nothing(either: Executable) -> None:
    at, pool = either.entry("at"), either.device.pool
    y = either.entry("twice")(f32(3))
    gc.collect()
    pool.collect()
    live = pool.live
    for given in (f32(100), y):
        with pytest.raises(Trap):
            at(given, 100)
    assert pool.live == live
    assert at(y, 2) == 6


@pytest.mark.parametrize("kind", ["CPU", "ACCELERATOR"])
def test_a_device_that_fails_when_it_is_asked(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    y = opened(kind).entry("twice")(f32(3))

    def fails(*_: object, **__: object) -> None:
        raise cl.RuntimeError("lost")

    for name in ("enqueue_copy", "enqueue_map_buffer"):
        monkeypatch.setattr(cl, name, fails)
    with pytest.raises(DeviceError, match="failed: lost"):
        np.asarray(y)


# ---------------------------------------------------------------------- as numpy's


@pytest.fixture
def y(either: Executable) -> DeviceArray:
    found = either.entry("twice")(f32(4))
    assert isinstance(found, DeviceArray)
    return found


def test_they_are_numpys_for_numpy(y: DeviceArray) -> None:
    want = 2 * f32(4)
    assert np.array_equal(y + 1, want + 1)
    assert np.array_equal(1 - y, 1 - want)
    assert (y == want).all()
    assert np.array_equal(np.concatenate([y, y]), np.concatenate([want, want]))
    assert (y.sum(), y.max(), y.T.shape, y[1], list(y)) == (20, 8, (4,), 4, [2, 4, 6, 8])
    assert y[1:3].tolist() == [4, 6]
    assert np.array(y, np.int64).tolist() == [2, 4, 6, 8]
    assert (repr(y), str(y)) == ("DeviceArray([2., 4., 6., 8.], dtype=float32)", "[2. 4. 6. 8.]")
    assert np.array_equal(np.from_dlpack(y), want)  # type: ignore[arg-type]
    assert np.asarray(y.__array_interface__["shape"]) == [4]
    assert type(copy.deepcopy(y)) is type(pickle.loads(pickle.dumps(y))) is np.ndarray
    assert bytes(y) == want.tobytes()
    assert (float(y[:1][0]), bool((y > 0).all())) == (2, True)
    with pytest.raises(ValueError, match="more than one element"):
        bool(y)
    with pytest.raises(AttributeError):
        y.nonsense  # noqa: B018


def test_they_cannot_be_changed(y: DeviceArray) -> None:
    with pytest.raises(TypeError, match=r"np.array\(x\) is a copy"):
        y[0] = 1
    with pytest.raises(TypeError, match=r"np.array\(x\) is a copy"):
        np.add(y, 1, out=y)  # type: ignore[call-overload]
    assert not np.asarray(y).flags.writeable
    changed = np.array(y)
    changed[0] = 1
    assert y[0] == 2


def test_what_does_not_fit_is_named(either: Executable) -> None:
    y = either.entry("twice")(f32(4))
    with pytest.raises(InputError, match=r"expected i64, got \[4\]f32"):
        either.entry("at")(f32(3), y)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="expected"):
        funmem.run(
            "entry f (x : [2][2]f32) -> (v : f32) =\n  let (v1 : f32) = x[0, 0]\n  in (v1)", y
        )
