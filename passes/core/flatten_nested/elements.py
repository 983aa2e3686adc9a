"""Rows in the body of a map: the code of one row, and of one of its elements."""

from typing import TypeAlias

from attrs import field

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.diagnostics import NOWHERE
from funmem.ir.names import Name
from funmem.ir.record import define, frozen
from funmem.ir.scalars import I64, BinOp
from funmem.passes.core.flatten_nested.sizes import plain_scalar
from funmem.passes.core.flatten_nested.state import (
    Deep,
    Ragged,
    Refused,
    State,
    at,
    elem_of,
    iota,
    plus,
    rank,
    row_of,
    start_of,
)
from funmem.passes.core.names import free_names


@frozen
class Plain:
    """A name whose value in row i is element i of an array (for rank 2: its row i)."""

    array: Name


@frozen
class Delayed:
    """A row whose elements are computed where they are used."""

    exp: Exp


Local: TypeAlias = Plain | Ragged | Deep | Delayed


@define(eq=False)
class Elements:
    """What the names mean that the body of a map over n rows has bound so far."""

    s: State
    n: Exp
    local: dict[Name, Local]
    place: tuple[Name, Name] | None = None
    """The offsets of a segmented operation, and the name of its element."""
    aligned: dict[tuple[Name, Name], Ragged] = field(factory=dict)
    """Offsets, and elements of other rows of equal lengths -> these elements as rows with them."""

    def stored(self, e: Exp) -> Ragged:
        """Bind the elements and offsets of a row expression in all rows."""
        raise NotImplementedError

    # ------------------------------------------------------------------ one thread per row

    def per_row(self, e: Exp) -> Exp:
        """Return the map that computes an expression once for each row."""
        i = self.s.fresh("i")
        self.s.types[i] = I64
        body = self.in_row(e, c.Var(i))
        return c.Map(c.Lambda((c.Binder(i, I64),), body), (iota(self.n),))

    def in_row(self, e: Exp, i: Exp) -> Exp:
        """Return a copy of an expression in row i, with what it uses of the row bound around it."""
        image: dict[Name, Name] = {}
        bound: list[tuple[c.Binder, Exp]] = []
        for x in free_names(e):
            v = self.local.get(x)
            if isinstance(v, Delayed):
                v = self.local[x] = self.stored(v.exp)
            if v is None:
                continue
            if isinstance(v, Deep):
                raise Refused(f"`{x}`, rows of rows in a thread", NOWHERE)
            new = self.s.fresh(x)
            image[x] = new
            t = self.s.types[x]
            self.s.types[new] = t
            value = at(v.array, i) if isinstance(v, Plain) else row_of(v, i)
            bound.append((c.Binder(new, c.Array(elem_of(t)) if rank(t) else t), value))
        new_e = self.s.copy(e, image)
        for b, value in reversed(bound):
            new_e = c.Let((b,), value, new_e)
        return new_e

    # ------------------------------------------------------------------ elements

    def is_elementwise(self, e: Exp) -> bool:
        """True if element j of a row can be computed by itself."""
        match e:
            case c.Var(x):
                v = self.local.get(x)
                if isinstance(v, Delayed):
                    return self.is_elementwise(v.exp)
                return not isinstance(v, Deep)
            case c.Map(c.Lambda(_, body), arrays):
                return plain_scalar(body) and all(map(self.is_elementwise, arrays))
            case c.Iota() | c.Replicate():
                return True
            case c.Index(c.Var(), dims):
                return sum(isinstance(d, c.Range) for d in dims) == 1
            case c.If(cond, then, orelse):
                return all(map(self.is_elementwise, (then, orelse))) and plain_scalar(cond)
            case c.Let(binders, _, body) if _is_unused(binders, body):
                return self.is_elementwise(body)
            case c.Let(binders, exp, body):
                plain = not any(rank(b.type) for b in binders) and plain_scalar(exp)
                return plain and self.is_elementwise(body)
            case c.Assert(cond, _, values, body):  # the length of the row is computed with it
                return all(map(plain_scalar, (cond, *values))) and self.is_elementwise(body)
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
                | c.Let()
                | c.Assert()
            ):
                return False

    def element(self, e: Exp, i: Exp, j: Exp) -> Exp:
        """Return element j of a row expression in row i."""
        match e:
            case c.Var(x):
                match self.local.get(x):
                    case Delayed(exp):
                        return self.element(exp, i, j)
                    case Ragged() as v if (data := self.in_place(v)) is not None:
                        return data
                    case Ragged() as v:
                        return at(v.data, plus(start_of(v, i), j))
                    case Plain(array):
                        return c.Index(c.Var(array), (c.Fix(i), c.Fix(j)))
                    case Deep():
                        raise Refused(f"`{x}`, rows of rows as one row", e.at)
                    case None:
                        return at(x, j)
            case c.Map(c.Lambda(params, body), arrays):
                image = {p.name: self.s.fresh(p.name) for p in params}
                self.s.types |= {image[p.name]: p.type for p in params}
                value = self.element_code(body, i, image)
                for p, xs in reversed(list(zip(params, arrays, strict=True))):
                    b = c.Binder(image[p.name], p.type)
                    value = c.Let((b,), self.element(xs, i, j), value)
                return value
            case c.Iota(_, start, step):
                t = self.s.type(start)
                where = j if t is I64 else c.Convert(elem_of(t), j)
                first, by = self.in_row(start, i), self.in_row(step, i)
                return plus(first, c.Bin(BinOp.MUL, where, by))
            case c.Replicate(_, value):
                return self.in_row(value, i)
            case c.Let(binders, _, body) if _is_unused(binders, body):
                return self.element(body, i, j)
            case c.Let():
                own = self.s.copy(e)
                assert isinstance(own, c.Let)
                return c.Let(own.binders, self.in_row(own.exp, i), self.element(own.body, i, j))
            case c.Assert(body=body):
                return self.element(body, i, j)
            case c.If(cond, then, orelse):
                return c.If(
                    self.in_row(cond, i), self.element(then, i, j), self.element(orelse, i, j)
                )
            case (
                c.Leaf()
                | c.FunctionOperation()
                | c.Control()
                | c.RecordOperation()
                | c.ScalarOperation()
                | c.ArrayOperation()
                | c.Let()
                | c.Assert()
            ):
                return at(self.in_row(e, i), j)

    def in_place(self, v: Ragged) -> Exp | None:
        """Return the element of a segmented operation, if it has the offsets of these rows."""
        if self.place is None:
            return None
        offsets, k = self.place
        v = self.aligned.get((offsets, v.data), v)
        return at(v.data, c.Var(k)) if v.offsets == offsets else None

    def element_code(self, body: Exp, i: Exp, image: dict[Name, Name]) -> Exp:
        """Return a copy of scalar code in row i, where parameters have the names of ``image``."""
        return self.in_row(self.s.copy(body, image), i)


def _is_unused(binders: tuple[c.Binder, ...], body: Exp) -> bool:
    """True if an expression uses no name of a binding in front of it."""
    return not {b.name for b in binders} & set(free_names(body))
