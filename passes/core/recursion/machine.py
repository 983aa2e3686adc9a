"""Mutually recursive definitions as the blocks of one loop with a stack."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_types import applied
from funmem.ir.diagnostics import NOWHERE, Diagnostic, SourceError, Span
from funmem.ir.names import Fresh, Name, stem
from funmem.ir.record import frozen
from funmem.ir.scalars import I64, BinOp, ScalarType
from funmem.passes.core.names import binders, free_names, inside
from funmem.passes.core.recursion.parts import (
    before,
    binary,
    body_of,
    definitions_in,
    int64,
    is_scalar,
    renamed,
    rewrapped,
    scalar_type,
    several,
    spelt_out,
    variables,
    zero,
)
from funmem.passes.core.unique import Unique

_LOOP = "use `loop`"
_INDEX = "pass an index into an array that stays, or use `loop`"

FIRST = 32
"""The initial capacity of the stack, in frames."""

_Place: TypeAlias = tuple[ScalarType, int]
"""A register, or a slot of a frame: its type, and its number among those of that type."""


@frozen
class _Block:
    """The code of one value of ``pc``, and the names in it that registers and frame provide."""

    registers: tuple[c.Binder, ...]
    frame: tuple[c.Binder, ...]
    body: Exp
    results: tuple[ScalarType, ...]


class _Counts:
    """The number of places of each scalar type that the state must have."""

    def __init__(self) -> None:
        self.most: dict[ScalarType, int] = {}

    def places(self, types: Sequence[ScalarType]) -> list[_Place]:
        """Return a place for each scalar, and enlarge the state if necessary."""
        seen: dict[ScalarType, int] = {}
        out = []
        for t in types:
            out.append((t, seen.get(t, 0)))
            seen[t] = seen.get(t, 0) + 1
        for t, k in seen.items():
            self.most[t] = max(self.most.get(t, 0), k)
        return out

    def all(self) -> list[_Place]:
        """Return all places, in order."""
        return [(t, k) for t, n in self.most.items() for k in range(n)]


DONE = c.Const(-1, I64)
"""The value of ``pc`` at the end."""


@frozen
class _State:
    """The names of the state's variables at one point of the program."""

    pc: c.Binder
    depth: c.Binder
    registers: Mapping[_Place, c.Binder]
    back: c.Binder
    stacks: Mapping[ScalarType, c.Binder]

    @property
    def scalars(self) -> tuple[c.Binder, ...]:
        return (self.pc, self.depth, *self.registers.values())

    @property
    def arrays(self) -> tuple[c.Binder, ...]:
        return (self.back, *self.stacks.values())

    @property
    def all(self) -> tuple[c.Binder, ...]:
        return (*self.scalars, *self.arrays)


class Machine:
    """A definition, and those that are mutually recursive with it, as one loop.

    Fresh names avoid those of the whole program, since to-fun inlines the loop where the definition
    is called.  ``unique`` draws from the same supply: a definition occurs in the machine of each
    definition that is mutually recursive with it, under other names in each.
    """

    def __init__(self, root: Def, group: Sequence[Def], fresh: Fresh, unique: Unique) -> None:
        self._root = root
        self._defs: dict[Name, Def] = {}
        self._types: dict[Name, Type] = {}
        for d in group:
            new = c.Def(d.name, (), d.type, unique.exp(d.exp, {}), d.at)
            self._defs[d.name] = new
            self._types |= {b.name: b.type for x in inside(new.exp) for b in binders(x)}
        self._fresh = fresh
        self._registers, self._slots = _Counts(), _Counts()
        self._blocks: list[_Block] = []
        self._entries: dict[Name, int] = {}
        self._arrays = {b.name: b.name for b in self._fn(root.name).params if not is_scalar(b)}
        """Maps each name of an array parameter to the parameter of the root that it is."""
        self._now = self._state()
        self._ret = c.Binder(self._fresh("ret"), I64)

    def definition(self) -> Def:
        """Return the definition as a loop."""
        self._steps()  # how many registers and slots there are, and which arrays are which
        self._now = self._state()
        steps = self._steps()
        at, fn = self._root.at, self._fn(self._root.name)
        given = tuple(
            c.Binder(self._fresh(b.name), b.type) if is_scalar(b) else b for b in fn.params
        )
        args = [c.Var(b.name) for b in given if is_scalar(b)]
        loop = self._outer_loop(steps, args)
        return c.Def(self._root.name, (), self._root.type, c.Lambda(given, loop, at), at)

    def _fn(self, name: Name) -> c.Lambda:
        exp = self._defs[name].exp
        if not isinstance(exp, c.Lambda):
            raise self._refused(self._defs[name].at, f"`{stem(name)}`, whose value needs itself")
        return exp

    def _scalar_params(self, name: Name) -> list[c.Binder]:
        return [b for b in self._fn(name).params if is_scalar(b)]

    def _results(self, name: Name) -> tuple[ScalarType, ...]:
        """Return the types of a definition's results, which must be scalars."""
        d = self._defs[name]
        types = several(applied(d.type, len(self._fn(name).params)))
        found = tuple(u for u in types if isinstance(u, ScalarType))
        if len(found) != len(types):
            what = f"`{stem(name)}`, which gives arrays and calls itself"
            raise self._refused(d.at, what, _LOOP)
        return found

    def _state(self) -> _State:
        """Return the state's variables under new names."""

        def binder(base: str, t: Type) -> c.Binder:
            return c.Binder(self._fresh(base), t)

        return _State(
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
        start = variables((*outer.scalars, *grown))
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
        params = self._scalar_params(self._root.name)
        registers = self._filled(self._registers, [scalar_type(b) for b in params], args)
        empty = [c.Replicate(int64(0), zero(t)) for t in types]
        init = (int64(0), int64(0), *registers, *empty, int64(0))
        left = c.While(binary(BinOp.NE, c.Var(outer.pc.name), DONE))
        whole = c.Loop((*outer.all, cap), init, left, body, at)
        places = self._registers.places(self._results(self._root.name))
        results = variables([end.registers[place] for place in places])
        value = results[0] if len(results) == 1 else c.tuple_exp(*results)
        return c.Let((*end.all, last), whole, value, at)

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

    def _around(self, chosen: Exp, slots: Mapping[_Place, c.Binder]) -> Exp:
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
        result = c.Let((*new.scalars, pushed, *values.values()), chosen, result, at)
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
            params, results = self._scalar_params(name), self._results(name)
            self._entries[name] = self._new(params, (), body_of(self._defs[name]), results)
        return self._entries[name]

    def _new(
        self,
        registers: Sequence[c.Binder],
        frame: Sequence[c.Binder],
        body: Exp,
        results: tuple[ScalarType, ...],
    ) -> int:
        self._registers.places([scalar_type(b) for b in registers])
        self._slots.places([scalar_type(b) for b in frame])
        self._blocks.append(_Block(tuple(registers), tuple(frame), body, results))
        return len(self._blocks) - 1

    def _block(self, block: _Block, slots: Mapping[_Place, c.Binder]) -> Exp:
        """Return the code of a block: it computes the next state's scalars and the pushed frame."""
        sources: list[tuple[c.Binder, Name]] = []
        for counts, names, wanted in (
            (self._registers, self._now.registers, block.registers),
            (self._slots, slots, block.frame),
        ):
            places = counts.places([scalar_type(b) for b in wanted])
            for b, place in zip(wanted, places, strict=True):
                source = names[place].name if place in names else b.name  # at first none is known
                sources.append((b, source))
        new = {b.name: self._fresh(b.name) for b, _ in sources}
        self._types |= {new[b.name]: b.type for b, _ in sources}
        e = self._tail(renamed(block.body, {**self._arrays, **new}), block.results)
        for b, source in reversed(sources):
            e = c.Let((c.Binder(new[b.name], b.type),), c.Var(source), e, self._root.at)
        return e

    def _tail(self, e: Exp, results: tuple[ScalarType, ...]) -> Exp:
        """Return the code for ``e`` as the last thing that a definition or a block does."""
        chain: list[c.Let | c.Assert] = []
        while isinstance(e, c.Let | c.Assert) and not self._calls(before(e)):
            self._note_alias(e)
            chain.append(e)
            e = e.body
        return rewrapped(chain, self._end(e, results))

    def _note_alias(self, e: c.Let | c.Assert) -> None:
        """Note that a link binds another name of an array parameter."""
        match e:
            case c.Let((b,), c.Coerce(c.Var(x)) | c.Copy(c.Var(x)) | c.Var(x)):
                if x in self._arrays:
                    self._arrays[b.name] = self._arrays[x]
            case _:
                pass

    def _end(self, e: Exp, results: tuple[ScalarType, ...]) -> Exp:
        match e:
            case c.Let(binders, exp, body):
                if not isinstance(exp, c.App | c.If | c.Let | c.Assert | c.Bin):
                    raise self._not_here(exp.at)
                for b in binders:
                    if not is_scalar(b):
                        what = f"`{stem(b.name)}`, an array that recursion gives"
                        raise self._refused(exp.at, what, _LOOP)
                frame = self._live(body, binders, exp.at)
                after = self._new(binders, frame, body, results)
                return self._inside(exp, after, frame, tuple(scalar_type(b) for b in binders))
            case c.If(cond, then, orelse, at) if self._calls(then, orelse):
                if self._calls(cond):
                    raise self._not_here(cond.at)
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
        self, e: Exp, after: int, frame: Sequence[c.Binder], results: tuple[ScalarType, ...]
    ) -> Exp:
        """Return the code for ``e``, after which block ``after`` continues with its values."""
        match e:
            case c.App(c.Global(name), args) if name in self._defs:
                return self._jump(name, args, after, frame)
            case c.Bin(BinOp.LAND | BinOp.LOR as op, a, b, at):
                return self._inside(spelt_out(op, a, b, at), after, frame, results)
            case c.If() | c.Let() | c.Assert():
                needs = self._live(e, (), e.at)
                block = self._new(needs, (), e, results)
                types = [scalar_type(b) for b in needs]
                return self._next(int64(block), types, variables(needs), after, frame)
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
        scalars: list[Exp] = []
        for b, arg in zip(self._fn(name).params, args, strict=True):
            if is_scalar(b):
                scalars.append(arg)
                continue
            same = self._arrays.get(arg.name) if isinstance(arg, c.Var) else None
            if same is None or self._arrays.setdefault(b.name, same) != same:
                what = f"`{stem(b.name)}` of `{stem(name)}`, an array that recursion changes"
                raise self._refused(arg.at, what, _INDEX)
        types = [scalar_type(b) for b in self._scalar_params(name)]
        return self._next(int64(self._entry(name)), types, scalars, after, frame)

    def _return(self, e: Exp, results: tuple[ScalarType, ...]) -> Exp:
        """Return the code for the end of a definition: control passes to the block on the stack."""
        if self._calls(e):
            raise self._not_here(e.at)
        depth = binary(BinOp.SUB, c.Var(self._now.depth.name), int64(1))
        ret = c.Var(self._ret.name)
        if isinstance(e, c.Fields):
            return self._state_exp(ret, depth, results, [x for _, x in e.fields], int64(0), ())
        bs = tuple(c.Binder(self._fresh("r"), t) for t in results)
        value = self._state_exp(ret, depth, results, variables(bs), int64(0), ())
        return c.Let(bs, e, value, e.at)

    def _next(
        self,
        pc: Exp,
        types: Sequence[ScalarType],
        values: Sequence[Exp],
        after: int | None,
        frame: Sequence[c.Binder],
    ) -> Exp:
        """Return the next state: a block and its registers, and a frame if ``after`` is given."""
        depth = c.Var(self._now.depth.name)
        if after is None:
            return self._state_exp(pc, depth, types, values, int64(0), ())
        higher = binary(BinOp.ADD, depth, int64(1))
        return self._state_exp(pc, higher, types, values, int64(after), frame)

    def _state_exp(
        self,
        pc: Exp,
        depth: Exp,
        types: Sequence[ScalarType],
        values: Sequence[Exp],
        back: Exp,
        frame: Sequence[c.Binder],
    ) -> Exp:
        """Return the scalars that a block computes, as a tuple."""
        registers = self._filled(self._registers, types, values)
        pushed = self._filled(self._slots, [scalar_type(b) for b in frame], variables(frame))
        return c.tuple_exp(pc, depth, *registers, back, *pushed)

    def _filled(
        self, counts: "_Counts", types: Sequence[ScalarType], values: Sequence[Exp]
    ) -> list[Exp]:
        """Return the values in their places, with zeros in the others."""
        given = dict(zip(counts.places(types), values, strict=True))
        return [given.get(place, zero(place[0])) for place in counts.all()]

    # ------------------------------------------------------------------ what a block needs

    def _calls(self, *es: Exp) -> bool:
        """True if an expression calls one of the definitions."""
        return any(x in self._defs for e in es for x in definitions_in(e))

    def _live(self, e: Exp, bound: Sequence[c.Binder], at: Span) -> list[c.Binder]:
        """Return the scalars that an expression uses and does not bind.

        Array parameters of the root are in scope everywhere; other arrays are refused.
        """
        names = {b.name for b in bound}
        out: list[c.Binder] = []
        for x in free_names(e):
            if x in names or x in self._arrays or x not in self._types:
                continue
            if not isinstance(self._types[x], ScalarType):
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
