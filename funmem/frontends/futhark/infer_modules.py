"""Module expressions: which names they stand for.

A module is the names that it offers; its definitions are checked where they stand, under names of
their own.  A parametric module is checked when it is applied: each application has definitions of
its own, made of a copy of the body.  A module type says which names remain visible.  What a type
is stays known: ``module m : { type t }`` does not make ``m.t`` a type of its own.
"""

from collections.abc import Callable
from typing import NoReturn, TypeAlias, TypeVar

from attrs import fields, has

from funmem.frontends.futhark import ast, builtins
from funmem.frontends.futhark.errors import fail, failure
from funmem.frontends.futhark.infer_context import Context
from funmem.frontends.futhark.infer_names import instantiate, suggestion
from funmem.frontends.futhark.infer_types import bind_type_params, type_of
from funmem.frontends.futhark.scope import (
    Abbreviation,
    Builtin,
    BuiltinModule,
    Global,
    LocalVar,
    Module,
    Names,
    Parametric,
    Signature,
    TypeEntry,
    TypeVariable,
    Value,
)
from funmem.ir.diagnostics import Span
from funmem.ir.record import evolve, frozen

Made: TypeAlias = Module | Parametric

_RESTRICTED, _ARGUMENT = "?module", "?argument"
"""Names of modules that no program has."""

PREDEFINED = ("from_prim", "numeric", "ordered_field", "integral", "real", "float", "size")
"""Module types of Futhark's prelude, which the built-in modules have."""


@frozen(eq=False)
class Scoped:
    """The names in scope, and how to check types there."""

    names: Names
    context: Callable[[Names], Context]

    def with_(self, more: Names) -> "Scoped":
        """The same with more names in scope."""
        names = self.names.copy()
        names.open(more)
        return evolve(self, names=names)


@frozen(eq=False)
class Modules:
    """``declare`` checks declarations, where these names are in scope; what they offer."""

    declare: Callable[[tuple[ast.Dec, ...], Names], Names]
    context: Callable[[Names], Context]

    # ------------------------------------------------------------------ expressions

    def of(self, names: Names, e: ast.ModExp) -> Made:
        """What a module expression stands for, where ``names`` are in scope."""
        match e:
            case ast.ModName(q):
                return find(names, q)
            case ast.ModStruct(decs):
                return self.declare(decs, names.copy())
            case ast.ModApply(fn, arg):
                f = self.of(names, fn)
                if not isinstance(f, Parametric):
                    fail(fn.at, "module-mismatch", "this module has no parameters")
                return self.apply(f, self.of(names, arg), arg.at)
            case ast.ModLambda(params, sig, body):
                return Parametric(params, sig, body, names.copy())
            case ast.ModAscript(exp, sig):
                return self.restrict(names, self.of(names, exp), sig, exp.at)

    def plain(self, names: Names, e: ast.ModExp) -> Module:
        """A module that must have no parameters left."""
        made = self.of(names, e)
        if isinstance(made, Parametric):
            fail(e.at, "module-mismatch", "this module still has parameters")
        return made

    def apply(self, f: Parametric, arg: Made, at: Span) -> Made:
        """The module that a parametric one makes of its first argument."""
        first, *rest = f.params
        names = f.names.copy()
        names.bind(first.name, self.restrict(names, arg, first.sig, at))
        if rest:
            return evolve(f, params=tuple(rest), names=names)
        made = self.of(names, copied(f.body))
        return made if f.sig is None else self.restrict(names, made, f.sig, at)

    def restrict(self, names: Names, made: Made, sig: ast.SigExp, at: Span) -> Made:
        """``made : sig``."""
        return restrict(Scoped(names, self.context), made, sig, at)


def find(names: Names, q: ast.QualName) -> Made:
    """The module called ``q``."""
    here = _outer(names, q)
    known: dict[str, Made] = {**here.modules, **here.parametric} if isinstance(here, Names) else {}
    if q.name not in known:
        message = f"no module `{q}` is in scope"
        raise failure(q.at, "unknown-module", message, suggestion(q.name, known))
    return known[q.name]


def _outer(names: Names, q: ast.QualName) -> Module:
    """The module that ``q`` is a member of."""
    here: Module = names
    for word in q.quals:
        found = here.modules.get(word) if isinstance(here, Names) else None
        if found is None:
            fail(q.at, "unknown-module", f"no module `{'.'.join(q.quals)}` is in scope")
        here = found
    return here


def contents(module: Module) -> Names:
    """The names that a module offers."""
    match module:
        case BuiltinModule(name):
            values = {m: Builtin(name, m) for m in builtins.member_names(name)}
            scalar = builtins.SCALAR_NAMES.get(name)
            return Names(dict(values), {} if scalar is None else {"t": scalar})
        case Names():
            return module


# ---------------------------------------------------------------------- module types


def restrict(scope: Scoped, made: Made, sig: ast.SigExp, at: Span) -> Made:
    """A module with the names that a module type mentions, which it must have."""
    names = scope.names
    match sig:
        case ast.SigName(q):
            outer = _outer(names, q)
            found = outer.sigs.get(q.name) if isinstance(outer, Names) else None
            if found is None:
                fail(q.at, "unknown-module", f"no module type `{q}` is in scope")
            inner = evolve(scope, names=found.names)
            return made if found.exp is None else restrict(inner, made, found.exp, at)
        case ast.SigWith(inner_sig):
            made = restrict(scope, made, inner_sig, at)
            _substituted(scope, made, sig, at)
            return made
        case ast.SigArrow():
            if not isinstance(made, Parametric):
                fail(at, "module-mismatch", "this module has no parameters")
            return _restricted_use(names, made, sig, at)
        case ast.SigSpecs(specs):
            if isinstance(made, Parametric):
                fail(at, "module-mismatch", "this module still has parameters")
            return _specified(scope, contents(made), specs, at)


def _restricted_use(names: Names, made: Parametric, sig: ast.SigArrow, at: Span) -> Parametric:
    r"""``made : (p: s) -> r``, that is, ``\(p: s) : r -> made p``."""
    inner, p = names.copy(), sig.name or _ARGUMENT
    inner.bind(_RESTRICTED, made)
    fn, arg = (ast.ModName(ast.QualName((), name, at), at) for name in (_RESTRICTED, p))
    param = ast.ModParam(p, sig.param, at)
    return Parametric((param,), sig.result, ast.ModApply(fn, arg, at), inner)


def _specified(scope: Scoped, module: Names, specs: tuple[ast.Spec, ...], at: Span) -> Names:
    kept = Names()
    for spec in specs:
        inner = scope.with_(kept)
        match spec:
            case ast.ValSpec(name):
                if name not in module.values:
                    _lacks(at, f"value `{name}`", spec.at)
                kept.bind(name, module.values[name])
                _same_value(inner, spec, module.values[name], at)
            case ast.TypeSpec(name) | ast.TypeDec(name):
                if name not in module.types:
                    _lacks(at, f"type `{name}`", spec.at)
                kept.types[name] = module.types[name]
                if isinstance(spec, ast.TypeDec) and not spec.tparams:
                    _same_type(inner, module.types[name], spec.type, name, at)
            case ast.ModSpec(name, sig):
                found: Made | None = module.modules.get(name) or module.parametric.get(name)
                if found is None:
                    _lacks(at, f"module `{name}`", spec.at)
                kept.bind(name, restrict(inner, found, sig, at))
            case ast.Include(sig):
                part = restrict(inner, module, sig, at)
                assert isinstance(part, Names)
                kept.open(part)
    return kept


def _lacks(at: Span, what: str, wanted: Span) -> NoReturn:
    place = f"{wanted.line}:{wanted.col}"
    fail(at, "module-mismatch", f"this module has no {what}, which its type at {place} demands")


def _same_value(scope: Scoped, spec: ast.ValSpec, value: Value, at: Span) -> None:
    """A value has the type that its ``val`` says, up to sizes."""
    cx = scope.context(scope.names)
    bind_type_params(cx, spec.tparams)
    wanted = type_of(cx, spec.type)
    match value:
        case Global():
            found, _ = instantiate(cx, at, cx.require(value), value.kinds, spec.name)
        case Builtin(module, name):
            scheme = builtins.member(module, name)
            assert scheme is not None
            found, _ = instantiate(cx, at, scheme, {}, spec.name)
        case LocalVar():
            raise AssertionError(value)
    cx.same(at, found, wanted, f"the module's value `{spec.name}`")


def _same_type(scope: Scoped, entry: TypeEntry, wanted: ast.TypeExp, name: str, at: Span) -> None:
    """A type without parameters is the one that the module type says."""
    if isinstance(entry, TypeVariable) or (isinstance(entry, Abbreviation) and entry.params):
        return
    found = entry.type if isinstance(entry, Abbreviation) else entry
    cx = scope.context(scope.names)
    cx.same(at, found, type_of(cx, wanted), f"the module's type `{name}`")


def _substituted(scope: Scoped, made: Made, sig: ast.SigWith, at: Span) -> None:
    """``with t = te``: t is te."""
    if isinstance(made, Parametric) or sig.tparams:
        return
    here = contents(_outer(contents(made), sig.type))
    if sig.type.name not in here.types:
        _lacks(at, f"type `{sig.type.name}`", sig.at)
    _same_type(scope, here.types[sig.type.name], sig.image, str(sig.type), at)


def predefined() -> dict[str, Signature]:
    """The module types that every file sees."""
    return {name: Signature(None, Names()) for name in PREDEFINED}


# ---------------------------------------------------------------------- copies of trees

T = TypeVar("T")


def copied(tree: T) -> T:
    """A tree of new nodes; imports stay what they are."""
    if isinstance(tree, tuple):
        parts: object = tuple([copied(part) for part in tree])
    elif isinstance(tree, ast.Import) or type(tree).__module__ != ast.__name__:
        return tree
    elif has(kind := type(tree)):
        parts = kind(*[copied(getattr(tree, f.name)) for f in fields(kind)])
    else:
        return tree
    assert isinstance(parts, type(tree))
    return parts
