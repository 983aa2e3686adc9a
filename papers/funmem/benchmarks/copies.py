"""How much an IMP program copies, for given arguments, found without running it.

IMP says where it copies: a ``CopyElement`` moves one element as it is, and a copy of an array is a
kernel of nothing else.  What is computed (a ``Read``, then a ``Write``) is no copy.  Here the
statements around copies are followed with what is known about scalars: arguments, sizes, and what
is computed of those.  Elements of arrays are not known, so that

    a condition on them    counts as the branch that copies more; the result then says "at most"
    a bound made of them   cannot be counted; neither can a while loop: :class:`NotCountable`

An iteration of a kernel stands for all of them, unless how often something is copied depends on
its index; then each is followed.
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
    Read,
    ScalarPort,
    WhileStm,
    Write,
)
from funmem.ir.names import Name
from funmem.ir.scalars import I64, OperatorTrap, Value
from funmem.ir.signature import signature
from funmem.ir.sizes import Size
from funmem.ir.values import ArgValue, ArrayValue, bind

MOST_ITERATIONS = 1 << 20
"""Of a kernel whose iterations copy differently often."""


class NotCountable(Exception):
    """How often a copy runs depends on the elements of arrays."""


@frozen
class Site:
    """One place in the program that copies, all of its executions together.

    ``in_kernel``: the threads of a kernel copy, each on its own.  A kernel that only copies is
    no such place.
    """

    at: Span
    in_loop: bool
    in_kernel: bool
    times: int = 0
    bytes: int = 0


@frozen
class Copies:
    """All of them; ``at_most``: a condition on data decides over some."""

    sites: tuple[Site, ...]
    at_most: bool = False

    @property
    def times(self) -> int:
        """Copies of arrays, those of each thread counted."""
        return sum(s.times for s in self.sites)

    @property
    def bytes(self) -> int:
        """Bytes that were read, and written as they are."""
        return sum(s.bytes for s in self.sites)

    @property
    def inside(self) -> int:
        """Places in loops and kernels."""
        return sum(s.in_loop or s.in_kernel for s in self.sites)


def count(program: ImpProgram, entry: str, args: Sequence[ArgValue]) -> Copies:
    """The copies of one call.  Raises NotCountable, InputError."""
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
"""Which statement: its position in each block on the way to it."""


@frozen
class _Around:
    """Where a statement stands."""

    key: Key = ()
    in_loop: bool = False
    in_kernel: bool = False

    def at(self, k: int) -> "_Around":
        return evolve(self, key=(*self.key, k))


@frozen
class _Tally:
    """What one execution copies."""

    sites: dict[Key, Site] = field(factory=dict)
    at_most: bool = False

    @property
    def bytes(self) -> int:
        return sum(s.bytes for s in self.sites.values())

    def times(self, n: int) -> "_Tally":
        """What n executions copy."""
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
    """The scalars that are known at the moment are those that ``scope`` has values of."""

    def __init__(self, scope: Scope[Value]) -> None:
        self._scope = scope

    def block(self, stms: Block, around: _Around) -> _Tally:
        """What a block copies when it runs once."""
        return _sum([self.statement(s, around.at(k)) for k, s in enumerate(stms)])

    def statement(self, s: ImpStm, around: _Around) -> _Tally:
        match s:
            case Declare(x, t):
                self._scope.types[x] = t
            case Assign():
                self._assign(s)
            case Read(x):
                self._scope.values.pop(x, None)
            case Allocate() | Write() | Check():
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
    """Something is copied there."""
    return any(isinstance(s, CopyElement) or any(map(copies, _blocks(s))) for s in stms)


def is_copy(stms: Block) -> bool:
    """A kernel of these moves an array and does nothing else: a copy, or a scatter of elements."""
    flat = all(not isinstance(s, ForStm | WhileStm | KernelStm | Write | Allocate) for s in stms)
    return flat and copies(stms) and all(is_copy(b) for s in stms for b in _blocks(s) if b)


def assigned(stms: Block) -> frozenset[Name]:
    """The variables that statements change."""
    found: set[Name] = set()
    for s in stms:
        if isinstance(s, Assign | Read):
            found.add(s.x)
        for b in _blocks(s):
            found |= assigned(b)
    return frozenset(found)


def _blocks(s: ImpStm) -> tuple[Block, ...]:
    match s:
        case IfStm(_, then, orelse):
            return (then, orelse)
        case ForStm() | WhileStm() | KernelStm():
            return (s.body,)
        case _:
            return ()
