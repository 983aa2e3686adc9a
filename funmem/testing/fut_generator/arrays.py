"""Producers of array expressions: indexing, slices, updates, ranges, sizes."""

from funmem.ir.scalars import I64, ScalarType
from funmem.testing.fut_generator.generator import FutGenerator, atom
from funmem.testing.fut_generator.scope import FutScope, FutVariable
from funmem.testing.fut_generator.types import (
    ANY,
    Arr,
    Rec,
    SInt,
    Size,
    SOp,
    SVar,
    Tup,
    Type,
    parts,
    show,
    show_size,
)


def is_array(t: Type) -> bool:
    """True if the type is an array."""
    return isinstance(t, Arr)


def is_any(t: Type) -> bool:
    """True if the type is an array of any length."""
    return isinstance(t, Arr) and t.size == ANY


def is_sized(t: Type) -> bool:
    """True if the type is an array of a given size."""
    return isinstance(t, Arr) and t.size != ANY


def simple_size(s: Size) -> bool:
    """True if the size is a name or a number."""
    return isinstance(s, SVar | SInt)


# ---------------------------------------------------------------------- indices


def length_of(k: FutVariable) -> str:
    """Return the length of an array variable as an expression."""
    assert isinstance(k.type, Arr)
    return f"length {k.name}" if k.type.size == ANY else atom(show_size(k.type.size))


def index_for(g: FutGenerator, k: FutVariable, scope: FutScope, depth: int) -> str | None:
    """Return an index into an array, normally in bounds by construction."""
    assert isinstance(k.type, Arr)
    size = k.type.size
    below = [v.name for v in scope.known if v.below is not None and v.below == size]
    if below and g.chance(0.8):
        i = g.pick(below)
        return i if g.chance(0.7) else f"{length_of(k)} - 1 - {i}"
    if g.unsafe():
        return g.exp(I64, scope, depth)
    if isinstance(size, SInt) and size.value > 0:
        if g.chance(0.6):
            return str(g.rng.randrange(size.value))
        return f"{g.arg(I64, scope, depth)} % {size.value}"
    return None


def index(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``xs[i]``, guarded if ``i`` may be out of bounds."""
    arrays = [k for k in scope.known if isinstance(k.type, Arr) and k.type.elem == goal]
    rows = [
        k
        for k in scope.known
        if isinstance(k.type, Arr) and isinstance(k.type.elem, Arr) and k.type.elem.elem == goal
    ]
    if rows and g.chance(0.3):
        return _index_2d(g, g.pick(rows), scope, depth)
    if not arrays:
        return None
    k = g.pick(arrays)
    i = index_for(g, k, scope, depth)
    if i is not None:
        return f"{k.name}[{i}]"
    n = length_of(k)
    i = f"{g.arg(I64, scope, depth)} % {atom(n)}"
    return f"if {n} > 0 then {k.name}[{i}] else {g.exp(goal, scope, depth)}"


def _index_2d(g: FutGenerator, k: FutVariable, scope: FutScope, depth: int) -> str | None:
    i = index_for(g, k, scope, depth)
    assert isinstance(k.type, Arr)
    j = index_for(g, FutVariable(f"{k.name}[0]", k.type.elem), scope, depth)
    return None if i is None or j is None else f"{k.name}[{i}, {j}]"


# ---------------------------------------------------------------------- slices

_BOUNDS = (
    ":", "::2", "::3", "::-1", "::-2", "{n}/2:", ":{n}/2", "{n}/3:{n}-{n}/4", "0:{n}:2",
    "{n}/2::2", "0:{n}", "{n}/4:{n}/2", ":{n}-{n}/2:3", "::{s}", "::{s}",
)  # fmt: skip


def bounds(g: FutGenerator, n: str, scope: FutScope, depth: int) -> str:
    """Return the contents of the brackets of a slice that is valid for every length."""
    if g.unsafe():
        ends = [g.pick(("", str(g.rng.randint(-1, 5)), g.exp(I64, scope, depth))) for _ in range(2)]
        return ":".join([*map(_atom_or_nothing, ends), *g.pick(([], [], ["2"], ["-1"], ["-2"]))])
    step = f"({g.arg(I64, scope, 0)} % 3 {g.pick(('+ 1', '- 3'))})"
    return g.pick(_BOUNDS).format(n=atom(n), s=step)


def _atom_or_nothing(e: str) -> str:
    return atom(e) if e else ""


def slice_(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``xs[a:b:s]`` of any length."""
    assert isinstance(goal, Arr)
    arrays = [k for k in scope.known if isinstance(k.type, Arr) and k.type.elem == goal.elem]
    if not arrays:
        return f"{atom(g.exp(Arr(ANY, goal.elem), scope, depth))}[{g.pick((':', '::-1', '::2'))}]"
    k = g.pick(arrays)
    return f"{k.name}[{bounds(g, length_of(k), scope, depth)}]"


def column(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return a part of a matrix: ``xss[:, j]``, ``xss[i]``, ``xss[i, a:b]``."""
    assert isinstance(goal, Arr)
    ways = [
        k
        for k in scope.known
        if isinstance(k.type, Arr)
        and isinstance(k.type.elem, Arr)
        and k.type.elem.elem == goal.elem
        and goal.size in (ANY, k.type.size, k.type.elem.size)
    ]
    if not ways:
        return None
    k = g.pick(ways)
    assert isinstance(k.type, Arr)
    assert isinstance(k.type.elem, Arr)
    if goal.size in (ANY, k.type.size) and g.chance(0.7):
        j = index_for(g, FutVariable("_", k.type.elem), scope, depth)
        return None if j is None else f"{k.name}[:, {j}]"
    i = index_for(g, k, scope, depth)
    if i is None or goal.size not in (ANY, k.type.elem.size):
        return None
    if goal.size == ANY and k.type.elem.size != ANY:
        return f"{k.name}[{i}, {bounds(g, show_size(k.type.elem.size), scope, depth)}]"
    return f"{k.name}[{i}]"


def sliced(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return a prefix, suffix or reversal of the given size, with a coercion, ``take`` or
    ``sized``.
    """
    assert isinstance(goal, Arr)
    if not simple_size(goal.size):
        return None
    n = show_size(goal.size)
    longer = f"({g.arg(Arr(ANY, goal.elem), scope, depth)} ++ {g.arg(goal, scope, depth)})"
    if g.unsafe():
        return f"{g.arg(Arr(ANY, goal.elem), scope, depth)} :> {show(goal)}"
    match g.rng.randrange(5):
        case 0:
            return f"take {n} {longer}"
        case 1:
            return f"{longer}[:{n}] :> {show(goal)}"
        case 2:
            return f"sized {n} (take {n} {longer})"
        case 3:
            x = g.fresh("ys")
            return f"let {x} = {longer} in drop (length {x} - {n}) {x} :> {show(goal)}"
        case _:
            return f"{g.arg(goal, scope, depth)}[::-1] :> {show(goal)}"


def part(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``take`` or ``drop`` of any length."""
    assert isinstance(goal, Arr)
    x = g.fresh("ys")
    e = g.exp(goal, scope, depth)
    f = g.pick(("take", "drop"))
    if g.unsafe():
        return f"{f} {g.arg(I64, scope, depth)} {atom(e)}"
    return f"let {x} = {e} in {f} ({g.arg(I64, scope, depth)} % (length {x} + 1)) {x}"


# ---------------------------------------------------------------------- new arrays


def attribute(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``#[a] e``, which means e."""
    name = g.pick(("sequential", "unroll", "incremental_flattening(only_inner)"))
    return f"#[{name}] {g.arg(goal, scope, depth)}"


def literal(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``[a, b, c]``."""
    assert isinstance(goal, Arr)
    n = goal.size.value if isinstance(goal.size, SInt) else g.pick((1, 2, 3))
    if isinstance(goal.size, SVar | SOp) or not 0 < n < 5:
        return None
    return f"[{', '.join(g.exp(goal.elem, scope, depth - 1) for _ in range(n))}]"


def range_(g: FutGenerator, goal: Type, scope: FutScope, _: int) -> str | None:
    """Return ``a..<b``, ``a...b`` or ``a..b..<c`` of any length."""
    assert isinstance(goal, Arr)
    t = goal.elem
    assert isinstance(t, ScalarType)
    low, high = sorted((g.rng.randint(0, 3), g.rng.randint(0, 9)))
    tag = str(t)
    if g.unsafe():
        a, b, c = (f"({g.arg(t, scope, 0)} % 5)" for _ in range(3))
        return g.pick(
            (f"{a}..{b}..<{c}", f"{a}..<{c}", f"{a}...{c}", f"{a}..>{c}", f"{a}..{b}...{c}")
        )
    match g.rng.randrange(5):
        case 0:
            return f"{low}{tag}..<{high}"
        case 1:
            return f"{low}{tag}...{high}"
        case 2:
            return f"{low}{tag}..{low + 2}..<{high + 3}"
        case 3:
            return f"{high + 1}{tag}..{high}..>{low}"
        case _:
            return f"{high}{tag}..>{low}"


def tabulate(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    r"""Return ``tabulate n (\i -> …)`` or a similar call; i is an index of every array of that
    size.
    """
    assert isinstance(goal, Arr)
    size = goal.size if goal.size != ANY else g.size(scope)
    if any(isinstance(p, Arr) and p.size == ANY for p in parts(goal.elem)):
        return None
    i = g.fresh("i")
    inner = scope.inner().add(FutVariable(i, I64, below=size))
    n = atom(show_size(size))
    f = f"(\\{i} -> {g.exp(goal.elem, inner, depth)})"
    match g.rng.randrange(4):
        case 0:
            return f"tabulate {n} {f}"
        case 1:
            return f"map {f} (iota {n})"
        case 2:
            return f"iota {n} |> map {f}"
        case _:
            arrays = [k for k in scope.known if isinstance(k.type, Arr) and k.type.size == size]
            return f"map {f} (indices {g.pick(arrays).name})" if arrays else f"tabulate {n} {f}"


def tabulate_2d(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    r"""Return ``tabulate_2d n m (\i j -> …)``."""
    assert isinstance(goal, Arr)
    if not isinstance(goal.elem, Arr) or goal.size == ANY or goal.elem.size == ANY:
        return None
    i, j = g.fresh("i"), g.fresh("j")
    inner = scope.inner().add(FutVariable(i, I64, goal.size), FutVariable(j, I64, goal.elem.size))
    sizes = f"{atom(show_size(goal.size))} {atom(show_size(goal.elem.size))}"
    return f"tabulate_2d {sizes} (\\{i} {j} -> {g.exp(goal.elem.elem, inner, depth)})"


# ---------------------------------------------------------------------- updates


def update(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``copy xs with [i] = e``, or an update of a slice."""
    assert isinstance(goal, Arr)
    if not simple_size(goal.size):
        return None
    xs = g.fresh("ys")
    whole = g.exp(goal, scope, depth)
    target = FutVariable(xs, goal)
    inner = scope.add(target)
    where = index_for(g, target, inner, depth)
    if where is not None:
        value = g.exp(goal.elem, scope, depth)
        if g.chance(0.5):
            return f"copy {atom(whole)} with [{where}] = {atom(value)}"
        return f"let {xs} = copy {atom(whole)}\n  let {xs}[{where}] = {value}\n  in {xs}"
    n = show_size(goal.size)
    part_of = g.pick((f"0:{n}", f"{n}/2:{n}", f"0:{n}/2", f"{n}/2:"))
    # Futhark 0.25 overwrites an array with its own reversal without copying it first.
    new = f"(copy (reverse {xs}[{part_of}]))" if g.chance(0.1) else f"(copy {xs}[{part_of}])"
    return f"let {xs} = copy {atom(whole)} in {xs} with [{part_of}] = {new}"


# ---------------------------------------------------------------------- parts of compound values


def projected(g: FutGenerator, goal: Type, scope: FutScope, _: int) -> str | None:
    """Return a part of every element: ``map (.x) rs``, ``map (.[i]) xss``."""
    assert isinstance(goal, Arr)
    ways: list[str] = []
    for k in scope.known:
        if not isinstance(k.type, Arr) or goal.size not in (ANY, k.type.size):
            continue
        match k.type.elem:
            case Tup(elems):
                ways += [f"map (.{i}) {k.name}" for i, t in enumerate(elems) if t == goal.elem]
            case Rec(fields):
                ways += [f"map (.{label}) {k.name}" for label, t in fields if t == goal.elem]
            case Arr(SInt(n), t) if t == goal.elem and n > 0:
                ways.append(f"map (.[{g.rng.randrange(n)}]) {k.name}")
            case _:
                pass
    return g.pick(ways) if ways else None


def component(g: FutGenerator, goal: Type, scope: FutScope, _: int) -> str | None:
    """Return a component of a variable: ``t.0``, ``r.x``."""
    ways: list[str] = []
    for k in scope.known:
        match k.type:
            case Tup(elems):
                ways += [f"{k.name}.{i}" for i, t in enumerate(elems) if t == goal]
            case Rec(fields):
                ways += [f"{k.name}.{label}" for label, t in fields if t == goal]
            case _:
                pass
    return g.pick(ways) if ways else None


def compound(g: FutGenerator, goal: Type, scope: FutScope, depth: int) -> str | None:
    """Return ``(a, b)``, ``{x = a, y = b}`` or ``r with x = a``."""
    match goal:
        case Tup(elems):
            return f"({', '.join(g.exp(t, scope, depth) for t in elems)})"
        case Rec(fields):
            known = scope.of(goal)
            if g.chance(0.4):
                label, t = g.pick(fields)
                old = g.pick(known).name if known else g.ascribe(g.leaf(goal, scope), goal)
                return f"{old} with {label} = {g.arg(t, scope, depth)}"
            order = list(fields)
            g.rng.shuffle(order)
            return (
                "{" + ", ".join(f"{label} = {g.exp(t, scope, depth)}" for label, t in order) + "}"
            )
        case _:
            return None
