r"""Turn calls whose results are coerced into tail calls.

    def f = \(xs : []i64) (i : i64) ->                 def f = \(xs : []i64) (i : i64) ->
      let n = size 0 xs                                  let n = size 0 xs
      let r = if i == 0 then xs else         ->          in if i == 0 then coerce [n]i64 xs else
              let ys = … in f ys (i - 1)                   let ys = … let zs = coerce [n]i64 ys
      in coerce [n]i64 r                                   in f zs (i - 1)

The definition states the sizes of its results in terms of its parameters.  The results of a call
have the sizes stated here if the call's arguments have the same sizes as the parameters.  So the
arguments are coerced instead of the results, and the call becomes a tail call.  Where the size
checker proves that the arguments have these sizes, to-fun proves it as well, and no check remains.

A size may be a constant, the size of an array parameter, or a scalar parameter that calls pass on
unchanged.  The sizes of a matrix must come from one parameter: otherwise an empty matrix would be
required to have rows of a length that was not checked before.
"""

from collections.abc import Mapping, Sequence

from funmem.ir import core as c
from funmem.ir.core import Def, Exp
from funmem.ir.core_traverse import unsized
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import Size, var
from funmem.passes.core.recursion.parts import (
    before,
    body_of,
    definitions_in,
    is_scalar,
    rewrapped,
    variables,
)


@frozen
class _Ends:
    """The binders of a call's results, and the coercion of each result of the definition."""

    binders: tuple[c.Binder, ...]
    coerced: tuple[c.Coerce | None, ...]


def tail_calls(d: Def, fresh: Fresh) -> Def:
    """Return a recursive definition that coerces its arguments instead of the results of its calls.

    Return the definition unchanged if it does not end in such coercions.
    """
    if not isinstance(d.exp, c.Lambda):
        return d
    chain: list[c.Let | c.Assert] = []
    e = body_of(d)
    while isinstance(e, c.Let | c.Assert) and d.name not in definitions_in(before(e)):
        chain.append(e)
        e = e.body
    ends = _ends(e.binders, e.body) if isinstance(e, c.Let) else None
    if not isinstance(e, c.Let) or ends is None:
        return d
    wanted = _wanted(d.exp.params, chain, ends)
    body = None if wanted is None else _Pushing(d, ends, wanted, fresh).into(e.exp)
    return d if body is None else evolve(d, exp=evolve(d.exp, body=rewrapped(chain, body)))


def _ends(binders: tuple[c.Binder, ...], e: Exp) -> _Ends | None:
    """Return how the rest of a body coerces a call's results; None if it does anything else."""
    known: dict[Name, tuple[int, c.Coerce | None]] = {
        b.name: (k, None) for k, b in enumerate(binders)
    }

    def place(x: Exp) -> tuple[int, c.Coerce | None] | None:
        if isinstance(x, c.Var):
            return known.get(x.name)
        match x:
            case c.Coerce(c.Var(name)) if name in known and known[name][1] is None:
                return known[name][0], x
            case _:
                return None

    while isinstance(e, c.Let) and len(e.binders) == 1:
        if (same := place(e.exp)) is None:
            return None
        known[e.binders[0].name] = same
        e = e.body
    places = [place(x) for x in ([x for _, x in e.fields] if isinstance(e, c.Fields) else [e])]
    found = [p for p in places if p is not None]
    if [k for k, _ in found] != list(range(len(binders))) or len(found) < len(places):
        return None
    coerced = tuple(coerce for _, coerce in found)
    return None if all(x is None for x in coerced) else _Ends(binders, coerced)


# ---------------------------------------------------------------------- sizes


_Wanted = Mapping[Name, "c.Coerce | None"]
"""The coercion of each parameter's argument; None: a scalar that must be passed on unchanged."""


def _wanted(
    params: Sequence[c.Binder], chain: Sequence[c.Let | c.Assert], ends: _Ends
) -> _Wanted | None:
    """Return the coercions of the arguments that give a call's results these sizes.

    None if the sizes do not follow from the arguments.
    """
    same = {b.name: b.name for b in params}
    lengths: dict[Name, tuple[Name, int]] = {}
    for link in chain:
        match link:
            case c.Let((b,), c.Coerce(c.Var(x)) | c.Copy(c.Var(x)) | c.Var(x)) if x in same:
                same[b.name] = same[x]
            case c.Let((b,), c.Length(c.Var(x), dim)) if x in same:
                lengths[b.name] = (same[x], dim)
            case _:
                pass
    scalars = {b.name for b in params if is_scalar(b)}
    sizes: dict[Name, dict[int, Size]] = {}
    wanted: dict[Name, c.Coerce | None] = {}
    for coerce in ends.coerced:
        shape = [] if coerce is None else _shape(coerce.type)
        names = [x for x in (None if d is None else d.as_name for d in shape) if x is not None]
        if any(d is not None and d.as_name is None and d.as_const is None for d in shape):
            return None
        if len(shape) > 1 and len({lengths.get(x, (x,))[0] for x in names}) > 1:
            return None
        for x in names:
            if x in lengths:
                of, dim = lengths[x]
                sizes.setdefault(of, {})[dim] = var(x)
            elif x in scalars:
                wanted[x] = None
            else:
                return None
    first = next(x for x in ends.coerced if x is not None)
    for b in params:
        if b.name in sizes:
            t = _sized(b.type, sizes[b.name])
            wanted[b.name] = c.Coerce(c.Var(b.name), t, first.message, first.at)
    return wanted


def _shape(t: c.Type) -> list[Size | None]:
    return [t.size, *_shape(t.elem)] if isinstance(t, c.Array) else []


def _sized(t: c.Type, sizes: Mapping[int, Size], dim: int = 0) -> c.Array:
    """Return an array type with the given sizes of some dimensions."""
    if not isinstance(t, c.Array):
        raise TypeError(f"{t} has no dimension {dim}")
    inner = _sized(t.elem, sizes, dim + 1) if any(k > dim for k in sizes) else unsized(t.elem)
    return c.Array(inner, sizes.get(dim))


# ---------------------------------------------------------------------- the calls


@frozen(eq=False)
class _Pushing:
    """Moves coercions from the results of a definition into its branches."""

    of: Def
    ends: _Ends
    wanted: _Wanted
    fresh: Fresh

    def into(self, e: Exp) -> Exp | None:
        """Return ``e`` with its results, or the arguments of its tail calls, coerced.

        None if the coercions of a call's results cannot be moved to its arguments.
        """
        chain: list[c.Let | c.Assert] = []
        while isinstance(e, c.Let | c.Assert):
            chain.append(e)
            e = e.body
        new: Exp | None
        match e:
            case c.If(cond, then, orelse, at):
                yes, no = self.into(then), self.into(orelse)
                new = None if yes is None or no is None else c.If(cond, yes, no, at)
            case c.App(c.Global(name), args) if name == self.of.name:
                new = self._call(e, args)
            case c.Leaf() | c.FunctionOperation() | c.Match() | c.Loop():
                new = self._end(e)
            case c.RecordOperation() | c.ScalarOperation() | c.ArrayOperation():
                new = self._end(e)
        return None if new is None else rewrapped(chain, new)

    def _call(self, e: c.App, args: tuple[Exp, ...]) -> Exp | None:
        links: list[c.Let | c.Assert] = []
        new: list[Exp] = []
        params = self.of.exp.params if isinstance(self.of.exp, c.Lambda) else ()
        if len(params) != len(args):
            return None
        for p, arg in zip(params, args, strict=True):
            coerce = self.wanted.get(p.name)
            if coerce is not None:
                b = c.Binder(self.fresh(p.name), coerce.type)
                links.append(c.Let((b,), evolve(coerce, exp=arg), c.Fields(()), e.at))
                arg = c.Var(b.name)
            elif p.name in self.wanted and arg != c.Var(p.name):
                return None
            new.append(arg)
        return rewrapped(links, evolve(e, args=tuple(new)))

    def _end(self, e: Exp) -> Exp:
        bs = tuple(c.Binder(self.fresh(b.name), b.type) for b in self.ends.binders)
        given: list[Exp] = [e]
        links: list[c.Let | c.Assert] = []
        if isinstance(e, c.Fields):
            given = [x for _, x in e.fields]
        elif not isinstance(e, c.Var):
            given = list(variables(bs))
            links.append(c.Let(bs, e, c.Fields(()), e.at))
        for k, coerce in enumerate(self.ends.coerced):
            if coerce is not None:
                b = c.Binder(self.fresh(bs[k].name), coerce.type)
                links.append(c.Let((b,), evolve(coerce, exp=given[k]), c.Fields(()), coerce.at))
                given[k] = c.Var(b.name)
        return rewrapped(links, given[0] if len(given) == 1 else c.tuple_exp(*given))
