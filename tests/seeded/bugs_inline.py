"""Bugs of inline, and of what the other passes assume of calls."""

from tests.seeded.bug import Caught, SeededBug

INLINE = "funmem.passes.fun.inline"
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
)
