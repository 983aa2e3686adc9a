"""Substitution and renaming in FUN and FUNMEM, on top of :mod:`funmem.ir.traverse`.

    subst_body(b, {x: a})       b[x := a]: uses of x are replaced
    map_body(b, rename({x: y})) b with x called y, where it is bound and where it is used
    freshen_body(b, fresh)      a copy of b that binds new names only

Names are bound once in an entry point, so nothing is captured.
"""

from collections.abc import Mapping

from funmem.ir.fun import Ann, Atom, Binder, Body, Const, Lambda, Stm, Var
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve
from funmem.ir.scalars import ScalarType
from funmem.ir.sizes import Size
from funmem.ir.traverse import (
    Mapper,
    atom_size,
    bound_names,
    map_binder,
    map_body,
    map_exp,
    map_lambda,
)

Image = Mapping[Name, Atom]
"""A substitution of atoms for names; the image of a size variable is an i64 atom."""


def substitution(image: Image, sizes: Mapping[Name, Size] | None = None) -> Mapper:
    """Return a mapper that replaces *uses* of names everywhere, also in types, homes, sub-bodies.

    ``sizes`` gives polynomials for size variables; such a name must occur in sizes only.  There is
    no capture, since names are bound once.
    """
    in_sizes = {
        x: atom_size(a) for x, a in image.items() if isinstance(a, Var) or a.type is ScalarType.I64
    } | dict(sizes or {})

    def atom(a: Atom) -> Atom:
        return image.get(a.name, a) if isinstance(a, Var) else a

    def name(x: Name) -> Name:
        a = image.get(x)
        if isinstance(a, Const):
            raise TypeError(f"array or block {x} cannot become a constant")
        return x if a is None else a.name

    def size(s: Size) -> Size:
        return s.subst(in_sizes)

    def body(b: Body[Ann]) -> Body[Ann]:
        return map_body(b, m)

    def binder(b: Binder[Ann]) -> Binder[Ann]:
        return map_binder(b, m)

    m = Mapper(name=name, size=size, atom=atom, body=body, binder=binder)
    return m


def subst_body(b: Body[Ann], image: Image, sizes: Mapping[Name, Size] | None = None) -> Body[Ann]:
    """Return a body with uses of names replaced."""
    return map_body(b, substitution(image, sizes)) if image or sizes else b


def subst_stm(s: Stm[Ann], image: Image) -> Stm[Ann]:
    """Return a statement with uses of names replaced, also in types and homes of its pattern."""
    if not image:
        return s
    m = substitution(image)
    return Stm(tuple(m.binder(p) for p in s.pat), map_exp(s.exp, m), s.at)


def rename(names: Mapping[Name, Name]) -> Mapper:
    """Return a mapper that renames both uses and binders of names."""
    image = {x: Var(y) for x, y in names.items()}
    sub = substitution(image)

    def bound(x: Name) -> Name:
        return names.get(x, x)

    def body(b: Body[Ann]) -> Body[Ann]:
        return map_body(b, m)

    def binder(b: Binder[Ann]) -> Binder[Ann]:
        return map_binder(b, m)

    m = evolve(sub, body=body, binder=binder, bound=bound)
    return m


def freshen_body(b: Body[Ann], fresh: Fresh) -> Body[Ann]:
    """Return a copy of a body in which every bound name is new."""
    return map_body(b, rename({x: fresh(x) for x in bound_names(b)}))


def freshen_lambda(op: Lambda[Ann], fresh: Fresh) -> Lambda[Ann]:
    """Return a copy of an operator in which every parameter and bound name is new."""
    names = {x: fresh(x) for x in (*(p.name for p in op.params), *bound_names(op.body))}
    return map_lambda(op, rename(names))
