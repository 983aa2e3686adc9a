"""Dead branches: variants of a generated program with the same results for the given inputs.

Equivalence modulo inputs (Le, Afshari, Su, "Compiler validation via equivalence modulo inputs",
PLDI 2014): code that a program does not execute for some inputs may be changed without changing its
results for these inputs.  Here code is inserted that is not executed:

    before                            after
    let (x : t) = e                   let (c : bool) = n < 3
                                      let (x : t) = if c then … in (y) else let x1 = e in (x1)

    … x … x …                         let (z : t) = if c then … in (y) else in (x)
                                      … z … z …

The condition compares sizes and scalar arguments, so that no pass knows that it is false (or true,
with the branches swapped).  The dead branch has generated statements, with in-place updates of x
where uniqueness allows them, statements that may trap, or a copy of the live ones.  It reveals
passes that move, share or overwrite something because of a branch that is not taken.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence

from funmem.ir.check import check
from funmem.ir.diagnostics import SourceError
from funmem.ir.erase import erase
from funmem.ir.fun import (
    Alloc,
    Ann,
    ArrayType,
    Assert,
    Bin,
    Binder,
    Body,
    Const,
    DerivedArray,
    Entry,
    Exp,
    For,
    FreshArray,
    FunProgram,
    Hist,
    If,
    Index,
    InPlace,
    Kernel,
    Loop,
    Opaque,
    Program,
    RaggedKernel,
    Scalar,
    Scatter,
    Stm,
    Update,
    Var,
)
from funmem.ir.names import Name
from funmem.ir.record import define, evolve
from funmem.ir.scalars import BinOp, ScalarType
from funmem.ir.signature import signature
from funmem.ir.substitute import freshen_body, subst_body
from funmem.ir.traverse import free_in_exp, program_fresh, sub_bodies, with_bodies
from funmem.ir.values import bind
from funmem.testing.generator.program import (
    BOOL,
    I64,
    MAX_DEPTH,
    Generated,
    Generator,
    Out,
    Producer,
)
from funmem.testing.generator.scope import ANY, Range, Scope, Variable
from funmem.testing.generator.trapping import KINDS, plant
from funmem.testing.generator.views import some

TRIES = 8
"""Number of sites that are tried for each dead branch; some do not allow one."""

Stms = tuple[Stm[Ann], ...]


def dead_branches(
    g: Generated, producers: Mapping[str, Producer], most: int = 3
) -> Generated | None:
    """Return the program with one to ``most`` dead branches; None if no site allows one.

    The same program and seed give the same variant.
    """
    rng = random.Random(f"dead {g.seed}")
    program = g.program
    for n in range(rng.randint(1, most)):
        for _ in range(TRIES):
            maker = _maker(evolve(g, program=program), producers, f"{n} {rng.random()}")
            grown = maker.program()
            if grown is not None and _well_typed(grown):
                program = grown
                break
    return None if program is g.program else evolve(g, program=program)


def _well_typed(p: FunProgram) -> bool:
    """True if the checker accepts the program; it decides what uniqueness allows."""
    try:
        check(p)
    except SourceError:
        return False
    return True


@define
class _Maker:
    """Inserts one dead branch at a site of the program: before a statement, or at the end of a
    body.
    """

    g: Generator
    generated: Generated
    known: Mapping[Name, int | bool]
    """Sizes and scalar arguments."""
    site: int
    """Number of statements and ends of bodies before the site."""
    first: Out
    """Statements to add at the beginning of the program."""

    def program(self) -> FunProgram | None:
        """Return the program with a dead branch, perhaps ill typed; None if the
        site allows none.
        """
        entry: Entry[Ann] = self.generated.program.entries[0]
        scope = Scope()
        for b in entry.implicit:
            _add(scope, b, self._range(b.name))
        for p in entry.params:
            _add(scope, p.binder, self._range(p.binder.name), own=p.unique)
        body = self._body(entry.body, scope)
        if body is entry.body:
            return None
        body = evolve(body, stms=(*self.first, *body.stms))
        return erase(Program((evolve(entry, body=body),), self.generated.program.functions))

    def _range(self, x: Name) -> Range:
        v = self.known.get(x)
        return Range(v, v) if type(v) is int else ANY

    # -- to the place

    def _body(self, b: Body[Ann], scope: Scope) -> Body[Ann]:
        """Return the body, with a dead branch if the site is in it."""
        for k, s in enumerate(b.stms):
            if self._here():
                return self._at(b, k, scope)
            grown = self._statement(s, scope)
            if grown is not s:
                return evolve(b, stms=(*b.stms[:k], grown, *b.stms[k + 1 :]))
            _after(scope, s)
        return self._at(b, len(b.stms), scope) if self._here() else b

    def _here(self) -> bool:
        self.site -= 1
        return self.site == -1

    def _statement(self, s: Stm[Ann], scope: Scope) -> Stm[Ann]:
        """Return the statement, with a dead branch if the site is in it; operators contain no
        sites.
        """
        bodies = list(sub_bodies(s.exp))
        match s.exp:
            case Kernel(dims):
                inside = scope.inner()
                inside.kernels += 1
                for d in dims:
                    hi = scope.range_of(d.size).hi - 1
                    inside.add(Variable(d.index, I64, Range(0, hi), bound=d.size))
                bodies[-1] = self._body(bodies[-1], inside)
            case If():
                bodies = [self._body(b, scope.branch()) for b in bodies]
            case Loop(params, form):
                inside = scope.inner()
                for p in params:
                    _add(inside, p.binder, own=p.unique)
                if isinstance(form, For):
                    hi = scope.range_of(form.bound).hi - 1
                    inside.add(Variable(form.index, I64, Range(0, hi), bound=form.bound))
                bodies = [self._body(b, inside) for b in bodies]
            case (
                Scalar()
                | Index()
                | DerivedArray()
                | FreshArray()
                | InPlace()
                | Assert()
                | Alloc()
                | Opaque()
            ):
                return s
            case RaggedKernel():
                return s
        exp = with_bodies(s.exp, bodies)
        return s if exp is s.exp else evolve(s, exp=exp)

    # -- at the place

    def _at(self, b: Body[Ann], k: int, scope: Scope) -> Body[Ann]:
        """Return the body with a dead branch before its k-th statement, or around it."""
        if scope.depth >= MAX_DEPTH:
            return b
        before: Out = self.first if self.g.rng.random() < 0.5 else []
        cond, swapped = self._condition(before)
        if cond is None:
            return b
        here = () if before is self.first else tuple(before)
        if k < len(b.stms) and self.g.rng.random() < 0.5:
            around = self._around(b.stms[k], scope, cond, swapped=swapped)
            if around is not None:
                return evolve(b, stms=(*b.stms[:k], *here, around, *b.stms[k + 1 :]))
        return self._instead(b, k, scope, (cond, swapped), here)

    def _condition(self, out: Out) -> tuple[Name | None, bool]:
        """Bind a condition that is constant for these inputs; return its name and value."""
        rng, g = self.g.rng, self.g
        if not self.known:
            return None, False
        x = rng.choice(sorted(self.known))
        v = self.known[x]
        c = g.fresh("dead")
        if isinstance(v, bool):
            exp = Bin(BinOp.EQ, Var(x), Const(True, BOOL))
            out.append(Stm((Binder(c, BOOL, None),), exp))
            return c, v
        k = rng.randint(1, 3)
        op, other, true = rng.choice(
            (
                (BinOp.EQ, v + k, False),
                (BinOp.NE, v, False),
                (BinOp.LT, v, False),
                (BinOp.LE, v - k, False),
                (BinOp.GT, v + k - 1, False),
                (BinOp.EQ, v, True),
                (BinOp.NE, v + k, True),
                (BinOp.LT, v + k, True),
                (BinOp.GE, v, True),
            )
        )
        out.append(Stm((Binder(c, BOOL, None),), Bin(op, Var(x), Const(other, I64))))
        return c, true

    def _around(self, s: Stm[Ann], scope: Scope, cond: Name, *, swapped: bool) -> Stm[Ann] | None:
        """Return a conditional whose live branch contains the statement, or None."""
        own = {p.name for p in s.pat}
        if not s.pat or any(_type_names(p) & own for p in s.pat):
            return None
        inner = [Binder(self.g.fresh(p.name), p.type, None) for p in s.pat]
        live = Body((evolve(s, pat=tuple(inner)),), tuple(Var(p.name) for p in inner))
        if self.g.rng.random() < 0.3:
            dead = freshen_body(live, self.g.fresh)
        else:
            side = scope.branch()
            side.own = {r for x in consumed(s.exp) if x in scope.known for r in _roots(scope, x)}
            dead = self._dead(side, [_type(p) for p in s.pat])
        return Stm(s.pat, _branches(cond, dead, live, swapped=swapped))

    def _instead(
        self, b: Body[Ann], k: int, scope: Scope, cond: tuple[Name, bool], here: Stms
    ) -> Body[Ann]:
        """Rename a variable from here on; the dead branch may consume the original variable."""
        names = [x for x in scope.known.values() if scope.live(x) and x.name not in self.known]
        if not names:
            return b
        x = self.g.rng.choice(names)
        side = scope.branch()
        side.own = set(x.roots) if scope.consumable(x) else set()
        dead = self._dead(side, [x.type], x if side.own else None)
        z = self.g.fresh("z")
        chosen = _branches(cond[0], dead, Body((), (Var(x.name),)), swapped=cond[1])
        rest = subst_body(Body(b.stms[k:], b.result, b.at), {x.name: Var(z)})
        new = (*here, Stm((Binder(z, x.type, None),), chosen))
        return evolve(rest, stms=(*b.stms[:k], *new, *rest.stms))

    def _dead(
        self, side: Scope, types: Sequence[ScalarType | ArrayType], update: Variable | None = None
    ) -> Body[Ann]:
        """Return a dead branch with results of these types; it updates the given
        array if possible.
        """
        g, out = self.g, list[Stm[None]]()
        g.budget = 6
        if g.rng.random() < 0.25:
            plant(g, side, out, g.rng.choice(KINDS))
        if update is not None and g.rng.random() < 0.7:
            g.producers[g.rng.choice(("Update", "Scatter"))].run(g, side, out)
        g.statements(side, out, g.rng.randint(0, 4))
        results: list[Var] = []
        for t in types:
            made = [x for x in side.known.values() if x.type == t and side.live(x)]
            if made and g.rng.random() < 0.7:
                results.append(Var(made[-1].name))  # the newest one: the updated array
            elif isinstance(t, ArrayType):
                results.append(Var(some(g, side, out, t).name))
            else:
                results.append(Var(g.make(side, out, t).name))
        return Body(tuple(out), tuple(results))


def _maker(g: Generated, producers: Mapping[str, Producer], salt: str) -> _Maker:
    """Return a maker for a random site."""
    made = Generator(g.seed, producers, Counter())
    made.rng = random.Random(f"dead {g.seed} {salt}")
    made.fresh = program_fresh(g.program)
    (entry,) = g.program.entries
    sites = _count_sites(entry.body)
    return _Maker(made, g, _known(g), made.rng.randrange(sites), [])


def _count_sites(b: Body[Ann]) -> int:
    """Return the number of sites: before each statement and at the end of all bodies, except
    operators.
    """
    inner = (c for s in b.stms for c in sub_bodies(s.exp)[-1 if isinstance(s.exp, Kernel) else 0 :])
    return len(b.stms) + 1 + sum(map(_count_sites, inner))


def _known(g: Generated) -> dict[Name, int | bool]:
    """Return the sizes and scalar arguments that a condition can compare."""
    s = signature(g.program.entries[0])
    sizes, values = bind(s, g.args)
    found: dict[Name, int | bool] = dict(sizes)
    for p, v in zip(s.params, values, strict=True):
        if p.type in (I64, BOOL) and isinstance(v, int):
            found[p.name] = v
    return found


# ---------------------------------------------------------------------- what is in scope


def _add(scope: Scope, b: Binder[Ann], r: Range = ANY, *, own: bool = False) -> None:
    t = _type(b)
    roots = frozenset({b.name}) if isinstance(t, ArrayType) else frozenset[Name]()
    scope.add(Variable(b.name, t, r, roots=roots), own=own)


def _type(b: Binder[Ann]) -> ScalarType | ArrayType:
    assert isinstance(b.type, ScalarType | ArrayType)
    return b.type


def _roots(scope: Scope, x: Name) -> frozenset[Name]:
    return scope.known[x].roots if x in scope.known else frozenset()


def _after(scope: Scope, s: Stm[Ann]) -> None:
    """Add a statement's names to the scope, and mark the consumed arrays as dead."""
    for x in consumed(s.exp):
        scope.dead |= _roots(scope, x)
    shared = frozenset[Name]()
    match s.exp:
        case DerivedArray() as view:
            shared = _roots(scope, view.x)
        case If() | Loop():
            free = (_roots(scope, x) for x in free_in_exp(s.exp))
            shared = frozenset[Name]().union(*free)
        case Scalar() | Index() | FreshArray() | InPlace() | Kernel() | Assert() | Alloc():
            pass
        case Opaque():
            pass
        case RaggedKernel():
            pass
    together = frozenset(p.name for p in s.pat) if isinstance(s.exp, If | Loop) else frozenset()
    for p in s.pat:
        _add(scope, p, own=True)
        if isinstance(p.type, ArrayType) and (shared or together):
            k = scope.known[p.name]
            scope.add(evolve(k, roots=k.roots | shared | together))


def consumed(e: Exp[Ann]) -> set[Name]:
    """Return the arrays that an expression consumes, also in its bodies."""
    found = {x for b in sub_bodies(e) for s in b.stms for x in consumed(s.exp)}
    match e:
        case Update(x) | Scatter(x):
            found.add(x)
        case Kernel(_, Hist(dest)):
            found.update(dest)
        case Loop(params):
            found.update(p.init.name for p in params if p.unique and isinstance(p.init, Var))
        case (
            Kernel()
            | If()
            | Scalar()
            | Index()
            | DerivedArray()
            | FreshArray()
            | Assert()
            | Alloc()
            | Opaque()
        ):
            pass
        case RaggedKernel():
            pass
    return found


def _type_names(b: Binder[Ann]) -> frozenset[Name]:
    if not isinstance(b.type, ArrayType):
        return frozenset()
    return frozenset[Name]().union(*(d.free() for d in b.type.shape))


def _branches(cond: Name, dead: Body[Ann], live: Body[Ann], *, swapped: bool) -> If[Ann]:
    return If(Var(cond), live, dead) if swapped else If(Var(cond), dead, live)
