"""Prints the function that runs an entry point on a device, for arguments that are accepted.

For ``main [n] (a : f32) (x : [n]f32)``, whose kernel has no check:

    def go(x0, a0, a1):                        the sizes, then the arguments
     waits = type(a1) is not DeviceArray
     if waits:
      with lock, Interruptible(nothing):
       return run(waits, x0, a0, a1)
     with lock:
      return run(waits, x0, a0, a1)

    def go_and_wait(x0, a0, a1):
     with lock, Interruptible(nothing):
      return run(True, x0, a0, a1)

    def run(waits, x0, a0, a1):
     while returned:
      drop(returned.popleft())
     before = peak = pool.peak = pool.live
     x1 = a0
     b0 = None
     lent1 = None
     b1 = None
     t0 = t1 = t2 = t3 = clock() if waits else 0.0
     try:
      start()
      if type(a1) is not DeviceArray:
       b0 = on_host1(a1)
      else:
       b0 = a1.buffer
       lent1 = a1.nbytes
       pool.lent += lent1
      if waits:
       t1 = clock()
      …                                        the steps (host_code.py)
      if waits:
       commands.finish()
       t2 = clock()
      peak = pool.peak
      results = result0(b1, (x0,))
      if waits:
       t3 = clock()
      return results
     except BaseException as error:
      peak = pool.peak
      settle(error)
      raise
     finally:
      entry.cost = commands.launches, peak - before, t0, t1, t2, t3
      …                                        buffers that are still held are dropped

A call waits for its kernels if one of its arrays is in memory of the host, or if a kernel has a
check (papers/decisions/calls.md).
"""

from collections.abc import Sequence

from funmem.codegen.commands import DeviceCommands
from funmem.codegen.fast_call import ALIGNED, CONTIGUOUS, REFUSE, indented, refuse_unless
from funmem.codegen.host_code import HostCode, polynomial, tuple_of
from funmem.codegen.plan import EntryPlan, For, While, every_step
from funmem.ir.imp import ArrayPort, ScalarPort
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType


def run_text(e: EntryPlan, commands: DeviceCommands) -> tuple[str, dict[str, object]]:
    """Return the text of ``go``, ``go_and_wait`` and ``run``, and what the names in it stand for.

    Not among them are ``entry``, ``lock``, ``pool``, ``on_device<k>`` and ``on_host<k>`` for each
    array argument k, ``result<k>`` for each array result, ``foreign`` and ``settle``.
    """
    code = HostCode(e, commands.launch)
    sizes = [code.scalar(x) for x in e.sizes]
    args = [f"a{k}" for k in range(len(e.params))]
    steps = code.body()
    passed = _passed(code)
    returned = _returned(code)
    given_names = [*sizes, *args]
    given = ", ".join(given_names)
    arrays = [k for k, p in enumerate(e.params) if isinstance(p, ArrayPort)]
    hosts = " or ".join(f"type(a{k}) is not DeviceArray" for k in arrays)
    waits = "True" if any(k.status for k in e.kernels) else hosts or "False"
    watched = any(isinstance(s, For | While) for s in every_step(e.steps))
    lines = [
        f"def go({given}):",
        f" waits = {waits}",
        f" if {'True' if watched else 'waits'}:",
        "  with lock, Interruptible(nothing):",
        f"   return run({', '.join(['waits', *given_names])})",
        " with lock:",
        f"  return run({', '.join(['waits', *given_names])})",
        f"def go_and_wait({given}):",
        " with lock, Interruptible(nothing):",
        f"  return run({', '.join(['True', *given_names])})",
        f"def run({', '.join(['waits', *given_names])}):",
        " while returned:",
        "  drop(returned.popleft())",
        " before = peak = pool.peak = pool.live",
        *(f" {line}" for line in (*passed[0], *code.zeros())),
        " t0 = t1 = t2 = t3 = clock() if waits else 0.0",
        " try:",
        "  start()",
        *(f"  {line}" for line in passed[1]),
        "  if waits:",
        "   t1 = clock()",
        *(f"  {line}" for line in steps),
        "  if waits:",
        "   commands.finish()",
        "   t2 = clock()",
        "  peak = pool.peak",
        f"  results = {returned}",
        "  if waits:",
        "   t3 = clock()",
        "  return results",
        " except BaseException as error:",
        "  peak = pool.peak",
        "  settle(error)",
        "  raise",
        " finally:",
        "  entry.cost = commands.launches, peak - before, t0, t1, t2, t3",
        *(f"  {line}" for x in code.blocks for line in code.freed(x)),
    ]
    return "\n".join(lines) + "\n", code.names


def _passed(code: HostCode) -> tuple[list[str], list[str]]:
    """Return statements that set the parameters: before the call can fail, and after it can."""
    before, after = [], []
    for k, p in enumerate(code.entry.params):
        match p:
            case ScalarPort(x):
                before.append(f"{code.scalar(x)} = a{k}")
            case ArrayPort(block):
                b = code.buffer(block)
                before.append(f"{b} = None")
                lent = code.lent.get(block)
                after += [
                    f"if type(a{k}) is not DeviceArray:",
                    f" {b} = on_host{k}(a{k})",
                    "else:",
                    *([f" {b} = a{k}.buffer", f" {lent} = a{k}.nbytes"] if lent else []),
                    *([f" pool.lent += {lent}"] if lent else []),
                    *([] if lent else [f" {b} = on_device{k}(a{k})"]),
                ]
    if code.lent:
        after += [
            "if pool.live + pool.lent > pool.peak:",
            " pool.peak = pool.live + pool.lent",
        ]
    return before, after


def _returned(code: HostCode) -> str:
    """Return the expression of the results; a single one is not in a tuple."""
    results = []
    for k, p in enumerate(code.entry.results):
        match p:
            case ScalarPort(x):
                results.append(code.scalar(x))
            case ArrayPort(block, _, shape):
                dims = tuple_of([polynomial(d, code.scalar) for d in shape])
                results.append(f"result{k}({code.buffer(block)}, {dims})")
    return results[0] if len(results) == 1 else tuple_of(results)


@frozen
class OnDevice:
    """The part of the call function that depends on OpenCL (``fast_call.BackEnd``)."""

    limited = "limited"
    rounds = False

    def array(self, k: int, t: ScalarType) -> Sequence[str]:
        wanted = CONTIGUOUS | ALIGNED
        of_host = f"a{k}.dtype is dtype_{t} and a{k}.flags.num & {wanted} == {wanted}"
        return (
            f"t = type(a{k})",
            "if t is DeviceArray:",
            *indented(refuse_unless(f"a{k}.device is device and a{k}.dtype is dtype_{t}")),
            "elif t is ndarray:",
            *indented(refuse_unless(of_host)),
            "else:",
            *indented((REFUSE,)),
        )

    def go(self, sizes: Sequence[str], values: Sequence[str]) -> Sequence[str]:
        return (f"return go({', '.join([*sizes, *values])})",)
