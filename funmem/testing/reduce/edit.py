"""Edit a program: replace statements, and substitute names.

Statements are numbered in textual order, outer before inner, as :func:`~funmem.ir.traverse.walk`
lists them.  The statements of a kernel's operators come before those of its body.  Those of
functions come after all others.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from attrs import field

from funmem.ir.fun import (
    Alloc,
    Ann,
    Assert,
    Atom,
    Bin,
    Binder,
    Body,
    Call,
    Compound,
    Const,
    Convert,
    DerivedArray,
    Entry,
    Exp,
    FreshArray,
    Index,
    InPlace,
    Iota,
    MemProgram,
    Program,
    Replicate,
    Stm,
    Un,
    Var,
)
from funmem.ir.functions import bodies
from funmem.ir.names import Name
from funmem.ir.record import evolve, frozen
from funmem.ir.sizes import Size
from funmem.ir.substitute import subst_body
from funmem.ir.traverse import (
    Mapper,
    binder_uses,
    map_exp,
    map_sub_bodies,
    sub_bodies,
    walk,
    with_exp,
    with_stms,
)

Image = Mapping[Name, Atom]


@frozen
class Edit:
    """The statements that replace a statement, and the atoms that replace its names."""

    stms: tuple[Stm[Ann], ...] = ()
    image: Image = field(factory=dict)


def statements(p: MemProgram) -> list[Stm[Ann]]:
    """Return all statements, in the order of their numbers."""
    all_ = [*(e.body for e in p.entries), *(f.body for f in p.functions)]
    return [s for b in all_ for s in walk(b)]


def edited(p: MemProgram, edits: Mapping[int, Edit]) -> MemProgram:
    """Return the program after these edits; edits inside a replaced statement are dropped.

    Raises TypeError if a name cannot be replaced by a constant at one of its uses.  The result may
    be ill typed.
    """
    editor = _Editor(edits)
    entries = tuple(evolve(e, body=editor.body(e.body)) for e in p.entries)
    functions = tuple(evolve(f, body=editor.body(f.body)) for f in p.functions)
    return substituted(Program(entries, functions), editor.image)


def substituted(p: MemProgram, image: Image) -> MemProgram:
    """Return the program with names replaced, also in the replacements."""
    whole = {x: _resolved(a, image) for x, a in image.items()}
    entries = tuple(evolve(e, body=subst_body(e.body, whole)) for e in p.entries)
    functions = tuple(evolve(f, body=subst_body(f.body, whole)) for f in p.functions)
    return Program(entries, functions)


def _resolved(a: Atom, image: Image) -> Atom:
    while isinstance(a, Var) and a.name in image:
        a = image[a.name]
    return a


class _Editor:
    def __init__(self, edits: Mapping[int, Edit]) -> None:
        self._edits = edits
        self._next = 0
        self.image: dict[Name, Atom] = {}

    def body(self, b: Body[Ann]) -> Body[Ann]:
        return with_stms(b, [new for s in b.stms for new in self.statement(s)])

    def statement(self, s: Stm[Ann]) -> tuple[Stm[Ann], ...]:
        edit = self._edits.get(self._next)
        self._next += 1
        if edit is None:
            return (with_exp(s, map_sub_bodies(s.exp, self.body)),)
        self._next += sum(1 for b in sub_bodies(s.exp) for _ in walk(b))
        self.image.update(edit.image)
        return edit.stms


# ---------------------------------------------------------------------- what is used


def uses(p: MemProgram) -> Counter[Name]:
    """Return how many statements, results, parameters and result types mention each name."""
    found: Counter[Name] = Counter()
    for e in bodies(p):
        found.update(_border(e))
        found.update(_results(e.body))
        for s in walk(e.body):
            found.update(own_uses(s))
            for b in sub_bodies(s.exp):
                found.update(_results(b))
    return found


def _border(e: Entry[Ann]) -> Counter[Name]:
    found: Counter[Name] = Counter()
    for b in (*e.implicit, *(p.binder for p in e.params), *e.implicit_results, *e.results):
        found.update(binder_uses(b))
    return found


def _results(b: Body[Ann]) -> list[Name]:
    return [a.name for a in b.result if isinstance(a, Var)]


def own_uses(s: Stm[Ann]) -> frozenset[Name]:
    """Return the names that a statement mentions outside its bodies."""
    found: set[Name] = set()

    def name(x: Name) -> Name:
        found.add(x)
        return x

    def size(d: Size) -> Size:
        found.update(d.free())
        return d

    def atom(a: Atom) -> Atom:
        if isinstance(a, Var):
            found.add(a.name)
        return a

    def binder(b: Binder[Ann]) -> Binder[Ann]:
        found.update(binder_uses(b))
        return b

    map_exp(s.exp, Mapper(name=name, size=size, atom=atom, binder=binder))
    return frozenset(found.union(*map(binder_uses, s.pat)))


# ---------------------------------------------------------------------- how much there is


def weight(p: MemProgram) -> int:
    """Return the approximate length of the text: names, operands, operators, results."""
    total = 0
    for f in p.functions:
        total += 2 * len(f.params) + 2 * len(f.results) + len(f.body.stms)
        total += sum(len(s.pat) + _rank(s.exp) for s in walk(f.body))
    for e in p.entries:
        total += len(e.implicit) + 2 * len(e.params) + len(e.implicit_results) + 2 * len(e.results)
        for s in walk(e.body):
            total += len(s.pat) + _rank(s.exp) + len(own_uses(s))
            total += sum(len(b.result) for b in sub_bodies(s.exp))
    return total


def _rank(e: Exp[Ann]) -> int:
    match e:
        case Const():
            return 1
        case Var():
            return 2
        case Replicate(_, Const()):
            return 1
        case Iota(_, start, stride):
            return 2 + isinstance(start, Var) + isinstance(stride, Var)
        case Bin(_, a, b):
            return 3 + _rank(a) + _rank(b)
        case Un(_, a) | Convert(_, a):
            return 2 + _rank(a)
        case Call(_, args):
            return 4 + sum(map(_rank, args))
        case Index() | DerivedArray() | FreshArray() | InPlace() | Compound() | Assert() | Alloc():
            return 4 + 4 * len(sub_bodies(e))


def named(p: MemProgram, xs: Sequence[Name]) -> bool:
    """True if the program mentions one of these names."""
    found = uses(p)
    return any(x in found for x in xs)
