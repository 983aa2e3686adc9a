"""Bugs of flatten-nested: a change of its source, a program on which it shows, and its input."""

from attrs import frozen

HERE = "funmem.passes.core.flatten_nested"
ROWS, STATE, EXPRESSIONS = f"{HERE}.rows", f"{HERE}.state", f"{HERE}.expressions"
COMBINE, ELEMENTS, FILLED = f"{HERE}.combine", f"{HERE}.elements", f"{HERE}.filled"

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
FOLDED = """((X : vector vector int))
((map (fold (lambda (a : vector int) (x : int) (map (+ x) a)) (range 2)) X), 0)"""
INNER = """((X : vector vector int)) ((map (lambda (r : vector int)
  (let (n (length r)) in (map (lambda (x : int) (reduce + n (range (max 0 x)))) r))) X), 0)"""
TIMES = """((X : vector vector int)) ((map (lambda (r : vector int)
  (map (lambda (k : int) (* k (length r))) (range (length r)))) X), 0)"""
PRODUCTS = """((X : vector vector int)) ((let (Y (map (filter (< 0)) (map (map abs) X)))
  (Z (map (filter (< 0)) (map (map (lambda (x : int) (+ 1 (abs x)))) X)))
 in (map (lambda (a : vector int) (b : vector int) (reduce + 0 (map * a b))) Y Z)), 0)"""
FIRSTS = """((X : vector vector int))
((map (lambda (r : vector int) (if (> (length r) 0) then (r ! 0) else -1)) X), 0)"""

SCANS = """((X : vector vector int)) ((map (lambda (r : vector int)
  (let (f (filter (lambda (x : int) (> x 3)) r))
   in (+ (reduce + 0 (iscan + 1 r)) (reduce + 0 (iscan + 2 f))))) X), 0)"""
PAIRS = """((X : vector vector int)) ((map (lambda (r : vector int)
  (map (lambda (p : (int, int)) (- (p . 0) (p . 1)))
    (iscan (lambda (a : (int, int)) (b : (int, int)) ((+ (a . 0) (b . 0)), (max (a . 1) (b . 1))))
      (0, 0) (map (lambda (x : int) (x, (* x x))) r)))) X), 0)"""


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
        FIRSTS,
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
        COMBINE,
        "return prefixes(s, counts), places_of(s, keep.data, n)",
        "return keep.offsets, places_of(s, keep.data, n)",
        FILTERED,
    ),
    Bug(
        "filter keeps the others",
        COMBINE,
        "c.If(at(keep.data, c.Var(k)), c.Const(1, I64), c.Const(0, I64))",
        "c.If(at(keep.data, c.Var(k)), c.Const(0, I64), c.Const(1, I64))",
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
        ELEMENTS,
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
        "places = c.Index(iota(s.rows(rows)), (self.dim(first),), e.at)",
        "places = c.Index(iota(s.total(rows)), (self.dim(first),), e.at)",
        "((X : vector vector int)) ((slice 5 1 7 X), 0)",
    ),
    Bug(
        "element of the first row",
        ELEMENTS,
        "return at(v.data, plus(start_of(v, i), j))",
        "return at(v.data, j)",
        NUMBERED,
    ),
    Bug(
        "first element of a row for all",
        COMBINE,
        "place = plus(base, minus(c.Var(k), at(offsets, c.Var(j))))",
        "place = base",
        GATHERED,
    ),
    Bug(
        "row by row: all at the place of the first row",
        FILLED,
        "lo, hi = at(ends[k], i), at(ends[k], plus(i, one()))",
        "lo, hi = at(ends[k], zero()), at(ends[k], one())",
        FOLDED,
    ),
    Bug(
        "an inner row has the number of another outer row",
        ROWS,
        "c.Lambda((c.Binder(i, I64), c.Binder(k, I64)), at(of_rows, c.Var(i)))",
        "c.Lambda((c.Binder(i, I64), c.Binder(k, I64)), at(of_rows, c.Const(3, I64)))",
        INNER,
    ),
    Bug(
        "a mapped row lacks an element",
        ROWS,
        "return self.length(array)",
        "return minus(self.length(array), one())",
        TIMES,
    ),
    Bug(
        "rows of equal lengths: the elements of the first ones for those of the others",
        ROWS,
        "c.Coerce(c.Var(b.data), same, ELEMENTS)",
        "c.Coerce(c.Var(a.data), same, ELEMENTS)",
        PRODUCTS,
    ),
    Bug(
        "a range is as long as the first row whose length is known",
        ROWS,
        "one = self.domain((c.Var(self.lengths[x]),))",
        "one = self.domain((c.Var(next(iter(self.lengths.values()))),))",
        SCANS,
    ),
    Bug(
        "all parts of rows of tuples are the first",
        ROWS,
        "self.local[b.name] = Ragged(domain.offsets, x.name, elem_of(b.type))",
        "self.local[b.name] = Ragged(domain.offsets, arrays[0].name, elem_of(b.type))",
        PAIRS,
    ),
)
