"""Which ``scratch`` arrays have uninitialised elements that may be observed: read, or returned.

The verifier's obligation O5 (:mod:`funmem.ir.verify.reads`) is open for a read or a result; here,
the arrays that its elements may come from are found.
"""

from collections.abc import Iterable

from funmem.ir.depth import deep
from funmem.ir.fun import (
    Ann,
    Atom,
    Compound,
    Entry,
    Hist,
    If,
    Kernel,
    Loop,
    Map,
    Opaque,
    RaggedKernel,
    Reduce,
    Scan,
    Scratch,
    Stm,
    Var,
)
from funmem.ir.logic.uninitialised import uninitialised_in
from funmem.ir.names import Name
from funmem.ir.ragged import unscheduled
from funmem.ir.traverse import free_in_exp, sub_bodies, walk
from funmem.ir.verify.reads import defined, readings
from funmem.ir.verify.scene import Scene
from funmem.ir.verify.unshared import unshared
from funmem.ir.verify.written import Written

Names = frozenset[Name]
NONE: Names = frozenset()


def makes_scratch(e: Entry[Ann]) -> bool:
    """True if an entry point makes uninitialised arrays."""
    return any(isinstance(s.exp, Scratch) for s in walk(e.body))


def visible(e: Entry[Ann]) -> Names:
    """Return the ``scratch`` arrays of a FUNMEM entry point whose uninitialised elements may be
    observed.
    """
    if not makes_scratch(e):
        return NONE
    e = unshared(e)
    written = Written.of(Scene.of_entry(e))
    open_arrays = uninitialised_in(e.body.stms, ())
    written.known.update({x: True for x in written.scene.types if x not in open_arrays})
    with deep():
        open_ = [r.array for r in readings(e, written) if not defined(r, written)]
    return _scratches(open_, written)


def _scratches(arrays: Iterable[Name], written: Written) -> Names:
    """Return the ``scratch`` arrays from which elements of some arrays may come."""
    open_, met, found = list(arrays), set[Name](), set[Name]()
    while open_:
        x = open_.pop()
        if x in met:
            continue
        met.add(x)
        s = written.scene.made_by.get(x)
        if s is None:
            open_ += _names(written.nexts.get(x, ()))
        elif isinstance(s.exp, Scratch):
            found.add(x)
        else:
            open_ += [y for y in _sources(s) if written.scene.is_array(Var(y))]
    return frozenset(found)


def _sources(s: Stm[Ann]) -> Iterable[Name]:
    """Return the names from which the results of a statement are made; some are not arrays."""
    if isinstance(s.exp, Opaque):
        return ()  # foreign code writes every element
    if isinstance(s.exp, Compound):
        inner = [a for b in sub_bodies(s.exp) for a in b.result]
        return (*_names(inner), *_initial(s.exp))
    return free_in_exp(s.exp)


def _initial(e: If[Ann] | Loop[Ann] | Kernel[Ann] | RaggedKernel[Ann]) -> Iterable[Name]:
    """Return the names of the initial values of loops and collectives."""
    match e:
        case Loop(params):
            return _names(p.init for p in params)
        case Kernel(_, collective):
            match collective:
                case Reduce(_, ne) | Scan(_, ne):
                    return _names(ne)
                case Hist(dest, _, ne):
                    return (*dest, *_names(ne))
                case Map():
                    return ()
        case If():
            return ()
        case RaggedKernel():
            raise unscheduled()


def _names(atoms: Iterable[Atom]) -> tuple[Name, ...]:
    return tuple(a.name for a in atoms if isinstance(a, Var))
