"""Bugs of flatten-nested: a change of its source, a program on which it shows, and its input."""

from attrs import frozen

HERE = "funmem.passes.core.flatten_nested"
ROWS, STATE, EXPRESSIONS = f"{HERE}.rows", f"{HERE}.state", f"{HERE}.expressions"

XS = [[], [3, 1], [], [4, -1, 5], [9], [], []]
"""Rows without elements first, last, and between others."""

LENGTHS = "((X : vector vector int)) ((map length X), 0)"
DOUBLED = "((X : vector vector int)) ((map (lambda (r : vector int) (map (+ (length r)) r)) X), 0)"
FILTERED = "((X : vector vector int)) ((map (filter (< 1)) X), 0)"
SCANNED = "((X : vector vector int)) ((map (iscan + 0) X), 0)"
RANGES = "((X : vector vector int)) ((map (lambda (r : vector int) (range (length r))) X), 0)"
GATHERED = "((X : vector vector int)) ((slice 1 1 4 X), 0)"
NUMBERED = """((X : vector vector int))
((map (lambda (r : vector int) (map + r (range (length r)))) X), 0)"""


@frozen
class Bug:
    """``old`` becomes ``new`` in ``module``; ``text`` then means something else on XS."""

    name: str
    module: str
    old: str
    new: str
    text: str


BUGS = (
    Bug(
        "row begins with the next one",
        STATE,
        "span = c.Range(start_of(x, i), start_of(x, plus(i, one())), None)",
        "span = c.Range(start_of(x, plus(i, one())), start_of(x, plus(i, one())), None)",
        GATHERED,
    ),
    Bug(
        "offsets without the first",
        STATE,
        "c.Concat((c.ArrayLit((zero(),), I64), ends))",
        "c.Concat((ends, c.ArrayLit((zero(),), I64)))",
        RANGES,
    ),
    Bug(
        "element by its place among all",
        ROWS,
        "j = minus(c.Var(k), start_of(domain, c.Var(i)))",
        "j = c.Var(k)",
        RANGES,
    ),
    Bug(
        "empty rows lost: offsets of the kept elements are those of all",
        ROWS,
        "offsets = prefixes(s, counts)",
        "offsets = row.offsets",
        FILTERED,
    ),
    Bug(
        "filter keeps the others",
        ROWS,
        "number = c.If(at(keep, c.Var(k)), c.Const(1, I64), c.Const(0, I64))",
        "number = c.If(at(keep, c.Var(k)), c.Const(0, I64), c.Const(1, I64))",
        FILTERED,
    ),
    Bug(
        "scan keeps only the sums",
        ROWS,
        "scanned = self.over(domain, (xs,), op, ne, each=True)",
        "scanned = self.over(domain, (xs,), op, ne)",
        SCANNED,
    ),
    Bug(
        "a row's scalar is that of the first row",
        ROWS,
        "value = at(v.array, i) if isinstance(v, Plain) else row_of(v, i)",
        "value = at(v.array, c.Const(0, I64)) if isinstance(v, Plain) else row_of(v, i)",
        DOUBLED,
    ),
    Bug(
        "a row less",
        STATE,
        "return minus(c.Length(c.Var(x.offsets)), one())",
        "return minus(c.Length(c.Var(x.offsets)), plus(one(), one()))",
        LENGTHS,
    ),
    Bug(
        "slices of rows count elements",
        EXPRESSIONS,
        "places = c.Index(iota(s.rows(rows)), (self.dim(d),), e.at)",
        "places = c.Index(iota(s.total(rows)), (self.dim(d),), e.at)",
        "((X : vector vector int)) ((slice 5 1 7 X), 0)",
    ),
    Bug(
        "element of the first row",
        ROWS,
        "return at(v.data, plus(start_of(v, i), j))",
        "return at(v.data, j)",
        NUMBERED,
    ),
)
