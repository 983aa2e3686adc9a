"""Generates call functions: *the fast path accepts, the slow path explains*.

For each entry point a Python function is generated that tests the arguments that programs usually
pass, computes the sizes, and calls the back end.  It decides nothing else: an argument that it does
not recognise goes to ``slow``, which binds the arguments (``ir/values.py``), and so converts them
or explains what is wrong.

    recognised                                            what is computed
    scalars       a Python number in range, or a numpy    its value, rounded to the type
                  scalar of exactly the type
    arrays        an array of exactly the type and rank,  the sizes that are dimensions
                  contiguous and aligned
    sizes         every dimension is what it must be
    memory        the call needs no more than every       or ``memory`` decides
                  machine has

For ``main [n] (a : f32) (x : [n]f32) (y : [2*n]f32)`` on OpenCL:

    def call(*args):
        try:
            a0, a1, a2, = args
        except ValueError:
            return slow(args)
        if getpid() != entry.owner:
            return slow(args)
        t = type(a0)
        if t is float:
            try:
                v0 = unpack_f32(pack_f32(a0))[0]
            except OverflowError:
                return slow(args)
        elif t is scalar_f32:
            v0 = a0.item()
        elif t is int and -16777216 <= a0 <= 16777216:
            v0 = float(a0)
        else:
            return slow(args)
        t = type(a1)
        …
        s1 = a1.shape
        if len(s1) != 1:
            return slow(args)
        n0 = s1[0]
        …
        if s2[0] != 2*n0:
            return slow(args)
        if 4*n0 + 8*n0 + … > 67108864 or limited:
            memory((n0,), (v0, a1, a2,))
        return go((n0,), (v0, a1, a2,))

The text contains names that are made here and numbers of the plan, and nothing else of a program.
"""

import os
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, cast

import numpy as np
from attrs import field

from funmem.codegen.demand import at_most
from funmem.codegen.generated import define as define_function
from funmem.codegen.host_code import polynomial, tuple_of
from funmem.codegen.memory_limits import ALWAYS_THERE
from funmem.codegen.plan import EntryPlan, For, Launch, While, every_step
from funmem.codegen.plan_tree import assigned
from funmem.ir.imp import ArrayPort, ScalarPort
from funmem.ir.names import Name
from funmem.ir.record import define
from funmem.ir.scalars import BOOL, F16, F32, I64, ScalarType
from funmem.ir.sizes import Size, product
from funmem.ir.values import dtype

Call = Callable[..., object]

CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
"""Bits of ``flags.num`` of a numpy array."""

_EXACT = {F32: 1 << 24, ScalarType.F64: 1 << 53}
"""Integers up to this one, and their negatives, are values of a float type."""

_MAX = 3.4028234663852886e38
"""The largest number of type f32."""

REFUSE = "return slow(args)"
"""The statement that leaves a call to the slow path."""


class BackEnd(Protocol):
    """The part of the function that a back end adds.

    ``limited``: an expression, True if the user has set a limit.  ``rounds``: the call rounds f32.
    """

    @property
    def limited(self) -> str: ...

    @property
    def rounds(self) -> bool: ...

    def array(self, k: int, t: ScalarType) -> Sequence[str]:
        """Return statements that accept argument ``k`` as an array of type ``t``, or refuse it."""
        ...

    def go(self, sizes: Sequence[str], values: Sequence[str]) -> Sequence[str]:
        """Return statements that return the results of the call."""
        ...


def refuse_unless(condition: str) -> tuple[str, ...]:
    """Return statements that leave the call to the slow path unless a condition holds."""
    return (f"if not ({condition}):", f"    {REFUSE}")


def indented(lines: Sequence[str]) -> tuple[str, ...]:
    """Return statements as the body of another one."""
    return tuple(f"    {line}" for line in lines)


def fast_call(e: EntryPlan, back_end: BackEnd, names: Mapping[str, object]) -> Call | None:
    """Return the function of an entry point, or None if the arguments do not determine all sizes.

    ``names``: ``slow``, a function of the arguments as a tuple; ``entry``, whose ``owner`` is the
    process that has claimed the run time; ``memory``, a function of the sizes and the arguments
    that raises DeviceError if there is too little; and what the texts of the back end refer to.
    """
    text = call_text(e, back_end)
    if text is None:
        return None
    space: dict[str, object] = {**_names(e), **names}
    return cast(Call, define_function(text, space, "call")["call"])


def call_text(e: EntryPlan, back_end: BackEnd) -> str | None:
    """Return the text of the function, or None if the arguments do not determine all sizes."""
    writer = _Writer(e, back_end)
    return writer.text() if writer.whole() else None


def _names(e: EntryPlan) -> dict[str, object]:
    """Return what the function refers to: types of numpy, conversions."""
    found: dict[str, object] = {"getpid": os.getpid, "ndarray": np.ndarray}
    for p in e.params:
        t = p.elem if isinstance(p, ArrayPort) else p.type
        found[f"dtype_{t}"], found[f"scalar_{t}"] = dtype(t), dtype(t).type
    f32 = struct.Struct("<f")  # without "<", large numbers become infinite
    return found | {"pack_f32": f32.pack, "unpack_f32": f32.unpack}


@define
class _Writer:
    """Writes the function of one entry point.

    ``known``: the Python expression of each size, and of each scalar parameter of type i64.
    """

    plan: EntryPlan
    back_end: BackEnd
    known: dict[Name, str] = field(factory=dict)
    lines: list[str] = field(factory=list)

    def whole(self) -> bool:
        """True if every size is a dimension of a parameter, and the other dimensions follow."""
        named = {d.as_name for p in self.plan.params if isinstance(p, ArrayPort) for d in p.shape}
        scalars = {p.x for p in self.plan.params if isinstance(p, ScalarPort) and p.type is I64}
        every = scalars | set(self.plan.sizes)
        shapes = (d.free() for p in self.plan.params if isinstance(p, ArrayPort) for d in p.shape)
        return named >= set(self.plan.sizes) and all(xs <= every for xs in shapes)

    def text(self) -> str:
        params = self.plan.params
        given = "".join(f"a{k}, " for k in range(len(params)))
        self.add("try:", f"    {given or '() '}= args", "except ValueError:", f"    {REFUSE}")
        self.add("if getpid() != entry.owner:", f"    {REFUSE}")
        for k, p in enumerate(params):
            if isinstance(p, ScalarPort):
                self.scalar(k, p.type)
                if p.type is I64:
                    self.known[p.x] = f"v{k}"
        self.arrays()
        sizes = [self.known[x] for x in self.plan.sizes]
        values = [f"v{k}" if isinstance(p, ScalarPort) else f"a{k}" for k, p in enumerate(params)]
        self.memory(sizes, values)
        self.add(*self.back_end.go(sizes, values))
        return "def call(*args):\n" + "".join(f"    {line}\n" for line in self.lines)

    def add(self, *lines: str) -> None:
        self.lines.extend(lines)

    # -- scalars

    def scalar(self, k: int, t: ScalarType) -> None:
        """Set ``v<k>`` to the value of argument ``k``, or refuse it."""
        a, v = f"a{k}", f"v{k}"
        self.add(f"t = type({a})", f"if t is scalar_{t}:", f"    {v} = {a}.item()")
        if t is BOOL:
            self.add("elif t is bool:", f"    {v} = {a}")
        elif t.is_int:
            self.add(f"elif t is int and {t.min} <= {a} <= {t.max}:", f"    {v} = {a}")
        elif t is F32 and self.back_end.rounds:
            self.add(f"elif t is float and -{_MAX} <= {a} <= {_MAX}:", f"    {v} = {a}")
            self.add(f"elif t is int and -{_EXACT[t]} <= {a} <= {_EXACT[t]}:")
            self.add(f"    {v} = float({a})")
        elif t is not F16:
            self.add("elif t is float:")
            if t is F32:
                self.add("    try:", f"        {v} = unpack_f32(pack_f32({a}))[0]")
                self.add("    except OverflowError:", f"        {REFUSE}")
            else:
                self.add(f"    {v} = {a}")
            self.add(f"elif t is int and -{_EXACT[t]} <= {a} <= {_EXACT[t]}:")
            self.add(f"    {v} = float({a})")
        self.add("else:", f"    {REFUSE}")

    # -- arrays

    def arrays(self) -> None:
        """Accept the arrays, learn the sizes, and compare all other dimensions."""
        ports = [(k, p) for k, p in enumerate(self.plan.params) if isinstance(p, ArrayPort)]
        others: list[tuple[str, Size]] = []
        for k, p in ports:
            self.add(*self.back_end.array(k, p.elem))
            self.add(f"s{k} = a{k}.shape", *refuse_unless(f"len(s{k}) == {len(p.shape)}"))
            for i, d in enumerate(p.shape):
                x = d.as_name
                if x is not None and x in self.plan.sizes and x not in self.known:
                    number = self.plan.sizes.index(x)
                    self.known[x] = f"n{number}"
                    self.add(f"n{number} = s{k}[{i}]")
                else:
                    others.append((f"s{k}[{i}]", d))
        if others:
            self.add(*refuse_unless(" and ".join(f"{s} == {self.size(d)}" for s, d in others)))

    def size(self, d: Size) -> str:
        return polynomial(d, self.known.__getitem__)

    # -- memory

    def memory(self, sizes: Sequence[str], values: Sequence[str]) -> None:
        """Leave the decision to ``memory`` unless the call certainly needs little."""
        decide = f"memory({tuple_of(sizes)}, {tuple_of(values)})"
        bound = at_most(self.plan)
        if bound is None:
            self.add(decide)
        elif bound.sizes:
            total = " + ".join(map(self.bytes, bound.sizes))
            need = total if bound.factor == 1 else f"{bound.factor} * ({total})"
            self.add(f"if {need} > {ALWAYS_THERE} or {self.back_end.limited}:", f"    {decide}")
        else:
            self.add(f"if {self.back_end.limited}:", f"    {decide}")

    def bytes(self, d: Size) -> str:
        """Return a number of bytes as a Python expression; a negative one counts as 0."""
        least = "max(0, {})" if any(k < 0 for _, k in d.terms) else "{}"
        signed = any(x not in self.plan.sizes for x in d.free())
        return ("max(0, {})" if signed else least).format(self.size(d))


BRIEF = 1 << 14
"""Work-items that take no noticeable time if each of them ends soon."""


def brief(e: EntryPlan, known: Mapping[Name, str]) -> str:
    """Return a Python condition under which a call takes no noticeable time; ``False`` if unknown.

    ``known``: the expressions of sizes and of scalar parameters.  The user cannot interrupt such a
    call, which saves a quarter of its time.
    """
    steps = tuple(every_step(e.steps))
    launches = [s for s in steps if isinstance(s, Launch)]
    sizes = [product(s.dims) for s in launches]
    changed = frozenset[Name]().union(*map(assigned, steps))
    if (
        any(isinstance(s, For | While) for s in steps)
        or not all(e.kernels[s.kernel].soon for s in launches)
        or not all(d.free() <= known.keys() - changed for d in sizes)
    ):
        return "False"
    every = dict.fromkeys(polynomial(d, known.__getitem__) for d in sizes)
    return " and ".join(f"{n} <= {BRIEF}" for n in every) or "True"
