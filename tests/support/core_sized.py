"""Recursive definitions that give arrays, and say how long these are."""

from collections.abc import Sequence

from funmem.ir import core as c
from funmem.ir.core import CoreProgram, Exp
from funmem.ir.scalars import I64
from funmem.ir.sizes import Size, const, var
from tests.support.core_programs import (
    add,
    arr,
    call,
    define,
    fmap,
    fn,
    iota,
    k,
    lets,
    op,
    program,
    v,
)


def fitted(e: Exp, size: Size) -> Exp:
    return c.Coerce(e, c.Array(I64, size), "{} is not {}")


def sized(args: Sequence[Exp], size: Size | None = None, ends: Exp | None = None) -> CoreProgram:
    """A definition whose result is as long as its first parameter, and calls itself with these
    arguments.
    """
    params = [("xs", arr(I64, None)), ("k", I64), ("i", I64)]
    body = c.If(op("<=", v("i"), k(0)), v("xs") if ends is None else ends, call("f", *args))
    body = lets(
        ("n", I64, c.Length(v("xs"), 0)),
        ("r", arr(I64, None), body),
        body=fitted(v("r"), var("n") if size is None else size),
    )
    main = call("f", iota(v("m")), v("m"), k(3))
    return program(
        [("m", I64)],
        main,
        defs=(define("f", params, arr(I64, None), body),),
        result=arr(I64, None),
    )


LESS = op("-", v("i"), k(1))
MORE = fmap(fn(("x", I64), body=add(v("x"), v("i"))), v("xs"))
SIZED = {
    "changed": sized((MORE, v("k"), LESS)),
    "longer": sized((c.Concat((v("xs"), v("xs"))), v("k"), LESS)),
    "of a parameter": sized((MORE, v("k"), LESS), var("k")),
    "constant": sized((MORE, v("k"), LESS), const(2)),
    "wrong at the end": sized((MORE, v("k"), LESS), ends=iota(add(v("k"), k(1)))),
    "longer at the end": sized((MORE, v("k"), LESS), ends=c.Concat((v("xs"), v("xs")))),
}
