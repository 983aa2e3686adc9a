"""Every feature of the source language, and every library function, has a program of our own.

What is in the tables here and in no program under ``tests/programs`` or ``papers`` is listed by
the tests: a construct that nobody runs is a construct that nobody knows to work.  Programs that
must not compile do not count.  The tables are complete by construction where they can be: all
node classes of the syntax tree, all definitions of the prelude, all members of the modules.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import attrs
import pytest

from funmem.frontends.futhark import ast
from funmem.frontends.futhark.builtins import SCALAR_NAMES, member_names
from funmem.frontends.futhark.infer_operators import OVERLOADED
from funmem.frontends.futhark.lexer import Kind, Token, tokenize
from funmem.frontends.futhark.library import load_prelude
from funmem.frontends.futhark.parser import parse
from funmem.ir.scalars import BOOL, FLOATS, INTS, SCALARS, ScalarType
from funmem.suite.reader import read_spec
from tests.support.paths import ROOT

FOLDERS = ("tests/programs", "papers")

# ---------------------------------------------------------------------- programs


class Used(NamedTuple):
    """What the programs consist of."""

    nodes: tuple[object, ...]
    tokens: tuple[tuple[Token, ...], ...]
    names: frozenset[tuple[str, ...]]
    """Qualified names; unqualified ones only from files that do not define them."""
    rejected: tuple[object, ...]
    """The nodes of programs that must not compile, but can be parsed."""


@cache
def used() -> Used:
    """All programs, parsed."""
    found: list[object] = []
    rejected: list[object] = []
    tokens: list[tuple[Token, ...]] = []
    names: set[tuple[str, ...]] = set()
    for path in sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*.fut")):
        text, name = path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))
        if read_spec(text, name).rejected is not None:
            rejected += _parsed(text, name)
            continue
        here = list(nodes(parse(text, name)))
        found += here
        tokens.append(tokenize(text, name).all)
        names |= library_names(here)
    return Used(tuple(found), tuple(tokens), frozenset(names), tuple(rejected))


def _parsed(text: str, name: str) -> list[object]:
    from funmem.ir.diagnostics import SourceError

    try:
        return list(nodes(parse(text, name)))
    except SourceError:
        return []


def nodes(tree: object) -> Iterator[object]:
    """The nodes of a tree, and the members of enums in them."""
    todo = [tree]
    while todo:
        x = todo.pop()
        if isinstance(x, tuple):
            todo += x
        elif isinstance(x, ast.ParamKind | ast.RangeEnd):
            yield x
        elif isinstance(x, ast.Node):
            yield x
            todo += [getattr(x, f.name) for f in attrs.fields(type(x))]


def library_names(tree: list[object]) -> set[tuple[str, ...]]:
    """The names that a program uses and that do not stand for something of its own."""
    own = {x.name for x in tree if isinstance(x, ast.ValDec | ast.LetFun | ast.PVar)}
    uses = {(*x.quals, x.name) for x in tree if isinstance(x, ast.QualName)}
    return {q for q in uses if len(q) > 1 or q[0] not in own}


# ---------------------------------------------------------------------- features in the tree

Test = Callable[[object], bool]


def _ops(*signs: str) -> dict[str, Test]:
    """An infix operator between two expressions."""

    def infix(sign: str) -> Test:
        return lambda x: isinstance(x, ast.BinOp) and not x.op.quals and x.op.name == sign

    return {f"e {sign} e": infix(sign) for sign in signs}


def _literals() -> dict[str, Test]:
    """Number literals: without a suffix, and with each."""

    def ints(t: ScalarType | None) -> Test:
        return lambda x: isinstance(x, ast.IntLit) and x.suffix == t

    def floats(t: ScalarType | None) -> Test:
        return lambda x: isinstance(x, ast.FloatLit) and x.suffix == t

    return {
        **{f"integer literal with suffix {t}": ints(t) for t in (None, *INTS, *FLOATS)},
        **{f"float literal with suffix {t}": floats(t) for t in (None, *FLOATS)},
    }


def _ranges() -> dict[str, Test]:
    """Ranges by their end, with and without a second element."""

    def ends(kind: ast.RangeEnd, second: bool) -> Test:
        return lambda x: (
            isinstance(x, ast.Range) and x.kind is kind and (x.second is not None) == second
        )

    both = [(kind, second) for kind in ast.RangeEnd for second in (False, True)]
    return {f"a{'..b' * s}{k.value}c": ends(k, s) for k, s in both if s or k.value != "..>"}


def _dims(x: object) -> tuple[ast.Dim, ...]:
    return x.dims if isinstance(x, ast.Index) else ()


def _is_slice(lo: bool, hi: bool, step: bool) -> Test:
    def test(x: object) -> bool:
        return isinstance(x, ast.SliceDim) and (
            (x.lo is not None) == lo and (x.hi is not None) == hi and (x.step is not None) == step
        )

    return test


def _returns(x: object) -> ast.TypeExp | None:
    return x.ret if isinstance(x, ast.ValDec | ast.LetFun | ast.Lambda) else None


def _param_types(x: object) -> tuple[ast.TypeExp, ...]:
    if not isinstance(x, ast.ValDec | ast.LetFun):
        return ()
    return tuple(p.type for p in x.params if isinstance(p, ast.PAscript))


def _definition(x: object, *, entry: bool = False) -> bool:
    return isinstance(x, ast.ValDec) and x.entry == entry


def _kinds(x: object) -> tuple[ast.ParamKind, ...]:
    has_params = isinstance(x, ast.ValDec | ast.LetFun | ast.TypeDec)
    return tuple(p.kind for p in x.tparams) if has_params else ()


SIZE, TYPE = ast.ParamKind.SIZE, ast.ParamKind.TYPE
OPERATOR = frozenset("+-*/%=!><|&^")

DECLARATIONS: dict[str, Test] = {
    "def f p = e": lambda x: _definition(x) and bool(x.params),
    "entry": lambda x: _definition(x, entry=True),
    "a constant": lambda x: _definition(x) and not x.params,
    "a function without parameters": lambda x: (
        _definition(x)
        and not x.params
        and isinstance(x.exp, ast.Lambda | ast.OpSectionLeft | ast.OpSectionRight | ast.App)
    ),
    "an operator": lambda x: _definition(x) and x.name[0] in OPERATOR,
    "a parameter without a type": lambda x: (
        _definition(x) and any(not isinstance(p, ast.PAscript) for p in x.params)
    ),
    "a size parameter": lambda x: isinstance(x, ast.ValDec) and SIZE in _kinds(x),
    "a type parameter": lambda x: isinstance(x, ast.ValDec) and TYPE in _kinds(x),
    "a function as parameter": lambda x: any(isinstance(t, ast.TEArrow) for t in _param_types(x)),
    "a function as result": lambda x: isinstance(_returns(x), ast.TEArrow),
    "a unique parameter": lambda x: any(isinstance(t, ast.TEUnique) for t in _param_types(x)),
    "a unique result": lambda x: isinstance(_returns(x), ast.TEUnique),
    "a result of unknown size": lambda x: isinstance(_returns(x), ast.TEExists),
    "type t = …": lambda x: isinstance(x, ast.TypeDec) and not x.tparams,
    "type t 'a = …": lambda x: isinstance(x, ast.TypeDec) and TYPE in _kinds(x),
    "type t [n] = …": lambda x: isinstance(x, ast.TypeDec) and SIZE in _kinds(x),
    "import": lambda x: isinstance(x, ast.Import) and x.name is None,
    "module m = import": lambda x: isinstance(x, ast.Import) and x.name is not None,
}

TYPES: dict[str, Test] = {
    "()": lambda x: isinstance(x, ast.TETuple) and not x.elems,
    "[]t": lambda x: isinstance(x, ast.TEArray) and x.size is None,
    "[n]t": lambda x: isinstance(x, ast.TEArray) and isinstance(x.size, ast.Var),
    "[2]t": lambda x: isinstance(x, ast.TEArray) and isinstance(x.size, ast.IntLit),
    "[n + 1]t": lambda x: isinstance(x, ast.TEArray) and isinstance(x.size, ast.BinOp),
    "[f n]t": lambda x: isinstance(x, ast.TEArray) and isinstance(x.size, ast.App),
    "t i32": lambda x: isinstance(x, ast.TEApply) and not isinstance(x.arg, ast.TESize),
    "t [n]": lambda x: isinstance(x, ast.TEApply) and isinstance(x.arg, ast.TESize),
    "m.t": lambda x: isinstance(x, ast.TEName) and bool(x.name.quals),
    "(n: i64) -> t": lambda x: isinstance(x, ast.TEArrow) and x.name is not None,
    "#c t | #d": lambda x: (
        isinstance(x, ast.TESum) and len({not ts for _, ts in x.constructors}) > 1
    ),
}

PATTERNS: dict[str, Test] = {
    "() as a pattern": lambda x: isinstance(x, ast.PTuple) and not x.elems,
    "a tuple in a tuple": lambda x: (
        isinstance(x, ast.PTuple) and any(isinstance(p, ast.PTuple) for p in x.elems)
    ),
    "{l = p}": lambda x: (
        isinstance(x, ast.PRecord)
        and any(not isinstance(p, ast.PVar) or p.name != label for label, p in x.fields)
    ),
    "{l}": lambda x: (
        isinstance(x, ast.PRecord)
        and any(isinstance(p, ast.PVar) and p.name == label for label, p in x.fields)
    ),
    "#c": lambda x: isinstance(x, ast.PConstr) and not x.args,
    "#c p": lambda x: isinstance(x, ast.PConstr) and bool(x.args),
    "an integer as a pattern": lambda x: (
        isinstance(x, ast.PLit) and isinstance(x.value, ast.IntLit)
    ),
    "a negative number as a pattern": lambda x: (
        isinstance(x, ast.PLit) and isinstance(x.value, ast.Neg)
    ),
    "a float as a pattern": lambda x: isinstance(x, ast.PLit) and isinstance(x.value, ast.FloatLit),
    "a truth value as a pattern": lambda x: (
        isinstance(x, ast.PLit) and isinstance(x.value, ast.BoolLit)
    ),
    "a character as a pattern": lambda x: (
        isinstance(x, ast.PLit) and isinstance(x.value, ast.CharLit)
    ),
}

ATOMS: dict[str, Test] = {
    **_literals(),
    "m.x": lambda x: isinstance(x, ast.Var) and bool(x.name.quals),
    "(op)": lambda x: isinstance(x, ast.Var) and x.name.name[0] in OPERATOR,
    "()": lambda x: isinstance(x, ast.Tuple) and not x.elems,
    "{l = e}": lambda x: (
        isinstance(x, ast.RecordLit)
        and any(not isinstance(e, ast.Var) or e.name.name != label for label, e in x.fields)
    ),
    "{x}": lambda x: (
        isinstance(x, ast.RecordLit)
        and any(isinstance(e, ast.Var) and e.name.name == label for label, e in x.fields)
    ),
    "[[e, …], …]": lambda x: (
        isinstance(x, ast.ArrayLit) and any(isinstance(e, ast.ArrayLit) for e in x.elems)
    ),
    "[]": lambda x: isinstance(x, ast.ArrayLit) and not x.elems,
    "e.0": lambda x: isinstance(x, ast.Project) and x.label.isdigit(),
    "e.l": lambda x: isinstance(x, ast.Project) and not x.label.isdigit(),
    "e[i, j]": lambda x: len(_dims(x)) > 1 and all(isinstance(d, ast.FixDim) for d in _dims(x)),
    "e[i, a:b]": lambda x: len({type(d) for d in _dims(x)}) > 1,
    "e[:]": _is_slice(False, False, False),
    "e[a:]": _is_slice(True, False, False),
    "e[:b]": _is_slice(False, True, False),
    "e[a:b]": _is_slice(True, True, False),
    "e[::s]": _is_slice(False, False, True),
    "e[a:b:s]": _is_slice(True, True, True),
    "a negative stride": lambda x: isinstance(x, ast.SliceDim) and isinstance(x.step, ast.Neg),
}

EXPRESSIONS: dict[str, Test] = {
    **_ops(*OVERLOADED, "|>", "<|", ">->", "<-<", "++"),
    **_ranges(),
    "e m.op e": lambda x: isinstance(x, ast.BinOp) and bool(x.op.quals),
    "e `f` e": lambda x: isinstance(x, ast.BinOp) and x.op.name[0] not in OPERATOR,
    "(e `f`)": lambda x: isinstance(x, ast.OpSectionLeft) and x.op.name[0] not in OPERATOR,
    "(`f` e)": lambda x: isinstance(x, ast.OpSectionRight) and x.op.name[0] not in OPERATOR,
    "else if": lambda x: isinstance(x, ast.If) and isinstance(x.orelse, ast.If),
    "let p = e": lambda x: isinstance(x, ast.Let) and isinstance(x.pat, ast.PTuple | ast.PRecord),
    "let [n] p = e": lambda x: isinstance(x, ast.Let) and bool(x.sizes),
    "let f 'a p = e": lambda x: isinstance(x, ast.LetFun) and TYPE in _kinds(x),
    "let f [n] p = e": lambda x: isinstance(x, ast.LetFun) and SIZE in _kinds(x),
    "let x[i, j] = e": lambda x: isinstance(x, ast.LetWith) and len(x.dims) > 1,
    "let x[a:b] = e": lambda x: (
        isinstance(x, ast.LetWith) and any(isinstance(d, ast.SliceDim) for d in x.dims)
    ),
    "loop x for": lambda x: isinstance(x, ast.Loop) and x.init is None,
    "loop (x, y) = e": lambda x: isinstance(x, ast.Loop) and isinstance(x.pat, ast.PTuple),
    "loop [n] (xs: [n]t) = e": lambda x: isinstance(x, ast.Loop) and bool(x.sizes),
    "for (x, y) in e": lambda x: isinstance(x, ast.ForIn) and isinstance(x.pat, ast.PTuple),
    r"\x y -> e": lambda x: isinstance(x, ast.Lambda) and len(x.params) > 1,
    r"\(x, y) -> e": lambda x: (
        isinstance(x, ast.Lambda) and any(isinstance(p, ast.PTuple) for p in x.params)
    ),
    r"\(x: t) -> e": lambda x: (
        isinstance(x, ast.Lambda) and any(isinstance(p, ast.PAscript) for p in x.params)
    ),
    r"\x : t -> e": lambda x: isinstance(x, ast.Lambda) and x.ret is not None,
    "(.l.m)": lambda x: isinstance(x, ast.ProjectSection) and len(x.labels) > 1,
    "e with [i] = e": lambda x: (
        isinstance(x, ast.Update) and all(isinstance(d, ast.FixDim) for d in x.dims)
    ),
    "e with [a:b] = e": lambda x: (
        isinstance(x, ast.Update) and any(isinstance(d, ast.SliceDim) for d in x.dims)
    ),
    "e with l.m = e": lambda x: isinstance(x, ast.RecordUpdate) and len(x.labels) > 1,
    "e with l[i].m = e": lambda x: isinstance(x, ast.PathUpdate) and isinstance(x.path[0], str),
    "e with [i].l = e": lambda x: isinstance(x, ast.PathUpdate) and isinstance(x.path[0], tuple),
    "#c e": lambda x: isinstance(x, ast.Constr) and bool(x.args),
    "#c": lambda x: isinstance(x, ast.Constr) and not x.args,
    "group by k = e": lambda x: isinstance(x, ast.QGroup) and x.key_name is not None,
}

ONLY_REJECTED = (ast.Hole,)
"""Nodes that no program that compiles has."""

# ---------------------------------------------------------------------- features in the text


def _number(pattern: str) -> Callable[[Token], bool]:
    return lambda t: t.kind is Kind.NUMBER and pattern in t.text.lower()


TOKENS: dict[str, Callable[[Token], bool]] = {
    "0x…": _number("0x"),
    "0b…": _number("0b"),
    "1_000": _number("_"),
    "#[attribute]": lambda t: t.text == "#[",
    "let at the top": lambda t: t.text == "let" and t.col == 1,
    "def": lambda t: t.text == "def",
}


def has_let_without_in(tokens: tuple[Token, ...]) -> bool:
    """``let x = 1 let y = …``: the second follows what ends an expression."""
    return any(
        t.text == "let" and t.col > 1 and (before.kind is Kind.NUMBER or before.text in (")", "]"))
        for before, t in pairwise(tokens)
    )


# ---------------------------------------------------------------------- the tests


def classes() -> set[type]:
    """The node classes of the syntax tree."""
    members = inspect.getmembers(ast, inspect.isclass)
    return {c for _, c in members if issubclass(c, ast.Node) and attrs.has(c)}


def of_no_program(table: Mapping[str, Test]) -> list[str]:
    return [name for name, test in table.items() if not any(map(test, used().nodes))]


@pytest.mark.slow
def test_all_of_the_language_has_a_program() -> None:
    """Node classes, forms, spellings, and all names of the library."""
    seen = {type(x) for x in used().nodes}
    missing = classes() - seen - set(ONLY_REJECTED)
    assert sorted(c.__name__ for c in missing) == []
    assert {type(x) for x in used().rejected} >= set(ONLY_REJECTED)
    for table in (DECLARATIONS, TYPES, PATTERNS, ATOMS, EXPRESSIONS):
        assert of_no_program(table) == []
    kinds = {x for x in used().nodes if isinstance(x, ast.ParamKind | ast.RangeEnd)}
    assert kinds == {*ast.ParamKind, *ast.RangeEnd}

    tokens = [t for ts in used().tokens for t in ts]
    assert [name for name, test in TOKENS.items() if not any(map(test, tokens))] == []
    assert any(map(has_let_without_in, used().tokens))

    defined = [(d.name,) for d in load_prelude()]
    members = [(module, name) for module in SCALAR_NAMES for name in member_names(module)]
    assert defined
    assert [name for name in (*defined, *members) if name not in used().names] == []


def test_the_modules_are_the_scalar_types() -> None:
    assert set(SCALAR_NAMES.values()) == {*SCALARS} >= {BOOL}


NUMERIC = """+ - * / % ** == != < > <= >= to_i64 neg max min abs sgn highest lowest sum product
    maximum minimum num_bits get_bit set_bit i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64 bool"""
INTEGRAL = "// %% & | ^ not << >> >>> popc mul_hi mad_hi clz ctz"
FLOAT = """recip from_fraction to_f64 sqrt rsqrt cbrt exp sin cos tan sinpi cospi tanpi asin acos
    atan asinpi acospi atanpi sinh cosh tanh asinh acosh atanh atan2 atan2pi hypot gamma lgamma erf
    erfc lerp log log2 log10 log1p ceil floor trunc round mad fma isinf isnan inf nan pi e from_bits
    to_bits epsilon nextafter ldexp copysign"""


@pytest.mark.parametrize("module", SCALAR_NAMES)
def test_a_scalar_module_has_what_futhark_s_has(module: str) -> None:
    """The ``val`` lines of ``from_prim``, ``integral`` and ``float`` in Futhark 0.25's prelude."""
    wanted = f"{NUMERIC} {FLOAT if module[0] == 'f' else INTEGRAL}".split()
    if module == "bool":
        wanted = list(SCALAR_NAMES)
    have = member_names(module)
    assert [name for name in wanted if name not in have] == []


def test_what_a_program_defines_itself_is_no_use_of_the_library() -> None:
    text = "def map f = f 1\ndef main (xs: []i32) = map (\\filter -> filter + reduce (+) 0 xs)\n"
    names = library_names(list(nodes(parse(text, "x.fut"))))
    assert ("reduce",) in names
    assert not {("map",), ("filter",)} & names
