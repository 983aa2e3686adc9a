r"""Recursion inside ``map``: each index has a stack of bounded depth, and lacks are made good.

    map f xs     where f is recursive

        ->  loop (at, cap, out) = (0, 8, scratch n) while at < n do
              let bytes = cap * bytes of a frame
              let m = min (n - at) (max 1 (min (room / bytes) (max 64 (usual / bytes) (n / 16))))
              let (rs, needs) = unzip (map (f_bounded … cap) xs[at : at + m])
              let most = reduce max 0 needs
              in if most <= cap then (at + m, …, out with [at : at + m] = rs)
                 else (at, 2 * cap, out)

A kernel cannot allocate, so a stack cannot grow in it: the stacks have ``cap`` frames.  If that is
too few for an index, all m indices run again with twice as many; what they compute is pure.
Afterwards ``cap`` is at most twice what was needed.  A stack of more than ``deepest`` MiB is an
error.

The stacks of the m indices that run at once take at most ``private`` MiB, so a deep recursion runs
with fewer indices at a time.  They take at most 512 KiB if that is enough for 64 indices and for a
16th of all indices: stacks are no part of what a program allocates, and should be small beside it.

What cannot be bounded runs in order (the pass ``sequentialise``), and a remark says why.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from funmem.ir import core as c
from funmem.ir.core import Exp, Type
from funmem.ir.core_traverse import map_parts, parts
from funmem.ir.core_types import Types, row, type_of
from funmem.ir.diagnostics import Span
from funmem.ir.names import Fresh, Name
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, BinOp
from funmem.ir.sizes import var
from funmem.passes.core.flatten_data.arrays import OPERANDS
from funmem.passes.core.names import binders, inside
from funmem.passes.core.recursion.bounded import Bounded, NotBounded
from funmem.passes.core.recursion.parts import binary, int64, rewrapped, several, variables

FIRST = 8
"""The capacity of the first stacks, in frames."""

CHUNKS, FEW, USUAL = 16, 64, 512 << 10
"""The indices that run at once: a part of all indices, a number, and bytes of their stacks."""

DEEP = (
    "Recursion inside an array operation: the stack of one element needs more than {} bytes, "
    "the limit (option `deepest` of the pass `recursion`)."
)

Note = Callable[[str, str, bool], None]
"""Notes what became of a place: the place, a text, and true if it runs in parallel."""


@frozen
class Room:
    """Bytes for the stacks of the indices that run at once, and for the stack of one."""

    private: int
    deepest: int


MIB = 1 << 20

ROOM = Room(64 * MIB, 1024 * MIB)
"""The default."""


class Kernels:
    """Rewrites the outermost maps of host code that need stacks."""

    def __init__(self, bounded: Bounded, fresh: Fresh, room: Room, note: Note) -> None:
        self._bounded, self._fresh, self._room, self._note = bounded, fresh, room, note

    def host(self, e: Exp, given: Sequence[c.Binder], place: str) -> Exp:
        """Return host code; ``given`` are the binders around it."""
        if not self._bounded.needs(e):
            return e
        types = {b.name: b.type for b in given}
        types |= {b.name: b.type for x in inside(e) for b in binders(x)}
        return self._exp(e, types, place)

    def _exp(self, e: Exp, types: Types, place: str) -> Exp:
        if not self._bounded.needs(e):
            return e
        found = e.array if isinstance(e, c.Unzip) else e
        if isinstance(found, c.Map) and isinstance(found.fn, c.Lambda):
            if self._bounded.needs(found.fn):
                try:
                    new = self._chunks(e, found, found.fn, types)
                    self._note(place, "an array operation has a stack for each index", True)
                    return new
                except NotBounded as why:
                    text = f"an array operation with recursion runs in order: {why}"
                    self._note(place, text, False)
        elif isinstance(e, c.ParallelOperation) and any(
            self._bounded.needs(f) for f in parts(e) if isinstance(f, c.Lambda)
        ):
            text = "an array operation with recursion runs in order: it is not a map"
            self._note(place, text, False)
        return map_parts(e, lambda x: self._exp(x, types, place), lambda t: t)

    def _chunks(self, e: Exp, whole: c.Map, fn: c.Lambda, types: Types) -> Exp:
        """Return a map whose indices run in chunks; see the module."""
        at, made = e.at, self._bounded
        if made.needs(*whole.arrays):
            raise NotBounded("an operand of the map calls a recursive definition")
        cap, need = c.Binder(self._fresh("cap"), I64), c.Binder(self._fresh("most"), I64)
        body = made.exp(fn.body, cap.name, types)
        frame = made.bytes_of(body)
        elems = several(made.type_of(fn.body, types))
        for t in elems:
            made.blank(t)
        links: list[c.Let | c.Assert] = []
        arrays = self._operands(whole.arrays, types, links, at)
        n = self._bound(links, "n", c.Length(c.Var(arrays[0]), 0, at))
        start = c.Binder(self._fresh("at"), I64)
        outs = [c.Binder(self._fresh("out"), c.Array(t, var(n))) for t in elems]
        inner: list[c.Let | c.Assert] = []
        bytes_ = binary(BinOp.MUL, c.Var(cap.name), int64(frame))
        fits = binary(BinOp.LE, bytes_, int64(self._room.deepest))
        limit = (int64(self._room.deepest),)
        inner.append(c.Assert(fits, DEEP, limit, c.Fields(()), at))
        part = binary(BinOp.DIV, c.Var(n), int64(CHUNKS))
        part = binary(BinOp.MAX, part, binary(BinOp.DIV, int64(USUAL), bytes_))
        part = binary(BinOp.MAX, int64(FEW), part)
        some = binary(BinOp.MIN, binary(BinOp.DIV, int64(self._room.private), bytes_), part)
        some = binary(BinOp.MAX, int64(1), some)
        left = binary(BinOp.SUB, c.Var(n), c.Var(start.name))
        m = self._bound(inner, "m", binary(BinOp.MIN, left, some))
        end = self._bound(inner, "end", binary(BinOp.ADD, c.Var(start.name), c.Var(m)))
        where = (c.Range(c.Var(start.name), c.Var(end), None),)
        parts = tuple(c.Index(c.Var(x), where, at) for x in arrays)
        rs = [c.Binder(self._fresh("r"), c.Array(t)) for t in elems]
        needs = c.Binder(self._fresh("needs"), c.Array(I64))
        run = c.Unzip(c.Map(c.Lambda(fn.params, body, fn.at), parts, at), at)
        inner.append(c.Let((*rs, needs), run, c.Fields(()), at))
        inner.append(c.Let((need,), made.most(needs.name, int64(0)), c.Fields(()), at))
        doubled = binary(BinOp.MUL, c.Var(need.name), int64(2))
        less = binary(BinOp.MAX, int64(FIRST), binary(BinOp.MIN, c.Var(cap.name), doubled))
        stored = [
            c.Update(c.Var(out.name), where, c.Var(r.name), at)
            for out, r in zip(outs, rs, strict=True)
        ]
        done = c.tuple_exp(c.Var(end), less, *stored)
        more = binary(BinOp.MUL, c.Var(cap.name), int64(2))
        again = c.tuple_exp(c.Var(start.name), more, *variables(outs))
        step = rewrapped(inner, c.If(made.enough(need.name, cap.name), done, again, at))
        scratch = (c.Scratch(c.Var(n), t, at) for t in elems)
        init: tuple[Exp, ...] = (int64(0), int64(FIRST), *scratch)
        left = binary(BinOp.LT, c.Var(start.name), c.Var(n))
        loop = c.Loop((start, cap, *outs), init, c.While(left), step, at)
        results = [c.Binder(self._fresh("out"), c.Array(t)) for t in elems]
        ends = (*(c.Binder(self._fresh(x), I64) for x in ("at", "cap")), *results)
        values = variables(results)
        result = values[0] if len(values) == 1 else c.tuple_exp(*values, at=at)
        return rewrapped(links, c.Let(ends, loop, result, at))

    def _operands(
        self, arrays: Sequence[Exp], types: Types, links: list[c.Let | c.Assert], at: Span
    ) -> list[Name]:
        """Return names of arrays that have the same length."""
        out: list[Name] = []
        for x in arrays:
            t = type_of(x, types, self._bounded.defs)
            if out:
                n = self._bound(links, "n", c.Length(c.Var(out[0]), 0, at))
                t = c.Array(row(t), var(n))
                x = c.Coerce(x, t, OPERANDS, at)
            out.append(self._bound(links, "xs", x, t))
        return out

    def _bound(self, links: list[c.Let | c.Assert], base: str, e: Exp, t: Type = I64) -> Name:
        """Bind an expression; return its name."""
        if isinstance(e, c.Var):
            return e.name
        x = self._fresh(base)
        links.append(c.Let((c.Binder(x, t),), e, c.Fields(()), e.at))
        return x
