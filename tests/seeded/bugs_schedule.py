"""Bugs of schedule."""

import numpy as np

from tests.seeded.bug import Caught, SeededBug

CHUNK = "funmem.passes.fun.schedule.chunk"
FOLD = "funmem.passes.fun.schedule.fold"
SCHEDULE = "funmem.passes.fun.schedule"
ORDER = "funmem.passes.fun.schedule.order"
BUILDER = "funmem.passes.fun.schedule.builder"
ROWS = "funmem.passes.fun.schedule.rows"
VIEWS = "funmem.passes.fun.schedule.views"
STRIPS = "funmem.passes.fun.schedule.strips"
SCAN_MAPS = "funmem.passes.fun.schedule.scan_maps"

AS = [2, 3, -1, 4, 5, 1, 2]
BS = [1, -2, 3, 5, 1, 7, 2]
"""Seven, so that the last of three chunks is short."""
FULL = [10, 20]
PLACES = [0, 1, -1, 2, 1, 0, 1, 5]
PAIRS = [[0, 1], [2, 3], [4, 5], [6, 7]]


def bug(
    name: str,
    what: str,
    module: str,
    *,
    old: str,
    new: str,
    caught: Caught,
    rule: str = "",
    program: str = "chunks",
) -> SeededBug:
    """On a program of ``programs/``; three threads."""
    args = {
        "chunks": (AS, BS),
        "scan_map": (AS,),
        "neighbours": (AS,),
        "flagged": (AS * 300,),
        "moves": (AS * 300, BS * 300),
        "scan_others": (AS, BS),
        "buckets": (FULL, PLACES),
        "handed_back": ([[1, 2], [3, 4]], PAIRS),
        "shrinking": (3,),
        "row_operator": (PAIRS,),
        "untouched": (BS,),
        "negative_rows": (1, -1, 0),
        "far": (np.empty((2**63 - 1, 0), np.int8), 0),
        "beyond": (np.empty((2**62, 0), np.int8), 0),
        "beyond_buckets": (np.empty((2**62, 0), np.int8), [0], 0),
        "constant_sizes": (AS,),
        "unwritten_neutral": ([],),
        "unwritten_buckets": ([[1, 2], [3, 4]], PLACES),
    }[program]
    return SeededBug(
        name=f"schedule-{name}",
        what=what,
        module=module,
        old=old,
        new=new,
        pass_name="schedule",
        pipeline="schedule{threads=3}",
        program=f"{program}.fun",
        args=args,
        caught=caught,
        rule=rule,
    )


BUGS: tuple[SeededBug, ...] = (
    bug(
        "first-element-twice",
        "a lane that begins with its first element adds it once more",
        STRIPS,
        old="folded(then, element(then, ZERO), ONE)",
        new="folded(then, element(then, ZERO), ZERO)",
        program="flagged",
        caught=Caught.VALUE,
    ),
    bug(
        "lanes-out-of-order",
        "lanes of an operator that does not commute read neighbouring elements",
        STRIPS,
        old="if not in_order:\n        return",
        new="if True:\n        return",
        program="moves",
        caught=Caught.VALUE,
    ),
    bug(
        "constant-is-a-size",
        "a constant takes the place of an operator's parameter, in types as well",
        FOLD,
        old="if isinstance(a, Const) and p.name in sizes else a",
        new="if False else a",
        program="constant_sizes",
        caught=Caught.TYPES,
        rule="T-LEN",
    ),
    bug(
        "last-chunk-full",
        "every chunk has the same length: the last one leaves the array",
        CHUNK,
        old="left = Bin(BinOp.MIN, size_exp(c.number - lo), size_exp(c.length))",
        new="left = size_exp(c.length)",
        caught=Caught.TRAP,
    ),
    bug(
        "chunks-rounded-down",
        "the chunks' length is rounded down: the last elements belong to none",
        CHUNK,
        old="b.ceiling(n, Const(threads, I64))",
        new='var(b.let("chunk", I64, Bin(BinOp.DIV, size_exp(n), Const(threads, I64))))',
        caught=Caught.VALUE,
    ),
    bug(
        "chunks-not-apart",
        "a chunk starts at the thread's number instead of at a multiple of the length",
        CHUNK,
        old="size_exp(var(thread) * c.length)",
        new="size_exp(var(thread))",
        caught=Caught.VALUE,
    ),
    bug(
        "view-of-the-first-chunk",
        "every thread reads the first chunk",
        VIEWS,
        old="Slice(x, (DimRange(lo, count, ONE), *rest))",
        new="Slice(x, (DimRange(ZERO, count, ONE), *rest))",
        caught=Caught.VALUE,
    ),
    bug(
        "view-of-neighbours-unshifted",
        "a view of the next elements begins with the first one",
        VIEWS,
        old="DimRange(const(ahead), dim.size, ONE)",
        new="DimRange(const(0), dim.size, ONE)",
        program="neighbours",
        caught=Caught.VALUE,
    ),
    bug(
        "scan-inclusive-start",
        "a chunk is scanned from its own total on, not from that of the chunks before",
        CHUNK,
        old="before = Stretch(over.index, ZERO, c.threads, c.threads, exclusive=True)",
        new="before = Stretch(over.index, ZERO, c.threads, c.threads)",
        caught=Caught.VALUE,
    ),
    bug(
        "scan-of-others",
        "a reduction is taken for the first pass of a scan of other values",
        SCAN_MAPS,
        old="return map_lambda(op, numbered), map_body(e.body, numbered)",
        new="return map_lambda(op, numbered), Body((), ())",
        program="scan_others",
        caught=Caught.VALUE,
    ),
    bug(
        "map-after-scan-is-behind",
        "a map that follows a scan gets the element before its own",
        SCAN_MAPS,
        old="image: dict[Name, Atom] = dict(zip(f.values, accs, strict=True))",
        new="image: dict[Name, Atom] = {x: Var(y) for x, y in zip(f.values, names[len(kept) :])}",
        program="scan_map",
        caught=Caught.VALUE,
    ),
    bug(
        "map-after-scan-takes-it",
        "a scan that is a result, too, is not stored",
        SCHEDULE,
        old="used = frozenset(a.name for a in b.result if isinstance(a, Var))",
        new="used = frozenset[Name]()",
        program="scan_map",
        caught=Caught.TYPES,
        rule="T-NAME",
    ),
    bug(
        "scan-from-neutral",
        "every chunk is scanned from the neutral element",
        CHUNK,
        old="rows = _scanned(inner, kernel, s, own, after)",
        new="rows = _scanned(inner, kernel, s, op.ne, after)",
        caught=Caught.VALUE,
    ),
    bug(
        "reduce-swapped",
        "the operator gets the new value first; no matter if it is commutative",
        FOLD,
        old="first = apply(b, op, (*accs, *results[:used]))",
        new="first = apply(b, op, (*results[:used], *accs))",
        caught=Caught.VALUE,
    ),
    bug(
        "scan-swapped",
        "the operator of a scan gets the new value first",
        FOLD,
        old="extra = apply(b, op, (*accs, *results[:used]))",
        new="extra = apply(b, op, (*results[:used], *accs))",
        caught=Caught.VALUE,
    ),
    bug(
        "bucket-above",
        "a bucket may be one above the last",
        FOLD,
        old="Bin(BinOp.LT, bucket, size_exp(width))",
        new="Bin(BinOp.LE, bucket, size_exp(width))",
        caught=Caught.TRAP,
        program="buckets",
    ),
    bug(
        "bucket-below",
        "a bucket may be one below the first",
        FOLD,
        old="Bin(BinOp.LE, Const(0, I64), bucket)",
        new="Bin(BinOp.LE, Const(-1, I64), bucket)",
        caught=Caught.TRAP,
        program="buckets",
    ),
    bug(
        "hist-from-dest-twice",
        "the private histograms start from what is in the destination, which is then added again",
        CHUNK,
        old="""Var(inner.let("buckets", row, Replicate((buckets,), a)))
        for row, a in zip(rows, op.ne, strict=True)""",
        new="""Var(inner.let("buckets", row, __import__("funmem.ir.fun").ir.fun.Copy(x)))
        for row, x in zip(rows, op.dest, strict=True)""",
        caught=Caught.VALUE,
        program="buckets",
    ),
    bug(
        "hist-forgets-dest",
        "what was in the destination is lost",
        CHUNK,
        old="total = fold(inner, over, s, start, ())",
        new="total = fold(inner, over, s, op.ne, ())",
        caught=Caught.VALUE,
        program="buckets",
    ),
    bug(
        "part-too-many",
        "one private histogram more is read than there are",
        CHUNK,
        old="""strict=True)
    )
    over = Kernel((KernelDim(thread, c.threads),), Reduce(op.op, op.ne), reader.body(*values))
    s = Stretch(thread, ZERO, c.threads, c.threads)""",
        new="""strict=True)
    )
    over = Kernel((KernelDim(thread, c.threads),), Reduce(op.op, op.ne), reader.body(*values))
    s = Stretch(thread, ZERO, c.threads + 1, c.threads)""",
        caught=Caught.TRAP,
        program="buckets",
    ),
    bug(
        "fold-handed-back",
        "a folded array that may be the neutral element is handed out as a fresh one",
        FOLD,
        old="return isinstance(c.type, ArrayType) and not c.unique",
        new="return False",
        caught=Caught.TYPES,
        rule="T-CONSUME-USED",
        program="handed_back",
    ),
    bug(
        "bucket-handed-back",
        "the operator sees the bucket itself, and a bucket is updated with its own alias",
        FOLD,
        old="""return Var(b.let("old", t, Copy(row)) if isinstance(t, ArrayType) else row)""",
        new="return Var(row)",
        caught=Caught.TYPES,
        rule="T-CONSUME",
        program="handed_back",
    ),
    bug(
        "negative-is-empty",
        "a negative number of iterations is none",
        BUILDER,
        old="if self.nonneg(size):",
        new="if True:",
        caught=Caught.TRAP,
        program="shrinking",
    ),
    bug(
        "sizes-are-positive",
        "only the signs of the coefficients are looked at, not what may be negative",
        BUILDER,
        old="all(k >= 0 and self.sizes.issuperset(m) for m, k in size.terms)",
        new="all(k >= 0 or not m for m, k in size.terms)",
        caught=Caught.TRAP,
        program="shrinking",
    ),
    bug(
        "operator-of-no-row",
        "the operator of a reduction of rows names the index of the kernel that is no more",
        ROWS,
        old="op=map_lambda(r.reduce.op, substitution(image))",
        new="op=map_lambda(r.reduce.op, substitution({}))",
        caught=Caught.TYPES,
        rule="T-NAME",
        program="row_operator",
    ),
    bug(
        "untouched-bucket-read",
        "a bucket that was never written, and that no iteration names, is folded",
        SCHEDULE,
        old="names = (*dest, *(a.name for a in ne if isinstance(a, Var)))",
        new="names = tuple(a.name for a in ne if isinstance(a, Var))",
        caught=Caught.TRAP,
        program="untouched",
    ),
    bug(
        "unwritten-neutral-read",
        "a neutral element that was never written is folded where there is no iteration",
        SCHEDULE,
        old="return any(isinstance(a, Var) and a.name in out.uninitialised for a in ne)",
        new="return False",
        caught=Caught.TRAP,
        program="unwritten_neutral",
    ),
    bug(
        "unwritten-neutral-counted",
        "a histogram's neutral element that was never written is folded",
        SCHEDULE,
        old="names = (*dest, *(a.name for a in ne if isinstance(a, Var)))",
        new="names = dest",
        caught=Caught.TRAP,
        program="unwritten_buckets",
    ),
    bug(
        "ceiling-wraps",
        "rounding up wraps around, and no thread has an iteration",
        BUILDER,
        old='var(self.let("less", I64, Bin(BinOp.DIV, size_exp(n - 1), k))) + 1',
        new="""var(
            self.let("chunk", I64, Bin(BinOp.DIV, Bin(BinOp.ADD, size_exp(n - 1), k), k))
        )""",
        caught=Caught.TRAP,
        program="far",
    ),
    bug(
        "size-wraps",
        "a size that i64 does not hold is taken for what it wraps around to",
        BUILDER,
        old="if any(self.nonneg(var(x) - size) for x in size.free()):",
        new="if True:",
        caught=Caught.TRAP,
        program="beyond",
    ),
    bug(
        "rest-of-a-sum",
        "the iterations that i64 does not count are left out",
        CHUNK,
        old="_rest(b, stm, kernel, c, fold(b, over, s, op.ne, ()))",
        new="fold(b, over, s, op.ne, (), stm.pat)",
        caught=Caught.TRAP,
        program="beyond",
    ),
    bug(
        "rest-of-a-histogram",
        "the iterations of a histogram that i64 does not count are left out",
        CHUNK,
        old="pat = tuple(Binder[Ann](b.fresh(x.name), x.type, None) for x in stm.pat)",
        new="_merge(b, stm.pat, op, parts, types, c, buckets); return",
        caught=Caught.TRAP,
        program="beyond_buckets",
    ),
    bug(
        "negative-rows-first",
        "rows of negative size trap before the iteration that would make the first of them",
        ORDER,
        old="if all(b.nonneg(d) for t in mapped if isinstance(t, ArrayType) for d in t.shape):",
        new="if True:",
        caught=Caught.TRAP,
        program="negative_rows",
    ),
)
