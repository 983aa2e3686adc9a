"""The programs that the checker accepts and rejects: files, and some that no text spells."""

from pathlib import Path

from funmem.ir.fun import (
    Ann,
    ArrayType,
    Assert,
    Binder,
    Body,
    Call,
    Concat,
    Const,
    Entry,
    Exp,
    Hist,
    Kernel,
    KernelDim,
    Lambda,
    Linkage,
    Map,
    Param,
    Program,
    Reduce,
    Stm,
    Type,
)
from funmem.ir.imp import ImpProgram
from funmem.ir.names import Name
from funmem.ir.scalars import BOOL, I8, I64
from funmem.ir.sizes import ZERO, var
from funmem.ir.text import parse_fun, parse_imp

HERE = Path(__file__).parent
SUFFIXES = (".fun", ".funmem", ".imp")
ACCEPTED = sorted(p for p in (HERE / "accept").iterdir() if p.suffix in SUFFIXES)
REJECTED = sorted(p for p in (HERE / "reject").iterdir() if p.suffix in SUFFIXES)


def read(path: Path) -> Program[Ann] | ImpProgram:
    text = path.read_text(encoding="utf-8")
    return (parse_imp if path.suffix == ".imp" else parse_fun)(text, path.name)


def rule_of(path: Path) -> str:
    """The rule that a rejected program breaks: ``-- T-RULE: what is wrong``."""
    first = path.read_text(encoding="utf-8").split("\n", 1)[0]
    return first.removeprefix("-- ").split(":", 1)[0]


def _entry(t: Type, e: Exp[Ann]) -> Program[Ann]:
    """``entry f [n] (xs : [n]i64) -> = let (y : t) = e in ()``."""
    n, xs, y = Name("n"), Name("xs"), Name("y")
    param = Param(Binder(xs, ArrayType(I64, (var(n),)), None))
    body = Body((Stm((Binder(y, t, None),), e),), ())
    return Program((Entry(Name("f"), (Binder(n, I64, None),), (param,), (), (), body),))


ROW = ArrayType(I64, (var(Name("n")),))
DIMS = (KernelDim(Name("i"), var(Name("n"))),)
NO_OPERATOR: Lambda[Ann] = Lambda((), Body((), ()))

BUILT: dict[str, tuple[str, Program[Ann], str]] = {
    "foreign call that is not partial": (
        "T-FOREIGN",
        _entry(I64, Call(Name("g"), (), partial=False, linkage=Linkage.FOREIGN)),
        "a foreign function may not terminate: g (where y is bound)",
    ),
    "constant out of range": (
        "T-CONST",
        _entry(I8, Const(300, I8)),
        "the constant 300 is not a value of type i8 (where y is bound)",
    ),
    "array without dimensions": (
        "T-TYPE",
        _entry(ArrayType(I64, ()), Const(0, I64)),
        "an array type has at least one dimension (where y is bound)",
    ),
    "assert that binds a name": (
        "T-ASSERT",
        _entry(BOOL, Assert(Const(True, BOOL), "never")),
        "assert binds nothing, not (y) (where y is bound)",
    ),
    "concatenation of nothing": (
        "T-CONCAT",
        _entry(ArrayType(I64, (ZERO,)), Concat(0, ())),
        "concat needs at least one array (where y is bound)",
    ),
    "kernel without dimensions": (
        "T-KERNEL",
        _entry(I64, Kernel((), Map(), Body((), (Const(0, I64),)))),
        "a kernel has at least one dimension (where y is bound)",
    ),
    "reduction of nothing": (
        "T-OPERATOR",
        _entry(ROW, Kernel(DIMS, Reduce(NO_OPERATOR, ()), Body((), (Const(0, I64),)))),
        "the operator has 0 parameters for 0 neutral elements; it needs two for each "
        "(where y is bound)",
    ),
    "histogram of nothing": (
        "T-HIST",
        _entry(ROW, Kernel(DIMS, Hist((), NO_OPERATOR, ()), Body((), (Const(0, I64),)))),
        "the destination () has no dimension for the buckets after 0 outer dimensions "
        "(where y is bound)",
    ),
}
"""What no text spells: the rule, the program, the message."""
