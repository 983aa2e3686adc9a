"""Generate well-typed FUN programs, with inputs on which nearly all of them do not trap.

The generator knows the sizes of the inputs, so that it can keep indices in bounds without guards:
every i64 in scope has a range for those inputs, and some indices have a size as upper bound.
Everything else is symbolic: the program itself mentions sizes by name.

``counts`` steers the generator: a kind of expression that was generated less often becomes
likelier, so that a campaign covers all of them.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from funmem.ir.arith import size_exp
from funmem.ir.fun import (
    ArrayType,
    Atom,
    Binder,
    Body,
    Const,
    Copy,
    Entry,
    Exp,
    FunProgram,
    Iota,
    Param,
    Program,
    Replicate,
    Reshape,
    Reverse,
    Stm,
    Type,
    Var,
)
from funmem.ir.lmad import DimRange, SliceDim
from funmem.ir.names import Fresh, Name
from funmem.ir.record import frozen
from funmem.ir.scalars import ScalarType, Value, normalise
from funmem.ir.sizes import ONE, ZERO, Size, const, product, var
from funmem.ir.traverse import atom_size, size_atom
from funmem.ir.values import ArgValue, dtype
from funmem.testing.generator.scope import ANY, Range, Scope, Variable

I64 = ScalarType.I64
BOOL = ScalarType.BOOL
SCALARS = tuple(ScalarType)

MAX_DEPTH = 4
MAX_ELEMENTS = 48
"""Largest number of elements of an array for the given inputs, so that interpreters stay fast."""

SIZES = ((3, 9), (3, 9), (3, 9), (6, 26))
"""Ranges for the number of statements, equally likely.  Mostly small programs: they find bugs in
less time (measured: papers/funmem/testing.md).
"""

_EDGE_FLOATS = (0.0, -0.0, 1.0, -1.5, 0.5, 3.0, -7.25, float("inf"), float("-inf"), float("nan"))


@frozen
class Generated:
    """A program, the entry point to call, and its arguments."""

    seed: int
    program: FunProgram
    entry: Name
    args: tuple[ArgValue, ...]


Out: TypeAlias = list[Stm[None]]
Action: TypeAlias = "Callable[[Generator, Scope, Out], bool]"


@frozen
class Producer:
    """``run`` adds statements, or returns False; ``nested``: it opens a scope."""

    run: "Action"
    weight: float = 1.0
    nested: bool = False


class Generator:
    """A program under construction; ``producers`` make its statements.

    ``plant`` adds a statement that may trap, once, at a random place.
    """

    def __init__(
        self,
        seed: int,
        producers: Mapping[str, Producer],
        counts: Counter[str],
        plant: "Action | None" = None,
    ) -> None:
        self.seed = seed
        self.producers = producers
        self.rng = random.Random(seed)
        self.fresh = Fresh(())
        self.counts = counts
        self.budget = self.rng.randint(*self.rng.choice(SIZES))
        self.plant = plant
        self.plant_at = self.rng.randint(1, self.budget - 2) if plant else 0

    # -- binding

    def bind(
        self,
        scope: Scope,
        out: Out,
        exp: Exp[None],
        known: Variable,
        *,
        own: bool = False,
    ) -> Variable:
        """Add ``let known = exp``; an ``own`` array is its own root and may be consumed."""
        out.append(Stm((Binder(known.name, known.type, None),), exp))
        return scope.add(known, own=own)

    def scalar(
        self, scope: Scope, out: Out, t: ScalarType, exp: Exp[None], r: Range = ANY
    ) -> Variable:
        """Bind a scalar."""
        return self.bind(scope, out, exp, Variable(self.fresh("s"), t, r))

    def array(
        self,
        scope: Scope,
        out: Out,
        t: ArrayType,
        exp: Exp[None],
        *,
        base: str = "x",
        defined: bool = True,
    ) -> Variable:
        """Bind a fresh array."""
        name = self.fresh(base)
        k = Variable(name, t, roots=frozenset({name}), defined=defined)
        return self.bind(scope, out, exp, k, own=True)

    def derived(
        self, scope: Scope, out: Out, t: ArrayType, exp: Exp[None], source: Variable
    ) -> Variable:
        """Bind an array that shares elements with ``source``."""
        k = Variable(self.fresh("v"), t, roots=source.roots, defined=source.defined)
        return self.bind(scope, out, exp, k)

    # -- random parts

    def constant(self, t: ScalarType) -> Const:
        """Return a constant, often the smallest or largest of its type."""
        rng = self.rng
        if t is BOOL:
            return Const(rng.random() < 0.5, t)
        if t.is_float:
            return Const(normalise(rng.choice(_EDGE_FLOATS), t), t)
        edges = (t.min, t.max, t.max - 1)
        k = rng.choice(edges) if rng.random() < 0.15 else rng.randint(-4 if t.is_signed else 0, 9)
        return Const(normalise(k, t), t)

    def operand(self, scope: Scope, t: ScalarType) -> Atom:
        """Return a name in scope or a constant."""
        known = scope.scalars(t)
        if known and self.rng.random() < 0.8:
            return Var(self.rng.choice(known).name)
        return self.constant(t)

    def size(self, scope: Scope, limit: int = 5) -> Size:
        """Return a size in 0 … limit for the given inputs."""
        small = [k for k in scope.scalars(I64) if 0 <= k.range.lo <= k.range.hi <= limit]
        choice = self.rng.random()
        if small and choice < 0.7:
            s = var(self.rng.choice(small).name)
            if choice < 0.1 and scope.range_of(s + 1).hi <= limit:
                return s + 1
            if choice < 0.15 and scope.range_of(s * 2).hi <= limit:
                return s * 2
            return s
        return const(self.rng.choice((0, 1, 1, 2, 2, 3, 4)[: limit + 2]))

    def shape(self, scope: Scope, rank: int) -> tuple[Size, ...]:
        """Return sizes for a new array that is not too large."""
        limit = MAX_ELEMENTS
        sizes: list[Size] = []
        for _ in range(rank):
            s = self.size(scope, max(1, min(5, limit)))
            limit //= max(1, scope.range_of(s).hi)
            sizes.append(s)
        return tuple(sizes)

    def elements(self, scope: Scope, shape: tuple[Size, ...]) -> int:
        """Return an upper bound of the number of elements of a shape."""
        total = 1
        for s in shape:
            total *= max(0, scope.range_of(s).hi)
        return total

    def size_of_atom(self, scope: Scope, out: Out, s: Size) -> Atom:
        """Return a size as an atom; a polynomial is bound to a name."""
        atom = size_atom(s)
        return atom or Var(self.scalar(scope, out, I64, size_exp(s), scope.range_of(s)).name)

    # -- values of a given type

    def make(self, scope: Scope, out: Out, t: Type) -> Variable:
        """Return a value of type ``t`` without uninitialised elements, from the scope or new."""
        if isinstance(t, ScalarType):
            known = scope.scalars(t)
            if known and self.rng.random() < 0.85:
                return self.rng.choice(known)
            return self.scalar(scope, out, t, self.constant(t))
        assert isinstance(t, ArrayType)
        found = scope.arrays(lambda k: k.type == t and k.defined)
        if found and self.rng.random() < 0.85:
            return self.rng.choice(found)
        if t.elem.is_int and self.rng.random() < 0.5:
            return self.numbered(scope, out, t)
        self.counts["Replicate"] += 1
        return self.array(scope, out, t, Replicate(t.shape, self.operand(scope, t.elem)))

    def numbered(self, scope: Scope, out: Out, t: ArrayType) -> Variable:
        """Bind an array of distinct elements."""
        self.counts["Iota"] += 1
        start, step = self.operand(scope, t.elem), Const(self.rng.choice((1, 3)), t.elem)
        whole = ArrayType(t.elem, (product(t.shape),))
        x = self.array(scope, out, whole, Iota(whole.shape[0], start, step))
        if t.rank == 1:
            return x
        self.counts["Reshape"] += 1
        return self.derived(scope, out, t, Reshape(t.shape, x.name), x)

    def make_own(
        self,
        scope: Scope,
        out: Out,
        t: ArrayType,
        avoid: frozenset[Name] = frozenset(),
    ) -> Variable:
        """Return an array of type ``t`` that may be consumed and shares nothing with ``avoid``."""
        found = scope.arrays(
            lambda k: k.type == t and scope.consumable(k) and k.defined and not (k.roots & avoid)
        )
        if found and self.rng.random() < 0.8:
            return self.rng.choice(found)
        source = self.make(scope, out, t)
        return self.array(scope, out, t, Copy(source.name))

    # -- bodies

    def statements(self, scope: Scope, out: Out, budget: int) -> None:
        """Add about ``budget`` statements; if a producer fails, another one is tried."""
        kinds = list(self.producers)
        for _ in range(budget):
            if self.budget <= 0:
                return
            if self.plant and self.budget <= self.plant_at and self.plant(self, scope, out):
                self.plant = None
            weights = [self.producers[k].weight / (1 + self.counts[k]) ** 0.5 for k in kinds]
            for _ in range(8):
                (kind,) = self.rng.choices(kinds, weights)
                producer = self.producers[kind]
                if producer.nested and scope.depth >= MAX_DEPTH:
                    continue
                if producer.run(self, scope, out):
                    self.counts[kind] += 1
                    self.budget -= 1
                    break

    def full(self, shape: tuple[Size, ...]) -> tuple[SliceDim, ...]:
        """Return the slice ``[0 : d, …]``."""
        return tuple(DimRange(ZERO, d, ONE) for d in shape)

    # -- the program

    def program(self) -> Generated:
        """Return the program: parameters, statements, results."""
        scope = Scope()
        implicit, params, args = self._parameters(scope)
        out: Out = []
        self.statements(scope, out, self.budget)
        results, implicit_results, values = self._results(scope, out)
        entry = Entry(
            Name("main"),
            implicit,
            params,
            implicit_results,
            results,
            Body(tuple(out), values),
        )
        return Generated(self.seed, Program((entry,)), entry.name, args)

    def _parameters(
        self, scope: Scope
    ) -> tuple[tuple[Binder[None], ...], tuple[Param[None], ...], tuple[ArgValue, ...]]:
        rng = self.rng
        sizes = {
            self.fresh("n"): rng.choice((0, 1, 1, 2, 3, 3, 4, 5)) for _ in range(rng.randint(1, 3))
        }
        used: set[Name] = set()
        params: list[Param[None]] = []
        args: list[ArgValue] = []
        for _ in range(rng.randint(1, 4)):
            if rng.random() < 0.3:
                self._scalar_parameter(scope, params, args)
                continue
            shape = tuple(rng.choice(list(sizes)) for _ in range(rng.choice((1, 1, 1, 2, 2, 3))))
            if np.prod([sizes[x] for x in shape]) > MAX_ELEMENTS:
                shape = shape[:1]
            used.update(shape)
            self._array_parameter(scope, shape, sizes, params, args)
        if "RaggedKernel" in self.producers and rng.random() < 0.5:
            self._rows_parameter(scope, sizes, used, params, args)
        if "Product" in self.producers:
            self._matrices(scope, sizes, used, params, args)
        for x in sizes:
            if x in used:
                scope.add(Variable(x, I64, Range(sizes[x], sizes[x])))
        implicit = tuple(Binder[None](x, I64, None) for x in sizes if x in used)
        return implicit, tuple(params), tuple(args)

    def _scalar_parameter(
        self, scope: Scope, params: list[Param[None]], args: list[ArgValue]
    ) -> None:
        t = self.rng.choice((I64, I64, *SCALARS))
        value = self.rng.randint(0, 5) if t is I64 else self.constant(t).value
        r = Range(int(value), int(value)) if t is I64 else ANY
        k = scope.add(Variable(self.fresh("p"), t, r))
        params.append(Param(Binder(k.name, t, None)))
        args.append(value)

    def _rows_parameter(
        self,
        scope: Scope,
        sizes: dict[Name, int],
        used: set[Name],
        params: list[Param[None]],
        args: list[ArgValue],
    ) -> None:
        """Add the offsets of rows, whose elements are as many as those of another parameter."""
        rng = self.rng
        x, m = rng.choice(list(sizes)), rng.choice(list(sizes))
        if not sizes[x] or (sizes[x] == 1 and sizes[m]):
            return
        if m not in used:
            self._array_parameter(scope, (m,), sizes, params, args)
        used.update((x, m))
        t, name = ArrayType(I64, (var(x),)), self.fresh("a")
        scope.add(Variable(name, t, roots=frozenset({name}), elements=var(m)))
        params.append(Param(Binder(name, t, None)))
        cuts = sorted(rng.randint(0, sizes[m]) for _ in range(sizes[x] - 2))
        args.append(np.array([0, *cuts, sizes[m]][: sizes[x]], dtype(I64)))

    def _matrices(
        self,
        scope: Scope,
        sizes: dict[Name, int],
        used: set[Name],
        params: list[Param[None]],
        args: list[ArgValue],
    ) -> None:
        """Add two matrices that have a product: passes cannot compute their elements again."""
        rows, depth, columns = (self.fresh("n") for _ in range(3))
        sizes |= {rows: self.rng.choice((1, 4, 5, 6, 7, 8)), depth: self.rng.randint(0, 4)}
        sizes[columns] = self.rng.randint(2, 5)
        used.update((rows, depth, columns))
        elem = self.rng.choice([t for t in SCALARS if t is not BOOL])
        for shape in ((rows, depth), (depth, columns)):
            self._array_parameter(scope, shape, sizes, params, args, elem)

    def _array_parameter(
        self,
        scope: Scope,
        shape: tuple[Name, ...],
        sizes: dict[Name, int],
        params: list[Param[None]],
        args: list[ArgValue],
        elem: ScalarType | None = None,
    ) -> None:
        """Add an array; ``elem``: the type of its elements, else any."""
        t = ArrayType(elem or self.rng.choice(SCALARS), tuple(var(x) for x in shape))
        name = self.fresh("a")
        unique = self.rng.random() < 0.4
        scope.add(Variable(name, t, roots=frozenset({name})), own=unique)
        params.append(Param(Binder(name, t, None), unique))
        dims = tuple(sizes[x] for x in shape)
        count = int(np.prod(dims))
        values: list[Value] = [self.constant(t.elem).value for _ in range(count)]
        args.append(np.array(values, dtype(t.elem)).reshape(dims))

    def _results(
        self, scope: Scope, out: Out
    ) -> tuple[tuple[Binder[None], ...], tuple[Binder[None], ...], tuple[Atom, ...]]:
        """Return results from the scope; the sizes of inner arrays are results as well."""
        live = [k for k in scope.known.values() if scope.live(k)]
        chosen = live[-2:] + self.rng.sample(live, min(len(live), self.rng.randint(1, 3)))
        chosen = list({k.name: k for k in chosen}.values())
        for k in [k for k in chosen if isinstance(k.type, ArrayType)]:
            if self.rng.random() < 0.2:  # twice, unchanged or reversed
                chosen.append(k if self.rng.random() < 0.4 else self._reversed(scope, out, k))
        outside = frozenset(Name(x) for x in scope.known if x.startswith(("n_", "p_")))
        results: list[Binder[None]] = []
        implicit: list[Binder[None]] = []
        sizes: list[Atom] = []
        values: list[Atom] = []
        for k in chosen:
            t, value, inside = self.existential(scope, out, k, outside)
            implicit += [Binder(x, I64, None) for x, _ in inside]
            sizes += [a for _, a in inside]
            results.append(Binder(self.fresh("r"), t, None))
            values.append(Var(value.name))
        return tuple(results), tuple(implicit), (*sizes, *values)

    def _reversed(self, scope: Scope, out: Out, x: Variable) -> Variable:
        assert isinstance(x.type, ArrayType)
        self.counts["Reverse"] += 1
        return self.derived(scope, out, x.type, Reverse(0, x.name), x)

    def existential(
        self, scope: Scope, out: Out, k: Variable, outside: frozenset[Name]
    ) -> tuple[ScalarType | ArrayType, Variable, list[tuple[Name, Atom]]]:
        """Return how ``k`` is returned to a place where only ``outside`` is in scope.

        That is its type there, the array to return, and the name and value of each size that is
        unknown outside.
        """
        if not isinstance(k.type, ArrayType):
            return k.type, k, []
        shape, real = list(k.type.shape), list(k.type.shape)
        inside: list[tuple[Name, Atom]] = []
        for d, s in enumerate(shape):
            if not s.free() <= outside:
                atom = self.size_of_atom(scope, out, s)
                name = self.fresh("k")
                inside.append((name, atom))
                shape[d], real[d] = var(name), atom_size(atom)
        if tuple(real) != k.type.shape:
            t = ArrayType(k.type.elem, tuple(real))
            self.counts["Reshape"] += 1
            k = self.derived(scope, out, t, Reshape(t.shape, k.name), k)
        return ArrayType(k.elem, tuple(shape)), k, inside
