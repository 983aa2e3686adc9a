"""Places that are assigned: paths of variables and indices, and what an expression changes.

An element is set by a functional update of the variable at the root of its path:

    (set! (vector-ref (vector-ref m i) j) e)      m = m with [i, j] = e

A variable that ``let`` binds to a path of a variable that is never assigned is a view of it, and
writes through:

    (let ((row (vector-ref m i))) (set! (vector-ref row j) e))      row = …; m = m with [i] = row

A definition returns the parameters whose elements it sets.  Whatever else may share the region of
the vector that is written (its type says so) must not be read afterwards.
"""

from collections.abc import Mapping, Sequence

from attrs import field

from funmem.frontends.harlan import ast
from funmem.frontends.harlan.walk import children, walk
from funmem.ir.record import define, frozen


@frozen(eq=False)
class Path:
    """``(vector-ref (vector-ref x i) j)`` : the variable x, the indices i, j."""

    root: ast.Local
    indices: tuple[ast.Exp, ...]


def path(e: ast.Exp) -> Path | None:
    """Return the path that an expression is; None if it is none."""
    match e:
        case ast.Var(local):
            return Path(local, ())
        case ast.VectorRef(vector, index):
            inner = path(vector)
            return None if inner is None else Path(inner.root, (*inner.indices, index))
        case ast.Reinterpret(exp):
            return path(exp)
        case _:
            return None


def views(body: ast.Exp) -> Mapping[ast.Local, Path]:
    """Return the variables that are views of others."""
    out: dict[ast.Local, Path] = {}
    for e in walk(body):
        if isinstance(e, ast.Let):
            for x, value in e.bindings:
                found = path(value)
                if found is None or x.assigned or found.root.assigned:
                    continue
                if all(isinstance(i, ast.Var | ast.Number) for i in found.indices):
                    out[x] = found
    return out


_NEVER = 1 << 30


def _depths(defines: Sequence[ast.Define]) -> Mapping[ast.Local, int]:
    """Return, for each variable, how many indices lead to the outermost part that is replaced.

    Variables that are bound to a path of it count as it.
    """
    depths: dict[ast.Local, int] = {}
    bound: dict[ast.Local, Path] = {}

    def replaced(found: Path | None, depth: int) -> bool:
        changed = False
        while found is not None:
            depth += len(found.indices)
            if depth < depths.get(found.root, _NEVER):
                depths[found.root], changed = depth, True
            found = bound.get(found.root)
        return changed

    parts = [list(walk(d.exp)) for d in defines]
    for e in (e for own in parts for e in own):
        if isinstance(e, ast.Let):
            bound.update({x: p for x, v in e.bindings if (p := path(v)) is not None})
    changed = True
    while changed:
        changed = False
        for e in (e for own in parts for e in own):
            if isinstance(e, ast.SetElem):
                changed |= replaced(path(e.vector), 1)
            elif isinstance(e, ast.Call) and isinstance(e.fn, ast.Define):
                for x, arg in zip(e.fn.params, e.args, strict=True):
                    if x in depths:
                        changed |= replaced(path(arg), depths[x])
    return depths


@frozen(eq=False)
class Mutation:
    """Elements of what ``vector`` denotes, whose path has this root, are set at ``e``."""

    root: ast.Local
    vector: ast.Exp
    e: ast.Exp


@define(eq=False)
class Changes:
    """What an expression changes outside of itself."""

    locals: dict[ast.Local, None] = field(factory=dict)
    mutations: list[Mutation] = field(factory=list)
    effectful: list[ast.Exp] = field(factory=list)
    """Expressions that may have an effect: their types say."""


@define(eq=False)
class Places:
    """The places that the definitions of a program assign."""

    inouts: dict[ast.Define, frozenset[int]] = field(factory=dict)
    """The parameters whose elements a definition sets, by their numbers."""
    views: dict[ast.Local, Path] = field(factory=dict)

    def analyse(self, defines: Sequence[ast.Define]) -> None:
        """Find the parameters that each definition returns: a least fixed point."""
        depths = _depths(defines)
        for d in defines:
            self.inouts[d] = frozenset()
            for x, view in views(d.exp).items():
                # a part that is replaced as a whole is no longer what the view names
                if len(view.indices) < depths.get(view.root, _NEVER):
                    self.views[x] = view
        changed = True
        while changed:
            changed = False
            for d in defines:
                roots = {x for m in self.changes(d.exp).mutations for x in self.chain(m.root)}
                found = frozenset(k for k, x in enumerate(d.params) if x in roots)
                if found != self.inouts[d]:
                    self.inouts[d], changed = found, True

    def chain(self, root: ast.Local) -> list[ast.Local]:
        """Return a variable and those that it is a view of, directly or not."""
        out = [root]
        while out[-1] in self.views:
            out.append(self.views[out[-1]].root)
        return out

    def changes(self, *parts: ast.Exp) -> Changes:
        """Return what expressions change, in code that a lambda or kernel does not hide."""
        out = Changes()
        todo = list(reversed(parts))
        while todo:
            e = todo.pop()
            match e:
                case ast.Lambda() | ast.Kernel():
                    # what they change is their own; only the kernel's vectors are evaluated here
                    if isinstance(e, ast.Kernel):
                        todo.extend(v for _, v in e.bindings)
                    continue
                case ast.Apply(ast.Lambda(_, body), args):
                    out.effectful.extend(self.changes(body).effectful)
                    todo.extend(args)
                    continue
                case ast.Fold(_, _, _, init, vector):
                    out.effectful.append(e)
                    todo.extend([vector] if init is None else [init, vector])
                    continue
                case ast.SetVar(local):
                    out.locals[local] = None
                case ast.SetElem(vector):
                    self._mutation(vector, e, out)
                case ast.Call(fn, args):
                    out.effectful.append(e)
                    if isinstance(fn, ast.Define):
                        for k in sorted(self.inouts.get(fn, ())):
                            self._mutation(args[k], e, out)
                case ast.Apply() | ast.Print():
                    out.effectful.append(e)
                case _:
                    pass
            todo.extend(reversed(children(e)))
        return out

    def _mutation(self, vector: ast.Exp, e: ast.Exp, out: Changes) -> None:
        found = path(vector)
        if found is not None:
            out.mutations.append(Mutation(found.root, vector, e))
            out.locals.update(dict.fromkeys(self.chain(found.root)))
