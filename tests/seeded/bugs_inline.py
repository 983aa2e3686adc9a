"""Bugs of inline, and of what the other passes assume of calls."""

from tests.seeded.bug import Caught, SeededBug

INLINE = "funmem.passes.fun.inline"
LOWER = "funmem.passes.lower.statements"
ALL = "inline{calls=all},allocate"

BUGS = (
    SeededBug(
        name="inline-reversed-arguments",
        what="the parameters of an inlined function are bound to the arguments in reverse order",
        module=INLINE,
        old="zip(f.params, e.args, strict=True)",
        new="zip(f.params, e.args[::-1], strict=True)",
        pass_name="inline",
        pipeline=ALL,
        program="functions.fun",
        args=([5, 8, 9], 3),
        caught=Caught.VALUE,
    ),
    SeededBug(
        name="inline-names-of-the-function",
        what="two inlined calls of a function bind the same names",
        module=INLINE,
        old="names = {x: fresh(x) for x in bound_names(f.body)}",
        new="names = {x: x for x in bound_names(f.body)}",
        pass_name="inline",
        pipeline=ALL,
        program="functions.fun",
        args=([5, 8, 9], 3),
        caught=Caught.TYPES,
        rule="T-FRESH",
    ),
    SeededBug(
        name="inline-drops-callees",
        what="functions that only functions call are dropped",
        module=INLINE,
        old="            needed |= called(f.body)",
        new="            needed |= called(p.entries[0].body)",
        pass_name="inline",
        pipeline="inline{small=0},allocate",
        program="functions_nested.fun",
        args=([5, 8, 9],),
        caught=Caught.TYPES,
        rule="T-CALL",
    ),
    SeededBug(
        name="lower-call-results-reversed",
        what="the results of a call are assigned in reverse order",
        module=LOWER,
        old="CallStm(results, fn, args",
        new="CallStm(results[::-1], fn, args",
        pass_name="lower",
        pipeline="allocate,lower",
        program="functions_twice.fun",
        args=([5, 8, 9],),
        caught=Caught.HEAP,
    ),
    SeededBug(
        name="lower-call-arguments-reversed",
        what="the arguments of a call are passed in reverse order",
        module=LOWER,
        old="CallStm(results, fn, args, partial, linkage, at)",
        new="CallStm(results, fn, args[::-1], partial, linkage, at)",
        pass_name="lower",
        pipeline="allocate,lower",
        program="functions_twice.fun",
        args=([5, 8, 9],),
        caught=Caught.HEAP,
    ),
    SeededBug(
        name="lower-function-without-checks",
        what="a function that may trap loses its checks",
        module="funmem.passes.lower",
        old="return ImpFunction(e.name, params, e.body, results, e.at)",
        new="body = tuple(s for s in e.body if type(s).__name__ != 'Check')\n"
        "    return ImpFunction(e.name, params, body, results, e.at)",
        pass_name="lower",
        pipeline="allocate,lower",
        program="functions_asserted.fun",
        args=([5, 8, 0],),
        caught=Caught.TRAP,
    ),
)
