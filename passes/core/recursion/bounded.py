r"""Code in which the stacks of recursion are bounded, and which says if they were too short.

    let r = f (n - 1) in n * r      ->      let (r, need) = f_bounded (n - 1) cap
                                            in if need <= cap then (n * r, need) else (0, need)

An expression ``e`` of k results becomes one of k + 1 results.  The last one, ``need``, is the
largest number of frames that a stack must have.  If it exceeds the capacity ``cap``, the other
results are blank, and nothing has been evaluated after the call whose stack was too short.  So code
that works on a blank value is not reached, and it can neither trap nor run forever.

A definition that may need a stack gets a copy with ``cap`` as its last parameter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import Def, Exp, Type
from funmem.ir.core_traverse import unsized
from funmem.ir.core_types import Types, applied, forget, type_of
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I64, BinOp
from funmem.passes.core.flatten_data.layout import blank
from funmem.passes.core.names import binders, inside
from funmem.passes.core.recursion.machine import Machine
from funmem.passes.core.recursion.parts import (
    Calls,
    before,
    binary,
    body_of,
    definitions_in,
    int64,
    rewrapped,
    several,
    spelt_out,
    variables,
)
from funmem.passes.core.to_fun.consumed import kept_parameters
from funmem.passes.core.unique import Unique


class NotBounded(Exception):
    """An expression cannot be given bounded stacks; the message says why."""


class Bounded:
    """Makes expressions and definitions whose stacks are bounded.

    ``groups`` are the definitions that need a stack, each with those that are mutually recursive
    with it.
    """

    def __init__(
        self,
        defs: Mapping[Name, Def],
        groups: Mapping[Name, Sequence[Def]],
        fresh: Fresh,
        unique: Unique,
    ) -> None:
        self.defs, self._groups = defs, groups
        self._fresh, self._unique = fresh, unique
        self._kept = kept_parameters(list(defs.values()))
        self._needing = _needing(defs, groups)
        self._needs = Calls(self._needing)
        self._copies: dict[Name, Name] = {}
        self._refused: dict[Name, NotBounded] = {}
        """The definitions of which there can be no such copy."""
        self.made: dict[Name, Def] = {}
        """The copies with bounded stacks, by their own names."""
        self.frames: dict[Name, int] = {}
        """The bytes of a frame of each copy that has a stack."""

    def needs(self, *es: Exp) -> bool:
        """True if an expression calls a definition that may need a stack."""
        return any(map(self._needs, es))

    # ------------------------------------------------------------------ definitions

    def copy_of(self, name: Name) -> Name:
        """Return the name of a definition's copy whose stacks are bounded.

        Raises :class:`NotBounded`, also at each later call.  Then no other copy mentions the name.
        """
        if name in self._refused:
            raise self._refused[name]
        if name not in self._copies:
            before = dict(self._copies), dict(self.made), dict(self.frames)
            self._copies[name] = new = self._fresh(f"{name}_bounded")
            try:
                self.made[new] = self._copy(name, new)
            except NotBounded as why:
                self._refused[name] = why
                self._copies, self.made, self.frames = before
                raise
        return self._copies[name]

    def _copy(self, name: Name, new: Name) -> Def:
        d = self.defs[name]
        if name in self._groups:
            group = self._groups[name]
            machine = Machine(d, group, self._fresh, self._unique, self._kept, self)
            made = machine.definition()
            self.frames[new] = machine.frame
            return c.Def(new, (), self._type(d), made.exp, d.at)
        fn = self._unique.exp(d.exp, {})
        assert isinstance(fn, c.Lambda)
        types = {b.name: b.type for x in inside(fn) for b in binders(x)}
        cap = self._fresh("cap")
        body = self.exp(fn.body, cap, types)
        params = (*fn.params, c.Binder(cap, I64))
        return c.Def(new, (), self._type(d), c.Lambda(params, body, fn.at), d.at)

    def _type(self, d: Def) -> Type:
        """Return the type of a definition's copy."""
        assert isinstance(d.exp, c.Lambda)
        params = d.exp.params
        results = several(applied(d.type, len(params)))
        types = [*(unsized(b.type) for b in params), I64]
        return c.arrow(types, c.tuple_type(*map(unsized, results), I64))

    def bytes_of(self, e: Exp) -> int:
        """Return the bytes of a frame of each stack in an expression that was made here."""
        found, todo = set[Name](), [e]
        while todo:
            for x in definitions_in(todo.pop()):
                if x in self.made and x not in found:
                    found.add(x)
                    todo.append(self.made[x].exp)
        return sum(self.frames.get(x, 0) for x in found)

    # ------------------------------------------------------------------ expressions

    def exp(self, e: Exp, cap: Name, types: Types, so_far: Exp | None = None) -> Exp:
        """Return an expression's results and the frames that it needs; see the module.

        ``types`` are those of its names.  At least ``so_far`` frames are needed.
        Raises :class:`NotBounded`.
        """
        so_far = int64(0) if so_far is None else so_far
        chain: list[c.Let | c.Assert] = []
        while isinstance(e, c.Let | c.Assert) and not self.needs(before(e)):
            chain.append(e)
            e = e.body
        return rewrapped(chain, self._end(e, cap, types, so_far))

    def _end(self, e: Exp, cap: Name, types: Types, so_far: Exp) -> Exp:
        if not self.needs(e):
            return self._given(e, self._results(e, types), so_far)
        match e:
            case c.Let(bs, exp, body, at):
                return self._then(bs, exp, body, cap, types, so_far)
            case c.If(cond, then, orelse, at):
                if self.needs(cond):
                    raise NotBounded("a condition calls a recursive definition")
                yes, no = (self.exp(x, cap, types, so_far) for x in (then, orelse))
                return c.If(cond, yes, no, at)
            case c.Bin(BinOp.LAND | BinOp.LOR as op, a, b, at) if not self.needs(a):
                return self.exp(spelt_out(op, a, b, at), cap, types, so_far)
            case c.App(c.Global(name, _, here), args, at) if not self.needs(*args):
                call = c.App(c.Global(self.copy_of(name), (), here), (*args, c.Var(cap)), at)
                return self._least(call, self._results(e, types), so_far)
            case c.Loop():
                return self._loop(e, cap, types, so_far)
            case c.Map(c.Lambda() as fn, arrays, at) if not self.needs(*arrays):
                return self._map(e, fn, arrays, cap, types, so_far)
            case c.Unzip(c.Map(c.Lambda() as fn, arrays)) if not self.needs(*arrays):
                return self._map(e, fn, arrays, cap, types, so_far)
            case c.Leaf() | c.FunctionOperation() | c.Assert() | c.Match():
                raise NotBounded("a call of a recursive definition is an operand")
            case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                raise NotBounded("a call of a recursive definition is in an operator or an operand")

    def _then(
        self, bs: tuple[c.Binder, ...], exp: Exp, body: Exp, cap: Name, types: Types, so_far: Exp
    ) -> Exp:
        """Return ``let bs = exp in body``, where the body is reached only if the stack sufficed."""
        need = c.Binder(self._fresh("need"), I64)
        first = self.exp(exp, cap, types, so_far)
        rest = self.exp(body, cap, types, c.Var(need.name))
        blanks = [self.blank(t) for t in self._results(body, types)]
        lacks = c.tuple_exp(*blanks, c.Var(need.name))
        return c.Let((*bs, need), first, c.If(self.enough(need.name, cap), rest, lacks))

    @staticmethod
    def enough(need: Name, cap: Name) -> Exp:
        """Return whether a stack of ``cap`` frames suffices."""
        return binary(BinOp.LE, c.Var(need), c.Var(cap))

    def blank(self, t: Type) -> Exp:
        """Return a value of a type.  Raises NotBounded for arrays of unknown sizes."""
        u = t
        while isinstance(u, c.Array):
            if u.size is None:
                raise NotBounded("an array of unknown size is computed after recursion")
            u = u.elem
        return blank(t)

    def _results(self, e: Exp, types: Types) -> list[Type]:
        return several(self.type_of(e, types))

    def type_of(self, e: Exp, types: Types) -> Type:
        """Return the type of an expression; an ``if`` has the sizes in which its branches agree."""
        bound: list[Name] = []
        while isinstance(e, c.Let | c.Assert):
            bound += [b.name for b in binders(e)]
            e = e.body
        if not isinstance(e, c.If):
            return forget(type_of(e, types, self.defs), bound)
        return forget(_joined(self.type_of(e.then, types), self.type_of(e.orelse, types)), bound)

    def _given(self, e: Exp, results: Sequence[Type], so_far: Exp) -> Exp:
        """Return the results of an expression that needs no stack."""
        if isinstance(e, c.Fields):
            return c.tuple_exp(*(x for _, x in e.fields), so_far)
        if len(results) == 1:
            return c.tuple_exp(e, so_far)
        bs = self._binders(results)
        return c.Let(bs, e, c.tuple_exp(*variables(bs), so_far))

    def _least(self, e: Exp, results: Sequence[Type], so_far: Exp) -> Exp:
        """Return the results of an expression that has ``need`` as its last result."""
        if so_far == int64(0):
            return e
        bs, need = self._binders(results), c.Binder(self._fresh("need"), I64)
        most = binary(BinOp.MAX, so_far, c.Var(need.name))
        return c.Let((*bs, need), e, c.tuple_exp(*variables(bs), most))

    def _binders(self, results: Sequence[Type]) -> tuple[c.Binder, ...]:
        return tuple(c.Binder(self._fresh("r"), t) for t in results)

    def _loop(self, e: c.Loop, cap: Name, types: Types, so_far: Exp) -> Exp:
        """Return a loop that ends, or does nothing any more, once a stack was too short."""
        asked = e.form.bound if isinstance(e.form, c.For) else e.form.cond
        if self.needs(asked, *e.init):
            raise NotBounded("the condition of a loop calls a recursive definition")
        need = c.Binder(self._fresh("need"), I64)
        enough = self.enough(need.name, cap)
        body = self.exp(e.body, cap, types, c.Var(need.name))
        form = e.form
        if isinstance(form, c.For):
            same = c.tuple_exp(*variables(e.params), c.Var(need.name))
            body = c.If(enough, body, same)
        else:
            form = c.While(spelt_out(BinOp.LAND, enough, form.cond, e.at))
        return c.Loop((*e.params, need), (*e.init, so_far), form, body, e.at)

    def _map(
        self,
        e: Exp,
        fn: c.Lambda,
        arrays: tuple[Exp, ...],
        cap: Name,
        types: Types,
        so_far: Exp,
    ) -> Exp:
        """Return a map inside a kernel, and the most frames that one of its elements needs."""
        bs = self._binders(self._results(e, types))
        needs = c.Binder(self._fresh("needs"), c.Array(I64))
        body = self.exp(fn.body, cap, types)
        new = c.Unzip(c.Map(c.Lambda(fn.params, body, fn.at), arrays, e.at), e.at)
        most = self.most(needs.name, so_far)
        return c.Let((*bs, needs), new, c.tuple_exp(*variables(bs), most))

    def most(self, needs: Name, so_far: Exp) -> Exp:
        """Return the largest element of an array."""
        a, b = (c.Binder(self._fresh(x), I64) for x in "ab")
        larger = c.Lambda((a, b), binary(BinOp.MAX, c.Var(a.name), c.Var(b.name)))
        return c.Reduce(larger, (so_far,), (c.Var(needs),), comm=True)


def _joined(a: Type, b: Type) -> Type:
    """Return a type with the sizes that two types agree in."""
    if isinstance(a, c.Array) and isinstance(b, c.Array):
        return c.Array(_joined(a.elem, b.elem), a.size if a.size == b.size else None)
    if isinstance(a, c.Record) and isinstance(b, c.Record):
        pairs = zip(a.fields, b.fields, strict=True)
        return c.Record(tuple((label, _joined(t, u)) for (label, t), (_, u) in pairs))
    return a


def _needing(defs: Mapping[Name, Def], groups: Mapping[Name, Sequence[Def]]) -> frozenset[Name]:
    """Return the definitions whose calls may need a stack; constants are computed earlier."""
    found = set(groups)
    changed = True
    while changed:
        more = {
            x
            for x, d in defs.items()
            if x not in found
            and isinstance(d.exp, c.Lambda)
            and any(y in found for y in definitions_in(body_of(d)))
        }
        changed = bool(more)
        found |= more
    return frozenset(found)
