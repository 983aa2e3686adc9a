"""Write the tables of a definition after phase 2, with sizes that are expressible at each node.

A size in the tables is a polynomial over i64 variables in scope at the node.  Sizes known only at
run time are left out of types.  A size that is an argument (``Ref.sizes``) or is stated by the
program (``annotations``) may also name an array's length or the value of an expression
(``meanings``).
"""

from collections.abc import Iterator, Mapping

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.errors import fail
from funmem.frontends.futhark.infer_show import Spelling
from funmem.frontends.futhark.sizes import map_sizes
from funmem.frontends.futhark.sizes_context import Annotation, SizeContext
from funmem.frontends.futhark.sizes_control import dimensions
from funmem.frontends.futhark.sizes_values import OTHER, free_locals
from funmem.frontends.futhark.typing import (
    BuiltinRef,
    Computed,
    GlobalRef,
    LocalRef,
    Meaning,
    Scheme,
    Witness,
)
from funmem.frontends.inference.type_parts import children
from funmem.frontends.inference.types import Array, Arrow, Type
from funmem.ir.names import Name
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size, var


def arrow_names(t: Type) -> list[Name]:
    """Return the names that the function types in a type bind."""
    names: list[Name] = []
    if isinstance(t, Arrow):
        names += [*([t.name] if t.name is not None else []), *t.exists]
    for part in children(t):
        names += arrow_names(part)
    return names


def write(cx: SizeContext) -> None:
    """Fill the program's tables."""
    typing = cx.typing
    witnesses = _witnesses(cx)
    for node, (t, time) in cx.types.items():
        if not isinstance(t, ScalarType):
            typing.types[node] = cx.at(t, time)
    for pat, (t, time) in cx.stated.items():
        typing.types[pat] = cx.at(t, time, stated=True)
    for te, annotation in cx.annotations.items():
        typing.annotations[te] = _annotation(cx, te, annotation, witnesses)
    for e, scheme in cx.schemes.items():
        known = {*scheme.sizes, *arrow_names(scheme.type)}
        typing.local_schemes[e] = Scheme(
            scheme.types, scheme.sizes, cx.visible(scheme.type, known), scheme.implicit_sizes
        )
    for q, (ref, t, sizes, own, time) in cx.instances.items():
        found = tuple(
            None
            if own is None or name in own.implicit_sizes
            else _argument(cx, q, name, size, time, witnesses)
            for name, size in zip(own.sizes if own else (), sizes, strict=bool(own))
        )
        match ref:
            case LocalRef(name, labels, types):
                typing.refs[q] = LocalRef(name, labels, types, found)
            case GlobalRef(name, types, _, labels, view):
                typing.refs[q] = GlobalRef(name, types, found, labels, view)
            case BuiltinRef(module, name, _, _, labels, types):
                typing.refs[q] = BuiltinRef(module, name, cx.at(t, time), found, labels, types)
    for p in cx.let_sizes:
        _determined(cx, *p)


Witnesses = dict[Name, list[Witness]]


def _witnesses(cx: SizeContext) -> Witnesses:
    """Map the names of sizes to the variables that have them as a dimension, first bound first."""
    found: Witnesses = {}
    for name in cx.opened:
        t = cx.vars.get(name)
        dim = 0
        while isinstance(t, Array):
            size = None if t.size is None else cx.solver.norm(t.size).as_name
            if size is not None and size not in cx.solver.metas:
                found.setdefault(size, []).append(Witness(name, dim))
            t, dim = t.elem, dim + 1
    return found


def _annotation(cx: SizeContext, te: ast.TypeExp, a: Annotation, witnesses: Witnesses) -> Type:
    """Return the type with its written sizes, and with inferred sizes where they are expressible.

    A size in a function type concerns its calls and is not checked here.
    """
    t, time, left_open = a
    if any(cx.solver.norm(var(x)).as_name in cx.solver.metas for x in left_open):
        fail(
            te.at,
            "ambiguous-size",
            "a size that this type leaves open is not determined",
            "write it with the names that are in scope here",
        )
    open_here = left_open | cx.solver.metas | cx.solver.soft
    checked = set(dimensions(t))

    def stated(s: Size | None) -> Size | None:
        if s is None or all(cx.in_scope(x, time) for x in s.free()):
            return s
        if not s.free().isdisjoint(left_open):
            return None
        found = _expressed(cx, cx.solver.norm(s), time, witnesses)
        if found is None and s in checked and cx.solver.mentions(s).isdisjoint(open_here):
            fail(
                te.at,
                "ambiguous-size",
                f"the size {Spelling(cx.typing.names)(str(s))[0]} of this type is not known here",
                "write it with the names that are in scope here",
            )
        return found

    return map_sizes(t, stated)


def _argument(
    cx: SizeContext, q: ast.QualName, name: Name, size: Size, time: int, witnesses: Witnesses
) -> Size:
    """Return the size to pass for the size parameter ``name`` of ``q``."""
    size = cx.solver.norm(size)
    found = None
    if size.free().isdisjoint(cx.solver.metas):
        found = _expressed(cx, size, time, witnesses)
    if found is None:
        fail(
            q.at,
            "ambiguous-size",
            f"the size `{Spelling(cx.typing.names)(name)[0]}` of `{q}` is not determined here",
            "annotate the type of the result, or of an argument that is a function",
        )
    return found


def _expressed(cx: SizeContext, size: Size, time: int, witnesses: Witnesses) -> Size | None:
    """Return ``size`` in terms of the names in scope at ``time``, or None."""
    image: dict[Name, Size] = {}
    for x in size.free():
        if cx.in_scope(x, time):
            continue
        same = next((v for v in _aliases(cx, x) if cx.in_scope(v, time)), None)
        if same is not None:
            image[x] = var(same)
            continue
        means: Meaning | None = _computed(cx, x, time, witnesses)
        witness = next((w for w in witnesses.get(x, ()) if cx.in_scope(w.array, time)), None)
        if means is None or _costs(cx, x):
            means = witness or means
        if means is None:
            return _factored(cx, size, x, time, witnesses)
        image[x] = var(_named(cx, x, means))
    return size.subst(image)


def _costs(cx: SizeContext, x: Name) -> bool:
    """True if computing a size again may cost more than reading an array's length."""
    atoms = cx.solver.atoms
    return any(y in atoms and atoms[y].op.startswith(OTHER) for y in cx.solver.mentions(var(x)))


def _computed(cx: SizeContext, x: Name, time: int, witnesses: Witnesses) -> Computed | None:
    """Return an expression of the atom ``x`` over variables in scope or known sizes, or None."""
    for e, image in _expressions(cx, x):
        free = free_locals(cx, e)
        if not all(y in image or cx.in_scope(y, time) for y in free):
            continue
        args: list[tuple[Name, Size]] = []
        for y in sorted(free & image.keys()):
            size = _expressed(cx, cx.solver.norm(image[y]), time, witnesses)
            if size is not None:
                args.append((y, size))
        if len(args) == len(free & image.keys()):
            return Computed(e, tuple(args))
    return None


def _expressions(cx: SizeContext, x: Name) -> Iterator[tuple[ast.Exp, Mapping[Name, Size]]]:
    """Yield the expressions of an atom, each with the sizes of abbreviations' parameters in it."""
    solver, shared = cx.solver, cx.solver.shared
    todo: list[tuple[Name, Mapping[Name, Size]]] = [(x, {})]
    seen: set[Name] = set()
    while todo:
        atom, image = todo.pop()
        if atom in seen:
            continue
        seen.add(atom)
        yield from ((e, image) for e in shared.exps.get(atom, ()))
        if atom in shared.copies:
            original, given = shared.copies[atom]
            inner = {y: solver.subst(s, image) for y, s in given.items()}
            todo.append((original, {**image, **inner}))
        if atom in solver.renamed:
            todo.append((solver.renamed[atom], image))


def _named(cx: SizeContext, x: Name, means: Meaning) -> Name:
    """Return a name for the size ``x`` computed as ``means``, which may differ elsewhere."""
    typing = cx.typing
    if means == typing.meanings.get(x):
        return x
    if (x, means) not in cx.meanings:
        name = x if x not in typing.meanings else cx.solver.fresh("?size")
        cx.meanings[x, means] = name
        typing.meanings[name] = means
    return cx.meanings[x, means]


def _factored(cx: SizeContext, size: Size, x: Name, time: int, witnesses: Witnesses) -> Size | None:
    """Return ``size`` as a multiple of a variable whose value mentions ``x``, or None.

    In ``let [m] …`` with m = x * n, the size x * n * k is m * k.
    """
    for v in cx.opened:
        if not cx.in_scope(v, time):
            continue
        value = cx.solver.norm(cx.values.get(v, var(v)))
        if x not in value.free():
            continue
        factor = size.divided_by(value)
        rest = None if factor is None else _expressed(cx, factor, time, witnesses)
        if rest is not None:
            return rest * var(v)
    return None


def _aliases(cx: SizeContext, x: Name) -> list[Name]:
    """Return the variables that are bound to the value ``x``."""
    return [v for v, s in cx.values.items() if cx.solver.norm(s).as_name == x]


def _determined(cx: SizeContext, name: Name, at: ast.Let, text: str) -> None:
    if name not in cx.solver.binding:
        fail(
            at.at,
            "unused-size",
            f"the size `[{text}]` occurs in no type of the pattern",
            f"use it, as in `let [{text}] (xs: [{text}]i32) = …`",
        )
