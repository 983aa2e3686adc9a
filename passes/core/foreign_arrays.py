r"""Calls of foreign functions on arrays become calls on scalars, element by element.

*Why.*  FUN's calls have scalars only (papers/decisions/raw-code.md).

*Before -> after.*

    let (ys : []f32) = foreign f (k, xs) : []f32
        ->  let (t : bool) (h : i64) = effect f__new (false) : (bool, i64)
            let (t : bool) = loop (t : bool) = t for i < size 0 xs do effect f__put0 (t, h, xs[i])
            let (t : bool) = effect f__run (t, h, k) : bool
            let (t : bool) (n : i64) = effect f__length0 (t, h) : (bool, i64)
            let (t : bool) (ys : [n]f32) = loop … effect f__get0 (t, h, i) …
            let (t : bool) = effect f__end (t, h) : bool

The functions are effects, so such a call cannot be inside a kernel (T-EFFECT).

*Precondition*: flat (check/core/postconditions.py).  *Postcondition*: flat; foreign functions take
and return scalars.
"""

from attrs import field

from funmem.ir import core as c
from funmem.ir import foreign as names
from funmem.ir.core import CoreProgram, Exp, ForeignDef, Type
from funmem.ir.core_traverse import map_parts
from funmem.ir.diagnostics import Diagnostic, SourceError, Span
from funmem.ir.foreign import ArrayFunction, Part
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, evolve
from funmem.ir.scalars import BOOL, I64, ScalarType
from funmem.ir.sizes import var
from funmem.passes.core.names import local_names


def scalar_calls(p: CoreProgram) -> CoreProgram:
    """Return a program whose foreign functions have scalars only."""
    on_arrays = {f.name: f for f in p.foreign if array_function(f) is not None}
    if not on_arrays:
        return p
    work = _Calls(on_arrays, Fresh(local_names(p)))
    others = tuple(f for f in p.foreign if f.name not in on_arrays)
    return CoreProgram(
        tuple(evolve(e, exp=work.exp(e.exp)) for e in p.entries),
        tuple(evolve(d, exp=work.exp(d.exp)) for d in p.defs),
        p.data,
        others + tuple(d for f in on_arrays.values() for d in _declared(f)),
    )


def array_function(d: ForeignDef) -> ArrayFunction | None:
    """Return the signature of a flat function that has arrays, without its token; else None.

    The arrays of an ``opaque`` function cross as whole blocks.

    Raises SourceError for an array of several dimensions.
    """
    if d.whole:
        return None
    start = 1 if d.effect else 0
    params = tuple(_part(d, t) for t in d.params[start:])
    results = tuple(_part(d, t) for t in _results(d)[start:])
    if not any(x.array for x in (*params, *results)):
        return None
    return ArrayFunction(d.name, params, results)


def _results(d: ForeignDef) -> tuple[Type, ...]:
    return tuple(t for _, t in d.result.fields) if isinstance(d.result, c.Record) else (d.result,)


def _part(d: ForeignDef, t: Type) -> Part:
    match t:
        case ScalarType():
            return Part(t)
        case c.Array(ScalarType() as elem):
            return Part(elem, array=True)
        case _:
            message = f"not supported: `{d.name}` on arrays of several dimensions"
            hint = "flatten the array, and pass its lengths"
            raise SourceError(Diagnostic(d.at, "not-supported", message, hint))


def _declared(d: ForeignDef) -> tuple[ForeignDef, ...]:
    of = array_function(d)
    assert of is not None
    return tuple(
        ForeignDef(f.name, (BOOL, *f.params), _tuple((BOOL, *f.results)), effect=True, at=d.at)
        for f in of.functions(c=False)
    )


def _tuple(types: tuple[Type, ...]) -> Type:
    return types[0] if len(types) == 1 else c.tuple_type(*types)


@define
class _Calls:
    """Rewrites the calls of functions on arrays."""

    on_arrays: dict[Name, ForeignDef]
    fresh: Fresh

    def exp(self, e: Exp) -> Exp:
        """Return an expression without calls on arrays."""
        e = map_parts(e, self.exp, lambda t: t)
        if isinstance(e, c.Foreign) and e.fn in self.on_arrays:
            return _Call(self.fresh, self.on_arrays[e.fn], e.at).of(e)
        return e


@define
class _Call:
    """One call: the bindings so far, and the token after them."""

    fresh: Fresh
    d: ForeignDef
    at: Span
    links: list[tuple[tuple[c.Binder, ...], Exp]] = field(factory=list)
    token: Exp = c.Const(False, BOOL)

    def of(self, e: c.Foreign) -> Exp:
        f = array_function(self.d)
        assert f is not None
        args = list(e.args)
        if self.d.effect:
            self.token = args.pop(0)
        (h,) = self.effect(names.new(f.name), (), (I64,))
        arrays = [x for x, p in zip(args, f.params, strict=True) if p.array]
        for k, xs in enumerate(arrays):
            self.pushed(names.put(f.name, k), h, xs)
        scalars = [x for x, p in zip(args, f.params, strict=True) if not p.array]
        wanted = tuple(p.type for p in f.results if not p.array)
        found = iter(self.effect(names.run(f.name), (h, *scalars), wanted))
        results: list[Exp] = []
        k = 0
        for p in f.results:
            if p.array:
                results.append(self.pulled(f.name, k, h, p.type))
                k += 1
            else:
                results.append(next(found))
        self.effect(names.end(f.name), (h,), ())
        if self.d.effect:
            results.insert(0, self.token)
        end: Exp = results[0] if len(results) == 1 else c.tuple_exp(*results, at=self.at)
        for bs, exp in reversed(self.links):
            end = c.Let(bs, exp, end, self.at)
        return end

    def call(self, name: Name, token: Exp, args: tuple[Exp, ...], results: tuple[Type, ...]) -> Exp:
        return c.Foreign(name, (token, *args), _tuple((BOOL, *results)), effect=True, at=self.at)

    def effect(
        self, name: Name, args: tuple[Exp, ...], results: tuple[Type, ...]
    ) -> tuple[c.Var, ...]:
        """Bind the results of a call; the token is that after it."""
        token = c.Binder(self.fresh(Name("t")), BOOL)
        bs = (token, *(c.Binder(self.fresh(Name("r")), t) for t in results))
        self.links.append((bs, self.call(name, self.token, args, results)))
        self.token = c.Var(bs[0].name, self.at)
        return tuple(c.Var(b.name, self.at) for b in bs[1:])

    def let(self, base: str, t: Type, e: Exp) -> c.Var:
        name = self.fresh(Name(base))
        self.links.append(((c.Binder(name, t),), e))
        return c.Var(name, self.at)

    def pushed(self, name: Name, h: Exp, xs: Exp) -> None:
        """Pass the elements of an array."""
        n = self.let("n", I64, c.Length(xs, 0, self.at))
        t, i = self.fresh(Name("t")), self.fresh(Name("i"))
        elem = c.Index(xs, (c.Fix(c.Var(i, self.at)),), self.at)
        body = self.call(name, c.Var(t, self.at), (h, elem), ())
        loop = c.Loop((c.Binder(t, BOOL),), (self.token,), c.For(i, n), body, self.at)
        self.token = self.let("t", BOOL, loop)

    def pulled(self, f: Name, k: int, h: Exp, elem: ScalarType) -> Exp:
        """Return the elements of an array result."""
        at = self.at
        (n,) = self.effect(names.length(f, k), (h,), (I64,))
        array = c.Array(elem, var(n.name))
        t, ys, i, t2, y = (self.fresh(Name(x)) for x in ("t", "ys", "i", "t", "y"))
        one = self.call(names.get(f, k), c.Var(t, at), (h, c.Var(i, at)), (elem,))
        new = c.Update(c.Var(ys, at), (c.Fix(c.Var(i, at)),), c.Var(y, at), at)
        body = c.Let(
            (c.Binder(t2, BOOL), c.Binder(y, elem)), one, c.tuple_exp(c.Var(t2, at), new, at=at), at
        )
        loop = c.Loop(
            (c.Binder(t, BOOL), c.Binder(ys, array)),
            (self.token, c.Scratch(n, elem, at)),
            *(c.For(i, n), body, at),
        )
        done, made = self.fresh(Name("t")), self.fresh(Name("ys"))
        self.links.append(((c.Binder(done, BOOL), c.Binder(made, array)), loop))
        self.token = c.Var(done, at)
        return c.Var(made, at)
