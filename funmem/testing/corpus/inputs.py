"""Other inputs for an entry point: other sizes and other values, as for generated programs."""

import random
from collections.abc import Collection, Mapping, Sequence
from math import prod

import numpy as np

from funmem.interp.metered import LARGEST
from funmem.ir.diagnostics import DeviceError, InputError
from funmem.ir.fun import ArrayType
from funmem.ir.names import Name
from funmem.ir.record import evolve
from funmem.ir.scalars import I64, ScalarType, Value, normalise
from funmem.ir.signature import Signature, signature
from funmem.ir.values import ArgValue, ArrayValue, Data, bind, dtype, holdable
from funmem.testing.corpus.statement_edits import FAR
from funmem.testing.judge.program import Case
from funmem.testing.reduce.inputs import entry_of

SIZES = (0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7)


def other_sizes(case: Case, rng: random.Random, fixed: frozenset[Name]) -> Case | None:
    """Change some sizes, and sometimes the scalars; elements are repeated.

    None if there is nothing to change; ``fixed`` parameters are unchanged.
    """
    s = signature(entry_of(case))
    sizes, values = bind(s, case.args)
    if not sizes:
        return other_values(case, rng, fixed)
    known: dict[Name, int] = dict(sizes)
    for x in rng.sample(list(s.sizes), rng.randint(1, len(s.sizes))):
        known[x] = rng.choice((*SIZES, known[x] - 1, known[x] + 1))
    args = with_sizes(s, values, known, rng, fixed)
    return None if args is None else fits(s, evolve(case, args=tuple(args)))


def with_sizes(
    s: Signature,
    values: Sequence[ArgValue],
    known: dict[Name, int],
    rng: random.Random,
    fixed: frozenset[Name],
) -> list[ArgValue] | None:
    """Return the arguments with the ``known`` sizes; None if they do not fit."""
    args = list(values)
    for k, p in enumerate(s.params):
        if p.type is I64:
            known[p.name] = as_int(values[k])
    for k, p in enumerate(s.params):
        if isinstance(p.type, ArrayType):
            shape, old = _shape(p.type, known), values[k]
            assert isinstance(old, ArrayValue)
            if shape is None or (shape != old.shape and p.name in fixed):
                return None
            if shape != old.shape:
                args[k] = _repeated(old, shape, rng, p.type.elem)
    return args


def other_values(case: Case, rng: random.Random, fixed: frozenset[Name]) -> Case | None:
    """Change one argument: a scalar by a little, or all elements of an array."""
    s = signature(entry_of(case))
    _, values = bind(s, case.args)
    free = [k for k, p in enumerate(s.params) if p.name not in fixed]
    if not free:
        return None
    k = rng.choice(free)
    p, v = s.params[k], values[k]
    new: ArgValue
    if isinstance(p.type, ScalarType):
        near = rng.random() < 0.6 and p.type.is_int and not isinstance(v, ArrayValue)
        new = _near(v, p.type, rng) if near else small_value(p.type, rng)
    else:
        assert isinstance(v, ArrayValue)
        new = _filled(p.type.elem, v.shape, rng)
    return fits(s, evolve(case, args=(*values[:k], new, *values[k + 1 :])))


def rough(case: Case, rng: random.Random, fixed: frozenset[Name]) -> Case | None:
    """Change one to four neighbouring arguments to unusual values: empty, zero, negative, out of
    range.

    Composed programs have their arguments one after another, so that mostly one of the programs
    gets them.  Often an array is empty, so that one part has nothing to do, while another argument
    is invalid.  None if the arguments do not fit; ``fixed`` parameters are unchanged.
    """
    s = signature(entry_of(case))
    sizes, values = bind(s, case.args)
    if not values:
        return None
    first, empty = rng.randrange(len(values)), rng.random() < EMPTY
    near = range(max(0, first - rng.randint(0, 2)), min(first + rng.randint(1, 2), len(values)))
    chosen = [k for k in near if s.params[k].name not in fixed and rng.random() < 0.9]
    known, args = dict(sizes), list[ArgValue](values)
    for k in chosen:
        t = s.params[k].type
        if isinstance(t, ScalarType):
            args[k] = _rough_value(values[k], t, rng)
        elif empty or rng.random() < 0.4:
            known |= _rough_sizes(t, known, sizes.keys(), rng, empty=empty)
    changed = with_sizes(s, args, known, rng, fixed)
    if changed is None:
        return None
    for k in chosen:
        t, v = s.params[k].type, changed[k]
        if isinstance(t, ArrayType) and rng.random() < 0.7:
            data = v.data if isinstance(v, ArrayValue) else np.asarray(v)
            changed[k] = _rough_elements(data, t.elem, rng)
    return fits(s, evolve(case, args=tuple(changed)))


def _rough_sizes(
    t: ArrayType,
    known: Mapping[Name, int],
    sizes: Collection[Name],
    rng: random.Random,
    *,
    empty: bool,
) -> dict[Name, int]:
    """Return other sizes for one array: it becomes empty, or slightly longer or shorter."""
    own = sorted(x for x in frozenset[Name]().union(*(d.free() for d in t.shape)) if x in sizes)
    if not own:
        return {}
    if not empty:
        return {x: rng.choice((1, 2, 3, known[x] - 1, known[x] + 1)) for x in own}
    none = {} if any(d.as_const == 0 for d in t.shape) else {rng.choice(own): 0}
    if len(own) > len(none) and rng.random() < FAR_TOO:
        return {x: rng.choice(FAR_SIZES) for x in own} | none
    return none or {rng.choice(own): 0}


EMPTY = 0.4
"""Fraction of the rough inputs that have an empty array."""

FAR_TOO = 0.2
FAR_SIZES = (1 << 48, 1 << 62, (1 << 63) - 1)
"""Fraction of these arrays with another, huge length, and these lengths."""


def _rough_value(v: object, t: ScalarType, rng: random.Random) -> Value:
    if not t.is_int:
        return small_value(t, rng)
    k = rng.choice((-1, -1, -1, 0, 0, 1, as_int(v) - 1, as_int(v) + 1))
    if rng.random() < 0.1:
        k = rng.choice(FAR)
    return normalise(k if t.is_signed else abs(k), t)


def _rough_elements(data: Data, t: ScalarType, rng: random.Random) -> Data:
    """Replace all elements, or one of them."""
    if not data.size or rng.random() < 0.5:
        return _filled(t, data.shape, rng)
    new = data.copy()
    k = rng.choice((0, -1, data.shape[0], rng.randint(0, 3)))
    new.flat[rng.randrange(data.size)] = normalise(abs(k) if t.is_int and not t.is_signed else k, t)
    return new


def as_int(v: object) -> int:
    """Return the value of an integer parameter."""
    assert isinstance(v, int)
    return v


def _near(v: object, t: ScalarType, rng: random.Random) -> Value:
    return normalise(as_int(v) + rng.choice((-1, 1, 1, 2)), t)


def small_value(t: ScalarType, rng: random.Random) -> Value:
    """Return a small number, rarely the smallest or largest of its type."""
    if t is ScalarType.BOOL:
        return rng.random() < 0.5
    if t.is_float:
        return normalise(rng.choice((0.0, -0.0, 1.0, -1.5, 0.5, 3.0, -7.25)), t)
    if rng.random() < 0.05:
        return rng.choice((t.min, t.max))
    return rng.randint(-2 if t.is_signed else 0, 6)


def _filled(t: ScalarType, shape: tuple[int, ...], rng: random.Random) -> Data:
    n = int(np.prod(shape))
    kind = rng.random()
    if kind < 0.4 and t is not ScalarType.BOOL:  # a permutation: indices for a scatter
        values: list[Value] = [normalise(k, t) for k in rng.sample(range(n), n)]
    else:
        values = [small_value(t, rng) for _ in range(n)]
    return np.array(values, dtype(t)).reshape(shape)


def _shape(t: ArrayType, known: Mapping[Name, int]) -> tuple[int, ...] | None:
    try:
        shape = tuple(d.eval(known.__getitem__) for d in t.shape)
    except KeyError:
        return None
    if min(shape) < 0 or prod(shape) > LARGEST:
        return None
    try:
        holdable(shape, t.elem)
    except DeviceError:
        return None
    return shape


def _repeated(v: object, shape: tuple[int, ...], rng: random.Random, t: ScalarType) -> Data:
    """Return the elements in another shape; they are repeated if there are too few."""
    assert isinstance(v, ArrayValue)
    if not v.data.size:
        return _filled(t, shape, rng)
    return np.resize(v.data, shape)


def fits(s: Signature, case: Case) -> Case | None:
    """Return the case if its arguments fit its parameters, or None."""
    try:
        bind(s, case.args)
    except InputError:
        return None
    return case
