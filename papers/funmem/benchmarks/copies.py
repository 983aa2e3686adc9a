"""Count the copies of an IMP program for given arguments, without running it.

Copies are visible in IMP.  A ``CopyElement`` moves one element unchanged, and a copy of an array is
a kernel that contains nothing else.  A ``Read`` followed by a ``Write`` is not a copy.  The counter
interprets the statements around copies with the scalars that it knows: arguments, sizes, and values
computed from these.  It does not know the elements of arrays, so

    a condition on them         counts as the branch that copies more; the result is an upper bound
    a bound computed from them  cannot be counted, and neither can a while loop: `NotCountable`

One iteration of a kernel represents all of them, unless the number of copies depends on the index.
In that case each iteration is interpreted.
"""

from collections.abc import Iterable, Sequence
from math import prod
from typing import TypeAlias

from attrs import evolve, field, frozen

from funmem.interp.scope import Scope
from funmem.ir.diagnostics import Span
from funmem.ir.fun import MemType
from funmem.ir.imp import (
    Allocate,
    Assign,
    Block,
    Check,
    CopyElement,
    Declare,
    ForStm,
    IfStm,
    ImpProgram,
    ImpStm,
    KernelStm,
    OpaqueStm,
    Read,
    ScalarPort,
    WhileStm,
    Write,
)
from funmem.ir.imp_traverse import children
from funmem.ir.names import Name
from funmem.ir.scalars import I64, OperatorTrap, Value
from funmem.ir.signature import signature
from funmem.ir.sizes import Size
from funmem.ir.values import ArgValue, ArrayValue, bind

MOST_ITERATIONS = 1 << 20
"""Largest number of iterations of a kernel that are interpreted one by one."""


class NotCountable(Exception):
    """The number of executions of a copy depends on the elements of arrays."""


@frozen
class Site:
    """The sum of all executions of one copy in the program.

    ``in_kernel``: each thread of a kernel makes a copy of its own.  It is false if the kernel as a
    whole is the copy.
    """

    at: Span
    in_loop: bool
    in_kernel: bool
    times: int = 0
    bytes: int = 0


@frozen
class Copies:
    """All copies of a call; with ``at_most`` the numbers are upper bounds."""

    sites: tuple[Site, ...]
    at_most: bool = False

    @property
    def times(self) -> int:
        """Number of copies of arrays, counting the copies of each thread."""
        return sum(s.times for s in self.sites)

    @property
    def bytes(self) -> int:
        """Number of bytes that were copied."""
        return sum(s.bytes for s in self.sites)

    @property
    def inside(self) -> int:
        """Number of places in loops and kernels that copy."""
        return sum(s.in_loop or s.in_kernel for s in self.sites)


def count(program: ImpProgram, entry: str, args: Sequence[ArgValue]) -> Copies:
    """Return the copies of one call.  Raises NotCountable, InputError."""
    chosen = next(e for e in program.entries if e.name == entry)
    sizes, values = bind(signature(chosen), args)
    scope: Scope[Value] = Scope()
    scope.types.update(dict.fromkeys(chosen.sizes, I64))
    scope.values.update(sizes)
    for p, v in zip(chosen.params, values, strict=True):
        if isinstance(p, ScalarPort) and not isinstance(v, ArrayValue):
            scope.types[p.x] = p.type
            scope.values[p.x] = v
    tally = _Counter(scope).block(chosen.body, _Around())
    return Copies(tuple(s for s in tally.sites.values() if s.times), tally.at_most)


# ---------------------------------------------------------------------- one execution

Key: TypeAlias = tuple[int, ...]
"""Identifies a statement by its position in each of the blocks that enclose it."""


@frozen
class _Around:
    """The context of a statement."""

    key: Key = ()
    in_loop: bool = False
    in_kernel: bool = False

    def at(self, k: int) -> "_Around":
        return evolve(self, key=(*self.key, k))


@frozen
class _Tally:
    """The copies of one execution of a statement."""

    sites: dict[Key, Site] = field(factory=dict)
    at_most: bool = False

    @property
    def bytes(self) -> int:
        return sum(s.bytes for s in self.sites.values())

    def times(self, n: int) -> "_Tally":
        """Return the copies of n executions."""
        sites = {k: evolve(s, times=n * s.times, bytes=n * s.bytes) for k, s in self.sites.items()}
        return _Tally(sites, self.at_most)


def _sum(tallies: Iterable[_Tally]) -> _Tally:
    sites: dict[Key, Site] = {}
    at_most = False
    for t in tallies:
        at_most |= t.at_most
        for k, s in t.sites.items():
            had = sites.get(k)
            more = (had.times, had.bytes) if had else (0, 0)
            sites[k] = evolve(s, times=s.times + more[0], bytes=s.bytes + more[1])
    return _Tally(sites, at_most)


class _Counter:
    """Interprets statements; ``scope`` has the values of the scalars that are known."""

    def __init__(self, scope: Scope[Value]) -> None:
        self._scope = scope

    def block(self, stms: Block, around: _Around) -> _Tally:
        """Return the copies of one execution of a block."""
        return _sum([self.statement(s, around.at(k)) for k, s in enumerate(stms)])

    def statement(self, s: ImpStm, around: _Around) -> _Tally:
        match s:
            case Declare(x, t):
                self._scope.types[x] = t
            case Assign():
                self._assign(s)
            case Read(x):
                self._scope.values.pop(x, None)
            case Allocate() | Write() | OpaqueStm() | Check():
                pass
            case CopyElement():
                site = Site(s.at, around.in_loop, around.in_kernel, 1, s.elem.bytes)
                return _Tally({around.key: site})
            case IfStm():
                return self._if(s, around)
            case ForStm() | WhileStm() | KernelStm() if not copies(s.body):
                self._forget(assigned(s.body))
            case ForStm():
                return self._for(s, around)
            case WhileStm():
                raise NotCountable(f"{s.at}: copies in a while loop")
            case KernelStm():
                return self._kernel(s, around)
        return _Tally()

    def _assign(self, s: Assign) -> None:
        if isinstance(self._scope.types[s.x], MemType):
            return
        try:
            self._scope.values[s.x] = self._scope.scalar(s.value)[0]()
        except (KeyError, OperatorTrap):
            self._scope.values.pop(s.x, None)

    def _if(self, s: IfStm, around: _Around) -> _Tally:
        then, orelse = around.at(0), around.at(1)
        try:
            holds = bool(self._scope.atom(s.cond)())
        except KeyError:
            known = dict(self._scope.values)
            one = self.block(s.then, then)
            self._scope.values.clear()
            self._scope.values.update(known)
            other = self.block(s.orelse, orelse)
            self._forget(assigned(s.then) | assigned(s.orelse))
            more = one if one.bytes >= other.bytes else other
            return evolve(more, at_most=more.at_most or bool(more.bytes))
        return self.block(s.then, then) if holds else self.block(s.orelse, orelse)

    def _for(self, s: ForStm, around: _Around) -> _Tally:
        self._scope.types[s.index] = I64
        inside = evolve(around, in_loop=True)
        tallies = []
        for i in range(self._size(s.bound, s.at)):
            self._scope.values[s.index] = i
            tallies.append(self.block(s.body, inside))
        return _sum(tallies)

    def _kernel(self, s: KernelStm, around: _Around) -> _Tally:
        bounds = [max(0, self._size(d.bound, s.at)) for d in s.dims]
        names = [d.index for d in s.dims]
        self._scope.types.update(dict.fromkeys(names, I64))
        n = prod(bounds)
        inside = around if is_copy(s.body) else evolve(around, in_kernel=True)
        self._forget(frozenset(names))
        try:
            tally = self.block(s.body, inside).times(n)
        except NotCountable:
            if n > MOST_ITERATIONS:
                raise
            tally = self._each(s, bounds, inside)
        if not is_copy(s.body):
            return tally
        sites = {k: evolve(x, times=min(1, x.times)) for k, x in tally.sites.items()}
        return _Tally(sites, tally.at_most)

    def _each(self, s: KernelStm, bounds: Sequence[int], inside: _Around) -> _Tally:
        total = _Tally()
        for i in range(prod(bounds)):
            rest = i
            for d, n in zip(reversed(s.dims), reversed(bounds), strict=True):
                rest, self._scope.values[d.index] = divmod(rest, n)
            total = _sum((total, self.block(s.body, inside)))
        return total

    def _size(self, d: Size, at: Span) -> int:
        try:
            return self._scope.size(d)()
        except KeyError as e:
            raise NotCountable(f"{at}: the bound {d} is not known before the program runs") from e

    def _forget(self, xs: Iterable[Name]) -> None:
        for x in xs:
            self._scope.values.pop(x, None)


# ---------------------------------------------------------------------- statements


def copies(stms: Block) -> bool:
    """True if the statements contain a copy."""
    return any(isinstance(s, CopyElement) or any(map(copies, children(s))) for s in stms)


def is_copy(stms: Block) -> bool:
    """True if a kernel with this body only moves elements: a copy of an array, or a scatter."""
    flat = all(not isinstance(s, ForStm | WhileStm | KernelStm | Write | Allocate) for s in stms)
    return flat and copies(stms) and all(is_copy(b) for s in stms for b in children(s) if b)


def assigned(stms: Block) -> frozenset[Name]:
    """Return the variables that the statements assign."""
    found: set[Name] = set()
    for s in stms:
        if isinstance(s, Assign | Read):
            found.add(s.x)
        for b in children(s):
            found |= assigned(b)
    return frozenset(found)
