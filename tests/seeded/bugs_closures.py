"""Bugs of closure-convert; the samples are programs of tests/programs/closures."""

from funmem.ir.text import parse_core
from tests.seeded.core import CoreBug, Seen
from tests.support.core_judge import calls_of
from tests.support.core_samples import Sample
from tests.support.paths import TESTS

PASS = "closure-convert"
PACKAGE = "funmem.passes.core.closure_convert"


def sample_of(name: str) -> Sample:
    """A program with the calls in its test comments."""
    path = TESTS / "programs" / "closures" / f"{name}.core"
    calls = tuple(calls_of(path))
    return Sample(parse_core(path.read_text(encoding="utf-8")), calls)


def bug(
    name: str, module: str, old: str, new: str, sample: str, seen: Seen, rule: str = ""
) -> CoreBug:
    """A bug in a module of the pass."""
    return CoreBug(
        name=f"closures-{name}",
        pass_name=PASS,
        module=f"{PACKAGE}.{module}",
        old=old,
        new=new,
        sample=sample,
        seen=seen,
        rule=rule,
    )


BUGS: tuple[CoreBug, ...] = (
    bug(
        "captured-backwards",
        "convert",
        "values = tuple(c.Var(b.name, at) for b, _ in self._solution.captured(m))",
        "values = tuple(c.Var(b.name, at) for b, _ in reversed(self._solution.captured(m)))",
        "rays",
        Seen.VALUE,
    ),
    bug(
        "wrong-tag",
        "convert",
        'c.Construct(f"fn{self._solution.index(m)}", values',
        'c.Construct(f"fn{(self._solution.index(m) + 1) % 2}", values',
        "loop",
        Seen.RULE,
        "C-CONSTRUCT",
    ),
    bug(
        "wrong-tag-of-a-twin",
        "convert",
        'c.Construct(f"fn{self._solution.index(m)}", values',
        'c.Construct(f"fn{min(self._solution.index(m), 0)}", values',
        "reduce",
        Seen.VALUE,
    ),
    bug(
        "classes-merged",
        "classes",
        "return fn, tuple(_identity(flow) for _, flow in captured)",
        "return tuple(b.type for b in binders)",
        "reduce",
        Seen.VALUE,
    ),
    bug(
        "lambda-missing-in-dispatch",
        "convert",
        "for k, m in enumerate(members):\n            binders",
        "for k, m in enumerate(members[:2]):\n            binders",
        "rays",
        Seen.RULE,
        "C-MATCH",
    ),
    bug(
        "captured-by-name",
        "environment",
        "if at.owner != x[0] or not entered < at.time <= left:",
        "if at.owner != x[0]:",
        "shadow",
        Seen.RULE,
        "C-VAR",
    ),
    bug(
        "passed-into-a-loop",
        "analysis",
        "outside, self._is_once = self._is_once, False\n        bind = self._bind(e.params",
        "outside = self._is_once\n        bind = self._bind(e.params",
        "each_round",
        Seen.VALUE,
    ),
    bug(
        "passed-through-a-definition",
        "environment",
        "if k in self._escaping.get(x[0], ()):",
        "if not k:",
        "handed_on",
        Seen.VALUE,
    ),
    bug(
        "capture-not-data",
        "classes",
        "for _, flow in m.mentioned:\n                    self._flows.mark(flow)",
        "for _, flow in m.mentioned:\n                    str(flow)",
        "fixed_captured",
        Seen.RULE,
        "",
    ),
    bug(
        "branches-not-united",
        "analysis",
        "for other in branches[1:]:\n            self.flows.unite(flow, other.flow)",
        "for other in branches[1:]:\n            str(other)",
        "loop",
        Seen.RULE,
        "",
    ),
    bug(
        "arity-of-the-longest",
        "classes",
        "{k: k.given or _depth(k) for",
        "{k: _depth(k) for",
        "partial",
        Seen.RULE,
        "",
    ),
    bug(
        "argument-after-the-choice",
        "normalise",
        "rest = self._named(args[n:], links)",
        "rest = args[n:]",
        "trap_order",
        Seen.TRAP,
    ),
    bug(
        "operand-evaluated-late",
        "convert",
        "return c.Let((value,), fn, rest(c.Lambda(binders, body, at)), at)",
        "return rest(c.Lambda(binders, c.Let((value,), fn, body, at), at))",
        "trap_operand",
        Seen.TRAP,
    ),
    bug(
        "start-forgotten",
        "normalise",
        "for x in reversed([x for x in wanted if x not in there]):",
        "for x in reversed([x for x in wanted if x not in wanted]):",
        "trap_start",
        Seen.TRAP,
    ),
)
