"""inline: calls are replaced by the bodies of functions (FUN, FUNMEM).

*Why.*  A call is opaque: nothing is known of its results, and passes on loops see none in it.

*Before -> after.*

    let (y : i64) = call f (a)          let (t : i64) = a + 1
    let (v : f32) = xs[y]         ->    let (y : i64) = t * 2
                                        let (v : f32) = xs[y]

*Which calls.*  ``calls=all``: all.  Otherwise a call is inlined if

1. the function has at most ``small`` statements, those of the functions that it calls included;
2. an integer or bool that it computes reaches an index, a size, a bound, a divisor or a condition,
   so that what the prover knows does not end at the call;
3. it is in a kernel, and ``vectorise`` would want the body: the function has a loop, or it may trap
   and the kernel has a loop.

For 2 and 3 the body has at most :data:`MOST` statements.  All other calls stay, and a remark says
why.  Functions that are not called any more are dropped.

*Precondition*: none.  *Postcondition*: the same results and traps, at the same places.
"""

from collections.abc import Iterable, Iterator, Mapping

from attrs import field

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Bin,
    Binder,
    Body,
    Call,
    Const,
    Convert,
    DerivedArray,
    Entry,
    Exp,
    FreshArray,
    Function,
    Hist,
    If,
    Index,
    InPlace,
    Kernel,
    Linkage,
    Loop,
    Map,
    MemProgram,
    Opaque,
    Program,
    RaggedKernel,
    ScalarExp,
    Stm,
    Un,
    Var,
    While,
)
from funmem.ir.functions import called, table
from funmem.ir.logic.facts import DIVISIONS
from funmem.ir.names import Fresh, Name
from funmem.ir.record import define, evolve
from funmem.ir.scalars import BinOp, ScalarType
from funmem.ir.sizes import Size
from funmem.ir.substitute import rename, subst_stm
from funmem.ir.traverse import (
    Mapper,
    binder_uses,
    bound_names,
    free_in_exp,
    map_body,
    map_exp,
    map_sub_bodies,
    program_fresh,
    sub_bodies,
    walk,
    with_exp,
    with_stms,
)
from funmem.passes.framework import Context, Option, any_pass

MOST = 400
"""Cap on the statements of a function that is inlined although it is not small."""


@any_pass(
    "inline",
    summary="calls are replaced by the bodies of functions, where passes need to see them",
    options=(
        Option("calls", "some", ("some", "all"), help="which calls are inlined"),
        Option("small", 4, help="statements up to which a function is always inlined"),
    ),
)
def inline(p: MemProgram, ctx: Context) -> MemProgram:
    """Inline the calls of each entry point, and drop functions that are not called any more."""
    if not p.functions:
        return p
    fresh = program_fresh(p)
    entries = tuple(_entry(e, p, fresh, ctx) for e in p.entries)
    return pruned(Program(entries, p.functions))


def pruned(p: MemProgram) -> MemProgram:
    """Return the program without functions that no entry point needs."""
    needed = frozenset[Name]().union(*(called(e.body) for e in p.entries))
    for f in reversed(p.functions):
        if f.name in needed:
            needed |= called(f.body)
    return Program(p.entries, tuple(f for f in p.functions if f.name in needed))


def expansion(s: Stm[Ann], e: Call, f: Function, fresh: Fresh) -> tuple[Stm[Ann], ...]:
    """Return the statements of ``f`` with the arguments of a call, and all names new.

    A result that the body binds gets the name in the pattern.
    """
    names = {x: fresh(x) for x in bound_names(f.body)}
    outer = {b.name for t in f.body.stms for b in t.pat}
    copies: list[int] = []
    taken: set[Name] = set()
    for k, (b, a) in enumerate(zip(s.pat, f.body.result, strict=True)):
        if isinstance(a, Var) and a.name in outer and a.name not in taken:
            taken.add(a.name)
            names[a.name] = b.name
        else:
            copies.append(k)
    body = map_body(f.body, rename(names))
    image = {p.name: a for p, a in zip(f.params, e.args, strict=True)}
    last = (Stm((s.pat[k],), body.result[k], s.at) for k in copies)
    return tuple(subst_stm(t, image) for t in (*body.stms, *last))


def _entry(e: Entry[Ann], p: MemProgram, fresh: Fresh, ctx: Context) -> Entry[Ann]:
    functions = table(p)
    sizes: dict[Name, int] = {}
    loops: set[Name] = set()
    for f in p.functions:
        every = [s.exp for s in walk(f.body)]
        sizes[f.name] = sum(sizes[x.fn] if isinstance(x, Call) else 1 for x in every)
        if any(isinstance(x, Loop) or (isinstance(x, Call) and x.fn in loops) for x in every):
            loops.add(f.name)
    everything = ctx.text("calls") == "all"
    while True:
        reach = frozenset[Name]() if everything else _Reach().of(e.body)
        work = _Inline(functions, sizes, loops, reach, everything, ctx.number("small"), fresh, ctx)
        body = work.body(e.body, kernel=None)
        if not work.done:
            for s, why in work.stays:
                ctx.remark(s, "the call is inlined", why)
            return e
        e = evolve(e, body=body)


@define
class _Inline:
    """One round: inlines the calls that are wanted; calls in their bodies wait for the next."""

    functions: Mapping[Name, Function]
    sizes: dict[Name, int]
    loops: set[Name]
    reach: frozenset[Name]
    everything: bool
    small: int
    fresh: Fresh
    ctx: Context
    done: bool = False
    stays: list[tuple[Stm[Ann], str]] = field(factory=list)

    def body(self, b: Body[Ann], kernel: Stm[Ann] | None) -> Body[Ann]:
        return with_stms(b, (t for s in b.stms for t in self.stm(s, kernel)))

    def stm(self, s: Stm[Ann], kernel: Stm[Ann] | None) -> tuple[Stm[Ann], ...]:
        if isinstance(s.exp, Call) and s.exp.linkage is Linkage.OWN:
            reason = self.wanted(s, s.exp, kernel)
            if reason is None:
                return (s,)
            self.done = True
            self.ctx.did(s, "call inlined", reason)
            return expansion(s, s.exp, self.functions[s.exp.fn], self.fresh)
        inside = kernel or (s if isinstance(s.exp, Kernel) else None)
        return (with_exp(s, map_sub_bodies(s.exp, lambda b: self.body(b, inside))),)

    def wanted(self, s: Stm[Ann], e: Call, kernel: Stm[Ann] | None) -> str | None:
        """Return the reason for inlining a call; None if it stays."""
        size = self.sizes[e.fn]
        if self.everything:
            return "all calls"
        if size <= self.small:
            return f"{e.fn} has {size} statements"
        why = None
        if any(b.name in self.reach and _exact(b) for b in s.pat):
            why = "its result reaches an index, a size, a bound, a divisor or a condition"
        elif kernel is not None and e.fn in self.loops:
            why = f"{e.fn} has a loop, which vectorise sees then"
        elif kernel is not None and e.partial and _has_loop(kernel):
            why = f"{e.fn} may trap in a kernel that has a loop"
        if why is not None and size <= MOST:
            return why
        self.stays.append(
            (s, (why and f"{why}, but it has {size} statements") or "nothing needs it")
        )
        return None


def _exact(b: Binder[Ann]) -> bool:
    return isinstance(b.type, ScalarType) and not b.type.is_float


def _has_loop(s: Stm[Ann]) -> bool:
    inner = (t for b in sub_bodies(s.exp) for t in walk(b))
    collective = isinstance(s.exp, Kernel) and not isinstance(s.exp.collective, Map)
    return collective or any(isinstance(t.exp, Loop | Kernel) for t in inner)


@define
class _Reach:
    """The names whose values reach an index, a size, a bound, a divisor or a condition."""

    wanted: set[Name] = field(factory=set)
    sources: dict[Name, set[Name]] = field(factory=dict)
    """A scalar -> the names from which its value comes."""

    def of(self, b: Body[Ann]) -> frozenset[Name]:
        self.body(b)
        todo = list(self.wanted)
        while todo:
            for x in self.sources.get(todo.pop(), ()):
                if x not in self.wanted:
                    self.wanted.add(x)
                    todo.append(x)
        return frozenset(self.wanted)

    def body(self, b: Body[Ann]) -> None:
        for s in b.stms:
            for p in s.pat:
                self.wanted |= binder_uses(p)
            map_exp(s.exp, Mapper(size=self._size))
            self.statement(s, s.exp)
            for inner in sub_bodies(s.exp):
                self.body(inner)

    def _size(self, d: Size) -> Size:
        self.wanted |= d.free()
        return d

    def flows(self, p: Name, xs: Iterable[Const | Var]) -> None:
        self.sources.setdefault(p, set()).update(a.name for a in xs if isinstance(a, Var))

    def statement(self, s: Stm[Ann], e: Exp[Ann]) -> None:
        match e:
            case Const() | Var() | Bin() | Un() | Convert():
                self.wanted.update(x for b in _divisors(e) for x in free_in_exp(b))
                self.sources.setdefault(s.pat[0].name, set()).update(free_in_exp(e))
            case Call(_, args):
                for p in s.pat:
                    self.flows(p.name, args)
            case If(cond, then, orelse):
                self.condition(cond)
                for p, a, b in zip(s.pat, then.result, orelse.result, strict=True):
                    self.flows(p.name, (a, b, cond))
            case Loop(params, form, body):
                for p, q, a in zip(s.pat, params, body.result, strict=True):
                    self.flows(p.name, (Var(q.binder.name),))
                    self.flows(q.binder.name, (q.init, a))
                if isinstance(form, While):
                    self.wanted.add(form.cond)
            case Kernel(_, collective, body) | RaggedKernel(collective=collective, body=body):
                results = body.result[1:] if isinstance(collective, Hist) else body.result
                if isinstance(collective, Hist):
                    self.condition(body.result[0])
                for p, a in zip(s.pat, results, strict=True):
                    self.flows(p.name, (a,))
                if not isinstance(collective, Map):
                    op = collective.op
                    k = len(collective.ne)
                    for j, a in enumerate(op.body.result):
                        for param in (op.params[j], op.params[k + j]):
                            self.flows(param.name, (a, results[j], collective.ne[j]))
                        self.flows(s.pat[j].name, (a,))
            case Assert(cond):
                self.condition(cond)
            case Index() | DerivedArray() | FreshArray() | InPlace() | Alloc() | Opaque():
                pass

    def condition(self, a: Const | Var) -> None:
        if isinstance(a, Var):
            self.wanted.add(a.name)


def _divisors(e: ScalarExp) -> Iterator[ScalarExp]:
    match e:
        case Const() | Var():
            pass
        case Bin(op, a, b):
            if op in DIVISIONS or op is BinOp.POW:
                yield b
            yield from _divisors(a)
            yield from _divisors(b)
        case Un(_, a) | Convert(_, a):
            yield from _divisors(a)
