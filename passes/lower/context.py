"""The context of lowering: the paper's Γ, "containing all patterns in the program", and facts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NoReturn, TypeAlias

from attrs import field

from funmem.ir.diagnostics import NOWHERE, Span, Stuck, TrapKind
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Atom,
    Bin,
    Binder,
    Const,
    Convert,
    Entry,
    For,
    KernelDim,
    Loop,
    ScalarExp,
    Scatter,
    Stm,
    Type,
    Un,
    Var,
)
from funmem.ir.imp import Block, Check, Condition, Holds, InRange, NonNegative, Shown
from funmem.ir.lmad import Lmad
from funmem.ir.logic.blocks import Blocks, apart, blocks_of
from funmem.ir.logic.bounded import bounded, converted, divided, divides, shown
from funmem.ir.logic.branches import given, iterating
from funmem.ir.logic.facts import DIVISIONS, facts_of, of_entry
from funmem.ir.logic.invariants import NONE, Invariants, of_loops
from funmem.ir.logic.prove import Facts, proved
from funmem.ir.names import Fresh, Name
from funmem.ir.record import evolve, frozen
from funmem.ir.scalars import I64, BinOp, ScalarType, bin_result, un_result
from funmem.ir.sizes import Size, SizeLike, var
from funmem.ir.traverse import entry_binders, inner_binders, inner_indices, walk

Observer: TypeAlias = Callable[[Stm[Ann], Block], None]

Tell: TypeAlias = Callable[[Stm[Ann], str, str], None]
"""Called with a statement, the condition that does not hold, or "", and the reason."""


def silent(_: Stm[Ann], __: str, ___: str) -> None:
    """Record no remark."""


@frozen
class Place:
    """A memory location: block, index function (rank 0 for one scalar), element type."""

    block: Name
    ix: Lmad
    elem: ScalarType

    def prefix(self, index: Sequence[SizeLike]) -> "Place":
        """Return the place of one row, or of one element."""
        return evolve(self, ix=self.ix.prefix(index))

    def same_as(self, other: "Place") -> bool:
        """True if equal indices provably address the same element.

        Both arrays have the same shape, so lengths are not compared (equal lengths may have
        different names).
        """
        return (
            self.block == other.block
            and self.ix.offset == other.ix.offset
            and self.ix.strides == other.ix.strides
        )


@frozen
class EarlyScatter:
    """``scatter x indices values`` that the loops perform which make the indices.

    ``sliced``: they make more indices than the scatter reads.
    """

    x: Name
    indices: Name
    values: Name
    sliced: bool


@frozen
class Context:
    """Γ, the supply of fresh names, and the facts at one program point."""

    gamma: Mapping[Name, Binder[Ann]]
    values: Mapping[Name, ScalarExp]
    """The scalar expressions that ``let`` binds."""
    scalars: Mapping[Name, ScalarType]
    fresh: Fresh
    facts: Facts
    either: tuple[Var, ...] = ()
    """Asserted disjunctions: which operand holds may follow only from facts further inside."""
    checked: frozenset[Condition] = frozenset()
    """The conditions of earlier checks, which hold here."""
    loops: Mapping[int, Invariants] = field(factory=dict, eq=False, repr=False)
    """The invariants of loops, by the identity of the loop."""
    observer: Observer | None = None
    """Called with each statement and its translation, inner ones first."""
    tell: Tell = field(default=silent, eq=False, repr=False)
    blocks: Blocks = field(factory=lambda: Blocks({}), eq=False, repr=False)
    """The blocks that block variables stand for, if the entry point scatters."""
    apart: frozenset[frozenset[Name]] = frozenset()
    """Pairs of block variables of loops that are never the same block."""
    allocated: frozenset[Name] = frozenset()
    early: Mapping[Name, EarlyScatter] = field(factory=dict)
    """By the update that stores an index: the scatter that is lowered there."""
    left_out: frozenset[Name] = frozenset()
    """Arrays that need not be written: scatters that are lowered early, and their indices."""

    @staticmethod
    def of(entry: Entry[Ann], observer: Observer | None = None, tell: Tell = silent) -> "Context":
        """Return the context at the start of an entry point."""
        gamma = {b.name: b for b in _binders(entry)}
        values = {
            s.pat[0].name: s.exp for s in walk(entry.body) if isinstance(s.exp, Bin | Un) and s.pat
        }
        scalars = {x: b.type for x, b in gamma.items() if isinstance(b.type, ScalarType)}
        ctx = Context(
            gamma,
            values,
            scalars,
            Fresh([entry.name, *gamma]),
            facts_of(p.binder for p in entry.params),
            loops=of_loops(entry.body, of_entry(entry)),
            observer=observer,
            tell=tell,
        )
        every = tuple(walk(entry.body))
        if not any(isinstance(s.exp, Scatter) for s in every):
            return ctx
        blocks = blocks_of(entry.body)
        pairs = (apart(s, blocks) for s in every if isinstance(s.exp, Loop))
        return evolve(
            ctx,
            blocks=blocks,
            apart=frozenset[frozenset[Name]]().union(*pairs),
            allocated=frozenset(s.pat[0].name for s in every if isinstance(s.exp, Alloc)),
        )

    def type_of(self, e: ScalarExp) -> Type:
        """Return the type of a scalar expression, or of the array or block that an atom names."""
        match e:
            case Const(_, t):
                return t
            case Var(x):
                return self.gamma[x].type
            case Convert(to, _):
                return to
            case Un(op, a):
                return un_result(op, self.scalar_type(a)) or _stuck(f"{op} on {a}")
            case Bin(op, a, _):
                return bin_result(op, self.scalar_type(a)) or _stuck(f"{op} on {a}")

    def scalar_type(self, e: ScalarExp) -> ScalarType:
        """Return the type of a scalar expression."""
        t = self.type_of(e)
        return t if isinstance(t, ScalarType) else _stuck(f"{e} is not a scalar")

    def shape(self, x: Name) -> tuple[Size, ...]:
        """Return the shape of an array."""
        t = self.gamma[x].type
        return t.shape if isinstance(t, ArrayType) else _stuck(f"{x} is not an array")

    def place(self, x: Name) -> Place:
        """Return the place of an array."""
        match self.gamma[x]:
            case Binder(_, ArrayType(elem), home) if home is not None:
                return Place(home.block, home.ix, elem)
            case _:
                return _stuck(f"{x} has no home")

    def place_of(self, a: Atom) -> Place | None:
        """Return the place of an atom's array; None for a scalar or a block."""
        if isinstance(a, Var) and isinstance(self.gamma[a.name].type, ArrayType):
            return self.place(a.name)
        return None

    def inside(self, dims: Iterable[KernelDim]) -> "Context":
        """Return the context in one iteration of a loop nest."""
        facts = self.facts
        for d in dims:
            facts = iterating(d.index, d.size, facts, self.values)
        for cond in self.either:
            facts = given(cond, True, facts, self.values, self.scalars)
        return evolve(self, facts=facts)

    def given(self, cond: Atom, truth: bool) -> "Context":
        """Return the context in a branch of a conditional."""
        return evolve(self, facts=given(cond, truth, self.facts, self.values, self.scalars))

    def asserting(self, cond: Atom) -> "Context":
        """Return the context after the assertion of a condition."""
        known = self.given(cond, True)
        if isinstance(cond, Var) and isinstance(e := self.values.get(cond.name), Bin):
            return evolve(known, either=(*self.either, cond)) if e.op is BinOp.LOR else known
        return known

    def converted(self, x: Name, e: Convert) -> "Context":
        """Return the context after a conversion."""
        return evolve(self, facts=converted(x, e, self.scalar_type(e.a), self.facts))

    def iterating(self, e: Loop[Ann]) -> "Context":
        """Return the context in an iteration of a loop."""
        known = self.after(p.binder for p in e.params)
        if isinstance(e.form, For):
            known = known.inside((KernelDim(e.form.index, e.form.bound),))
        held = self.loops.get(id(e), NONE)
        return known.assuming((*held.always, *held.going))

    def looped(self, pat: Iterable[Binder[Ann]], e: Loop[Ann]) -> "Context":
        """Return the context after a loop."""
        image = {p.binder.name: var(b.name) for p, b in zip(e.params, pat, strict=True)}
        return self.assuming(p.subst(image) for p in self.loops.get(id(e), NONE).always)

    def divided(self, x: Name, e: Bin) -> "Context":
        """Return the context after an operator; it says something of the quotients of i64."""
        if e.op not in DIVISIONS or self.scalars[x] is not I64:
            return self
        return evolve(self, facts=divided(x, e, self.facts, self.values))

    def assuming(self, polynomials: Iterable[Size]) -> "Context":
        """Return the context where the polynomials are not negative."""
        facts = self.facts
        for p in polynomials:
            facts = facts.assuming(p)
        return evolve(self, facts=facts)

    def after(self, binders: Iterable[Binder[Ann]]) -> "Context":
        """Return the context after binders: no array has a negative length."""
        facts = self.facts
        for b in binders:
            for d in b.type.shape if isinstance(b.type, ArrayType) else ():
                facts = facts.with_nonneg(d)
        return evolve(self, facts=facts)

    def having(self, done: Block) -> "Context":
        """Return the context after statements: the conditions that they check hold."""
        found = frozenset(s.cond for s in done if isinstance(s, Check))
        return evolve(self, checked=self.checked | found) if found else self

    def check(
        self,
        cond: Condition,
        kind: TrapKind,
        message: str,
        args: tuple[Size | Shown, ...],
        at: Span,
    ) -> Block:
        """Return ``check cond …``, or nothing if the condition follows or was checked before."""
        if cond in self.checked or proved(cond, self.facts):
            return ()
        if isinstance(cond, InRange) and self._in_range(cond.i, cond.n):
            return ()
        if isinstance(cond, NonNegative) and shown(cond.d, self.facts, self.values):
            return ()
        if kind is TrapKind.DIVISION and self._divides(cond):
            return ()
        return (Check(cond, kind, message, args, at),)

    def in_range(self, i: Size, n: Size) -> bool:
        """True if ``0 <= i < n`` is proved."""
        return proved(InRange(i, n), self.facts) or self._in_range(i, n)

    def _in_range(self, i: Size, n: Size) -> bool:
        """True if ``0 <= i < n`` follows from the definitions of names."""
        if bounded(i, n, self.facts, self.values):
            return True
        return all(shown(p, self.facts, self.values) for p in (i, n - 1 - i))

    def _divides(self, cond: Condition) -> bool:
        """True if ``e != 0`` follows for an i64 divisor."""
        if not isinstance(cond, Holds) or not isinstance(cond.cond, Bin):
            return False
        op, e, zero = cond.cond.op, cond.cond.a, cond.cond.b
        if op is not BinOp.NE or zero != Const(0, I64):
            return False
        return divides(e, self.facts, self.values)


def _binders(entry: Entry[Ann]) -> Iterator[Binder[Ann]]:
    yield from entry_binders(entry)
    for s in walk(entry.body):
        yield from s.pat
        yield from inner_binders(s.exp)
        yield from (Binder(i, I64, None, NOWHERE) for i in inner_indices(s.exp))


def _stuck(why: str) -> NoReturn:
    raise Stuck(why)
