"""Module types: the result of restricting a module to one, and parameters with unknown contents.

``m : { type t  val x : t }`` has a type t of its own, equal only to itself, and an x of that type,
whatever their definitions in m.  The argument of a parametric module must have the members that the
parameter's type names, with the stated types; the argument's own types remain visible.
"""

from typing import NoReturn, TypeAlias, TypeVar

from attrs import field, fields, has

from funmem.frontends.futhark import ast, builtins
from funmem.frontends.futhark.errors import (
    fail,
    place,
)
from funmem.frontends.futhark.infer_definition import Definer
from funmem.frontends.futhark.infer_module_names import (
    AnyModule,
    contents,
    definition_of,
    signature_of,
)
from funmem.frontends.futhark.infer_names import of_module
from funmem.frontends.futhark.infer_types import (
    bind_type_params,
    check_specified,
    of_entry,
    type_of,
)
from funmem.frontends.futhark.module_types import predefined, satisfies
from funmem.frontends.futhark.scope import (
    Abbreviation,
    BuiltinModule,
    Global,
    LocalVar,
    Names,
    Parametric,
    TypeEntry,
    TypeVariable,
    ValueEntry,
    Viewed,
    unique,
)
from funmem.frontends.futhark.typing import RestrictedValue, Scheme
from funmem.frontends.inference.type_parts import revealed, substitute
from funmem.frontends.inference.types import Array, Hidden, Record, Rigid, Type
from funmem.ir.diagnostics import (
    Span,
)
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import var

RESTRICTED, ARGUMENT = "?module", "?argument"
"""Names of modules that cannot occur in a program."""

Path: TypeAlias = tuple[str, ...]
"""The path of a type, such as ``m.t``, relative to a module type."""

_RANKS = (ast.ParamKind.TYPE, ast.ParamKind.SIZE_LIFTED, ast.ParamKind.LIFTED)
_KINDS = {ast.ParamKind.TYPE: "type", ast.ParamKind.SIZE_LIFTED: "type~"}
_KINDS[ast.ParamKind.LIFTED] = "type^"


@frozen(eq=False)
class Scoped:
    """The context of a module type: the names in scope, and how to treat its types.

    ``prefix``: the name of the module in messages, including the dot.  ``opaque``: types without a
    definition become new types; if False they stay as they are.  ``hidden``: the new types so far.
    ``given``: the types that ``with`` defines, each with its definition and the names in scope.
    """

    names: Names
    definer: Definer
    prefix: str = ""
    opaque: bool = True
    hidden: dict[Hidden, None] = field(factory=dict)
    given: "dict[Path, tuple[Names, ast.SigWith]]" = field(factory=dict)

    def with_(self, more: Names) -> "Scoped":
        """Return this context with more names in scope."""
        names = self.names.copy()
        names.open(more)
        return evolve(self, names=names)

    def inside(self, name: str) -> "Scoped":
        """Return the context of a module inside the module."""
        given = {path[1:]: w for path, w in self.given.items() if path[0] == name and path[1:]}
        return evolve(self, prefix=f"{self.prefix}{name}.", given=given)


# ---------------------------------------------------------------------- a module and its type


def restrict(scope: Scoped, made: AnyModule, sig: ast.SigExp, at: Span) -> AnyModule:
    """Restrict a module to the members that a module type names, and check them."""
    names = scope.names
    match sig:
        case ast.SigName(q):
            found = signature_of(names, q)
            if found.predefined and isinstance(made, BuiltinModule) and not scope.opaque:
                return _builtin(made, found.predefined, at)
            return restrict(evolve(scope, names=found.names), made, definition_of(found), at)
        case ast.SigWith(inner_sig, q):
            given = {**scope.given, (*q.quals, q.name): (names, sig)}
            return restrict(evolve(scope, given=given), made, inner_sig, at)
        case ast.SigArrow():
            if not isinstance(made, Parametric):
                fail(at, "module-mismatch", "this module has no parameters")
            return _restricted_use(names, made, sig, at)
        case ast.SigSpecs(specs):
            if isinstance(made, Parametric):
                fail(at, "module-mismatch", "this module is parametric: apply it first")
            return _specified(scope, contents(made), specs, at)


def _builtin(made: BuiltinModule, sig: str, at: Span) -> Names:
    """Restrict a built-in module to a predefined module type, which only names its values."""
    whole, kept = contents(made), Names()
    kept.types.update(whole.types)
    if not satisfies(builtins.SCALAR_NAMES[made.name], sig):
        name = next(x for x in predefined(sig) if x not in whole.values)
        fail(at, "module-mismatch", f"`{made.name}` has no value `{name}`, which `{sig}` requires")
    for name in predefined(sig):
        if name in whole.values:
            kept.bind(name, whole.values[name])
    return kept


def _restricted_use(names: Names, made: Parametric, sig: ast.SigArrow, at: Span) -> Parametric:
    r"""Return ``made : (p: s) -> r``, which is ``\(p: s) : r -> made p``."""
    inner, p = names.copy(), sig.name or ARGUMENT
    inner.bind(RESTRICTED, made)
    fn, arg = (ast.ModName(ast.QualName((), name, at), at) for name in (RESTRICTED, p))
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
                kept.bind(name, _shown(inner, spec, module.values[name], at))
            case ast.TypeSpec(name):
                if name not in module.types:
                    _lacks(at, f"type `{name}`", spec.at)
                kept.types[name] = _type(inner, spec, module.types[name], at)
            case ast.TypeDec(name):
                if name not in module.types:
                    _lacks(at, f"type `{name}`", spec.at)
                wanted = scope.definer.abbreviation(inner.names, copied(spec))
                _same_type(inner, module.types[name], wanted, name, at)
                kept.types[name] = wanted
            case ast.ModSpec(name, sig):
                found: AnyModule | None = module.modules.get(name) or module.parametric.get(name)
                if found is None:
                    _lacks(at, f"module `{name}`", spec.at)
                kept.bind(name, restrict(inner.inside(name), found, sig, at))
            case ast.Include(sig):
                part = restrict(inner, module, sig, at)
                assert isinstance(part, Names)
                kept.open(part)
    return kept


def _lacks(at: Span, what: str, wanted: Span) -> NoReturn:
    fail(
        at,
        "module-mismatch",
        f"this module has no {what}, which its type at {place(wanted)} requires",
    )


# ---------------------------------------------------------------------- values and types


def _shown(scope: Scoped, spec: ast.ValSpec, value: ValueEntry, at: Span) -> Viewed:
    """Return a value with the type that its ``val`` states, after checking sizes and uniqueness."""
    assert not isinstance(value, LocalVar)
    definer, spec = scope.definer, copied(spec)
    cx = definer.context(scope.names)
    kinds = dict(bind_type_params(cx, spec.tparams))
    wanted = type_of(cx, spec.type)
    check_specified(cx, spec)
    found, types = of_module(cx, at, value, spec.name)
    hidden = frozenset(scope.hidden)
    cx.same(at, found, revealed(wanted, hidden), f"the module's value `{spec.name}`")
    definer.close(cx)
    sizes = tuple(
        cx.typing.names[(p, p.name)] for p in spec.tparams if p.kind is ast.ParamKind.SIZE
    )
    name = unique(definer.fresh, spec.name)
    view = Viewed(name, value, Scheme(tuple(kinds), sizes, wanted), kinds, hidden)
    definer.sizer.specified(name, spec, tuple(kinds))
    base = view.base
    of = base.name if isinstance(base, Global) else None
    definer.typing.specs[name] = RestrictedValue(tuple(kinds), of, spec, at)
    if of is not None:
        final = tuple(revealed(cx.solver.zonk(t)) for t in types)
        definer.sizer.check_view(of, final, evolve(spec, at=at), name)
    return view


def _type(scope: Scoped, spec: ast.TypeSpec, entry: TypeEntry, at: Span) -> TypeEntry:
    """Return the module's type for ``type t``, or an abstract type that hides it."""
    name = spec.name
    _like(name, _kinds(entry), spec.tparams, at, spec.at)
    kind = _kind(entry)
    if _RANKS.index(kind) > _RANKS.index(spec.kind):
        fail(
            at,
            "module-mismatch",
            f"the module's type `{name}` is declared with `{_KINDS[kind]}`, "
            f"but its module type at {place(spec.at)} requires `{_KINDS[spec.kind]}`",
        )
    if isinstance(entry, Abbreviation):
        _constructive(scope, entry, name, at)
    if (name,) in scope.given:
        names, given = scope.given[(name,)]
        wanted = _given(scope, spec, names, given)
        _same_type(scope, entry, wanted, str(given.type), at)
        return wanted
    return _hide(scope, spec, entry) if scope.opaque else entry


def _given(scope: Scoped, spec: ast.TypeSpec, names: Names, given: ast.SigWith) -> Abbreviation:
    """Return the abbreviation that ``with t 'a = te`` defines for ``type t 'a``."""
    tparams, image = copied(given.tparams), copied(given.image)
    dec = ast.TypeDec(spec.name, tparams, image, ast.ParamKind.LIFTED, given.at)
    made = scope.definer.abbreviation(names, dec)
    _like(spec.name, tparams, spec.tparams, given.at, spec.at)
    return evolve(made, dec=evolve(dec, kind=spec.kind))


def _hide(scope: Scoped, spec: ast.TypeSpec, entry: TypeEntry) -> Abbreviation:
    name = spec.name
    if isinstance(entry, Abbreviation):
        pairs = list(zip(entry.dec.tparams, entry.params, strict=True))
        params = tuple(n for p, n in pairs if p.kind is not ast.ParamKind.SIZE)
        t = of_entry(entry, {n: Rigid(n) for n in params})
        whole = evolve(entry, dec=evolve(entry.dec, kind=spec.kind))
    else:
        params, t = (), of_entry(entry, {})
        te = ast.TEName(ast.QualName((), name, spec.at), spec.at)
        dec = ast.TypeDec(name, (), te, spec.kind, spec.at)
        sized = Rigid(entry.name) if isinstance(entry, TypeVariable) else entry
        whole = Abbreviation(dec, scope.names, (), t, (sized, ()))
    hidden = Hidden(scope.prefix + name, params, t, spec.kind is ast.ParamKind.LIFTED)
    scope.hidden[hidden] = None
    return evolve(whole, hidden=hidden)


def _kind(entry: TypeEntry) -> ast.ParamKind:
    match entry:
        case ScalarType():
            return ast.ParamKind.TYPE
        case TypeVariable(_, kind):
            return kind
        case Abbreviation(dec):
            return dec.kind


def _kinds(entry: TypeEntry) -> tuple[ast.TypeParam, ...]:
    return entry.dec.tparams if isinstance(entry, Abbreviation) else ()


def _like(
    name: str,
    found: tuple[ast.TypeParam, ...],
    wanted: tuple[ast.TypeParam, ...],
    at: Span,
    spec: Span,
) -> None:
    """Require that two types take the same parameters."""
    size = ast.ParamKind.SIZE
    if [p.kind is size for p in found] != [p.kind is size for p in wanted]:
        mine, other = (" ".join([name, *map(_parameter, ps)]) for ps in (found, wanted))
        fail(
            at,
            "module-mismatch",
            f"the module's type is `{mine}`, but its type at {place(spec)} requires `{other}`",
        )


def _parameter(p: ast.TypeParam) -> str:
    return f"[{p.name}]" if p.kind is ast.ParamKind.SIZE else f"{p.kind.value}{p.name}"


def _constructive(scope: Scoped, entry: Abbreviation, name: str, at: Span) -> None:
    """Require that each size parameter of a hidden type is the length of an array in it."""
    params = [
        (p, n)
        for p, n in zip(entry.dec.tparams, entry.params, strict=True)
        if p.kind is ast.ParamKind.SIZE
    ]
    if not params or entry.hidden is not None:
        return
    known = scope.definer.sizer.hidden_sizes(entry)
    for p, n in params:
        if n not in known:
            fail(
                at,
                "module-mismatch",
                f"the module's type `{name}` cannot be made abstract: its size `[{p.name}]` is not "
                "the length of an array in it",
                f"give it a field such as `[{p.name}]()`",
            )


def _same_type(scope: Scoped, entry: TypeEntry, wanted: Abbreviation, name: str, at: Span) -> None:
    """Require that a type equals the one in the module type."""
    _like(name, _kinds(entry), wanted.dec.tparams, at, wanted.dec.at)
    image: dict[Name, Type] = {n: Rigid(n) for n in wanted.params}
    params = entry.params if isinstance(entry, Abbreviation) else ()
    found = of_entry(entry, dict(zip(params, image.values(), strict=True)))
    cx = scope.definer.context(scope.names)
    what = f"the module's type `{name}`"
    cx.same(at, found, revealed(of_entry(wanted, image), scope.hidden), what)
    if isinstance(entry, Abbreviation):
        scope.definer.sizer.same_types(at, what, entry, wanted)


# ---------------------------------------------------------------------- a module type alone


def assume(scope: Scoped, sig: ast.SigExp) -> AnyModule:
    """Return a module of which only the type is known; its abstract types equal only themselves."""
    names = scope.names
    match sig:
        case ast.SigName(q):
            found = signature_of(names, q)
            return assume(evolve(scope, names=found.names), definition_of(found))
        case ast.SigWith(inner, q, at=at):
            path = (*q.quals, q.name)
            made = assume(evolve(scope, given={**scope.given, path: (names, sig)}), inner)
            entry = _at(made, path) if isinstance(made, Names) else None
            if not isinstance(entry, Abbreviation) or entry.dec.at != at:
                fail(q.at, "module-mismatch", f"`{q}` is not an abstract type of the module type")
            return made
        case ast.SigArrow(name, param, result):
            inner_names = names.copy()
            made = assume(evolve(scope, prefix=f"{name or ARGUMENT}.", given={}), param)
            inner_names.bind(name or ARGUMENT, made)
            assume(evolve(scope, names=inner_names, given={}), result)
            p = ast.ModParam(name or ARGUMENT, param, sig.at)
            return Parametric((p,), result, None, names)
        case ast.SigSpecs(specs):
            return _assumed(scope, specs)


def _at(module: Names, path: Path) -> TypeEntry | None:
    for word in path[:-1]:
        inner = module.modules.get(word)
        if not isinstance(inner, Names):
            return None
        module = inner
    return module.types.get(path[-1])


def _assumed(scope: Scoped, specs: tuple[ast.Spec, ...]) -> Names:
    made = Names()
    seen: dict[tuple[str, str], Span] = {}
    for spec in specs:
        inner = scope.with_(made)
        match spec:
            case ast.ValSpec(name):
                once(seen, ("value", name), spec.at)
                made.bind(name, scope.definer.assumed(inner.names, copied(spec)))
            case ast.TypeSpec(name):
                once(seen, ("type", name), spec.at)
                made.types[name] = _abstract(inner, spec)
            case ast.TypeDec(name):
                once(seen, ("type", name), spec.at)
                made.types[name] = scope.definer.abbreviation(inner.names, copied(spec))
            case ast.ModSpec(name, sig):
                once(seen, ("value", name), spec.at)
                made.bind(name, assume(inner.inside(name), sig))
            case ast.Include(sig):
                part = assume(inner, sig)
                assert isinstance(part, Names)
                made.open(part)
    return made


def _abstract(scope: Scoped, spec: ast.TypeSpec) -> Abbreviation:
    """Return a new abstract type; its stand-in in phase 1 has its parameters as parts."""
    fresh, name = scope.definer.fresh, spec.name
    if (name,) in scope.given:
        names, given = scope.given[(name,)]
        return _given(scope, spec, names, given)
    params = tuple(unique(fresh, p.name) for p in spec.tparams)
    part: Type = Rigid(unique(fresh, name))
    parts: list[Type] = []
    for p, n in zip(spec.tparams, params, strict=True):
        if p.kind is ast.ParamKind.SIZE:
            part = Array(part, var(n))
        else:
            parts.append(Rigid(n))
    whole = Record(tuple((str(k), t) for k, t in enumerate((part, *parts)))) if parts else part
    te = ast.TEName(ast.QualName((), name, spec.at), spec.at)
    dec = ast.TypeDec(name, spec.tparams, te, spec.kind, spec.at)
    types = tuple(
        n for p, n in zip(spec.tparams, params, strict=True) if p.kind is not ast.ParamKind.SIZE
    )
    plain = substitute(whole, {})
    hidden = Hidden(scope.prefix + name, types, plain, spec.kind is ast.ParamKind.LIFTED)
    return Abbreviation(dec, scope.names, params, plain, (whole, ()), hidden)


def once(seen: dict[tuple[str, str], Span], key: tuple[str, str], at: Span) -> None:
    """Require that no name is defined twice; the key is the kind of the name and the name."""
    if key in seen:
        fail(at, "duplicate-name", f"`{key[1]}` is already defined at {place(seen[key])}")
    seen[key] = at


# ---------------------------------------------------------------------- copies of trees

T = TypeVar("T")


def copied(tree: T) -> T:
    """Return a copy of a tree with new nodes; import nodes are shared."""
    if isinstance(tree, tuple):
        parts: object = tuple([copied(part) for part in tree])
    elif isinstance(tree, ast.Import | ast.ModImport) or not isinstance(tree, ast.Node):
        return tree
    elif has(kind := type(tree)):
        parts = kind(*[copied(getattr(tree, f.name)) for f in fields(kind)])
    else:
        return tree
    assert isinstance(parts, type(tree))
    return parts
