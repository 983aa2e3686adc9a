"""Evaluate module expressions to the names that they offer.

A module is the names that it offers; its definitions are checked in place, under unique names.  A
parametric module is checked once in place, with parameters of which only the module types are
known.  Each application checks a copy of the body and has definitions and hidden types of its own.
"""

from collections.abc import Callable

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail
from funmem.frontends.futhark.infer_definition import Definer
from funmem.frontends.futhark.infer_module_names import AnyModule, find
from funmem.frontends.futhark.infer_signatures import Scoped, assume, copied, restrict
from funmem.frontends.futhark.scope import Module, Names, Parametric
from funmem.ir.diagnostics import Span
from funmem.ir.record import evolve, frozen


@frozen(eq=False)
class Modules:
    """Evaluates module expressions.

    ``declare`` checks declarations, with the given names in scope, and returns what they export.
    """

    declare: Callable[[tuple[ast.Dec, ...], Names], Names]
    definer: Definer
    imported: Callable[[ast.ModImport], Names]
    """Returns the exports of the file that an import names."""

    def of(self, names: Names, e: ast.ModExp, prefix: str = "") -> AnyModule:
        """Return the module that an expression denotes, with ``names`` in scope.

        ``prefix``: the name of the module in messages, including the dot.
        """
        match e:
            case ast.ModName(q):
                return find(names, q)
            case ast.ModImport():
                return self.imported(e)
            case ast.ModStruct(decs):
                return self.declare(decs, names.copy())
            case ast.ModApply(fn, arg):
                f = self.of(names, fn)
                if not isinstance(f, Parametric):
                    fail(fn.at, "module-mismatch", "this module has no parameters")
                return self.apply(f, self.of(names, arg), arg.at, prefix)
            case ast.ModLambda(params, sig, body):
                return self.parametric(Parametric(params, sig, body, names.copy()))
            case ast.ModAscript(exp, sig):
                made = self.of(names, exp, prefix)
                return self.restrict(names, made, sig, exp.at, prefix)

    def plain(self, names: Names, e: ast.ModExp) -> Module:
        """Return a module that must not be parametric."""
        made = self.of(names, e)
        if isinstance(made, Parametric):
            fail(e.at, "module-mismatch", "this module is parametric: apply it first")
        return made

    def parametric(self, f: Parametric) -> Parametric:
        """Check a parametric module for all possible arguments, and return it."""
        assert f.body is not None
        names = f.names.copy()
        with self.definer.trying():
            for p in f.params:
                names.bind(p.name, assume(Scoped(names.copy(), self.definer, f"{p.name}."), p.sig))
            made = self.of(names, copied(f.body))
            if f.sig is not None:
                self.restrict(names, made, f.sig, f.body.at)
        return f

    def apply(self, f: Parametric, arg: AnyModule, at: Span, prefix: str = "") -> AnyModule:
        """Return the result of applying a parametric module to its first argument."""
        first, *rest = f.params
        names = f.names.copy()
        given = restrict(Scoped(names.copy(), self.definer, opaque=False), arg, first.sig, at)
        names.bind(first.name, given)
        if rest:
            return evolve(f, params=tuple(rest), names=names)
        if f.body is None:
            assert f.sig is not None
            return assume(Scoped(names, self.definer, prefix), f.sig)
        made = self.of(names, copied(f.body), prefix)
        return made if f.sig is None else self.restrict(names, made, f.sig, at, prefix)

    def restrict(
        self, names: Names, made: AnyModule, sig: ast.SigExp, at: Span, prefix: str = ""
    ) -> AnyModule:
        """Return ``made : sig``."""
        found = restrict(Scoped(names.copy(), self.definer, prefix), made, sig, at)
        if isinstance(found, Parametric) and found.body is not None and found is not made:
            self.parametric(found)
        return found

    def declared(self, names: Names, sig: ast.SigExp) -> None:
        """Check a module type in place."""
        with self.definer.trying():
            assume(Scoped(names.copy(), self.definer), sig)
