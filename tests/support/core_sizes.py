"""Core programs in which a size decides whether there is a trap, and what a pass may take it for.

Each has calls that trap and calls that do not; SIZES names them.
"""

from funmem.ir import core as c
from funmem.ir.core import Exp
from funmem.ir.names import Name
from funmem.ir.scalars import I64
from tests.support.core_programs import (
    add,
    arr,
    at,
    define,
    fields,
    fmap,
    fn,
    i64s,
    iota,
    k,
    let,
    lets,
    op,
    program,
    rec,
    tup,
    v,
)
from tests.support.core_samples import app, sample, the

UP = c.Arrow(I64, I64)
SAME = define("same", [("x", I64)], I64, v("x"))
FIVE, THREE = i64s(1, 2, 3, 4, 5), i64s(1, 2, 3)


def zipped(x: Exp, y: Exp) -> Exp:
    """The length of two arrays that go together."""
    return c.Length(c.Zip((("x", x), ("y", y))))


LET = sample(
    program(
        [("m", I64), ("k", I64)],
        app(the("d"), the("same"), v("m"), v("k"), iota(v("m")), iota(v("k"))),
        defs=(
            SAME,
            define(
                "d",
                [("g", UP), ("n", I64), ("m", I64), ("xs", arr(I64, "n")), ("ws", arr(I64, "m"))],
                I64,
                lets(
                    ("ys", arr(I64, "n"), v("xs")),
                    ("r", rec(f=UP, a=arr(I64, "n")), fields(f=v("g"), a=c.Copy(v("ys")))),
                    body=zipped(c.Project(v("r"), "a"), v("ws")),
                ),
            ),
        ),
        result=I64,
    ),
    *((3, 3), (3, 5)),
)
"""``ys`` is another name of ``xs``: its n is called m outside of d, where m is something else."""

DEFINED = sample(
    program(
        [("xs", arr(I64, "n"))],
        zipped(the("g"), v("xs")),
        sizes="n",
        defs=(define("n", [], I64, k(5)), c.Def(Name("g"), (), arr(I64, "n"), iota(k(5)))),
        result=I64,
    ),
    *((FIVE,), (THREE,)),
)
"""The n in the type of ``g`` is a definition, that of the entry point is the length of ``xs``."""

_FITTED = c.Coerce(v("xs"), arr(I64, "n"), "{} {}")

STATED = sample(
    program(
        [("xs", arr(I64, None))],
        let(
            "y",
            arr(I64, None),
            _FITTED,
            let("n", I64, k(3), add(c.Length(v("y")), add(v("n"), the("n")))),
        ),
        defs=(define("n", [], I64, k(5)),),
        result=I64,
    ),
    *((FIVE,), (THREE,)),
)
"""A size is a definition, whose name a variable has later."""

STATED_ONLY = sample(
    program(
        [("xs", arr(I64, None))],
        let("y", arr(I64, None), _FITTED, let("n", I64, k(3), add(c.Length(v("y")), v("n")))),
        defs=(define("n", [], I64, k(5)),),
        result=I64,
    ),
    *((FIVE,), (THREE,)),
)
"""The same, where nothing else mentions the definition."""

ORDER = sample(
    program(
        [("xs", arr(I64, "n")), ("z", I64)],
        c.Length(
            c.Unflatten(
                (op("/", k(1), v("z")),),
                fmap(fn(("x", I64), body=at(v("xs"), add(v("x"), k(9)))), v("xs")),
            )
        ),
        sizes="n",
        result=I64,
    ),
    *((i64s(1), 0), (i64s(1), 1), (i64s(), 1)),
)
"""The sizes come before the array; both may trap, each in its own way."""

_TWO = c.ArrayLit((c.Replicate(k(1), k(1)), c.Replicate(v("z"), k(1))), arr(I64, None))

IRREGULAR = sample(
    program(
        [("z", I64)],
        let(
            "xs",
            arr(I64, None, None),
            _TWO,
            c.Project(fields(a=c.Length(v("xs"), 1), b=k(3)), "b"),
        ),
        result=I64,
    ),
    *((1,), (2,)),
)
"""An inner length that nobody uses: there is none if rows differ."""

_KEEPS = fn(
    *(("a", I64), ("u", arr(c.UNIT, None)), ("b", I64), ("w", arr(c.UNIT, None))),
    body=tup(add(v("a"), v("b")), v("u")),
)
_ROW = c.Replicate(k(2), tup())
_ROWS = c.Replicate(v("n"), _ROW)

UNITS = sample(
    program(
        [("n", I64)],
        tup(
            c.Project(c.Reduce(_KEEPS, (k(0), _ROW), (iota(k(3)), _ROWS)), "0"),
            c.Project(c.Unzip(c.Scan(_KEEPS, (k(0), _ROW), (iota(k(3)), _ROWS))), "0"),
            c.Project(
                c.Hist(
                    *(_KEEPS, (k(0), _ROW), (iota(k(3)), _ROWS)),
                    *(iota(k(3)), (iota(k(3)), _ROWS)),
                ),
                "0",
            ),
        ),
        result=c.tuple_type(I64, arr(I64, None), arr(I64, None)),
    ),
    *((3,), (2,)),
)
"""Operators on arrays of units, which have parts: their lengths."""


def counted(t: c.Type, ne: Exp, deep: bool) -> c.Hist:
    """A histogram whose second destination has a length of its own, or rows that have."""
    body = tup(add(v("a"), v("b")), v("u"))
    f = fn(("a", I64), ("u", t), ("b", I64), ("w", t), body=body)
    many = c.Replicate(c.Length(v("is")), ne)

    def dest(n: Exp, x: Exp) -> Exp:
        return c.Replicate(k(4), c.Replicate(n, x)) if deep else c.Replicate(n, x)

    place = c.Zip((("0", v("is")), ("1", v("is")))) if deep else v("is")
    into = (dest(k(4), k(0)), dest(v("m"), ne))
    return c.Hist(f, (k(0), ne), into, place, (v("is"), many))


DESTINATIONS = {
    f"hist-of-{what}{'-in-rows' if deep else ''}": sample(
        program(
            [("is", arr(I64, "n")), ("m", I64)],
            c.Project(counted(t, ne, deep), "0"),
            sizes="n",
            result=arr(I64, *((None, None) if deep else (None,))),
        ),
        *((i64s(0, 3), 4), (i64s(0, 3), 1), (i64s(0, 0), 1)),
    )
    for what, t, ne in (("numbers", I64, k(0)), ("units", c.UNIT, tup()))
    for deep in (False, True)
}
"""Destinations have one shape, whatever they consist of, and whichever elements are changed."""

SIZES = {
    "let": LET,
    "defined": DEFINED,
    "stated": STATED,
    "stated-only": STATED_ONLY,
    "order": ORDER,
    "irregular": IRREGULAR,
    "units": UNITS,
    **DESTINATIONS,
}
