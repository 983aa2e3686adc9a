"""Bugs of regions: inference, placement, erasure, and the interpreter that executes annotations."""

from collections.abc import Mapping

from tests.seeded.regions import Caught, RegionBug

EXPRESSIONS = "funmem.passes.core.regions.expressions"
ARRAYS = "funmem.passes.core.regions.arrays"
DRAFT = "funmem.passes.core.regions.draft"
PLACE = "funmem.passes.core.regions.placement"
FORMS = "funmem.ir.regions.forms"
ERASE = "funmem.ir.regions.erasure"
EVALUATE = "funmem.interp.core.regions.evaluate"
MEMORY = "funmem.interp.core.regions.memory"

DATA = "data list = #nil | #cons []i64 list\n"
LOCATED = "data list 'r = #nil | #cons (at 'r []i64) (list 'r)\n"
PROGRAMS: Mapping[str, str] = {
    "branches": r"""
    def pick : bool -> []i64 -> []i64 = \(b : bool) (xs : []i64) -> if b then xs else iota 3 0 1
    entry main (n : i64) : i64 = size 0 (@pick (n > 2) (iota n 0 1))
    """,
    "lists": DATA
    + r"""
    def add : []i64 -> list -> list = \(x : []i64) (l : list) -> #cons x l : list
    def first : list -> []i64 -> []i64 =
      \(l : list) (other : []i64) ->
        match l { #nil -> other; #cons (x : []i64) (t : list) -> x }
    def count : list -> i64 =
      \(l : list) -> match l { #nil -> 0; #cons (x : []i64) (t : list) -> 1 + @count t }
    entry main (n : i64) : []i64 =
      let (l : list) = @add (iota n 0 1) (@add (iota 2 0 1) (#nil : list))
      let (k : i64) = @count l
      in @first l (iota k 0 1)
    """,
    "closures": r"""
    def chosen : bool -> []i64 -> i64 -> i64 =
      \(b : bool) (xs : []i64) ->
        let (f : []i64 -> i64 -> i64) = \(ys : []i64) (i : i64) -> ys[i] + xs[i]
        in if b then f (iota 9 1 1) else \(i : i64) -> xs[i] * 2
    def deep : i64 -> []i64 -> i64 =
      \(n : i64) (xs : []i64) ->
        let (f : i64 -> i64) = \(k : i64) -> @deep k (iota (k + 1) 0 1)
        in if n < 1 then xs[0] else f (n - 1)
    entry main (n : i64) : i64 =
      let (f : i64 -> i64) = @chosen (n > 2) (iota 9 0 1) in f 1 + @deep n (iota 4 2 1)
    """,
    "chain": r"""
    entry main (n : i64) : i64 =
      let (xs : []i64) = iota n 0 1
      let (k : i64) = xs[0]
      let (ys : []i64) = iota (k + 2) 0 1
      let (j : i64) = xs[1] + ys[1]
      let (zs : []i64) = iota (j + 2) 0 1
      in size 0 zs
    """,
    "calls": r"""
    def numbers : i64 -> []i64 = \(n : i64) -> iota n 0 1
    entry main (n : i64) : i64 =
      let (a : []i64) = @numbers n let (b : []i64) = @numbers (n + 1) in size 0 a + size 0 b
    """,
    "numbers": r"""
    data list = #nil | #cons i64 list
    entry main (n : i64) : i64 =
      match (#cons n (#nil : list) : list) { #nil -> 0; #cons (x : i64) (t : list) -> x }
    """,
    "loops": r"""
    def table : []i64 = [7, 8, 9] : i64
    entry main (n : i64) : i64 =
      let (last : []i64) =
        loop (xs : []i64) = @table for i < n do
          let (ys : []i64) = map (\(x : i64) -> let (t : []i64) = iota x 0 1 in size 0 t + i) (xs)
          in concat ys (@table)
      in last[0] + size 0 last
    """,
    "rows": r"""
    def rows : i64 -> [][]i64 =
      \(n : i64) ->
        let (a : [][]i64) = map (\(i : i64) -> iota (i + 1) 0 1) (iota n 0 1)
        let (b : [][]i64) = update [0] a (iota 5 3 1)
        in concat b ([iota 2 0 1] : []i64)
    def lengths : [][]i64 -> []i64 =
      \(xs : [][]i64) -> map (\(x : []i64) -> size 0 x) (copy xs)
    entry main (n : i64) : []i64 = @lengths (@rows n)
    """,
    "local": r"""
    entry main (n : i64) : i64 =
      let (f : i64 -> i64) = if n > 2 then \(x : i64) -> size 0 (iota x 0 1) else \(x : i64) -> x
      in f n
    """,
    "nested": r"""
    def sum : i64 -> i64 =
      \(n : i64) ->
        if n < 1
        then 0
        else let (xs : []i64) = iota n 0 1 let (k : i64) = @sum (n - 1) in xs[n - 1] + k
    entry main (n : i64) : i64 = @sum n
    """,
    "copies": r"""
    def rows : i64 -> [][]i64 =
      \(n : i64) -> let (a : [][]i64) = map (\(i : i64) -> iota 2 i 1) (iota n 0 1) in copy a
    entry main (n : i64) : [][]i64 = @rows n
    """,
    "wrong-inside": r"""
    entry main (n : i64) : i64 =
      @letregion['p]
        (let (xs : at 'p [](at 'p []i64)) =
           @letregion['r] (@at['p] (replicate 2 (@at['r] (iota n 0 1))))
         in size 1 xs)
    """,
    "wrong-escape": r"""
    entry main (n : i64) : i64 =
      (@letregion['r] ((n, @at['r] (iota n 0 1)))).0
    """,
    "wrong-field": LOCATED
    + r"""
    entry main (n : i64) : i64 =
      @letregion['r, 's]
        (match (#cons (@at['s] (iota n 0 1)) (#nil : (list 'r)) : (list 'r)) {
           #nil -> 0; #cons (x : at 'r []i64) (t : list 'r) -> size 0 x })
    """,
    "wrong-function": r"""
    entry main (n : i64) : i64 =
      let (f : at 'r (i64 -> i64)) =
        @letregion['r] ((@at['r] (\(x : i64) -> x + n)))
      in f 1
    """,
}


def bug(
    name: str,
    module: str,
    old: str,
    new: str,
    program: str,
    caught: Caught,
    rule: str = "",
    placement: str = "tight",
) -> RegionBug:
    """A bug."""
    return RegionBug(f"regions-{name}", module, old, new, program, caught, rule, placement)


BUGS: tuple[RegionBug, ...] = (
    bug(
        "branches-in-two-regions",
        EXPRESSIONS,
        "self.regions.unify(parts[1].type, parts[2].type)",
        "pass",
        "branches",
        Caught.RULE,
        "R-IF",
    ),
    bug(
        "fields-in-fresh-regions",
        EXPRESSIONS,
        "for t, u in zip(ts, sum_.payload(arm.constructor), strict=True):\n"
        "                self.regions.unify(t, u)",
        "for t, u in zip(ts, sum_.payload(arm.constructor), strict=True):\n"
        "                self.regions.unify(t, t)",
        "lists",
        Caught.RULE,
        "R-MATCH",
    ),
    bug(
        "arguments-of-constructors-elsewhere",
        EXPRESSIONS,
        "self.regions.unify(x.type, u)\n                return Draft(e, t, (t,), xs)",
        "pass\n                return Draft(e, t, (t,), xs)",
        "lists",
        Caught.RULE,
        "R-CONSTRUCT",
    ),
    bug(
        "captured-elsewhere",
        EXPRESSIONS,
        "self.capture(r, [types[x] for x in free_names(e) if x in types])\n        inner",
        "inner",
        "closures",
        Caught.RULE,
        "R-CAPTURE",
    ),
    bug(
        "partial-application-captures-nothing",
        EXPRESSIONS,
        "self.capture(rest[0], captured)",
        "self.capture(rest[0], captured[:0])",
        "closures",
        Caught.RULE,
        "R-PARTIAL",
    ),
    bug(
        "recursion-in-a-closure",
        EXPRESSIONS,
        "for r in self.closures:",
        "for r in self.closures[:0]:",
        "closures",
        Caught.RULE,
        "R-BODY",
    ),
    bug(
        "no-generalisation",
        EXPRESSIONS,
        "image = {r: self.regions.fresh(of[r]) for r in scheme.params}",
        "image = {r: r for r in scheme.params if of}",
        "calls",
        Caught.PRECISION,
    ),
    bug(
        "loop-body-elsewhere",
        EXPRESSIONS,
        "self.regions.unify(body.type, t if len(ts) == 1 else _like(body.type, ts))",
        "pass",
        "loops",
        Caught.RULE,
        "R-LOOP",
    ),
    bug(
        "static-region-lost",
        DRAFT,
        "if r == STATIC or (",
        "if s == STATIC or (",
        "loops",
        Caught.RULE,
        "R-",
    ),
    bug(
        "concat-of-two-regions",
        ARRAYS,
        "g.regions.unify(below(xs[0].type, 1), below(x.type, 1))",
        "pass",
        "rows",
        Caught.RULE,
        "R-CONCAT",
    ),
    bug(
        "updated-with-a-row-elsewhere",
        ARRAYS,
        "g.regions.unify(below(x.type, len(dims)), below(v.type, ranges))",
        "pass",
        "rows",
        Caught.RULE,
        "R-UPDATE",
    ),
    bug(
        "cycles-have-no-region",
        FORMS,
        "if name in seen:",
        "if name not in seen:",
        "numbers",
        Caught.RULE,
        "R-DATA",
    ),
    bug(
        "region-in-the-value",
        PLACE,
        "return not code and r not in {regions.find(x) for x in regions_in(node.draft.type)}",
        "return not code",
        "rows",
        Caught.RULE,
        "R-LETREGION",
    ),
    bug(
        "ended-before-names-are-used",
        PLACE,
        "if isinstance(d.exp, c.Var):",
        "if False:",
        "chain",
        Caught.RULE,
        "R-VAR",
    ),
    bug(
        "ended-before-the-last-use",
        PLACE,
        "last = max(last, where[id(user)])",
        "last = where[id(users[0])]",
        "chain",
        Caught.RULE,
        "R-",
    ),
    bug(
        "endregion-stays",
        ERASE,
        "ended, e = (*ended, *found[0]), found[1]",
        "ended = (*ended, *found[0])\n            break",
        "chain",
        Caught.ERASED,
    ),
    bug(
        "around-the-last-use",
        PLACE,
        "lowest[r] = _common(lowest[r], node) if r in lowest else node",
        "lowest[r] = node",
        "rows",
        Caught.RULE,
        "R-SCOPE",
    ),
    bug(
        "uses-by-calls-forgotten",
        PLACE,
        "for x in (*d.made, *d.args, *mentioned):",
        "for x in (*d.made, *mentioned):",
        "rows",
        Caught.RULE,
        "R-SCOPE",
    ),
    bug(
        "made-forgotten",
        PLACE,
        "for x in (*d.made, *d.args, *mentioned):",
        "for x in (*d.args, *mentioned):",
        "local",
        Caught.RULE,
        "R-SCOPE",
    ),
    bug(
        "closures-use-the-regions-of-others",
        PLACE,
        "closure = isinstance(d.exp, c.Lambda | c.Mu) and not d.code",
        "closure = False",
        "local",
        Caught.RULE,
        "R-BODY",
        "entry",
    ),
    bug(
        "regions-of-definitions-stay",
        ERASE,
        "c.Def(d.name, (), bare(d.type)",
        "c.Def(d.name, d.tparams, bare(d.type)",
        "rows",
        Caught.ERASED,
    ),
    bug(
        "types-in-expressions-stay",
        ERASE,
        "return map_parts(e, erase_exp, bare)",
        "return map_parts(e, erase_exp, lambda t: t)",
        "loops",
        Caught.ERASED,
    ),
    bug(
        "no-poison",
        MEMORY,
        "table.cells[:] = [None] * len(table.cells)",
        "table.cells[:] = table.cells",
        "wrong-inside",
        Caught.MISSED,
    ),
    bug(
        "escape-in-a-record",
        EVALUATE,
        "todo += [y for _, y in x.fields]",
        "todo += []",
        "wrong-escape",
        Caught.MISSED,
    ),
    bug(
        "arms-are-not-compared",
        EVALUATE,
        "self.agree(e, found.env)\n",
        "\n",
        "wrong-field",
        Caught.MISSED,
    ),
    bug(
        "functions-are-not-stored",
        EVALUATE,
        "return self._closure(v, where.pop(0))",
        "return v",
        "wrong-function",
        Caught.MISSED,
    ),
    bug(
        "regions-of-recursion-are-one",
        EVALUATE,
        'Name(f"{r.name}#{r.number}")',
        "r.name",
        "nested",
        Caught.CRASH,
    ),
    bug(
        "rows-of-a-copy-stay-behind",
        EVALUATE,
        "inner = [self._store(x, where[1:][:n]) for x in elems] if n else elems",
        "inner = elems",
        "copies",
        Caught.FAULT,
    ),
    bug(
        "updates-are-lost",
        EVALUATE,
        "elems = tuple([self.again(x, y) for x, y in pairs])",
        "elems = tuple([x for x, _ in pairs])",
        "rows",
        Caught.VALUE,
    ),
)
