"""Phase 2 for one definition: its header, its body, and its tables with sizes."""

from collections.abc import Mapping
from typing import NoReturn

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail
from funmem.frontends.futhark.scope import Abbreviation, Global, TypeEntry
from funmem.frontends.futhark.sizes import SharedSizes, SizeSolver, map_sizes, sizes_in
from funmem.frontends.futhark.sizes_causality import check_causality
from funmem.frontends.futhark.sizes_context import SizeContext
from funmem.frontends.futhark.sizes_control import (
    body_type,
    dimensions,
    function_type,
    generalise,
)
from funmem.frontends.futhark.sizes_exp import infer_sizes
from funmem.frontends.futhark.sizes_pat import parameter
from funmem.frontends.futhark.sizes_types import is_unique, sized, template
from funmem.frontends.futhark.sizes_write import arrow_names, write
from funmem.frontends.futhark.typing import Definition, Scheme, Typing
from funmem.frontends.inference.types import Arrow, Rigid, Type
from funmem.ir.diagnostics import Span
from funmem.ir.names import Fresh, Name
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, var


class Sizer:
    """Finds the sizes of definitions; the definitions share their schemes."""

    def __init__(
        self,
        typing: Typing,
        fresh: Fresh,
        globals_: Mapping[Name, Global],
        entries: Mapping[ast.TEName, TypeEntry],
    ) -> None:
        self.typing = typing
        self.fresh = fresh
        self.globals = globals_
        self.entries = entries
        self.schemes: dict[Name, Scheme] = {}
        self.begun: dict[Name, tuple[SizeContext, list[Type], tuple[Name, ...]]] = {}
        self.shared = SharedSizes()

    def scheme(self, name: Name) -> Scheme:
        """Return the scheme of a definition, with sizes."""
        if name not in self.schemes:
            g = self.globals[name]
            if name not in self.begun:
                self.header(g)
            self._declare(g)
        return self.schemes[name]

    def _context(self) -> SizeContext:
        solver = SizeSolver(self.fresh, self.shared)
        return SizeContext(
            self.typing,
            self.entries,
            solver,
            infer_sizes,
            self.scheme,
            self._lifted,
            lambda name: self._prelude(name) == "length",
            lambda name: p if (p := self._prelude(name)) in ("|>", "<|") else "",
        )

    def _lifted(self, name: Name) -> frozenset[Name]:
        kinds = self.globals[name].kinds.items()
        return frozenset(n for n, kind in kinds if kind is not ast.ParamKind.TYPE)

    def _prelude(self, name: Name) -> str:
        """Return the name of a definition of the prelude, or "" for other definitions."""
        g = self.globals.get(name)
        return g.dec.name if g is not None and g.prelude else ""

    # ------------------------------------------------------------------ a definition

    def header(self, g: Global) -> None:
        """Check ``def f [n] (p) …``."""
        cx = self._context()
        cx.solver.depth = 1
        declared: list[Name] = []
        for p in g.dec.tparams:
            if p.kind is ast.ParamKind.SIZE:
                declared.append(self.typing.names[(p, p.name)])
                cx.bind(declared[-1], I64)
        params = [parameter(cx, p) for p in g.dec.params]
        self.begun[g.name] = (cx, params, tuple(declared))

    def _declare(self, g: Global) -> None:
        """Set the scheme that the header states, before the body is checked.

        Without a return type, the sizes of the result are unknown.
        """
        cx, params, declared = self.begun[g.name]
        depth = cx.solver.depth

        def exist() -> Size:
            cx.solver.depth = 1 << 30
            size = cx.solver.unknown("k")
            cx.solver.depth = depth
            return size

        if g.dec.ret is None:
            result = map_sizes(_result(g), lambda _: exist())
        else:
            mark = len(cx.trail)
            result = sized(cx, g.dec.ret, exist)
            cx.leave(mark)
        self._close(g, cx, params, declared, result)
        for name in self.schemes[g.name].sizes:  # like a declared `[name]`: the body may use it
            cx.solver.depths.setdefault(name, depth)

    def body(self, g: Global) -> Definition:
        """Check the body, ``= e``; return the definition with sizes in its scheme."""
        if g.name not in self.begun:
            self.header(g)
        cx, params, declared = self.begun[g.name]
        dec = g.dec
        result = body_type(cx, dec.ret, dec.exp, f"the body of `{dec.name}`")
        cx.solver.settle()
        if not g.prelude:
            check_causality(cx, dec.exp)
        if g.name not in self.schemes:
            self._close(g, cx, params, declared, result)
        del self.begun[g.name]
        scheme = self.schemes[g.name]
        _all_used(cx, g, scheme)
        write(cx)
        known = {*scheme.sizes, *arrow_names(scheme.type)}
        type_ = cx.visible(scheme.type, known)
        shown = Scheme(scheme.types, scheme.sizes, type_, scheme.implicit_sizes)
        return Definition(g.name, shown, dec, g.prelude, g.abstract)

    def check_entry(self, g: Global) -> None:
        """Require that the sizes of an entry point are found in its arguments."""
        scheme = self.schemes[g.name]
        found: set[Name] = set()
        t = scheme.type
        while isinstance(t, Arrow):
            found |= {x for s in dimensions(t.param) if (x := s.as_name) is not None}
            t = t.result
        for n in scheme.sizes:
            if n not in found:
                _not_found(g, n, any(n in s.free() for s in sizes_in(t)))

    # ------------------------------------------------------------------ module types

    def specified(self, name: Name, spec: ast.ValSpec, types: tuple[Name, ...]) -> Scheme:
        """Return the scheme that ``val f [n] : t`` states, and record it under ``name``."""
        cx = self._context()
        cx.solver.depth = 1
        declared = [
            self.typing.names[(p, p.name)] for p in spec.tparams if p.kind is ast.ParamKind.SIZE
        ]
        for n in declared:
            cx.bind(n, I64)
        arrow = isinstance(spec.type, ast.TEArrow)
        t = sized(cx, spec.type, None if arrow else lambda: cx.solver.unknown("k"))
        found = generalise(cx, t, tuple(declared), 0, spec)
        if not arrow:
            for s in sizes_in(found.type):
                self.shared.constants |= s.free() - set(found.sizes)
        scheme = Scheme(types, found.sizes, found.type, found.implicit_sizes)
        self.schemes[name] = scheme
        return scheme

    def check_view(self, of: Name, types: tuple[Type, ...], spec: ast.ValSpec, name: Name) -> None:
        """Require that a definition's type implies the sizes stated by the view ``name``."""
        cx = self._context()
        stated = self.schemes[name]
        for n in stated.sizes:
            cx.solver.rigid(n)
        cx.solver.depth = 1
        found, _ = cx.instantiate(self.scheme(of), types)
        cx.same(spec.at, found, stated.type, f"the module's value `{spec.name}`")
        cx.solver.settle()

    def same_types(self, at: Span, what: str, found: Abbreviation, wanted: Abbreviation) -> None:
        """Require equal sizes of two abbreviations that are equal except for sizes."""
        cx = self._context()
        mine, _ = template(cx, found)
        other, _ = template(cx, wanted)
        sizes = {a: var(b) for a, b in zip(found.params, wanted.params, strict=True)}
        types: dict[Name, Type] = {
            a: Rigid(b) for a, b in zip(found.params, wanted.params, strict=True)
        }
        cx.same(at, cx.replace(mine, sizes, types), other, what)

    def hidden_sizes(self, entry: Abbreviation) -> frozenset[Name]:
        """Return an abbreviation's parameters that are array dimensions outside of functions."""
        t, _ = template(self._context(), entry)
        return frozenset(x for s in dimensions(t) if (x := s.as_name) is not None)

    def _close(
        self,
        g: Global,
        cx: SizeContext,
        params: list[Type],
        declared: tuple[Name, ...],
        result: Type,
    ) -> None:
        assert g.scheme is not None
        dec = g.dec
        if dec.params:
            t = function_type(cx, dec.params, params, result, is_unique(dec.ret), 1)
        else:
            t = cx.norm(result)
        scheme = generalise(cx, t, declared, 0, dec)
        cx.solver.settle()
        for name in scheme.sizes:
            cx.opened.setdefault(name, 0)
        self.schemes[g.name] = Scheme(
            g.scheme.types, scheme.sizes, scheme.type, scheme.implicit_sizes
        )
        if not dec.params:
            for s in sizes_in(scheme.type):
                self.shared.constants |= s.free() - set(scheme.sizes)


def _not_found(g: Global, size: Name, in_result: bool) -> NoReturn:
    text = next((p.name for p in g.dec.tparams if p.name == size), "")
    what = f"the size `[{text}]`" if text else "a size"
    if in_result:
        result = f"the result of the entry point `{g.dec.name}`"
        message = f"{what} of {result} is not the length of an argument"
        hint = "state it in the result type, `: [1]i32`, or by a parameter"
        fail(g.dec.at, "entry-sizes", message, hint)
    message = f"{what} of the entry point `{g.dec.name}` is not the length of an argument"
    fail(g.dec.at, "entry-sizes", message, "the caller passes arrays: add one of this length")


def _result(g: Global) -> Type:
    """Return the type of the result, as phase 1 found it."""
    assert g.scheme is not None
    t = g.scheme.type
    for _ in g.dec.params:
        assert isinstance(t, Arrow)
        t = t.result
    return t


def _all_used(cx: SizeContext, g: Global, scheme: Scheme) -> None:
    """Require that each size parameter occurs in a type, which then determines it."""
    used = {x for s in sizes_in(scheme.type) for x in cx.solver.mentions(s)}
    for p in g.dec.tparams:
        if p.kind is ast.ParamKind.SIZE and cx.typing.names[(p, p.name)] not in used:
            fail(
                p.at,
                "unused-size",
                f"the size `[{p.name}]` occurs in no type of a parameter or the result",
                f"use it, as in `(xs: [{p.name}]i32)`, or remove it",
            )
