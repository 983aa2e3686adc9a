"""Mutually recursive definitions as the blocks of one loop with a stack."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.core_types import applied
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.names import Fresh, Name, stem
from funmem.ir.scalars import BOOL, I64, BinOp, ScalarType
from funmem.passes.core.names import binders, free_names, inside
from funmem.passes.core.recursion.cells import cells_of
from funmem.passes.core.recursion.parts import (
    Calls,
    before,
    binary,
    blank,
    body_of,
    int64,
    is_scalar,
    is_scalar_type,
    renamed,
    rewrapped,
    scalar_type,
    several,
    spelt_out,
    variables,
    zero,
)
from funmem.passes.core.recursion.state import (
    DONE,
    FIRST,
    Block,
    Changes,
    Counts,
    Place,
    Slot,
    State,
)
from funmem.passes.core.to_fun.consumed import Consumption, Kept
from funmem.passes.core.unique import Unique

if TYPE_CHECKING:
    from funmem.passes.core.recursion.bounded import Bounded

_LOOP = "use `loop`"


class Machine:
    """A definition, and those that are mutually recursive with it, as one loop.

    Fresh names avoid those of the whole program, since to-fun inlines the loop where the definition
    is called.  ``unique`` draws from the same supply: a definition occurs in the machine of each
    definition that is mutually recursive with it, under other names in each.

    With ``bounded`` the stack has a fixed capacity, which is one more parameter, and the depth that
    the stack must have is one more result (bounded.py).
    """

    def __init__(
        self,
        root: Def,
        group: Sequence[Def],
        fresh: Fresh,
        unique: Unique,
        kept: Kept,
        bounded: Bounded | None = None,
    ) -> None:
        self._root, self._bounded, self._kept = root, bounded, kept
        self._cap = fresh("cap")
        self._defs: dict[Name, Def] = {}
        self._types: dict[Name, Type] = {}
        for d in group:
            new = c.Def(d.name, (), d.type, unique.exp(d.exp, {}), d.at)
            self._defs[d.name] = new
            self._types |= {b.name: b.type for x in inside(new.exp) for b in binders(x)}
        self._calling = Calls(self._defs)
        self._fresh = fresh
        self._changing = set[Name]()
        """The array parameters that change from call to call; the others are the root's."""
        self._begin()

    def _begin(self) -> None:
        """Forget what is known of blocks, registers and frames."""
        self._registers, self._slots = Counts[Type](), Counts[ScalarType]()
        self._cells: dict[Name, Place] = {}
        """The register in which each name of a changing array is, if it is known."""
        self._blocks: list[Block] = []
        self._entries: dict[Name, int] = {}
        root = self._fn(self._root.name)
        self._arrays = {b.name: b.name for b in root.params if not self._varies(b)}
        """Maps each name of an array parameter to the parameter of the root that it is."""
        self._now = self._state()
        self._ret = c.Binder(self._fresh("ret"), I64)

    def definition(self) -> Def:
        """Return the definition as a loop."""
        while True:
            try:
                self._steps()  # how many registers and slots there are, and which arrays are which
                break
            except Changes as found:
                self._changing.add(found.param)
                self._begin()
        self._now = self._state()
        steps = self._steps()
        at, fn = self._root.at, self._fn(self._root.name)
        given = tuple(
            c.Binder(self._fresh(b.name), b.type) if self._varies(b) else b for b in fn.params
        )
        args = [c.Var(new.name) for new, b in zip(given, fn.params, strict=True) if self._varies(b)]
        if self._bounded is None:
            loop = self._outer_loop(steps, args)
        else:
            loop, given = self._bounded_loop(steps, args), (*given, c.Binder(self._cap, I64))
        return c.Def(self._root.name, (), self._root.type, c.Lambda(given, loop, at), at)

    @property
    def frame(self) -> int:
        """The bytes of a frame."""
        return 8 + sum(n * (t.bits + 7) // 8 for t, n in self._slots.most.items())

    def _fn(self, name: Name) -> c.Lambda:
        exp = self._defs[name].exp
        if not isinstance(exp, c.Lambda):
            raise self._refused(self._defs[name].at, f"`{stem(name)}`, whose value needs itself")
        return exp

    def _varies(self, b: c.Binder) -> bool:
        """True if a parameter is in registers: it is a scalar, or an array that changes."""
        return is_scalar(b) or b.name in self._changing

    def _varying(self, name: Name) -> list[c.Binder]:
        return [b for b in self._fn(name).params if self._varies(b)]

    def _results(self, name: Name) -> tuple[Type, ...]:
        """Return the types of a definition's results."""
        d = self._defs[name]
        return tuple(map(unsized, several(applied(d.type, len(self._fn(name).params)))))

    def _state(self) -> State:
        """Return the state's variables under new names."""

        def binder(base: str, t: Type) -> c.Binder:
            return c.Binder(self._fresh(base), t)

        return State(
            binder("pc", I64),
            binder("depth", I64),
            {(t, k): binder("reg", t) for t, k in self._registers.all()},
            binder("back", c.Array(I64)),
            {t: binder("stack", c.Array(t)) for t in self._slots.most},
        )

    # ------------------------------------------------------------------ the loops

    def _outer_loop(self, steps: Exp, args: Sequence[Exp]) -> Exp:
        """Return the loop that doubles the stack and runs the inner loop, until all is done."""
        at, outer, after, end = self._root.at, self._state(), self._state(), self._state()
        cap, room, last = (c.Binder(self._fresh(x), I64) for x in ("cap", "room", "cap"))
        grown = [c.Binder(self._fresh(b.name), b.type) for b in outer.arrays]
        now, full = self._now, binary(BinOp.LT, c.Var(self._now.depth.name), c.Var(room.name))
        goes_on = binary(BinOp.LAND, binary(BinOp.NE, c.Var(now.pc.name), DONE), full)
        start = variables((*outer.chosen, *grown))
        body: Exp = c.tuple_exp(*variables((*after.all, room)))
        body = c.Let(after.all, c.Loop(now.all, start, c.While(goes_on), steps, at), body, at)
        more = binary(BinOp.SUB, c.Var(room.name), c.Var(cap.name))
        widths = [1, *self._slots.most.values()]
        types = [I64, *self._slots.most]
        for new, old, n, t in reversed(list(zip(grown, outer.arrays, widths, types, strict=True))):
            zeros = c.Replicate(binary(BinOp.MUL, more, int64(n)) if n > 1 else more, zero(t))
            body = c.Let((new,), c.Concat((c.Var(old.name), zeros), at), body, at)
        double = binary(BinOp.MAX, int64(FIRST), binary(BinOp.MUL, c.Var(cap.name), int64(2)))
        body = c.Let((room,), double, body, at)
        registers = self._first_registers(args)
        empty = [c.Replicate(int64(0), zero(t)) for t in types]
        init = (int64(0), int64(0), *registers, *empty, int64(0))
        left = c.While(binary(BinOp.NE, c.Var(outer.pc.name), DONE))
        whole = c.Loop((*outer.all, cap), init, left, body, at)
        places = self._registers.places(self._results(self._root.name))
        results = variables([end.registers[place] for place in places])
        value = results[0] if len(results) == 1 else c.tuple_exp(*results)
        return c.Let((*end.all, last), whole, value, at)

    def _bounded_loop(self, steps: Exp, args: Sequence[Exp]) -> Exp:
        """Return a loop that ends early where the stack is too short.

        The last result is the number of frames that the stack must have; if it has less, the other
        results mean nothing.
        """
        at, now, after, end = self._root.at, self._now, self._state(), self._state()
        most, last = (c.Binder(self._fresh("most"), I64) for _ in range(2))
        deeper = binary(BinOp.MAX, c.Var(most.name), c.Var(after.depth.name))
        body = c.Let(after.all, steps, c.tuple_exp(*variables(after.all), deeper), at)
        cap = c.Var(self._cap)
        fits = binary(BinOp.LT, c.Var(now.depth.name), cap)
        goes_on = binary(BinOp.LAND, binary(BinOp.NE, c.Var(now.pc.name), DONE), fits)
        widths = [1, *self._slots.most.values()]
        types = [I64, *self._slots.most]
        stacks = [
            c.Replicate(binary(BinOp.MUL, cap, int64(n)) if n > 1 else cap, zero(t))
            for n, t in zip(widths, types, strict=True)
        ]
        init = (int64(0), int64(0), *self._first_registers(args), *stacks, int64(0))
        loop = c.Loop((*now.all, most), init, c.While(goes_on), body, at)
        places = self._registers.places(self._results(self._root.name))
        results = variables([end.registers[place] for place in places])
        need = binary(BinOp.ADD, c.Var(last.name), int64(1))
        return c.Let((*end.all, last), loop, c.tuple_exp(*results, need), at)

    def _first_registers(self, args: Sequence[Exp]) -> list[Exp]:
        """Return the registers at the beginning: the root's arguments, and blanks."""
        places = self._registers.places([unsized(b.type) for b in self._varying(self._root.name)])
        given = dict(zip(places, args, strict=True))
        return [given.get(place, blank(place[0])) for place in self._registers.all()]

    def _steps(self) -> Exp:
        """Return the body of the inner loop: one step."""
        self._blocks, self._entries = [], {}
        self._entry(self._root.name)
        made: list[Exp] = []
        slots = {place: c.Binder(self._fresh("slot"), place[0]) for place in self._slots.all()}
        while len(made) < len(self._blocks):
            made.append(self._block(self._blocks[len(made)], slots))
        whole = made[-1]
        for k, block in reversed(list(enumerate(made[:-1]))):
            whole = c.If(binary(BinOp.EQ, c.Var(self._now.pc.name), int64(k)), block, whole)
        return self._around(whole, slots)

    def _around(self, chosen: Exp, slots: Mapping[Slot, c.Binder]) -> Exp:
        """Put the access to the stack around a step's blocks.

        Every step reads the frame above the top, runs one block, and writes the frame that it
        pushes.
        """
        now, at = self._now, self._root.at
        new = self._state()
        pushed = c.Binder(self._fresh("next"), I64)
        values = {place: c.Binder(self._fresh("push"), place[0]) for place in slots}
        depth = c.Var(now.depth.name)
        result: Exp = c.tuple_exp(*variables(new.all))
        for t, stack in reversed(list(now.stacks.items())):
            names = [*(self._fresh("stack") for _ in range(self._slots.most[t] - 1))]
            chain = [stack.name, *names, new.stacks[t].name]
            for k in reversed(range(self._slots.most[t])):
                update = c.Update(
                    c.Var(chain[k]), (c.Fix(self._slot(t, k)),), c.Var(values[t, k].name), at
                )
                result = c.Let((c.Binder(chain[k + 1], stack.type),), update, result, at)
        push = c.Update(c.Var(now.back.name), (c.Fix(depth),), c.Var(pushed.name), at)
        result = c.Let((new.back,), push, result, at)
        result = c.Let((*new.chosen, pushed, *values.values()), chosen, result, at)
        for (t, k), b in slots.items():
            read = c.Index(c.Var(now.stacks[t].name), (c.Fix(self._slot(t, k)),), at)
            result = c.Let((b,), read, result, at)
        below = binary(BinOp.MAX, binary(BinOp.SUB, depth, int64(1)), int64(0))
        found = c.Index(c.Var(now.back.name), (c.Fix(below),), at)
        back = c.Binder(self._fresh("top"), I64)
        bottom = binary(BinOp.EQ, depth, int64(0))
        result = c.Let((self._ret,), c.If(bottom, DONE, c.Var(back.name), at), result, at)
        return c.Let((back,), found, result, at)

    def _slot(self, t: ScalarType, k: int) -> Exp:
        """Return the index of slot k of the frame above the top."""
        n, depth = self._slots.most[t], c.Var(self._now.depth.name)
        start = depth if n == 1 else binary(BinOp.MUL, depth, int64(n))
        return start if k == 0 else binary(BinOp.ADD, start, int64(k))

    # ------------------------------------------------------------------ blocks

    def _entry(self, name: Name) -> int:
        """Return the number of the block at which a definition begins."""
        if name not in self._entries:
            params, results = self._varying(name), self._results(name)
            places = self._registers.places([unsized(b.type) for b in params])
            body = body_of(self._defs[name])
            self._entries[name] = self._new(params, places, (), body, results)
        return self._entries[name]

    def _new(
        self,
        registers: Sequence[c.Binder],
        places: Sequence[Place],
        frame: Sequence[c.Binder],
        body: Exp,
        results: tuple[Type, ...],
    ) -> int:
        self._slots.places([scalar_type(b) for b in frame])
        self._blocks.append(Block(tuple(registers), tuple(places), tuple(frame), body, results))
        return len(self._blocks) - 1

    def _block(self, block: Block, slots: Mapping[Slot, c.Binder]) -> Exp:
        """Return the code of a block: it computes the next state's scalars and the pushed frame."""
        sources: list[tuple[c.Binder, Name]] = []
        frame = self._slots.places([scalar_type(b) for b in block.frame])
        wanted: tuple[tuple[c.Binder, c.Binder | None], ...] = (
            *zip(block.registers, map(self._now.registers.get, block.places), strict=True),
            *zip(block.frame, map(slots.get, frame), strict=True),
        )
        for b, found in wanted:
            sources.append((b, b.name if found is None else found.name))  # at first none is known
        new = {b.name: self._fresh(b.name) for b, _ in sources}
        self._types |= {new[b.name]: b.type for b, _ in sources}
        for b, place in zip(block.registers, block.places, strict=True):
            if not is_scalar(b):
                self._cells[new[b.name]] = place
        e = self._tail(renamed(block.body, {**self._arrays, **new}), block.results)
        for b, source in reversed(sources):
            e = c.Let((c.Binder(new[b.name], b.type),), c.Var(source), e, self._root.at)
        return e

    def _tail(self, e: Exp, results: tuple[Type, ...]) -> Exp:
        """Return the code for ``e`` as the last thing that a definition or a block does."""
        chain: list[c.Let | c.Assert] = []
        while isinstance(e, c.Let | c.Assert) and not self._calls(before(e)):
            if isinstance(e, c.Let) and self._needs(e.exp):
                tried = self._tried(e.binders, e.exp, partial(self._tail, e.body, results))
                return rewrapped(chain, tried)
            self._note_alias(e)
            chain.append(e)
            e = e.body
        return rewrapped(chain, self._end(e, results))

    def _needs(self, e: Exp) -> bool:
        """True if an expression makes calls, of other definitions, whose stacks are bounded."""
        return self._bounded is not None and self._bounded.needs(e)

    def _tried(self, bs: tuple[c.Binder, ...], e: Exp, rest: Callable[[], Exp]) -> Exp:
        """Return ``let bs = e in rest``; if a stack in e is too short, so is the one here."""
        assert self._bounded is not None
        need = c.Binder(self._fresh("need"), I64)
        exp = self._bounded.exp(e, self._cap, self._types)
        depth = binary(BinOp.SUB, c.Var(need.name), int64(1))
        lacks = self._state_exp(int64(0), depth, (), (), int64(0), ())
        enough = self._bounded.enough(need.name, self._cap)
        return c.Let((*bs, need), exp, c.If(enough, rest(), lacks), self._root.at)

    def _note_alias(self, e: c.Let | c.Assert) -> None:
        """Note that a link binds another name of an array parameter."""
        match e:
            case c.Let((b,), c.Coerce(c.Var(x)) | c.Copy(c.Var(x)) | c.Var(x)):
                if x in self._arrays:
                    self._arrays[b.name] = self._arrays[x]
            case _:
                pass
        if isinstance(e, c.Let) and not all(map(is_scalar, e.binders)):
            found = cells_of(e.exp, len(e.binders), self._cells)
            for b, place in zip(e.binders, found, strict=True):
                if place is not None and unsized(b.type) == place[0]:
                    self._cells[b.name] = place

    def _end(self, e: Exp, results: tuple[Type, ...]) -> Exp:
        match e:
            case c.Let(binders, exp, body):
                if not isinstance(exp, c.App | c.If | c.Let | c.Assert | c.Bin):
                    raise self._not_here(exp.at)
                frame = self._live(body, binders, exp.at)
                types = tuple(unsized(b.type) for b in binders)
                after = self._new(binders, self._registers.places(types), frame, body, results)
                return self._inside(exp, after, frame, types)
            case c.If(cond, then, orelse, at) if self._calls(then, orelse):
                if self._calls(cond):
                    raise self._not_here(cond.at)
                if self._needs(cond):
                    b = c.Binder(self._fresh("c"), BOOL)
                    chosen = c.If(c.Var(b.name), then, orelse, at)
                    return self._tried((b,), cond, lambda: self._end(chosen, results))
                return c.If(cond, self._tail(then, results), self._tail(orelse, results), at)
            case c.App(c.Global(name), args) if name in self._defs:
                return self._jump(name, args, None, ())
            case c.Bin(BinOp.LAND | BinOp.LOR as op, a, b, at) if self._calls(b):
                return self._end(spelt_out(op, a, b, at), results)
            case c.Leaf() | c.FunctionOperation() | c.Control() | c.Assert():
                return self._return(e, results)
            case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                return self._return(e, results)

    def _inside(
        self, e: Exp, after: int, frame: Sequence[c.Binder], results: tuple[Type, ...]
    ) -> Exp:
        """Return the code for ``e``, after which block ``after`` continues with its values."""
        match e:
            case c.App(c.Global(name), args) if name in self._defs:
                return self._jump(name, args, after, frame)
            case c.Bin(BinOp.LAND | BinOp.LOR as op, a, b, at):
                return self._inside(spelt_out(op, a, b, at), after, frame, results)
            case c.If() | c.Let() | c.Assert():
                needs = self._live(e, (), e.at, arrays=True)
                cells = [self._cells.get(b.name) for b in needs]
                places = self._registers.places([unsized(b.type) for b in needs], cells)
                block = self._new(needs, places, (), e, results)
                return self._next(int64(block), places, variables(needs), after, frame)
            case c.Leaf() | c.FunctionOperation() | c.Match() | c.Loop():
                raise self._not_here(e.at)
            case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                raise self._not_here(e.at)

    def _jump(
        self, name: Name, args: Sequence[Exp], after: int | None, frame: Sequence[c.Binder]
    ) -> Exp:
        """Return the code of a call; without ``after`` it is a tail call."""
        if self._calls(*args):
            raise self._not_here(args[0].at)
        varying: list[Exp] = []
        for b, arg in zip(self._fn(name).params, args, strict=True):
            if self._varies(b):
                varying.append(arg)
                continue
            same = self._arrays.get(arg.name) if isinstance(arg, c.Var) else None
            if same is None or self._arrays.setdefault(b.name, same) != same:
                raise Changes(b.name)
        entry = self._entry(name)
        return self._next(int64(entry), self._blocks[entry].places, varying, after, frame)

    def _return(self, e: Exp, results: tuple[Type, ...]) -> Exp:
        """Return the code for the end of a definition: control passes to the block on the stack."""
        if self._calls(e):
            raise self._not_here(e.at)
        if self._needs(e):
            bs = tuple(c.Binder(self._fresh("r"), t) for t in results)
            whole = variables(bs)[0] if len(bs) == 1 else c.tuple_exp(*variables(bs))
            return self._tried(bs, e, lambda: self._return(whole, results))
        depth = binary(BinOp.SUB, c.Var(self._now.depth.name), int64(1))
        ret = c.Var(self._ret.name)
        self._returned(e, results)
        places = self._registers.places(results)
        if isinstance(e, c.Fields):
            return self._state_exp(ret, depth, places, [x for _, x in e.fields], int64(0), ())
        bs = tuple(c.Binder(self._fresh("r"), t) for t in results)
        value = self._state_exp(ret, depth, places, variables(bs), int64(0), ())
        return c.Let(bs, e, value, e.at)

    def _returned(self, e: Exp, results: Sequence[Type]) -> None:
        """Raise :class:`Changes` for an array parameter that is returned.

        What is returned is consumed, so it must be in a register.
        """
        values = [x for _, x in e.fields] if isinstance(e, c.Fields) else [e] * len(results)
        seen = Consumption(self._arrays, self._kept)
        for x, t in zip(values, results, strict=True):
            if not is_scalar_type(t):
                for origin in sorted(seen.exp(x)):
                    raise Changes(self._arrays[origin])

    def _next(
        self,
        pc: Exp,
        places: Sequence[Place],
        values: Sequence[Exp],
        after: int | None,
        frame: Sequence[c.Binder],
    ) -> Exp:
        """Return the next state: a block and its registers, and a frame if ``after`` is given."""
        depth = c.Var(self._now.depth.name)
        if after is None:
            return self._state_exp(pc, depth, places, values, int64(0), ())
        higher = binary(BinOp.ADD, depth, int64(1))
        return self._state_exp(pc, higher, places, values, int64(after), frame)

    def _state_exp(
        self,
        pc: Exp,
        depth: Exp,
        places: Sequence[Place],
        values: Sequence[Exp],
        back: Exp,
        frame: Sequence[c.Binder],
    ) -> Exp:
        """Return what a block computes, as a tuple.

        Unused scalar places are zero, and an array of which nothing is said stays in its register.
        """
        given = dict(zip(places, values, strict=True))
        slots = self._slots.places([scalar_type(b) for b in frame])
        pushed = dict(zip(slots, variables(frame), strict=True))
        return c.tuple_exp(
            pc,
            depth,
            *(given[p] if p in given else self._unused(p) for p in self._registers.all()),
            back,
            *(pushed[p] if p in pushed else zero(p[0]) for p in self._slots.all()),
        )

    def _unused(self, place: Place) -> Exp:
        found = self._now.registers.get(place)
        return blank(place[0]) if is_scalar_type(place[0]) or found is None else c.Var(found.name)

    # ------------------------------------------------------------------ what a block needs

    def _calls(self, *es: Exp) -> bool:
        """True if an expression calls one of the definitions."""
        return any(map(self._calling, es))

    def _live(
        self, e: Exp, bound: Sequence[c.Binder], at: Span, *, arrays: bool = False
    ) -> list[c.Binder]:
        """Return the scalars, and perhaps the arrays, that an expression uses and does not bind.

        Array parameters of the root are in scope everywhere; other arrays may be refused.
        """
        names = {b.name for b in bound}
        out: list[c.Binder] = []
        for x in free_names(e):
            if x in names or x in self._arrays or x not in self._types:
                continue
            if not (arrays or isinstance(self._types[x], ScalarType)):
                what = f"`{stem(x)}`, an array that is needed after recursion"
                raise self._refused(at, what, "compute it after the call, or use `loop`")
            out.append(c.Binder(x, self._types[x]))
        return out

    # ------------------------------------------------------------------ refusals

    def _not_here(self, at: Span) -> SourceError:
        """Return the error for a call that is neither bound by a ``let`` nor a tail call."""
        return self._refused(at, "recursion inside an array operation, a loop or an operand", _LOOP)

    def _refused(self, at: Span, what: str, hint: str = "") -> SourceError:
        """Return an error; without a position of its own it is that of the definition."""
        at = self._root.at if at == NOWHERE else at
        return SourceError(Diagnostic(at, "not-supported", f"not supported: {what}", hint))
