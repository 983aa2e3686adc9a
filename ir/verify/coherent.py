"""(O8) Arrays lie where their annotations say: the type rules (papers/funmem/rules.md).

A derived array lies where its operation puts it, an updated one where the consumed array lay, and
the results of bodies lie where their binders say.  Where this holds only modulo 2^64, the index
function has an i64 offset or stride.  The type rules decide all this, so each obligation of a
well-typed program is proved.
"""

from time import perf_counter

from funmem.ir.check import check_all
from funmem.ir.fun import Ann, If, Kernel, Loop, Program
from funmem.ir.logic.blocks import is_fresh
from funmem.ir.traverse import walk
from funmem.ir.verify.certificate import Argued, Kind, Obligation, Proof, Step, Verdict


def program(p: Program[Ann]) -> list[Obligation]:
    """Return one obligation for each statement that binds an array and is not fresh, or one for
    each type error.
    """
    start = perf_counter()
    errors = check_all(p)
    ms = (perf_counter() - start) * 1e3
    if errors:
        return [
            Obligation(
                Kind.COHERENT,
                "",
                d.code,
                d.at,
                Verdict.UNKNOWN,
                None,
                ms,
                why=f"{d.code}: {d.message}",
            )
            for d in errors
        ]
    found: list[Obligation] = []
    places = [(e.name, s) for e in p.entries for s in walk(e.body)]
    places = [
        (name, s)
        for name, s in places
        if any(b.home is not None for b in s.pat)
        and (not is_fresh(s.exp) or isinstance(s.exp, If | Loop | Kernel))
    ]
    for name, s in places:
        proof = Proof(Step.TYPES, Argued("by the type rules"))
        found.append(
            Obligation(
                Kind.COHERENT,
                name,
                s.pat[0].name,
                s.at,
                Verdict.PROVED,
                Step.TYPES,
                ms / len(places),
                (proof,),
            )
        )
    return found
