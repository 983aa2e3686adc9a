"""Check one definition: its header, its body, and the types left open at the end."""

from collections.abc import Iterator
from contextlib import contextmanager

from funmem.frontends.futhark import ast, builtins
from funmem.frontends.futhark.errors import (
    Follows,
    Noted,
    fail,
)
from funmem.frontends.futhark.infer_context import TypeContext
from funmem.frontends.futhark.infer_control import generalise
from funmem.frontends.futhark.infer_exhaustive import check_irrefutable
from funmem.frontends.futhark.infer_exp import infer
from funmem.frontends.futhark.infer_pat import check_distinct, pattern_type
from funmem.frontends.futhark.infer_types import (
    bind_type_params,
    check_abbreviation,
    check_specified,
    type_of,
)
from funmem.frontends.futhark.scope import (
    Abbreviation,
    Builtin,
    Global,
    LocalVar,
    Names,
    Scope,
    TypeEntry,
    Viewed,
    unique,
)
from funmem.frontends.futhark.sizes_definition import Sizer
from funmem.frontends.futhark.typing import (
    BuiltinRef,
    Definition,
    GlobalRef,
    LocalRef,
    Scheme,
    Typing,
    View,
)
from funmem.frontends.inference.type_parts import children, revealed, substitute
from funmem.frontends.inference.types import Arrow, Meta, Rigid, Type
from funmem.frontends.inference.unify import describe
from funmem.ir.diagnostics import Diagnostic
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I32, ScalarType


class Definer:
    """Checks definitions, and keeps track of the prelude definitions still to be checked."""

    def __init__(self, typing: Typing, fresh: Fresh, noted: Noted | None = None) -> None:
        self.typing = typing
        self.noted = noted
        self.fresh = fresh
        self.begun: dict[
            Global, tuple[TypeContext, list[Type], Type | None, dict[Name, ast.ParamKind]]
        ]
        self.begun = {}
        self.recursive: dict[Global, tuple[TypeContext, list[Type], Type | None]] = {}
        """Definitions whose bodies are being checked, with their parameter and result types.

        The result type is None until it is stated or the definition calls itself.
        """
        self.waiting: list[Global] = []
        self.globals: dict[Name, Global] = {}
        self.entries: dict[ast.TEName, TypeEntry] = {}
        self.sizer = Sizer(typing, fresh, self.globals, self.entries)
        self.uses: dict[Name, dict[Name, None]] = {}
        self.done: dict[Name, Definition] = {}
        self.trials = 0
        """The number of enclosing parametric modules being checked with unknown arguments."""

    def context(self, names: Names) -> TypeContext:
        """Return a context with a file's names in scope."""
        cx = TypeContext(Scope(names), self.typing, self.fresh, infer, self.require, self.entries)
        cx.noted = self.noted
        return cx

    def abbreviation(self, names: Names, dec: ast.TypeDec) -> Abbreviation:
        """Check ``type t = …``."""
        cx = self.context(names)
        entry = check_abbreviation(cx, dec)
        _decide(cx)
        _write(cx)
        return entry

    # ------------------------------------------------------------------ on demand

    def require(self, g: Global) -> Scheme:
        """Return the scheme of a definition; a lazy definition is queued for checking."""
        if g.lazy:
            g.lazy = False
            self.header(g)
            self.waiting.append(g)
            if g.scheme is None:
                self.body(g)
        return self._own_use(g) if g.scheme is None else g.scheme

    def _own_use(self, g: Global) -> Scheme:
        """Return the scheme of a definition in its own body: one type, still to be inferred."""
        begun = self.recursive.get(g)
        if begun is None:
            fail(
                g.dec.at,
                "recursion",
                f"`{g.dec.name}` is used in the types of its own parameters or of its result",
                "a size there must be a parameter or defined earlier",
            )
        cx, params, result = begun
        if not params:
            fail(
                g.dec.at,
                "recursion",
                f"`{g.dec.name}` is defined in terms of itself and has no parameters",
                "write its parameters: def f x = …",
            )
        if result is None:
            result = cx.solver.fresh(g.dec.at)
            self.recursive[g] = (cx, params, result)
        return Scheme((), self._sizes(g.dec), function(params, result))

    def define(self, g: Global) -> None:
        """Check a definition at once."""
        self.header(g)
        self.body(g)

    def finish(self, entries: list[Name]) -> Typing:
        """Check the prelude definitions that the program reached, and return the tables."""
        while self.waiting:
            g = self.waiting.pop()
            if g in self.begun:
                self.body(g)
        self.typing.entries = entries
        for name in self.done:
            self._after_its_uses(name)
        return self.typing

    def _usable(self, name: Name) -> bool:
        """True if a definition has no error and uses none that has one."""
        known = self.typing.definitions
        return name in self.done and all(x == name or x in known for x in self.uses[name])

    def _after_its_uses(self, name: Name) -> None:
        """Add a definition to the table, after those it uses."""
        stack: list[tuple[Name, list[Name]]] = [(name, list(self.uses[name]))]
        wrong: set[Name] = set()
        visited = self.typing.definitions
        opened = {name}
        while stack:
            name, rest = stack[-1]
            if name in visited or name in wrong:
                stack.pop()
            elif rest:
                used = rest.pop()
                if used not in visited and used not in opened:
                    opened.add(used)
                    stack.append((used, list(self.uses.get(used, ()))))
            elif self.noted is not None and not self._usable(name):
                wrong.add(name)
            else:
                visited[name] = self.done[name]
                stack.pop()

    # ------------------------------------------------------------------ one definition

    def header(self, g: Global) -> None:
        """Check ``def f [n] 'a (p) … : te``; if it states all types, the scheme is known."""
        dec = g.dec
        self.globals[g.name] = g
        cx = self.context(g.names)
        cx.solver.level = 1
        kinds = dict(bind_type_params(cx, dec.tparams))
        check_distinct(dec.params)
        params: list[Type] = []
        for p in dec.params:
            params.append(pattern_type(cx, p))
            check_irrefutable(cx, p)
        ret: Type | None = None
        if dec.ret is not None:
            mark = cx.scope.mark()
            ret = type_of(cx, dec.ret)
            cx.scope.leave(mark)
            t = cx.solver.zonk(function(params, ret))
            if not _open(t):
                g.kinds = kinds
                g.scheme = Scheme(tuple(kinds), self._sizes(dec), t)
                _write(cx)
        self.begun[g] = (cx, params, ret, kinds)

    def _sizes(self, dec: ast.ValDec) -> tuple[Name, ...]:
        return tuple(
            self.typing.names[(p, p.name)] for p in dec.tparams if p.kind is ast.ParamKind.SIZE
        )

    def body(self, g: Global) -> None:
        """Check the body, ``= e``, and complete the definition's tables."""
        cx, params, ret, kinds = self.begun.pop(g)
        dec = g.dec
        self.recursive[g] = (cx, params, ret)
        found = infer(cx, dec.exp)
        _, _, own = self.recursive.pop(g)
        if ret is None and own is not None:
            first = f"the result of the first call of `{dec.name}`"
            cx.same(dec.exp.at, found, own, f"the body of `{dec.name}`", (dec.exp, first))
        if ret is not None:
            announced = dec.ret
            assert announced is not None
            cx.same(
                dec.exp.at,
                found,
                ret,
                f"the body of `{dec.name}`",
                (dec.exp, ("the return type at ", announced.at)),
            )
        if cx.failed:
            raise Follows(Diagnostic(dec.at, "type-mismatch", f"`{dec.name}` is wrong"))
        t = function(params, ret if ret is not None else found)
        cx.solver.level = 0
        inferred, inferred_kinds = generalise(cx, t)
        _decide(cx)
        for final in cx.finals:
            final()
        g.kinds = {**kinds, **inferred_kinds}
        g.scheme = Scheme((*kinds, *inferred), self._sizes(dec), cx.solver.zonk(t))
        if own is not ret:
            _instantiated(cx, g, g.scheme)
        self.uses[g.name] = cx.uses
        _write(cx)
        self.done[g.name] = self.sizer.body(g)

    @contextmanager
    def trying(self) -> Iterator[None]:
        """In this context, definitions are checked but never run."""
        self.trials += 1
        try:
            yield
        finally:
            self.trials -= 1

    def close(self, cx: TypeContext) -> None:
        """Complete the tables of a context outside of definitions."""
        _decide(cx)
        _write(cx)

    def assumed(self, names: Names, spec: ast.ValSpec) -> Global:
        """Return the value that a ``val`` of a module parameter describes, with no definition."""
        hole = ast.Hole(spec.at)
        dec = ast.ValDec(spec.name, spec.tparams, (), spec.type, hole, False, spec.at)
        g = Global(unique(self.fresh, spec.name), dec, names, prelude=True, abstract=True)
        self.globals[g.name] = g
        cx = self.context(names)
        g.kinds = dict(bind_type_params(cx, spec.tparams))
        t = type_of(cx, spec.type)
        check_specified(cx, spec)
        g.scheme = Scheme(tuple(g.kinds), self._sizes(dec), t)
        self.close(cx)
        scheme = self.sizer.specified(g.name, spec, g.scheme.types)
        self.uses[g.name] = {}
        self.done[g.name] = Definition(g.name, scheme, dec, prelude=True, abstract=True)
        return g

    def check_entry(self, g: Global) -> None:
        """Require that an entry point is monomorphic and first-order."""
        assert g.scheme is not None
        if g.scheme.types:
            fail(
                g.dec.at,
                "entry-polymorphic",
                f"the entry point `{g.dec.name}` must not be polymorphic",
                "annotate its parameters",
            )
        t = revealed(g.scheme.type)
        while isinstance(t, Arrow):
            _first_order(g, t.param)
            t = t.result
        _first_order(g, t)
        self.sizer.check_entry(g)


def _instantiated(cx: TypeContext, g: Global, scheme: Scheme) -> None:
    """Instantiate a definition's uses in its own body at its own type parameters."""
    for q, (value, _, labels) in cx.instances.items():
        if value is g:
            cx.instances[q] = (g, tuple(map(Rigid, scheme.types)), labels)


def _first_order(g: Global, t: Type) -> None:
    if isinstance(t, Arrow):
        fail(
            g.dec.at,
            "entry-higher-order",
            f"the entry point `{g.dec.name}` must not take or return functions",
        )
    for part in children(t):
        _first_order(g, part)


def function(params: list[Type], result: Type) -> Type:
    """Return the type ``t -> … -> result``."""
    for p in reversed(params):
        result = Arrow(p, result)
    return result


def _open(t: Type) -> bool:
    return isinstance(t, Meta) or any(_open(part) for part in children(t))


# ---------------------------------------------------------------------- closing a definition


def _decide(cx: TypeContext) -> None:
    """Choose a type where nothing determines it: i32 and f64 for numbers."""
    solver = cx.solver
    for k in range(len(solver.cells)):
        cell = solver.cells[k]
        if cell.binding is not None or solver.default(k):
            continue
        if cell.shape is not None:
            fail(
                cell.at,
                "ambiguous-type",
                f"the type here is not determined: it is only known to be {describe(cell.shape)}",
                "add a type annotation",
            )
        if cell.equal is not None:
            fail(
                cell.equal.at,
                "ambiguous-type",
                "the type that is compared here is not determined",
                "add a type annotation",
            )
        cell.binding = I32  # a free choice: no value of this type is inspected


def _write(cx: TypeContext) -> None:
    """Fill the tables with the inferred types and references."""
    image = _single_instances(cx)
    zonk = cx.solver.zonk

    done: dict[int, Type] = {}  # the context keeps the types with these ids alive

    def final(t: Type) -> Type:
        if isinstance(t, ScalarType):
            return t
        known = done.get(id(t))
        if known is None:
            known = zonk(t)
            done[id(t)] = known = revealed(substitute(known, image) if image else known)
        return known

    typing = cx.typing
    typing.single.update(image)
    for node, t in cx.types.items():
        typing.types[node] = final(t)
    for te, t in cx.annotations.items():
        typing.annotations[te] = final(t)
    for e, scheme in cx.local_schemes.items():
        generic = tuple(n for n in scheme.types if n not in image)
        typing.local_schemes[e] = Scheme(generic, scheme.sizes, final(scheme.type))
    for q, (value, types, labels) in cx.instances.items():
        found = tuple(final(t) for t in types)
        match value:
            case Global(name, scheme=own):
                count = 0 if own is None else len(own.sizes)
                view = None
                if q in cx.views:
                    shown, given = cx.views[q]
                    view = View(shown, tuple(map(final, given)))
                typing.refs[q] = GlobalRef(name, found, (None,) * count, labels, view)
            case Builtin(module, name):
                member = builtins.member(module, name) if module else None
                count = 0 if member is None else len(member.sizes)
                typing.refs[q] = BuiltinRef(
                    module, name, found[0], (None,) * count, labels, found[1:]
                )
            case Viewed():
                raise AssertionError(value)
            case LocalVar(name, generic=generic):
                kept = tuple(t for n, t in zip(generic, found, strict=True) if n not in image)
                typing.refs[q] = LocalRef(name, labels, kept)
    for p, q in cx.initials.items():
        typing.initials[p] = typing.refs[q]


def _single_instances(cx: TypeContext) -> dict[Name, Type]:
    """Map the type parameters of local functions that are used at only one type to that type.

    A type that mentions parameters of another local function qualifies only inside that function.
    """
    used: dict[Name, list[Type]] = {}
    for value, types, _ in cx.instances.values():
        if isinstance(value, LocalVar):
            for name, t in zip(value.generic, types, strict=True):
                used.setdefault(name, []).append(cx.solver.zonk(t))
    image: dict[Name, Type] = {}
    for name, found in reversed(used.items()):  # a later use may have an earlier definition
        same = {substitute(t, image) for t in found}
        if len(same) == 1:
            (t,) = same
            if not _mentions(t, name) and _in_scope(cx, t, name):
                image = {n: substitute(u, {name: t}) for n, u in image.items()}
                image[name] = t
    return image


def _in_scope(cx: TypeContext, t: Type, name: Name) -> bool:
    """True if the type variables of ``t`` are in scope at the function that declares ``name``."""
    if isinstance(t, Rigid) and t.name in cx.extents:
        begin, end = cx.extents[t.name]
        return begin <= cx.extents[name][1] < end
    return all(_in_scope(cx, p, name) for p in children(t))


def _mentions(t: Type, name: Name) -> bool:
    return (isinstance(t, Rigid) and t.name == name) or any(_mentions(p, name) for p in children(t))
